"""Worlds built in Python, with the keys of scene files (docs/scene-format.md)."""

from __future__ import annotations

from typing import Any, Sequence

from . import _toml
from ._laws import ConvexSet
from ._run import Run
from ._scene import Scene
from ._simulation import Simulation


class Shape(dict):
    """A shape of a body: ``kind`` and its keys; ``offset`` (m), ``rotation``, ``density`` and ``name`` as in
    ``[[body.shape]]``."""

    def __init__(self, kind: str, **keys: Any):
        super().__init__(kind=kind, **{key: value for key, value in keys.items() if value is not None})


def Sphere(radius, **keys) -> Shape:
    """A ball; radius in m."""
    return Shape("sphere", radius=radius, **keys)


def Box(half_extents: Sequence, **keys) -> Shape:
    """A box by half of its edges in m; in the plane a rectangle."""
    return Shape("box", half_extents=half_extents, **keys)


def Capsule(radius, half_length, **keys) -> Shape:
    """A capsule; radius and half of the length between the centres of its ends in m."""
    return Shape("capsule", radius=radius, half_length=half_length, **keys)


def Cylinder(radius, half_length, **keys) -> Shape:
    """A cylinder; radius and half of its length in m."""
    return Shape("cylinder", radius=radius, half_length=half_length, **keys)


def Disk(radius, **keys) -> Shape:
    """A thin disk; radius in m."""
    return Shape("disk", radius=radius, **keys)


def Ellipsoid(semi_axes: Sequence, **keys) -> Shape:
    """An ellipsoid; semi-axes in m."""
    return Shape("ellipsoid", semi_axes=semi_axes, **keys)


def Circle(radius, **keys) -> Shape:
    """A circle in the plane; radius in m."""
    return Shape("circle", radius=radius, **keys)


def Polygon(points: Sequence, **keys) -> Shape:
    """A polygon in the plane; corners in m."""
    return Shape("polygon", points=points, **keys)


def HalfSpace(**keys) -> Shape:
    """The half space below z = 0 of a fixed body; in the plane below y = 0."""
    return Shape("half-space", **keys)


class World:
    """A world: bodies, joints, forces and contacts with the keys of scene files.

    Values are in SI units, or texts with a unit or an expression. ``ground=True`` puts the half space below z = 0
    (plane: y = 0) there; a dict gives its keys. Other keyword arguments are keys of ``[world]``.
    """

    def __init__(self, name: str = "world", *, ground: bool | dict = False, caption: str | None = None, **world: Any):
        self._name = name
        if ground is not False and ground is not None:
            world["ground"] = {} if ground is True else dict(ground)
        self._top: dict[str, Any] = {"format": 1, "name": name, "caption": caption, "world": world}
        self._functions: list[tuple[str, str, Any]] = []

    def _entry(self, kind: str, keys: dict[str, Any]) -> "World":
        given = {key: value for key, value in keys.items() if value is not None}
        for key, value in given.items():
            _toml.value(value, key)  # an error names the argument
        self._top.setdefault(kind, []).append(given)
        return self

    def body(self, name: str, *, shapes: Sequence[Shape] = (), **keys: Any) -> "World":
        """A body; keys of ``[[body]]``: mass (kg), density, position (m), rotation, velocity (m/s),
        angular_velocity (rad/s), fixed, ..."""
        return self._entry("body", {"name": name, "shape": list(shapes) or None, **keys})

    def joint(self, kind: str, *bodies: str, **keys: Any) -> "World":
        """A joint between two bodies; keys of ``[[joint]]``."""
        return self._entry("joint", {"kind": kind, "bodies": list(bodies) or None, **keys})

    def force(self, kind: Any, **keys: Any) -> "World":
        """A force; keys of ``[[force]]``. A function ``f(t, q, u)`` is one of generalized forces: see
        :meth:`Scene.force`."""
        if callable(kind):
            self._functions.append(("force", "", kind))
            return self
        return self._entry("force", {"kind": kind, **keys})

    def contact(self, first: str, second: str, *, name: str | None = None, **keys: Any) -> "World":
        """The law between two bodies, or materials; keys of ``[[contact]]``: friction, restitution, law, ...

        ``friction`` may be a function of the speed of sliding in m/s, ``law`` a :class:`ConvexSet`. Contacts with a
        name have columns."""
        if name is None:
            name = f"{first}-{second}"
        friction, law = keys.get("friction"), keys.get("law")
        if callable(friction):
            self._functions.append(("friction", name, friction))
            keys["friction"] = float(friction(0.0))
        if isinstance(law, ConvexSet):
            self._functions.append(("set", name, law))
            keys["law"] = None
        return self._entry("contact", {"name": name, "between": [first, second], **keys})

    def default_contact(self, **keys: Any) -> "World":
        """The law of all other pairs."""
        return self.section("default_contact", **keys)

    def simulation_settings(self, **keys: Any) -> "World":
        """Keys of ``[simulation]``: duration, step, output_step (s), integrator, ..."""
        return self.section("simulation", **keys)

    def section(self, section: str, **keys: Any) -> "World":
        """Keys of any section of a scene file, such as ``solver`` or ``parameters``."""
        self._top.setdefault(section, {}).update(keys)
        return self

    def entry(self, list_name: str, **keys: Any) -> "World":
        """An entry of any list of a scene file, such as ``array``, ``column``, ``stop`` or ``event``."""
        return self._entry(list_name, keys)

    def to_toml(self) -> str:
        """The world as a scene file."""
        return _toml.document(self._top)

    def scene(self) -> Scene:
        """The world as a scene; errors name the key, such as ``body.0.mass``."""
        scene = Scene.from_toml(self.to_toml(), self._name)
        for function in self._functions:
            scene._add(*function)
        return scene

    def run(self, duration: float | None = None, **options: Any) -> Run:
        """Runs it; see :meth:`Scene.run`."""
        return self.scene().run(duration, **options)

    def simulation(self) -> Simulation:
        """A simulation at the start."""
        return self.scene().simulation()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(v)} of {k}" for k, v in self._top.items() if isinstance(v, list))
        return f"<stickslip world {self._name!r}: {counts or 'empty'}>"
