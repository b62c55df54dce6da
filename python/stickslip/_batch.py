"""Many runs of one scene."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from . import _native
from ._progress import Bar
from ._scene import Scene, _override


class BatchRun:
    """Results of a batch: ``result["theta"]`` has a row for each run; rows of runs that ended early end in NaN."""

    def __init__(self, found: dict[str, Any], units: dict[str, str]):
        self._columns: dict[str, np.ndarray] = found["columns"]
        #: Units of the columns that have one.
        self.units = units
        #: Coordinates at the end, (n, coordinates).
        self.q: np.ndarray = found["q"]
        #: Velocities at the end, (n, velocities).
        self.u: np.ndarray = found["u"]
        #: Time at the end, s, (n,).
        self.end: np.ndarray = found["t"]
        #: Steps, (n,).
        self.steps: np.ndarray = found["steps"]
        #: How each ended.
        self.status: np.ndarray = np.array(found["status"])
        #: What went wrong in each.
        self.message: list[str] = found["message"]

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    @property
    def t(self) -> np.ndarray:
        """Times of the rows, s, (n, rows)."""
        return self._columns["t"]

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of runs."""
        return len(self.status)

    def __repr__(self) -> str:
        done = int((self.status == "done").sum())
        return f"<stickslip batch of {len(self)} runs: {done} done, {len(self.columns)} columns>"


class Batch:
    """``n`` runs of a scene with values and starts of their own, on some threads.

    ``batch["parameters.contact_radius"] = array`` gives each run its value; ``batch.q`` and ``batch.u``, arrays
    (n, ...), their starts. Each run is the same as alone, bit for bit, whatever the number of threads.
    """

    def __init__(
        self,
        scene: Scene,
        n: int,
        threads: int = 2,
        *,
        values: Mapping[str, Sequence] | None = None,
        q=None,
        u=None,
    ):
        if n < 1 or threads < 1:
            raise ValueError(f"n is {n} and threads is {threads}, both must be at least 1")
        self.scene, self.n, self.threads = scene, int(n), int(threads)
        self._values: dict[str, list] = {}
        #: Coordinates at the start, (n, coordinates); None: those of the scene.
        self.q = q
        #: Velocities at the start, (n, velocities); None: those of the scene.
        self.u = u
        for key, value in (values or {}).items():
            self[key] = value

    def __len__(self) -> int:
        return self.n

    def __setitem__(self, key: str, values: Sequence) -> None:
        values = list(values)
        if len(values) != self.n:
            raise ValueError(f"{key} has {len(values)} values, it must have {self.n}: one for each run")
        self._values[key] = values

    def __getitem__(self, key: str) -> np.ndarray:
        return np.array(self._values[key])

    def _start(self, name: str, count: int):
        values = getattr(self, name)
        if values is None:
            return None
        values = np.asarray(values, float)
        if values.shape != (self.n, count):
            raise ValueError(f"{name} has the shape {values.shape}, it must have ({self.n}, {count})")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} has a number that is not finite")
        return values.tolist()

    def run(
        self,
        duration: float | None = None,
        *,
        columns: Sequence[str] | None = None,
        progress: bool | None = None,
    ) -> BatchRun:
        """Runs all. ``columns`` are those that are kept, by default all of numbers."""
        scene = self.scene._for({"duration": duration}, None)
        native = scene._native
        fixed = [_override(key, value) for key, value in scene._values.items()]
        overrides: list[list[str]] = [
            [*fixed, *(_override(key, values[number]) for key, values in self._values.items())]
            for number in range(self.n)
        ]
        names, units = native.columns()
        if columns is not None:
            wrong = [name for name in columns if name not in names]
            if wrong:
                raise KeyError(f"there is no column {wrong[0]!r}; there are {', '.join(names)}")
            names = ["t", *(name for name in columns if name != "t")]
        counts = native.sizes()
        bar = Bar(f"{self.n} runs of {scene.name}", 0.0, self.n, progress)
        tell = (lambda done, count: bar.at(done, f"{done} done")) if bar.wanted else None
        try:
            found = _native.batch(
                native, overrides, self._start("q", counts[0]), self._start("u", counts[1]), names, self.threads, tell
            )
        finally:
            bar.end()
        return BatchRun(found, {name: unit for name, unit in units.items() if name in names})

    def __repr__(self) -> str:
        return f"<stickslip batch of {self.n} runs of {self.scene.name!r} on {self.threads} threads>"
