"""Derivatives of runs, and fits of data through them."""

from __future__ import annotations

import io
import os
from typing import Any, Mapping, Sequence

import numpy as np

from . import _native
from ._scene import Scene, _given
from ._study import _fixed


class Gradient(dict):
    """The derivatives of a measure: ``gradient["parameters.mu"]``; ``numpy.asarray(gradient)`` has them in the order of the keys."""

    def __init__(self, measure: str, unit: str, value: float, derivatives: Mapping[str, float], blind: int):
        super().__init__(derivatives)
        #: The measure as it was written, or its name.
        self.measure = measure
        #: Its SI unit; empty for a number.
        self.unit = unit
        #: Its value in SI units.
        self.value = value
        #: Instants at which the motion has no two-sided derivative.
        self.without_derivative = blind

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(list(self.values()), dtype=dtype or float)

    def __repr__(self) -> str:
        return f"<stickslip gradient of {self.measure} = {self.value:g} {self.unit}: {dict(self)}>"


def gradient(
    scene: Scene | str,
    measure: str | Sequence[str],
    *,
    wrt: str | Sequence[str],
    set: Mapping[str, Any] | None = None,
):
    """Derivatives of a measure of the run of a scene by keys of it, in SI units (docs/studies.md).

    A list of measures gives a list of :class:`Gradient`. ``set`` has other values of the scene for this call.

        stickslip.gradient("tippe-top", "at(theta, 1.0)", wrt=["parameters.friction_coefficient", "start.psi_dot"])
    """
    scene = _given(scene, set)
    measures = [measure] if isinstance(measure, str) else list(measure)
    keys = [wrt] if isinstance(wrt, str) else list(wrt)
    found, blind = _native.gradient(scene._native, _fixed(scene), measures, keys)
    all_of_them = [Gradient(name, unit, value, dict(zip(keys, by)), blind) for name, unit, value, by in found]
    return all_of_them[0] if isinstance(measure, str) else all_of_them


class Fit:
    """Values of keys with which the motion of a scene fits data best."""

    def __init__(self, scene: Scene, found):
        free, correlation, columns, chi_squared, freedom, runs, converged = found
        self._scene = scene
        #: The values in SI units, by key.
        self.values = {key: value for key, value, _, _ in free}
        #: Their standard errors.
        self.errors = {key: error for key, _, error, _ in free}
        #: Correlations of their errors, in the order of the keys.
        self.correlation = np.array(correlation)
        #: Standard deviations of the noise, given or estimated, by column.
        self.sigma = {name: sigma for name, _, sigma, _ in columns}
        #: The model at the times of the data, by column.
        self.model = {name: np.array(model) for name, _, _, model in columns}
        #: Sum of (model - data)^2 / sigma^2, and values less free keys.
        self.chi_squared, self.degrees_of_freedom = chi_squared, freedom
        #: Runs that were made, and whether nothing changed any more at the end.
        self.runs, self.converged = runs, converged

    def scene(self) -> Scene:
        """The scene with the values that were found."""
        scene = self._scene.copy()
        scene.update(self.values)
        return scene

    def __repr__(self) -> str:
        told = ", ".join(f"{key} = {self.values[key]:g} +- {self.errors[key]:.2g}" for key in self.values)
        return f"<stickslip fit: {told}>"


def _table(data: Any) -> tuple[str, str]:
    """Name and text of a table of comma-separated values."""
    if isinstance(data, (str, os.PathLike)):
        with open(data, encoding="utf-8") as file:
            return os.fspath(data), file.read()
    arrays = {name: np.asarray(data[name], float) for name in data.keys()}
    out = io.StringIO()
    out.write(",".join(f'"{name}"' for name in arrays) + "\n")
    for row in zip(*arrays.values(), strict=True):
        out.write(",".join("" if np.isnan(value) else repr(float(value)) for value in row) + "\n")
    return "the data", out.getvalue()


def fit(
    scene: Scene | str,
    data: Any,
    *,
    free: str | Sequence[str],
    columns: Sequence[str] = (),
    sigma: Mapping[str, float] | None = None,
    set: Mapping[str, Any] | None = None,
) -> Fit:
    """Finds values of keys of a scene with which its motion fits data best, as ``stickslip fit`` does.

    ``data`` is a file of comma-separated values, or columns by name (a dict, a DataFrame): ``t`` and columns of the table of
    a run, in the units there; ``columns`` are those that count, all by default. The search begins at the values of the scene. ``sigma`` has the standard deviations of the
    noise of columns; those of others are estimated. ``set`` has other values of the scene for this call.

        stickslip.fit("bouncing-ball", {"t": t, "ball.z": z}, free=["contact.table.restitution"]).values
    """
    scene = _given(scene, set)
    keys = [free] if isinstance(free, str) else list(free)
    found = _native.fit(scene._native, _fixed(scene), _table(data), list(columns), keys, list((sigma or {}).items()))
    return Fit(scene, found)
