"""raise, assert, try/except/else/finally, with, chaining, and the errors that Python and NumPy raise themselves.

PYTEST_DONT_REWRITE: the assert statements here are programs, and must stay as they are written.
"""

import contextlib
import math

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])
Y = np.array([-1.0, 0.5, -4.0])
P = np.array([1.0, 2.0, 3.0])
LOG = []


class DomainError(ValueError):
    pass


class CodedError(Exception):
    def __init__(self, code, text):
        super().__init__(f"[{code}] {text}")
        self.code = code


@program(P, X, raises=ValueError)
def raise_under_dynamic_condition(x):
    if (x < 0).any():
        raise ValueError("negative input")
    return np.sqrt(x)


@program(P)
def raise_never_taken(x):
    if x.sum() < 0:
        raise ValueError("no")
    return x * 2


@program(P, raises=ValueError)
def raise_for_certain(x):
    raise ValueError("always")


@program((P, 3), (P, 4), raises=ValueError)
def raise_on_static_condition(x, n):
    if len(x) != n:
        raise ValueError(f"expected {n} elements, got {len(x)}")
    return x


@program(X, raises=DomainError)
def raise_custom_class(x):
    if x[1] < 0:
        raise DomainError("x[1]")
    return x


@program(X, raises=CodedError)
def raise_custom_init(x):
    if x[1] < 0:
        raise CodedError(7, "bad")
    return x


@program(P, X, raises=ValueError)
def raise_with_dynamic_message(x):
    k = int((x < 0).sum())
    if k > 0:
        raise ValueError(f"{k} negative values")
    return x


@program(X, raises=ValueError)
def raise_with_dynamic_arguments(x):
    if x[1] < 0:
        raise ValueError("value", x[1])
    return x


@program(P, X, raises=RuntimeError)
def raise_in_loop(x):
    s = 0.0
    for i in range(3):
        if x[i] < 0:
            raise RuntimeError("hit")
        s += x[i]
    return s


@program((X, 3), (X, 50), raises=RuntimeError)
def no_convergence(x, n):
    for i in range(n):
        if i > 20:
            raise RuntimeError("did not converge")
    return x * i


@program(P, X, -P, raises=KeyError)
def first_of_two_raises(x):
    if x[2] < 0:
        raise KeyError("last")
    if x[1] < 0:
        raise TypeError("second") if False else KeyError("second")
    return x


@program(P, X, raises=AssertionError)
def assert_dynamic(x):
    assert (x > 0).all(), "must be positive"
    return x


@program(P, X, raises=AssertionError)
def assert_without_message(x):
    assert x[1] > 0
    return x


@program(P, P[:2], raises=AssertionError)
def assert_static(x):
    assert len(x) == 3, f"length {len(x)}"
    return x


@program(X, raises=ValueError)
def raise_after_mutation(x):
    x[0] = 100.0
    LOG.append(1)
    if x[1] < 0:
        raise ValueError("after")


@program({"a": 1.0})
def try_except_key_error(d):
    try:
        v = d["b"]
    except KeyError:
        v = -1.0
    return v


@program((X, 2.0), (X, "s"))
def try_except_type_error(x, v):
    try:
        return x + v
    except TypeError:
        return x
    except ValueError:
        return -x


@program(X, P)
def try_except_dynamic(x):
    try:
        if x[1] < 0:
            raise ValueError("neg")
        y = x * 2
    except ValueError:
        y = x * 0
    return y


@program(X, P, Y)
def try_except_else_finally_dynamic(x):
    trace = 0
    try:
        if x[1] < 0:
            raise DomainError("a")
        if x[0] < 0:
            raise KeyError("b")
        trace += 1
    except ValueError:
        trace += 10
    except KeyError as e:
        trace += 100 * len(e.args)
    else:
        trace += 1000
    finally:
        trace += 10000
    return trace


@program(X, P, raises=RuntimeError)
def reraise_other_type(x):
    try:
        if x[1] < 0:
            raise ValueError("inner")
    except ValueError as e:
        raise RuntimeError("outer") from e
    return x


