"""docs/words.md: what it says is there, its examples run, and files and names keep to its words."""

import ast
import math
import re
from collections import Counter
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

import xlapy

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "xlapy"
TEXT = (ROOT / "docs" / "words.md").read_text()
ENTRIES = re.findall(r"^### (.*?)\n\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL)
FILES = sorted(PACKAGE.rglob("*.py"))
#: names that several files may have. The list may only get shorter
SHARED_NAMES = {"__init__.py"}
#: names of files that are those of folders, too. The list may only get shorter
NAMES_OF_FOLDERS = {"numbers"}


def sentences_of(text: str) -> list[str]:
    """The sentences before the example of an entry."""
    return re.split(r"(?<=[.!?]) ", " ".join(text.split("\n\n```")[0].split()))


def words_of(name: str) -> set[str]:
    """The words that a name is made of: `_AsGrowable_list` is as, growable, list."""
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")) - {""}


def retired() -> list[tuple[set[str], list[Path]]]:
    """Words that were given up, each row with the folders in which names may not have them."""
    rows = re.findall(r"^\| (?!given up|---)(.*?) \| .*? \| (.*?) \|$", TEXT, re.MULTILINE)
    return [
        (
            set(words.split(", ")),
            [PACKAGE] if folders == "all" else [PACKAGE / f for f in re.findall("`(.*?)`", folders)],
        )
        for words, folders in rows
    ]


def same(a, b) -> bool:
    """Whether two results are alike: types, structure and numbers."""
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return type(a) is type(b) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and np.array_equal(np.asarray(a), np.asarray(b)) or bool(np.allclose(a, b, rtol=1e-12))


def test_there_are_entries():
    assert len(ENTRIES) > 40
    assert len({term for term, _ in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize(("term", "text"), ENTRIES, ids=[term for term, _ in ENTRIES])
def test_an_entry(term, text):
    assert len(sentences_of(text)) == 1, "one sentence"
    modules = re.search(r"^Modules?: (.*?)$", text, re.MULTILINE)
    assert modules, "the module where it lives"
    for module in re.findall("`(.*?)`", modules[1]):
        assert (PACKAGE / module).is_file(), module


@pytest.mark.parametrize(("term", "text"), ENTRIES, ids=[term for term, _ in ENTRIES])
def test_an_example_is_the_same_program_compiled(term, text):
    (program,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    *definitions, last = ast.parse(program).body
    assert isinstance(last, ast.Expr) and isinstance(last.value, ast.Call), "the last line is a call"
    call = last.value
    space = {"np": np, "math": math, "xlapy": xlapy}
    exec(compile(ast.Module(definitions, []), f"<{term}>", "exec"), space)

    def evaluated(node):
        return eval(compile(ast.Expression(node), f"<{term}>", "eval"), space)

    function, args = evaluated(call.func), [evaluated(arg) for arg in call.args]
    expected = function(*deepcopy(args))
    assert same(expected, xlapy.jit(function)(*args))


def test_no_two_files_have_one_name():
    names = Counter(path.name for path in FILES)
    assert {name for name, count in names.items() if count > 1} == SHARED_NAMES


def test_no_file_is_named_as_a_folder():
    folders = {path.parent.name for path in FILES}
    assert folders & {path.stem for path in FILES} == NAMES_OF_FOLDERS


def definitions(path: Path, words: set[str]) -> list[str]:
    """The classes and functions of a file whose names have one of `words`. Examples in docstrings do not count: a file
    is parsed if a line of it looks like such a definition."""
    text = path.read_text()
    if not any(words & words_of(name) for name in re.findall(r"^ *(?:async def|def|class) (\w+)", text, re.MULTILINE)):
        return []
    nodes = (
        n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [f"{path.relative_to(ROOT)}:{n.lineno}: {n.name}" for n in nodes if words & words_of(n.name)]


def test_words_that_were_given_up_are_in_no_name():
    found = []
    for words, folders in retired():
        assert words
        found += [path for path in FILES if words & words_of(path.stem)]
        for path in FILES:
            if any(folder in path.parents for folder in folders):
                found += definitions(path, words)
    assert not found
