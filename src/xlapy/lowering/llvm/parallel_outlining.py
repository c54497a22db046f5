"""Loops whose iterations do not depend on each other become functions of some iterations, which a pool of threads calls
(`thread_pool`).

Such a function gets what the iterations read from around the loop: addresses and numbers, by a context in memory.
Whether it is worth that is known when the iterations are written: from how many instructions they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence

from xlapy.lowering.llvm.gpu_threads import shared_in_block
from xlapy.lowering.llvm.text import BLOCK, Text, stored_in
from xlapy.lowering.llvm.thread_pool import processors, thread_pool
from xlapy.lowering.thresholds import INSTRUCTIONS_SHARED
from xlapy.machine_code.thread_pools import SHARE

#: parts for each thread, since not all take equally long; and iterations in a part are a multiple of this, if there are
#: many
_PARTS, _UNIT = 4, 64
#: iterations of a loop of which it is not known how many it makes
_MOST = 1 << 24
#: what the number of the earliest iteration is with an error in it, if there is none
_NEVER = (1 << 63) - 1
#: how a line ends behind which the function is left, and the last one on that way
_LEAVING, LEFT = " leaves", "ret void ; left"
#: whether an iteration comes before all in which there was an error: then no other one may say so until it is told
_LEAVES = """define internal i1 @leaves(ptr %state, i64 %trip) noinline nounwind {
entry:
  %at = getelementptr i64, ptr %state, i64 1
  br label %try
try:
  %old = cmpxchg ptr %state, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {i64, i1} %old, 1
  br i1 %mine, label %look, label %try
look:
  %earliest = load i64, ptr %at
  %is = icmp slt i64 %trip, %earliest
  br i1 %is, label %first, label %late
first:
  store i64 %trip, ptr %at
  ret i1 true
late:
  store atomic i64 0, ptr %state seq_cst, align 8
  ret i1 false
}"""
_NAME = re.compile(r"%[\w.]+")
_DEFINED = re.compile(r"^  (%[\w.]+) = (.*)$")
#: where an instruction says of what type its result is: what it is converted to, or behind the flags
_CONVERTED = re.compile(r" to (\w+)$")
_OF_OPERANDS = re.compile(r"^(?:\w+ )+?(?=[%\w.+-]+(?:,|$))")


def shared_out(text: Text, count: str, loop: Callable[[str, str], bool], expected: int) -> bool:
    """Write a loop of which no iteration sees what another one does.

    Args:
        text: the function that the loop is in.
        count: how many iterations there are.
        loop: writes the iterations from one, the name of an index, up to another; whether they may be made in any
            order.
        expected: how many iterations there are, about.

    Returns:
        Whether they are, or may be, made by several threads: then nothing is known behind the loop that was made in it.
    """
    if text.threads == BLOCK:
        return shared_in_block(text, count, loop)
    first, end, label = text.name(), text.name(), text.label()
    outer, block, rooms, begins = text.lines, text.block, text.rooms, len(text.begins)
    often, work = text.often, text.work
    text.lines, text.rooms, text.often, text.is_shared = [], {}, 1.0, True
    text.begin(label)
    may_be = loop(first, end)
    lines, own, work_of_all = text.lines, text.rooms, text.work - work
    text.lines, text.rooms, text.often, text.is_shared = outer, rooms, often, False
    text.work = work + often * work_of_all
    least = INSTRUCTIONS_SHARED * max(expected, 1) / max(work_of_all, 1)
    may_be = may_be and least <= (int(count) if count.isdigit() else _MOST) and len(text.begins) == begins
    captured = _captured(text, lines, own, (first, end)) if may_be else None
    threads = None if captured is None or text.for_gpu else thread_pool()
    if captured is None or threads is None:
        text.rooms.update(own)
        outer += [f"  {first} = add i64 0, 0", f"  {end} = add i64 0, {count}", f"  br label %{label}", *lines]
        return False
    text.block = block
    part = f"@part{len(text.functions)}"
    leaves = any(line.endswith(_LEAVING) for line in lines)
    if leaves and _LEAVES not in text.functions:
        text.functions.append(_LEAVES)
    text.functions.append(_function(part, captured, first, end, label, lines, own, leaves))
    context = text.name()
    text.rooms[context] = f"  {context} = alloca [{len(captured) + 2} x i64], align 64"
    for k, (value, type) in enumerate(captured.items()):
        place = text.new(f"getelementptr i64, ptr {context}, i64 {k + 2}")
        text.do(f"store {type} {value}, ptr {place}")
    if leaves:
        text.do(f"store i64 0, ptr {context}")
        earliest = text.new(f"getelementptr i64, ptr {context}, i64 1")
        text.do(f"store i64 {_NEVER}, ptr {earliest}")
    text.declared[SHARE] = f"declare void @{SHARE}(ptr, ptr, i64, i64)"
    share = f"call void @{SHARE}(ptr {part}.shared, ptr {context}, i64 {count}"
    if count.isdigit():
        text.do(f"{share}, i64 {_chunk(int(count))})")
    else:
        _if_many(text, count, math.ceil(least), part, context, share)
    for pointer in dict.fromkeys(found for line in lines for found in stored_in(line)):
        text.note_store(pointer, "0")
    if leaves:
        left, rest = text.label(), text.label()
        is_left = text.new(f"icmp ne i64 {text.new(f'load i64, ptr {earliest}')}, {_NEVER}")
        text.do(f"br i1 {is_left}, label %{left}, label %{rest}, !prof {text.unlikely()}")
        text.begin(left)
        text.do("ret void")
        text.begin(rest)
    return True


def _if_many(text: Text, count: str, least: int, part: str, context: str, share: str) -> None:
    """Share out so many iterations, if they are not few."""
    many, few, done = (text.label() for _ in range(3))
    text.do(f"br i1 {text.new(f'icmp sge i64 {count}, {least}')}, label %{many}, label %{few}")
    text.begin(few)
    text.do(f"call void {part}.shared(ptr {context}, i64 0, i64 {count})")
    text.do(f"br label %{done}")
    text.begin(many)
    parts = processors() * _PARTS
    chunk = text.new(f"udiv i64 {text.new(f'add i64 {count}, {parts - 1}')}, {parts}")
    text.do(f"{share}, i64 {chunk})")
    text.do(f"br label %{done}")
    text.begin(done)


def is_worth(work: float) -> bool:
    """Whether so many instructions are shared out."""
    return work >= INSTRUCTIONS_SHARED


def leaving(text: Text, iteration: str, stored: str) -> None:
    """Go on, in a block of its own, to store what tells why the function is left in an iteration, and end that with
    `LEFT`. Where several threads make the iterations, only the earliest one is told of."""
    text.do(f"br label %{stored} ; {iteration}{_LEAVING}")
    text.begin(stored)


def _chunk(count: int) -> int:
    """How many iterations are made by one thread before another one may make the next."""
    chunk = -(-count // (processors() * _PARTS))
    return -(-chunk // _UNIT) * _UNIT if chunk >= _UNIT else chunk


def _captured(text: Text, lines: Sequence[str], own: Iterable[str], given: Iterable[str]) -> dict[str, str] | None:
    """What is read that is made elsewhere, and is not given, with its type; None if that is not known."""
    made, used = {*own, *given}, dict[str, None]()
    for line in lines:
        if line.endswith(":"):
            made.add(f"%{line[:-1]}")
            continue
        found = _DEFINED.match(line)
        made.update(found.groups()[:1] if found else ())
        used.update(dict.fromkeys(_NAME.findall(line)))
    wanted = [name for name in used if name not in made]
    # Indices of tables are made anew by whoever needs them, and a library has threads of its own.
    if any(name.endswith(".known") for name in wanted) or any("@xlapy_" in line for line in lines):
        return None
    types = {name: text.carried.get(name, "") if name.startswith("%v") else "ptr" for name in wanted}
    missing = {name for name, type in types.items() if not type}
    for line in text.lines if missing else ():
        found = _DEFINED.match(line)
        if found and found[1] in missing:
            types[found[1]] = _type_made(found[2]) or ""
            # An address within an array might be that of something else that is read by its own address.
            if types[found[1]] == "ptr":
                return None
    return types if all(types.values()) else None


def _type_made(instruction: str) -> str | None:
    """The type of what an instruction makes; None if that is not known."""
    kind = instruction.split(" ", 1)[0]
    if kind in ("icmp", "fcmp"):
        return "i1"
    if kind in ("getelementptr", "alloca", "inttoptr"):
        return "ptr"
    if kind == "call":
        found = re.match(r"call (?:\w+ )*?(\w+) @", instruction)
        return found[1] if found else None
    if kind == "select":
        found = re.match(r"select (?:\w+ )*?i1 [^,]+, (\w+) ", instruction)
        return found[1] if found else None
    if kind in ("load", "phi"):
        found = re.match(r"(?:load|phi) (?:fast )?(\w+)[, ]", instruction)
        return found[1] if found else None
    converted = _CONVERTED.search(instruction)
    if converted:
        return converted[1]
    found = _OF_OPERANDS.match(instruction)
    return found[0].split()[-1] if found and not instruction.startswith("extractvalue") else None


def _function(
    name: str,
    captured: dict[str, str],
    first: str,
    end: str,
    label: str,
    lines: Sequence[str],
    own: dict[str, str],
    leaves: bool,
) -> str:
    """The iterations from one up to another, as a function of all they read; and the same as a function of a
    context."""
    attributes = {"ptr": "ptr noalias nocapture"}
    parameters = [f"{attributes.get(type, type)} {value}" for value, type in captured.items()]
    parameters += ["ptr %state", f"i64 {first}", f"i64 {end}"]
    head = [f"define internal void {name}({', '.join(parameters)}) noinline {{", "entry:", *own.values()]
    body = [line.split("\n", 1)[0] for line in lines]
    if leaves:
        body = [_in_order(line, k) for k, line in enumerate(body)]
    shared = [f"define internal void {name}.shared(ptr %context, i64 %first, i64 %end) {{"]
    for k, (value, type) in enumerate(captured.items()):
        shared.append(f"  {value}.at = getelementptr i64, ptr %context, i64 {k + 2}")
        shared.append(f"  {value} = load {type}, ptr {value}.at")
    arguments = [f"{type} {value}" for value, type in captured.items()] + ["ptr %context", "i64 %first", "i64 %end"]
    shared += [f"  call void {name}({', '.join(arguments)})", "  ret void", "}"]
    return "\n".join([*head, f"  br label %{label}", *body, "  ret void", "late:", "  ret void", "}", *shared])


def _in_order(line: str, number: int) -> str:
    """An instruction of the way out of a function, as the threads do it that are not to meet there."""
    if line.endswith(_LEAVING):
        instruction, iteration = line.removesuffix(_LEAVING).split(" ; ")
        first = f"%earliest{number}"
        stored = instruction.removeprefix("  br ")
        return f"  {first} = call i1 @leaves(ptr %state, i64 {iteration})\n  br i1 {first}, {stored}, label %late"
    if line == f"  {LEFT}":
        return "  store atomic i64 0, ptr %state seq_cst, align 8\n  ret void"
    return line


__all__ = ["LEFT", "is_worth", "leaving", "shared_out"]
