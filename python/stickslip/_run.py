"""Results of runs."""

from __future__ import annotations

import html
import json
import os
import tempfile
import webbrowser
from typing import Any, Iterator

import numpy as np

from ._lab import Served
from ._progress import in_notebook

STATES = ("open", "stick", "slip")
#: Largest page that is shown inline, bytes.
INLINE_BYTES = 8_000_000


def table(columns: dict[str, Any]) -> np.ndarray:
    """Columns as one structured array."""
    arrays = {name: np.asarray(of) if len(of) else np.empty(0, "U1" if isinstance(of, list) else float)
              for name, of in columns.items()}
    length = len(next(iter(arrays.values())))
    out = np.empty(length, dtype=[(name, of.dtype) for name, of in arrays.items()])
    for name, of in arrays.items():
        out[name] = of
    return out


def events_table(events) -> np.ndarray:
    times, contacts, kinds = events
    return table({"t": np.asarray(times, float), "contact": contacts, "event": kinds})


class ContactResults:
    """What happened at a contact: its columns as attributes, such as ``force`` (N), ``gap`` (m), ``state``."""

    def __init__(self, run: "Run", name: str):
        self._run, self.name = run, name

    @property
    def columns(self) -> list[str]:
        """Names of the attributes."""
        start = self.name + "."
        return [own[len(start):] for own in self._run.columns if own.startswith(start)]

    def __getattr__(self, attribute: str) -> np.ndarray:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        try:
            return self._run[f"{self.name}.{attribute}"]
        except KeyError:
            own = ", ".join(self.columns)
            raise AttributeError(f"contact {self.name!r} has no column {attribute!r}; it has {own}") from None

    @property
    def impacts(self) -> np.ndarray:
        """Its impacts; see :attr:`Run.impacts`."""
        all_impacts = self._run.impacts
        return all_impacts[all_impacts["contact"] == self.name]

    @property
    def events(self) -> np.ndarray:
        """Its events; see :attr:`Run.events`."""
        events = self._run.events
        return events[events["contact"] == self.name]

    def __repr__(self) -> str:
        return f"<stickslip contact {self.name!r}: {', '.join(self.columns)}>"


class _Inline:
    """A page within a notebook."""

    def __init__(self, run: "Run"):
        self._run = run

    def _repr_html_(self) -> str:
        return self._run._repr_html_()


