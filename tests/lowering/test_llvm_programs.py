"""Loops that become machine code: what they compute, what they leave alone, and that they are machine code at all."""

import copy
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import code_selection, engine
from xlapy.lowering.llvm.programs import function_of
from xlapy.passes.native_loop_forms import plain
from xlapy.runtime import native_calls, transfers

pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="machine code is for CPUs")
RNG = np.random.default_rng(3)
VECTOR, MATRIX, WHOLE = RNG.random(40), RNG.random((12, 12)), RNG.integers(-9, 9, 60)


@pytest.fixture
def made(monkeypatch):
    """The names of the functions that become machine code and are called by XLA; see `runtime/test_native_calls.py`."""
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *args: None)
    names = []
    original = code_selection.registered
    monkeypatch.setattr(code_selection, "registered", lambda *args: names.append(original(*args)) or names[-1])
    return names


def swapped_elements(x):
    x = x.copy()
    for i in range(len(x) // 2):
        x[i], x[-1 - i] = x[-1 - i], x[i]
    return x


def swapped_rows(a):
    a = a.copy()
    for i in range(5):
        for j in range(3, 9):
            row = a[i].copy()
            a[i] = a[j]
            a[j] = row
    return a


def rows_by_a_list(a, n):
    a = a.copy()
    for i in range(n):
        a[[i, i + 1]] = a[[i + 1, i]]
    return a


def moved_within_itself(x):
    x = x.copy()
    for i in range(30):
        x[1:] = x[:-1] * 0.5 + x[1:]
    return x


def backwards_within_itself(x):
    x = x.copy()
    for i in range(30):
        x[:] = x[::-1] + i
    return x


def two_buffers(x):
    a, b = x.copy(), np.zeros_like(x)
    for _ in range(25):
        b[1:-1] = (a[:-2] + a[2:]) / 2
        a, b = b, a
    return a, b


def old_value_kept(x):
    old = x.copy()
    x = x.copy()
    for i in range(1, len(x)):
        x[i] += x[i - 1] * old[i]
    return x, old


def old_row_kept(a):
    a = a.copy()
    total = np.zeros(12)
    for i in range(1, 12):
        before = a[i].copy()
        a[i] -= a[i - 1]
        total += before * a[i]
    return a, total


def scratch_in_each_trip(a):
    out = np.zeros(12)
    base = np.arange(12.0)
    for i in range(40):
        scratch = base.copy()
        scratch[i % 12] = i
        scratch[(i * 5) % 12] += 2.5
        out += scratch
    return out, base


def changed_in_one_arm(x, level):
    x = x.copy()
    for i in range(1, len(x)):
        if x[i] > level:
            x[i] = x[i - 1]
        elif x[i] < 0.2:
            x[i - 1] = -x[i]
    return x


def rows_in_one_arm(a, level):
    a = a.copy()
    for i in range(1, 12):
        if a[i, 0] > level:
            a[i] = a[i - 1] * 2
        else:
            a[i, :6] = a[i, 6:]
    return a


def one_of_two_vectors(a, n):
    best = a[0].copy()
    for i in range(1, n):
        if a[i].sum() > best.sum():
            best = a[i] * 1.0
    return best


def new_vector_in_each_trip(a, n):
    v = np.ones(12)
    for _ in range(n):
        w = a @ v
        v = w / np.sqrt((w * w).sum())
    return v


def fibonacci_of_vectors(n):
    a, b = np.zeros(4), np.arange(4.0)
    for _ in range(n):
        a, b = b, a + b
    return a, b


def three_go_round(x, n):
    a, b, c = x[:5].copy(), x[5:10].copy(), x[10:15].copy()
    for _ in range(n):
        a, b, c = c, a, b * 0.5
    return a, b, c


def triangle(a):
    out = np.zeros((12, 12))
    for i in range(12):
        for j in range(i + 1):
            s = 0.0
            for k in range(j):
                s += a[i, k] * a[j, k]
            out[i, j] = a[i, j] - s
    return out


def slices_of_a_triangle(a):
    a = a.copy()
    for k in range(11):
        a[k + 1 :, k] /= a[k, k]
        for i in range(k + 1, 12):
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a


def while_with_two_ends(x, v):
    i, j = 0, len(x) - 1
    iterations = 0
    while i < j:
        iterations += 1
        if x[i] + x[j] > v:
            j -= 1
        else:
            i += 1
    return i, j, iterations


def condition_with_arrays(a):
    while True:
        grown = a.copy()
        grown[1:] = np.maximum(grown[1:], a[:-1])
        grown[:-1] = np.maximum(grown[:-1], a[1:])
        grown *= a > 0.3
        if (grown == a).all():
            break
        a = grown
    return a


def leaves_early(x, v):
    for i in range(len(x)):
        if x[i] == v:
            return i, x[i]
    return -1, 0


def skips_some(x):
    total = 0
    for i in range(len(x)):
        if x[i] % 3 == 0:
            continue
        if x[i] < -8:
            break
        total += x[i] // 2
    return total


def wraps(x):
    h = np.uint32(2166136261)
    for i in range(len(x)):
        h = (h ^ np.uint32(x[i] & 255)) * np.uint32(16777619)
    return h


def flags(x):
    seen = np.zeros(20, bool)
    twice = 0
    for i in range(len(x)):
        k = x[i] + 9
        if seen[k]:
            twice += 1
        seen[k] = True
    return seen, twice


def complex_orbit(n):
    z, c = 0j, -0.4 + 0.6j
    out = np.zeros(n, complex)
    for i in range(n):
        z = z * z + c
        out[i] = z
    return out


def single_precision(x):
    x = x.astype(np.float32)
    s = np.float32(0)
    for i in range(len(x)):
        s = s * np.float32(0.9) + x[i] / np.float32(3)
    return s


def gathered(a, x):
    out = np.zeros(12)
    s = 0
    for i in range(len(x)):
        rows = np.array([x[i] % 12, i % 12, -1])
        out[:3] += a[rows, 2] * out[rows]
        out += a[:, rows].sum(axis=1) - a[rows].max(axis=0)
        s += np.take(x, [i, 3, 5], mode="clip").sum() + np.take_along_axis(a, rows[:, None] % 3, 0)[1, 0]
    return out, s


def put_by_indices(x, a):
    a = a.copy()
    before = a
    counts = np.zeros(12, np.int32)
    for i in range(2, len(x)):
        rows = np.abs(x[i - 2 : i + 1]) % 12
        old = a.copy()
        a[rows, i % 12] = x[i] * old[rows, 3]
        a[:, rows] += 0.25
        np.add.at(counts, rows, 2)
        np.maximum.at(a[2], rows, old[rows, rows])
    return a, counts, before


def largest_places(a, x):
    a = a.copy()
    a[5, 7] = a[5, 9] = np.nan
    a[7, 2] = a[7, 8] = 3
    places = np.zeros(24, np.int64)
    for i in range(12):
        places[i] = a[i].argmax() + 100 * a[:, i].argmin()
        places[12:] += a.argmax(axis=0) * a.argmin(axis=1)
        places[i] += (a[i] > 0.5).argmax() + 1000 * x[i : i + 9].argmin()
    return places


def stretched(a, n):
    """Leaves of JAX multiply (12, 12) by (1, 12) as they are."""
    total = jnp.zeros((12, 12))
    for i in range(n):
        row = jax.lax.slice(a, (3, 0), (4, 12)) * 2.0
        total = jax.lax.add(jax.lax.mul(total, row), jax.lax.max(a, jax.lax.reshape(row, (12, 1))))
        total = jax.lax.select(jax.lax.lt(total, row + 1.0), total, jnp.broadcast_to(row, (12, 12)))
    return total


def columns(a, x):
    a, cube = a.copy(), a.reshape(2, 6, 3, 4).copy()
    a[4, 7] = np.nan
    c, narrow = a + 1j * a[::-1], x.reshape(10, 6).astype(np.int8)
    sums, extremes = np.zeros(12, complex), np.zeros((4, 12))
    some, bits = np.zeros((2, 12), bool), np.zeros(6, np.int8)
    blocks = np.zeros((3, 4))
    for i in range(1, 12):
        sums += c[:i].sum(axis=0) - c.prod(axis=0)
        extremes[0] += a.max(axis=0)
        extremes[1] = a[i - 1 :].min(axis=0) * i
        extremes[2] += np.nansum(a * i, axis=0) + a.argmax(axis=0)
        extremes[3] = (a - extremes[3]).mean(axis=0)
        some[0] = (a > 0.9).any(axis=0) | some[1]
        some[1] = (a > i / 20).all(axis=0)
        bits += narrow.sum(axis=0, dtype=np.int8) ^ narrow.max(axis=0)
        blocks += cube.sum(axis=(0, 1)) - cube[i % 2].max(axis=0)
    return sums, extremes, some, bits, blocks


def bits_in_common(x):
    found = jnp.uint8(0)
    for i in range(6):
        found = (found ^ jax.lax.reduce_and(x[i], (0,))) + jax.lax.reduce_and(x, (0,))[i]
    return found


def running(a, x):
    a, x = a.copy(), x.copy()
    total = np.zeros(12)
    for i in range(1, 12):
        total += np.cumsum(a[i]) + np.cumprod(a[i] * 2)
        a[i] = np.maximum.accumulate(a[i - 1] + a[i])
        a[:, i] = np.cumsum(a, axis=0)[:, i] / 7
        x[i:] = np.cumsum(x[i:]) % 1000 - np.minimum.accumulate(x[i:][::-1])
    return total, a, x


def no_trips(x, n):
    y = x.copy()
    for i in range(n):
        y[i] = y[i - 1] * 2
    return y, n


def argument_changed(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1]


def same_argument_twice(x, y):
    for i in range(1, len(x)):
        x[i] += y[i - 1]
    return x.sum()


def result_of_one_is_read_by_the_next(x):
    y, z = np.zeros(40), np.zeros(40)
    for i in range(1, 40):
        y[i] = y[i - 1] + x[i]
    for i in range(1, 40):
        z[i] = z[i - 1] * 0.5 + y[40 - i]
    return y, z


def in_rows(a, x):
    cube, small, flags = a.reshape(3, 1, 4, 12), a[:3, :3].copy(), np.zeros((12, 12), bool)
    sums, bits, turned = np.zeros((3, 1, 4, 12)), np.full((4, 5), -0.0), np.zeros((12, 12), complex)
    total = 0.0
    for i in range(1, 12):
        sums = sums * 0.5 + cube - i
        total += np.abs(sums).sum() + (small * i).max()
        small = small * a[i, :3] + small.T
        flags ^= a > a[i]
        kept = turned.copy()
        turned = kept * 1j + a - kept[i, ::-1]
        bits[i % 4] = bits[i % 4, ::-1] * 1.0
    return sums, total, small, flags, turned, np.signbit(bits), np.sort(x), np.zeros((2, 3), np.int8)


def terms_read_twice(a, x):
    """Some only for one array, element by element, and some for other things, too."""
    b = a.copy()
    for i in range(9):
        middle = 2.0 * a[1:-1, 1:-1]
        b[1:-1, 1:-1] = (a[2:, 1:-1] - middle + a[:-2, 1:-1]) + 0.1 * (a[1:-1, 2:] - middle + a[1:-1, :-2])
        half = b * 0.5
        a = half * half.sum(axis=0) / 9 + half
        row = np.sqrt(x + i)
        low = row - 1
        x[2:-2] = np.where(low > row * 0.7, low, row)[2:-2] * low[4:] + row[:-4]
        root = x * 0.25
        x = np.maximum(root, 1 - root) + x[::-1] * root
        if x[3] > 0.6:
            x = root + row
    return a, b, x


def rows_that_are_no_whole_vectors(a, b, w):
    wide, small, bits = np.zeros((9, 101)), np.ones((10, 19), np.float32), np.zeros((12, 37), np.int16)
    for i in range(5):
        b[1:-1, 1:-1] = a[1:-1, 1:-1] * i + a[1:-1, :-2]
        a[:, 1:] = a[:, :-1] + b[:, 1:] * 0.5
        a[1:, 2:] += b[:-1, :-2]
        wide[:, ::-1] = wide * 0.5 + w + i
        small[1:] = small[:-1] * small[1:] + np.float32(i)
        bits[::2] = bits[1::2] * 3 + i
        bits[:, 3:] -= bits[:, :-3]
    return wide, small, bits


PROGRAMS = [
    (rows_that_are_no_whole_vectors, (RNG.random((30, 23)), RNG.random((30, 23)), RNG.random(101))),
    (terms_read_twice, (MATRIX, VECTOR)),
    (in_rows, (MATRIX, WHOLE)),
    (swapped_elements, (VECTOR,)),
    (swapped_rows, (MATRIX,)),
    (moved_within_itself, (VECTOR,)),
    (backwards_within_itself, (VECTOR,)),
    (two_buffers, (VECTOR,)),
    (old_value_kept, (VECTOR,)),
    (old_row_kept, (MATRIX,)),
    (scratch_in_each_trip, (MATRIX,)),
    (changed_in_one_arm, (VECTOR, 0.7)),
    (rows_in_one_arm, (MATRIX, 0.5)),
    (one_of_two_vectors, (MATRIX, 12)),
    (new_vector_in_each_trip, (MATRIX, 9)),
    (fibonacci_of_vectors, (70,)),
    (three_go_round, (VECTOR, 11)),
    (triangle, (MATRIX,)),
    (slices_of_a_triangle, (MATRIX,)),
    (while_with_two_ends, (np.sort(WHOLE), 3)),
    (condition_with_arrays, (MATRIX,)),
    (leaves_early, (WHOLE, WHOLE[37])),
    (leaves_early, (WHOLE, 100)),
    (skips_some, (WHOLE,)),
    (wraps, (WHOLE,)),
    (flags, (WHOLE,)),
    (complex_orbit, (90,)),
    (single_precision, (VECTOR,)),
    (gathered, (MATRIX, WHOLE)),
    (put_by_indices, (WHOLE, MATRIX)),
    (largest_places, (MATRIX, WHOLE)),
    (columns, (MATRIX, WHOLE)),
    (bits_in_common, (jnp.asarray(200 + WHOLE.reshape(10, 6) % 56, jnp.uint8),)),
    (running, (MATRIX, WHOLE)),
    (stretched, (jnp.asarray(MATRIX, jnp.float32), 5)),
    (no_trips, (VECTOR, 0)),
    (argument_changed, (VECTOR,)),
    (result_of_one_is_read_by_the_next, (VECTOR,)),
]


def compare(got, wanted):
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-6 if other.dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("function, arguments", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs(function, arguments, made):
    first, second = copy.deepcopy(arguments), copy.deepcopy(arguments)
    wanted = function(*first)
    compiled = xlapy.jit(function)
    compare(compiled(*second), wanted)
    compare(second, first)
    assert made
    compare(compiled(*copy.deepcopy(arguments)), wanted)


def test_what_is_read_only_for_one_array_is_not_stored():
    def heat(a, b):
        for _ in range(7):
            middle = 2.0 * a[1:-1, 1:-1]
            b[1:-1, 1:-1] = (a[2:, 1:-1] - middle + a[:-2, 1:-1]) + (a[1:-1, 2:] - middle + a[1:-1, :-2])
            a[1:-1, 1:-1] += 0.1 * b[1:-1, 1:-1]
            b *= a.max()

    compiled = xlapy.jit(heat)
    compiled(MATRIX.copy(), MATRIX.copy())
    (entry,) = compiled._xlapy_cache.cache.entries
    body = function_of(plain(entry.analysis.module), True).body
    loop = body[: body.index("fmul double 0x3FB999999999999A")]
    assert loop.count("store double") == loop.count("fmul double 0x4000000000000000") > 0


def test_what_takes_few_instructions_is_computed_again_where_it_is_read():
    def edges(a):
        across = a[:, 2:] - a[:, :-2]
        return across[:-2] + 2.0 * across[1:-1] + across[2:]

    compiled = xlapy.jit(edges)
    compare(compiled(MATRIX), edges(MATRIX))
    (entry,) = compiled._xlapy_cache.cache.entries
    function = function_of(plain(entry.analysis.module), True)
    assert not function.rooms and "alloca" not in function.body
    assert function.body.count("store double") == function.body.count("fmul double 0x4000000000000000") > 0


@pytest.mark.parametrize("is_bit", [True, False])
def test_a_choice_by_a_bit_is_no_branch(is_bit):
    def register(x, tap, limit):
        for b in x:
            for _ in range(8):
                if ((limit ^ b) & 1) if is_bit else limit > 0:
                    limit = (limit >> 1) ^ tap
                else:
                    limit = limit >> 1
        return limit

    x, given = np.arange(60), (0xA001, 0xFFFF)
    compiled = xlapy.jit(register)
    assert int(compiled(x, *given)) == register(x, *given)
    (entry,) = compiled._xlapy_cache.cache.entries
    assert ("!unpredictable" in function_of(plain(entry.analysis.module)).body) == is_bit


def total_of_first(x, n):
    total = 0.0
    for k in range(n):
        total += x[k]
    return total


def doubled_neighbours(x, n):
    made = np.zeros(x.shape)
    for k in range(n):
        made[k] = 2.0 * x[k + 1]
    return made


@pytest.mark.parametrize(
    ("function", "args", "beyond"),
    [
        (total_of_first, (VECTOR, 40), (VECTOR, 41)),
        (doubled_neighbours, (VECTOR, 39), (VECTOR, 40)),
    ],
)
def test_a_loop_that_may_leave_an_array_makes_many_trips_at_a_time(monkeypatch, function, args, beyond):
    texts = []
    original = engine.optimised
    monkeypatch.setattr(engine, "optimised", lambda *a: texts.append(made := original(*a)) or made)
    compiled = xlapy.jit(function)
    compare(compiled(*args), function(*args))
    assert any(re.search("fadd reassoc <|fmul <", str(module)) for module in texts)
    with pytest.raises(IndexError) as wanted:
        function(*beyond)
    with pytest.raises(IndexError, match=re.escape(str(wanted.value))):
        compiled(*beyond)


def test_one_array_as_two_arguments(made):
    x, y = VECTOR.copy(), VECTOR.copy()
    wanted = same_argument_twice(x, x)
    compare(xlapy.jit(same_argument_twice)(y, y), wanted)
    compare(y, x)


@pytest.mark.parametrize("place", [-41, 40, 1000])
def test_errors_change_nothing(place, made):
    def program(x, places):
        for i in range(len(places)):
            x[places[i]] = x[i] + 1

    places = np.arange(40)
    places[17] = place
    x = VECTOR.copy()
    with pytest.raises(IndexError) as raised:
        program(VECTOR.copy(), places)
    with pytest.raises(IndexError) as ours:
        xlapy.jit(program)(x, places)
    assert str(ours.value) == str(raised.value) and made
    np.testing.assert_array_equal(x, VECTOR)


@pytest.mark.parametrize("before", [0, 1, 5])
def test_large_arrays_are_read_where_they_lie(before, made, monkeypatch):
    def program(a, x):
        for i in range(len(x)):
            x[i] = (x[i] - a[i, :i] @ x[:i]) / a[i, i]
        return x.max()

    memory = RNG.random(400 * 400 + 8)
    a = memory[before : before + 400 * 400].reshape(400, 400)
    a += 100 * np.eye(400)
    kept = memory.copy()
    x = RNG.random(400)
    y = x.copy()
    given = []
    original = transfers.memory_slice
    monkeypatch.setattr(transfers, "memory_slice", lambda array: given.append(array) or original(array))
    compare(xlapy.jit(program)(a, x), program(a, y))
    compare(x, y)
    np.testing.assert_array_equal(memory, kept)
    assert made and given


def test_large_arrays_are_not_lent_to_loops_of_xla(made, monkeypatch):
    def program(a, n):
        s = 0.0
        for i in range(n):
            s = s * 0.5 + np.linalg.svd(a[i : i + 2], compute_uv=False)[0]
        return s

    a, given = RNG.random((400, 400)), []
    original = transfers.memory_slice
    monkeypatch.setattr(transfers, "memory_slice", lambda array: given.append(array) or original(array))
    compare(xlapy.jit(program)(a, 399), program(a, 399))
    assert not made and not given


def test_large_arrays_are_looked_at_in_64_bits(made):
    def program(a, n):
        s = 1.0
        for i in range(1, n):
            s = s * 0.5 + a[i, :i].sum() + a[i, 0] ** 0.25 + (a[i, :i] * a[i - 1, :i]).sum() + a[i, i] ** 3
        return s

    assert not jax.config.jax_enable_x64
    a = RNG.random((400, 400))
    got, wanted = xlapy.jit(program, returns="numpy")(a, 400), program(a, 400)
    np.testing.assert_allclose(got, wanted, rtol=1e-13)
    assert made


def test_negative_places(made):
    def program(x, places):
        out = np.zeros(3)
        for i in range(len(places)):
            out[places[i] % 3] += x[places[i]]
        return out

    places = RNG.integers(-40, 40, 50)
    compare(xlapy.jit(program)(VECTOR, places), program(VECTOR, places))
    assert made


def test_transforms_see_a_loop_of_jax(made):
    def program(x):
        s = 0.0
        for i in range(len(x)):
            s = s * x[i] + x[i]
        return s

    with jax.enable_x64(True):
        gradient = jax.grad(xlapy.jit(program))(VECTOR)
        batch = jax.vmap(xlapy.jit(program))(np.stack([VECTOR, VECTOR * 2]))
        together = jax.jit(lambda x: xlapy.jit(program)(x) * 2)(VECTOR)
    step = 1e-6
    numeric = [(program(VECTOR + step * e) - program(VECTOR - step * e)) / (2 * step) for e in np.eye(40)]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(batch, [program(VECTOR), program(VECTOR * 2)])
    np.testing.assert_allclose(together, 2 * program(VECTOR))
    assert not made
    compare(xlapy.jit(program)(VECTOR), program(VECTOR))
    assert made


def test_what_is_shown_and_saved_is_a_program_of_xla(tmp_path, made):
    compiled = xlapy.jit(triangle)
    assert "xlapy_" not in xlapy.code_xla(triangle, MATRIX)
    assert "custom_call" not in xlapy.code_xla(triangle, MATRIX)
    compare(compiled(MATRIX), triangle(MATRIX))
    assert made


def test_sorted_negative_numbers_among_sums():
    """LLVM 22 joined instructions of two numbers here that it must not join; called by XLA or not."""

    def program(x):
        y = np.zeros((6, 6))
        for k in range(6):
            y[k, k:] = np.cumsum(x[k:])
            y[k, :k] = np.sort(x[:k])[::-1]
        return y

    for x in (-np.arange(6.0), np.arange(6.0) - 3, RNG.normal(size=6)):
        compare(xlapy.jit(program)(x), program(x))
