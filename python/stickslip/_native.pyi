"""The part in Rust; use what :mod:`stickslip` exports."""

from typing import Any

__version__: str
SOLVERS: list[str]

def command(arguments: list[str]) -> int: ...

class Scene:
    @staticmethod
    def open(name_or_file: str, overrides: list[str]) -> Scene: ...
    @staticmethod
    def from_text(source: str, name: str, text: str, path: Any, overrides: list[str]) -> Scene: ...
    def __getattr__(self, name: str) -> Any: ...

class Run:
    def __getattr__(self, name: str) -> Any: ...

class Simulation:
    def __getattr__(self, name: str) -> Any: ...

class State:
    @staticmethod
    def restored(*parts: Any) -> State: ...
    def __getattr__(self, name: str) -> Any: ...

def scenes() -> list[tuple[str, str, float, str]]: ...
def resume(path: str) -> Simulation: ...
def solve(
    text: str,
    solver: str,
    tolerance: float,
    max_iterations: int | None,
    max_seconds: float | None,
    start: list[float] | None,
) -> dict[str, Any]: ...
def batch(
    scene: Scene,
    overrides: list[list[str]],
    q: list[list[float]] | None,
    u: list[list[float]] | None,
    columns: list[str],
    threads: int,
    progress: Any,
) -> dict[str, Any]: ...
