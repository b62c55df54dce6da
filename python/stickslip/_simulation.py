"""Simulations that one can hold in one's hand."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _native
from ._run import events_table, table


class State:
    """Everything that the rest of a run depends on: t (s), q, u, and what integrator and books keep."""

    def __init__(self, native):
        self._native = native

    @property
    def t(self) -> float:
        """Time, s."""
        return self._native.t

    @property
    def q(self) -> np.ndarray:
        """Coordinates, a copy."""
        return self._native.q

    @property
    def u(self) -> np.ndarray:
        """Velocities, a copy."""
        return self._native.u

    @property
    def memory(self) -> np.ndarray:
        """What the system remembers beside them, a copy."""
        return self._native.memory

    def __reduce__(self):
        return _restored, self._native.parts()

    def __repr__(self) -> str:
        return f"<stickslip state at t = {self.t:g} s: {len(self.q)} coordinates, {len(self.u)} velocities>"


def _restored(*parts) -> State:
    return State(_native.State.restored(*parts))


class Simulation:
    """A scene that goes on step by step; one made from the same scene gives the same numbers bit for bit,
    however it is cut into pieces."""

    def __init__(self, native):
        self._native = native

    def step(self, count: int = 1) -> "Simulation":
        """Goes on by a number of steps."""
        self._native.step(count)
        return self

    def run_until(self, t: float) -> "Simulation":
        """Goes on to the first end of a step at the time t (s) or behind it."""
        self._native.run_until(t)
        return self

    @property
    def t(self) -> float:
        """Time, s."""
        return self._native.t

    @property
    def q(self) -> np.ndarray:
        """Coordinates, a copy."""
        return self._native.q

    @property
    def u(self) -> np.ndarray:
        """Velocities, a copy."""
        return self._native.u

    @property
    def steps(self) -> int:
        """Steps done."""
        return self._native.steps

    @property
    def last_step(self) -> float:
        """Length of the last step, s."""
        return self._native.last_step

    @property
    def energy(self) -> dict[str, float]:
        """Kinetic and potential energy, J."""
        return dict(zip(("kinetic", "potential"), self._native.energy()))

    @property
    def contacts(self) -> list[dict[str, Any]]:
        """All contacts and joints of the last step: name, gap (m), percussions (N s)."""
        names = ("contact", "gap", "normal_percussion", "tangential_percussion")
        return [dict(zip(names, one)) for one in self._native.contacts()]

    def normal_force(self, contact: str) -> float:
        """Mean normal force in the last step at a contact, N."""
        return self._native.normal_force(contact)

    @property
    def events(self) -> np.ndarray:
        """Openings and closings so far: t (s), contact, event."""
        return events_table(self._native.events())

    @property
    def impacts(self) -> np.ndarray:
        """Impacts so far; see :attr:`Run.impacts`."""
        return table(self._native.impacts())

    def state(self) -> State:
        """Everything that the rest of the run depends on."""
        return State(self._native.state())

    def set_state(self, state: State | None = None, *, t: float | None = None, q=None, u=None) -> None:
        """Goes to a saved state, bit for bit; or begins anew from coordinates and velocities."""
        if state is not None:
            if t is not None or q is not None or u is not None:
                raise TypeError("set_state takes a state, or t, q and u, but not both")
            self._native.set_state(state._native)
            return
        as_list = lambda values: None if values is None else np.asarray(values, float).ravel().tolist()  # noqa: E731
        self._native.begin_at(t, as_list(q), as_list(u))

    def reset(self) -> None:
        """Goes back to the start."""
        self._native.reset()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes scene and state to an archive for :func:`stickslip.resume` and ``stickslip resume``."""
        self._native.save(os.fspath(path))

    def __copy__(self) -> "Simulation":
        return Simulation(self._native.copy())

    def __deepcopy__(self, _memo) -> "Simulation":
        return self.__copy__()

    def copy(self) -> "Simulation":
        """A copy that goes its own way."""
        return self.__copy__()

    def __reduce__(self):
        return _rebuilt, (self._native.to_toml(), self._native.name, self.state())

    def __repr__(self) -> str:
        return f"<stickslip simulation of {self._native.name!r} at t = {self.t:g} s after {self.steps} steps>"


def _rebuilt(text: str, name: str, state: State) -> Simulation:
    scene = _native.Scene.from_text(name, name, text, None, [])
    simulation = Simulation(scene.simulation())
    simulation.set_state(state)
    return simulation


def resume(path: str | os.PathLike[str]) -> Simulation:
    """The simulation of an archive (``sim.save``, or ``run.archive`` of the command) at its last state."""
    return Simulation(_native.resume(os.fspath(path)))
