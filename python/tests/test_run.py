import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import stickslip


def test_columns_are_not_copied(top):
    run = top.run(0.05)
    assert run["theta"] is run["theta"] and run["theta"].dtype == np.float64
    assert run["body.state"].dtype == np.int8
    assert set(run.columns) == set(run) and "theta" in run and len(run) == len(run.t)
    with pytest.raises(KeyError, match="there are t, x"):
        run["thta"]


def test_the_contact_of_a_resting_box_carries_its_weight(slide):
    run = slide().run()
    contact = run.contact("box-ground")
    assert contact.force[-1] == pytest.approx(9.81, rel=1e-6)
    assert contact.state[-1] == 1 and contact.state[5] == 2
    stop = contact.events["t"][contact.events["event"] == "stick"][0]
    assert stop == pytest.approx(np.hypot(2, 0.5) / (0.3 * 9.81), abs=2e-3)
    with pytest.raises(AttributeError, match="force"):
        contact.nonsense
    with pytest.raises(KeyError, match="box-ground"):
        run.contact("box")


def test_impacts_are_a_table():
    run = stickslip.load("bouncing-ball").run(1.5)
    first, second = run.impacts[:2]
    assert first["contact"] == "table"
    assert first["t"] == pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=2e-3)
    assert first["normal_velocity_after"] == pytest.approx(-0.8 * first["normal_velocity_before"], rel=1e-2)
    assert len(stickslip.load("bouncing-ball").run(0.1).impacts) == 0


def test_the_state_at_a_time_is_that_of_a_simulation(top):
    run = top.run(0.3)
    sim = top.simulation().run_until(0.2)
    assert (run.state(0.2).q == sim.q).all()
    with pytest.raises(ValueError, match="0.3"):
        run.state(0.4)


def test_tables_of_other_packages(top):
    run = top.run(0.02)
    pandas = pytest.importorskip("pandas")
    frame = run.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and (frame["theta"] == run["theta"]).all()
    assert frame.attrs["units"]["theta"] == "rad"
    pytest.importorskip("polars")
    assert run.to_polars().shape == (len(run), len(run.columns))


def test_a_plot_has_a_line_for_each_column(top):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = top.run(0.02).plot("theta", "spin")
    assert [line.get_label() for line in axes.lines] == ["theta / rad", "spin / rad/s"]


def test_pages_and_words(top, monkeypatch):
    run = top.run(0.02)
    assert "tippe-top" in repr(run) and "21 rows" in repr(run)
    assert "<iframe" in run._repr_html_()
    monkeypatch.setattr("stickslip._run.INLINE_BYTES", 1000)
    assert "<iframe" not in run._repr_html_()
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = run.show()
    assert opened == ["file://" + path] and os.path.getsize(path) > 1000
    shutil.rmtree(os.path.dirname(path))


def test_without_a_browser_the_page_is_served(top, monkeypatch, capsys):
    run = top.run(0.02)
    monkeypatch.setattr("webbrowser.open", lambda _url: False)
    path = run.show()
    url = re.search(r"http://\S+", capsys.readouterr().out)[0]
    with urllib.request.urlopen(url) as answer:
        assert "tippe-top" in answer.read().decode()
    shutil.rmtree(os.path.dirname(path))
    monkeypatch.setattr("stickslip._run.in_notebook", lambda: True)
    assert "<iframe" in run.show()._repr_html_()


def test_a_run_is_pickled_with_what_it_was_of(top):
    top["parameters.friction_coefficient"] = 0.2
    run = top.run(0.05, output_step=5e-3)
    top["parameters.friction_coefficient"] = 0.4
    again = pickle.loads(pickle.dumps(run))
    assert (again["theta"] == run["theta"]).all() and again.summary == run.summary
    # Computed again from its scene.
    assert (again.state(0.05).q == run.state(0.05).q).all()
    assert "<html" in again.html()[:200]


