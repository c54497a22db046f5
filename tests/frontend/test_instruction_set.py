"""The table of operations is what the version tables emit, no more and no less."""

import dataclasses
import re
from pathlib import Path

import pytest

from xlapy.frontend import (
    OPERATIONS,
    Code,
    Op,
    Span,
    block_splitting,
    check,
    dump,
    generator_state_machines,
    recursion_elimination,
    structured,
    versions,
)
from xlapy.frontend.instruction_set import BOOLEAN, RAISING

SOURCE = "\n".join(path.read_text() for path in Path(versions.__file__).parent.glob("*.py"))
SOURCE += "".join(
    Path(module.__file__).read_text() for module in (block_splitting, generator_state_machines, recursion_elimination)
)


def test_every_kind_of_the_table_is_emitted_by_some_version():
    emitted = set(re.findall(r'"([a-z_]+)"', SOURCE)) | {"truth", "unsupported"}  # these two the machine emits
    assert set(OPERATIONS) <= emitted


def test_special_kinds_are_in_the_table():
    assert BOOLEAN <= set(OPERATIONS)
    assert RAISING <= set(OPERATIONS)


@pytest.mark.parametrize(
    "op, message",
    [
        (Op("nonsense", (), (), None, Span()), "unknown kind"),
        (Op("binary", (0,), (0,), "+", Span()), "wrong number"),
        (Op("move", (0,), (1000,), None, Span()), "out of range"),
    ],
)
def test_check_refuses(op, message):
    program = structured(test_special_kinds_are_in_the_table.__code__)
    check(program)
    with pytest.raises(ValueError, match=message):
        check(dataclasses.replace(program, body=Code((op,), None)))


def test_a_program_as_text_with_and_without_its_operations():
    def f(x):
        while x > 1:
            x = x - 1
        return x

    program = structured(f.__code__)
    whole, tree = dump(program).splitlines(), dump(program, operations=False).splitlines()
    first = f.__code__.co_firstlineno
    assert [line.partition("  #")[0] for line in tree] == [line for line in whole if " = " not in line]
    assert [line.partition("# ")[2] for line in tree if "#" in line] == [f"line {first + k}" for k in (1, 2, 3)]
