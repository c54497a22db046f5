"""Text of LLVM's language: numbers, instructions, blocks."""

from __future__ import annotations

import struct
from itertools import count
from typing import NamedTuple

import llvmlite.binding as llvm
import numpy as np

from xlapy.lowering.thresholds import INSTRUCTIONS_WITH_LOOPS, INSTRUCTIONS_WITHOUT_LOOPS
from xlapy.machine_code import addresses

#: the type of indices
INDEX = np.dtype(np.int64)
#: that of keys of random streams: two parts of 32 bits (`threefry`)
KEY = np.dtype("V8")


class Unsuitable(Exception):
    """Something that is not made into machine code here."""


#: where a function runs: on the host; or on a GPU, by one thread, by a grid of threads, each of which makes some of the
#: iterations of one loop, or by the threads of a block, which do everything together and share out what they can
HOST, THREAD, GRID, BLOCK = "host", "thread", "grid", "block"


class NoGrid(Exception):
    """Iterations of a loop that the threads of a GPU's grid cannot make by themselves."""


class Number(NamedTuple):
    """A number in registers: names or literals, two for a complex one, or for a key."""

    dtype: np.dtype
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """Of one that is not complex."""
        (part,) = self.parts
        return part


def type_of(dtype: np.dtype) -> str:
    """The type of a register that holds a number, or a part of a complex one."""
    if not isinstance(dtype, np.dtype):
        raise Unsuitable(f"values of type {dtype}")
    match dtype.kind, dtype.itemsize:
        case "V", 8:
            return "i32"
        case "b", _:
            return "i1"
        case "i" | "u", size:
            return f"i{8 * size}"
        case ("f", 4) | ("c", 8):
            return "float"
        case ("f", 8) | ("c", 16):
            return "double"
    raise Unsuitable(f"numbers of type {dtype}")


def type_in_memory(dtype: np.dtype) -> str:
    """The type of an element of an array, or of a part of a complex one."""
    return "i8" if dtype.kind == "b" else type_of(dtype)


def part_of(dtype: np.dtype) -> np.dtype:
    """The type of the parts of a number: half of a complex one."""
    if dtype.kind == "V":
        return np.dtype(np.uint32)
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def literal(value: object, dtype: np.dtype) -> Number:
    """A number that is known."""
    type_of(dtype)
    known = np.asarray(value).astype(dtype).reshape(1)
    return Number(dtype, tuple(map(_written, known.view(part_of(dtype)))))


def _written(value: np.generic) -> str:
    if isinstance(value, np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.floating):
        return f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}"
    return str(int(value))


TRUE, FALSE = (literal(value, np.dtype(bool)) for value in (True, False))


def known_int(number: Number) -> int | None:
    """An integer that is a literal."""
    if number.dtype.kind not in "iu" or number.name.startswith("%"):
        return None
    return int(number.name)


def known_value(number: Number | None) -> np.generic | None:
    """A number that is a literal, and not complex."""
    if number is None or len(number.parts) > 1 or number.name.startswith("%"):
        return None
    if number.dtype.kind == "b":
        return np.bool_(number.name == "true")
    if number.dtype.kind in "iu":
        return number.dtype.type(int(number.name))
    (found,) = struct.unpack("<d", struct.pack("<Q", int(number.name, 16)))
    return number.dtype.type(found)


def plus(text: Text, index: str, number: str) -> str:
    """An index, and so many places on."""
    if number == "0" or index == "0":
        return index if number == "0" else number
    if not index.startswith("%") and not number.startswith("%"):
        return str(int(index) + int(number))
    return text.new(f"add nsw i64 {index}, {number}")


def times(text: Text, index: str, factor: int) -> str:
    """An index, so many times."""
    if factor == 1 or index == "0":
        return index
    return text.new(f"mul nsw i64 {index}, {factor}") if index.startswith("%") else str(int(index) * factor)


#: the function that each thread of a GPU's block waits in until all have come there
BARRIER = "llvm.nvvm.barrier.cta.sync.aligned.all"
#: instructions in the time of a function of the C library
_CALL = 50
#: how a line begins that is no instruction, but a note of `Text.note_store`
_STORED = "; stored"
#: what is done where a row of a column is stored: the rows that are known do not matter any more if it is one of them
STORED = """define internal void @stored(ptr %known, i64 %row) alwaysinline nounwind {
  %before = load i64, ptr %known
  %is = icmp slt i64 %row, %before
  %after = select i1 %is, i64 -1, i64 %before
  store i64 %after, ptr %known
  ret void
}"""


