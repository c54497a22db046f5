"""Loops as kernels of GPUs: run here thread after thread and compared with CPython, and compiled where JAX's compiler
for CUDA is installed."""

import importlib

import numpy as np
import pytest

import xlapy
from benchmarks.agreement import disagreement
from benchmarks.hlo import count_launches
from benchmarks.kernels.all import KERNELS
from tests.lowering.on_gpu import lowered_for_gpus
from tests.semantics.runner import Programs
from xlapy.lowering.llvm.text import Unsuitable
from xlapy.lowering.nvptx import ptx
from xlapy.runtime.targets import absent_targets, has_cuda_compiler

# Loops over points, loops with a carried state, searches; and the most kernels that each may start.
SEQUENTIAL = {
    "cholesky": 3,
    "edit_distance": 10,
    "common_subsequence": 10,
    "gauss_seidel_by_points": 10,
    "histogram_by_points": 10,
    "insertion_sort": 10,
    "lu_by_points": 10,
    "merge_sorted": 10,
    "metropolis": 10,
    "most_frequent": 17,
    "quicksort": 100,
    "queens": 100,
    "biquad": 10,
    "floyd_warshall": 10,
    "viterbi": 10,
    "gmres": 100,
}
INDEPENDENT = ["product_by_points", "local_contrast", "covariance_by_columns"]
# Programs of the semantic tests with loops of all kinds.
MODULES = ["test_loops", "test_loops_that_raise", "test_independent_trips", "test_kernels_discrete", "test_best_so_far"]
# Programs whose loops compute arrays.
WITH_ARRAYS = ["test_kernels_grids", "test_masks"]
# XLA takes numbers below 1e-308 for zero on CPUs, where these programs run here.
SMALLEST = {"floats_as_keys", "floats_among_integers"}


def programs(modules):
    for name in modules:
        for table in vars(importlib.import_module(f"tests.semantics.{name}")).values():
            if isinstance(table, Programs):
                for program in table.table:
                    if program.name not in SMALLEST:
                        yield pytest.param(program, id=f"{name}-{program.name}")


@pytest.mark.parametrize("program", list(programs(MODULES)))
def test_programs(program):
    with lowered_for_gpus():
        program.check()


@pytest.mark.parametrize("program", list(programs(WITH_ARRAYS)))
def test_threads_of_a_block(program):
    with lowered_for_gpus(lanes=4):
        program.check()


@pytest.mark.parametrize("name", [*SEQUENTIAL, *INDEPENDENT])
def test_kernels(name):
    spec = KERNELS[name]
    expected_arguments, arguments = spec.made(), spec.made()
    expected = spec.answer(spec.function(*expected_arguments), expected_arguments)
    with lowered_for_gpus(lanes=3) as kernels:
        answer = spec.answer(xlapy.jit(spec.function)(*arguments), arguments)
    assert kernels
    assert disagreement(expected, answer, spec.rtol, spec.atol) is None


def rows_apart(x):
    """Each row by itself: a thread for each."""
    out = np.zeros_like(x)
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
            out[i, j] = total
    return out


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (2, 0), (2, 1), (63, 5), (64, 5), (65, 5), (20_000, 2)])
def test_each_iteration_has_a_thread(shape):
    x = np.random.default_rng(0).normal(size=shape)
    with lowered_for_gpus() as kernels:
        got = xlapy.jit(rows_apart, returns="numpy")(x)
    if shape[0] > 1 and shape[1] > 1:
        assert kernels[0].attributes["kernel"].threads == min(shape[0], 1 << 14)
    np.testing.assert_array_equal(got, rows_apart(x))


threads = Programs()
ROWS = np.random.default_rng(1).integers(1, 9, (70, 5))
TABLE = np.arange(9.0)
BAD, ZERO = ROWS.copy(), ROWS.copy()
BAD[[31, 40, 64, 65], 2] = 9, 0, -10, 12
ZERO[[29, 31], 2] = 0, 9


@threads(*[(ROWS[:n].astype(float), 1.5) for n in (70, 2, 1, 0)], rtol=1e-12)
def sums_of_rows(x, total):
    count, most = np.int64(3), x.shape[1]
    for i in range(len(x)):
        k, row = 0, 0.0
        while k < most and row < 15.0:
            row += x[i, k]
            k += 1
        total += row
        count -= np.int64(k)
    return total, count


@threads(*[(ROWS[:n], TABLE) for n in (70, 2, 1, 0)], (BAD, TABLE), raises=IndexError)
def index_errors(x, table):
    out, total = np.zeros(len(x)), 0.0
    for i in range(len(x)):
        k, row = 0, 0.0
        while k < x.shape[1] and row < 15.0:
            row += table[x[i, k]]
            k += 1
        out[i] = row
        total += row
    return out, total


