"""`python -m tests.covered.page` writes docs/coverage-of-numpy.md from the dispatch table and the tables of calls."""

from __future__ import annotations

import ast
import inspect
import pathlib
import types

import numpy as np

from xlapy.dispatch import register_all
from xlapy.dispatch.numpy import reasons as numpy_reasons
from xlapy.dispatch.numpy.ufunc_table import GENERALISED, REFUSED, TABLE
from xlapy.dispatch.registry import find_attribute, find_function, find_method, find_replacement

from . import array_calls, numpy_calls, random_calls, refused_calls

assert register_all
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "coverage-of-numpy.md"
MODULES = {
    "np": (np, numpy_reasons.REASONS),
    "np.linalg": (np.linalg, numpy_reasons.LINALG_REASONS),
    "np.fft": (np.fft, numpy_reasons.FFT_REASONS),
    "np.random": (np.random, numpy_reasons.RANDOM_REASONS),
}
HEAD = """# What of NumPy compiles

Written by `python -m tests.covered.page` from the dispatch table and from the tables of calls in `tests/covered`, in
which every function is called with each of its documented arguments; a test fails where a function is missing or this
page is stale.

*works* means: with every documented argument, compared with NumPy in value, dtype and shape, except as said.
"""


def public(module) -> list[str]:
    """The names of a module's public functions."""
    found = [n for n in dir(module) if not n.startswith("_")]
    return [n for n in found if callable(getattr(module, n)) and not isinstance(getattr(module, n), type)]


def works(item: object) -> bool:
    """Whether a function has a rule, or is in Python."""
    if isinstance(item, np.ufunc):
        return item in TABLE or item in GENERALISED
    if isinstance(item, types.FunctionType):
        return True
    return find_function(item) is not None or find_replacement(item) is not None


def reason(prefix: str, name: str) -> str | None:
    """Why a function is refused; None if it is not."""
    module, reasons = MODULES[prefix]
    if name in reasons:
        return reasons[name]
    return REFUSED.get(getattr(module, name)) if isinstance(getattr(module, name), np.ufunc) else None


def documented(item: object) -> list[str]:
    """The optional arguments of a function."""
    try:
        parameters = inspect.signature(item).parameters.values()  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return []
    fixed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is not inspect.Parameter.empty and p.kind not in fixed]


def used(name: str, item: object, calls: list[str]) -> set[str]:
    """The arguments of a function that its calls pass, by name or by position."""
    try:
        order = list(inspect.signature(item).parameters)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        order = []
    found: set[str] = set()
    for call in calls:
        for node in ast.walk(ast.parse(call, mode="eval")):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
                found |= {k.arg for k in node.keywords if k.arg}
                found |= set(order[: len(node.args)])
    return found


def missing_arguments() -> list[str]:
    """Arguments that no call uses and that are not said to have no meaning."""
    missing = []
    for name, calls in numpy_calls.CALLS.items():
        item = eval(name, {"np": np})
        for argument in documented(item):
            if argument not in used(name, item, calls) and argument not in refused_calls.ARGUMENTS:
                missing.append(f"{name}({argument}=)")
    return missing


def status(prefix: str, name: str) -> str:
    """One cell of the table."""
    why = reason(prefix, name)
    if why is not None:
        return f"refused: {why}"
    item = getattr(MODULES[prefix][0], name)
    if isinstance(item, np.ufunc):
        return "works (ufunc: every pair of dtypes, `out`, `where`, `dtype`, `casting`; its methods)"
    calls = numpy_calls.CALLS.get(f"{prefix}.{name}") or random_calls.CALLS.get(f"{prefix}.{name}")
    if calls is None or not works(item):
        return "missing"
    refused = [f"`{call}` ({refused_calls.CALLS[call]})" for call in calls if call in refused_calls.CALLS]
    return "works" + (", except " + "; ".join(refused) if refused else "")


def table(rows: list[tuple[str, str]]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in rows)])


def array_rows() -> list[tuple[str, str]]:
    """Methods and attributes of arrays and scalars."""
    rows = []
    for name in sorted(n for n in dir(np.ndarray) if not n.startswith("_")):
        reasons = numpy_reasons.METHOD_REASONS | numpy_reasons.ATTRIBUTE_REASONS
        if name in reasons:
            rows.append((name, f"refused: {reasons[name]}"))
            continue
        known = find_method(np.ndarray, name) or find_attribute(np.ndarray, name)
        calls = array_calls.CALLS.get(f"ndarray.{name}")
        refused = [refused_calls.CALLS[c] for c in calls or () if c in refused_calls.CALLS]
        text = "missing" if known is None or calls is None else "works"
        rows.append((name, f"refused: {refused[0]}" if refused else text))
    return rows


def text() -> str:
    """The page."""
    parts = [HEAD]
    for prefix, (module, _) in MODULES.items():
        rows = [(f"{prefix}.{name}", status(prefix, name)) for name in public(module)]
        parts += [f"## {module.__name__}", table(rows)]
        if prefix == "np.random":
            draws = [n for n in dir(np.random.Generator) if not n.startswith("_")]
            found = [(f"Generator.{n}", generator_status(n)) for n in draws]
            parts += [
                "The stream is xlapy's own ([accepted differences](accepted-differences.md)); samples are compared with"
                " NumPy's statistically.",
                table(found),
            ]
    parts += ["## ndarray, and NumPy scalars", table(array_rows())]
    parts += ["## Arguments that have no meaning here", table(list(refused_calls.ARGUMENTS.items()))]
    return "\n\n".join(parts) + "\n"


def generator_status(name: str) -> str:
    if name in numpy_reasons.RANDOM_REASONS:
        return f"refused: {numpy_reasons.RANDOM_REASONS[name]}"
    return "works" if f"Generator.{name}" in random_calls.CALLS else "missing"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text())
