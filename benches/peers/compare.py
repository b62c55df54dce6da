"""Ours beside Siconos, MuJoCo and Rapier in one run: CPU times, best of repetitions, and their ratios.

usage: compare.py [--quick] [--problems DIR] [--out FILE]      (./bench.sh --peers runs it)

What is not installed is left out, and the table says so:
  Siconos  apt-get install python3-siconos python3-scipy
  MuJoCo   python3 -m venv target/mujoco && target/mujoco/bin/pip install mujoco
  Rapier   comes with cargo
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OURS = ROOT / "target/release/stickslip-peers"
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Problems of the comparison have at least so many contacts.
LEAST_CONTACTS = 20


def lines(command, **more):
    """The JSON objects that a command prints; none, with its complaint, if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=ONE_THREAD, **more)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        print(f"  left out: {Path(command[0]).name} {Path(str(command[1])).name}: {last}")
        return None
    return [json.loads(line) for line in done.stdout.splitlines()]


def python_with(module, candidates):
    """The first Python that has a module."""
    for python in candidates:
        try:
            probe = subprocess.run([str(python), "-c", f"import {module}"], capture_output=True)
        except OSError:
            continue
        if probe.returncode == 0:
            return python
    return None


def permuted(problem, seed):
    """The problem with its contacts in another order."""
    width, count = problem["dimension"], len(problem["friction"])
    order = list(range(count))
    random.Random(seed).shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    rows = problem["delassus"]
    indptr, indices, data = [0], [], []
    for old in order:
        for row in range(width * old, width * old + width):
            for k in range(rows["indptr"][row], rows["indptr"][row + 1]):
                contact, component = divmod(rows["indices"][k], width)
                indices.append(width * place[contact] + component)
                data.append(rows["data"][k])
            indptr.append(len(indices))
    c = [problem["c"][width * old + k] for old in order for k in range(width)]
    friction = [problem["friction"][old] for old in order]
    delassus = {"indptr": indptr, "indices": indices, "data": data}
    return {**problem, "c": c, "friction": friction, "delassus": delassus}


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def contact_problems(folder, seeds, work):
    """Files of the spatial problems, as given and permuted."""
    files = []
    for path in sorted(folder.glob("*.json")):
        problem = json.loads(path.read_text())
        if problem.get("dimension") != 3 or len(problem["friction"]) < LEAST_CONTACTS:
            continue
        files.append(path)
        for seed in seeds:
            other = work / f"{path.stem}~{seed}.json"
            other.write_text(json.dumps(permuted(problem, seed)))
            files.append(other)
    return files


def compare_contact(options, work):
    seeds = range(options.seed, options.seed + 2)
    files = contact_problems(Path(options.problems), seeds, work)
    if not files:
        print(f"\ncontact problems: left out, none in {options.problems} (--problems DIR)")
        return []
    siconos = python_with("siconos.numerics, scipy", ["/usr/bin/python3", sys.executable])
    rows = []
    for tolerance in ["1e-4", "1e-8"]:
        print(f"\ncontact problems, residual {tolerance}: ms of auto, of the best of six Siconos solvers, ratio")
        if siconos is None:
            print("  left out: Siconos (python3-siconos with python3-scipy)")
        ratios = []
        for path in files:
            # Side by side, so that both meet the same load of the machine.
            repetitions = 3 if options.quick else 10
            own = lines([OURS, "contact", tolerance, repetitions, path])[0]
            script = HERE / "siconos_contact.py"
            other = siconos and lines([siconos, script, tolerance, repetitions, path])
            again = lines([OURS, "contact", tolerance, repetitions, path])[0]
            own["seconds"] = min(own["seconds"], again["seconds"])
            times = {name: t for name, t in (other[0]["seconds"] if other else {}).items() if t is not None}
            best = min(times, key=times.get, default=None)
            solved = own["residual"] <= float(tolerance)
            row = {"problem": path.stem, "tolerance": float(tolerance), "solved": solved, "siconos": times, **own}
            text = f"  {path.stem:40} {own['contacts']:4} {1e3 * own['seconds']:9.3f}"
            if best and solved:
                row["ratio"] = times[best] / own["seconds"]
                ratios.append(row["ratio"])
                text += f" {1e3 * times[best]:9.3f} {row['ratio']:7.2f}  {best}"
            elif siconos:
                text += "    none of them" if not best else ""
            print(text if solved else f"{text}  NOT SOLVED ({own['residual']:.1e})", flush=True)
            rows.append(row)
        if ratios:
            print(f"  geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}, of {len(ratios)}")
    return rows


