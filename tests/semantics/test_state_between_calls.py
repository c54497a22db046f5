"""Whatever changes between two calls is seen by the second; and what need not be compiled again is not."""

import dataclasses
import functools

import numpy as np

from .runner import Call, Programs, do, set_global

program = Programs()

X = np.array([1.0, -2.0, 3.0])
Y = np.array([-1.0, 0.5, -4.0])
SCALE = 2.0
STEPS = 2
TABLE = np.array([1.0, 2.0, 3.0])
CONFIG = {"k": 2.0, "mode": "add", "n": 2}
LAYERS = [np.ones(3), np.ones(3) * 2]
NAME = "sum"


@program((X,), (Y,), (X + 1,), compiles=1)
def same_types_one_compile(x):
    return x * 2


@program((X, 3), (X, 4), (X, 0), (Y, 100), compiles=1)
def loop_bound_changes_one_compile(x, n):
    s = 0.0
    for i in range(n):
        s = s * 0.5 + x[i % 3]
    return s


@program((X, 3.0), (X, 4.0), (Y, -1.0), compiles=1)
def scalar_argument_changes_one_compile(x, t):
    if x.sum() > t:
        return x * t
    return x


@program((X,), (X[:2],), (X,), (np.ones((2, 2)),), (X[:2],), compiles=3)
def shape_changes(x):
    return x.sum() / len(x)


@program(X, np.array([1, 2, 3]), np.float32([1, 2]), X, True, 3, 2.5, 1j)
def dtype_changes(x):
    return x + 1


@program((X, 2), (X, 2.0), (X, True), (X, 2))
def scalar_type_changes(x, k):
    return k * 2, x * k


@program((X, "sum"), (X, "max"), (Y, "sum"), compiles=2)
def string_argument_changes(x, how):
    return x.sum() if how == "sum" else x.max()


@program(3, 4, 3, 5)
def shape_from_scalar_argument(n):
    return np.zeros(n) + np.arange(n)


