"""if, conditional expressions, short circuits, chained comparisons, walrus, match, truth, one-armed bindings."""

import dataclasses
import enum

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])
Y = np.array([-1.0, 0.5, -4.0])
N = np.array([3, 1, 2])


@program((X, True), (X, False), (Y, True))
def static_if(x, flag):
    if flag:
        return x + 1
    return x - 1


@program(X, Y, np.zeros(3))
def dynamic_if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = -x
    return y


@program(X, Y)
def dynamic_if_without_else(x):
    y = x
    if x[0] > 0:
        y = y + 10
    return y


@program(X, Y, np.zeros(3), np.array([5.0, 5.0, 5.0]))
def elif_chain(x):
    s = x.sum()
    if s < -1:
        k = 0
    elif s == 0:
        k = 1
    elif s < 10:
        k = 2
    else:
        k = 3
    return k


@program(X, Y)
def early_return(x):
    if x[0] < 0:
        return -x
    y = x + 1
    if y.max() > 3.5:
        return y * 2
    return y


@program((X, 0.5), (Y, 0.5), (X, 10.0))
def nested_ifs(x, t):
    if x[0] > t:
        if x[1] > t:
            return 1
        return 2
    elif x[2] > t:
        r = 3
    else:
        r = 4
    return r * 10


@program(X, Y)
def conditional_expression(x):
    return x * 2 if x[0] > 0 else x * 3


@program(X, Y)
def nested_conditional_expression(x):
    return 1.0 if x[0] > 2 else 2.0 if x[0] > 0 else 3.0


@program((X, 1), (X, 0), (X, -1))
def conditional_on_scalar_argument(x, n):
    return x.sum() if n > 0 else x.prod() if n else x.max()


@program(X, Y)
def and_in_condition(x):
    if x[0] > 0 and x[1] < 0:
        return 1
    return 0


@program(X, Y)
def or_in_condition(x):
    if x[0] > 5 or x[1] > 0 or x[2] == 3.0:
        return x.sum()
    return x.prod()


@program(X, Y)
def not_in_condition(x):
    if not (x > 0).all():
        return 1
    return 2


@program((0, 5), (3, 5), (0, 0))
def and_gives_operand(a, b):
    return a and b


@program((0, 5), (3, 5), (0, 0))
def or_gives_operand(a, b):
    return a or b


@program((4.0, 2.0), (4.0, 0.0))
def short_circuit_guards_division(a, b):
    if b != 0 and a / b > 1:
        return 1
    return 0


@program((np.array([4, 0]), 0), (np.array([4, 0]), 1))
def short_circuit_guards_python_division(x, i):
    n = int(x[i])
    return n != 0 and 12 // n > 2


@program((np.array([1, 2, 3]), 2), (np.array([1, 2, 3]), 7))
def short_circuit_guards_index(x, i):
    return bool(i < len(x) and x[i] == 3)


@program(1.0, 5.0, -3.0, 0.0)
def chained_comparison(x):
    return 0.0 < x < 2.0


@program(X, Y)
def chained_comparison_dynamic(x):
    if -2.0 < x.sum() <= 2.0 < x.max():
        return x
    return -x


@program(X, Y)
def chained_comparison_evaluates_middle_once(x):
    count = [0]

    def middle():
        count[0] += 1
        return x.sum()

    r = 0 < middle() < 10
    return r, count[0]


@program(X, Y)
def walrus_in_if(x):
    if (s := x.sum()) > 0:
        return s
    return s * s


@program(np.arange(5.0), np.arange(3.0))
def walrus_in_while(x):
    i = 0
    while (s := x[i]) < 2.0 and i < len(x) - 1:
        i += 1
    return s, i


@program((X, "sum"), (X, "max"), (X, "what"))
def match_string(x, how):
    match how:
        case "sum":
            return x.sum()
        case "max" | "amax":
            return x.max()
        case _:
            return x


