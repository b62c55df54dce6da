"""Laws of one's own."""

from __future__ import annotations

from typing import Callable

import numpy as np

SAMPLES = 64
TOLERANCE = 1e-9


class ConvexSet:
    """A closed convex set C that contains the origin, by its prox and its support function.

    ``prox(x)`` is the nearest point of C, ``support(v)`` the largest ⟨y, v⟩ of all y in C. As a law of friction C
    is friction over the normal force. Both are tried on samples: the prox must be idempotent and must not enlarge
    distances, and the support must be that of points of C.
    """

    def __init__(self, dim: int, prox: Callable, support: Callable, scale: float = 1.0):
        if dim < 1:
            raise ValueError(f"dim is {dim}, it must be at least 1")
        self.dim, self.prox, self.support = int(dim), prox, support
        self._check(scale)

    def _at(self, x: np.ndarray) -> np.ndarray:
        y = np.asarray(self.prox(x), float)
        if y.shape != (self.dim,) or not np.isfinite(y).all():
            raise ValueError(f"prox({x}) is {y}, it must be {self.dim} finite numbers")
        return y

    def _check(self, scale: float) -> None:
        random = np.random.default_rng(1)
        sizes = scale * 10.0 ** random.uniform(-2, 2, SAMPLES)
        points = random.normal(size=(SAMPLES, self.dim)) * sizes[:, None]
        near = np.array([self._at(x) for x in points])
        if np.abs(self._at(np.zeros(self.dim))).max() > TOLERANCE * scale:
            raise ValueError("prox(0) is not 0: the set must contain the origin")
        for x, y, size in zip(points, near, sizes):
            again = self._at(y)
            if np.abs(again - y).max() > TOLERANCE * size:
                raise ValueError(f"prox is not idempotent: prox({x}) is {y}, and of that {again}")
            normal = x - y
            value = float(self.support(normal))
            # y is the point of C that is farthest along x - y.
            if not abs(value - normal @ y) <= 1e-6 * (abs(value) + size * np.linalg.norm(normal)):
                raise ValueError(f"support({normal}) is {value}, by the prox it must be {normal @ y}")
        for k in range(SAMPLES - 1):
            between = np.linalg.norm(points[k] - points[k + 1])
            moved = np.linalg.norm(near[k] - near[k + 1])
            if moved > between * (1 + TOLERANCE):
                raise ValueError(
                    f"prox enlarges distances: {points[k]} and {points[k + 1]} are {between:g} apart, their "
                    f"images {moved:g}"
                )

    def __repr__(self) -> str:
        return f"<stickslip convex set of {self.dim} components>"
