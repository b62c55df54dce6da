"""Mechanical systems with hard contact, impact and dry friction, by set-valued force laws.

    import stickslip
    run = stickslip.load("tippe-top").run(duration=2.0)
    run.plot("theta")

Quantities are in SI units.
"""

from ._batch import Batch, BatchRun
from ._derivatives import Fit, Gradient, fit, gradient
from ._errors import Error, NotConverged, NotFound, RunError, SceneError
from ._laws import ConvexSet
from ._native import __version__
from ._orbits import Branch, Lyapunov, Orbit, branch, lyapunov, orbit
from ._problem import SOLVERS, Solution, solve
from ._run import ContactResults, Run
from ._scene import Check, Scene, check, load, scenes
from ._settled import Attractor, Basins, Diagram, basins, bifurcation
from ._simulation import Simulation, State, resume
from ._study import SweepResult, sweep
from ._system import MechanicalSystem
from ._world import (
    Box,
    Capsule,
    Circle,
    Cylinder,
    Disk,
    Ellipsoid,
    HalfSpace,
    Polygon,
    Shape,
    Sphere,
    World,
)

__all__ = [
    "Attractor",
    "Basins",
    "Batch",
    "BatchRun",
    "Box",
    "Branch",
    "Capsule",
    "Check",
    "Circle",
    "ContactResults",
    "ConvexSet",
    "Cylinder",
    "Diagram",
    "Disk",
    "Ellipsoid",
    "Error",
    "Fit",
    "Gradient",
    "HalfSpace",
    "Lyapunov",
    "MechanicalSystem",
    "NotConverged",
    "NotFound",
    "Orbit",
    "Polygon",
    "Run",
    "RunError",
    "SOLVERS",
    "Scene",
    "SceneError",
    "Shape",
    "Simulation",
    "Solution",
    "Sphere",
    "State",
    "SweepResult",
    "World",
    "__version__",
    "basins",
    "bifurcation",
    "branch",
    "check",
    "fit",
    "gradient",
    "load",
    "lyapunov",
    "orbit",
    "resume",
    "scenes",
    "solve",
    "sweep",
]
