"""Who sticks, and how high does a ball rebound? The same two tasks in several simulators.

    python who_sticks.py [--json FILE]

A simulator that is not installed is skipped, and the table says so:

    pip install mujoco drake pybullet dartpy pymunk box2d

`stickslip` is taken from the PATH, or from the variable STICKSLIP. All of them take steps of 1 ms and, where nothing
else is said, the settings with which they come. Sleeping (freezing what moves slowly) is off everywhere: the question
is what the law of friction does.

Task 1, creep. A block of 1 kg, 0.2 m long and 0.1 m high, lies on a plane with friction 0.5. Gravity is tilted by
20 degrees (tan 20 = 0.364), so it must stay where it is. Told is how far it has gone between 1 s and 10 s.

Task 2, rebound. A ball of 1 kg and 5 cm falls 0.5 m and rebounds with the coefficient 0.8: to 0.32, 0.2048 and
0.131072 m. Told are the highest points of the first three flights. The step counts: with 1 ms it may come 3 mm too
deep.
"""

import argparse
import csv
import importlib.metadata
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

STEP = 1e-3
TILT = math.radians(20)
G = 9.81
PULL = (G * math.sin(TILT), -G * math.cos(TILT))  # along the plane, and across it
FRICTION, RESTITUTION = 0.5, 0.8
HALF = (0.1, 0.1, 0.05)
RADIUS, HEIGHT = 0.05, 0.5
EXPECTED = [HEIGHT * RESTITUTION ** (2 * k) for k in (1, 2, 3)]


def creep(positions):
    """How far it went from 1 s to 10 s, of positions at the ends of steps."""
    return positions[-1] - positions[round(1 / STEP) - 1]


def rebounds(heights):
    """The highest points of the first three flights, of heights of the lowest point."""
    tops = []
    for before, here, after in zip(heights, heights[1:], heights[2:]):
        if here > before and here >= after and here > 1e-3:
            tops.append(here)
    return tops[:3]


def advance(step, value, seconds):
    values = []
    for _ in range(round(seconds / STEP)):
        step()
        values.append(value())
    return values


# ---- stickslip ----------------------------------------------------------------------------


def stickslip_program():
    program = os.environ.get("STICKSLIP") or shutil.which("stickslip")
    if not program:
        raise ModuleNotFoundError("stickslip is not on the PATH")
    return program


def stickslip_run(text, column):
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder, "scene.toml")
        scene.write_text(text, encoding="utf-8")
        out = pathlib.Path(folder, "out")
        subprocess.run([stickslip_program(), "run", scene, "--out", out, "--quiet", "--no-report"], check=True)
        with open(out / "trajectory.csv", encoding="utf-8") as table:
            return [float(row[column]) for row in csv.DictReader(table)][1:]


def stickslip_block():
    text = f"""
format = 1
[world]
gravity = [{PULL[0]}, 0, {PULL[1]}]
[world.ground]
[[body]]
name = "block"
mass = 1
position = [0, 0, {HALF[2]}]
shape = [{{ kind = "box", half_extents = {list(HALF)} }}]
[default_contact]
friction = {FRICTION}
[simulation]
duration = 10
step = {STEP}
output_step = {STEP}
"""
    return creep(stickslip_run(text, "block.x"))


def stickslip_ball():
    text = f"""
format = 1
[world.ground]
[[body]]
name = "ball"
mass = 1
position = [0, 0, {RADIUS + HEIGHT}]
shape = [{{ kind = "sphere", radius = {RADIUS} }}]
[default_contact]
restitution = {RESTITUTION}
[simulation]
duration = 3
step = {STEP}
output_step = {STEP}
"""
    return rebounds([z - RADIUS for z in stickslip_run(text, "ball.z")])


# ---- MuJoCo -------------------------------------------------------------------------------


