"""Motions that have settled: bifurcation diagrams and basins of attraction."""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
import time
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from . import _native
from ._orbits import _one
from ._progress import Bar
from ._scene import Scene, _given
from ._study import _fixed, _run_left, _values


class Diagram:
    """A bifurcation diagram: a row for each passage of the section. ``diagram["ball.y"]`` is what is shown there."""

    def __init__(self, key: str, unit: str, shown: Sequence[tuple[str, str]], found: Sequence[Mapping[str, Any]]):
        #: The key that is varied.
        self.key = key
        counts = [len(one["points"]) for one in found]
        values = _numbers([one["value"] for one in found])
        #: The values that were gone through, in this order.
        self.values = values
        #: On which way: ``"alone"``, ``"up"`` or ``"down"``.
        self.going = np.array([one["going"] for one in found], str)
        #: After how many passages the motion repeats itself at each value; 0 if it does not.
        self.periods = np.array([one["period"] for one in found], int)
        #: How it ended at each value, and why.
        self.status = np.array([one["status"] for one in found], str)
        self.message: list[str] = [one["message"] for one in found]
        points = np.array([point for one in found for point in one["points"]], float)
        points = points.reshape(sum(counts), len(shown) + 1)
        #: Columns of the passages: the key, ``going``, ``period``, ``t`` and what is shown.
        self._columns: dict[str, np.ndarray] = {
            key: np.repeat(values, counts),
            "going": np.repeat(self.going, counts),
            "period": np.repeat(self.periods, counts),
            "t": points[:, 0],
        }
        self._columns.update((name, points[:, place + 1]) for place, (name, _) in enumerate(shown))
        #: Units of columns that have one.
        self.units = {name: unit for name, unit in [(key, unit), ("t", "s"), *shown] if unit}

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the passages."""
        return list(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._columns)}")
        return self._columns[name]

    def __len__(self) -> int:
        """Number of passages."""
        return len(self._columns["t"])

    def __repr__(self) -> str:
        done = int((self.status == "done").sum())
        return f"<stickslip bifurcation diagram over {self.key}: {done} of {len(self.values)} values done>"


def _numbers(texts: Sequence[str]) -> np.ndarray:
    """Numbers, or words where they are none."""
    try:
        return np.array([float(text) for text in texts], float)
    except ValueError:
        return np.array(texts, str)


def bifurcation(
    scene: Scene | str | os.PathLike[str],
    vary: Mapping[str, Any],
    section: str,
    *,
    discard: int = 200,
    keep: int = 100,
    follow: str | None = None,
    show: str | Sequence[str] = (),
    tolerance: float = 1e-3,
    set: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Diagram:
    """Where a motion passes a section after it has settled, over one key, as ``stickslip bifurcation`` finds it.

    ``vary`` has one key with its values: ``"0.9:1.3:81"`` or a sequence. ``follow`` is ``"up"``, ``"down"`` or ``"both"``: each value
    begins with the state that was reached at the one before. ``show`` are expressions of columns.

        diagram = stickslip.bifurcation("vibrating-table", {"parameters.shaking": [0.9, 1.2]}, "impact(ball)", follow="up")
        diagram["parameters.shaking"], diagram["normal_velocity_after"], diagram.periods
    """
    scene = _given(scene, set)
    key, values = _one(vary)
    shown = [show] if isinstance(show, str) else list(show)
    bar = Bar(f"bifurcation of {scene.name}", 0.0, 1.0, progress)
    try:
        unit, named, found = _native.bifurcation(
            scene._native,
            _fixed(scene),
            _values(key, values),
            section,
            shown,
            (discard, keep, tolerance),
            follow,
            jobs or os.cpu_count() or 1,
            bar.points if bar.wanted else None,
        )
    finally:
        bar.end()
    return Diagram(key, unit, named, found)


class Attractor(NamedTuple):
    """A motion that others settle to."""

    #: ``"periodic"``, ``"rest"``, ``"unseen"`` (it goes on without passing the section) or ``"irregular"``.
    kind: str
    #: After how many passages of the section it repeats itself; 0 if it does not.
    period: int
    #: Number of points that settle to it.
    count: int
    #: Their part of all that settle.
    fraction: float
    #: Wilson's interval of the fraction with 95 % confidence, for points at random.
    interval: tuple[float, float]


class Basins:
    """Which motion each point settles to: ``basins.number`` is that of its attractor, from 1 on, 0 where a run failed.

    ``basins["start.x"]`` has the values of a key. Of a grid all are arrays of as many dimensions as there are keys.
    """

    def __init__(
        self,
        folder: str | None,
        table: str,
        units: Mapping[str, str],
        shape: Sequence[int] | None,
        attractors: Sequence[Mapping[str, Any]],
    ):
        #: The folder with basins.csv, attractors.csv and study.json; None if there is none.
        self.folder = folder
        #: Units of keys that have one.
        self.units = {name: unit for name, unit in units.items() if unit}
        #: The attractors; the first one has the number 1.
        self.attractors = [Attractor(a["kind"], a["period"], a["count"], a["fraction"], tuple(a["interval"])) for a in attractors]
        keys = list(units)
        with open(table, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            next(rows)
            read = [(row[: len(keys)], int(row[len(keys)] or 0), row[-2], row[-1]) for row in rows]
        size = tuple(shape) if shape is not None else (len(read),)
        #: Numbers of attractors.
        self.number = np.array([number for _, number, _, _ in read], int).reshape(size)
        #: How each point ended, and why.
        self.status = np.array([status for _, _, status, _ in read], str).reshape(size)
        self.message = np.array([message for _, _, _, message in read], object).reshape(size)
        self._keys = {key: _numbers([row[place] for row, *_ in read]).reshape(size) for place, key in enumerate(keys)}

    @property
    def fractions(self) -> np.ndarray:
        """Parts of all points that settle to each attractor."""
        return np.array([attractor.fraction for attractor in self.attractors])

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self._keys:
            raise KeyError(f"there is no key {key!r}; there are {', '.join(self._keys)}")
        return self._keys[key]

    def __len__(self) -> int:
        """Number of points."""
        return self.number.size

    def __repr__(self) -> str:
        told = ", ".join(f"{a.kind} {100 * a.fraction:.1f} %" for a in self.attractors)
        return f"<stickslip basins of {len(self)} points: {told}>"


def _basins(parts):
    (source, name, text, path), fixed, varies, sample, section, passages = parts
    native = _native.Scene.from_text(source, name, text, path, [])
    return _native.Basins(native, fixed, varies, sample, section, passages)


def _basin_rows(parts, points):
    """What is noted of some points and the time that they took, in whatever process this is."""
    begin = time.perf_counter()
    rows = _basins(parts).rows(points)
    return rows, time.perf_counter() - begin


def basins(
    scene: Scene | str | os.PathLike[str],
    vary: Mapping[str, Any],
    *,
    section: str = "impact(any)",
    discard: int = 200,
    keep: int = 32,
    tolerance: float = 1e-2,
    sample: str | None = None,
    set: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    client: Any = None,
    progress: bool | None = None,
) -> Basins:
    """Which motion each point of a grid or a sample settles to, as ``stickslip basins`` finds it.

    ``vary``, ``sample``, ``set``, ``out``, ``jobs`` and ``client`` are those of :func:`stickslip.sweep`.

        found = stickslip.basins("impact-oscillator", {"start.x": "-3:0.29:9", "start.v": "-3:3:9"}, section="period 2*pi/omega")
        found.number, found.fractions
    """
    scene = _given(scene, set)
    varies = [_values(key, values) for key, values in vary.items()]
    passages = (discard, keep, tolerance)
    parts = (scene._native.source, _fixed(scene), varies, sample, section, passages)
    native = _basins(parts)
    folder = tempfile.mkdtemp() if out is None else os.fspath(out)
    try:
        records = native.open(folder)
        _run_left(f"basins of {scene.name}", native, records, _basin_rows, parts, jobs, client, progress)
        attractors = native.finish(records)
        table = os.path.join(folder, "basins.csv")
        return Basins(None if out is None else folder, table, dict(native.units), native.shape, attractors)
    finally:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
