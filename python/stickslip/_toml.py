"""Values of Python as values of a scene file."""

from __future__ import annotations

import json
import math
from typing import Any, Iterable, Mapping

BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def key(name: str) -> str:
    return name if name and all(c in BARE for c in name) else json.dumps(name)


def value(of: Any, name: str = "value") -> str:
    """A value as text; an error names the argument."""
    if hasattr(of, "tolist"):  # numpy
        of = of.tolist()
    if isinstance(of, bool):
        return "true" if of else "false"
    if isinstance(of, int):
        return str(of)
    if isinstance(of, float):
        if math.isfinite(of):
            return repr(of)
        return "nan" if math.isnan(of) else ("inf" if of > 0 else "-inf")
    if isinstance(of, str):
        return json.dumps(of, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(of, Mapping):
        inside = (f"{key(k)} = {value(v, f'{name}.{k}')}" for k, v in of.items() if v is not None)
        return "{ " + ", ".join(inside) + " }"
    if isinstance(of, Iterable):
        return "[" + ", ".join(value(v, f"{name}[{n}]") for n, v in enumerate(of)) + "]"
    raise TypeError(f"{name} is {of!r}: it must be a number, a text, a list or a dict")


def document(top: Mapping[str, Any]) -> str:
    """A whole file: plain values first, then sections, then lists of tables."""
    plain, sections, lists = [], [], []
    for name, of in top.items():
        if of is None:
            continue
        if isinstance(of, Mapping):
            lines = [f"{key(k)} = {value(v, f'{name}.{k}')}" for k, v in of.items() if v is not None]
            sections.append("\n".join([f"[{key(name)}]", *lines]))
        elif isinstance(of, list) and of and all(isinstance(entry, Mapping) for entry in of):
            for number, entry in enumerate(of):
                keys = [
                    f"{key(k)} = {value(v, f'{name}.{number}.{k}')}" for k, v in entry.items() if v is not None
                ]
                lists.append("\n".join([f"[[{key(name)}]]", *keys]))
        else:
            plain.append(f"{key(name)} = {value(of, name)}")
    return "\n\n".join(["\n".join(plain), *sections, *lists]).strip() + "\n"


def file_name(name: str) -> str:
    """A name that can be one of a file."""
    return "".join(c if c.isalnum() or c in "._-" else "-" for c in name).strip(".") or "scene"
