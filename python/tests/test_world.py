import pytest

import stickslip


def test_a_world_is_the_scene_file_with_the_same_keys(same):
    world = stickslip.World("ball", ground=True)
    world.body("ball", density=1000, position=(0, 0, "55 cm"), shapes=[stickslip.Sphere("5 cm")])
    world.contact("ball", "ground", name="table", restitution=0.8, friction=0.3)
    assert same(world.run(0.5), stickslip.load("bouncing-ball").run(0.5)) == 0
    again = stickslip.Scene.from_toml(world.to_toml())
    assert again["contact.table.restitution"] == 0.8 and again["body.ball.density"] == 1000


def test_joints_and_sections():
    world = stickslip.World("pendulum")
    world.body("bob", mass=1, shapes=[stickslip.Sphere(0.05)], position=(0.5, 0, 1))
    world.joint("revolute", "ground", "bob", at=(0, 0, 1), axis=(0, 1, 0), name="pin")
    world.simulation_settings(duration=0.5)
    run = world.run()
    assert ((run["bob.x"] ** 2 + (run["bob.z"] - 1) ** 2) ** 0.5 == pytest.approx(0.5, abs=1e-8))


def test_errors_name_the_argument():
    world = stickslip.World()
    world.body("ball", mas=1, shapes=[stickslip.Sphere(0.05)])
    with pytest.raises(stickslip.SceneError) as error:
        world.scene()
    assert error.value.key == "body.0.mas" and "body.0.mass" in str(error.value)
    with pytest.raises(TypeError, match="mass"):
        world.body("other", mass=object())
    with pytest.raises(stickslip.SceneError, match="radius"):
        stickslip.World().body("ball", mass=1, shapes=[stickslip.Sphere(-1)]).scene()


def test_texts_are_kept_as_they_are():
    world = stickslip.World('a "name"\n', caption="µ = 1 \\ 2")
    world.body("ball", mass=1, shapes=[stickslip.Sphere(0.05)])
    scene = world.scene()
    assert scene.name == 'a "name"\n' and scene.caption == "µ = 1 \\ 2"
