"""`python -m tests.covered.python_page` writes docs/coverage-of-python.md from the programs of `tests/semantics`.

A construct works if a program that uses it agrees with CPython; the programs are read, not run, and those that may be
refused do not count. What no program uses is tried (`python_probes`), and the page has the reason of the refusal.
"""

from __future__ import annotations

import ast
import builtins
import collections
import functools
import importlib
import pathlib
import types
from collections.abc import Iterator

import xlapy
from tests.semantics import conftest, runner

from . import python_constructs as constructs
from .python_probes import PROBES

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "coverage-of-python.md"
TESTS = pathlib.Path(runner.__file__).parent
HEAD = """\
# What of Python compiles

Written by `python -m tests.covered.python_page` from the programs of `tests/semantics`, each of which is compared with
CPython; a test fails where this page is stale. *works* means that programs that use the construct agree with
CPython; *refused* stands with the reason a user reads.
"""
SECTIONS = {
    "Statements": constructs.STATEMENTS,
    "Expressions": constructs.EXPRESSIONS,
    "Operators": constructs.OPERATORS,
    "Patterns": constructs.PATTERNS,
    "Functions": constructs.FUNCTIONS,
    "Built-ins": {f"builtin {name}": f"`{name}`" for name in constructs.built_ins()},
    "Special methods of classes": {f"method {name}": f"`{name}`" for name in constructs.SPECIAL_METHODS},
    "Modules of the standard library": {f"module {name}": f"`{name}`" for name in constructs.MODULES},
}


# -- what a program uses ---------------------------------------------------------------------------------------------


def labels(node: ast.AST) -> Iterator[str]:
    """The constructs that one node of a syntax tree is."""
    kind = type(node).__name__
    yield kind
    match node:
        case ast.Name(id=name):
            if hasattr(builtins, name):
                yield f"builtin {name}"
            yield f"module {name}"
        case ast.ImportFrom(module=module):
            yield f"module {module}"
        case ast.For(orelse=[_, *_]) | ast.While(orelse=[_, *_]):
            yield f"{kind} else"
        case ast.Try():
            yield from (f"Try {part}" for part in ("orelse", "finalbody") if getattr(node, part))
            yield from ("Try several" for _ in node.handlers[1:])
        case ast.Raise(cause=ast.AST()):
            yield "Raise from"
        case ast.Raise(exc=None):
            yield "Raise again"
        case ast.Delete(targets=targets):
            yield from (f"Delete {type(target).__name__}" for target in targets)
        case ast.AugAssign(target=target):
            yield f"AugAssign {type(target).__name__}"
        case ast.Assign(targets=targets):
            yield from ("Assign several" for _ in targets[1:])
            yield from (f"Assign {type(target).__name__}" for target in targets)
        case ast.Compare(ops=[_, _, *_]):
            yield "Compare chain"
        case ast.Slice(step=ast.AST()):
            yield "Slice step"
        case ast.comprehension(ifs=[_, *_]):
            yield "comprehension if"
        case ast.FormattedValue(format_spec=ast.AST()):
            yield "FormattedValue spec"
        case ast.Call(args=args, keywords=keywords):
            yield from ("Call *" for arg in args if isinstance(arg, ast.Starred))
            yield from ("Call **" if keyword.arg is None else "Call keyword" for keyword in keywords)
        case ast.arguments():
            parts = ("posonlyargs", "kwonlyargs", "vararg", "kwarg", "defaults")
            yield from (f"arguments {part}" for part in parts if getattr(node, part))
        case ast.ClassDef(bases=bases, body=body, decorator_list=decorators):
            yield from ("ClassDef base" for _ in bases)
            yield from ("ClassDef decorator" for _ in decorators)
            yield from (f"method {item.name}" for item in body if isinstance(item, ast.FunctionDef))
        case ast.FunctionDef(decorator_list=[_, *_]):
            yield "FunctionDef decorator"


class Module:
    """The syntax tree of a test file: what each of its definitions uses, and which others it names."""

    def __init__(self, module: types.ModuleType) -> None:
        self.tree = ast.parse(pathlib.Path(module.__file__ or "").read_text())
        self.named: dict[str, list[ast.AST]] = collections.defaultdict(list)
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.named[node.name].append(node)
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Name):
                    self.named[target.id].append(node)
        self.at_line: dict[int, list[ast.AST]] = collections.defaultdict(list)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.Lambda):
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
                self.at_line[first].append(node)

    @functools.cache  # noqa: B019
    def uses(self, node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
        """The constructs of a definition, and the names in it."""
        body = [part for part in ast.iter_child_nodes(node) if not self._registers(node, part)]
        parts = [node, *(inner for part in body for inner in ast.walk(part))]
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        return frozenset(label for part in parts for label in labels(part)), frozenset(names)

    @staticmethod
    def _registers(node: ast.AST, part: ast.AST) -> bool:
        """Whether a decorator enters a program into its table."""
        return part in getattr(node, "decorator_list", ()) and "program" in ast.dump(part)

    def reach(self, function: types.FunctionType) -> set[str]:
        """The constructs that a function and the definitions it names use."""
        todo = list(self.at_line.get(function.__code__.co_firstlineno, ()))
        seen, found = set(map(id, todo)), set()
        while todo:
            used, names = self.uses(todo.pop())
            found |= used
            for name in names:
                for node in self.named.get(name, ()):
                    if id(node) not in seen:
                        seen.add(id(node))
                        todo.append(node)
        return found


def evidence() -> collections.Counter:
    """How many programs that agree with CPython use each construct."""
    pending = conftest.read_pending()
    count: collections.Counter = collections.Counter()
    for file in sorted(TESTS.glob("test_*.py")):
        module = importlib.import_module(f"tests.semantics.{file.stem}")
        table = getattr(getattr(module, "program", None), "table", ())
        source = Module(module) if table else None
        for program in table:
            listed = f"{file.name}::test_programs[{program.name}]" in pending or program.options.get("refuse")
            function = getattr(program.fn, "__func__", program.fn)
            if not listed and isinstance(function, types.FunctionType):
                count.update(source.reach(function))  # type: ignore[union-attr]
    return count


# -- the page --------------------------------------------------------------------------------------------------------


def reason(text: str) -> str:
    """Why a function is refused, by the text of its definition; empty if it compiles."""
    space: dict = {}
    exec(compile(text, "<probe>", "exec"), space)
    try:
        xlapy.jit(space["probe"])(1.5)
    except xlapy.NotOffloadableError as error:
        return f"{error.blockers[0].code}: {error.blockers[0].message}"
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"
    return ""


@functools.cache
def states() -> dict[str, str]:
    """The state of every construct."""
    count = evidence()
    found = {}
    for table in SECTIONS.values():
        for label in table:
            if count[label]:
                found[label] = "works"
            elif label in PROBES:
                why = reason(PROBES[label])
                found[label] = f"refused: {why}" if why else "compiles"
            else:
                found[label] = "missing"
    return found


def text() -> str:
    """The page."""
    state = states()
    page = HEAD
    for section, table in SECTIONS.items():
        page += f"\n## {section}\n\n| | |\n|---|---|\n"
        page += "".join(f"| {name} | {state[label]} |\n".replace("| |", "\\| |") for label, name in table.items())
    return page


if __name__ == "__main__":
    PAGE.write_text(text())
    print("\n".join(label for label, state in states().items() if state in ("missing", "compiles")))