@threads((ROWS, TABLE), (BAD, TABLE), (ZERO, TABLE), (BAD[40:], TABLE), raises=(IndexError, ZeroDivisionError))
def two_kinds_of_errors(x, table):
    out = np.zeros(x.shape)
    for i in range(len(x)):
        for k in range(x.shape[1]):
            out[i, k] = table[x[i, k]] + 10 // int(x[i, k])
    return out


@threads((ROWS, TABLE), (BAD, TABLE))
def errors_that_are_caught(x, table):
    out, found = np.zeros(len(x)), 0.0
    try:
        for i in range(len(x)):
            row = 0.0
            for k in range(x.shape[1]):
                row += table[x[i, k]]
            out[i] = row
    except IndexError:
        found = out.sum()
    return out, found


# How many threads some kernels of a program have; 70 in others.
THREADS = {
    "errors_that_are_caught": set(),
    "two_kinds_of_errors": {350},
    "loops_in_loops": {70},
    "neighbours_in_loops": {70},
}
CUBE = np.random.default_rng(5).integers(0, 9, (5, 7, 2))
WRONG = CUBE.copy()
WRONG[[3, 3, 4], [1, 2, 0], [1, 0, 0]] = 9, 11, 12


@threads((CUBE, TABLE), (CUBE[:2], TABLE), (CUBE[:1], TABLE), (CUBE[:0], TABLE), (WRONG, TABLE), raises=IndexError)
def loops_in_loops(x, table):
    out, total = np.zeros(x.shape), np.float64(0.0)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                out[i, j, k] = table[x[i, j, k]] * (i - j) + k
                total += out[i, j, k]
    return out, total


@threads(*[CUBE[:n, :m] for n, m in ((5, 7), (2, 2), (2, 1), (1, 7), (0, 7), (5, 0))])
def neighbours_in_loops(x):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        low, high = max(0, i - 2), min(x.shape[0], i + 2)
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                most = np.int64(0)
                for l in range(low, high):
                    most = max(most, x[l, j, k] + l)
                out[i, j, 1 - k] = most - i
    return out


@pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in threads.table])
def test_threads_of_a_grid(program):
    with lowered_for_gpus() as kernels:
        program.check()
    made = [loop.attributes["kernel"] for loop in kernels]
    assert {kernel.threads for kernel in made if kernel.is_grid} >= THREADS.get(program.name, {70})


def one_of_many(x, table, most):
    """A loop of one thread, one of a block, and a sum; what is written, and a check."""
    k, total, out = 0, 0.0, np.zeros(len(x))
    while k < len(x) and total < most:
        total += table[x[k]]
        k += 1
    for i in range(1, len(x)):
        out[i] = 0.5 * out[i - 1] + x[i]
    for _ in range(3):
        out[1:-1] += 0.25 * (out[:-2] - out[2:])
    return out, total, k


