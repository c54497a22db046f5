"""Loops whose tests become one in part only: every cycle gets one entry, and the program stays as small as it was."""

import random
import sys

import pytest

from xlapy.frontend import check, node_splitting, operations
from xlapy.frontend.compile import compiled
from xlapy.frontend.decode import Machine, blocks
from xlapy.frontend.graph import Block, End, Graph, dominators, loops, successors
from xlapy.frontend.versions import TABLE

from .simulate import compare_walks

ATOMS = ["a", "b", "t < n", "b < 5", "a == t", "a < b < t", "f(t)", "True", "None"]


def condition(r: random.Random, depth: int) -> str:
    if depth == 0:
        return r.choice(ATOMS)
    form = r.choice(
        [
            "({} and {})",
            "({} or {})",
            "(not {})",
            "({} if {} else {})",
            "(({}) == t)",
            "((w := {}) and w)",
            "({} and {} or {})",
            "(t < ({}) < n)",
        ]
    )
    return form.format(*(condition(r, depth - 1) for _ in range(form.count("{}"))))


def statements(r: random.Random, depth: int, indent: int, in_loop: bool) -> list[str]:
    lines = []
    for _ in range(r.randint(1, 2)):
        inner = statements(r, depth - 1, indent + 1, True) if depth else []
        match r.randrange(5) if depth else 0:
            case 0:
                ends = ["break", "continue"] if in_loop else []
                lines.append(" " * indent + r.choice(["t += 1", "b = t", "return t", *ends]))
            case 1:
                test = f"if {condition(r, 2)}:"
                lines += [" " * indent + test, *statements(r, depth - 1, indent + 1, in_loop)]
            case 2:
                lines += [" " * indent + "for i in range(n):", *inner]
            case _:
                lines += [" " * indent + f"while {condition(r, r.randint(1, 3))}:", *inner]
    return lines


def program(seed: int):
    text = "def g(n, a, b):\n t = 0\n" + "\n".join(statements(random.Random(seed), 3, 1, False)) + "\n return t\n"
    namespace = {}
    exec(text, namespace)
    return namespace["g"].__code__


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("first", range(0, 400, 50))
def test_random_conditions(first):
    for seed in range(first, first + 50):
        code = program(seed)
        structured = compiled(code)
        check(structured)
        assert not list(compare_walks(structured, 4)), seed
        machine = Machine(code)
        found, _ = blocks(machine, TABLE)
        assert len(list(operations(structured.body))) <= node_splitting.size(found.values()), seed


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_some_of_these_have_to_be_split(monkeypatch):
    split = []

    def spied(graph, most):
        split.append(node_splitting.with_single_entries(graph, most))
        return split[-1]

    monkeypatch.setattr("xlapy.frontend.compile.with_single_entries", spied)
    for seed in range(400):
        compiled(program(seed))
    # newer compilers of Python copy less, or nothing
    assert sys.version_info >= (3, 12) or {True, False} == {graph is None for graph in split}


def tangled():
    ends = [End("true", [1, 2], (0,)), End("goto", [2]), End("true", [1, 3], (0,)), End("return", [])]
    made = [Block([], end) for end in ends]
    return Graph(made, {}, [successors(block) for block in made])


def test_a_cycle_with_two_entries():
    found = node_splitting.with_single_entries(tangled(), 100)
    assert not isinstance(loops(found, dominators(found)), int)
    assert sum(block.end.kind == "return" for block in found.blocks) == 1


def test_what_becomes_too_large():
    assert node_splitting.with_single_entries(tangled(), 4) is None
