"""Generators as state machines: those of the standard library become reducible programs; random walks are the same."""

import types

import pytest

from xlapy.frontend import check, operations, resumable

from .corpus import nested, sources

CO_GENERATOR = 0x20


@pytest.mark.parametrize("part", ["ast.py", "difflib.py", "tokenize.py", "traceback.py", "pkgutil.py"])
def test_generators_of_the_standard_library(part):
    path = sources()["stdlib"] / part
    root = compile(path.read_bytes(), str(path), "exec")
    found = [code for code in nested(root) if code.co_flags & CO_GENERATOR]
    assert found
    for code in found:
        made = resumable(code)
        check(made.program)
        resumed = {op.imm for op in operations(made.program.body) if op.kind == "is_state"}
        yields = {op.imm for op in operations(made.program.body) if op.kind == "set_state"}
        assert yields - {-1} <= resumed


def both_loops(n):
    for a in range(n):
        for b in range(a):
            stop = yield a, b
            if stop:
                break


def code_of(f: types.FunctionType) -> types.CodeType:
    return f.__code__


def test_what_is_kept_is_what_is_live():
    made = resumable(code_of(both_loops))
    names = [made.program.register_names[r] for r in made.saved]
    assert "n" in names and "stop" not in names and not made.cleans_up


def protected(x):
    try:
        yield x
    finally:
        print(x)


def test_clean_up_is_noticed():
    assert resumable(code_of(protected)).cleans_up
