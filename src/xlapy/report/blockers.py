"""Why a function cannot be offloaded: coded, located obstacles, and the error that carries them all."""

from __future__ import annotations

import linecache
import re
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType


@dataclass(frozen=True)
class Code:
    """What a code means, why such a program cannot be compiled, and what to write instead.

    Attributes:
        meaning: a phrase, the same for all obstacles of this code.
        why: sentences for who has not met it before.
        advice: the hint of an obstacle that has none of its own.
    """

    meaning: str
    why: str
    advice: str


#: every code; `docs/errors.md` is written from this table, and tests go through it
CODES: dict[str, Code] = {
    "XP0002": Code(
        "a statement or an operation of Python's that is not compiled",
        "Programs are read as bytecode. A few of its operations have no meaning within one program on a device"
        " (`await`, the making of some classes), and a few are not there yet.",
        "do it before or after the call of the compiled function",
    ),
    "XP0003": Code(
        "a built-in or compiled function has no rule",
        "A function that is written in Python is compiled with its caller, from its bytecode. One that is written in C"
        " has none, and needs a rule that says what it computes; for what reads or changes the host (files, clocks,"
        " memory) there cannot be one.",
        "call it before or after the compiled function, or say what it does in Python with xlapy.overload",
    ),
    "XP0004": Code(
        "an operation has no rule for these types",
        "The types of all values are found when the program is compiled. Some operations are compiled for some types"
        " only, and some not where data says which of several types or objects a value is.",
        "use arrays, or values of one type and objects of one class",
    ),
    "XP0005": Code(
        "an object has a type that XLA cannot hold",
        "A device holds numbers: booleans, integers up to 64 bits, floats and complex numbers, and arrays of them."
        " Other objects are taken apart where that can be done (lists, dicts, instances); these cannot be.",
        "pass arrays, numbers, or containers and objects that hold them",
    ),
    "XP0006": Code(
        "a value must be known at compile time but depends on array data",
        "Shapes, axes, and which code is to run are part of the program. A Python number that is an argument becomes"
        " known by itself where it has to be: the program is then compiled for that number. What is"
        " computed from the elements of arrays is known only when the program runs, unless it can be worked out from"
        " the arguments beforehand.",
        "take the value from a shape, or pass it to the function as a Python number",
    ),
    "XP0007": Code(
        "the paths of a branch or loop give values that have no common type",
        "Where paths that data chooses come together, each variable gets one type that covers what the paths have left"
        " there. Numbers widen, arrays of other lengths get room for the longer one, and a few alternatives are told"
        " apart by a number; some values have nothing in common, or would have to be copies of one object.",
        "give the variable values of one type and shape on all paths",
    ),
    "XP0008": Code(
        "recursion that cannot be followed",
        "A call is compiled in its place in the caller: there is no stack of calls on the device. Functions that call"
        " themselves, or each other, as often as data says become a loop instead, over a list of what the suspended"
        " calls go on with. The list holds that by value: what a call has made, has handed on and goes on with must not"
        " change from then on. What calls them again has to be a call in the text of one of them, or in a generator"
        " expression that `sum`, `any`, `all`, `max` or `min` goes through, not another generator, nor a function of a"
        " library (`max(..., key=f)`); and all of them have to be of one module.",
        "keep what the calls share in arrays that are made before the first one, or write the recursion as a loop",
    ),
    "XP0009": Code(
        "a loop cannot be kept and cannot be unrolled",
        "A loop stays a loop if what it changes has the same types after each iteration; else its iterations are"
        " compiled one after another, which takes a number of iterations that is known and not too large.",
        "give what the loop changes one type and shape before it, or loop over an array",
    ),
    "XP0010": Code(
        "an effect that cannot be brought back to the caller",
        "What a program changes or makes is brought back to the caller's objects after the run. This needs a way to"
        " change or make the object from the program's results, which some objects of Python's do not offer.",
        "return arrays, numbers, or containers of them, and make the rest of them outside",
    ),
    "XP0011": Code(
        "an argument of a library function is not supported",
        "The function has a rule, but not for this argument, or for this value of it.",
        "leave the argument out, or do what it says by other functions",
    ),
    "XP0012": Code(
        "arrays overlap in memory in a way that is not tracked",
        "NumPy's views share memory. On a device each array is a value, so that a program has to know at compile time"
        " which elements of which array a view shows.",
        "make a copy of the array first: `x.copy()`",
    ),
    "XP0013": Code(
        "a shape depends on data",
        "XLA's arrays have shapes that are known at compile time. An array whose length depends on data (`x[x > 0]`) is"
        " one with room for the longest, and a length; this needs a bound for the length, and a rule that works"
        " element by element or knows what to leave out.",
        "keep the full shape and a mask: `np.where(mask, x, 0)`, or a reduction with `where=mask`",
    ),
    "XP0014": Code(
        "the bytecode cannot be structured",
        "Programs become trees of branches and loops. CPython's compiler makes nothing that cannot; a tool that writes"
        " bytecode may.",
        "compile the function as CPython made it, without the tool that changed its bytecode",
    ),
    "XP0015": Code(
        "something that cannot be done under a JAX transformation from outside",
        "Within `jax.grad`, `jax.vmap` or `jax.jit` a function is run once, by JAX, for values that are not known yet."
        " The caller's objects cannot be changed then, and nothing can be printed.",
        "return the new value instead, or use xlapy.grad and xlapy.vmap",
    ),
    "XP0016": Code(
        "an operation that JAX cannot differentiate or batch",
        "Derivatives of NumPy's, SciPy's and JAX's functions are those that JAX has. For some it has none.",
        "give the function a derivative of its own with jax.custom_jvp, or differentiate another formula",
    ),
    "XP0099": Code(
        "an internal error of xlapy",
        "xlapy has met a state that its authors held to be impossible, and gives up rather than guess.",
        "please report it, with the function and its arguments",
    ),
}