def test_ctrl_c_ends_a_run(top):
    begin = time.monotonic()
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        top.run(duration=1000.0, output_step=1.0)
    assert time.monotonic() - begin < 5


def test_ctrl_c_ends_steps(top):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    sim = top.simulation()
    with pytest.raises(KeyboardInterrupt):
        sim.step(10**9)
    t = sim.t
    assert 0 < t
    sim.step()
    assert sim.t > t


def test_other_threads_go_on_during_a_run(top):
    counted = []
    over = threading.Event()

    def count():
        while not over.is_set():
            counted.append(1)
            time.sleep(1e-3)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    top.run(1.0)
    taken = time.monotonic() - begin
    over.set()
    thread.join()
    assert len(counted) > 0.1 * taken / 1e-3


CONTRADICTION = """
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
[[joint]]
kind = "fixed"
bodies = ["ground", "a"]
[[joint]]
kind = "prismatic"
bodies = ["ground", "a"]
at = [0, 0, 0]
motor = { speed = "0.5*(1 + sign(t - 1.2e-3))" }
[simulation]
duration = 2e-3
output_step = 1e-3
"""


def test_a_problem_that_is_not_solved_is_in_the_exception():
    scene = stickslip.Scene.from_toml(CONTRADICTION)
    with pytest.raises(stickslip.NotConverged, match="contradict") as error:
        scene.run()
    wrong = error.value
    assert wrong.residual > 1e-3 and wrong.t == pytest.approx(1e-3) and wrong.status == "not-converged"
    # What was reached is there, and the problem can be looked at alone.
    assert wrong.run.status == "not-converged" and len(wrong.run) == 2
    assert stickslip.solve(wrong.problem, max_iterations=100).status != "solved"
    with pytest.raises(stickslip.NotConverged):
        scene.simulation().step(2)


def test_a_failed_status_becomes_its_exception():
    from stickslip._errors import of_status

    error = of_status("not-converged", "no", 0.5, 1e-3, '{"c": [1]}')
    assert isinstance(error, stickslip.NotConverged) and isinstance(error, stickslip.RunError)
    assert (error.t, error.residual, error.problem) == (0.5, 1e-3, {"c": [1]})
    assert of_status("failed", "no").status == "failed"


def test_a_bar_is_drawn_where_it_is_asked_for(top, capsys):
    top.run(30.0, step=1e-4, output_step=0.1, progress=True)
    assert "tippe-top [" in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        top.run(0.05)
    assert capsys.readouterr().err == ""


def test_memory_does_not_grow_from_run_to_run(slide):
    resource = pytest.importorskip("resource")
    scene = slide(duration=0.05).scene()
    for _ in range(200):
        scene.run()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1000):
        scene.run()
    # kB on Linux.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1000


def test_the_command_line_comes_with_the_package(tmp_path):
    def call(*arguments):
        command = [sys.executable, "-m", "stickslip", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    done = call("run", "bouncing-ball", "--out", "ball", "--no-report")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ball" / "trajectory.csv").exists()
    wrong = call("run", "bouncing-bal")
    assert wrong.returncode == 2 and "bouncing-ball" in wrong.stderr
    assert Path(sys.executable).with_name("stickslip").exists()


def test_arrays_of_the_command_are_those_of_its_table(tmp_path):
    arguments = ["run", "tippe-top", "--set", "simulation.duration=0.02", "--formats", "npz", "--out", "out"]
    command = [sys.executable, "-m", "stickslip", *arguments, "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True)
    with zipfile.ZipFile(tmp_path / "out/trajectory.npz") as file:
        assert file.testzip() is None
    table = np.genfromtxt(tmp_path / "out/trajectory.csv", delimiter=",", names=True)
    arrays = np.load(tmp_path / "out/trajectory.npz")
    assert len(arrays["t"]) == 21 and arrays["theta"] == pytest.approx(table["theta"], rel=1e-15)
    assert json.loads(bytes(arrays["units"]))["theta"] == "rad"
