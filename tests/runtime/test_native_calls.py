"""Programs that are machine code as a whole, and are called without XLA: they are what CPython's calls are."""

import copy
import subprocess
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from tests.lowering.test_llvm_programs import PROGRAMS, compare
from tests.semantics.test_first_errors import program as first_errors
from xlapy.lowering.llvm import code_selection, entry_points
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(7)
VECTOR, MATRIX = RNG.random(40), RNG.random((6, 7))


@pytest.fixture
def runs(monkeypatch):
    """For each call of machine code whether its operands were such as it takes."""
    found = []
    original = native_calls.whole_as_machine_code

    def watched(*args):
        call = original(*args)

        def run(*operands):
            results = call(*operands)
            found.append(results is not None)
            return results

        return None if call is None else run

    monkeypatch.setattr(native_calls, "whole_as_machine_code", watched)
    return found


def same(got, wanted):
    """Equal in value, type and shape."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    np.testing.assert_array_equal(got, wanted)


def alternating(x):
    s = x[0] * 0
    for i in range(len(x)):
        s = x[i] - s
    return s


def added(x, y):
    out = x * 0 + y[0] * 0
    for i in range(len(x)):
        out[i] = x[i] + y[-1 - i]
    return out


@pytest.mark.parametrize("function, arguments", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs(function, arguments):
    first, second = copy.deepcopy(arguments), copy.deepcopy(arguments)
    wanted = function(*first)
    compiled = xlapy.jit(function)
    compare(compiled(*second), wanted)
    compare(second, first)
    compare(compiled(*copy.deepcopy(arguments)), wanted)


def test_most_programs_with_loops_over_numbers_are_called_directly(runs):
    missed = []
    for function, arguments in PROGRAMS:
        runs.clear()
        xlapy.jit(function)(*copy.deepcopy(arguments))
        missed += [] if runs else [function.__name__]
    assert len(missed) <= len(PROGRAMS) // 8, missed


@pytest.mark.parametrize("dtype", "bool int8 int16 int32 int64 uint8 uint32 uint64 f4 f8 c8 c16".split())
def test_types_of_elements(dtype, runs):
    def reversed_and_last(x):
        out = x.copy()
        for i in range(len(x)):
            out[i] = x[-1 - i]
        return out, out[2]

    x = (RNG.random(9) * 9).astype(dtype)
    for got, wanted in zip(xlapy.jit(reversed_and_last)(x), reversed_and_last(x), strict=True):
        same(got, wanted)
    assert runs


@pytest.mark.parametrize("type_", [bool, int, float, complex])
def test_numbers_of_python(type_, runs):
    def powers(a, n):
        s = a
        for _ in range(n):
            s = s * a + a
        return s

    compiled = xlapy.jit(powers)
    for a in (type_(0), type_(1), type_(3)):
        same(compiled(a, 4), powers(a, 4))
    assert runs


@pytest.mark.parametrize("type_", [np.bool_, np.int8, np.uint16, np.int64, np.float32, np.float64, np.complex128])
def test_numbers_of_numpy(type_, runs):
    def sums(a, n):
        out = np.zeros(3, type(a))
        for i in range(n):
            out[i % 3] += a
        return out

    compiled = xlapy.jit(sums)
    for a in (type_(1), type_(3)):
        same(compiled(a, 5), sums(a, 5))
    assert runs


def test_arrays_that_lie_otherwise(runs):
    wide = RNG.random((80, 3))
    shifted = np.frombuffer(bytearray(b"\0" + VECTOR.tobytes()), np.float64, offset=1)
    read_only = VECTOR.copy()
    read_only.flags.writeable = False
    assert not shifted.flags.aligned
    compiled = xlapy.jit(alternating)
    for x in (VECTOR, wide[:40, 1], VECTOR[::-1], shifted, read_only, VECTOR, np.asfortranarray(wide)[::2, 0]):
        same(compiled(x), alternating(x))
    assert compiled.cache_info().misses == 1
    assert runs.count(False) == 4  # what does not lie in rows is copied first


def test_matrices_in_columns(runs):
    def trace(a):
        s = 0.0
        for i in range(len(a)):
            s += a[i, i] - a[i, -1]
        return s

    compiled = xlapy.jit(trace)
    for a in (MATRIX, np.asfortranarray(MATRIX), MATRIX[:, ::-1], np.ascontiguousarray(MATRIX)):
        same(compiled(a), trace(a))
    assert runs


def test_types_that_are_equal_and_not_the_same(runs):
    x = np.arange(12)
    others = [x.astype(np.longlong), x.astype(np.dtype("int64", metadata={"unit": "m"}))]
    compiled = xlapy.jit(alternating)
    for given in (x, *others, x):
        same(compiled(given), alternating(given))
    assert runs


def test_other_types_later(runs):
    compiled = xlapy.jit(added)
    x, y = np.arange(6.0), np.arange(6)
    f = x.astype(np.float32)
    for arguments in ((x, x), (x, f), (f, f), (x, x), (x[:4], x[:4]), (f, f), (y, y), (x, x), (x[:4], x[:4])):
        same(compiled(*arguments), added(*arguments))
    assert runs.count(True) == 9


def plus(x, y):
    return x + y


def test_arrays_of_jax_are_looked_into(runs):
    compiled = xlapy.jit(alternating)
    with jax.enable_x64(True):
        x = jnp.asarray(VECTOR)
        for given in (VECTOR, x, VECTOR, x, x[:7], jax.jit(lambda x: x * 2)(x), jax.device_put(x, jax.devices()[0])):
            same(compiled(given), alternating(np.asarray(given)))
        compiled = xlapy.jit(both)
        for one, other in ((x, x), (VECTOR, x), (x, VECTOR), (x, VECTOR.astype("float32"))):
            same(compiled(one, other), both(np.asarray(one), np.asarray(other)))
    assert runs.count(True) == 11


def both(x, y):
    found = np.zeros(len(x))
    for i in range(len(x)):
        found[i] = x[i] + y[-1 - i]
    return found


def test_results_are_operands(runs):
    compiled, x, wanted = xlapy.jit(both), VECTOR, VECTOR
    with jax.enable_x64(True):
        for _ in range(5):
            x, wanted = compiled(x, VECTOR), both(wanted, VECTOR)
    same(x, wanted)
    assert runs.count(True) == 5


def test_functions_of_jax_are_what_jax_makes_of_them(runs):
    with jax.enable_x64(True):
        x = jnp.asarray(VECTOR)
        for function in (lambda x: x / 49 + x, lambda x: jnp.sin(x) / 49, lambda x: jnp.exp(x).sum()):
            same(xlapy.jit(function)(x), jax.jit(function)(x))
    assert not runs


def test_arrays_of_jax_that_are_left_to_xla(runs):
    compiled = xlapy.jit(plus)
    with jax.enable_x64(True):
        weak, key = jnp.asarray(2.0) + 0 * 1.0, jnp.asarray(VECTOR)
        assert not jnp.asarray(VECTOR).weak_type and jnp.sqrt(2.0).weak_type
        found = compiled(jnp.sqrt(2.0), key)
        same(found, np.sqrt(2.0) + VECTOR)
        key.delete()
        with pytest.raises(RuntimeError, match="deleted"):
            compiled(weak, key)
    assert not runs


def row_means(x):
    return x - x.mean(axis=1, keepdims=True)


def network(x, w, v):
    return np.maximum(x @ w, 0) @ v


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def largest_and_where(x):
    return x.max(), x.argmax(), np.sort(x.ravel())[-3:], np.where(x > 0.5, x, -x).cumsum()


SMALL = {
    "sum": (plus, VECTOR, VECTOR),
    "row means": (row_means, MATRIX),
    "network": (network, RNG.random((8, 16)), RNG.random((16, 9)), RNG.random((9, 3))),
    "softmax": (softmax, VECTOR),
    "several": (largest_and_where, MATRIX),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_programs_without_loops(name, runs):
    function, *arguments = SMALL[name]
    wanted = function(*arguments)
    for found in (xlapy.jit(function)(*arguments), xlapy.jit(function, returns="numpy")(*arguments)):
        for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            assert one.dtype == other.dtype and one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=1e-14)
    assert runs == [True] * 2


SUMS = {
    "all": lambda x: x.sum(),
    "in steps": lambda x: x[::2].sum(),
    "variance": lambda x: x.var(),
    "rows": lambda x: x.reshape(4, -1).sum(axis=1),
    "columns": lambda x: x.reshape(200, -1).T.sum(axis=1),
    "two axes": lambda x: x.reshape(40, 50, -1).sum(axis=(0, 2)),
    "norm": lambda x: np.linalg.norm(x),
    "products": lambda x: x @ x,
    "weighted": lambda x: np.average(x, weights=x),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SUMS)
def test_long_sums_are_about_as_exact_as_those_of_numpy(name, dtype, runs):
    function, x = SUMS[name], RNG.random(100_000).astype(dtype)
    exact = function(x.astype(np.longdouble)) if name != "norm" else np.sqrt((x.astype(np.longdouble) ** 2).sum())
    theirs, ours = (np.abs(f(x) / exact - 1).max() for f in (function, xlapy.jit(function, returns="numpy")))
    assert ours <= max(4 * theirs, 10 * np.finfo(dtype).eps) and runs == [True]


def bent(x, y):
    return np.abs(x) + y


def test_what_xla_computes_faster_goes_to_xla_if_it_is_long(runs):
    x = RNG.random(1 << 21) * 1j
    np.testing.assert_allclose(xlapy.jit(bent)(x, x), bent(x, x), rtol=1e-14)
    assert not runs
    same(xlapy.jit(plus)(x, x), plus(x, x))
    np.testing.assert_allclose(xlapy.jit(bent)(VECTOR * 1j, VECTOR), bent(VECTOR * 1j, VECTOR), rtol=1e-14)
    assert runs == [True, True]


def test_foreign_arrays():
    compiled = xlapy.jit(alternating)
    swapped = VECTOR.astype(">f8")
    same(compiled(VECTOR), alternating(VECTOR))
    with pytest.raises(xlapy.NotOffloadableError):
        compiled(np.arange(3).astype("datetime64[s]"))
    try:
        same(compiled(swapped), alternating(swapped).astype("f8"))
    except xlapy.NotOffloadableError:
        pass
    same(compiled(VECTOR), alternating(VECTOR))


def test_subclasses_of_arrays(tmp_path, runs):
    x = np.memmap(tmp_path / "x", np.float64, "w+", shape=(40,))
    x[:] = VECTOR
    compiled = xlapy.jit(alternating)
    for given in (VECTOR, x, VECTOR):
        same(compiled(given), alternating(VECTOR))
    assert runs


def test_large_integers(runs):
    def doubled(n, x):
        for i in range(len(x)):
            x[i] += n % 7
        return x

    compiled = xlapy.jit(doubled)
    for n in (3, -(2**63), 2**63 - 1):
        same(compiled(n, np.zeros(3, int)), doubled(n, np.zeros(3, int)))
    before = np.zeros(3, int)
    try:
        got = compiled(2**63 + 5, before)
    except xlapy.NotOffloadableError:
        same(before, np.zeros(3, int))
    else:
        same(got, doubled(2**63 + 5, np.zeros(3, int)))
    same(compiled(5, np.zeros(3, int)), doubled(5, np.zeros(3, int)))


def test_arguments_are_changed_in_place_and_results_are_new(runs):
    def program(x, y):
        for i in range(1, len(x)):
            x[i] += x[i - 1] * y[i]
        return x[::-1], y

    x, y = VECTOR.copy(), VECTOR.copy()
    wanted = program(y, VECTOR)[0].copy()
    got, other = xlapy.jit(program, returns="numpy")(x, VECTOR)
    same(x, y)
    same(got, wanted)
    assert other is VECTOR and runs


def test_errors_come_before_changes(runs):
    def program(x, places):
        for i in range(len(places)):
            if x[places[i]] < 0:
                raise ValueError(f"number {i} is {x[places[i]]:.1f}")
            x[places[i]] -= 0.5

    x = np.ones(4)
    with pytest.raises(ValueError, match="number 4 is -0.5"):
        xlapy.jit(program)(x, np.array([0, 0, 0, 1, 0]))
    same(x, np.ones(4))
    with pytest.raises(IndexError):
        xlapy.jit(program)(x, np.array([1, 4]))
    same(x, np.ones(4))
    assert runs == [True] * 2


def test_globals_that_change(runs):
    namespace = {"scale": 2.0, "table": np.arange(4.0)}
    source = (
        "def f(x):\n    s = 0.0\n    for i in range(len(x)):\n        s = s * scale + x[i] * table[i % 4]\n    return s"
    )
    exec(source, namespace)
    function = namespace["f"]
    compiled = xlapy.jit(function)
    for scale, table in ((2.0, np.arange(4.0)), (0.5, np.arange(4.0)), (0.5, np.ones(4)), (3.0, np.ones((4,)) * 2)):
        namespace.update(scale=scale, table=table)
        same(compiled(VECTOR), function(VECTOR))
    assert runs


def test_results_of_jax_are_as_xla_makes_them(monkeypatch):
    def program(x, n, flag):
        s, k = 0.0, 0
        for i in range(n):
            s += x[i]
            k += 2
        return s, k, flag, x[0], n, x * 1, [s, k], 1j * n

    given = (VECTOR, 5, True)
    ours = xlapy.jit(program, returns="jax")(*given)
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *_: None)
    theirs = xlapy.jit(program, returns="jax")(*given)
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert jax.typeof(a) == jax.typeof(b) and jax.typeof(a).weak_type == jax.typeof(b).weak_type
        assert a.sharding == b.sharding and a.committed == b.committed
        same(a, b)


def test_while_jax_traces_something_else(runs):
    compiled, total = xlapy.jit(alternating), xlapy.jit(lambda x: [sum_of(x)])
    for traced in (lambda y: y + compiled(VECTOR), lambda y: y + total(VECTOR)[0]):
        with jax.enable_x64(True):
            np.testing.assert_allclose(jax.jit(traced)(1.0), traced(1.0), rtol=1e-12)
    assert runs


def sum_of(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def test_large_arrays_that_are_made_on_the_way(runs):
    def sieve(n):
        prime = np.ones(n, bool)
        prime[:2] = False
        count = 0
        for i in range(n):
            if prime[i]:
                count += 1
                j = i * i
                while j < n:
                    prime[j] = False
                    j += i
        return count

    def copied(x):
        y = x.copy()
        for i in range(1, len(y)):
            y[i] += y[i - 1]
        return y[-1]

    same(xlapy.jit(sieve, static_argnums=0)(100_000), sieve(100_000))
    large = RNG.random(50_000)
    kept = large.copy()
    np.testing.assert_allclose(xlapy.jit(copied)(large), copied(kept), rtol=1e-10)
    same(large, kept)
    assert runs.count(True) == 2


def test_another_thread_calls_with_other_types_meanwhile(monkeypatch):
    """Between the look at the types of operands and the run: what is run is for those."""

    @xlapy.jit
    def halves(x):
        for k in range(1, len(x)):
            x[k] += x[k - 1] / 2
        return x * 2

    kinds = {np.float32: np.arange(5, dtype=np.float32), np.float64: np.arange(6.0)}
    other = {np.float32: np.float64, np.float64: np.float32}
    expected = {kind: np.asarray(halves(x.copy())) for kind, x in kinds.items()}
    mine, inside = threading.current_thread(), []

    def meanwhile(answers):
        answers = list(answers)
        if threading.current_thread() is mine:
            inside.append(True)
            thread = threading.Thread(target=halves, args=(kinds[other[now]].copy(),))
            thread.start()
            thread.join()
        return any(answers)

    monkeypatch.setattr(native_calls, "any", meanwhile, raising=False)
    for now in (*kinds, *kinds):
        inside.clear()
        np.testing.assert_array_equal(halves(kinds[now].copy()), expected[now])
        assert inside


def test_threads_have_their_own_results(runs):
    def filled(n, x):
        out = np.zeros(2000)
        for i in range(len(out)):
            out[i] = n + x[i % 40]
        return out

    compiled = xlapy.jit(filled, returns="numpy")
    compiled(0, VECTOR)
    wrong = []

    def work(n):
        for _ in range(50):
            got = compiled(n, VECTOR)
            if not np.array_equal(got, filled_with(n)):
                wrong.append(n)

    def filled_with(n):
        return n + np.resize(VECTOR, 2000)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and runs


def test_functions_that_are_gone_leave_others_alone():
    for k in range(12):

        def scaled(x, factor=float(k)):
            s = 0.0
            for i in range(len(x)):
                s = s * 0.5 + x[i] * factor
            return s

        same(np.float64(xlapy.jit(scaled)(VECTOR)), np.float64(scaled(VECTOR)))


def test_programs_of_many_numbers(runs):
    def program(rows, factor):
        return [[x * factor - k for k, x in enumerate(row)] for row in rows], sum(rows[0]), max(map(max, rows))

    compiled = xlapy.jit(program, returns="numpy")
    rows = [[0.5 * i - j for j in range(9)] for i in range(8)]
    for factor in (2.0, -0.5):
        got, wanted = compiled(rows, factor), program(rows, factor)
        assert repr(got) == repr(wanted) and [type(x) for row in got[0] for x in row] == [float] * 72
    assert runs == [True] * 2


def test_lists_of_another_type_or_length_are_not_taken_for_the_same():
    def total(numbers):
        s = 0
        for k in range(len(numbers)):
            s = s * 2 + numbers[k]
        return s

    compiled = xlapy.jit(total, returns="numpy")
    floats = [0.25 * k for k in range(20)]
    others = [floats[:19], [*floats[:19], 3], list(range(20)), [True] * 20, [*floats[:10], np.float32(3), *floats[:9]]]
    for numbers in (floats, *others, tuple(floats), floats):
        got, wanted = compiled(numbers), total(numbers)
        assert got == wanted and isinstance(got, type(wanted)), numbers


def test_denormals_are_kept(runs):
    def halves(x, n):
        out = np.zeros(n)
        for i in range(n):
            out[i] = x
            x = x * 0.5
        return out

    same(xlapy.jit(halves)(1e-300, 100), halves(1e-300, 100))
    assert runs
    x = np.array([2.0**-1030, 2.0**-1074, 2.0])
    assert xlapy.jit(np.log2)(x).tolist() == [-1030.0, -1074.0, 1.0]
    np.testing.assert_allclose(xlapy.jit(np.log10)(x), np.log10(x))


def running(x):
    out = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        s = s + x[i]
        out[i] = s
    return out, s


@pytest.mark.parametrize("length", [3, 4095, 4096, 100_001])
def test_results_belong_to_the_caller_and_stay_what_they_are(runs, length):
    x = RNG.random(length)
    compiled = xlapy.jit(running, returns="jax")
    first = compiled(x)
    kept = np.array(first[0])
    x += 1.0
    second = compiled(x)
    assert runs == [True, True]
    for got in (first, second):
        assert all(isinstance(r, jax.Array) and not r.committed for r in got)
    np.testing.assert_array_equal(first[0], kept)
    same(second[0], running(x)[0])
    same(jax.jit(lambda a: a + a)(second[0]), second[0] + second[0])


def test_results_are_on_the_default_device():
    code = """
