"""Products of matrices in parts, which a pool of threads computes (`thread_pool`) by a library that uses one thread for
each.

OpenBLAS has threads of its own, which wait for each other: each computes one part of a product, and all are done when
the last one is. Where another process, or another library's threads, have a processor, that takes as long as the system
lets them (measured with two processors of which others took part: ten times as long as one thread alone). A pool makes
what nobody else has begun, and its threads do not wait on a processor for the next product.

While a product is computed here, the library uses one thread, for all that call it; then as many as before. Who has
told it to use one gets one.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from xlapy.lowering.llvm.engine import compiled
from xlapy.lowering.llvm.text import type_in_memory
from xlapy.lowering.llvm.thread_pool import thread_pool
from xlapy.lowering.thresholds import (
    PRODUCT_ALONE,
    PRODUCT_SHARED,
    PRODUCT_WITH_VECTOR_ALONE,
    PRODUCT_WITH_VECTOR_SHARED,
)

#: rows and columns of a part are a multiple of this
_UNIT = 16

#: how many are at a product, whether that is being changed, and how many threads the library had before the first
_LIMITS = """
@users = internal global i64 0, align 64
@lock = internal global i64 0
@allowed = internal global i64 1
declare i32 @sched_yield()

define internal void @close() {
entry:
  br label %try
try:
  %old = cmpxchg ptr @lock, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {i64, i1} %old, 1
  br i1 %mine, label %done, label %wait
wait:
  %yielded = call i32 @sched_yield()
  br label %try
done:
  ret void
}

define i64 @enter() {
entry:
  call void @close()
  %users = load i64, ptr @users
  %first = icmp eq i64 %users, 0
  br i1 %first, label %look, label %in
look:
  %now = call i32 inttoptr (i64 {GET} to ptr)()
  %threads = sext i32 %now to i64
  store i64 %threads, ptr @allowed
  %several = icmp sgt i64 %threads, 1
  br i1 %several, label %limit, label %in
limit:
  call void inttoptr (i64 {SET} to ptr)(i32 1)
  br label %in
in:
  %more = add i64 %users, 1
  store i64 %more, ptr @users
  %allowed = load i64, ptr @allowed
  store atomic i64 0, ptr @lock seq_cst, align 8
  ret i64 %allowed
}

define void @leave() {
entry:
  call void @close()
  %users = load i64, ptr @users
  %less = sub i64 %users, 1
  store i64 %less, ptr @users
  %last = icmp eq i64 %less, 0
  br i1 %last, label %look, label %out
look:
  %allowed = load i64, ptr @allowed
  %several = icmp sgt i64 %allowed, 1
  %now = call i32 inttoptr (i64 {GET} to ptr)()
  %limited = icmp eq i32 %now, 1
  %back = and i1 %several, %limited
  br i1 %back, label %unlimit, label %out
unlimit:
  %threads = trunc i64 %allowed to i32
  call void inttoptr (i64 {SET} to ptr)(i32 %threads)
  br label %out
out:
  store atomic i64 0, ptr @lock seq_cst, align 8
  ret void
}

define void @forget() {
entry:
  store i64 0, ptr @lock
  %users = load i64, ptr @users
  store i64 0, ptr @users
  %any = icmp ne i64 %users, 0
  br i1 %any, label %back, label %done
back:
  %allowed = load i64, ptr @allowed
  %threads = trunc i64 %allowed to i32
  call void inttoptr (i64 {SET} to ptr)(i32 %threads)
  br label %done
done:
  ret void
}

"""
#: how many parts there are, how many rows in each, and how many in one that begins at a row
_PARTING = """
define internal i64 @parts(i64 %allowed, i64 %each) {
  %members = call i64 inttoptr (i64 {MEMBERS} to ptr)()
  %few = icmp slt i64 %allowed, %members
  %many = mul i64 %members, %each
  %parts = select i1 %few, i64 %allowed, i64 %many
  ret i64 %parts
}

define internal i64 @size(i64 %count, i64 %parts) {
  %up = add i64 %count, %parts
  %less = sub i64 %up, 1
  %even = udiv i64 %less, %parts
  %above = add i64 %even, {UNIT}
  %below = sub i64 %above, 1
  %units = udiv i64 %below, {UNIT}
  %size = mul i64 %units, {UNIT}
  ret i64 %size
}

