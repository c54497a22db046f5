"""Objects of the caller's in whose place each trip of a loop puts one of its own: no first trip is told from others."""

import collections
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

import xlapy

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])
Y = np.array([0.5, 4.0, -1.0])


@program(([X, Y], 0.1), ([Y, X], 0.3))
def made_anew_in_each_trip(parameters, rate):
    for _ in range(5):
        parameters = [p - rate * p**2 for p in parameters]
    return parameters


@program(([X, Y], 0.1))
def nested(parameters, rate):
    history = []
    for _ in range(4):
        for k in range(3):
            parameters = [p - rate * k * p for p in parameters]
            history.append(parameters[0].sum())
    return parameters, history


@program(([X, Y], 3), ([X, Y], 0), ([X, Y], 1))
def trips_that_data_tells(parameters, n):
    start = parameters
    for _ in range(n):
        parameters = [p * 0.5 for p in parameters]
    return parameters, parameters is start


@program(([X, Y],), ([Y, X],))
def returned_with_what_was_there_first(parameters):
    start = parameters
    for _ in range(3):
        parameters = [p + 1 for p in parameters]
    return parameters, start, parameters is start


@program(([1.0, 2.0, 3.0], X), ([1.0, -2.0, 3.0], X))
def replaced_on_some_trips(state, x):
    for v in x:
        if v > 0:
            state = [s + v for s in state]
    return state


@program(([1.0, 2.0], X), ([1.0, -2.0], -X))
def replaced_on_some_trips_or_left(state, x):
    for v in x:
        if v < 0:
            break
        state = [s + v for s in state]
    return state


@program(([1.0, 2.0], X), ([1.0, -2.0], Y))
def changed_after_the_loop(state, x):
    first = state
    for v in x:
        state = [s + v for s in state]
    state.append(1.0)
    first.append(2.0)
    return state, first


@program(([1.0, 2.0], X), ([1.0, -2.0], Y))
def changed_in_the_loop(state, x):
    for v in x:
        state.append(v)
        state = [s + v for s in state[:2]]
    return state


@program(([1.0, 2.0], X), ([1.0, -2.0], Y))
def the_first_changed_in_the_loop(state, x):
    first = state
    for v in x:
        first[0] += v
        state = [s + state[0] for s in state]
    return state


@program(([1.0, 2.0], X), ([1.0, -2.0], Y))
def arrays_in_it_changed_in_the_loop(state, x):
    rows = [x, x * 2]
    for v in state:
        rows[0][0] += v
        rows = [r + v for r in rows]
    rows[0][1] = 7.0
    return rows


@program(([X, Y],), ([Y, X],))
def the_callers_arrays_changed_later(rows):
    old = rows
    for _ in range(3):
        rows = [r + 1 for r in rows]
    rows[0][1] = 7.0
    old[1][0] = 9.0
    return rows


@program(([X, Y],), ([Y, X],))
def arrays_changed_in_the_loop(rows):
    for k in range(3):
        rows = [r + 1 for r in rows]
        rows[0][k] = 7.0
    return rows


@program(([X, Y],), ([Y, X],))
def arrays_of_either_changed(rows):
    for k in range(3):
        rows[0][k] = 7.0
        rows = [r + 1 for r in rows]
    return rows


@program((X, [1.0, 2.0]))
def two_names(x, state):
    best = state
    for v in x:
        state = [s + v for s in state]
        if state[0] > best[0]:
            best = state
    return state, best


@program((X, [1.0, 2.0]))
def two_names_for_the_last(x, state):
    best = state
    for v in x:
        state = [s + v for s in state]
        best = state
    state[0] = 100.0
    return best


@program((X, [1.0, 2.0]))
def the_last_but_one(x, state):
    before = state
    for v in x:
        before = state
        state = [s + v for s in state]
    before[0] = 100.0
    return state, before


@program((X, [1.0, 2.0]))
def kept_in_a_list(x, state):
    kept = []
    for v in x:
        kept.append(state)
        state = [s + v for s in state]
    return kept, state


@program(({"w": X, "b": 2.0}, 0.1), ({"w": Y, "b": 1.0}, 0.3))
def dict_in_the_same_order(parameters, rate):
    for _ in range(4):
        parameters = {k: v - rate * v for k, v in parameters.items()}
    return parameters


@program(({"w": X, "b": 2.0}, 0.1), ({"w": Y, "b": 1.0}, 0.3))
def dict_in_another_order(parameters, rate):
    for _ in range(4):
        parameters = {"b": parameters["b"] * rate, "w": parameters["w"] - parameters["b"]}
    return parameters, list(parameters)


