import traceback

import numpy as np
import pytest

import stickslip


def disk(x):
    size = np.linalg.norm(x)
    return x if size <= 1 else x / size


@pytest.mark.parametrize("integrator", ["rattle", "moreau", "moreau-rk4", "event-driven"])
def test_a_friction_function_is_the_built_in_coulomb_run(slide, same, integrator):
    calls = []

    def friction(v):
        calls.append(v)
        return 0.3

    own = slide(friction, integrator=integrator).run()
    assert same(own, slide(0.3, integrator=integrator).run()) <= 1e-12
    assert max(calls) > 1.0, "it was asked at speeds of sliding"
    assert same(slide(lambda v: 0.2, integrator=integrator).run(), own) > 0.1


def test_friction_that_falls_with_the_speed_is_that_of_a_table(slide, same):
    own = slide(lambda v: float(np.interp(v, [0, 1, 10], [0.4, 0.2, 0.2]))).run()
    assert same(own, slide("0.4 - 0.2*min(v, 1)").run()) <= 1e-9


def test_a_force_that_is_zero_changes_nothing(slide, same):
    scene = slide().scene().force(lambda t, q, u: np.zeros(6))
    assert same(scene.run(), slide().run()) == 0


def test_a_force_moves_a_body_as_newton_says():
    world = stickslip.World(gravity=(0, 0, 0))
    world.body("ball", mass=2, shapes=[stickslip.Sphere(0.05)])
    world.force(lambda t, q, u: [3.0 * t, 0, 0, 0, 0, 0])
    run = world.run(1.0)
    assert run["ball.vx"][-1] == pytest.approx(3 / 2 / 2, rel=1e-6)
    assert run["ball.x"][-1] == pytest.approx(3 / 2 / 6, rel=1e-5)
    assert abs(run.summary["energy"]["closing_error"]) < 1e-6


def test_an_exception_in_a_function_ends_the_run_with_its_traceback(slide):
    def force(t, q, u):
        if t > 0.1:
            raise ZeroDivisionError("in my force")
        return np.zeros(6)

    scene = slide().scene().force(force)
    with pytest.raises(ZeroDivisionError) as error:
        scene.run()
    assert "in force" in "".join(traceback.format_exception(error.value))
    sim = scene.simulation()
    with pytest.raises(ZeroDivisionError):
        sim.step(1000)
    # The scene is as good as before.
    assert scene.run(0.05).status == "done"


@pytest.mark.parametrize("wrong, words", [(np.nan, "nan"), (np.inf, "inf"), ("text", "real number|float")])
def test_what_is_no_number_ends_the_run(slide, wrong, words):
    scene = slide().scene().force(lambda t, q, u: [wrong] * 6)
    with pytest.raises((stickslip.Error, TypeError), match=f"(?i){words}"):
        scene.run()
    with pytest.raises((stickslip.Error, TypeError)):
        slide().scene().friction("box-ground", lambda v: wrong).run()


def test_a_force_of_another_length_is_refused(slide):
    with pytest.raises(stickslip.Error, match="gave 2 numbers, it must give 6"):
        slide().scene().force(lambda t, q, u: [0, 0]).run()


def test_a_law_needs_a_contact_that_has_a_name(slide, top):
    for scene in (slide().scene(), stickslip.load("slider-crank")):
        with pytest.raises(stickslip.SceneError, match='no contact named "nobody"'):
            scene.friction("nobody", lambda v: 0.3)
    with pytest.raises(stickslip.SceneError, match="functions"):
        slide(lambda v: 0.3).scene().to_toml()


def test_a_set_of_ones_own_is_coulombs_disk(slide, same):
    scene = slide(0.3).scene().friction_set("box-ground", stickslip.ConvexSet(2, disk, np.linalg.norm))
    run, built_in = scene.run(0.2), slide(0.3).run(0.2)
    for name in ("box.x", "box.y", "box.vx", "box.vy"):
        assert np.abs(run[name] - built_in[name]).max() < 1e-9


@pytest.mark.parametrize(
    "prox, support, words",
    [
        (lambda x: 2 * x, np.linalg.norm, "idempotent"),
        (lambda x: np.ones(2), np.linalg.norm, "origin"),
        (lambda x: np.sign(x) * (np.abs(x) > 1), lambda v: np.abs(v).sum(), "support|distances|idempotent"),
        (disk, lambda v: 2 * np.linalg.norm(v), "support"),
        (lambda x: [1.0], np.linalg.norm, "2 finite numbers"),
    ],
)
def test_what_is_no_prox_is_refused(prox, support, words):
    with pytest.raises(ValueError, match=words):
        stickslip.ConvexSet(2, prox, support)


class Oscillator(stickslip.MechanicalSystem):
    """A mass of 1 kg on a spring of 100 N/m with a stop at -0.1 m."""

    q0 = [0.2]
    laws = {"stop": {"restitution": 0.5}}
    names = ["x"]
    units = ["m"]

    def mass(self, q):
        return [[1.0]]

    def forces(self, t, q, u):
        return [-100 * q[0]]

    def potential(self, q):
        return 50 * q[0] ** 2

    def contacts(self, t, q):
        return [("stop", q[0] + 0.1, [[1.0]])]


def test_a_system_of_ones_own():
    run = Oscillator().run(0.5, step=1e-4, output_step=1e-2)
    first = run.impacts[0]
    # From 0.2 m to -0.1 m the phase is 120 degrees.
    assert first["t"] == pytest.approx(2 / 3 * np.pi / 10, abs=2e-4)
    assert first["normal_velocity_before"] == pytest.approx(-10 * np.sqrt(0.03), abs=1e-2)
    assert first["normal_velocity_after"] == pytest.approx(5 * np.sqrt(0.03), abs=1e-2)
    assert run.units["x_dot"] == "m/s" and run.contacts == ["stop"]
    sim = Oscillator().simulation(step=1e-3).step(10)
    assert sim.q[0] == pytest.approx(0.2 * np.cos(0.1), rel=1e-5)


def test_a_system_is_checked_by_differences():
    class Wrong(Oscillator):
        def contacts(self, t, q):
            return [("stop", q[0] + 0.1, [[2.0]])]

    with pytest.raises(ValueError, match="does not fit its gap"):
        Wrong().run()

    class Lopsided(Oscillator):
        q0 = [0.0, 0.0]

        def mass(self, q):
            return [[1.0, 0.5], [0.0, 1.0]]

    with pytest.raises(ValueError, match="symmetric"):
        Lopsided().run()

    class Broken(Oscillator):
        def forces(self, t, q, u):
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        Broken().run()
