"""Instructions on vectors of sixteen floats, for functions that are written in LLVM's language by hand (`winograd`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import NamedTuple

import numpy as np

from xlapy.lowering.llvm.thread_pool import processors, thread_pool
from xlapy.machine_code.thread_pools import SHARE

#: numbers of a vector
LANES = 16
VECTOR = f"<{LANES} x float>"
#: numbers that are read at once by `Code.columns`
READ = 8
#: slots at most: bits of a number
_MOST_SLOTS = 63

#: what functions call: of slots, each of which one thread has at a time, those are bits of a number that are free
DECLARED = f"""
declare {VECTOR} @llvm.fma.v{LANES}f32({VECTOR}, {VECTOR}, {VECTOR})
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare void @{SHARE}(ptr, ptr, i64, i64)

define internal i64 @taken(ptr %slots) {{
entry:
  br label %try
try:
  %free = load atomic i64, ptr %slots seq_cst, align 8
  %less = sub i64 %free, 1
  %rest = and i64 %free, %less
  %some = icmp ne i64 %free, 0
  br i1 %some, label %take, label %try
take:
  %old = cmpxchg ptr %slots, i64 %free, i64 %rest seq_cst seq_cst
  %mine = extractvalue {{i64, i1}} %old, 1
  br i1 %mine, label %done, label %try
done:
  %number = call i64 @llvm.cttz.i64(i64 %free, i1 true)
  ret i64 %number
}}