import jax, numpy as np, xlapy
jax.config.update("jax_num_cpu_devices", 3)
from tests.runtime.test_native_calls import running
x, compiled = np.arange(5.0), xlapy.jit(running, returns="jax")
for device in (jax.devices()[0], jax.devices()[2]):
    with jax.default_device(device):
        for result in compiled(x):
            assert result.devices() == {device} and not result.committed
for result, wanted in zip(compiled(x), running(x)):
    assert result.devices() == {jax.devices()[0]}
    np.testing.assert_array_equal(result, wanted)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in first_errors.table])
def test_first_errors(program):
    program.check()


def too_many_trips(x, k):
    total = 0.0
    for i in range(10**15):
        for j in range(3):
            if i % 2:
                total += x[k + i + j]
    return total


def test_a_loop_is_left_at_its_first_error(runs):
    with pytest.raises(IndexError) as ours:
        xlapy.jit(too_many_trips)(VECTOR, 3)
    assert str(ours.value) == "index 40 is out of bounds for axis 0 with size 40"
    assert runs == [True]


def stores_then_loads(x):
    total = 0.0
    for i in range(1, len(x) - 1):
        x[i] = x[i] * 0.5
        if i % 3:
            total += x[i + 1]
        total -= x[i - 1] * x[i + 1]
    return total