#: a call: function, file and line
_Call = tuple[str, str, int | None]
#: of how many calls a recursion may consist that is shown once
_LONGEST = 8


@dataclass(frozen=True)
class Blocker:
    """One obstacle: `code` (see `CODES`), `message`, place in the source, call chain (innermost first), and a `hint`
    at what to write instead, in whose place there may be the advice of the code."""

    code: str
    message: str
    filename: str | None = None
    function: str | None = None
    line: int | None = None
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None
    chain: tuple[_Call, ...] = ()
    hint: str = ""

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        inner = self._calls_of_libraries()
        if inner:
            function, filename, line = self.chain[inner - 1]
            lines += [f'  File "{filename}", line {line}, in {function}', *_source(filename, line)]
            further = f", {inner} functions further in" if inner > 1 else ""
            lines.append(f"  calls a function of {_library(self.filename)}{further}:")
        if self.filename is not None:
            lines.append(f'  File "{self.filename}", line {self.line}, in {self.function}')
            lines.extend(_caret(self))
        for calls, count in _repeated(self.chain[inner:]):
            again = (
                "" if count == 1 else f" ({count} times)" if len(calls) == 1 else f" (these {len(calls)} {count} times)"
            )
            lines += [f'  called from "{filename}", line {line}, in {function}' for function, filename, line in calls]
            lines[-1] += again
        hint = self.hint or CODES[self.code].advice
        if inner:
            called = [self.function, *(function for function, _, _ in self.chain)][inner - 1]
            hint = f"call {called} before or after the compiled function, or say what it does with xlapy.overload"
        lines.append(f"  hint: {hint}")
        return "\n".join(lines)

    def _calls_of_libraries(self) -> int:
        """How many calls lead from the user's code to the place, if that is in a library; 0 if it is not."""
        places = [self.filename, *(filename for _, filename, _ in self.chain)]
        return next((k for k, filename in enumerate(places) if _library(filename) is None), 0)


#: folders of installed libraries
_INSTALLED = re.compile(r"[/\\\\](?:site|dist)-packages[/\\\\](\w+)")
_STANDARD = sysconfig.get_path("stdlib")


def _library(filename: str | None) -> str | None:
    """The library that a file belongs to; None for the user's own."""
    found = _INSTALLED.search(filename or "")
    if found:
        return found[1]
    return "the standard library" if filename and _STANDARD and filename.startswith(_STANDARD) else None


def _source(filename: str, line: int | None) -> list[str]:
    text = linecache.getline(filename, line).strip() if line is not None else ""
    return [f"    {text}"] if text else []


def _repeated(chain: Sequence[_Call]) -> Iterator[tuple[Sequence[_Call], int]]:
    """A chain of calls as those that follow each other, and how many times they do."""
    start = 0
    while start < len(chain):
        length, times = 1, 1
        for tried in range(1, _LONGEST + 1):
            calls, count = chain[start : start + tried], 1
            while chain[start + count * tried : start + (count + 1) * tried] == calls:
                count += 1
            if count > 1:
                length, times = tried, count
                break
        yield chain[start : start + length], times
        start += length * times


def first_line(code: CodeType) -> int:
    """The line in which a function is defined: that of `def`, behind its decorators."""
    line = first = code.co_firstlineno
    text = linecache.getline(code.co_filename, first)
    if not text.lstrip().startswith("@") or not code.co_name.isidentifier():
        return first
    indent = text[: len(text) - len(text.lstrip())]
    while text and not text.startswith((f"{indent}def {code.co_name}", f"{indent}async def {code.co_name}")):
        line += 1
        text = linecache.getline(code.co_filename, line)
    return line if text else first


def _caret(blocker: Blocker) -> list[str]:
    if blocker.filename is None or blocker.line is None:
        return []
    text = linecache.getline(blocker.filename, blocker.line).rstrip("\n")
    if not text.strip():
        return []
    stripped = text.lstrip()
    indent = len(text) - len(stripped)
    shown = [f"    {stripped}"]
    if blocker.column is not None:
        encoded = text.encode()
        start = len(encoded[: blocker.column].decode(errors="replace")) - indent
        end = len(stripped)
        if blocker.end_line == blocker.line and blocker.end_column is not None:
            end = len(encoded[: blocker.end_column].decode(errors="replace")) - indent
        shown.append("    " + " " * max(start, 0) + "^" * max(end - start, 1))
    return shown


class NotOffloadableError(Exception):
    """The function cannot become one XLA program. Nothing was run and nothing was changed.

    Attributes:
        blockers: every obstacle that was found, in program order.
    """

    def __init__(self, function: str, blockers: list[Blocker]) -> None:
        self.function = function
        self.blockers = tuple(blockers)
        count = len(self.blockers)
        heading = f"{function} cannot be offloaded: {count} obstacle{'s' if count != 1 else ''}"
        super().__init__("\n".join([heading, *map(str, self.blockers)]))
