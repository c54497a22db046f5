"""Links between the pages lead to files and headings that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        to = (page.parent / name).resolve() if name else page
        assert to.is_file(), target
        assert not anchor or anchor in anchors(to), target


def test_the_notice_names_the_files_that_follow_others():
    """And no other files, but for those that only read what SciPy has of these."""
    following = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.glob("src/xlapy/**/*.py")
        if re.search("FreeBSD|Cephes|MINPACK|QUADPACK", path.read_text())
    }
    listed = re.findall(r"^    (src/\S+)$", (ROOT / "NOTICE").read_text(), re.MULTILINE)
    assert set(listed) == following


def test_every_page_is_in_the_navigation_of_the_site():
    shown = re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(shown) == sorted(page.name for page in ROOT.glob("docs/*.md"))
