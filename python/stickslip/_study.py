"""Studies: many runs of one scene."""

from __future__ import annotations

import csv
import itertools
import os
import shutil
import sys
import tempfile
import time
import weakref
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from . import _native
from ._progress import Bar
from ._scene import Scene, _given, _override

#: Seconds that a piece of work for another process should take; with many threads so many for each of them, for one
#: scheduler can make some hundred tasks a second (docs/scale.md).
PIECE = 1.0
PIECE_PER_THREAD = 0.02


class SweepResult:
    """The table of a sweep: ``result["max(energy)"]`` is a column, with a value for each point.

    Measures of points that failed are NaN; ``status`` and ``message`` say how each ended.
    """

    def __init__(self, folder: str | None, table: str, units: Mapping[str, str]):
        #: The folder with sweep.csv and study.json; None if there is none.
        self.folder = folder
        #: Units of keys and measures that have one.
        self.units = {name: unit for name, unit in units.items() if unit}
        # Columns are read when they are asked for: the table of a large study has no room in memory.
        self._table = table
        self._columns: dict[str, np.ndarray] = {}
        with open(table, newline="", encoding="utf-8") as file:
            self._names = next(csv.reader(file))
        if folder is None:
            # The table is there as long as the result is.
            weakref.finalize(self, shutil.rmtree, os.path.dirname(table), ignore_errors=True)

    def __getstate__(self) -> dict[str, Any]:
        for name in self._names:
            self._column(name)
        return dict(self.__dict__)

    def _cells(self, name: str) -> Iterator[str]:
        place = self._names.index(name)
        with open(self._table, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            next(rows)
            yield from (row[place] for row in rows)

    def _column(self, name: str) -> np.ndarray:
        if name not in self._columns:
            try:
                if name in ("status", "message"):
                    raise ValueError("words")
                numbers = (float(cell) if cell else np.nan for cell in self._cells(name))
                self._columns[name] = np.fromiter(numbers, float)
            except ValueError:
                # There are few different words.
                self._columns[name] = np.array([sys.intern(cell) for cell in self._cells(name)], dtype=object)
        return self._columns[name]

    @property
    def columns(self) -> list[str]:
        """Names of keys and measures."""
        return [name for name in self._names if name not in ("status", "message")]

    @property
    def status(self) -> np.ndarray:
        """How each point ended: done, failed, not-converged, untrustworthy, bad-input, ..."""
        return self._column("status").astype(str)

    @property
    def message(self) -> list[str]:
        """What went wrong at each point; empty if nothing did."""
        return list(self._column("message"))

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._names:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.columns)}")
        return self._column(name)

    def __len__(self) -> int:
        """Number of points."""
        return len(self._column("status"))

    def __repr__(self) -> str:
        done = int((self.status == "done").sum())
        return f"<stickslip sweep of {len(self)} points: {done} done>"


def _values(key: str, values: Any) -> str:
    if isinstance(values, str):
        return f"{key}={values}"
    listed = [_override(key, value).split("=", 1)[1] for value in values]
    return f"{key}={','.join(listed)}"


def _fixed(scene: Scene) -> list[str]:
    """Values of a scene as arguments: studies read it anew from its text."""
    if scene._functions:
        raise ValueError("a scene with functions of Python in it cannot be studied, for it has no text; use Batch")
    return [_override(key, value) for key, value in scene._values.items()]


def _parts(scene: Scene, vary: Mapping[str, Any], sample: str | None, measures: Sequence[str]):
    """What a sweep is made of, in a form that other processes can be sent."""
    varies = [_values(key, values) for key, values in vary.items()]
    return scene._native.source, _fixed(scene), varies, sample, list(measures)


def _sweep(parts):
    (source, name, text, path), fixed, varies, sample, measures = parts
    native = _native.Scene.from_text(source, name, text, path, [])
    return _native.Sweep(native, fixed, varies, sample, measures)


def _rows(parts, points):
    """Rows of some points and the time that they took, in whatever process this is."""
    begin = time.perf_counter()
    rows = _sweep(parts).rows(points)
    return rows, time.perf_counter() - begin


def _by_client(client, rows_of, parts, records, left: list[tuple[int, int]], tell) -> None:
    """Pieces of work on the workers of a client, two waiting for each; a worker that is lost loses nothing. ``left`` are
    ranges of points."""
    from dask.distributed import as_completed

    numbers = itertools.chain.from_iterable(range(*ends) for ends in left)

    threads = max(sum(client.nthreads().values()), 1)
    piece = max(PIECE, PIECE_PER_THREAD * threads)
    # As long as nothing is known of their cost, one point at a time.
    size, over = 1, 0
    wave = as_completed()
    waiting, is_over = 0, False
    while not is_over or waiting:
        while not is_over and waiting < 2 * threads:
            points = list(itertools.islice(numbers, size))
            is_over = not points
            if points:
                wave.add(client.submit(rows_of, parts, points, pure=False, retries=10))
                waiting += 1
        if not waiting:
            break
        future = next(wave)
        rows, seconds = future.result()
        waiting -= 1
        records.push(rows)
        over += len(rows)
        size = int(min(max(1.0, piece * len(rows) / max(seconds, 1e-6)), 4 * size, 100_000))
        tell(over)


def _run_left(name: str, native, records, rows_of, parts, jobs, client, progress) -> None:
    """Runs the points that a folder does not hold yet, on threads of this process or by a client."""
    left = records.todo()
    there = native.count - sum(end - begin for begin, end in left)
    bar = Bar(name, 0.0, native.count, progress)
    try:
        if client is not None:
            _by_client(client, rows_of, parts, records, left, lambda over: bar.points(there + over, 0, native.count))
        else:
            native.run(records, jobs or os.cpu_count() or 1, bar.points if bar.wanted else None)
    finally:
        bar.end()


def sweep(
    scene: Scene | str,
    vary: Mapping[str, Any],
    measures: Sequence[str],
    *,
    sample: str | None = None,
    set: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    client: Any = None,
    progress: bool | None = None,
) -> SweepResult:
    """Runs a scene at every point of a grid or a sample, and measures each run, as ``stickslip sweep`` does.

    ``vary`` has values for each key: ``"0:0.5:51"``, ``"0:0.5"`` with a ``sample`` (``"sobol:200"``, ``"random:200"``), or a
    sequence. ``measures`` are texts such as ``"max(energy)"`` or ``"hits=count(impact(ball))"`` (docs/studies.md). ``set`` has
    values that count at every point. With ``out`` the folder has the table, and the same call goes on where an earlier one was ended. ``client`` is one of
    ``dask.distributed``; without it the runs are shared among ``jobs`` threads of this process.

        stickslip.sweep("vibrating-table", {"parameters.shaking": "0.4:1.4:11"}, ["max(ball.y)"])["max(ball.y)"]
    """
    scene = _given(scene, set)
    parts = _parts(scene, vary, sample, measures)
    native = _sweep(parts)
    folder = tempfile.mkdtemp() if out is None else os.fspath(out)
    records = native.open(folder)
    is_over = False
    try:
        _run_left(f"sweep of {scene.name}", native, records, _rows, parts, jobs, client, progress)
        is_over = True
    finally:
        if is_over or out is not None:
            records.finish()
        else:
            shutil.rmtree(folder, ignore_errors=True)
    table = os.path.join(folder, "sweep.csv")
    return SweepResult(None if out is None else folder, table, dict(native.units))