@program((np.arange(8.0), 2), (np.arange(8.0), 4), (np.arange(8.0), 2), compiles=2)
def reshape_from_scalar_argument(x, n):
    return np.reshape(x, (n, 8 // n))


@program((X, None), (X, 1.0), (X, None), compiles=2)
def none_becomes_value(x, k):
    return x if k is None else x * k


def uses_scale(x):
    return x * SCALE


program.add("global_scalar_changes", uses_scale, X, set_global(uses_scale, "SCALE", 5.0), X)
program.add("global_scalar_changes_type", uses_scale, X, set_global(uses_scale, "SCALE", 3), X)
program.add("global_scalar_becomes_array", uses_scale, X, set_global(uses_scale, "SCALE", np.array([1.0, 2.0, 3.0])), X)
program.add(
    "global_scalar_keeps_changing",
    uses_scale,
    *[step for k in range(8) for step in (set_global(uses_scale, "SCALE", float(k)), (X,))],
    compiles=3,
)


def uses_table(x):
    return x + TABLE


program.add(
    "global_array_rebound_no_recompile",
    uses_table,
    X,
    set_global(uses_table, "TABLE", np.array([5.0, 6.0, 7.0])),
    X,
    compiles=1,
)
program.add("global_array_changes_shape", uses_table, X, set_global(uses_table, "TABLE", np.ones((2, 3))), X)
program.add("global_array_changes_dtype", uses_table, X, set_global(uses_table, "TABLE", np.array([1, 2, 3])), X)


def write_table():
    TABLE[1] = 77.0


program.add("global_array_written_no_recompile", uses_table, X, do(write_table), X, compiles=1)


def uses_steps(x):
    for _ in range(STEPS):
        x = np.concatenate([x, x[:1]])
    return x


program.add("global_int_unrolls", uses_steps, X, set_global(uses_steps, "STEPS", 3), X, X)


def uses_config(x):
    y = x * CONFIG["k"]
    if CONFIG["mode"] == "add":
        y = y + CONFIG["n"]
    return y


def change_config(key, value):
    CONFIG[key] = value


def delete_config(key):
    del CONFIG[key]


program.add("dict_item_changes", uses_config, X, do(change_config, "k", 10.0), X, do(change_config, "mode", "no"), X)
program.add("dict_unrelated_item_added", uses_config, X, do(change_config, "other", 10.0), X, compiles=1)


@program(X, do(delete_config, "n"), X, raises=KeyError)
def dict_item_deleted(x):
    return x * CONFIG["n"]


def iterates_config(x):
    return [k for k in CONFIG if k != "mode"], x * len(CONFIG)


program.add("dict_length_changes", iterates_config, X, do(change_config, "z", 1.0), X)


def uses_layers(x):
    for w in LAYERS:
        x = x * w + 1
    return x


def add_layer():
    LAYERS.append(np.array([1.0, 2.0, 3.0]))


def replace_layer():
    LAYERS[0] = np.array([7.0, 8.0, 9.0])


def drop_layers():
    LAYERS.clear()


program.add("list_length_changes", uses_layers, X, do(add_layer), X, do(drop_layers), X)
program.add("list_item_replaced_no_recompile", uses_layers, X, do(replace_layer), X, compiles=1)


def helper(x):
    return x + 1


def other_helper(x):
    return x * 100


def calls_helper(x):
    return helper(x) * 2


program.add("global_function_rebound", calls_helper, X, set_global(calls_helper, "helper", other_helper), X)
program.add("global_function_becomes_ufunc", calls_helper, X, set_global(calls_helper, "helper", np.sin), X)
program.add("code_of_callee_replaced", calls_helper, X, do(setattr, helper, "__code__", other_helper.__code__), X)


def with_default(x, k=1.0):
    return x * k


def calls_default(x):
    return with_default(x)


program.add("defaults_of_callee_change", calls_default, X, do(setattr, with_default, "__defaults__", (9.0,)), X)
program.add("defaults_of_program_change", with_default, X, do(setattr, with_default, "__defaults__", (9.0,)), X)


def with_kwdefault(x, *, k=1.0):
    return x * k


program.add("kwdefaults_change", with_kwdefault, X, do(setattr, with_kwdefault, "__kwdefaults__", {"k": 4.0}), X)


class Model:
    bias = 1.0

    def __init__(self, w, depth=2):
        self.w, self.depth = w, depth
        self.children = []
        self.opts = {"act": "relu"}

    def __call__(self, x):
        for _ in range(self.depth):
            x = self.act(x * self.w + self.bias)
        for child in self.children:
            x = child(x)
        return x

    def act(self, v):
        return np.maximum(v, 0) if self.opts["act"] == "relu" else np.tanh(v)


def other_act(self, v):
    return v * 3


def apply(m, x):
    return m(x)


def set_option(m, key, value):
    m.opts[key] = value


MODEL = Model(np.array([1.0, 0.5, 2.0]))
program.add("attribute_scalar_changes", apply, (MODEL, X), do(setattr, MODEL, "depth", 3), (MODEL, X))
program.add("attribute_array_rebound", apply, (MODEL, X), do(setattr, MODEL, "w", Y), (MODEL, X), compiles=1)
program.add("attribute_dict_item_changes", apply, (MODEL, X), do(set_option, MODEL, "act", "tanh"), (MODEL, X))
program.add("attribute_list_grows", apply, (MODEL, X), do(list.append, MODEL.children, Model(X)), (MODEL, X))
program.add("instance_attribute_shadows", apply, (MODEL, X), do(setattr, MODEL, "bias", 50.0), (MODEL, X))
program.add("class_attribute_changes", apply, (MODEL, X), do(setattr, Model, "bias", 5.0), (MODEL, X))
program.add("method_monkeypatched_on_class", apply, (MODEL, X), do(setattr, Model, "act", other_act), (MODEL, X))
program.add("method_shadowed_on_instance", apply, (MODEL, X), do(setattr, MODEL, "act", np.sin), (MODEL, X))
program.add("other_instance_same_structure", apply, (MODEL, X), (Model(Y), X), (Model(Y, 3), X))
program.add("other_class_of_argument", apply, (MODEL, X), (np.sin, X), (functools.partial(np.add, 1.0), X), (MODEL, X))


class SubModel(Model):
    def act(self, v):
        return -v


program.add("class_of_instance_changes", apply, (MODEL, X), do(setattr, MODEL, "__class__", SubModel), (MODEL, X))


@dataclasses.dataclass
class Options:
    lr: float = 0.1
    steps: int = 2
    nesterov: bool = False


OPTIONS = Options()


def descend(x):
    for _ in range(OPTIONS.steps):
        g = 2 * x
        x = x - OPTIONS.lr * (g + x if OPTIONS.nesterov else g)
    return x


def set_option_of_global(name, value):
    setattr(OPTIONS, name, value)


program.add(
    "global_object_attribute_changes",
    descend,
    X,
    do(set_option_of_global, "lr", 0.5),
    X,
    do(set_option_of_global, "steps", 5),
    X,
    do(set_option_of_global, "nesterov", True),
    X,
)
program.add(
    "global_object_attribute_keeps_changing",
    descend,
    *[step for k in range(6) for step in (do(set_option_of_global, "lr", 0.1 * k), (X,))],
    compiles=3,
)


def make_adjustable():
    k = 1.0

    def f(x):
        return x * k

    def adjust(v):
        nonlocal k
        k = v

    return f, adjust


adjustable, adjust = make_adjustable()
program.add("closure_cell_changes", adjustable, X, do(adjust, 3.0), X, do(adjust, 4), X)


def make_array_closure():
    w = np.array([1.0, 2.0, 3.0])

    def f(x):
        return x * w

    def write(i, v):
        w[i] = v

    return f, write


array_closure, write_cell = make_array_closure()
program.add("closure_array_written", array_closure, X, do(write_cell, 0, 30.0), X, compiles=1)


@program(Call((X,), {"k": 1.0}), Call((X,)), Call((X, 3.0)), Call((), {"x": Y}))
def argument_passing_style(x, k=2.0):
    return x * k


@program(([X, Y],), ([X],), ([X, Y, X],), ([],))
def list_argument_length_changes(items):
    s = np.zeros(3)
    for v in items:
        s = s + v
    return s


@program({"a": 1.0}, {"a": 1.0, "b": 2.0}, {"b": 1.0, "a": 5.0}, {"a": 2.0})
def dict_argument_keys_change(d):
    return [v * 2 for v in d.values()], list(d)


@program((X, X), (X, X.copy()), (X, X))
def aliasing_of_arguments_changes(a, b):
    c = a.copy()
    a += 1
    return b - c


@program(np.arange(4.0), np.arange(8.0)[::2], np.arange(4.0)[::-1], compiles=1)
def strides_change(x):
    return x * np.arange(4)


@program(np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3)))
def memory_order_changes(m):
    return m.ravel() * 2


