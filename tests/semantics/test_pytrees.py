"""JAX's pytrees of Python's containers: which are taken apart, and what they become again."""

import collections

import jax
import jax.numpy as jnp
import numpy as np

from .runner import Programs

program = Programs()
X = np.arange(3.0)
J = jnp.arange(3.0)


class Items(list):
    pass


def doubled(tree):
    return jax.tree.map(lambda v: v * 2, tree), len(jax.tree.leaves(tree))


@program((J,))
def dicts_of_all_kinds(x):
    ordered = collections.OrderedDict(b=x, a=x + 1)
    default = collections.defaultdict(list, {"b": x, "a": [x, x]})
    return doubled(ordered), doubled(default), doubled({"b": x, "a": None})


@program((J,))
def what_jax_takes_for_leaves(x):
    return doubled([collections.deque([x, 1], maxlen=3), Items([1, 2]), x])


@program((J, 40), (J, 3))
def a_list_that_has_grown(x, n):
    losses = []
    for k in range(n):
        losses.append(x.sum() + k)
    return doubled({"losses": losses})


@program((J,))
def gradients_of_an_ordered_dict(x):
    weights = collections.OrderedDict(w=x, b=x[0])
    return jax.grad(lambda p: jnp.sum(p["w"] ** 2) * p["b"])(weights)


@program((X,))
def containers_keep_their_settings(x):
    groups = collections.defaultdict(lambda: 0.0)
    for k, v in enumerate(x):
        groups[k % 2] += v
    latest = collections.deque(x, maxlen=2)
    repeated = latest * 2
    latest += [5.0]
    return groups, latest, repeated, 2 * collections.deque([1]), latest + latest, collections.defaultdict(None, a=x)


test_programs = program.test()
