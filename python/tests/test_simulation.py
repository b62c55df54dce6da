import copy
import pickle

import numpy as np
import pytest

import stickslip


@pytest.mark.parametrize("name", ["tippe-top", "bouncing-ball", "woodpecker-toy"])
def test_pieces_give_the_same_numbers(name, tmp_path):
    scene = stickslip.load(name)
    whole = scene.simulation().step(300)
    one = scene.simulation().step(123)
    saved = one.state()
    one.save(tmp_path / "a.archive")
    two = stickslip.resume(tmp_path / "a.archive").step(177)
    three = scene.simulation()
    three.set_state(pickle.loads(pickle.dumps(saved)))
    three.step(177)
    for other in (one.step(177), two, three):
        assert other.t == whole.t and (other.q == whole.q).all() and (other.u == whole.u).all()


def test_copies_go_their_own_way(top):
    sim = top.simulation().step(10)
    other = copy.deepcopy(sim)
    there = pickle.loads(pickle.dumps(sim))
    sim.step(5)
    assert other.steps == 10 and there.steps == 10
    assert (other.step(5).q == sim.q).all() and (there.step(5).q == sim.q).all()
    sim.reset()
    assert sim.t == 0 and sim.steps == 0


def test_coordinates_and_velocities_can_be_set(slide):
    sim = slide().simulation().step(10)
    u = np.zeros(6)
    u[0] = 1.0
    sim.set_state(t=0.0, u=u)
    assert sim.t == 0 and sim.u[0] == 1.0
    sim.run_until(1.0)
    q = slide().simulation().q
    assert sim.q[0] - q[0] == pytest.approx(0.02 + 1 / (2 * 0.3 * 9.81), abs=2e-3)
    with pytest.raises(stickslip.Error, match="u has 2 numbers, it must have 6"):
        sim.set_state(u=[1, 2])
    with pytest.raises(stickslip.Error, match="finite"):
        sim.set_state(u=np.full(6, np.nan))
    with pytest.raises(TypeError):
        sim.set_state(sim.state(), t=1.0)


def test_a_state_of_another_scene_is_refused(top, slide):
    with pytest.raises(stickslip.Error, match="saved state"):
        top.simulation().set_state(slide().simulation().state())


def test_what_a_simulation_knows(slide):
    sim = slide().simulation().step(100)
    assert sim.normal_force("box-ground") == pytest.approx(9.81, rel=1e-6)
    assert sum(c["normal_percussion"] for c in sim.contacts) == pytest.approx(9.81e-3, rel=1e-6)
    assert sim.last_step == pytest.approx(1e-3) and sim.energy["kinetic"] > 0
    assert "slide" in repr(sim) and len(sim.impacts) == 0 and len(sim.events) > 0