define internal void @returned(ptr %slots, i64 %number) {{
entry:
  %bit = shl i64 1, %number
  %before = atomicrmw or ptr %slots, i64 %bit seq_cst
  ret void
}}
!0 = !{{!"branch_weights", i32 1000000, i32 1}}
!1 = !{{}}
"""


class Code:
    """Instructions of a function, whose first parameter is the address of some integers that it is told, by `names`."""

    def __init__(self, name: str, parameters: str, names: Sequence[str]) -> None:
        self.head = f"define internal void @{name}(ptr noalias readonly %sizes, {parameters}) noinline {{"
        self.names, self.lines = names, list[str]()
        self.known: dict[str, str] = {}
        self._count = count()
        self.block = "entry"

    def size(self, name: str) -> str:
        """One of the sizes."""
        return self.known.setdefault(name, f"%n.{name}")

    def text(self) -> str:
        """The function, of which this is the end."""
        loaded = []
        for name, found in self.known.items():
            loaded.append(f"  {found}.p = getelementptr i64, ptr %sizes, i64 {self.names.index(name)}")
            loaded.append(f"  {found} = load i64, ptr {found}.p, !invariant.load !1")
        return "\n".join([self.head, "entry:", *loaded, *self.lines, "  ret void", "}"])

    def new(self, instruction: str) -> str:
        """The name of what an instruction makes."""
        name = f"%v{next(self._count)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """An instruction that makes nothing."""
        self.lines.append(f"  {instruction}")

    def begin(self, label: str) -> None:
        """What follows is in a block."""
        self.lines.append(f"{label}:")
        self.block = label

    def label(self) -> str:
        """The name of a new block."""
        return f"b{next(self._count)}"

    # -- integers and addresses

    def times(self, x: str, y: str | int) -> str:
        """x * y."""
        return {0: "0", 1: x}.get(y) or self.new(f"mul nsw i64 {x}, {y}")  # type: ignore[call-overload]

    def plus(self, x: str, y: str | int) -> str:
        """x + y."""
        return x if y == 0 else self.new(f"add nsw i64 {x}, {y}")

    def minus(self, x: str, y: str) -> str:
        """x - y."""
        return self.new(f"sub nsw i64 {x}, {y}")

    def least(self, x: str, y: str | int) -> str:
        """min(x, y)."""
        return self.new(f"call i64 @llvm.smin.i64(i64 {x}, i64 {y})")

    def copy(self, to: str, source: str, size: str) -> None:
        """Copy so many bytes."""
        self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {size}, i1 false)")

    def copy_row(self, row: str, rows: str, width: str, source: tuple[str, str], to: str) -> None:
        """Copy a row of a plane that begins at a place of an array, if there is such a row."""
        array, plane = source
        inside, copy, after = self.new(f"icmp ult i64 {row}, {rows}"), self.label(), self.label()
        self.do(f"br i1 {inside}, label %{copy}, label %{after}")
        self.begin(copy)
        self.copy(to, self.at(array, self.plus(plane, self.times(row, width))), self.times(width, 4))
        self.do(f"br label %{after}")
        self.begin(after)

    def at(self, pointer: str, place: str | int) -> str:
        """The address of a number."""
        return pointer if place in (0, "0") else self.new(f"getelementptr float, ptr {pointer}, i64 {place}")

    @contextmanager
    def loop(self, end: str | int, first: str | int = 0, carried: Sequence[str] = ()) -> Iterator[Loop]:
        """What is written inside is done for each index; it may be that there are none."""
        head, body, done, index = self.label(), self.label(), self.label(), f"%v{next(self._count)}"
        before = self.block
        self.do(f"br label %{head}")
        self.begin(head)
        place = len(self.lines)
        loop = Loop(index, [f"%v{next(self._count)}" for _ in carried], [])
        self.do(f"%m{index[2:]} = icmp slt i64 {index}, {end}")
        self.do(f"br i1 %m{index[2:]}, label %{body}, label %{done}")
        self.begin(body)
        yield loop
        following = self.new(f"add nsw i64 {index}, 1")
        lines = [f"  {index} = phi i64 [{first}, %{before}], [{following}, %{self.block}]"]
        for name, one, then in zip(loop.carried, carried, loop.following, strict=True):
            lines.append(f"  {name} = phi {VECTOR} [{one}, %{before}], [{then}, %{self.block}]")
        self.lines[place:place] = lines
        self.do(f"br label %{head}")
        self.begin(done)

    # -- loops that are shared out to the threads: of a context, which has the sizes, the arrays, and slots

    def open_context(self, *arrays: str, integers: int = 0) -> None:
        """Put the addresses of arrays, of which the last ones are the slots, into a context, behind which are some
        integers."""
        names = ("%sizes", *arrays)
        self.do(f"%context = alloca [{len(names) + integers} x ptr], align 64")
        for k, name in enumerate(names):
            self.do(f"store ptr {name}, ptr {self.new(f'getelementptr ptr, ptr %context, i64 {k}')}")
        slots = self.plus(self.new(f"shl i64 1, {self.size('threads')}"), -1)
        self.do(f"store i64 {slots}, ptr {names[-1]}, align 4")

    def share(self, function: str, end: str, chunk: str) -> None:
        """Share out the iterations of a function, so many at a time."""
        if thread_pool() is None:
            self.do(f"call void @{function}.of(ptr %context, i64 0, i64 {end})")
        else:
            self.do(f"call void @{SHARE}(ptr @{function}.of, ptr %context, i64 {end}, i64 {chunk})")

    @contextmanager
    def iterations(self, arrays: int = 4) -> Iterator[list[str]]:
        """So many arrays of a context, and a slot, while iterations are made."""
        places = [self.new(f"getelementptr ptr, ptr %context, i64 {k + 1}") for k in range(arrays + 1)]
        *found, slots = [self.new(f"load ptr, ptr {place}") for place in places]
        number = self.new(f"call i64 @taken(ptr {slots})")
        yield [*found, self.at(slots, self.plus(self.times(number, self.size("slot")), LANES))]
        self.do(f"call void @returned(ptr {slots}, i64 {number})")

    def choose(self, function: str, numbers: Iterable[int], operands: str) -> None:
        """Call the function whose name ends with the number of `vectors`."""
        cases, after = {number: self.label() for number in numbers}, self.label()
        ways = " ".join(f"i64 {number}, label %{label}" for number, label in cases.items())
        self.do(f"switch i64 {self.size('vectors')}, label %{after} [{ways}]")
        for number, label in cases.items():
            self.begin(label)
            self.do(f"call void @{function}{number}(ptr %sizes, {operands})")
            self.do(f"br label %{after}")
        self.begin(after)

    # -- vectors

    def load(self, pointer: str, type: str = VECTOR) -> str:
        """A vector, or a number, in memory."""
        return self.new(f"load {type}, ptr {pointer}, align 4")

    def store(self, value: str, pointer: str, type: str = VECTOR) -> None:
        """Put a vector there."""
        self.do(f"store {type} {value}, ptr {pointer}, align 4")

    def add(self, x: str, y: str) -> str:
        """x + y, of vectors."""
        return self.new(f"fadd {VECTOR} {x}, {y}")

    def sub(self, x: str, y: str) -> str:
        """x - y, of vectors."""
        return self.new(f"fsub {VECTOR} {x}, {y}")

    def scaled(self, x: str, factor: float) -> str:
        """A vector times a number."""
        return self.new(f"fmul {VECTOR} {x}, {splat(factor)}")

    def more(self, x: str, factor: float | str, y: str) -> str:
        """x * factor + y, of a number or a vector."""
        by = factor if isinstance(factor, str) else splat(factor)
        return self.new(f"call {VECTOR} @llvm.fma.v{LANES}f32({VECTOR} {x}, {VECTOR} {by}, {VECTOR} {y})")

    def are_finite(self, vectors: Sequence[str]) -> str:
        """Whether all numbers of some vectors are finite."""
        total = splat(0.0)
        for vector in vectors:
            total = self.more(vector, 0.0, total)
        bad = self.new(f"fcmp uno {VECTOR} {total}, {splat(0.0)}")
        return self.new(f"icmp eq i{LANES} {self.new(f'bitcast <{LANES} x i1> {bad} to i{LANES}')}, 0")

    def spread(self, number: str) -> str:
        """A vector of one number."""
        one = self.new(f"insertelement {VECTOR} poison, float {number}, i64 0")
        return self.shuffled(one, "poison", [0] * LANES)

    def shuffled(self, x: str, y: str, places: Sequence[int], width: int = LANES) -> str:
        """Numbers of two vectors of `width` numbers, by their places."""
        mask = ", ".join(f"i32 {k}" for k in places)
        type = f"<{width} x float>"
        return self.new(f"shufflevector {type} {x}, {type} {y}, <{len(places)} x i32> <{mask}>")

    def columns(self, pointers: Sequence[str]) -> list[str]:
        """Eight numbers behind each of sixteen addresses: vectors of the first ones, of the second ones..."""
        parts = [self.load(pointer, f"<{READ} x float>") for pointer in pointers]
        rows = [self.shuffled(a, b, range(LANES), READ) for a, b in zip(parts[:8], parts[8:], strict=True)]
        both = zip(rows[::2], rows[1::2], strict=True)
        pairs = [[self.shuffled(a, b, places) for places in (LOW, HIGH)] for a, b in both]
        quads = []
        for (a, b), (c, d) in zip(pairs[::2], pairs[1::2], strict=True):
            quads.append([self.shuffled(x, y, places) for x, y in ((a, c), (b, d)) for places in (FRONT, BACK)])
        begin = [k for half in (0, 8) for lane in (half, half + 16) for k in range(lane, lane + 4)]
        end = [k + 4 for k in begin]
        return [self.shuffled(a, b, places) for places in (begin, end) for a, b in zip(*quads, strict=True)]


def entry(address: int, sizes: Mapping[str, int], names: Sequence[str], *arrays: str) -> str:
    """The function `@main` of some arrays, which calls one that is told sizes, and is at an address."""
    values, operands = ", ".join(f"i64 {sizes[name]}" for name in names), ", ".join(f"ptr {array}" for array in arrays)
    return f"""
