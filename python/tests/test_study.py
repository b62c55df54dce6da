"""Studies: the same numbers as by the commands, on threads and on the workers of a client."""

import csv
import json
import os
import pickle
import signal
import subprocess
import sys

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
    vary = {"body.ball.density": "1000:3000:1000"}
    local = stickslip.sweep(scene(), vary, MEASURES, out=tmp_path / "local", jobs=2)
    killed = []
    by_client = _study._by_client

    def and_kill(client, rows_of, parts, records, left, tell):
        def told(over):
            if not killed and over >= 10:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)
            tell(over)

        by_client(client, rows_of, parts, records, left, told)

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


def by_command(*arguments):
    """What a command prints with --json."""
    done = subprocess.run(
        [sys.executable, "-m", "stickslip", *arguments, "--json"], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


TABLE = {"parameters.shaking": 1.04, "simulation.duration": 10}
SET = ["--set", "parameters.shaking=1.04", "--set", "simulation.duration=10"]


def as_complex(pairs):
    return [complex(*pair) for pair in pairs]


def test_an_orbit_is_that_of_the_command():
    found = stickslip.orbit("vibrating-table", section="impact(ball)", set=TABLE)
    told = by_command("orbit", "vibrating-table", "--section", "impact(ball)", *SET)
    assert found.period == told["period"] and found.stable == told["stable"] and found.modes == told["modes"]
    assert found.multipliers.tolist() == as_complex(told["multipliers"])
    assert (found.t, found.q.tolist(), found.u.tolist()) == tuple(told["state"][k] for k in ("t", "q", "u"))
    # It closes, and its highest point is that of a throw from the table.
    height = found["ball.y"]
    assert found["t"][-1] == pytest.approx(found.period) and found.units["ball.y"] == "m"
    assert height[-1] == pytest.approx(height[0], abs=1e-6) and height.max() > height[0]
    again = pickle.loads(pickle.dumps(found))
    assert (again["ball.y"] == height).all() and again.period == found.period
    with pytest.raises(KeyError, match="ball.y"):
        found["ball.z"]


def test_an_orbit_that_is_not_there():
    with pytest.raises(stickslip.NotFound, match="never crosses|no periodic orbit|does not come back"):
        stickslip.orbit("vibrating-table", section="ball.y crosses 100 up", set=TABLE)
    with pytest.raises(ValueError, match="it must be one of event-driven, rattle"):
        stickslip.orbit("vibrating-table", by="euler", set=TABLE)
    with pytest.raises(stickslip.SceneError, match="did you mean parameters.shaking"):
        stickslip.orbit("vibrating-table", set={"parameters.shakin": 1})


def test_a_branch_is_that_of_the_command():
    values = {"simulation.duration": 10}
    found = stickslip.branch("vibrating-table", {"parameters.shaking": (1.0, 1.1)}, set=values)
    told = by_command("continue", "vibrating-table", "--vary", "parameters.shaking=1:1.1", *SET[2:])
    assert found.kind == "orbits" and found.values.tolist() == [point["value"] for point in told["branch"]]
    assert found.period.tolist() == [point["period"] for point in told["branch"]]
    assert [list(m) for m in found.multipliers] == [as_complex(p["multipliers"]) for p in told["branch"]]
    assert found.bifurcations == [(b["kind"], b["value"]) for b in told["bifurcations"]]
    assert ("period-doubling", pytest.approx(1.0708365, abs=1e-6)) in found.bifurcations
    assert found.q.shape[0] == len(found) == found.stable.size and not found.stable[-1]
    for vary, reason in [({}, "it must have one"), ({"parameters.shaking": [1, 2, 3]}, "a branch has two")]:
        with pytest.raises(ValueError, match=reason):
            stickslip.branch("vibrating-table", vary)


def test_a_branch_of_equilibria():
    vary = {"parameters.disk_speed": "1.2:0.6"}
    found = stickslip.branch("brake-squeal", vary, equilibrium=True)
    assert found.kind == "equilibria" and np.isnan(found.period).all()
    told = by_command("continue", "brake-squeal", "--vary", "parameters.disk_speed=1.2:0.6", "--equilibrium")
    assert found.bifurcations == [(b["kind"], b["value"]) for b in told["bifurcations"]]
    assert found.bifurcations[0][0] == "hopf" and found.q.tolist() == [p["state"]["q"] for p in told["branch"]]
    assert all(len(own) for own in found.eigenvalues) and found.stable[0] and not found.stable[-1]


def test_a_bifurcation_diagram_is_that_of_the_command(tmp_path):
    vary = {"parameters.shaking": "0.8:1.2:2"}
    found = stickslip.bifurcation(
        "vibrating-table", vary, "impact(ball)", discard=60, keep=8, follow="up", set={"simulation.duration": 5}
    )
    assert found.values.tolist() == [0.8, 1.2] and found.going.tolist() == ["up", "up"]
    assert found.periods.tolist() == [1, 2] and len(found) == 16
    assert found.units == {"t": "s", "normal_velocity_after": "m/s"}
    by_command(
        "bifurcation", "vibrating-table", "--vary", "parameters.shaking=0.8:1.2:2", "--section", "impact(ball)", "--discard",
        "60", "--keep", "8", "--follow", "up", "--set", "simulation.duration=5", "--out", str(tmp_path / "a"),
    )  # fmt: skip
    with open(tmp_path / "a" / "bifurcation.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name in ("parameters.shaking", "period", "t", "normal_velocity_after"):
        assert found[name].tolist() == [float(row[name] or 0) for row in rows]
    with pytest.raises(ValueError, match='it must be "up", "down" or "both"'):
        stickslip.bifurcation("vibrating-table", vary, "impact(ball)", follow="left")
    with pytest.raises(ValueError, match="keep is 0"):
        stickslip.bifurcation("vibrating-table", vary, "impact(ball)", keep=0)


STARTS = {"start.x": "-3:0.29:4", "start.v": "-3:3:3"}
STROBE = {"section": "period 2*pi/omega", "discard": 40, "keep": 8}
STEPS = {"simulation.step": 1.2, "simulation.output_step": 1.2}


def test_basins_are_those_of_the_command_on_threads_and_on_workers(tmp_path):
    found = stickslip.basins("impact-oscillator", STARTS, set=STEPS, out=tmp_path / "a", **STROBE)
    assert found.number.shape == (4, 3) == found["start.x"].shape and found.units == {}
    assert {a.kind for a in found.attractors} == {"periodic"} and found.fractions.sum() == pytest.approx(1)
    assert [a.count for a in found.attractors] == [int((found.number == k + 1).sum()) for k in range(len(found.attractors))]
    by_command(
        "basins", "impact-oscillator", "--vary", "start.x=-3:0.29:4", "--vary", "start.v=-3:3:3", "--section", STROBE["section"],
        "--discard", "40", "--keep", "8", "--set", "simulation.step=1.2", "--set", "simulation.output_step=1.2", "--out",
        str(tmp_path / "b"),
    )  # fmt: skip
    tables = [(tmp_path / own / "basins.csv").read_text() for own in ("a", "b")]
    assert tables[0] == tables[1]
    distributed = pytest.importorskip("dask.distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            other = stickslip.basins("impact-oscillator", STARTS, set=STEPS, client=client, **STROBE)
    assert other.folder is None and (other.number == found.number).all()


def test_a_section_that_is_never_passed_has_no_basins():
    with pytest.raises(ValueError, match="at no point the section is passed"):
        stickslip.basins(
            "impact-oscillator", {"start.x": [-1, 0]}, section="mass.x crosses 9 up", set={"simulation.duration": 5}, discard=1, keep=2
        )


def test_exponents_are_those_of_the_command():
    found = stickslip.lyapunov("vibrating-table", transient=1, duration=2, set={"parameters.shaking": 1.04}, all=True)
    told = by_command(
        "lyapunov", "vibrating-table", "--all", "--transient", "1", "--duration", "2", "--set", "parameters.shaking=1.04"
    )
    numbers = [-np.inf if value is None else value for value in told["exponents"]]
    assert found.exponents.tolist() == numbers and found.duration == told["duration"]
    assert found.running.shape[0] == len(found.t) > 10
