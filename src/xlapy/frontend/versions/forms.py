"""Makers of what opcodes do, for the many opcodes of the same form."""

from __future__ import annotations

from collections.abc import Sequence

from xlapy.frontend.decode import Execute, Machine


def nothing(m: Machine, arg: int) -> None:
    """No effect here."""


def replace(kind: str, imm: object = None) -> Execute:
    """The top slot becomes the operation's result."""

    def execute(m: Machine, arg: int) -> None:
        top = (m.peek(1),)
        m.emit(kind, top, top, imm)

    return execute


def combine(kind: str, imm: object = None) -> Execute:
    """The two top slots become one."""

    def execute(m: Machine, arg: int) -> None:
        left, right = m.popn(2)
        m.emit(kind, (m.push(),), (left, right), imm)

    return execute


def examine(kind: str) -> Execute:
    """A new slot gets the result for the top slot, which stays."""

    def execute(m: Machine, arg: int) -> None:
        top = m.peek(1)
        m.emit(kind, (m.push(),), (top,))

    return execute


def produce(kind: str) -> Execute:
    """A new slot gets the result of an operation without arguments."""

    def execute(m: Machine, arg: int) -> None:
        m.emit(kind, (m.push(),), ())

    return execute


def produce_named(kind: str) -> Execute:
    """The same, of a global name."""

    def execute(m: Machine, arg: int) -> None:
        m.emit(kind, (m.push(),), (), m.global_names[arg])

    return execute


def consume_named(kind: str, order: Sequence[int] = (0,)) -> Execute:
    """Pops as many slots as `order` is long, and reads them in that order (0 is the lowest), with a global name."""
    count = len(order)

    def execute(m: Machine, arg: int) -> None:
        slots = m.popn(count)
        m.emit(kind, (), tuple(slots[n] for n in order), m.global_names[arg])

    return execute


def consume(kind: str, order: Sequence[int]) -> Execute:
    """The same without a name."""
    count = len(order)

    def execute(m: Machine, arg: int) -> None:
        slots = m.popn(count)
        m.emit(kind, (), tuple(slots[n] for n in order))

    return execute


def build(kind: str, per_item: int = 1) -> Execute:
    """The topmost slots become one container."""

    def execute(m: Machine, arg: int) -> None:
        items = m.popn(arg * per_item)
        m.emit(kind, (m.push(),), items)

    return execute


def add_to(kind: str, values: int = 1) -> Execute:
    """Pops values and puts them into the container that is then `arg` slots from the top."""

    def execute(m: Machine, arg: int) -> None:
        slots = m.popn(values)
        m.emit(kind, (), (m.peek(arg), *slots))

    return execute
