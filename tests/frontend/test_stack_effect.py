"""The depth of the stack that the version tables compute is the one that `dis.stack_effect` gives."""

import dis
from collections import Counter

import pytest

from xlapy.frontend.decode import Machine, blocks
from xlapy.frontend.versions import OPCODES, TABLE

from .corpus import codes_of, sources

# Where `dis` counts differently from what happens, per opcode: what to add to its figure.
#   PRECALL and CALL of 3.11 share the effect of one call between them; here CALL has all of it.
#   RETURN_GENERATOR: the generator starts with something on its stack, which POP_TOP takes off; 3.11 does not count it.
#   RETURN_VALUE: 3.14 counts the slot that the caller gets.
DIFFERENCES = {
    "PRECALL": lambda arg: arg,
    "CALL": lambda arg: -arg if "PRECALL" in dis.opmap else 0,
    "RETURN_VALUE": lambda arg: -1 - dis.stack_effect(dis.opmap["RETURN_VALUE"]),
    "RETURN_GENERATOR": lambda arg: 1 - dis.stack_effect(dis.opmap["RETURN_GENERATOR"]),
}


def checked(counts, wrong):
    """The version's table, each entry of which compares the depth before and after."""

    def wrap(opcode, execute):
        name = dis.opname[opcode]

        def run(machine, arg):
            before = machine.depth
            target = machine.target
            known = target in machine.entries
            execute(machine, arg)
            counts[name] += 1
            has_arg = opcode >= dis.HAVE_ARGUMENT if not hasattr(dis, "hasarg") else opcode in dis.hasarg
            given = int(arg) if has_arg else None
            expected = dis.stack_effect(opcode, given, jump=False)
            if name in DIFFERENCES:
                expected += DIFFERENCES[name](arg if has_arg else 0)
            if machine.end is not None and machine.end.kind == "stop" and machine.ops[-1].kind == "unsupported":
                return
            if machine.depth - before != expected:
                wrong[name, given, machine.depth - before, expected] += 1
            if target >= 0 and not known:
                expected = dis.stack_effect(opcode, given, jump=True)
                found = machine.entries[target][0] - before
                if found != expected:
                    wrong[name, given, found, expected, "jump"] += 1

        return run

    return [None if execute is None else wrap(opcode, execute) for opcode, execute in enumerate(TABLE)]


@pytest.mark.parametrize("name", sorted(sources()))
def test_stack_effects(name):
    counts, wrong = Counter(), Counter()
    table = checked(counts, wrong)
    for code in codes_of(sources()[name]):
        blocks(Machine(code), table)
    print(f"{len(counts)} opcodes, {sum(counts.values())} times")
    assert not wrong


def test_the_tables_name_opcodes_that_exist():
    """A later version's table also holds the opcodes it inherits; of its own none may be misspelt."""
    assert set(OPCODES) & set(dis.opmap) >= {"LOAD_CONST", "CALL", "FOR_ITER", "SEND", "BINARY_OP"}
    missing = {n for n, code in dis.opmap.items() if code < 256 and n not in OPCODES}
    internal = {"EXTENDED_ARG", "INTERPRETER_EXIT", "RESERVED", "EXIT_INIT_CHECK", "ENTER_EXECUTOR"}
    asynchronous = {"GET_AITER", "GET_ANEXT", "GET_AWAITABLE", "BEFORE_ASYNC_WITH", "END_ASYNC_FOR", "ASYNC_GEN_WRAP"}
    unsupported = {"CHECK_EG_MATCH", "PREP_RERAISE_STAR", "BUILD_TEMPLATE", "BUILD_INTERPOLATION"}
    left = {n for n in missing if not n.startswith("INSTRUMENTED_")} - internal - asynchronous - unsupported
    assert not left
