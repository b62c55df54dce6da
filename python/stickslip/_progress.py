"""How far a run is: in a terminal and in a notebook, from half a second on."""

from __future__ import annotations

import sys
import time

WIDTH = 30


def in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    own = shell.get_ipython() if shell is not None else None
    return own is not None and "IPKernelApp" in getattr(own, "config", {})


class Bar:
    """A line that is drawn over itself."""

    def __init__(self, name: str, start: float, length: float, wanted: bool | None):
        self.name, self.start, self.length = name, start, length
        self.begin = time.monotonic()
        self.drawn = False
        self.notebook = in_notebook()
        if wanted is None:
            wanted = self.notebook or (sys.stderr is not None and sys.stderr.isatty())
        self.wanted = wanted

    def at(self, value: float, text: str) -> None:
        now = time.monotonic()
        if not self.wanted or now - self.begin < 0.5:
            return
        share = min(max((value - self.start) / self.length, 0.0), 1.0) if self.length > 0 else 1.0
        left = (now - self.begin) * (1 / share - 1) if share > 0 else 0.0
        full = round(share * WIDTH)
        line = f"{self.name} [{'#' * full}{'.' * (WIDTH - full)}] {100 * share:3.0f} % {text}, {left:.0f} s left"
        out = sys.stdout if self.notebook else sys.stderr
        print("\r" + line[:100].ljust(100), end="", file=out, flush=True)
        self.drawn = True

    def points(self, over: int, failed: int, count: int) -> None:
        """So many of all points of a study are over, so many of them failed."""
        self.length = count
        self.at(over, f"{over} of {count} points" + (f", {failed} failed" if failed else ""))

    def end(self) -> None:
        if self.drawn:
            out = sys.stdout if self.notebook else sys.stderr
            print("\r" + " " * 100 + "\r", end="", file=out, flush=True)