def test_no_array_is_copied_where_a_load_follows_a_store(monkeypatch):
    """The load is from a place that the store before it did not touch: there is one array."""
    made = []

    def watched(*args):
        made.append(function_of(*args))
        return made[-1]

    function_of = code_selection.function_of
    monkeypatch.setattr(code_selection, "function_of", watched)
    ours, theirs = VECTOR.copy(), VECTOR.copy()
    same(xlapy.jit(stores_then_loads)(ours), stores_then_loads(theirs))
    same(ours, theirs)
    assert made
    assert all("alloca" not in function.body and not function.rooms for function in made)


def test_what_is_left_to_xla_is_not_looked_at_in_each_call(monkeypatch, runs):
    looked = []
    original = native_calls._given
    monkeypatch.setattr(native_calls, "_given", lambda *args: looked.append(args) or original(*args))
    transform = xlapy.jit(lambda x: np.fft.fft(x).real, returns="numpy")
    for _ in range(4):
        np.testing.assert_allclose(transform(VECTOR), np.fft.fft(VECTOR).real, atol=1e-12)
    assert len(looked) == 1 and not runs
    large, small, compiled = RNG.random(1 << 21) * 1j, VECTOR * 1j, xlapy.jit(bent)
    for x in (large, small, large, small, small[:5], large, small[:5]):
        np.testing.assert_allclose(compiled(x, x), bent(x, x), rtol=1e-14)
    assert runs.count(True) == 4
