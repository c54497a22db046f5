"""Make a program smaller while a verdict stays: statements and parts of expressions are taken out, one by one."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Iterator

from .programs import Generated

#: programs to try before giving up
MOST = 150


def reduced(program: Generated, still: Callable[[Generated], bool]) -> Generated:
    """A small program for which `still` holds, as it does for `program`."""
    tries, position, since = 0, 0, 0
    while tries < MOST:
        smaller = _smaller(program)
        if since > len(smaller):
            break
        candidate = smaller[position % len(smaller)]()
        since += 1
        if len(str(candidate)) < len(str(program)):
            tries += 1
            if _holds(candidate, still):
                program, since = candidate, 0
                continue
        position += 1
    return program


def _holds(program: Generated, still: Callable[[Generated], bool]) -> bool:
    try:
        compile(program.text, "<smaller>", "exec")
        return still(program)
    except Exception:
        return False


def _smaller(program: Generated) -> list[Callable[[], Generated]]:
    """Programs with one thing less, the largest cuts first."""
    calls = program.calls
    fewer = [calls[:n] + calls[n + 1 :] for n in range(len(calls))] if len(calls) > 1 else []
    body = program.text.removeprefix(program.header)
    prefix = program.text[: len(program.text) - len(body)]

    def edited(number: int) -> Generated:
        tree = ast.parse(body)
        next(e for n, e in enumerate(_edits(tree)) if n == number)()
        return dataclasses.replace(program, text=prefix + ast.unparse(ast.fix_missing_locations(tree)) + "\n")

    count = sum(1 for _ in _edits(ast.parse(body)))
    cuts = [functools.partial(dataclasses.replace, program, calls=some) for some in fewer]
    return [*cuts, *(functools.partial(edited, n) for n in range(count))]


def _edits(tree: ast.AST) -> Iterator[Callable[[], None]]:
    """Changes of the tree, each to be made on a tree of its own."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody", "handlers", "cases") and isinstance(value, list):
                for number, statement in enumerate(value):
                    yield lambda v=value, n=number: v.__delitem__(n)
                    if isinstance(statement, ast.stmt) and not isinstance(statement, ast.FunctionDef):
                        for inner in _blocks(statement):
                            yield lambda v=value, n=number, i=inner: v.__setitem__(slice(n, n + 1), i)
            elif isinstance(value, ast.expr):
                for part in ast.iter_child_nodes(value):
                    if isinstance(part, ast.expr):
                        yield lambda o=node, f=name, p=part: setattr(o, f, p)
            elif isinstance(value, list) and len(value) > 1 and name in ("elts", "args", "values"):
                for number in range(len(value)):
                    yield lambda v=value, n=number: v.__delitem__(n)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(statement):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
        for item in value if isinstance(value, list) else ():
            if isinstance(item, ast.ExceptHandler | ast.match_case):
                yield item.body
