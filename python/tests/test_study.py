"""Sweeps: the same rows as the command, on threads and on the workers of a client."""

import os
import signal

import numpy as np
import pytest

import stickslip
from stickslip import _study

SCENE = "bouncing-ball"
VARY = {"body.ball.density": "-1000:8000:10", "simulation.integrator": ["rattle", "moreau"]}
MEASURES = ["max(ball.z)", "hits=count(impact(ball))"]


def scene():
    scene = stickslip.load(SCENE)
    scene["simulation.duration"] = 0.5
    return scene


def table(folder):
    with open(os.path.join(folder, "sweep.csv"), encoding="utf-8") as file:
        return file.read()


def test_columns_units_and_failed_points():
    result = stickslip.sweep(scene(), VARY, MEASURES, jobs=2)
    assert len(result) == 20 and result.folder is None
    assert result.columns == ["body.ball.density", "simulation.integrator", "max(ball.z)", "hits"]
    assert result.units == {"max(ball.z)": "m"}
    bad = result["body.ball.density"] <= 0
    assert (result.status[bad] == "bad-input").all() and (result.status[~bad] == "done").all()
    assert np.isnan(result["hits"][bad]).all() and not np.isnan(result["hits"][~bad]).any()
    assert all("density" in text for text, is_bad in zip(result.message, bad) if is_bad)
    run = stickslip.load(SCENE)
    run.update({"simulation.duration": 0.5, "body.ball.density": 3000, "simulation.integrator": "moreau"})
    highest = run.run(progress=False)["ball.z"].max()
    here = (result["body.ball.density"] == 3000) & (result["simulation.integrator"] == "moreau")
    assert result["max(ball.z)"][here] == [highest]


def test_a_folder_goes_on_and_another_study_is_refused(tmp_path):
    first = stickslip.sweep(scene(), VARY, MEASURES, out=tmp_path / "a", jobs=1)
    before = table(first.folder)
    again = stickslip.sweep(scene(), VARY, MEASURES, out=tmp_path / "a")
    assert table(again.folder) == before
    with pytest.raises(ValueError, match="another study"):
        stickslip.sweep(scene(), VARY, ["max(ball.z)"], out=tmp_path / "a")
    assert table(first.folder) == before
    for vary, measures, reason in [
        ({"body.ball.densit": "1:2:2"}, MEASURES, "density"),
        ({"body.ball.density": "1:1:2"}, MEASURES, "the range is empty"),
        (VARY, ["max(ball.q)"], "ball.q"),
    ]:
        with pytest.raises(ValueError, match=reason):
            stickslip.sweep(scene(), vary, measures)


def test_a_worker_that_is_killed_loses_nothing(tmp_path, monkeypatch):
    distributed = pytest.importorskip("dask.distributed")
    vary = {"body.ball.density": "1000:3000:100"}
    local = stickslip.sweep(scene(), vary, MEASURES, out=tmp_path / "local", jobs=2)
    killed = []
    by_client = _study._by_client

    def and_kill(client, parts, records, left, tell):
        def told(over):
            if not killed and over >= 10:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)
            tell(over)

        by_client(client, parts, records, left, told)

    monkeypatch.setattr(_study, "_by_client", and_kill)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            stickslip.sweep(scene(), vary, MEASURES, out=tmp_path / "dask", client=client)
    assert killed
    assert table(tmp_path / "dask") == table(local.folder)


def test_gradient_is_that_of_differences():
    scene = stickslip.load("block-on-incline")
    scene["simulation.duration"] = 0.2
    key = "default_contact.friction"
    run = scene.run()
    found = run.gradient("last(block.x)", wrt=[key])
    assert list(found) == [key] and found.unit == "m"
    assert found.value == pytest.approx(run["block.x"][-1], abs=1e-12)
    ends = [scene.run(values={key: value})["block.x"][-1] for value in (0.301, 0.299)]
    assert found[key] == pytest.approx((ends[0] - ends[1]) / 0.002, rel=1e-4)
    assert np.asarray(found).shape == (1,)
    two = scene.gradient(["last(block.x)", "speed=last(block.vx)"], wrt=key)
    assert [g.measure for g in two] == ["last(block.x)", "speed"]
    with pytest.raises(ValueError, match="default_contact.friction"):
        run.gradient("last(block.x)", wrt=["default_contact.frictio"])


def test_fit_finds_the_friction_that_made_the_data():
    scene = stickslip.load("block-on-incline")
    scene.update({"simulation.duration": 0.5, "simulation.integrator": "event-driven"})
    run = scene.run()
    noise = np.random.default_rng(1).normal(0, 1e-3, len(run.t))
    data = {"t": run.t, "block.x": run["block.x"] + noise}
    start = scene.copy()
    start["default_contact.friction"] = 0.2
    found = stickslip.fit(start, data, free=["default_contact.friction"])
    key = "default_contact.friction"
    assert found.converged
    assert abs(found.values[key] - 0.3) < 3 * found.errors[key]
    assert found.sigma["block.x"] == pytest.approx(1e-3, rel=0.3)
    assert found.scene()[key] == found.values[key]
    with pytest.raises(ValueError, match="no such column|not known|did you mean"):
        stickslip.fit(start, {"t": [0, 0.1, 0.2], "blok.x": [0, 0, 0]}, free=[key])
