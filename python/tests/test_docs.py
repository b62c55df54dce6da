"""The Python on the pages of docs/ and in README.md runs, page by page as one program."""

import os
import pathlib
import re

import pytest

SOURCES = pathlib.Path(os.environ.get("SOURCES", pathlib.Path(__file__).parents[2]))
PAGES = [SOURCES / "README.md", *sorted((SOURCES / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(page):
    """Language, words behind it, code and line of each block."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        yield found[1], found[2].strip(), found[3], text[: found.start()].count("\n") + 2


def programs():
    for page in PAGES:
        blocks = [(code, line) for language, words, code, line in snippets(page) if language == "python" and "no-run:" not in words]
        if blocks:
            yield pytest.param(page, blocks, id=str(page.relative_to(SOURCES)))


def test_the_pages_have_python():
    pages = [str(program.id) for program in programs()]
    lessons = [page for page in pages if "tutorial" in page]
    assert len(lessons) == 6 and "README.md" in pages and "docs/python.md" in pages, pages


def test_all_python_is_run():
    """Only what a marker excuses is not run; none does now."""
    left = [f"{page}:{line}" for page in PAGES for language, words, _, line in snippets(page) if language == "python" and "no-run:" in words]
    assert left == []


@pytest.mark.parametrize("page, blocks", programs())
def test_the_python_of_a_page_runs(page, blocks, tmp_path, monkeypatch, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for code, line in blocks:
        # Empty lines in front, so that an error tells the line of the page.
        exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)
