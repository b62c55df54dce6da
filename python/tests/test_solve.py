import os
import pathlib

import numpy as np
import pytest

import stickslip

SLIDING = {"dimension": 3, "friction": [0.3], "delassus": np.eye(3), "c": [-1.0, 2.0, 0.0]}


@pytest.mark.parametrize("solver", ["auto", "newton", "gauss-seidel"])
def test_a_sliding_block(solver):
    found = stickslip.solve(SLIDING, solver, 1e-12)
    assert found.status == "solved" and found.residual <= 1e-12
    assert found.percussions == pytest.approx([1.0, -0.3, 0.0])
    assert found["relative_velocities"] == pytest.approx([0.0, 1.7, 0.0])


def test_files_and_errors():
    folder = pathlib.Path(os.environ.get("SOURCES", pathlib.Path(__file__).parents[2])) / "problems"
    assert stickslip.solve(folder / "block-on-incline.json").status == "solved"
    with pytest.raises(stickslip.Error, match="known are"):
        stickslip.solve(SLIDING, "nonsense")
    with pytest.raises(ValueError, match="square"):
        stickslip.solve({**SLIDING, "delassus": np.ones((2, 3))})
    with pytest.raises(stickslip.Error):
        stickslip.solve({**SLIDING, "c": [np.nan, 0, 0]})


def test_strict_raises():
    random = np.random.default_rng(3)
    rows = random.normal(size=(12, 8))
    problem = {"dimension": 3, "friction": [0.9] * 4, "delassus": rows @ rows.T, "c": random.normal(size=12)}
    with pytest.raises(stickslip.NotConverged) as error:
        stickslip.solve(problem, "gauss-seidel", 1e-15, max_iterations=1, strict=True)
    assert error.value.residual > 1e-15
    assert stickslip.solve(error.value.problem).status == "solved"
