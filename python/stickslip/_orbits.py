"""Periodic orbits, branches of them and of equilibria, Lyapunov exponents."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

import numpy as np

from . import _native
from ._progress import Bar
from ._scene import Scene, _given
from ._study import _fixed, _values

#: Parts into which a period is divided when its columns are asked for.
PARTS = 1000


def _complex(pairs: Sequence[Sequence[float]]) -> np.ndarray:
    """Real and imaginary parts as complex numbers."""
    table = np.array(pairs, float).reshape(-1, 2)
    return table[:, 0] + 1j * table[:, 1]


class Orbit:
    """A periodic orbit: ``orbit["ball.y"]`` is a column over one period, at the times ``orbit["t"]``."""

    def __init__(self, scene: Scene, found: Mapping[str, Any]):
        self._scene = scene
        self._trace: dict[str, np.ndarray] = {}
        self._units: dict[str, str] = {}
        #: Period, s.
        self.period: float = found["period"]
        #: Floquet multipliers, the largest first.
        self.multipliers = _complex(found["multipliers"])
        #: Whether all of them lie within the unit circle, except those that are 1 in any case.
        self.stable: bool = found["stable"]
        #: Modes and impacts in a period, in their order.
        self.modes: list[str] = found["modes"]
        #: Time of the state on the orbit (s), its coordinates and velocities: on the section if one is given.
        self.t: float = found["t"]
        self.q: np.ndarray = found["q"]
        self.u: np.ndarray = found["u"]
        self._memory: np.ndarray = found["memory"]
        #: By how much it moves on in a period where the system is the same everywhere, relative to its size.
        self.drift: float = found["drift"]
        #: Instants that were passed by a short step without a derivative.
        self.without_derivative: int = found["without_derivative"]

    def _traced(self) -> dict[str, np.ndarray]:
        if not self._trace:
            state = (self.t, self.q.tolist(), self.u.tolist(), self._memory.tolist())
            names, columns = _native.trace_orbit(
                self._scene._native, _fixed(self._scene), self.period, state, PARTS
            )
            self._units = {name: unit for name, unit in names if unit}
            self._trace = {name: np.array(column) for (name, _), column in zip(names, columns)}
        return self._trace

    @property
    def columns(self) -> list[str]:
        """Names of the columns over one period; the first one is the time since the state, ``t``."""
        return list(self._traced())

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns that have one."""
        self._traced()
        return self._units

    def __getitem__(self, name: str) -> np.ndarray:
        columns = self._traced()
        if name not in columns:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(columns)}")
        return columns[name]

    def __repr__(self) -> str:
        word = "stable" if self.stable else "unstable"
        return f"<stickslip orbit of {self.period:.9g} s, {word}>"


def orbit(
    scene: Scene | str | os.PathLike[str],
    *,
    section: str | None = None,
    set: Mapping[str, Any] | None = None,
    by: str = "event-driven",
) -> Orbit:
    """Finds the periodic orbit on which the motion of a scene ends, as ``stickslip orbit`` does.

    ``section`` says where its state is told (``"impact(ball)"``, ``"theta crosses 0 up"``, ``"period 2*pi/omega"``), ``set`` has
    other values of the scene for this call, ``by`` may be ``"rattle"``, ``"moreau"`` or ``"moreau-rk4"``: the orbit of their
    steps. Raises :class:`NotFound` where there is none.

        stickslip.orbit("vibrating-table", set={"parameters.shaking": 1.04}).multipliers
    """
    scene = _given(scene, set)
    return Orbit(scene, _native.orbit(scene._native, _fixed(scene), section, by))


