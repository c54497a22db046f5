"""`jax.tree` and `jax.tree_util`: pytrees of abstract values are taken apart and put together by JAX's own registry.

An abstract container becomes a real one with abstract values for leaves, JAX's function runs on that while the program
is analysed, and what it makes becomes abstract again. Nothing is traced; arrays keep their kind and their identity.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import jax

from xlapy.dispatch import registry
from xlapy.dispatch.containers.container_protocol import NODES, default_factory, structure
from xlapy.dispatch.jax import jax_functions
from xlapy.dispatch.jax.jax_functions import Factory
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import NULL, Const, Ref, Tuple, Value, made_tuple
from xlapy.ir import Var


class Opened:
    """Pytrees of abstract values as real ones."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        #: the containers that were made, each with what it stands for
        self._made: dict[int, tuple[object, Value]] = {}

    def tree(self, value: Value) -> Any:
        """The pytree that a value stands for; its leaves are abstract values."""
        made = self._tree(value)
        if made is not value:
            self._made[id(made)] = (made, value)
        return made

    def _tree(self, value: Value) -> Any:
        machine = self.machine
        if isinstance(value, Const) and not jax.tree_util.all_leaves([value.value]):
            return value.value
        if isinstance(value, Tuple):
            items = [self.tree(v) for v in value.items]
            return made_tuple(value.cls, items)
        if isinstance(value, Ref):
            info = machine.heap.objects[value.object]
            if info.kind in ("list", "dict") and info.cls in NODES:
                contents = structure(machine, value)
                if isinstance(contents, Tuple):
                    return [self.tree(v) for v in contents.items]
                in_order = info.cls is not dict  # JAX sorts the keys of a dict
                entries = contents.entries.items() if in_order else dict.items(contents.entries)
                parts = {k: self.tree(v) for k, v in entries}
                if info.cls is collections.defaultdict:
                    return collections.defaultdict(Factory(value, default_factory(machine, value)), parts)
                make: Any = info.cls
                return make(parts)
            if info.kind == "instance":
                node = machine.world.pytree_children(value)
                if node is not None:
                    rebuild, parts = node
                    return rebuild([self.tree(p) for p in parts])
        return value

    def value(self, tree: object) -> Value:
        """What a part of such a tree stands for: the same object."""
        made = self._made.get(id(tree))
        return made[1] if made is not None and made[0] is tree else closed(self.machine, tree)

    def leaf_test(self, is_leaf: Value | None) -> Callable | None:
        """The argument `is_leaf` of JAX's functions."""
        if is_leaf is None or (isinstance(is_leaf, Const) and is_leaf.value is None):
            return None

        def test(node: object) -> bool:
            answer = self.machine.truth(self.machine.call(is_leaf, [self.value(node)]))
            if isinstance(answer, Var):
                raise Refused("XP0006", "what is a leaf of a pytree depends on data")
            return answer

        return test


def opened(machine: Machine, value: Value) -> Any:
    """The pytree that a value stands for; its leaves are abstract values."""
    return Opened(machine).tree(value)


def closed(machine: Machine, tree: object) -> Value:
    """A pytree with abstract leaves as a value."""
    leaves = jax.tree.map(lambda leaf: leaf if isinstance(leaf, Value) else Const(leaf), tree)
    return jax_functions.abstract(machine, leaves)


def _path(path: tuple) -> Value:
    return Tuple(tuple(map(Const, path)))


_tree, _util = jax.tree, jax.tree_util


@registry.function(_tree.flatten, _util.tree_flatten)
def _flatten(machine: Machine, tree: Value, is_leaf: Value | None = None) -> Value:
    trees = Opened(machine)
    leaves, structure = jax.tree.flatten(trees.tree(tree), trees.leaf_test(is_leaf))
    return Tuple((machine.new_list([trees.value(v) for v in leaves]), Const(structure)))


@registry.function(_tree.leaves, _util.tree_leaves)
def _leaves(machine: Machine, tree: Value, is_leaf: Value | None = None) -> Value:
    trees = Opened(machine)
    leaves = jax.tree.leaves(trees.tree(tree), trees.leaf_test(is_leaf))
    return machine.new_list([trees.value(v) for v in leaves])


@registry.function(_tree.structure, _util.tree_structure)
def _structure(machine: Machine, tree: Value, is_leaf: Value | None = None) -> Value:
    trees = Opened(machine)
    return Const(jax.tree.structure(trees.tree(tree), trees.leaf_test(is_leaf)))


