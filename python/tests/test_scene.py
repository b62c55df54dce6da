import copy
import pickle

import numpy as np
import pytest

import stickslip


def test_the_ten_lines_of_the_readme(tmp_path):
    scene = stickslip.load("tippe-top")
    scene["parameters.contact_radius"] = "1 mm"
    run = scene.run(duration=0.2)
    assert run.status == "done" and run.t[-1] == pytest.approx(0.2)
    assert run["theta"].shape == run.t.shape and run.units["theta"] == "rad"
    assert run.summary["steps"] == 2000
    assert run.contact("body").force[-1] == pytest.approx(0.006 * 9.81, rel=0.2)
    assert run.state(0.13).t == pytest.approx(0.13)
    run.save(tmp_path / "a.npz")
    assert (np.load(tmp_path / "a.npz")["theta"] == run["theta"]).all()
    run.report(tmp_path / "a.html")
    assert "<html" in (tmp_path / "a.html").read_text()[:200]
    sim = scene.simulation()
    sim.step(100)
    assert sim.t == pytest.approx(0.01) and sim.steps == 100
    sim.save(tmp_path / "x.archive")
    again = stickslip.resume(tmp_path / "x.archive")
    assert (again.q == sim.q).all() and (again.u == sim.u).all()


def test_every_scene_of_the_program_loads():
    names = stickslip.scenes()
    assert "tippe-top" in names and len(names) > 30
    for name in names:
        assert stickslip.load(name).name


def test_values_by_dotted_key(top):
    assert top["parameters.mass"] == pytest.approx(6e-3)
    top["parameters.mass"] = 0.007
    assert top["parameters.mass"] == 0.007
    assert "parameters.mass" in top and "parameters.nonsense" not in top
    with pytest.raises(KeyError, match="nonsense"):
        top["parameters.nonsense"]
    top.update({"simulation.duration": 0.1, "simulation.step": "0.1 ms"})
    assert top.run().t[-1] == pytest.approx(0.1)
    cradle = stickslip.load("newtons-cradle")
    assert cradle["body.left.mass"] == cradle["body.0.mass"] == 0.5


def test_a_value_that_is_refused_changes_nothing(top):
    before = top.to_toml()
    with pytest.raises(stickslip.SceneError) as error:
        top["parameters.mas"] = 1
    assert error.value.key == "parameters.mas" and "parameters.mas" in str(error.value)
    with pytest.raises(stickslip.SceneError):
        top["parameters.mass"] = -1.0
    assert top.to_toml() == before


def test_an_error_of_a_file_has_its_place(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("format = 1\n[[body]]\nname = 'a'\n  mas = 1\n")
    with pytest.raises(stickslip.SceneError) as error:
        stickslip.load(path)
    wrong = error.value
    assert (wrong.file, wrong.line, wrong.column, wrong.key) == (str(path), 4, 3, "body.0.mas")
    assert "did you mean" in str(wrong)
    assert pickle.loads(pickle.dumps(wrong)).line == 4
    with pytest.raises(stickslip.SceneError, match="tippe-top"):
        stickslip.load("tipe-top")


def test_a_scene_repeats_itself_from_its_text(top, same):
    top["parameters.friction_coefficient"] = 0.25
    again = stickslip.Scene.from_toml(top.to_toml(), top.name)
    assert same(top.run(0.05), again.run(0.05)) == 0


def test_copies_are_apart(top):
    other = copy.copy(top)
    other["parameters.mass"] = 0.01
    assert top["parameters.mass"] == pytest.approx(6e-3)
    there = pickle.loads(pickle.dumps(other))
    assert there["parameters.mass"] == 0.01 and repr(there) == repr(other)


def test_check_says_whether_a_scene_can_run(top):
    found = stickslip.check(top)
    assert found and found.ok and "mass of top" in str(found)
    assert stickslip.check("bouncing-ball")