@sizes = private unnamed_addr constant [{len(names)} x i64] [{values}], align 64

define internal void @main({operands}) {{
  call void inttoptr (i64 {address} to ptr)(ptr @sizes, {operands})
  ret void
}}"""


def threads() -> int:
    """How many threads, and slots, there are: these are bits of a number."""
    return 1 if thread_pool() is None else min(processors(), _MOST_SLOTS)


def called_with_context(function: str) -> str:
    """What a thread calls, which finds the sizes in the context."""
    return f"""
define internal void @{function}.of(ptr %context, i64 %first, i64 %end) {{
entry:
  %sizes = load ptr, ptr %context
  call void @{function}(ptr %sizes, ptr %context, i64 %first, i64 %end)
  ret void
}}"""


class Loop(NamedTuple):
    """A loop that is being written: its index, the vectors that it carries, and what these become."""

    index: str
    carried: list[str]
    following: list[str]


def _in_quarters(places: Sequence[int]) -> list[int]:
    """Places in each quarter of vectors."""
    return [k + 4 * quarter for quarter in range(4) for k in places]


#: for transposes: numbers of two vectors in turn, and pairs of them
LOW, HIGH = _in_quarters((0, 16, 1, 17)), _in_quarters((2, 18, 3, 19))
FRONT, BACK = _in_quarters((0, 1, 16, 17)), _in_quarters((2, 3, 18, 19))


def splat(number: float) -> str:
    """A vector of one known number."""
    (bits,) = np.array([np.float32(number)], np.float64).view(np.uint64)
    return f"splat (float 0x{int(bits):016X})"


__all__ = [
    "BACK",
    "DECLARED",
    "FRONT",
    "HIGH",
    "LANES",
    "LOW",
    "READ",
    "VECTOR",
    "Code",
    "Loop",
    "called_with_context",
    "splat",
]
