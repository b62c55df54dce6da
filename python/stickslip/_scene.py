"""Scenes."""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any, Callable, Mapping, Sequence

from . import _native, _toml
from ._errors import NotConverged, RunError, SceneError, of_status
from ._lab import Served
from ._progress import Bar
from ._run import Run
from ._simulation import Simulation

#: Runs that ended so have results, with a warning.
DOUBTFUL = "untrustworthy"


class Scene:
    """A scene: what moves, from which start, for how long, by which method.

    ``scene["parameters.contact_radius"]`` is the value of a dotted key, entries of lists by their name or number
    (``"body.ball.mass"``); assigning changes it, as ``--set`` of the command does. A value that is wrong raises
    :class:`SceneError` at once and changes nothing; :meth:`update` changes several at once.
    """

    def __init__(self, native, values: Mapping[str, Any] | None = None, functions: Sequence = ()):
        self._native = native
        self._values: dict[str, Any] = dict(values or {})
        self._functions: list[tuple[str, str, Any]] = list(functions)
        self._last: tuple[Any, Any] | None = None

    @classmethod
    def from_toml(cls, text: str, name: str = "scene", file: str | os.PathLike[str] | None = None) -> "Scene":
        """A scene from its text. ``file`` is where it stands, for errors and for files that it reads."""
        source = os.fspath(file) if file is not None else name
        return cls(_native.Scene.from_text(source, name, text, source if file is not None else None, []))

    # What it is.

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def caption(self) -> str:
        """What it shows."""
        return self._native.caption

    @property
    def model(self) -> str:
        """The name of its model; ``world`` for one that it describes itself."""
        return self._native.model

    def to_toml(self) -> str:
        """The scene as a file, with every key and the value that counts."""
        if self._functions:
            raise SceneError("a scene with functions of Python in it cannot be written to a file")
        return self._native.to_toml()

    # Values.

    def __getitem__(self, key: str) -> Any:
        value = self._native.get(key)
        if value is None:
            raise KeyError(f"the scene {self.name!r} has no key {key!r}")
        return value

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def __contains__(self, key: str) -> bool:
        return self._native.get(key) is not None

    def update(self, values: Mapping[str, Any]) -> None:
        """Changes several values at once."""
        together = {**self._values, **values}
        self._native = self._changed(together, self._functions)
        self._values = together

    def _changed(self, values: Mapping[str, Any], functions: Sequence):
        return self._native.changed([_override(key, value) for key, value in values.items()], functions)

    # Functions of Python.

    def _add(self, kind: str, contact: str, function: Any) -> "Scene":
        others = [one for one in self._functions if one[:2] != (kind, contact) or kind == "force"]
        functions = [*others, (kind, contact, function)]
        self._native = self._changed(self._values, functions)
        self._functions = functions
        return self

    def force(self, function: Callable[..., Any]) -> "Scene":
        """Adds generalized forces ``f(t, q, u)``, as many as velocities u (a body in space: N along the axes of the
        world, N m along those of the body). Called some times per step, below 1 µs each."""
        return self._add("force", "", function)

    def friction(self, contact: str, function: Callable[[float], float]) -> "Scene":
        """Makes the coefficient of friction at a named contact of a world a function ``mu(v)`` of the speed of
        sliding in m/s."""
        return self._add("friction", contact, function)

    def friction_set(self, contact: str, convex_set: Any) -> "Scene":
        """Makes a :class:`ConvexSet` of two components, times the normal force and the coefficient of friction, the
        set of friction forces at a named contact of a world in space."""
        return self._add("set", contact, convex_set)

    # Doing something with it.

    def _for(self, options: Mapping[str, Any], values: Mapping[str, Any] | None) -> "Scene":
        """The scene with other values for one run, as one of its own: this one may change later."""
        own = {f"simulation.{key}": value for key, value in options.items() if value is not None}
        own.update(values or {})
        key = (self._native, repr(own) if own else "")
        if self._last is None or self._last[0] != key:
            together = {**self._values, **own}
            native = self._changed(together, self._functions) if own else self._native
            self._last = (key, Scene(native, together, self._functions))
        return self._last[1]

    def run(
        self,
        duration: float | None = None,
        step: float | None = None,
        output_step: float | None = None,
        *,
        values: Mapping[str, Any] | None = None,
        progress: bool | None = None,
    ) -> Run:
        """Runs it from its start to its end.

        ``duration``, ``step`` and ``output_step`` are in s (or texts with a unit); ``values`` are more keys for this
        run alone. A bar is drawn in terminals and notebooks unless ``progress`` says otherwise. Ctrl-C ends it.
        Raises :class:`NotConverged` or :class:`RunError`, both with the results so far as ``error.run``.
        """
        scene = self._for({"duration": duration, "step": step, "output_step": output_step}, values)
        bar = Bar(self.name, 0.0, scene._native.duration, progress)
        tell = (lambda t, steps, contacts: bar.at(t, f"{t:.3g} s, {contacts} contacts")) if bar.wanted else None
        try:
            found = scene._native.run(tell, "Python")
        finally:
            bar.end()
        run = Run(scene, found)
        if found.is_done:
            return run
        if run.status == DOUBTFUL:
            warnings.warn(f"{self.name}: {run.message}", stacklevel=2)
        else:
            error = of_status(*found.status)
            if isinstance(error, (RunError, NotConverged)):
                error.run = run
            raise error
        return run

    def gradient(self, measure, *, wrt):
        """Derivatives of a measure of a run by keys of the scene, in SI units; see :func:`stickslip.gradient`."""
        from ._derivatives import gradient

        return gradient(self, measure, wrt=wrt)

    def simulation(self) -> Simulation:
        """A simulation at the start."""
        return Simulation(self._native.simulation())

    def lab(self) -> Served:
        """Opens the lab, which is live: the scene as text, sliders for its values, and its motion (docs/lab.md). In
        a notebook it is shown there; where no browser can be opened its address is printed. The program serves it
        until ``stop()`` of what is returned, or until Python ends. A scene whose values were changed is opened as a
        new file in a folder of its own."""
        source, name, _, path = self._native.source
        target = source if path is None else os.fspath(path)
        if self._values or self._functions or not _is_known(source, path):
            target = os.path.join(tempfile.mkdtemp(prefix="stickslip-"), f"{_toml.file_name(name)}.toml")
            with open(target, "w", encoding="utf-8") as out:
                out.write(self.to_toml())
        return Served("lab", target).open()

    def check(self) -> "Check":
        """What can be said before a run; see :func:`stickslip.check`."""
        return Check(*self._native.check())

    def copy(self) -> "Scene":
        """A scene whose values can be changed apart from this one's."""
        return Scene(self._native, self._values, self._functions)

    __copy__ = copy

    def __deepcopy__(self, _memo) -> "Scene":
        return self.copy()

    def __reduce__(self):
        return _rebuilt, (self._native.source, self._values, self._functions)

    def __repr__(self) -> str:
        changed = "".join(f", {key} = {value!r}" for key, value in self._values.items())
        return f"<stickslip scene {self.name!r} ({self.model}){changed}>"