class Run:
    """The results of a run.

    ``run["theta"]`` is a column as a numpy array, without a copy; ``run.t`` the times in s; ``run.units`` says in
    which units the columns are (SI). Columns of states are 0 open, 1 stick, 2 slip.
    """

    def __init__(self, scene, native):
        self._scene, self._native = scene, native
        self._values: dict[str, np.ndarray] = {}
        self._kept: dict[str, Any] = {}

    def _once(self, name: str, make):
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def _names(self) -> tuple[dict[str, int], dict[str, int], dict[str, str]]:
        """Numbers of the columns of numbers and of states, units."""

        def make():
            names, states, units = self._again().columns
            numbered = ({name: number for number, name in enumerate(own)} for own in (names, states))
            return (*numbered, units)

        return self._once("names", make)

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns that have one."""
        return self._names()[2]

    @property
    def status(self) -> str:
        """How it ended: done, untrustworthy, not-converged, failed, ..."""
        return self._once("status", lambda: self._again().status)[0]

    @property
    def message(self) -> str:
        """What went wrong; empty if nothing did."""
        return "" if self.status == "done" else self._kept["status"][1]

    @property
    def warnings(self) -> list[str]:
        """Doubts about scene and results."""
        return self._once("warnings", lambda: self._again().warnings)

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts that have columns."""
        return self._once("contacts", lambda: self._again().contacts)

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        numbers, states, _ = self._names()
        return [*numbers, *states]

    @property
    def t(self) -> np.ndarray:
        """Times of the rows, s."""
        return self["t"]

    def __getitem__(self, name: str) -> np.ndarray:
        found = self._values.get(name)
        if found is not None:
            return found
        numbers, states, _ = self._names()
        if name in numbers:
            values = self._native.take(numbers[name])
        elif name in states:
            values = self._native.take_state(states[name])
        else:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.columns)}")
        return self._values.setdefault(name, values)

    def __contains__(self, name: object) -> bool:
        numbers, states, _ = self._names()
        return name in numbers or name in states

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.t)

    def keys(self) -> list[str]:
        """Names of all columns."""
        return self.columns

    @property
    def summary(self) -> dict[str, Any]:
        """What ``summary.json`` says: energy book, largest forces, events, steps; docs/user-guide.md."""
        return self._once("summary", lambda: json.loads(self._again().summary()))

    @property
    def impacts(self) -> np.ndarray:
        """Impacts in the order of time: t (s), contact, normal and tangential velocity before and after (m/s),
        percussions (N s)."""
        return self._once("impacts", lambda: table(self._again().impacts()))

    @property
    def events(self) -> np.ndarray:
        """What happened at contacts in the order of time: t (s), contact, event (close, open, stick, slip,
        accumulation)."""
        return self._once("events", lambda: events_table(self._again().events()))

    def gradient(self, measure, *, wrt):
        """Derivatives of a measure of this run by keys of its scene, in SI units; see :func:`stickslip.gradient`.

            run.gradient("at(theta, 1.0)", wrt=["parameters.mu", "start.omega"])["parameters.mu"]
        """
        from ._derivatives import gradient

        return gradient(self._scene, measure, wrt=wrt)

    def contact(self, name: str) -> ContactResults:
        """The columns of a contact: ``run.contact("body").force``."""
        if name not in self.contacts:
            raise KeyError(f"there is no contact {name!r} with columns; there are {', '.join(self.contacts)}")
        return ContactResults(self, name)

    def state(self, t: float):
        """The state at the first end of a step at the time t (s) or behind it, computed again: exact."""
        if not 0 <= t - self.t[0] <= (self.t[-1] - self.t[0]) * (1 + 1e-9):
            raise ValueError(f"t is {t}, it must be from {self.t[0]} to {self.t[-1]} s")
        from ._simulation import State

        return State(self._again().state_at(float(t)))

    def _again(self):
        """The run in memory; one that was unpickled is computed again."""
        if self._native is None:
            self._native = self._scene._native.run(None, "Python")
        return self._native

    # Tables.

    def _all(self) -> dict[str, np.ndarray]:
        return {name: self[name] for name in self.columns}

    def to_pandas(self):
        """A pandas DataFrame of all columns; ``attrs["units"]`` has the units."""
        import pandas

        frame = pandas.DataFrame(self._all(), copy=False)
        frame.attrs["units"] = dict(self.units)
        return frame

    def to_polars(self):
        """A polars DataFrame of all columns."""
        import polars

        return polars.DataFrame(self._all())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all columns to a file for ``numpy.load``."""
        if not os.fspath(path).endswith(".npz"):
            raise ValueError(f"path is {os.fspath(path)!r}, it must end in .npz")
        with open(path, "wb") as out:
            np.savez_compressed(out, **self._all())

    # Pages and plots.

    def html(self) -> str:
        """The report page."""
        return self._again().page()

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report page: motion, plots and summary in one file."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.html())

    def show(self):
        """Opens the report page in the browser and returns its path; in a notebook it shows the page there. Where
        no browser can be opened the page is served on this machine, and its address printed."""
        if in_notebook():
            return _Inline(self)
        folder = tempfile.mkdtemp(prefix="stickslip-")
        path = os.path.join(folder, "report.html")
        self.report(path)
        if webbrowser.open("file://" + path) is False:
            served = Served("view", folder)
            print(f"open {served.url} in a browser")
        return path

    def _repr_html_(self) -> str:
        title = html.escape(repr(self))
        page = self.html()
        if len(page) > INLINE_BYTES:
            return f"<p>{title}: too large to show here; <code>run.show()</code> opens it</p>"
        return (
            f"<details open><summary>{title}</summary><iframe loading='lazy' sandbox='allow-scripts' "
            f"style='width:100%;height:640px;border:0' srcdoc=\"{html.escape(page)}\"></iframe></details>"
        )

    def plot(self, *names: str, ax=None):
        """Draws columns over the time with matplotlib; returns the axes."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        for name in names or self.columns[1:2]:
            unit = self.units.get(name)
            ax.plot(self.t, self[name], label=f"{name} / {unit}" if unit else name)
        ax.set_xlabel("t / s")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return (
            f"<stickslip run of {self._scene.name!r}: {self.status}, {self.t[-1]:g} s, {len(self)} rows of "
            f"{len(self.columns)} columns>"
        )

    def __getstate__(self):
        self._all()
        for own in ("summary", "impacts", "events", "units", "status", "warnings", "contacts"):
            getattr(self, own)
        return {**self.__dict__, "_native": None}
