"""Programs over many dtypes and shapes, whose arrays lie beside guard pages (`xlapy.lowering.llvm.guard_pages`).

    XLAPY_GUARD=1 python -m tests.lowering.guarded [CALLS] [SEED]     a guard page behind each array; -1: before it

compiles each program for so many random pairs of a dtype and a shape, in the default mode, in a process of its own:
code that goes one byte too far ends that process, and the call is named. Exits with the number of such programs.
Results are compared with NumPy's as far as exact types go; rounding is the business of the semantic tests.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import xlapy

DTYPES = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(0,), (1,), (2,), (3,), (8,), (17,), (0, 3), (3, 0), (1, 1), (2, 3), (3, 3), (1, 5), (5, 1), (2, 2, 2)]
SHAPES += [(), (7, 33), (100,)]
#: a long row, for programs of one array and of two: what pairs all elements of two arrays stays small
LONG = {1: (5, 4000), 2: (5, 200)}


def write_parts(a, b):
    c = a.copy()
    c[1:] = 2
    c[:0] += 1
    c[::2] += b[::2]
    return c


def copy_elements(a, b):
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = b[i]
    return c


def count_pairs(a, b):
    count = 0
    for x in a:
        for _ in b:
            count += x is not None
    return count


ONE: list[Callable[[Any], Any]] = [
    lambda a: sorted(a),
    lambda a: np.sort(a),
    lambda a: np.argsort(a, kind="stable"),
    lambda a: np.cumsum(a),
    lambda a: a.sum(axis=0),
    lambda a: a.max(),
    lambda a: np.argmax(a),
    lambda a: np.unique(a),
    lambda a: a[::-1],
    lambda a: a[1:],
    lambda a: a[:0],
    lambda a: a[5:],
    lambda a: a[-2::-1],
    lambda a: a.T + a.T,
    lambda a: a[a > 0],
    lambda a: np.diff(a),
    lambda a: np.concatenate([a[:0], a]),
    lambda a: np.stack([a, a[::-1]]),
    lambda a: np.pad(a, 1),
    lambda a: np.roll(a, 1),
    lambda a: np.repeat(a, 2),
    lambda a: np.tile(a, 2),
    lambda a: np.array_split(a, 3),
    lambda a: list(reversed(a)),
    lambda a: np.median(a),
    lambda a: np.outer(a, a),
    lambda a: a @ a,
    lambda a: any(a),
    lambda a: np.tril(a),
    lambda a: np.exp(a),
    lambda a: np.insert(a, 0, 1),
    lambda a: np.convolve(a, a),
    lambda a: a[1:-1] + a[:-2],
    lambda a: np.rot90(a),
    lambda a: np.sort(a)[-2:],
    lambda a: np.linalg.solve(a, a),
    lambda a: np.linalg.eigvalsh(a),
]
TWO: list[Callable[[Any, Any], Any]] = [
    write_parts,
    copy_elements,
    count_pairs,
    lambda a, b: divmod(a, b),
    lambda a, b: b in a,
    lambda a, b: a == b,
    lambda a, b: a // b,
    lambda a, b: a**b,
    lambda a, b: a @ b,
    lambda a, b: np.searchsorted(np.sort(a), b),
    lambda a, b: np.isin(a, b),
    lambda a, b: np.union1d(a, b),
    lambda a, b: np.add.outer(a, b),
    lambda a, b: list(zip(a, b)),
    lambda a, b: np.append(a, b),
    lambda a, b: np.vstack([a, b]),
    lambda a, b: np.kron(a, b),
    lambda a, b: a[b > 0],
    lambda a, b: np.concatenate([a[:0], b]),
]


def array(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Small numbers of a dtype."""
    low = 0 if dtype[0] in "?u" else -3
    return np.asarray(np.random.default_rng(seed).integers(low, 4, shape)).astype(dtype)


def structure(value: Any) -> Any:
    """What a result is but for the values of its numbers."""
    if isinstance(value, tuple | list):
        return type(value), [structure(x) for x in value]
    return np.shape(value), getattr(value, "dtype", None)


def outcome(f: Callable, arguments: tuple) -> Any:
    """The structure of a result, or the type of an exception."""
    try:
        return structure(f(*arguments))
    except xlapy.NotOffloadableError:
        return "refused"
    except Exception as error:
        return type(error)


def dies(f: Callable, kinds: list[tuple]) -> str | None:
    """Calls a program in a process of its own; the call at which that ended, if it did."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        compiled = xlapy.jit(f, returns="numpy" if len(kinds[0]) == 1 else "jax")
        for kind in kinds:
            os.write(write, f"{kind}\n".encode())
            arguments = tuple(array(dtype, shape, k) for k, (dtype, shape) in enumerate(kind))
            expected, found = outcome(f, arguments), outcome(compiled, arguments)
            if len(kind) == 1 and found not in ("refused", expected):
                os.write(write, f"differs: {expected} {found}\n".encode())
                os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as calls:
        told = calls.read().splitlines()
    status = os.waitpid(child, 0)[1]
    return None if status == 0 else f"{' '.join(told[-2:])} (status {status})"


def main(calls: int = 10, seed: int = 0) -> int:
    """Runs all programs, and tells which of them end their process."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)

    def kind(count: int) -> tuple[str, tuple[int, ...]]:
        shapes = [*SHAPES, LONG[count]]
        return DTYPES[rng.integers(len(DTYPES))], shapes[rng.integers(len(shapes))]

    bad = 0
    for count, programs in ((1, ONE), (2, TWO)):
        for f in programs:
            kinds = [tuple(kind(count) for _ in range(count)) for _ in range(calls)]
            kinds += [(one[0], (one[1][0], one[0][1])) for one in kinds if count == 2]
            found = dies(f, kinds)
            if found is not None:
                bad += 1
                print(f"line {f.__code__.co_firstlineno}: {found}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
