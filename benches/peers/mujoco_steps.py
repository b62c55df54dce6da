"""Time of MuJoCo steps, one JSON object.

usage: mujoco_steps.py tippe-top Euler|RK4 REPETITIONS
       mujoco_steps.py pile SECONDS < PLACES              (JSON list of centres, m)
"""

import json
import sys
import time

import mujoco

# The top of scenes/tippe-top.toml: centre of mass in the origin of its body, torsional friction by the mean
# radius of the Hertz pressure.
TOP = """
<mujoco>
  <option timestep="1e-4" gravity="0 0 -9.81" cone="elliptic" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="1 1 1" condim="4" friction="0.3 2.945e-4 0"/>
    <body pos="0 0 0.012015" euler="5.7296 0 0">
      <freejoint/>
      <inertial pos="0 0 0" mass="6e-3" diaginertia="8e-7 8e-7 7e-7"/>
      <geom type="sphere" size="0.015" pos="0 0 0.003" condim="4" friction="0.3 2.945e-4 0"/>
      <geom type="sphere" size="0.005" pos="0 0 0.016" condim="4" friction="0.3 2.945e-4 0"/>
    </body>
  </worldbody>
</mujoco>"""

PILE = """
<mujoco>
  <option timestep="1e-3" gravity="0 0 -9.81" solver="CG"/>
  <default><geom friction="0.5 0 0"/></default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <geom type="box" pos="0.17 0 0.05" size="0.01 0.18 0.05"/>
    <geom type="box" pos="-0.17 0 0.05" size="0.01 0.18 0.05"/>
    <geom type="box" pos="0 0.17 0.05" size="0.16 0.01 0.05"/>
    <geom type="box" pos="0 -0.17 0.05" size="0.16 0.01 0.05"/>
    {spheres}
  </worldbody>
</mujoco>"""
SPHERE = '<body pos="{} {} {}"><freejoint/><geom type="sphere" size="0.01" density="2500"/></body>'


def tippe_top(integrator, repetitions):
    model = mujoco.MjModel.from_xml_string(TOP.format(integrator=integrator))
    best = float("inf")
    for _ in range(repetitions):
        data = mujoco.MjData(model)
        data.qvel[5] = 180.0
        start = time.process_time()
        mujoco.mj_step(model, data, 10_000)
        best = min(best, (time.process_time() - start) / 10_000)
    return {"seconds": best}


def pile(seconds):
    spheres = "\n".join(SPHERE.format(*place) for place in json.load(sys.stdin))
    model = mujoco.MjModel.from_xml_string(PILE.format(spheres=spheres))
    data = mujoco.MjData(model)
    steps = round(seconds * 1e3)
    marks = [0, 2 * steps // 15, 4 * steps // 15, 9 * steps // 10, steps]
    clock = [time.process_time()]
    for first, last in zip(marks, marks[1:]):
        mujoco.mj_step(model, data, last - first)
        clock.append(time.process_time())
    means = [(clock[k + 1] - clock[k]) / (marks[k + 1] - marks[k]) for k in range(4)]
    return {"settling": means[1], "rest": means[3], "version": mujoco.__version__}


if sys.argv[1] == "tippe-top":
    print(json.dumps(tippe_top(sys.argv[2], int(sys.argv[3]))))
else:
    print(json.dumps(pile(float(sys.argv[2]))))
