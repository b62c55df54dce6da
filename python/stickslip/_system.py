"""Systems of one's own."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from . import _native, _toml
from ._run import Run
from ._scene import Scene
from ._simulation import Simulation

STEP = 1e-6
TOLERANCE = 1e-5


class MechanicalSystem:
    """A system M(q) u̇ = h(t, q, u) + W λ with q̇ = u, to be derived from.

    ``q0`` and ``u0`` are the start. ``laws`` has for each contact its ``restitution``, ``friction`` and number of
    ``tangents`` (0, 1 or 2; with friction 1 unless given). Mass, gaps and directions are checked by differences.
    """

    #: Coordinates at the start.
    q0: Sequence[float] = ()
    #: Velocities at the start; zero unless given.
    u0: Sequence[float] | None = None
    #: Laws of the contacts by name.
    laws: Mapping[str, Mapping[str, float]] = {}
    #: Names of the coordinates.
    names: Sequence[str] | None = None
    #: Units of the coordinates.
    units: Sequence[str] | None = None

    def mass(self, q: np.ndarray):
        """Mass matrix, (n, n)."""
        raise NotImplementedError("mass(self, q) is missing")

    def forces(self, t: float, q: np.ndarray, u: np.ndarray):
        """All smooth forces h, (n,)."""
        raise NotImplementedError("forces(self, t, q, u) is missing")

    def potential(self, q: np.ndarray) -> float:
        """Potential energy of the conservative ones, J."""
        return 0.0

    def contacts(self, t: float, q: np.ndarray):
        """List of (name, gap in m, W) with W of (1 + tangents) rows of n: γ = W u; a fourth entry is w̃, γ = W u + w̃."""
        return []

    # Asked by the part in Rust.

    def _describe(self):
        n = len(self.q0)
        if n == 0:
            raise ValueError("q0 is missing: the coordinates at the start")
        u0 = np.zeros(n) if self.u0 is None else np.asarray(self.u0, float)
        if u0.shape != (n,):
            raise ValueError(f"u0 has {len(u0)} numbers, it must have {n} like q0")
        laws = []
        for name, law in self.laws.items():
            unknown = set(law) - {"restitution", "friction", "tangents"}
            if unknown:
                raise ValueError(f"laws[{name!r}] has {sorted(unknown)[0]!r}; known are restitution, friction, tangents")
            friction = float(law.get("friction", 0.0))
            laws.append((name, float(law.get("restitution", 0.0)), friction, int(law.get("tangents", friction > 0))))
        names = list(self.names or (f"q{k}" for k in range(n)))
        units = list(self.units or [""] * n)
        rates = [(f"{name}_dot", f"{unit}/s" if unit else "") for name, unit in zip(names, units)]
        self._numbers = {name: number for number, (name, *_) in enumerate(laws)}
        self._rows = [1 + tangents for *_, tangents in laws]
        self._check(np.asarray(self.q0, float), u0)
        return [float(x) for x in self.q0], u0.tolist(), laws, [*zip(names, units), *rates]

    def _mass(self, q):
        n = len(q)
        mass = np.asarray(self.mass(q), float)
        if mass.shape != (n, n):
            raise ValueError(f"mass has the shape {mass.shape}, it must have ({n}, {n})")
        return mass.ravel().tolist()

    def _forces(self, t, q, u):
        return np.asarray(self.forces(t, q, u), float).ravel().tolist()

    def _energy(self, q, u):
        return [0.5 * float(u @ np.asarray(self.mass(q), float) @ u), float(self.potential(q))]

    def _contacts(self, t, q):
        out = []
        for name, gap, rows, *rheonomic in self.contacts(t, q):
            if name not in self._numbers:
                raise ValueError(f"there is no law for the contact {name!r}; there are {', '.join(self._numbers)}")
            number = self._numbers[name]
            shape = (self._rows[number], len(q))
            rows = np.atleast_2d(np.asarray(rows, float))
            if rows.shape != shape:
                raise ValueError(f"W of {name!r} has the shape {rows.shape}, it must have {shape}")
            w = np.zeros(shape[0]) if not rheonomic else np.asarray(rheonomic[0], float).ravel()
            if w.shape != shape[:1]:
                raise ValueError(f"w̃ of {name!r} has {len(w)} numbers, it must have {shape[0]}")
            if not (np.isfinite(gap) and np.isfinite(rows).all() and np.isfinite(w).all()):
                raise ValueError(f"the contact {name!r} has a gap, W or w̃ that is not finite at t = {t} s")
            out.append((number, float(gap), rows.ravel().tolist(), w.tolist()))
        return out

    def _check(self, q: np.ndarray, u: np.ndarray) -> None:
        """By differences at the start: W is the derivative of the gap; M is symmetric and positive."""
        mass = np.asarray(self._mass(q)).reshape(len(q), len(q))
        if not np.allclose(mass, mass.T, rtol=1e-12, atol=0):
            raise ValueError(f"mass is not symmetric: {mass.tolist()}")
        if np.linalg.eigvalsh(mass).min() <= 0:
            raise ValueError(f"mass is not positive: {mass.tolist()}")
        for number, _, rows, _ in self._contacts(0.0, q):
            name = list(self._numbers)[number]
            for k in range(len(q)):
                step = np.zeros(len(q))
                step[k] = STEP * (1 + abs(q[k]))
                gaps = [dict((c[0], c[1]) for c in self._contacts(0.0, q + s * step)) for s in (1, -1)]
                if number not in gaps[0] or number not in gaps[1]:
                    continue
                slope = (gaps[0][number] - gaps[1][number]) / (2 * step[k])
                if abs(slope - rows[k]) > TOLERANCE * (1 + abs(slope)):
                    raise ValueError(
                        f"W of {name!r} does not fit its gap: for coordinate {k} it is {rows[k]:g}, by differences "
                        f"{slope:g}"
                    )

    # Doing something with it.

    def scene(self, **settings: Any) -> Scene:
        """A scene; ``settings`` are keys of ``[simulation]``: duration, step, output_step (s), integrator."""
        name = type(self).__name__
        functions = [("system", "", self)]
        native = _native.Scene.of_system(name, _toml.document({"simulation": settings}), self, [])
        return Scene(native, {}, functions)

    def run(self, duration: float = 1.0, **settings: Any) -> Run:
        """Runs it; see :meth:`Scene.run`."""
        progress = settings.pop("progress", None)
        return self.scene(duration=duration, **settings).run(progress=progress)

    def simulation(self, **settings: Any) -> Simulation:
        """A simulation at the start."""
        return self.scene(**settings).simulation()