define internal i64 @length(i64 %count, i64 %start, i64 %size) {
  %left = sub i64 %count, %start
  %least = call i64 @llvm.smax.i64(i64 %left, i64 0)
  %length = call i64 @llvm.smin.i64(i64 %least, i64 %size)
  ret i64 %length
}
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
"""


class _Form(NamedTuple):
    """How a product is written.

    Attributes:
        parameters: those of the library's function, without the order of elements.
        work: how many multiplications it is.
        cuts: what tells how it is cut into parts.
        cut: finds that, and how many parts there are.
        part: computes one of them.
    """

    parameters: str
    work: str
    cuts: str
    cut: str
    part: str


#: 111 says that a matrix lies as it is, 112 that its transpose does; 141 that a triangular one is the left one
_FORMS = {
    "gemm": _Form(
        "i32 %ta, i32 %tb, i64 %m, i64 %n, i64 %k, {T} %alpha, ptr %a, i64 %lda, ptr %b, i64 %ldb, {T} %beta, ptr %c,"
        " i64 %ldc",
        "  %mn = mul i64 %m, %n\n  %work = mul i64 %mn, %k",
        "i64 %rows, i64 %columns, i64 %across",
        """
  %parts = call i64 @parts(i64 %allowed, i64 2)
  br label %cut
cut:
  %down = phi i64 [1, %many], [%down.next, %cut.more]
  %across = phi i64 [1, %many], [%across.next, %cut.more]
  %found = mul i64 %down, %across
  %enough = icmp sge i64 %found, %parts
  br i1 %enough, label %go, label %cut.more
cut.more:
  %high = mul i64 %m, %across
  %wide = mul i64 %n, %down
  %is.high = icmp sge i64 %high, %wide
  %down.twice = mul i64 %down, 2
  %across.twice = mul i64 %across, 2
  %down.next = select i1 %is.high, i64 %down.twice, i64 %down
  %across.next = select i1 %is.high, i64 %across, i64 %across.twice
  br label %cut