def mujoco_block(option=""):
    import mujoco

    model = mujoco.MjModel.from_xml_string(f"""
<mujoco><option timestep="{STEP}" gravity="{PULL[0]} 0 {PULL[1]}" {option}/>
<worldbody><geom type="plane" size="5 5 1" friction="{FRICTION} 0.005 0.0001"/>
<body pos="0 0 {HALF[2]}"><freejoint/><geom type="box" size="{HALF[0]} {HALF[1]} {HALF[2]}" mass="1"
 friction="{FRICTION} 0.005 0.0001"/></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    return creep(advance(lambda: mujoco.mj_step(model, data), lambda: data.qpos[0], 10))


def mujoco_tuned_block():
    """Elliptic cones, friction much harder than the normal force, and sweeps against slip behind it."""
    return mujoco_block('cone="elliptic" impratio="100" noslip_iterations="20"')


def mujoco_ball():
    """There is no coefficient of restitution: a spring and damper with the ratio of damping that gives 0.8."""
    import mujoco

    logarithm = math.log(RESTITUTION)
    ratio = -logarithm / math.hypot(math.pi, logarithm)
    stiffness = 1e5
    damping = 2 * ratio * math.sqrt(stiffness)
    contact = f'solref="{-stiffness} {-damping}" solimp="0.999 0.999 0.001"'
    model = mujoco.MjModel.from_xml_string(f"""
<mujoco><option timestep="{STEP}" gravity="0 0 {-G}"/>
<worldbody><geom type="plane" size="5 5 1" {contact}/>
<body pos="0 0 {RADIUS + HEIGHT}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="1" {contact}/></body>
</worldbody></mujoco>""")
    data = mujoco.MjData(model)
    return rebounds(advance(lambda: mujoco.mj_step(model, data), lambda: data.qpos[2] - RADIUS, 3))


# ---- Drake --------------------------------------------------------------------------------


def drake_world(shape, place, gravity, dissipation=None):
    from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=STEP)
    properties = ProximityProperties()
    AddContactMaterial(dissipation=dissipation, friction=CoulombFriction(FRICTION, FRICTION), properties=properties)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", properties)
    inertia = UnitInertia.SolidBox(*(2 * h for h in HALF)) if place[2] == HALF[2] else UnitInertia.SolidSphere(RADIUS)
    body = plant.AddRigidBody("body", SpatialInertia(1, [0, 0, 0], inertia))
    plant.RegisterCollisionGeometry(body, RigidTransform(), shape, "body", properties)
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(context, body, RigidTransform(place))
    simulator.Initialize()
    count = [0]

    def step():
        count[0] += 1
        simulator.AdvanceTo(count[0] * STEP)

    return step, lambda: plant.EvalBodyPoseInWorld(context, body).translation()


def drake_block():
    from pydrake.geometry import Box

    step, place = drake_world(Box(*(2 * h for h in HALF)), [0, 0, HALF[2]], [PULL[0], 0, PULL[1]])
    return creep(advance(step, lambda: place()[0], 10))


def drake_ball():
    """There is no coefficient of restitution: Hunt and Crossley with a dissipation of 0, which loses least."""
    from pydrake.geometry import Sphere

    step, place = drake_world(Sphere(RADIUS), [0, 0, RADIUS + HEIGHT], [0, 0, -G], 0.0)
    return rebounds(advance(step, lambda: place()[2] - RADIUS, 3))


# ---- Bullet -------------------------------------------------------------------------------


def bullet_body(shape, place, gravity):
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setTimeStep(STEP)
    pybullet.setGravity(*gravity)
    floor = pybullet.createMultiBody(0, pybullet.createCollisionShape(pybullet.GEOM_PLANE))
    body = pybullet.createMultiBody(1, shape(pybullet), basePosition=place)
    # Coefficients of two bodies are multiplied.
    pybullet.changeDynamics(floor, -1, lateralFriction=1, restitution=1)
    pybullet.changeDynamics(body, -1, lateralFriction=FRICTION, restitution=RESTITUTION, linearDamping=0, angularDamping=0)
    return pybullet, client, lambda: pybullet.getBasePositionAndOrientation(body)[0]


def pybullet_block():
    shape = lambda bullet: bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=HALF)
    bullet, client, place = bullet_body(shape, [0, 0, HALF[2]], (PULL[0], 0, PULL[1]))
    gone = creep(advance(bullet.stepSimulation, lambda: place()[0], 10))
    bullet.disconnect(client)
    return gone


def pybullet_ball():
    shape = lambda bullet: bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=RADIUS)
    bullet, client, place = bullet_body(shape, [0, 0, RADIUS + HEIGHT], (0, 0, -G))
    tops = rebounds(advance(bullet.stepSimulation, lambda: place()[2] - RADIUS, 3))
    bullet.disconnect(client)
    return tops


# ---- DART ---------------------------------------------------------------------------------


def dart_world(shape, place, gravity):
    import dartpy as dart
    import numpy as np

    world = dart.simulation.World()
    world.setTimeStep(STEP)
    world.setGravity(gravity)

    def skeleton(name, shape, joint):
        skeleton = dart.dynamics.Skeleton(name)
        _, body = joint(skeleton)
        node = body.createShapeNode(shape)
        node.createCollisionAspect()
        aspect = node.createDynamicsAspect()
        aspect.setFrictionCoeff(FRICTION)
        aspect.setRestitutionCoeff(RESTITUTION if joint is free and place[2] > 0.3 else 1.0)
        world.addSkeleton(skeleton)
        return skeleton, body, node

    def free(skeleton):
        return skeleton.createFreeJointAndBodyNodePair()

    def weld(skeleton):
        return skeleton.createWeldJointAndBodyNodePair()

    floor = dart.dynamics.BoxShape([20, 20, 2])
    _, ground, _ = skeleton("floor", floor, weld)
    below = np.eye(4)
    below[2, 3] = -1
    ground.getParentJoint().setTransformFromParentBodyNode(dart.math.Isometry3(below))
    moving, body, _ = skeleton("body", shape(dart), free)
    inertia = dart.dynamics.Inertia()
    inertia.setMass(1)
    inertia.setMoment(shape(dart).computeInertia(1.0))
    body.setInertia(inertia)
    positions = moving.getPositions()
    positions[3:6] = place
    moving.setPositions(positions)
    return world.step, lambda: moving.getPositions()[3:6]


def dartpy_block():
    step, place = dart_world(lambda dart: dart.dynamics.BoxShape([2 * h for h in HALF]), [0, 0, HALF[2]], [PULL[0], 0, PULL[1]])
    return creep(advance(step, lambda: place()[0], 10))


def dartpy_ball():
    step, place = dart_world(lambda dart: dart.dynamics.SphereShape(RADIUS), [0, 0, RADIUS + HEIGHT], [0, 0, -G])
    return rebounds(advance(step, lambda: place()[2] - RADIUS, 3))


# ---- in the plane: Chipmunk and Box2D -----------------------------------------------------


def pymunk_body(make, place, gravity):
    import pymunk

    space = pymunk.Space()
    space.gravity = gravity
    floor = pymunk.Poly(space.static_body, [(-20, -2), (20, -2), (20, 0), (-20, 0)])
    body = pymunk.Body(1, 1)
    shape, body.moment = make(pymunk, body)
    body.position = place
    # Coefficients of two bodies are multiplied.
    floor.friction = floor.elasticity = 1
    shape.friction, shape.elasticity = FRICTION, RESTITUTION
    space.add(floor, body, shape)
    return lambda: space.step(STEP), body


def pymunk_block():
    size = (2 * HALF[0], 2 * HALF[2])
    make = lambda pymunk, body: (pymunk.Poly.create_box(body, size), pymunk.moment_for_box(1, size))
    step, body = pymunk_body(make, (0, HALF[2]), PULL)
    return creep(advance(step, lambda: body.position.x, 10))


def pymunk_ball():
    make = lambda pymunk, body: (pymunk.Circle(body, RADIUS), pymunk.moment_for_circle(1, 0, RADIUS))
    step, body = pymunk_body(make, (0, RADIUS + HEIGHT), (0, -G))
    return rebounds(advance(step, lambda: body.position.y - RADIUS, 3))


def box2d_body(make, place, gravity):
    import Box2D

    world = Box2D.b2World(gravity=gravity, doSleep=False)
    world.CreateStaticBody(shapes=Box2D.b2PolygonShape(box=(20, 1, (0, -1), 0)), shapeFixture=Box2D.b2FixtureDef(friction=FRICTION))
    body = world.CreateDynamicBody(position=place)
    # Friction is the root of the product, restitution the larger one.
    body.CreateFixture(shape=make(Box2D), density=1, friction=FRICTION, restitution=RESTITUTION if place[1] > 0.3 else 0)
    return lambda: world.Step(STEP, 8, 3), body


def box2d_block():
    step, body = box2d_body(lambda b2: b2.b2PolygonShape(box=(HALF[0], HALF[2])), (0, HALF[2]), PULL)
    return creep(advance(step, lambda: body.position.x, 10))


def box2d_ball():
    step, body = box2d_body(lambda b2: b2.b2CircleShape(radius=RADIUS), (0, RADIUS + HEIGHT), (0, -G))
    return rebounds(advance(step, lambda: body.position.y - RADIUS, 3))


# ---- the table ----------------------------------------------------------------------------

# Name, package, the two tasks, a remark.
PEERS = [
    ("stickslip", None, stickslip_block, stickslip_ball, "`rattle`, the default"),
    ("MuJoCo", "mujoco", mujoco_block, mujoco_ball, "soft contact by design; no coefficient of restitution: spring and damper for 0.8"),
    ("MuJoCo, tuned", "mujoco", mujoco_tuned_block, None, "elliptic cones, impratio 100, 20 noslip iterations"),
    ("Drake", "drake", drake_block, drake_ball, "discrete, default approximation; no coefficient of restitution: dissipation 0"),
    ("Bullet", "pybullet", pybullet_block, pybullet_ball, ""),
    ("DART", "dartpy", dartpy_block, dartpy_ball, "Dantzig's method"),
    ("Chipmunk", "pymunk", pymunk_block, pymunk_ball, "plane"),
    ("Box2D", "box2d", box2d_block, box2d_ball, "plane; 8 and 3 iterations"),
]


def version(package):
    if package is None:
        told = subprocess.run([stickslip_program(), "--version"], check=True, capture_output=True, text=True)
        return told.stdout.split()[-1]
    return importlib.metadata.version(package)


def measure(name, package, block, ball, remark):
    row = {"name": name, "remark": remark}
    try:
        row["version"] = version(package)
        row["creep_m"] = block()
        row["rebounds_m"] = ball() if ball else None
    except (ModuleNotFoundError, importlib.metadata.PackageNotFoundError) as missing:
        row["skipped"] = f"not installed ({missing})"
    return row


def table(rows):
    lines = ["| simulator | version | creep in 9 s, m | rebounds, m | |", "|---|---|---|---|---|"]
    lines.append(f"| exact | | 0 | {', '.join(f'{h:.4f}' for h in EXPECTED)} | |")
    for row in rows:
        if "skipped" in row:
            lines.append(f"| {row['name']} | | **skipped** | | {row['skipped']} |")
            continue
        tops = row["rebounds_m"]
        shown = "" if tops is None else ", ".join(f"{h:.4f}" for h in tops) or "none"
        gone = "0" if row["creep_m"] == 0 else f"{row['creep_m']:.1e}"
        lines.append(f"| {row['name']} | {row['version']} | {gone} | {shown} | {row['remark']} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the numbers to a file, too")
    arguments = parser.parse_args()
    rows = []
    for peer in PEERS:
        print(f"{peer[0]} ...", file=sys.stderr)
        rows.append(measure(*peer))
    print(table(rows))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