def stored_in(line: str) -> list[str]:
    """The arrays into which an instruction of a text stores, as is noted there."""
    return [one.split()[2] for one in line.split("\n")[1:] if one.startswith(_STORED)]


class Text:
    """The instructions of a function, in the order of its blocks.

    On a GPU (`threads` is not `HOST`, see `gpu_threads`) it has no addresses of the host's memory or functions."""

    def __init__(self, threads: str = HOST) -> None:
        self.threads, self.for_gpu = threads, threads != HOST
        #: whether the function is for the threads of a grid, each of which makes some iterations of its loop
        self.is_grid = False
        #: how many iterations of loops in that loop are shared out with each of its own
        self.nested = 1
        #: whether all threads of a block have seen what was stored so far; and whether only one of them is here
        self.is_settled, self.is_alone = False, False
        #: how often the threads of a block share something out
        self.shared = 0
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}
        #: arrays that are known, as they are defined
        self.tables: list[str] = []
        #: notes on loops
        self.notes: list[str] = []
        #: arrays that are read where they are
        self.constants: list[np.ndarray] = []
        #: functions of its own, and what is done first
        self.functions: list[str] = []
        self.begins: list[str] = []
        #: memory that the function, or the part of it that is being written, has to itself: how it is made, by name
        self.rooms: dict[str, str] = {}
        #: indices of tables: name and memory, by the columns (`key_search`); where it stands how many rows of a column
        #: are in one, by the address of the column
        self.indices: dict[tuple, tuple[str, str]] = {}
        self.watched: dict[str, list[str]] = {}
        #: how many loops of the program are open, and whether there are any
        self.loops = 0
        self.has_loops = False
        #: how many arms of branches in leaves are open
        self.arms = 0
        #: how many loops over elements that stay loops are open, and how many there are
        self.open_loops = self.kept_loops = 0
        #: how many instructions are executed so far, and how often one is that is written now, as far as is known
        self.work, self.often = 0.0, 1.0
        #: whether what is written now may be executed by several threads, each for another iteration of a loop
        self.is_shared = False
        #: types of the numbers that loops carry, by name
        self.carried: dict[str, str] = {}
        self._count = count()
        #: the block that instructions are put into
        self.block = "entry"

    def new(self, instruction: str) -> str:
        """The name of what an instruction makes."""
        if len(self.lines) > (INSTRUCTIONS_WITH_LOOPS if self.has_loops else INSTRUCTIONS_WITHOUT_LOOPS):
            raise Unsuitable("a program that takes long to compile")
        name = self.name()
        if self.threads == BLOCK:
            self._is_allowed(instruction)
        self.lines.append(f"  {name} = {instruction}")
        self.work += self.often
        return name

    def _is_allowed(self, instruction: str) -> None:
        """Whether all threads of a GPU's block may do it: only what changes no memory, or of which each does a part."""
        is_call = instruction.startswith("call ")
        changes = instruction.startswith("store") or is_call and ("ptr " in instruction or " void " in instruction)
        if instruction.startswith("load"):
            self.is_settled = False
        if changes and BARRIER not in instruction:
            self.is_settled = False
            if not self.is_shared and not self.is_alone:
                raise Unsuitable("memory that all threads of a block would change")

    def name(self) -> str:
        """A name that nothing has yet."""
        return f"%v{next(self._count)}"

    def do(self, instruction: str) -> None:
        """An instruction that makes nothing."""
        if self.threads == BLOCK:
            self._is_allowed(instruction)
        self.lines.append(f"  {instruction}")
        self.work += self.often

    def note_store(self, pointer: str, row: str) -> None:
        """Note that the instruction before, or what it calls, stores into a row of an array."""
        self.lines[-1] += f"\n{_STORED} {pointer} {row}"

    def body(self) -> list[str]:
        """The lines of the function: where a row is stored that is in an index, the index is forgotten."""
        found = []
        for lines in self.lines:
            for line in lines.split("\n"):
                if not line.startswith(_STORED):
                    found.append(line)
                    continue
                pointer, row = line.removeprefix(_STORED).split()
                calls = [f"  call void @stored(ptr {known}, i64 {row})" for known in self.watched.get(pointer, ())]
                found += calls
        return found

    def label(self) -> str:
        """The name of a new block."""
        return f"b{next(self._count)}"

    def begin(self, label: str) -> None:
        """What follows is in a block; what comes before has to end with a branch."""
        self.lines.append(f"{label}:")
        self.block, self.is_settled = label, False

    def call(self, function: str, type: str, *operands: str) -> str:
        """What a pure function of numbers of one type gives for some of them."""
        self.work += self.often * (_CALL if not function.startswith("llvm.") else 1)
        parameters = ", ".join([type] * len(operands))
        self.declared[function] = f"declare {type} @{function}({parameters}) memory(none) nounwind willreturn"
        return self.new(f"call {type} @{function}({', '.join(f'{type} {x}' for x in operands)})")

    def table(self, numbers: list[Number]) -> str:
        """The address of an array of known numbers of one type."""
        name, type = f"@table{len(self.tables)}", type_in_memory(part_of(numbers[0].dtype))
        parts = [part for number in numbers for part in number.parts]
        if type == "i8" and numbers[0].dtype.kind == "b":
            parts = ["1" if part == "true" else "0" for part in parts]
        values = ", ".join(f"{type} {part}" for part in parts)
        self.tables.append(f"{name} = private unnamed_addr constant [{len(parts)} x {type}] [{values}], align 64")
        return name

    def constant(self, array: np.ndarray) -> str:
        """The address of a known array, which stays where it is as long as the code is used; a parameter on a GPU."""
        self.constants.append(np.array(array, order="C"))
        if self.for_gpu:
            return f"%k{len(self.constants) - 1}"
        name = addresses.array_name()
        llvm.add_symbol(name, self.constants[-1].ctypes.data)
        self.tables.append(f"@{name} = external global [{max(self.constants[-1].nbytes, 1)} x i8]")
        return f"@{name}"

    def not_unrolled(self, interleaved: int = 1) -> str:
        """What is written behind the branch to the next iteration of a loop that is to stay one; so many vectors of it
        may be on their way at once."""
        name = f"!{next(self._count)}"
        more = f', !{{!"llvm.loop.interleave.count", i32 {interleaved}}}' if interleaved > 1 else ""
        self.notes.append(f'{name} = distinct !{{{name}, !{{!"llvm.loop.unroll.disable"}}{more}}}')
        return f", !llvm.loop {name}"

    def unlikely(self) -> str:
        """What is written behind the `!prof` of a branch that is hardly ever taken."""
        name = f"!{next(self._count)}"
        self.notes.append(f'{name} = !{{!"branch_weights", i32 1, i32 1000000}}')
        return name

    def unforeseen(self) -> str:
        """What is written behind a branch of which the processor cannot foresee which way it goes: if the ways are
        short, both are gone, and a result is chosen."""
        name = f"!{next(self._count)}"
        self.notes.append(f"{name} = !{{}}")
        return f", !unpredictable {name}"

    def phis(self, numbers: list[Number]) -> Phis:
        """Numbers that begin as these, at the beginning of a block that is about to begin; see `Phis.close`."""
        return Phis(self, numbers)


