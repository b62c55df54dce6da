"""What can go wrong."""

from __future__ import annotations

import json
from typing import Any


class Error(Exception):
    """What this package raises."""


class SceneError(Error, ValueError):
    """A scene that is wrong.

    Place and key are those of the first complaint; ``complaints`` has all of them, each as a dict with the
    same keys and ``message``. ``line`` and ``column`` are None for a value that does not stand in the file.
    """

    def __init__(self, message: str, complaints: list[dict[str, Any]] | None = None):
        super().__init__(message)
        self.complaints = complaints or []
        first = self.complaints[0] if self.complaints else {}
        self.file: str | None = first.get("file")
        self.line: int | None = first.get("line")
        self.column: int | None = first.get("column")
        self.key: str | None = first.get("key")

    def __reduce__(self):
        return type(self), (self.args[0], self.complaints)


class NotFound(Error, ValueError):
    """What a study looked for is not there: no periodic orbit, no return of a motion, nothing that data could tell."""


class RunError(Error):
    """A run that did not reach its end. ``run`` has the results up to there, if there are any."""

    def __init__(self, message: str, status: str = "failed", t: float | None = None):
        super().__init__(message)
        self.status = status
        self.t = t
        self.run = None


class NotConverged(RunError):
    """A contact problem that was not solved.

    ``residual`` is what was reached, without unit; ``problem`` the problem as a dict that
    :func:`stickslip.solve` takes; ``t`` the start of the step in s.
    """

    def __init__(
        self,
        message: str,
        status: str = "not-converged",
        t: float | None = None,
        residual: float | None = None,
        problem: dict[str, Any] | None = None,
    ):
        super().__init__(message, status, t)
        self.residual = residual
        self.problem = problem


def of_scene(complaints):
    names = ("file", "line", "column", "key", "message")
    entries = [dict(zip(names, (value if value != "" else None for value in one))) for one in complaints]
    return SceneError("\n".join(entry["message"] or "" for entry in entries), entries)


def of_status(status, message, t=None, residual=None, problem=None):
    if status == "interrupted":
        return KeyboardInterrupt(message)
    if status in ("not-converged", "time-limit"):
        read = json.loads(problem) if problem else None
        return NotConverged(message, status, t, residual, read)
    return RunError(message, status, t)