go:
  %rows = call i64 @size(i64 %m, i64 %down)
  %columns = call i64 @size(i64 %n, i64 %across)
  %trips = mul i64 %down, %across""",
        """
  %row = udiv i64 %trip, %across
  %column = urem i64 %trip, %across
  %first.row = mul i64 %row, %rows
  %first.column = mul i64 %column, %columns
  %height = call i64 @length(i64 %m, i64 %first.row, i64 %rows)
  %width = call i64 @length(i64 %n, i64 %first.column, i64 %columns)
  %a.plain = icmp eq i32 %ta, 111
  %a.row = mul i64 %first.row, %lda
  %a.place = select i1 %a.plain, i64 %a.row, i64 %first.row
  %a.bytes = mul i64 %a.place, {SIZE}
  %a.at = getelementptr i8, ptr %a, i64 %a.bytes
  %b.plain = icmp eq i32 %tb, 111
  %b.row = mul i64 %first.column, %ldb
  %b.place = select i1 %b.plain, i64 %first.column, i64 %b.row
  %b.bytes = mul i64 %b.place, {SIZE}
  %b.at = getelementptr i8, ptr %b, i64 %b.bytes
  %c.row = mul i64 %first.row, %ldc
  %c.place = add i64 %c.row, %first.column
  %c.bytes = mul i64 %c.place, {SIZE}
  %c.at = getelementptr i8, ptr %c, i64 %c.bytes
  call void {GENERAL}(i32 101, i32 %ta, i32 %tb, i64 %height, i64 %width, i64 %k, {T} %alpha, ptr %a.at, i64 %lda,\
 ptr %b.at, i64 %ldb, {T} %beta, ptr %c.at, i64 %ldc)""",
    ),
    "gemv": _Form(
        "i32 %ta, i64 %m, i64 %n, {T} %alpha, ptr %a, i64 %lda, ptr %x, i64 %incx, {T} %beta, ptr %y, i64 %incy",
        "  %work = mul i64 %m, %n",
        "i64 %count, i64 %rows",
        """
  %trips = call i64 @parts(i64 %allowed, i64 2)
  %plain = icmp eq i32 %ta, 111
  %count = select i1 %plain, i64 %m, i64 %n
  %rows = call i64 @size(i64 %count, i64 %trips)""",
        """
  %start = mul i64 %trip, %rows
  %length = call i64 @length(i64 %count, i64 %start, i64 %rows)
  %plain = icmp eq i32 %ta, 111
  %height = select i1 %plain, i64 %length, i64 %m
  %width = select i1 %plain, i64 %n, i64 %length
  %a.row = mul i64 %start, %lda
  %a.place = select i1 %plain, i64 %a.row, i64 %start
  %a.bytes = mul i64 %a.place, {SIZE}
  %a.at = getelementptr i8, ptr %a, i64 %a.bytes
  %y.place = mul i64 %start, %incy
  %y.bytes = mul i64 %y.place, {SIZE}
  %y.at = getelementptr i8, ptr %y, i64 %y.bytes
  call void {OWN}(i32 101, i32 %ta, i64 %height, i64 %width, {T} %alpha, ptr %a.at, i64 %lda, ptr %x, i64 %incx,\
 {T} %beta, ptr %y.at, i64 %incy)""",
    ),
    "trsm": _Form(
        "i32 %side, i32 %half, i32 %ta, i32 %ones, i64 %m, i64 %n, {T} %alpha, ptr %a, i64 %lda, ptr %b, i64 %ldb",
        "  %mn = mul i64 %m, %n\n  %is.left = icmp eq i32 %side, 141\n"
        "  %order.of.a = select i1 %is.left, i64 %m, i64 %n\n  %work = mul i64 %mn, %order.of.a",
        "i64 %count, i64 %rows",
        """
  %trips = call i64 @parts(i64 %allowed, i64 2)
  %count = select i1 %is.left, i64 %n, i64 %m
  %rows = call i64 @size(i64 %count, i64 %trips)""",
        """
  %start = mul i64 %trip, %rows
  %length = call i64 @length(i64 %count, i64 %start, i64 %rows)
  %left = icmp eq i32 %side, 141
  %height = select i1 %left, i64 %m, i64 %length
  %width = select i1 %left, i64 %length, i64 %n
  %b.row = mul i64 %start, %ldb
  %b.place = select i1 %left, i64 %start, i64 %b.row
  %b.bytes = mul i64 %b.place, {SIZE}
  %b.at = getelementptr i8, ptr %b, i64 %b.bytes
  call void {OWN}(i32 101, i32 %side, i32 %half, i32 %ta, i32 %ones, i64 %height, i64 %width, {T} %alpha, ptr %a,\
 i64 %lda, ptr %b.at, i64 %ldb)""",
    ),
    "syrk": _Form(
        "i32 %half, i32 %ta, i64 %n, i64 %k, {T} %alpha, ptr %a, i64 %lda, {T} %beta, ptr %c, i64 %ldc",
        "  %nn = mul i64 %n, %n\n  %whole = mul i64 %nn, %k\n  %work = sdiv i64 %whole, 2",
        "i64 %rows",
        """
  %trips = call i64 @parts(i64 %allowed, i64 4)
  %rows = call i64 @size(i64 %n, i64 %trips)""",
        """
  %start = mul i64 %trip, %rows
  %length = call i64 @length(i64 %n, i64 %start, i64 %rows)
  %after = add i64 %start, %length
  %rest = call i64 @length(i64 %n, i64 %after, i64 %n)
  %plain = icmp eq i32 %ta, 111
  %tb = select i1 %plain, i32 112, i32 111
  %step = select i1 %plain, i64 %lda, i64 1
  %a.place = mul i64 %start, %step
  %a.bytes = mul i64 %a.place, {SIZE}
  %a.at = getelementptr i8, ptr %a, i64 %a.bytes
  %b.place = mul i64 %after, %step
  %b.bytes = mul i64 %b.place, {SIZE}
  %b.at = getelementptr i8, ptr %a, i64 %b.bytes
  %c.row = mul i64 %start, %ldc
  %c.place = add i64 %c.row, %start
  %c.bytes = mul i64 %c.place, {SIZE}
  %c.at = getelementptr i8, ptr %c, i64 %c.bytes
  %d.place = add i64 %c.row, %after
  %d.bytes = mul i64 %d.place, {SIZE}
  %d.at = getelementptr i8, ptr %c, i64 %d.bytes
  call void {OWN}(i32 101, i32 %half, i32 %ta, i64 %length, i64 %k, {T} %alpha, ptr %a.at, i64 %lda, {T} %beta,\
 ptr %c.at, i64 %ldc)
  call void {GENERAL}(i32 101, i32 %ta, i32 %tb, i64 %length, i64 %rest, i64 %k, {T} %alpha, ptr %a.at, i64 %lda,\
 ptr %b.at, i64 %lda, {T} %beta, ptr %d.at, i64 %ldc)""",
    ),
}


#: a function such as the library's, and one for some of its parts
_TEXT_OF_PRODUCT = """
define internal void @some(ptr %context, i64 %first, i64 %end) {
entry:
{LOADED}
  br label %next
next:
  %trip = phi i64 [%first, %entry], [%trip.next, %part]
  %more = icmp slt i64 %trip, %end
  br i1 %more, label %part, label %done
part:{PART}
  %trip.next = add i64 %trip, 1
  br label %next
done:
  ret void
}

