"""The runner itself: it accepts an honest compiler and catches each kind of dishonest one."""

import functools
import sys
import types

import numpy as np
import pytest

from . import runner
from .runner import do, set_global

X = np.array([1.0, 2.0])
SCALE = 2.0
LOG = []


class Blocker:
    code, filename, line = "XP0001", __file__, 1


class NotOffloadableError(Exception):
    def __init__(self, blockers=(Blocker,)):
        super().__init__("refused")
        self.blockers = blockers


class Jitted:
    """Calls the function itself, then lets `change` spoil the call or its result."""

    def __init__(self, f, change):
        self.f, self.change, self.calls = f, change, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.change(self.f, *args, **kwargs)

    def cache_info(self):
        return types.SimpleNamespace(misses=self.calls, hits=0, currsize=1)


@pytest.fixture
def compiler(monkeypatch):
    """Install a compiler that does `change(f, *args)`."""

    def install(change):
        fake = types.ModuleType("xlapy")
        fake.jit = lambda f: Jitted(f, change)
        fake.NotOffloadableError = NotOffloadableError
        monkeypatch.setitem(sys.modules, "xlapy", fake)
        monkeypatch.setattr(runner, "REFERENCE_ONLY", False)

    return install


def honest(f, *args, **kwargs):
    return f(*args, **kwargs)


def add(x, k):
    return x + k


def bump(x):
    x += 1
    return x


def uses_global(x):
    return x * SCALE


def logs(x):
    LOG.append(x)


def raises(x):
    x[0] = 9.0
    raise ValueError("bad")


def raises_without_change(x):
    raise ValueError("bad")


def same_list_twice(a, b):
    return a is b


def wrong(compiler, change, fn, *args, error=runner.SilentlyWrong, **kwargs):
    compiler(change)
    with pytest.raises(error):
        runner.check(fn, *args, **kwargs)


def test_honest_compiler_passes(compiler):
    compiler(honest)
    runner.check(add, X, 1)
    runner.check(bump, X)
    runner.check(uses_global, calls=[X, set_global(uses_global, "SCALE", 5.0), X])
    runner.check(logs, X)
    runner.check(raises_without_change, X, raises=ValueError)
    assert np.array_equal(X, [1.0, 2.0]) and SCALE == 2.0 and LOG == []


def test_other_value(compiler):
    wrong(compiler, lambda f, *a: f(*a) + 1e-9, add, X, 1)


def test_other_dtype(compiler):
    wrong(compiler, lambda f, *a: f(*a).astype(np.float32), add, X, 1)


def test_int_for_float(compiler):
    wrong(compiler, lambda f, *a: int(f(*a)), add, 1.0, 1)


def test_other_shape(compiler):
    wrong(compiler, lambda f, *a: f(*a)[None], add, X, 1)


def test_other_container(compiler):
    wrong(compiler, lambda f, *a: list(f(*a)), lambda x: (x, x), X)


def test_lost_mutation(compiler):
    wrong(compiler, lambda f, x: f(x.copy()), bump, X)


def test_lost_alias(compiler):
    wrong(compiler, lambda f, a, b: f(a, list(b)), lambda a, b: b.append(1), *[[1]] * 2)


def test_lost_global_effect(compiler):
    wrong(compiler, lambda f, x: None, logs, X)


def test_stale_global(compiler):
    def stale(f, x):
        return x * 2.0

    wrong(compiler, stale, uses_global, calls=[X, set_global(uses_global, "SCALE", 5.0), X])


def test_frozen_result(compiler):
    cached = functools.lru_cache(maxsize=None)(lambda f: f(X, 1))
    wrong(compiler, lambda f, *a: cached(f), add, calls=[(X, 1), (X, 2)])


def test_write_back_after_exception(compiler):
    wrong(compiler, honest, raises, X, raises=ValueError)


def test_other_message(compiler):
    def other(f, x):
        raise ValueError("worse")

    wrong(compiler, other, raises_without_change, X, raises=ValueError)


def test_missing_exception(compiler):
    wrong(compiler, lambda f, x: x, raises_without_change, X, raises=ValueError)


def test_unexpected_exception_is_a_crash(compiler):
    wrong(compiler, lambda f, x, k: {}[k], add, X, 1, error=runner.CompilerCrash)


def test_missing_output(compiler):
    def quiet(f, x):
        return x

    def loud(x):
        print("hello")
        return x

    wrong(compiler, quiet, loud, X)


def test_refusal(compiler):
    def refuse(f, *args):
        raise NotOffloadableError

    wrong(compiler, refuse, add, X, 1, error=NotOffloadableError)
    runner.check(add, X, 1, refuse=True)
    runner.check(add, X, 1, refuse="maybe")


def test_wrong_answer_before_a_refusal(compiler):
    """A refused second call does not hide what the first one did."""

    def second_refused(f, x, k):
        if k == 2:
            raise NotOffloadableError
        return x * 100

    wrong(compiler, second_refused, add, calls=[(X, 1), (X, 2)], refuse="maybe")


def test_refusal_without_blockers(compiler):
    def refuse(f, *args):
        raise NotOffloadableError(())

    wrong(compiler, refuse, add, X, 1, refuse=True, error=runner.BadRefusal)


def test_refusal_that_changed_something(compiler):
    def refuse(f, x):
        x[0] = 7.0
        raise NotOffloadableError

    wrong(compiler, refuse, bump, X, refuse=True)


def test_not_refused(compiler):
    wrong(compiler, honest, add, X, 1, refuse=True, error=runner.NotRefused)


def test_too_many_compiles(compiler):
    wrong(compiler, honest, add, calls=[(X, 1), (X, 2)], compiles=1, error=runner.TooManyCompiles)


def test_arguments_are_copied_with_their_aliases(compiler):
    compiler(honest)
    runner.check(same_list_twice, *[[1]] * 2)
    runner.check(lambda x, v: np.shares_memory(x, v), X, X[1:])
    runner.check(lambda o, n: setattr(o, "n", n), calls=[(X_HOLDER, 1), do(setattr, X_HOLDER, "n", 5), (X_HOLDER, 2)])
    assert X_HOLDER.n == 0


class Holder:
    n = 0


X_HOLDER = Holder()


def test_unsound_programs_are_reported(compiler):
    wrong(compiler, honest, raises_without_change, X, error=runner.UnsoundProgram)
    wrong(compiler, honest, add, X, 1, raises=ValueError, error=runner.UnsoundProgram)