@program(({"w": X, "b": 2.0}, 0.1), ({"w": Y, "b": 1.0}, 0.3))
def dict_whose_order_matters(parameters, rate):
    order = ""
    for _ in range(4):
        order = list(parameters)[0]
        parameters = {"b": parameters["b"] * rate, "w": parameters["w"] - parameters["b"]}
    return parameters, order


@program(({"w": X, "b": 2.0}, 0.1), ({"w": Y, "b": 1.0}, 0.3))
def dict_whose_order_matters_to_a_sum(parameters, rate):
    total = 0.0
    for _ in range(4):
        for k, value in enumerate(parameters.values()):
            total += (k + 1) * np.sum(value)
        parameters = {"b": parameters["b"] * rate, "w": parameters["w"] - parameters["b"]}
    return parameters, total


@program(({"w": X, "b": 2.0}, 0.1), ({"w": Y, "b": 1.0}, 0.3))
def dict_in_another_order_printed(parameters, rate):
    for k in range(2):
        print(k, *parameters)
        parameters = {"b": parameters["b"] * rate, "w": parameters["w"] - parameters["b"]}
    return parameters | {"c": 1}


@program(({"w": X, "b": 2.0}, 0.1), ({"w": Y, "b": 1.0}, 0.3))
def dict_copied(parameters, rate):
    for _ in range(3):
        other = {**parameters, "n": rate}
        parameters = {"b": parameters["b"] * rate, "w": parameters["w"] - parameters["b"]}
    return parameters, other


@program(({"a": {"w": X, "b": 2.0}, "c": [1.0, X]}, 0.1))
def nested_dicts(parameters, rate):
    for _ in range(4):
        inner = parameters["a"]
        parameters = {
            "c": [c * rate for c in parameters["c"]],
            "a": {"b": inner["b"] - rate, "w": inner["w"] * inner["b"]},
        }
    return parameters, list(parameters["a"])


@dataclasses.dataclass
class Point:
    x: float
    y: np.ndarray

    def moved(self, d):
        return Point(self.x + d, self.y * d)


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: float
    y: np.ndarray

    def moved(self, d):
        return Fixed(self.x + d, self.y * d)


State = collections.namedtuple("State", "x y")


@program((Point(1.0, X), Y), (Point(2.0, Y), X))
def objects(point, steps):
    for d in steps:
        point = point.moved(d)
    return point


@program((Point(1.0, X), Y), (Point(2.0, Y), X))
def objects_changed_in_the_loop(point, steps):
    for d in steps:
        point.x += 1
        point = point.moved(d)
    return point


@program((Fixed(1.0, X), 3), (Fixed(2.0, Y), 0))
def frozen_objects(point, n):
    for _ in range(n):
        point = point.moved(0.5)
    return point


@program((State(1.0, X), 3), (State(2.0, Y), 1))
def named_tuples(state, n):
    for _ in range(n):
        state = State(state.x * 2, state.y + state.x)
    return state


@program((Point(1.0, X), Y))
def in_an_attribute(holder, steps):
    holder.inner = [1.0, 2.0]
    for d in steps:
        holder.inner = [v + d for v in holder.inner]
    return holder.inner


class Holder:
    def __init__(self, inner):
        self.inner = inner


@program((Holder([1.0, 2.0]), Y), (Holder([3.0, 2.0]), X))
def in_an_attribute_of_the_callers(holder, steps):
    for d in steps:
        holder.inner = [v + d for v in holder.inner]
    return holder


test_programs = program.test()


def test_one_body_for_all_trips():
    parameters = {"w": jnp.ones((3, 2)), "b": jnp.zeros(2)}

    def train(parameters, x, y):
        history = []
        for _ in range(50):
            for k in range(40):
                loss, slope = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(parameters)
                parameters = jax.tree.map(lambda p, g: p - 0.01 * g, parameters, slope)
                history.append(loss)
        return parameters, history

    x, y = np.random.default_rng(0).standard_normal((2, 5, 3)), np.ones((5, 2))
    text = xlapy.code_typed(train, parameters, x[0], y)
    assert text.count("call jax.value_and_grad") + text.count("grad") >= 1
    lowered = xlapy.jit(train).lower(parameters, x[0], y).as_text()
    assert lowered.count("stablehlo.while") == 2
    assert lowered.count("stablehlo.dot_general") == 2  # forward and backward, once each
