"""Contact problems alone."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping

import numpy as np

from . import _native
from ._errors import NotConverged

FORMAT = "stickslip/contact-problem"
#: The solvers.
SOLVERS = tuple(_native.SOLVERS)


class Solution(dict):
    """A solved problem; its entries are attributes too: percussions Λ (N s), relative_velocities ξ (m/s), residual,
    iterations, status, penetration (m/s), seconds."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value


def _sparse(matrix: Any) -> Any:
    """A dense or scipy matrix as rows."""
    if isinstance(matrix, Mapping):
        return matrix
    if hasattr(matrix, "tocsr"):
        rows = matrix.tocsr()
        return {"indptr": rows.indptr, "indices": rows.indices, "data": rows.data}
    dense = np.asarray(matrix, float)
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
        raise ValueError(f"delassus has the shape {dense.shape}, it must be square")
    n = len(dense)
    indices = list(range(n)) * n
    return {"indptr": list(range(0, n * n + 1, n)), "indices": indices, "data": dense.ravel()}


def solve(
    problem: Mapping[str, Any] | str | os.PathLike[str],
    solver: str = "auto",
    tolerance: float = 1e-8,
    *,
    max_iterations: int | None = None,
    max_seconds: float | None = None,
    start=None,
    strict: bool = False,
) -> Solution:
    """Solves a contact problem ξ = G Λ + c, −ξ ∈ N_C(Λ).

    ``problem`` is a problem file or its content as a dict (docs/file-formats.md). Without ``format`` it is a contact
    problem with Coulomb friction: ``dimension`` (2 or 3), ``friction`` (a coefficient for each contact), ``c`` (m/s)
    and ``delassus``, which may be a dense or scipy matrix. ``start`` are percussions to begin from. With ``strict``
    a problem that is not solved raises :class:`NotConverged`; otherwise ``status`` says so.
    """
    if isinstance(problem, Mapping):
        whole = {"format": FORMAT, "version": 1, **problem}
        if "delassus" in whole:
            whole["delassus"] = _sparse(whole["delassus"])
        text = json.dumps(_plain(whole))
    else:
        with open(problem, encoding="utf-8") as file:
            text = file.read()
    begin = None if start is None else np.asarray(start, float).ravel().tolist()
    found = Solution(_native.solve(text, solver, tolerance, max_iterations, max_seconds, begin))
    if strict and found["status"] != "solved":
        message = f"{solver}: {found['status']}, residual {found['residual']:.1e}"
        raise NotConverged(message, found["status"], None, found["residual"], json.loads(text))
    return found
