"""The live registers of a label are those that some path from it reads before it writes them."""

import pytest

from xlapy.frontend.compile import compiled
from xlapy.frontend.decode import Machine, blocks
from xlapy.frontend.duplicates import merge_duplicates
from xlapy.frontend.graph import Graph, simplified, thread
from xlapy.frontend.instruction_set import RAISING
from xlapy.frontend.liveness import live_at_entry, registers_of
from xlapy.frontend.versions import TABLE

from .corpus import codes_of, sources
from .simulate import oracle, walk_tree


def graph_of(code):
    machine = Machine(code)
    found, _ = blocks(machine, TABLE)
    thread(found)
    if merge_duplicates(found, 0):
        thread(found)
    return simplified(found, 0, machine.handlers), machine


def live_by_search(graph: Graph, start: int, register: int, return_register: int) -> bool:
    """Follows every path, operation by operation, until the register is read or written."""
    todo, seen = [start], {start}

    def go(target):
        if target not in seen:
            seen.add(target)
            todo.append(target)

    def throw(handler):
        if handler is not None:
            landing = graph.handlers[handler]
            if register not in (landing.exception, landing.lasti):
                go(handler)

    while todo:
        block = graph.blocks[todo.pop()]
        written = False
        for segment in block.segments:
            for op in segment.ops:
                if register in op.args:
                    return True
                if op.kind in RAISING:
                    throw(segment.handler)
                if register in op.dst:
                    written = True
                    break
            if written:
                break
        if written:
            continue
        end = block.end
        reads = {"true": end.registers, "none": end.registers, "for": end.registers[:1], "send": end.registers[:2]}
        if register in reads.get(end.kind, ()) or (end.kind == "return" and register == return_register):
            return True
        throw(end.handler)
        if not (end.kind in ("for", "send") and register == end.registers[-1]):
            for target in end.targets:
                go(target)
    return False


@pytest.mark.parametrize("part", ["asyncio", "email", "json", "importlib"])
def test_liveness_is_what_a_search_of_all_paths_finds(part):
    checked = 0
    for code in codes_of(sources()["stdlib"] / part):
        graph, machine = graph_of(code)
        if len(graph.blocks) > 40:
            continue
        live = live_at_entry(graph, machine.return_register)
        registers = machine.scratch + machine.scratch_used
        for n in range(len(graph.blocks)):
            expected = {r for r in range(registers) if live_by_search(graph, n, r, machine.return_register)}
            assert registers_of(live[n]) == expected, (code, n)
            checked += 1
    assert checked


@pytest.mark.parametrize("name", sorted(sources()))
def test_what_a_walk_reads_was_live_at_every_label_it_passed(name):
    for code in codes_of(sources()[name]):
        program = compiled(code)
        for seed in range(2):
            between = []
            events = walk_tree(program, oracle(seed), 200, lambda *what, to=between: to.append(what))
            check_walk(program, events, between)


def check_walk(program, events, between):
    """Goes back over a walk with the registers that are still to be read."""
    needed = set()
    for at in range(len(events), -1, -1):
        while between and between[-1][0] == at:
            _, label, reads, writes = between.pop()
            needed -= set(writes)
            needed |= set(reads)
            if label is None:
                continue
            assert needed <= program.live[label], (program.name, label)
            landing = program.handlers.get(label)
            if landing is not None:
                needed -= {landing.exception, landing.lasti}
        if at and not isinstance(events[at - 1], str):
            needed -= set(events[at - 1].dst)
            needed |= set(events[at - 1].args)