@program(X, P, raises=ValueError)
def bare_reraise(x):
    n = 0
    try:
        if x[1] < 0:
            raise ValueError("inner")
    except ValueError:
        n += 1
        raise
    return n


@program(X)
def finally_runs_on_return(x):
    log = []
    try:
        log.append("body")
        return log
    finally:
        log.append("finally")


@program(X, P)
def finally_overrides_return(x):
    for _ in range(2):
        try:
            if x[1] < 0:
                return 1
        finally:
            break
    return 2


@program(X, P)
def finally_after_dynamic_return(x):
    log = [0]

    def f():
        try:
            if x[1] < 0:
                return 1
            return 2
        finally:
            log[0] += 5

    return f(), log[0]


@program(X, P)
def nested_try(x):
    r = 0
    try:
        try:
            if x[1] < 0:
                raise KeyError("k")
            r += 1
        except ValueError:
            r += 10
        finally:
            r += 100
    except KeyError:
        r += 1000
    return r


def risky(v):
    if v < 0:
        raise DomainError(f"bad")  # noqa: F541
    return v


@program(X, P)
def exception_through_call(x):
    try:
        return risky(x[0]) + risky(x[1])
    except DomainError:
        return -1.0


@program(X, P, raises=DomainError)
def exception_through_call_uncaught(x):
    return risky(x[1]) * 2


@program(X, P)
def exception_caught_in_loop(x):
    bad = 0
    s = 0.0
    for v in x:
        try:
            s += risky(v)
        except ValueError:
            bad += 1
            continue
    return s, bad


@program(X)
def exception_instance_used(x):
    try:
        raise CodedError(3, "text")
    except CodedError as e:
        return x * e.code, str(e)


@program(X)
def exception_variable_unbound_after(x):
    try:
        raise ValueError("v")
    except ValueError as e:  # noqa: F841
        pass
    try:
        return e  # noqa: F821
    except NameError:
        return x


class Rooted:
    def __init__(self):
        self.root = self.count = None

    def solve(self, a):
        if a < 0:
            raise ArithmeticError("negative")
        count = 0
        while a > 4 and count < 3:
            a /= 4
            count += 1
        self.root, self.count = np.sqrt(a), count

    def results(self):
        return self.root, self.count


def solved(a):
    made = Rooted()
    made.solve(a)
    root, count = made.results()
    return {"root": root, "count": count, "fine": not np.isnan(root)}


@program(9.0, -1.0, 100.0, 0.0)
def attributes_set_unless_it_raises(a):
    try:
        found = solved(a)
    except ArithmeticError as error:
        found = {"root": -1.0, "count": -1, "fine": str(error) == "none"}
    found["root"] = np.reshape(np.asarray(found["root"])[()], np.shape(found["count"]))
    return found, np.full(2, found["root"])


class Diverged(Exception):
    def __init__(self, step, value):
        super().__init__(f"diverged in step {step}")
        self.step, self.value = step, value


class Unprepared(ValueError):
    def __init__(self, code, detail=None):
        self.code, self.detail = code, detail

    def __str__(self):
        return f"code {self.code}, {self.detail}"


@program((X, 1.5), (X, 4.0), (X, 9.0), raises=Diverged)
def error_with_a_constructor(x, factor):
    for step in range(20):
        x = x * factor
        if x.max() > 100:
            raise Diverged(step, x[:2])
    return x


@program((X, 1), (X, 5), (X, 500), raises=Unprepared)
def error_that_shows_its_attributes(x, n):
    if n > 100:
        raise Unprepared(n)
    if n > 3:
        error = Unprepared(1, "many")
        error.detail = "some"
        raise error
    return x * n


class Failed(RuntimeError):
    pass


@program((X, 1), (X, 5), raises=Failed)
def error_with_attributes_from_another(x, n):
    try:
        if n > 3:
            raise Diverged(n, x)
    except Diverged as error:
        error.step += 1
        failure = Failed("failed", error.step)
        failure.data = n, x.sum(), {"n": n + 1}
        failure.add_note(f"in step {error.step}")
        failure.add_note("again")
        raise failure from error
    return x * n