def _rebuilt(source, values, functions) -> Scene:
    scene = Scene(_native.Scene.from_text(*source, []), values, functions)
    if values or functions:
        scene._native = scene._changed(values, functions)
    return scene


def _is_known(source: str, path: Any) -> bool:
    """Whether the program finds a scene by itself."""
    return os.path.isfile(path) if path is not None else source in scenes()


def _override(key: str, value: Any) -> str:
    return f"{key}={_toml.value(value, key)}"


class Check(list):
    """Lines about a scene; true if it can run."""

    def __init__(self, lines: list[str], is_good: bool):
        super().__init__(lines)
        #: Whether it can run.
        self.ok = is_good

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(self)

    __repr__ = __str__


def load(name_or_file: str | os.PathLike[str]) -> Scene:
    """A scene of the program by its name, or a file (its name ends in .toml or has a folder)."""
    name = os.fspath(name_or_file)
    if not isinstance(name_or_file, str) and not name.endswith(".toml") and os.sep not in name:
        name = os.path.join(os.curdir, name)
    return Scene(_native.Scene.open(name, []))


def _given(scene: Scene | str | os.PathLike[str], values: Mapping[str, Any] | None) -> Scene:
    """A scene, its name or its file, with other values for one study."""
    scene = scene if isinstance(scene, Scene) else load(scene)
    return scene._for({}, values)


def scenes() -> list[str]:
    """Names of the scenes of the program."""
    return [name for name, *_ in _native.scenes()]


def check(scene: Scene | str | os.PathLike[str]) -> Check:
    """What can be said of a scene before it runs: masses, overlaps, joints that do not meet, warnings. The
    result is a list of lines and is true if the scene can run. A scene that cannot be read raises
    :class:`SceneError`."""
    if not isinstance(scene, Scene):
        scene = load(scene)
    return scene.check()