def ratio_line(what, own, other, name):
    print(f"  {what:28} {1e6 * own:10.2f}  {name:14} {1e6 * other:10.2f}  ours/theirs {own / other:6.3f}", flush=True)
    return {"what": what, "seconds": own, "peer": name, "peer_seconds": other, "ratio": own / other}


def compare_top(options, mujoco):
    print("\nTippe-Top, Hertz ball, step 1e-4 s: us a step")
    repetitions = 2 if options.quick else 5
    rows = []
    for integrator, theirs in [("moreau", "Euler"), ("moreau-rk4", "RK4"), ("rattle", "RK4")]:
        own = lines([OURS, "tippe-top", integrator, repetitions])[0]["seconds"]
        script = HERE / "mujoco_steps.py"
        other = mujoco and lines([mujoco, script, "tippe-top", theirs, repetitions])
        if other:
            rows.append(ratio_line(integrator, own, other[0]["seconds"], f"MuJoCo {theirs}"))
        else:
            print(f"  {integrator:28} {1e6 * own:10.2f}  left out: MuJoCo (pip install mujoco)")
    return rows


def compare_pile(options, mujoco):
    # The fall ends after a quarter of that, and what is left of the motion before the last tenth.
    spheres, seconds = (300, 0.75) if options.quick else (1000, 1.5)
    print(f"\npile of {spheres} spheres, step 1 ms: us a step")
    own = lines([OURS, "pile", spheres, seconds])[0]
    # As it comes, and told that the bodies are about 1 cm large, as its documentation asks for.
    peers = {
        "Rapier": lines([OURS, "rapier", spheres, seconds, 1]),
        "Rapier, 1 cm": lines([OURS, "rapier", spheres, seconds, 0.01]),
    }
    if mujoco:
        places = json.dumps(lines([OURS, "places", spheres])[0])
        peers["MuJoCo CG"] = lines([mujoco, HERE / "mujoco_steps.py", "pile", seconds], input=places)
    else:
        print("  left out: MuJoCo (pip install mujoco)")
    return [
        ratio_line(what, own[what], answer[0][what], name)
        for name, answer in peers.items()
        if answer
        for what in ["settling", "rest"]
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, a smaller pile")
    parser.add_argument("--problems", default=ROOT.parent / "shared/benchmarks/contact", help="folder of contact problems")
    parser.add_argument("--seed", type=int, default=1, help="first seed of the two permutations (default 1)")
    parser.add_argument("--only", choices=["contact", "top", "pile"], help="one part alone")
    parser.add_argument("--out", default=ROOT / "out/peers.json", help="JSON of all times")
    options = parser.parse_args()
    candidates = [ROOT / "target/mujoco/bin/python", sys.executable, "/usr/bin/python3"]
    mujoco = python_with("mujoco", [os.environ.get("MUJOCO_PYTHON", candidates[0]), *candidates])
    result = {}
    with tempfile.TemporaryDirectory() as work:
        if options.only in (None, "contact"):
            result["contact"] = compare_contact(options, Path(work))
    if options.only in (None, "top"):
        result["tippe-top"] = compare_top(options, mujoco)
    if options.only in (None, "pile"):
        result["pile"] = compare_pile(options, mujoco)
    out = Path(options.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(result, indent=1) + "\n")
    print(f"\nwritten: {out}")


main()
