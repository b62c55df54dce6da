"""Sweeps: the same rows as the command, on threads and on the workers of a client."""

import os
import signal

import numpy as np
import pytest

import stickslip
from stickslip import _study

SCENE = "bouncing-ball"
VARY = {"body.ball.mass": "-1:8:10", "simulation.integrator": ["rattle", "moreau"]}
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
    assert result.columns == ["body.ball.mass", "simulation.integrator", "max(ball.z)", "hits"]
    assert result.units == {"max(ball.z)": "m"}
    bad = result["body.ball.mass"] <= 0
    assert (result.status[bad] == "bad-input").all() and (result.status[~bad] == "done").all()
    assert np.isnan(result["hits"][bad]).all() and not np.isnan(result["hits"][~bad]).any()
    assert all("mass" in text for text, is_bad in zip(result.message, bad) if is_bad)
    run = stickslip.load(SCENE)
    run.update({"simulation.duration": 0.5, "body.ball.mass": 3, "simulation.integrator": "moreau"})
    highest = run.run(progress=False)["ball.z"].max()
    here = (result["body.ball.mass"] == 3) & (result["simulation.integrator"] == "moreau")
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
        ({"body.ball.mas": "1:2:2"}, MEASURES, "mass"),
        ({"body.ball.mass": "1:1:2"}, MEASURES, "the range is empty"),
        (VARY, ["max(ball.q)"], "ball.q"),
    ]:
        with pytest.raises(ValueError, match=reason):
            stickslip.sweep(scene(), vary, measures)


def test_a_worker_that_is_killed_loses_nothing(tmp_path, monkeypatch):
    distributed = pytest.importorskip("dask.distributed")
    vary = {"body.ball.mass": "1:3:100"}
    local = stickslip.sweep(scene(), vary, MEASURES, out=tmp_path / "local", jobs=2)
    killed = []
    by_client = _study._by_client

    def and_kill(client, parts, records, left, tell):
        def told(over, failed):
            if not killed and over >= 10:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)
            tell(over, failed)

        by_client(client, parts, records, left, told)

    monkeypatch.setattr(_study, "_by_client", and_kill)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            stickslip.sweep(scene(), vary, MEASURES, out=tmp_path / "dask", client=client)
    assert killed
    assert table(tmp_path / "dask") == table(local.folder)