@registry.function(_tree.unflatten, _util.tree_unflatten)
def _unflatten(machine: Machine, treedef: Value, leaves: Value) -> Value:
    structure = machine.static(treedef, "the structure of a pytree")
    try:
        made = jax.tree.unflatten(structure, [opened(machine, v) for v in machine.iterate(leaves)])
    except ValueError as error:
        return machine.reraise(error)
    return jax_functions.abstract(machine, made)


@registry.method(_util.PyTreeDef, "unflatten")
def _unflatten_method(machine: Machine, self: Value, leaves: Value) -> Value:
    return _unflatten(machine, self, leaves)


@registry.method(_util.PyTreeDef, "flatten_up_to")
def _flatten_up_to(machine: Machine, self: Value, tree: Value) -> Value:
    structure = machine.static(self, "the structure of a pytree")
    try:
        parts = structure.flatten_up_to(opened(machine, tree))
    except (TypeError, ValueError) as error:
        return machine.reraise(error)
    return machine.new_list([closed(machine, p) for p in parts])


@registry.function(_tree.map, _util.tree_map)
def _map(machine: Machine, f: Value, tree: Value, *rest: Value, is_leaf: Value | None = None) -> Value:
    trees = Opened(machine)

    def apply(*leaves: object) -> Value:
        return machine.call(f, [trees.value(v) for v in leaves])

    return _mapped(trees, lambda *each, test: jax.tree.map(apply, *each, is_leaf=test), (tree, *rest), is_leaf)


@registry.function(_util.tree_map_with_path, _tree.map_with_path)
def _map_with_path(machine: Machine, f: Value, tree: Value, *rest: Value, is_leaf: Value | None = None) -> Value:
    trees = Opened(machine)

    def apply(path: tuple, *leaves: object) -> Value:
        return machine.call(f, [_path(path), *(trees.value(v) for v in leaves)])

    def run(*each: object, test: Callable | None) -> Any:
        return _util.tree_map_with_path(apply, *each, is_leaf=test)

    return _mapped(trees, run, (tree, *rest), is_leaf)


def _mapped(trees: Opened, run: Callable, values: tuple[Value, ...], is_leaf: Value | None) -> Value:
    try:
        made = run(*map(trees.tree, values), test=trees.leaf_test(is_leaf))
    except ValueError as error:
        return trees.machine.reraise(error)
    return jax_functions.abstract(trees.machine, made)


@registry.function(_util.tree_flatten_with_path, _tree.flatten_with_path)
def _flatten_with_path(machine: Machine, tree: Value, is_leaf: Value | None = None) -> Value:
    trees = Opened(machine)
    pairs, structure = _util.tree_flatten_with_path(trees.tree(tree), trees.leaf_test(is_leaf))
    return Tuple((_with_paths(trees, pairs), Const(structure)))


@registry.function(_util.tree_leaves_with_path, _tree.leaves_with_path)
def _leaves_with_path(machine: Machine, tree: Value, is_leaf: Value | None = None) -> Value:
    trees = Opened(machine)
    return _with_paths(trees, _util.tree_leaves_with_path(trees.tree(tree), trees.leaf_test(is_leaf)))


def _with_paths(trees: Opened, pairs: list) -> Value:
    return trees.machine.new_list([Tuple((_path(path), trees.value(leaf))) for path, leaf in pairs])


@registry.function(_tree.reduce, _util.tree_reduce)
def _reduce(
    machine: Machine, function: Value, tree: Value, initializer: Value = NULL, is_leaf: Value | None = None
) -> Value:
    trees = Opened(machine)
    leaves = jax.tree.leaves(trees.tree(tree), trees.leaf_test(is_leaf))
    values = [*(() if initializer is NULL else (initializer,)), *map(trees.value, leaves)]
    if not values:
        return machine.raise_(TypeError, "reduce() of empty iterable with no initial value")
    result = values[0]
    for value in values[1:]:
        result = machine.call(function, [result, value])
    return result


@registry.function(_tree.all, _util.tree_all)
def _all(machine: Machine, tree: Value, is_leaf: Value | None = None) -> Value:
    return machine.call(Const(all), [_leaves(machine, tree, is_leaf)])


@registry.function(_tree.transpose, _util.tree_transpose)
def _transpose(machine: Machine, outer_treedef: Value, inner_treedef: Value, pytree_to_transpose: Value) -> Value:
    structures = [machine.static(v, "the structure of a pytree") for v in (outer_treedef, inner_treedef)]
    try:
        made = jax.tree.transpose(structures[0], structures[1], opened(machine, pytree_to_transpose))
    except (TypeError, ValueError) as error:
        return machine.reraise(error)
    return jax_functions.abstract(machine, made)
