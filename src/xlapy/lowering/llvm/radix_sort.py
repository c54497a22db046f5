"""Integers put in order digit by digit, as a function that XLA calls: for 100,000 numbers of 64 bits that takes a fifth
of the time that XLA's comparisons take.

The least significant digit comes first, and each round keeps the order of the one before (D. Knuth, *The Art of
Computer Programming*, volume 3, 5.2.5). A digit is a byte. All digits are counted in one sweep; a round in which all
numbers have the same digit is left out, so that small numbers take few rounds.
"""

from __future__ import annotations

from math import prod

import jax
import numpy as np
from jax import lax

from xlapy.lowering.llvm.engine import applied
from xlapy.lowering.thresholds import ROW_BY_DIGITS_CALLED

_DIGITS = 256


def suits(dtype: np.dtype, shape: tuple[int, ...], axis: int) -> bool:
    """Whether it is for numbers of that type, along that axis."""
    whole = isinstance(dtype, np.dtype) and dtype.kind in "iu"
    return whole and ROW_BY_DIGITS_CALLED <= shape[axis] < 1 << 31 and prod(shape) > 0


def ordered(x: jax.Array, axis: int) -> jax.Array:
    """`jnp.sort(x, axis)` of integers, on a CPU."""
    if x.dtype.itemsize < 4:
        return ordered(x.astype(np.int32), axis).astype(x.dtype)
    if axis != x.ndim - 1:
        return lax.transpose(ordered(lax.transpose(x, _moved(x.ndim, axis)), x.ndim - 1), _moved(x.ndim, axis))
    count = x.shape[-1]
    results = [(x.shape, x.dtype), *memories(count, x.dtype, False)]
    return applied(definition(prod(x.shape[:-1]), count, x.dtype, False), results, x)


def places(x: jax.Array, axis: int) -> jax.Array:
    """`jnp.argsort(x, axis)` of integers, stable, as int64, on a CPU."""
    if axis != x.ndim - 1:
        return lax.transpose(places(lax.transpose(x, _moved(x.ndim, axis)), x.ndim - 1), _moved(x.ndim, axis))
    if x.dtype.itemsize < 4:
        x = x.astype(np.int32)
    count = x.shape[-1]
    results = [(x.shape, np.int64), *memories(count, x.dtype, True)]
    return applied(definition(prod(x.shape[:-1]), count, x.dtype, True), results, x)


def _moved(rank: int, axis: int) -> list[int]:
    """The axes, with one and the last in each other's place."""
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return order


def memories(count: int, dtype: np.dtype, with_places: bool) -> list[tuple[tuple[int], np.dtype]]:
    """The shapes and types of the memory that the function needs, for rows of so many integers of 4 bytes or more."""
    row, counts = ((count,), dtype), ((dtype.itemsize * _DIGITS,), np.dtype(np.uint32))
    if not with_places:
        return [row, counts]
    return [row, row, counts, *[((count,), np.dtype(np.uint32))] * 2]


