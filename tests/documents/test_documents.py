"""What the pages in docs show is what their programs print."""

import zlib
from pathlib import Path

import pytest

from xlapy.dispatch import registry

from . import document

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENTS = """
index coming-from-numba coming-from-jax loops-and-branches writing-in-place classes-and-containers gradients
random-numbers gpus-and-tpus when-it-is-refused when-it-is-slow ahead-of-time how-it-works accepted-differences
what-compiles
""".split()


@pytest.fixture(autouse=True)
def _restore_tables():
    yield
    registry.FUNCTIONS.pop(id(zlib.adler32), None)
    for key in [key for key, (item, _) in registry.FUNCTIONS.items() if getattr(item, "__module__", "") == "document"]:
        del registry.FUNCTIONS[key]


def test_every_page_with_programs_is_run():
    """But for the list of refusals, of words, and what needs several devices, which have tests of their own."""
    written = {page.stem for page in DOCS.glob("*.md") if list(document.blocks(page.read_text()))}
    assert written - {"errors", "words", "many-devices"} == set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_runs_and_shows_what_it_prints(name):
    for block, printed in document.outputs((DOCS / f"{name}.md").read_text()):
        shown = (block.printed or "").rstrip("\n")
        assert printed == shown, f"{block.filename}: run `python -m tests.documents.document docs/{name}.md`"


EXAMPLE = """\
# A document

## It runs

```python
def f(x):
    return x + 1


print(f(1))
```

and goes on:

```python
f(2)
```

```text
stale
```

## It raises

```python
try:
    f("a")
except TypeError as error:
    place = error.__traceback__.tb_next
    print(place.tb_frame.f_code.co_filename, place.tb_lineno)
```
"""


def test_outputs_are_written_and_lines_are_those_of_the_section():
    text = document.written(EXAMPLE)
    assert "print(f(1))\n```\n\n```text\n2\n```\n\nand goes on" in text
    assert "stale" not in text and "f(2)\n```\n\n## It raises" in text
    assert document.written(text) == text
    assert [block.filename for block in document.blocks(text)] == ["it_runs.py", "it_runs.py", "it_raises.py"]
    assert [printed for _, printed in document.outputs(text)][:2] == ["2", ""]
    assert [printed for _, printed in document.outputs(text)][2] == "it_runs.py 2"