@pytest.mark.parametrize("many", [1, 2, 70])
def test_many_instances_are_one_kernel(many):
    x, most = np.random.default_rng(many).integers(0, 9, (many, 16)), np.linspace(0.0, 40.0, many)
    expected = [one_of_many(row, TABLE, limit) for row, limit in zip(x, most, strict=True)]
    function = xlapy.vmap(one_of_many, in_axes=(0, None, 0))
    with lowered_for_gpus(lanes=3) as kernels:
        for found, *rows in zip(function(x, TABLE, most), *expected, strict=True):
            np.testing.assert_allclose(found, rows, rtol=1e-12)
        x[many // 2 :, 0], x[-1, 0], most[:] = 9, 10, 50.0
        with pytest.raises(IndexError, match=f"index {x[many // 2, 0]} is out of bounds for axis 0 with size 9"):
            function(x, TABLE, most)
    assert len(kernels) >= 2


def test_instances_of_instances():
    x, table = np.random.default_rng(3).integers(0, 9, (3, 16)), np.arange(18.0).reshape(2, 9)
    of_rows = xlapy.vmap(one_of_many, in_axes=(0, None, None))
    with lowered_for_gpus() as kernels:
        out, total, k = xlapy.vmap(of_rows, in_axes=(None, 0, None))(x, table, 60.0)
    assert kernels
    for i, one in enumerate(table):
        for j, row in enumerate(x):
            for got, expected in zip((out, total, k), one_of_many(row, one, 60.0), strict=True):
                np.testing.assert_allclose(got[i, j], expected, rtol=1e-12)


def test_the_switch(monkeypatch):
    monkeypatch.setenv("XLAPY_GPU_KERNELS", "0")
    x = np.arange(6.0).reshape(2, 3)
    with lowered_for_gpus() as kernels:
        np.testing.assert_array_equal(xlapy.jit(rows_apart, returns="numpy")(x), rows_apart(x))
    assert not kernels


def decays(x, n):
    weights = np.linspace(0.0, 1.0, 70)
    for _ in range(n):
        x = np.fft.fft(x * weights).real + weights
    return x


@pytest.mark.parametrize("n", [-2, 0, 1, 2, 5])
def test_loops_that_are_left_to_xla(monkeypatch, n):
    monkeypatch.setenv("XLAPY_GPU_KERNELS", "0")
    x = np.arange(70.0)
    with lowered_for_gpus() as kernels:
        np.testing.assert_allclose(xlapy.jit(decays, returns="numpy")(x, n), decays(x, n), rtol=1e-12)
    assert not kernels


def test_functions_that_a_gpu_does_not_have():
    text = "declare double @nobody_knows(double)\ndefine ptx_kernel void @kernel(ptr %x) {\n  ret void\n}"
    with pytest.raises(Unsuitable, match="nobody_knows"):
        ptx.compiled(text)


def test_the_code_of_a_kernel():
    code = ptx.compiled("define ptx_kernel void @kernel(ptr %x) {\n  store i64 1, ptr %x\n  ret void\n}")
    assert ".entry kernel(" in code and ".target sm_70" in code


def test_unknown_targets():
    lowered = xlapy.jit(rows_apart).lower(np.ones((2, 2)))
    for target in ("gpu:h1000", "cuda:none"):
        with pytest.raises(ValueError, match="there are a100, l4, h100, h200, b200"):
            lowered.compile(target)
    with pytest.raises(ValueError, match="'gpu:h100'.*'tpu:v5e:2x2'"):
        lowered.compile("npu")


@pytest.mark.skipif(has_cuda_compiler(), reason="JAX's compiler for CUDA is installed")
def test_without_the_compiler():
    with pytest.raises(ValueError, match=r"xlapy\[cuda\]"):
        xlapy.jit(rows_apart).lower(np.ones((2, 2))).compile("gpu:h100")


@pytest.mark.skipif(not has_cuda_compiler(), reason="JAX's compiler for CUDA is not installed")
@pytest.mark.parametrize("target", [target for target in absent_targets() if target.startswith("gpu")])
def test_all_gpus_that_are_not_here(target):
    compiled = xlapy.jit(rows_apart).lower(np.ones((30, 40))).compile(target)
    assert count_launches(compiled.as_text()).kernels <= 3
    with pytest.raises(Exception):  # noqa: B017
        compiled(np.ones((30, 40)))


@pytest.mark.skipif(not has_cuda_compiler(), reason="JAX's compiler for CUDA is not installed")
@pytest.mark.parametrize(("name", "each"), [("burgers", 8), ("game_of_life", 4), ("gravity", 5)])
def test_launches_of_an_iteration(name, each):
    spec = KERNELS[name]
    compiled = xlapy.jit(spec.function).lower(*spec.made()).compile("gpu:h100")
    assert count_launches(compiled.as_text()).kernels <= each * 1000 + 5


@pytest.mark.skipif(not has_cuda_compiler(), reason="JAX's compiler for CUDA is not installed")
def test_launches_of_many_instances():
    rows = np.zeros((1000, 20), np.int64)
    mapped = xlapy.vmap(KERNELS["edit_distance"].function)
    compiled = mapped.lower(rows, rows).compile("gpu:h100")
    assert count_launches(compiled.as_text()).kernels <= 5


@pytest.mark.skipif(not has_cuda_compiler(), reason="JAX's compiler for CUDA is not installed")
@pytest.mark.parametrize("name", SEQUENTIAL)
def test_launches(name):
    spec = KERNELS[name]
    compiled = xlapy.jit(spec.function).lower(*spec.made()).compile("gpu:h100")
    assert count_launches(compiled.as_text()).kernels <= SEQUENTIAL[name]


HLO = """HloModule m, is_scheduled=true

%body (p: (s64[], f32[4])) -> (s64[], f32[4]) {
  %p = (s64[], f32[4]{0}) parameter(0)
  %g = f32[4]{0} get-tuple-element(%p), index=1
  %f = f32[4]{0} fusion(%g), kind=kLoop, calls=%fused
  ROOT %t = (s64[], f32[4]{0}) tuple(%g, %f)
}

%cond (q: (s64[], f32[4])) -> pred[] {
  %q = (s64[], f32[4]{0}) parameter(0)
  ROOT %c = pred[] fusion(%q), kind=kLoop, calls=%compared
}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %copy.1 = f32[4]{0} copy(%x)
  %w = (s64[], f32[4]{0}) while(%copy.1), condition=%cond, body=%body, backend_config={TRIPS}
  ROOT %r = f32[4]{0} get-tuple-element(%w), index=1
}
"""


@pytest.mark.parametrize(
    ("trips", "kernels", "steps"), [('"known_trip_count":{"n":"7"}', 1 + 2 * 7 + 1, 7), ("", 1 + 2 * 1000 + 1, 1000)]
)
def test_counting_launches(trips, kernels, steps):
    counted = count_launches(HLO.replace("{TRIPS}", "{" + trips + "}"))
    assert (counted.kernels, counted.steps) == (kernels, steps)
    with pytest.raises(ValueError, match="ENTRY"):
        count_launches("")