def definition(rows: int, count: int, dtype: np.dtype, with_places: bool, name: str = "main") -> str:
    """The function: of the numbers, where the result goes, rows of memory, and the counts of all digits.

    The result is the numbers in order; or their places, which are moved along with them from one row to another.
    """
    rounds, bits, key = dtype.itemsize, 8 * dtype.itemsize, f"i{8 * dtype.itemsize}"
    turned = -(1 << bits - 1) if dtype.kind == "i" else 0
    names = ["x", "out", *(["keys"] if with_places else []), "room", "counts", *(["p", "q"] if with_places else [])]
    lines = [
        *(["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"] if name == "main" else []),
        f"define internal void @{name}({', '.join(f'ptr noalias %{name}' for name in names)}) {{",
        "entry:",
        "  br label %row",
        "row:",
        "  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]",
        f"  %first = mul i64 %r, {count}",
        f"  %from = getelementptr {key}, ptr %x, i64 %first",
        f"  %result = getelementptr {'i64' if with_places else key}, ptr %out, i64 %first",
        f"  %to = getelementptr i8, ptr {'%keys' if with_places else '%result'}, i64 0",
        f"  call void @llvm.memset.p0.i64(ptr %counts, i8 0, i64 {4 * rounds * _DIGITS}, i1 false)",
        "  br label %look",
        "look:",
        "  %i = phi i64 [ 0, %row ], [ %i.next, %look ]",
        f"  %x.p = getelementptr {key}, ptr %from, i64 %i",
        f"  %x.k = load {key}, ptr %x.p",
        f"  %k = xor {key} %x.k, {turned}",
        f"  %to.p = getelementptr {key}, ptr %to, i64 %i",
        f"  store {key} %k, ptr %to.p",
    ]
    if with_places:
        lines += ["  %i.n = trunc i64 %i to i32", "  %p.p = getelementptr i32, ptr %p, i64 %i"]
        lines += ["  store i32 %i.n, ptr %p.p"]
    for d in range(rounds):
        lines += [*_digit(f"l{d}", "%k", d, bits), *_counted(f"l{d}", d)]
        lines += [f"  %l{d}.n = load i32, ptr %l{d}.p", f"  %l{d}.m = add i32 %l{d}.n, 1"]
        lines += [f"  store i32 %l{d}.m, ptr %l{d}.p"]
    lines += [
        "  %i.next = add nuw i64 %i, 1",
        f"  %i.more = icmp ult i64 %i.next, {count}",
        "  br i1 %i.more, label %look, label %round0",
    ]
    for d in range(rounds):
        here, there = ("%to", "%room") if d == 0 else (f"%here{d - 1}", f"%there{d - 1}")
        p, q = ("%p", "%q") if d == 0 else (f"%p{d - 1}", f"%q{d - 1}")
        lines += [
            f"round{d}:",
            f"  %k{d} = load {key}, ptr {here}",
            *_digit(f"f{d}", f"%k{d}", d, bits),
            *_counted(f"f{d}", d),
            f"  %f{d}.n = load i32, ptr %f{d}.p",
            f"  %f{d}.all = icmp eq i32 %f{d}.n, {count}",
            f"  br i1 %f{d}.all, label %done{d}, label %sum{d}",
            f"sum{d}:",
            f"  %s{d} = phi i64 [ 0, %round{d} ], [ %s{d}.next, %sum{d} ]",
            f"  %t{d} = phi i32 [ 0, %round{d} ], [ %t{d}.next, %sum{d} ]",
            f"  %s{d}.at = add i64 %s{d}, {d * _DIGITS}",
            f"  %s{d}.p = getelementptr i32, ptr %counts, i64 %s{d}.at",
            f"  %s{d}.n = load i32, ptr %s{d}.p",
            f"  store i32 %t{d}, ptr %s{d}.p",
            f"  %t{d}.next = add i32 %t{d}, %s{d}.n",
            f"  %s{d}.next = add nuw i64 %s{d}, 1",
            f"  %s{d}.more = icmp ult i64 %s{d}.next, {_DIGITS}",
            f"  br i1 %s{d}.more, label %sum{d}, label %move{d}",
            f"move{d}:",
            f"  %m{d} = phi i64 [ 0, %sum{d} ], [ %m{d}.next, %move{d} ]",
            f"  %m{d}.p = getelementptr {key}, ptr {here}, i64 %m{d}",
            f"  %m{d}.k = load {key}, ptr %m{d}.p",
            *_digit(f"g{d}", f"%m{d}.k", d, bits),
            *_counted(f"g{d}", d),
            f"  %g{d}.n = load i32, ptr %g{d}.p",
            f"  %g{d}.m = add i32 %g{d}.n, 1",
            f"  store i32 %g{d}.m, ptr %g{d}.p",
            f"  %g{d}.w = zext i32 %g{d}.n to i64",
            f"  %g{d}.to = getelementptr {key}, ptr {there}, i64 %g{d}.w",
            f"  store {key} %m{d}.k, ptr %g{d}.to",
            *(_moved_along(d, p, q) if with_places else []),
            f"  %m{d}.next = add nuw i64 %m{d}, 1",
            f"  %m{d}.more = icmp ult i64 %m{d}.next, {count}",
            f"  br i1 %m{d}.more, label %move{d}, label %done{d}",
            f"done{d}:",
            f"  %here{d} = phi ptr [ {here}, %round{d} ], [ {there}, %move{d} ]",
            f"  %there{d} = phi ptr [ {there}, %round{d} ], [ {here}, %move{d} ]",
            *([f"  %p{d} = phi ptr [ {p}, %round{d} ], [ {q}, %move{d} ]"] if with_places else []),
            *([f"  %q{d} = phi ptr [ {q}, %round{d} ], [ {p}, %move{d} ]"] if with_places else []),
            f"  br label %{'back' if d == rounds - 1 else f'round{d + 1}'}",
        ]
    last, found = (f"%p{rounds - 1}", "i32") if with_places else (f"%here{rounds - 1}", key)
    lines += [
        "back:",
        f"  %j = phi i64 [ 0, %done{rounds - 1} ], [ %j.next, %back ]",
        f"  %j.p = getelementptr {found}, ptr {last}, i64 %j",
        f"  %j.k = load {found}, ptr %j.p",
        "  %j.x = zext i32 %j.k to i64" if with_places else f"  %j.x = xor {key} %j.k, {turned}",
        f"  %j.to = getelementptr {'i64' if with_places else key}, ptr %result, i64 %j",
        f"  store {'i64' if with_places else key} %j.x, ptr %j.to",
        "  %j.next = add nuw i64 %j, 1",
        f"  %j.more = icmp ult i64 %j.next, {count}",
        "  br i1 %j.more, label %back, label %row.end",
        "row.end:",
        "  %r.next = add nuw i64 %r, 1",
        f"  %r.more = icmp ult i64 %r.next, {rows}",
        "  br i1 %r.more, label %row, label %end",
        "end:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def _moved_along(d: int, p: str, q: str) -> list[str]:
    """The place of a number goes where the number goes."""
    return [
        f"  %w{d}.p = getelementptr i32, ptr {p}, i64 %m{d}",
        f"  %w{d} = load i32, ptr %w{d}.p",
        f"  %w{d}.to = getelementptr i32, ptr {q}, i64 %g{d}.w",
        f"  store i32 %w{d}, ptr %w{d}.to",
    ]


def _digit(name: str, key: str, d: int, bits: int) -> list[str]:
    """`%name.d`: a digit of a key."""
    wide = f"i{bits}"
    lines = [f"  %{name}.s = lshr {wide} {key}, {8 * d}", f"  %{name}.b = and {wide} %{name}.s, {_DIGITS - 1}"]
    widened = f"zext i32 %{name}.b to i64" if bits < 64 else f"add i64 %{name}.b, 0"
    return [*lines, f"  %{name}.d = {widened}"]


def _counted(name: str, d: int) -> list[str]:
    """`%name.p`: where the count of that digit is."""
    return [
        f"  %{name}.at = add i64 %{name}.d, {d * _DIGITS}",
        f"  %{name}.p = getelementptr i32, ptr %counts, i64 %{name}.at",
    ]


__all__ = ["definition", "memories", "ordered", "places", "suits"]