class Phis:
    """Numbers that a loop carries."""

    def __init__(self, text: Text, initial: list[Number]) -> None:
        self._text, self._initial, self._from, self._place = text, initial, text.block, 0
        self.names = [tuple(f"%v{next(text._count)}" for _ in x.parts) for x in initial]
        self.numbers = [Number(x.dtype, names) for x, names in zip(initial, self.names, strict=True)]
        for number in self.numbers:
            text.carried.update(dict.fromkeys(number.parts, type_of(number.dtype)))

    def begin(self, label: str) -> None:
        """Begin the block of the loop."""
        self._text.begin(label)
        self._place = len(self._text.lines)

    def close(self, following: list[Number]) -> None:
        """Say what the numbers are in the next iteration, which the block that is open goes on to."""
        lines = []
        for initial, names, number in zip(self._initial, self.names, following, strict=True):
            type = type_of(initial.dtype)
            for first, name, then in zip(initial.parts, names, number.parts, strict=True):
                lines.append(f"  {name} = phi {type} [{first}, %{self._from}], [{then}, %{self._text.block}]")
        self._text.lines[self._place : self._place] = lines


__all__ = [
    "BARRIER",
    "BLOCK",
    "FALSE",
    "GRID",
    "HOST",
    "INDEX",
    "KEY",
    "NoGrid",
    "Number",
    "TRUE",
    "Phis",
    "STORED",
    "THREAD",
    "Text",
    "Unsuitable",
    "known_int",
    "known_value",
    "literal",
    "part_of",
    "plus",
    "stored_in",
    "times",
    "type_in_memory",
    "type_of",
]