define void @product(i32 %order, {PARAMETERS}) {
entry:
  %context = alloca [{SLOTS} x i64], align 64
{WORK}
  %small = icmp sle i64 %work, {ALONE}
  br i1 %small, label %alone, label %look
look:
  %members = call i64 inttoptr (i64 {MEMBERS} to ptr)()
  %several = icmp sgt i64 %members, 1
  br i1 %several, label %limit, label %alone
alone:
  call void {OWN}(i32 %order, {PARAMETERS})
  ret void
limit:
  %allowed = call i64 inttoptr (i64 {ENTER} to ptr)()
  %free = icmp sgt i64 %allowed, 1
  %large = icmp sge i64 %work, {SHARED}
  %share = and i1 %free, %large
  br i1 %share, label %many, label %one
one:
  call void {OWN}(i32 %order, {PARAMETERS})
  br label %done
many:{CUT}
{STORED}
  call void inttoptr (i64 {SHARE} to ptr)(ptr @some, ptr %context, i64 %trips, i64 1)
  br label %done
done:
  call void inttoptr (i64 {LEAVE} to ptr)()
  ret void
}
"""


class Limits(NamedTuple):
    """Addresses of what is called before a product, and behind it: in between a library uses one thread."""

    enter: int
    leave: int


class Library(NamedTuple):
    """A library's functions.

    Attributes:
        product: finds the address of one, by the letter of a type and what it computes; None if there is none.
        limits: what lets it use one thread.
    """

    product: Callable[[str], int | None]
    limits: Limits


def product(library: Library, dtype: np.dtype, letter: str, kind: str) -> int | None:
    """The address of a function that does what the library's does, and takes the same.

    Args:
        library: the library.
        dtype: the type of the elements.
        letter: what BLAS calls it.
        kind: what BLAS calls the product, without that letter.

    Returns:
        The function, of matrices that lie in rows; None if there is no pool, or the library does not have all that it
        takes.
    """
    own, general = library.product(letter + kind), library.product(letter + "gemm")
    found = thread_pool()
    if own is None or general is None or found is None:
        return None
    form = _FORMS[kind]
    scalar = "ptr" if dtype.kind == "c" else type_in_memory(dtype)
    parameters, more = form.parameters.replace("{T}", scalar), form.cuts
    alone, shared = (
        (PRODUCT_WITH_VECTOR_ALONE, PRODUCT_WITH_VECTOR_SHARED) if kind == "gemv" else (PRODUCT_ALONE, PRODUCT_SHARED)
    )
    kept = [word.split() for word in f"{parameters}, {more}".split(", ")]
    stored, loaded = [], []
    for k, (type, name) in enumerate(kept):
        place = f"getelementptr i64, ptr %context, i64 {k}"
        stored += [f"  {name}.slot = {place}", f"  store {type} {name}, ptr {name}.slot"]
        loaded += [f"  {name}.slot = {place}", f"  {name} = load {type}, ptr {name}.slot"]
    words = {
        "WORK": form.work,
        "CUT": form.cut,
        "PART": form.part,
        "PARAMETERS": parameters,
        "STORED": "\n".join(stored),
        "LOADED": "\n".join(loaded),
        "SLOTS": len(kept),
        "ALONE": alone,
        "SHARED": shared,
        "OWN": f"inttoptr (i64 {own} to ptr)",
        "GENERAL": f"inttoptr (i64 {general} to ptr)",
        "T": scalar,
        "SIZE": dtype.itemsize,
        "MEMBERS": found.members,
        "SHARE": found.share,
        "ENTER": library.limits.enter,
        "LEAVE": library.limits.leave,
        "UNIT": _UNIT,
    }
    engine = compiled(_written(_PARTING + _TEXT_OF_PRODUCT, words), 1)
    _kept.append(engine)
    return engine.get_function_address("product")


@functools.cache
def limits(get: int, change: int) -> Limits:
    """What lets a library use one thread, by the addresses of what says how many it uses, and changes that."""
    engine = compiled(_written(_LIMITS, {"GET": get, "SET": change}), 1)
    # Those that were at it are not there in a process that was forked.
    os.register_at_fork(after_in_child=ctypes.CFUNCTYPE(None)(engine.get_function_address("forget")))
    _kept.append(engine)
    return Limits(*(engine.get_function_address(name) for name in Limits._fields))


def _written(text: str, words: Mapping[str, object]) -> str:
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", str(word))
    return text


_kept: list = []

__all__ = ["Library", "Limits", "limits", "product"]
