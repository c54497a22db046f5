"""Loops whose trips do not depend on each other become functions of some trips, which a team of threads calls (`team`).

Such a function gets what the trips read from around the loop: addresses and numbers, by a context in memory. Whether it
is worth that is known when the trips are written: from how many instructions they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from xlapy.lowering.llvm.team import processors, team
from xlapy.lowering.llvm.text import Text, stored_in

#: instructions from which on they are shared out, in a thread that has others to wake for that
_WORTH = 1 << 20
#: parts for each thread, since not all take equally long; and trips in a part are a multiple of this, if there are many
_PARTS, _UNIT = 4, 64
_NAME = re.compile(r"%[\w.]+")
_DEFINED = re.compile(r"^  (%[\w.]+) = (.*)$")
#: where an instruction says of what type its result is: what it is converted to, or behind the flags
_CONVERTED = re.compile(r" to (\w+)$")
_OF_OPERANDS = re.compile(r"^(?:\w+ )+?(?=[%\w.+-]+(?:,|$))")


def shared_out(text: Text, count: int, loop: Callable[[str, str], object]) -> None:
    """Write a loop of so many trips, none of which sees what another one does.

    Args:
        text: the function that the loop is in.
        count: how many trips there are, at least one.
        loop: writes the trips from one, the name of an index, up to another.
    """
    first, end, label = text.name(), text.name(), text.label()
    outer, block, rooms, begins = text.lines, text.block, text.rooms, len(text.begins)
    often, work = text.often, text.work
    text.lines, text.rooms, text.often, text.is_shared = [], {}, 1.0, True
    text.begin(label)
    loop(first, end)
    lines, own, work_of_all = text.lines, text.rooms, text.work - work
    text.lines, text.rooms, text.often, text.is_shared = outer, rooms, often, False
    text.work = work + often * work_of_all
    captured = (
        _captured(text, lines, own, (first, end)) if work_of_all >= _WORTH and len(text.begins) == begins else None
    )
    address = None if captured is None else team()
    if captured is None or address is None:
        text.rooms.update(own)
        outer += [f"  {first} = add i64 0, 0", f"  {end} = add i64 0, {count}", f"  br label %{label}", *lines]
        return
    text.block = block
    name = f"@part{len(text.functions)}"
    text.functions.append(_function(name, captured, first, end, label, lines, own))
    context = text.name()
    text.rooms[context] = f"  {context} = alloca [{max(len(captured), 1)} x i64], align 64"
    for k, (value, type) in enumerate(captured.items()):
        place = text.new(f"getelementptr i64, ptr {context}, i64 {k}")
        text.do(f"store {type} {value}, ptr {place}")
    share, arguments = f"inttoptr (i64 {address} to ptr)", f"ptr {context}, i64 {count}, i64 {_chunk(count)}"
    text.do(f"call void {share}(ptr {name}.shared, {arguments})")
    for pointer in dict.fromkeys(found for line in lines for found in stored_in(line)):
        text.note_store(pointer, "0")


def _chunk(count: int) -> int:
    """How many trips are made by one thread before another one may make the next."""
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
    name: str, captured: dict[str, str], first: str, end: str, label: str, lines: Sequence[str], own: dict[str, str]
) -> str:
    """The trips from one up to another, as a function of all they read; and the same as a function of a context."""
    attributes = {"ptr": "ptr noalias nocapture"}
    parameters = [f"{attributes.get(type, type)} {value}" for value, type in captured.items()]
    parameters += [f"i64 {first}", f"i64 {end}"]
    head = [f"define internal void {name}({', '.join(parameters)}) noinline {{", "entry:", *own.values()]
    body = [line.split("\n", 1)[0] for line in lines]
    shared = [f"define internal void {name}.shared(ptr %context, i64 %first, i64 %end) {{"]
    for k, (value, type) in enumerate(captured.items()):
        shared.append(f"  {value}.at = getelementptr i64, ptr %context, i64 {k}")
        shared.append(f"  {value} = load {type}, ptr {value}.at")
    arguments = [f"{type} {value}" for value, type in captured.items()] + ["i64 %first", "i64 %end"]
    shared += [f"  call void {name}({', '.join(arguments)})", "  ret void", "}"]
    return "\n".join([*head, f"  br label %{label}", *body, "  ret void", "}", *shared])


__all__ = ["shared_out"]