@program(np.array([0, 1]), np.array([1, 1]), np.array([2, 1]), np.array([7, 1]))
def match_dynamic_value(x):
    match x[0]:
        case 0:
            return 10
        case 1 | 2:
            return 20
        case n if n > 5:
            return 30
    return 40


@program(([1.0, 2.0],), ([1.0, 2.0, 3.0, 4.0],), ([5.0],), ([],))
def match_sequence(items):
    match items:
        case []:
            return 0.0
        case [a]:
            return a
        case [a, b]:
            return a * b
        case [a, *rest, b]:
            return a + b + sum(rest)


@dataclasses.dataclass
class Circle:
    r: float


@dataclasses.dataclass
class Box:
    w: float
    h: float


@program(Circle(2.0), Box(2.0, 3.0), Box(1.0, 0.5))
def match_class(shape):
    match shape:
        case Circle(r=r):
            return 3.0 * r * r
        case Box(w, h) if w < h:
            return w * h
        case Box(w=w):
            return -w


@program({"op": "add", "by": 2.0}, {"op": "mul", "by": 3.0}, {"by": 1.0})
def match_mapping(d):
    match d:
        case {"op": "add", "by": v}:
            return 1.0 + v
        case {"op": "mul", **rest}:
            return rest["by"]
        case _:
            return 0.0


@program((X, Y), (Y, X))
def match_tuple_guard_dynamic(a, b):
    match (a.sum(), b.sum()):
        case (p, q) if p > q:
            return p
        case (p, q):
            return q - p


class Mode(enum.Enum):
    UP = 1
    DOWN = 2


@program((X, Mode.UP), (X, Mode.DOWN))
def match_enum(x, mode):
    match mode:
        case Mode.UP:
            return np.sort(x)
        case Mode.DOWN:
            return np.sort(x)[::-1]


@program(np.array([2.0]), np.array([0.0]))
def truth_of_one_element_array(x):
    if x:
        return 1
    return 2


@program(X, raises=ValueError)
def truth_of_long_array_raises(x):
    if x > 0:
        return 1
    return 2


@program(3, 0, -1)
def truth_of_int(n):
    return 1 if n else 2


@program(0.0, 0.5, float("nan"))
def truth_of_float(x):
    if x:
        return x
    return -1.0


@program(([],), ([X],))
def truth_of_list(items):
    if items:
        return items[0]
    return np.zeros(3)


@program({}, {"a": 1})
def truth_of_dict(d):
    return len(d) if d else -1


class Positive:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        return bool(self.v > 0)


class Sized:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


@program(1.0, -1.0)
def truth_by_dunder_bool(v):
    if Positive(v):
        return v
    return -v


@program(Sized(0), Sized(3))
def truth_by_dunder_len(s):
    return 1.0 if s else 2.0


@program((X, None), (X, 2.0), (X, Y))
def is_none_refinement(x, scale=None):
    if scale is None:
        scale = 1.0
    return x * scale


@program((X, 2.0), X)
def is_not_none_default(x, out=None):
    return x if out is None else x + out


@program(X, Y)
def none_in_one_arm(x):
    y = None
    if x[0] > 0:
        y = x * 2
    if y is not None:
        return y
    return x


@program(X, Y, refuse="maybe")
def none_or_array_returned(x):
    if x[0] > 0:
        return x
    return None


@program(X)
def bound_in_one_arm_used(x):
    if x[0] > 0:
        y = x + 1
    return y


@program(X, Y, raises=UnboundLocalError)
def bound_in_one_arm_used_unbound(x):
    if x[0] > 0:
        y = x + 1
    return y


@program((X, False), raises=UnboundLocalError)
def unbound_for_certain(x, flag):
    if flag:
        y = x
    return y


@program(X, Y)
def bound_in_one_arm_not_used(x):
    if x[0] > 0:
        tmp = x + 1
        x = tmp * 2
    return x


@program(X, Y)
def correlated_ifs(x):
    flag = x[0] > 0
    if flag:
        y = x + 1
    z = x * 3
    if flag:
        z = z + y
    return z


