"""The cells of docs/notebooks run one after the other."""

import json
import os
import pathlib

import pytest

FOLDER = pathlib.Path(os.environ.get("SOURCES", pathlib.Path(__file__).parents[2])) / "docs" / "notebooks"


def test_there_are_four():
    assert len(list(FOLDER.glob("*.ipynb"))) == 4


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(path), "exec"), names)
