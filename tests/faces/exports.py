"""The lists of what can be imported from ``yggdrasil``, made of its imports for type checkers."""

import ast
import re
from pathlib import Path
from textwrap import fill
from typing import Final

import yggdrasil

FILE: Final = Path(yggdrasil.__file__)
_WIDTH: Final = 120


def homes(source: str) -> dict[str, list[str]]:
    """Return the modules that the file imports for type checkers only, in their order, each with its names, sorted."""
    found: dict[str, list[str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for each in node.body:
                if isinstance(each, ast.ImportFrom):
                    names = found.setdefault("." * each.level + (each.module or ""), [])
                    names += [alias.name for alias in each.names]
    return {module: sorted(names) for module, names in found.items()}


def made(source: str) -> str:
    """Return the file with both of its lists made anew."""
    found = homes(source)
    named = sorted(name for names in found.values() for name in names)
    everything = f"__all__ = [\n{_wrapped(named, 4)}\n]  # fmt: skip\n"
    rows = "".join(_row(module, names) for module, names in found.items())
    where = f"_HOMES: Final[dict[str, tuple[str, ...]]] = {{\n{rows}}}  # fmt: skip\n"
    source = re.sub(r"^__all__ = \[\n.*?\n\](?:  # fmt: skip)?\n", lambda _: everything, source, flags=re.M | re.S)
    return re.sub(r"^_HOMES: .*?\n\}  # fmt: skip\n", lambda _: where, source, flags=re.M | re.S)


def _row(module: str, names: list[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    line = f'    "{module}": ({quoted}{"," if len(names) == 1 else ""}),\n'
    return line if len(line) <= _WIDTH + 1 else f'    "{module}": (\n{_wrapped(names, 8)}\n    ),\n'


def _wrapped(names: list[str], indent: int) -> str:
    margin = " " * indent
    text = " ".join(f'"{name}",' for name in names)
    return fill(text, _WIDTH, initial_indent=margin, subsequent_indent=margin)


if __name__ == "__main__":
    FILE.write_text(made(FILE.read_text(encoding="utf-8")), encoding="utf-8")