@program(X, Y)
def del_in_arm(x):
    y = x + 1
    if x[0] > 0:
        x = y
        del y
    else:
        del y
    return x


@program(X, Y)
def different_dtypes_in_arms(x):
    if x[0] > 0:
        y = x > 1
    else:
        y = x < 1
    return y.sum()


@program(X, Y, refuse="maybe")
def int_or_float_by_data(x):
    return 1 if x[0] > 0 else 2.5


@program((X, 3), (X, 4), (X, 0))
def int_or_float_by_argument(x, n):
    k = n // 2 if n % 2 == 0 else n / 2
    return x * k


@program(X, Y, refuse="maybe")
def different_shapes_in_arms(x):
    if x[0] > 0:
        return x[:2]
    return x


@program(X, Y)
def tuples_in_arms(x):
    pair = (x, 1) if x[0] > 0 else (-x, 2)
    a, b = pair
    return a * b


@program(X, Y)
def dict_changed_in_arm(x):
    d = {"a": x, "n": 0}
    if x[0] > 0:
        d["a"] = x * 2
        d["n"] += 1
    return d


@program(X, Y, refuse="maybe")
def dict_key_added_in_arm(x):
    d = {"a": 1.0}
    if x[0] > 0:
        d["b"] = 2.0
    return d


@program(X, Y)
def list_item_set_in_arm(x):
    items = [x, x]
    if x[0] > 0:
        items[1] = x + 1
    return items


@program(X, Y)
def array_written_in_arm(x):
    y = x.copy()
    if x[0] > 0:
        y[1] = 100.0
    else:
        y[:2] = 0.0
    return y


@program(X, Y)
def argument_written_in_arm(x):
    if x[0] > 0:
        x[1] = 100.0
    return x.sum()


@program(X, Y)
def alias_chosen_by_data(x):
    a, b = x.copy(), x * 2
    c = a if x[0] > 0 else b
    c[0] = 7.0
    return a, b


@program(X, Y)
def function_chosen_by_data(x):
    f = np.sin if x[0] > 0 else np.cos
    return f(x)


@program((X, np.array(1)), (X, np.array(0)))
def lambda_chosen_by_data(x, i):
    f = (lambda v: v + 1) if i > 0 else (lambda v: v * 10)
    return f(x)


@program(X, Y)
def pass_in_both_arms(x):
    if x[0] > 0:
        pass
    else:
        pass
    return x


@program((X, Y), (Y, X))
def compare_arrays_all_any(a, b):
    if (a > b).any() and not np.all(a == b):
        return a
    return b


@program((3, 4), (4, 3), (3, 3))
def max_of_two_by_hand(a, b):
    if a > b:
        m = a
    else:
        m = b
    return m


@program((3, 1, 2), (1, 2, 3), (2, 3, 1))
def sort_three(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a, b, c


@program(0.5, -0.5, 3.0)
def piecewise_scalar(t):
    if t < 0:
        return 0.0
    if t < 1:
        return t * t
    return 2 * t - 1


@program(X, Y)
def is_comparison_of_objects(x):
    y = x
    z = x.copy()
    return (y is x, z is x, y is not z)


@program(True, False)
def bool_argument_arithmetic(flag):
    return flag + 1, flag * 2.5, not flag, flag & True


@program((1.0, "relu"), (-1.0, "relu"), (-1.0, "leaky"))
def static_and_dynamic_mixed(x, kind):
    if kind == "relu":
        return x if x > 0 else 0.0
    return x if x > 0 else 0.1 * x


@program(5, 6)
def parity(n):
    return "even" if False else (n % 2 == 0)


@program(X, Y)
def string_not_returned_by_data(x):
    name = "pos" if x[0] > 0 else "neg"
    return x if name == "pos" else -x


@program(X, Y, refuse="maybe")
def string_returned_by_data(x):
    return "pos" if x[0] > 0 else "neg"


test_programs = program.test()
