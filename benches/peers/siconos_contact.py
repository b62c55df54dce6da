"""Time of six Siconos solvers on contact problems, judged by the residual of docs/file-formats.md.

usage: siconos_contact.py TOLERANCE REPETITIONS FILE...   (one JSON object a line)

A problem is scaled to a mean diagonal of one. Siconos stops by an error measure of its own: each solver is
asked for less and less of it until the residual is small enough, and only that last solve counts. Solvers
run in processes of their own, since some of them end on failed assertions.
"""

import json
import os
import signal
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse
import siconos.numerics as sn

# Seconds after which a solver is out of the running, by the clock: a timer of CPU time would make that
# clock coarse.
LONGEST = 15
# Parts of the tolerance that a solver is asked for, one after the other.
PARTS = [1.0, 0.1, 1e-2, 1e-3]
MANY = 1_000_000


def read(path):
    """G with unit mean diagonal, c and friction of a problem file."""
    data = json.loads(Path(path).read_text())
    rows = data["delassus"]
    size = len(data["c"])
    matrix = scipy.sparse.csr_matrix((rows["data"], rows["indices"], rows["indptr"]), (size, size))
    matrix.sum_duplicates()
    return matrix / matrix.diagonal().mean(), np.array(data["c"]), np.array(data["friction"])


def residual(matrix, c, friction, r):
    """e of docs/file-formats.md; the mean diagonal is one."""
    r = r.reshape(-1, 3)
    u = (matrix @ r.ravel() + c).reshape(-1, 3)
    z = r - u
    z[:, 0] -= friction * np.linalg.norm(u[:, 1:], axis=1)
    normal, tangent = z[:, 0], np.linalg.norm(z[:, 1:], axis=1)
    inside = (normal >= 0) & (tangent <= friction * normal)
    polar = friction * tangent <= -normal
    height = (normal + friction * tangent) / (1 + friction**2)
    factor = friction * height / np.where(tangent > 0, tangent, 1)
    onto = np.column_stack([height, factor * z[:, 1], factor * z[:, 2]])
    onto = np.where(inside[:, None], z, np.where(polar[:, None], 0, onto))
    size = max(np.linalg.norm(c), np.linalg.norm(r), np.linalg.norm(u))
    return np.linalg.norm(r - onto) / size


def options(identity, iterations, local=None):
    made = sn.SolverOptions(identity)
    made.iparam[sn.SICONOS_IPARAM_MAX_ITER] = iterations
    if local is not None:
        sn.solver_options_update_internal(made, 0, local)
    return made


def hybrid_newton():
    made = options(sn.SICONOS_FRICTION_3D_NSN_AC, 1000)
    made.iparam[sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = (
        sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN
    )
    return made


PROJECTION = sn.SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration

# Function, options, and whether it takes G in blocks of three rather than by entries.
SOLVERS = {
    "nsgs": (sn.fc3d_nsgs, lambda: options(sn.SICONOS_FRICTION_3D_NSGS, MANY), True),
    "nsgs-projection": (sn.fc3d_nsgs, lambda: options(sn.SICONOS_FRICTION_3D_NSGS, MANY, PROJECTION), True),
    "nsn-ac": (
        sn.fc3d_nonsmooth_Newton_AlartCurnier,
        lambda: options(sn.SICONOS_FRICTION_3D_NSN_AC, 1000),
        False,
    ),
    "nsn-ac-hybrid": (sn.fc3d_nonsmooth_Newton_AlartCurnier, hybrid_newton, False),
    "prox-nsn": (sn.fc3d_proximal, lambda: options(sn.SICONOS_FRICTION_3D_PROX, 1000), False),
    "admm": (sn.fc3d_admm, lambda: options(sn.SICONOS_FRICTION_3D_ADMM, MANY), False),
}


def pose(matrix, c, friction, by_blocks):
    matrix = matrix.tocsc()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    stored = sn.SBM_from_csparse(3, matrix)[1] if by_blocks else matrix
    # What the problem refers to must live as long as it does.
    return sn.FrictionContactProblem(3, len(friction), stored, c, friction), stored


def solve(name, data, tolerance, repetitions):
    """Best CPU time, s, of a solver; none if it does not reach the tolerance."""
    matrix, c, friction = data
    function, make, by_blocks = SOLVERS[name]
    made = make()
    problem, _stored = pose(matrix, c, friction, by_blocks)

    def once():
        r, u = np.zeros(len(c)), np.zeros(len(c))
        start = time.process_time()
        function(problem, r, u, made)
        return time.process_time() - start, r

    for part in PARTS:
        made.dparam[sn.SICONOS_DPARAM_TOL] = part * tolerance
        best, r = once()
        if np.isfinite(r).all() and residual(matrix, c, friction, r) <= tolerance:
            break
    else:
        return None
    for _ in range(repetitions - 1):
        if best > 0.25:
            break
        best = min(best, once()[0])
    return best


def apart(task):
    """What the task returns, from a process of its own; none if that fails or takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.write(writing, json.dumps(task()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def main():
    warnings.simplefilter("ignore")
    tolerance, repetitions = float(sys.argv[1]), int(sys.argv[2])
    for path in sys.argv[3:]:
        data = read(path)
        times = {name: apart(lambda name=name: solve(name, data, tolerance, repetitions)) for name in SOLVERS}
        print(json.dumps({"file": path, "seconds": times}), flush=True)


main()