@program(X, raises=Diverged)
def error_for_certain_with_attributes(x):
    raise Diverged(3, x + 1)


@program(X, -X)
def notes_of_a_caught_error(x):
    try:
        if x.sum() > 0:
            error = ValueError("v")
            error.add_note("one")
            raise error
    except ValueError as e:
        e.add_note("two")
        return x, len(e.__notes__), e.__notes__
    return -x, 0, []


@program(X, raises=TypeError)
def note_that_is_no_text(x):
    try:
        raise KeyError("k")
    except KeyError as e:
        e.add_note(3)
    return x


@program(X, raises=ValueError)
def exception_with_note(x):
    try:
        raise ValueError("v")
    except ValueError as e:
        e.add_note("more")
        raise


@program(X)
def except_tuple_of_types(x):
    r = 0
    for i in range(3):
        try:
            if i == 0:
                raise KeyError(0)
            if i == 1:
                raise IndexError(1)
        except (KeyError, IndexError):
            r += 1
    return x * r


@program(X)
def except_base_class(x):
    try:
        {}["q"]
    except LookupError:
        return x + 1


@program((6, 2), (6, 0), raises=ZeroDivisionError)
def int_division_by_zero(a, b):
    return a // b


@program((6, 0), raises=ZeroDivisionError)
def true_division_by_zero(a, b):
    return a / b


@program((6.0, 0.0), raises=ZeroDivisionError)
def float_division_by_zero(a, b):
    return a / b


@program((6.0, 0.0), raises=ZeroDivisionError)
def float_modulo_by_zero(a, b):
    return a % b


@program((6, 0), raises=ZeroDivisionError)
def modulo_by_zero(a, b):
    return a % b


@program((6.0, 0.0), raises=ZeroDivisionError)
def float_floor_division_by_zero(a, b):
    return a // b


@program((6, 0), raises=ZeroDivisionError)
def divmod_by_zero(a, b):
    return divmod(a, b)


@program((0, -1), raises=ZeroDivisionError, refuse="maybe")
def zero_to_negative_power(a, b):
    return a**b


@program((np.array([6.0, 0.0]), 1))
def numpy_scalar_division_by_zero_does_not_raise(x, i):
    return x[0] / x[i]


@program((np.array([6, 0]), 1))
def numpy_int_division_by_zero_does_not_raise(x, i):
    return x[0] // x[i], x[0] % x[i]