class Accumulator:
    def __init__(self):
        self.total, self.n = 0.0, 0

    def push(self, v):
        self.total += v
        self.n += 1
        return self.total / self.n


ACC = Accumulator()


@program((ACC, 1.0), (ACC, 2.0), (ACC, 6.0), compiles=2)
def object_carries_state(acc, v):
    return acc.push(v)


COUNT = 0


@program(X, X, X, X, X, compiles=3)
def global_counter_written_each_call(x):
    global COUNT
    COUNT += 1
    return x * COUNT


FIRST = True


@program(X, X, X)
def global_flag_flips(x):
    global FIRST
    if FIRST:
        FIRST = False
        return x * 100
    return x


CACHE = {}


@program((X, 2), (X, 3), (X, 2))
def global_cache_filled(x, k):
    if k not in CACHE:
        CACHE[k] = x * k
    return CACHE[k]


@program((X, 1), (X, 7), (X, 2), raises=IndexError)
def error_then_normal_call(x, i):
    return x[i] + x[i - 1]


@program((X, 2.0), do(np.copyto, X, Y), (X, 2.0), compiles=1)
def argument_changed_by_caller(x, k):
    return x * k


FUNCTIONS = {"f": np.sin}


def swap_function():
    FUNCTIONS["f"] = np.cos


@program(X, do(swap_function), X)
def function_in_dict_changes(x):
    return FUNCTIONS["f"](x)


FROZEN = (1.0, 2.0)


def uses_tuple(x):
    return x * FROZEN[0] + FROZEN[-1]


program.add("global_tuple_rebound", uses_tuple, X, set_global(uses_tuple, "FROZEN", (5.0, 6.0, 7.0)), X)


def shadow(x):
    return abs(x) + len(x)


program.add("builtin_shadowed_by_global", shadow, X, set_global(shadow, "abs", np.negative), X)


test_programs = program.test()