class Branch:
    """Orbits or equilibria over a parameter, in their order along the branch."""

    def __init__(self, key: str, kind: str, found: Mapping[str, Any]):
        points = found["points"]
        #: The key that is varied.
        self.key = key
        #: ``"orbits"`` or ``"equilibria"``.
        self.kind = kind
        #: Values of the key.
        self.values = np.array([point["value"] for point in points], float)
        #: Whether each of them is stable.
        self.stable = np.array([point["stable"] for point in points], bool)
        #: Modes and impacts of each.
        self.modes: list[list[str]] = [point["modes"] for point in points]
        #: Times, coordinates and velocities of a state on each, (points, ...).
        self.t = np.array([point["t"] for point in points], float)
        self.q = np.array([point["q"] for point in points], float)
        self.u = np.array([point["u"] for point in points], float)
        #: Kinds and values of the bifurcations, in their order.
        self.bifurcations: list[tuple[str, float]] = found["bifurcations"]
        #: Why it ended before the range did; None if it did not.
        self.ended: str | None = found["ended"]
        is_rest = kind == "equilibria"
        #: Periods of orbits, s; NaN of equilibria.
        self.period = np.array([np.nan if is_rest else point["period"] for point in points], float)
        #: Multipliers of each orbit, the largest first; empty for equilibria.
        self.multipliers = [_complex([] if is_rest else point["multipliers"]) for point in points]
        #: Eigenvalues of each equilibrium, 1/s; empty for orbits.
        self.eigenvalues = [_complex(point["eigenvalues"] if is_rest else []) for point in points]
        #: Coordinates at both ends of the interval of equilibria, where stick makes one; else None.
        self.interval = [point.get("interval") for point in points]
        #: Kind and value of the bifurcation of another branch from which this one begins; else None.
        self.origin: tuple[str, float] | None = found.get("from")
        #: Branches of doubled period that begin at this one, and at those.
        self.branches = [Branch(key, kind, side) for side in found.get("branches", [])]

    def __len__(self) -> int:
        """Number of points."""
        return len(self.values)

    def __repr__(self) -> str:
        told = ", ".join(f"{kind} at {value:.9g}" for kind, value in self.bifurcations)
        return f"<stickslip branch of {len(self)} {self.kind} over {self.key}: {told or 'no bifurcation'}>"


def branch(
    scene: Scene | str | os.PathLike[str],
    vary: Mapping[str, Any],
    *,
    section: str | None = None,
    equilibrium: bool = False,
    switch: int = 0,
    set: Mapping[str, Any] | None = None,
) -> Branch:
    """Follows the orbit on which a motion ends over a parameter, or the equilibrium, as ``stickslip continue`` does.

    ``vary`` has one key with its first and last value: ``"0.36:1.2"`` or ``(0.36, 1.2)``. ``switch`` is the number of doublings
    of the period that are followed.

        stickslip.branch("vibrating-table", {"parameters.shaking": (0.9, 1.2)}).bifurcations
    """
    scene = _given(scene, set)
    key, values = _one(vary)
    if not isinstance(values, str):
        ends = [_values(key, [value]).split("=", 1)[1] for value in values]
        if len(ends) != 2:
            raise ValueError(f"vary: {key} has {len(ends)} values, a branch has two: where it begins and where it ends")
        values = ":".join(end.strip('"') for end in ends)
    native = scene._native
    kind, found = _native.branch(native, _fixed(scene), f"{key}={values}", section, equilibrium, switch)
    return Branch(key, kind, found)


def _one(vary: Mapping[str, Any]) -> tuple[str, Any]:
    """The one key that is varied."""
    if len(vary) != 1:
        raise ValueError(f"vary has {len(vary)} keys, it must have one")
    return next(iter(vary.items()))


class Lyapunov:
    """Lyapunov exponents of a motion."""

    def __init__(self, found: Mapping[str, Any]):
        #: The exponents, 1/s, the largest first; -inf of directions that stick takes out.
        self.exponents: np.ndarray = found["exponents"]
        #: How far each may be wrong, 1/s.
        self.errors: np.ndarray = found["errors"]
        #: Time that was discarded, and time over which the growth was taken, s.
        self.transient: float = found["transient"]
        self.duration: float = found["duration"]
        #: Whether all errors are small against the largest exponent.
        self.settled: bool = found["settled"]
        #: Instants that were passed by a short step without a derivative.
        self.without_derivative: int = found["without_derivative"]
        #: Why it ended before the duration was over; None if it did not.
        self.ended: str | None = found["ended"]
        #: The estimates on the way, (times, exponents), and their times, s; NaN for those that are gone.
        self.t: np.ndarray = found["t"]
        width = max((len(row) for row in found["running"]), default=0)
        self.running = np.full((len(self.t), width), np.nan)
        for row, values in zip(self.running, found["running"]):
            row[: len(values)] = values

    def __repr__(self) -> str:
        told = ", ".join(f"{value:.5g} +- {error:.2g}" for value, error in zip(self.exponents, self.errors))
        return f"<stickslip exponents: {told} 1/s>"


def lyapunov(
    scene: Scene | str | os.PathLike[str],
    *,
    all: bool = False,
    transient: float | None = None,
    duration: float | None = None,
    set: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> Lyapunov:
    """Lyapunov exponents of the motion of a scene, the largest or ``all``, as ``stickslip lyapunov`` computes them.

        stickslip.lyapunov("vibrating-table", set={"parameters.shaking": 1.3}).exponents[0]
    """
    scene = _given(scene, set)
    bar = Bar(f"exponents of {scene.name}", 0.0, 1.0, progress)
    tell = (lambda share: bar.at(share, "of the time")) if bar.wanted else None
    try:
        return Lyapunov(_native.lyapunov(scene._native, _fixed(scene), all, transient, duration, tell))
    finally:
        bar.end()