@program((6, 2), (6, 0))
def zero_division_caught(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return -1.0


@program((np.array([1, 0, 2]), 12))
def zero_division_caught_in_loop(x, n):
    s = 0
    for i in range(3):
        try:
            s += n // int(x[i])
        except ZeroDivisionError:
            s += 100
    return s


@program((X, 2), (X, -3), (X, 3), raises=IndexError)
def array_index_out_of_range(x, i):
    return x[i]


@program((X, -4), raises=IndexError)
def array_index_below_range(x, i):
    return x[i]


@program((X, 5), raises=IndexError)
def array_write_out_of_range(x, i):
    x[i] = 1.0


@program((np.arange(6.0).reshape(2, 3), 1, 7), raises=IndexError)
def array_index_out_of_range_second_axis(m, i, j):
    return m[i, j]


@program((X, np.array([0, 9])), raises=IndexError)
def array_element_index_out_of_range(x, k):
    return x[k[0]] + x[k[1]]


@program((X, 4), raises=IndexError)
def index_error_in_loop(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


@program((X, 2), (X, 9))
def index_error_caught(x, i):
    try:
        return x[i]
    except IndexError:
        return -1.0


@program(X, raises=IndexError)
def static_index_out_of_range(x):
    return x[3]


@program(X, raises=IndexError)
def too_many_indices(x):
    return x[0, 0]


@program((X, P[:2]), raises=ValueError)
def broadcast_error(x, y):
    return x + y


@program(X, raises=ValueError)
def reshape_error(x):
    return x.reshape(2, 2)


@program((X, P[:2]), raises=ValueError)
def assignment_broadcast_error(x, y):
    x[:] = y


@program((np.ones((2, 3)), np.ones((2, 3))), raises=ValueError)
def matmul_error(a, b):
    return a @ b


@program((X, P[:2]))
def shape_error_caught(x, y):
    try:
        return x + y
    except ValueError:
        return x


@program(X, raises=np.exceptions.AxisError)
def axis_error(x):
    return x.sum(axis=1)


@program(X, raises=AttributeError)
def attribute_error(x):
    return x.nonexistent


@program((X, None), raises=TypeError)
def type_error_none(x, y):
    return x + y


@program(np.zeros(0), raises=ValueError)
def max_of_empty(x):
    return x.max()


@program([], raises=ValueError)
def builtin_max_of_empty(items):
    return max(items)


@program([], raises=IndexError)
def pop_from_empty(items):
    items.pop()


@program(-1.0, 4.0, raises=ValueError)
def math_domain_error(v):
    return math.sqrt(v)


@program(0.0, 1.0, raises=ValueError)
def math_log_domain_error(v):
    return math.log(v)


@program(1000.0, 1.0, raises=OverflowError)
def math_exp_overflow(v):
    return math.exp(v)


@program(-1.0, 4.0)
def math_domain_error_caught(v):
    try:
        return math.sqrt(v)
    except ValueError:
        return 0.0


@program(float("nan"), 2.5, raises=ValueError)
def int_of_nan(v):
    return int(v)


@program(float("inf"), 2.5, raises=OverflowError)
def int_of_inf(v):
    return int(v)


@program(X, raises=TypeError)
def float_of_long_array(x):
    return float(x)


@program(-1, raises=ValueError)
def negative_shift(n):
    return 1 << n


@program(np.ones((2, 2)), raises=np.linalg.LinAlgError)
def singular_matrix(a):
    return np.linalg.inv(a - 1)


@program(np.eye(2), -np.eye(2), raises=np.linalg.LinAlgError)
def cholesky_not_positive(a):
    return np.linalg.cholesky(a)


@program(np.ones((2, 3)), raises=np.linalg.LinAlgError)
def not_square(a):
    return np.linalg.inv(a)


@program(X)
def contextlib_suppress(x):
    with contextlib.suppress(KeyError):
        {}["a"]
        x = x * 100
    return x + 1


@contextlib.contextmanager
def doubled(log):
    log.append("enter")
    try:
        yield len(log)
    finally:
        log.append("exit")


@program(X)
def contextlib_contextmanager(x):
    log = []
    with doubled(log) as n:
        x = x * n
    return x, log


@program(X)
def nullcontext_and_errstate(x):
    with contextlib.nullcontext(3) as k, np.errstate(divide="ignore"):
        return k / (x - 1)


@program((5, 2), (5, 7), raises=ValueError)
def checked_helper_then_loop(n, k):
    if k > n:
        raise ValueError("k > n")
    r = 1
    for i in range(k):
        r = r * (n - i) // (i + 1)
    return r


@program(P, X)
def sentinel_instead_of_exception(x):
    try:
        for i, v in enumerate(x):
            if v < 0:
                raise StopIteration
    except StopIteration:
        return i
    return -1


@program((P, True), (P, False), raises=NotImplementedError)
def not_implemented_static(x, flag):
    if not flag:
        raise NotImplementedError
    return x


@program(X, raises=TypeError)
def raise_not_an_exception(x):
    raise x


@program(np.array([2, 5]), np.array([5, 2]), raises=ValueError)
def list_remove_dynamic_missing(k):
    items = [1, 2, 3]
    items.remove(int(k[0]))
    return items


def stops(x):
    yield x[0]
    if x[1] > 0:
        raise StopIteration(3)
    yield x[2]


@program(X, -X, raises=RuntimeError)
def stop_iteration_inside_a_generator(x):
    s = 0
    for v in stops(x):
        s += v
    return s


@program((X, [0, 2]), (X, [0, 7]), raises=IndexError)
def comprehension_with_a_dynamic_index(x, places):
    return [x[i] for i in places]


@program((X, [0, 2]), (X, [0, 7]))
def comprehension_in_a_try(x, places):
    try:
        found = [x[i] for i in places]
    except IndexError:
        return x
    return found


# -- a refusal that only the run can decide is no exception of the program's -------------------------------------------


@program((5,), (-3,), (40,), refuse="maybe")
def refusal_in_except_exception(n):
    try:
        return math.factorial(n)
    except Exception:
        return -5


@program((5,), (-3,), (40,), refuse="maybe")
def refusal_in_bare_except(n):
    try:
        return math.factorial(n)
    except:  # noqa: E722
        return -5


@program((5,), (-3,), (40,), refuse="maybe")
def refusal_in_finally(n):
    value = 0
    try:
        value = math.factorial(n)
    finally:
        return value + 1  # noqa: B012


@program((5,), (-3,), (40,), refuse="maybe")
def refusal_suppressed(n):
    with contextlib.suppress(Exception):
        return math.factorial(n)
    return -2


@program((5,), (-3,), (40,), refuse="maybe")
def refusal_in_a_generator(n):
    def items():
        yield math.factorial(n)

    try:
        return sum(items())
    except Exception:
        return -2


@program((X, 30, 100.0), (X, 30, 3.0), (-X, 30, 100.0), (X, 30, -1.0))
def limit_reached_in_an_inner_loop(x, n, limit):
    calls, total, rounds = [0], 0.0, 0

    def work(v):
        if calls[0] >= limit:
            raise RuntimeError("too many calls")
        calls[0] += 1
        return v * 0.5

    while rounds < n:
        try:
            if x[0] > 0:
                for j in [0, 1]:
                    total += work(x[j])
            else:
                total -= work(x[1])
            rounds += 1
        except RuntimeError as error:
            return str(error), total, rounds, calls
    return total, rounds, calls


# -- what a path changes that ends in an exception --------------------------------------------------------------------


class Box:
    total = 0

    def __init__(self, v):
        if v < 0:
            raise ValueError(f"v={v}")
        self.v = v


@program((1.0,), (-1.0,), raises=ValueError)
def print_then_raise(a):
    print("start")
    LOG.append(a)
    if a < 0:
        print("bad")
        LOG.append("x")
        LOG.clear()
        raise ValueError("neg", a)
    b = Box(a)
    return b.v, len(LOG)


class WithItems(Exception):
    def __init__(self, box, items):
        super().__init__(len(items))
        self.box = box
        self.items = items


@program((X, 1.0), (X, -1.0), raises=WithItems)
def error_with_objects(x, a):
    items = [1.0]
    b = Box(abs(a))
    if a < 0:
        items.append(a)
        b.v += 10
        raise WithItems(b, items)
    return items, b.v


@program((X, 1.0), (X, -1.0))
def changes_seen_by_handler(x, a):
    items = [1.0]
    b = Box(abs(a))

    def inner():
        if a < 0:
            items.append(a)
            b.v += 10
            raise WithItems(b, items)
        items.append(7.0)

    try:
        inner()
    except WithItems as e:
        return e.items, e.box.v, items is e.items
    return items, b.v, None


@program((X, 1.0), (X, -1.0))
def changes_seen_after_finally(x, a):
    items = [1.0]

    def inner():
        if a < 0:
            items.append(a)
            raise WithItems(None, items)
        items.append(7.0)

    try:
        try:
            inner()
        finally:
            items.append(100.0)
    except WithItems:
        pass
    return items


@program((X, 1.0), (X, -1.0), raises=ValueError, refuse="maybe")
def error_with_a_list(x, a):
    msg = ["m"]
    if a < 0:
        msg.append("n")
        raise ValueError(msg)
    return len(msg)


@program((X, 1.0), (X, -1.0), raises=ValueError)
def writes_then_raise(x, a):
    x[0] = 5
    if a < 0:
        x[1] = 7
        raise ValueError("w")
    x[2] = 9
    return x.sum()


@program((X, 1.0), (X, -1.0), (X, 5.0), raises=ValueError)
def validated_twice(x, a):
    def check(v):
        if v < 0:
            raise ValueError("a")
        if v > 4:
            raise ValueError("b")
        return Box(v)

    b = check(a)
    c = check(a + 0.5)
    return b.v + c.v


class Interval:
    def __init__(self, lo, hi):
        if lo > hi:
            raise ValueError(f"empty interval [{lo}, {hi}]")
        self.lo, self.hi = lo, hi

    def __iter__(self):
        yield self.lo
        yield self.hi

    def __and__(self, other):
        return Interval(max(self.lo, other.lo), min(self.hi, other.hi))


@program((1.0, 3.0), (2.5, 0.5), raises=ValueError)
def iteration_over_validated_objects(a, b):
    both = Interval(0.0, 2.0) & Interval(a, a + 1) & Interval(b - 1, b + 1)
    lo, hi = both
    return tuple(both), list(both), hi - lo


LEVELS = np.array([0.31, -1.27, 2.5])


class Odd(Exception):
    pass


@program((LEVELS, 3.0), (LEVELS, 9.0), (LEVELS, -5.0), raises=Odd)
def several_messages(x, t):
    for i, n in enumerate(("a", "b", "c")):
        if x[i] < t - 4:
            raise Odd(n, i)
        if x[i] > t:
            raise Odd("second", n)
    return x


@program((LEVELS, 3.0), (LEVELS, 9.0), (LEVELS, -5.0), raises=Odd)
def several_kinds(x, t):
    for i, n in enumerate((1, "b", (2, 3.0))):
        if x[i] > t:
            raise Odd(n)
    return x


@program((X, 0), (X, 1), (X, 2), (X, 3), (X, 4), (X, 5))
def matrix_products_of_scalars(x, kind):
    try:
        total = x.sum()
        if kind == 0:
            return total @ total
        if kind == 1:
            return total @ 2.0
        if kind == 2:
            return [1.0, 2.0] @ total
        if kind == 3:
            total @= total
        if kind == 4:
            return total @ x
        return np.asarray(total) @ total
    except (TypeError, ValueError) as error:
        return type(error).__name__, str(error)


@program((X, "a"), (X, None), raises=TypeError)
def changed_in_place_by_what_is_no_number(x, other):
    total = x.sum()
    total -= other
    return total


def raise_again(v=0.0):
    if v <= 0:
        raise
    return v


@program(1.0, -1.0, raises=(ValueError, RuntimeError))
def reraised_by_a_function(x):
    try:
        if x > 0:
            raise ValueError("positive")
    except ValueError:
        raise_again()
    return x


@program(-1.0, raises=RuntimeError)
def reraised_by_a_function_after_the_handler(x):
    try:
        raise ValueError("over")
    except ValueError:
        pass
    return raise_again(x)


@program(1.0, 0.0)
def reraised_and_caught(x):
    try:
        try:
            return 1 / x
        except ZeroDivisionError:
            for _ in range(2):
                raise_again(x)
    except ZeroDivisionError as error:
        return str(error)


@program(np.array([1.0, 2.0, -1.0]), np.array([1.0, -5.0, 3.0]), raises=ValueError)
def reraised_where_data_says_so(a):
    def check(v):
        if v < 0:
            raise ValueError("negative")
        return v

    total = 0.0
    for v in a:
        try:
            total += check(v)
        except ValueError:
            total += raise_again(v + 3)
    return total


@program(1, 2, raises=ValueError)
def reraised_by_a_recursion(n):
    def deeper(n):
        if n == 0:
            raise
        try:
            raise ValueError(n)
        except ValueError:
            deeper(n - 1)

    deeper(n)


@program(1.0, raises=ValueError)
def reraised_by_a_generator(x):
    def numbers():
        yield x
        raise

    try:
        raise ValueError("outside")
    except ValueError:
        return sum(numbers())


test_programs = program.test()
