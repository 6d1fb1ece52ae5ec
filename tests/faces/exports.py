"""What ``make faces`` writes: the lists of what can be imported from ``yggdrasil``, and the awaited facade's rows.

The lists are made of the imports for type checkers, and these get what a read of the table answers with or may raise.
The rows are made of the methods of ``Memory``.
"""

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import Any, Final, get_args, get_type_hints

import yggdrasil
from yggdrasil import Memory
from yggdrasil_projections.retrieval.errors import READ_ERRORS
from yggdrasil_projections.retrieval.reads.experience.described import CommandSeen
from yggdrasil_projections.retrieval.reads.operations.overview import DigestAnswer, StatsAnswer
from yggdrasil_projections.retrieval.table import READS

FILE: Final = Path(yggdrasil.__file__)
AWAITED: Final = FILE.with_name("asynchronous.py")
_WIDTH: Final = 120
_OVER_HTTP: Final = (CommandSeen, DigestAnswer, StatsAnswer)  # what a method makes something else of


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
    for each in _of_reads():
        if not any(each.__name__ in names for names in found.values()):
            found.setdefault(each.__module__, []).append(each.__name__)
    found = {
        module: sorted(names, key=str.lower)
        for module, names in sorted(found.items(), key=lambda one: (one[0][0] == ".", one))
    }
    named = sorted(name for names in found.values() for name in names)
    everything = f"__all__ = [\n{_wrapped(named, 4)}\n]  # fmt: skip\n"
    rows = "".join(_row(module, names) for module, names in found.items())
    where = f"_HOMES: Final[dict[str, tuple[str, ...]]] = {{\n{rows}}}  # fmt: skip\n"
    source = re.sub(r"^__all__ = \[\n.*?\n\](?:  # fmt: skip)?\n", lambda _: everything, source, flags=re.M | re.S)
    source = re.sub(r"^_HOMES: .*?\n\}  # fmt: skip\n", lambda _: where, source, flags=re.M | re.S)
    return re.sub(r"^if TYPE_CHECKING:\n.*?\n(?=\n*__all__)", lambda _: _imports(found), source, flags=re.M | re.S)


def _imports(found: dict[str, list[str]]) -> str:
    """Return the imports for type checkers, as the formatter writes them."""
    lines, before = ["if TYPE_CHECKING:"], ""
    for module, names in found.items():
        if before and (module[0] == ".") != (before[0] == "."):
            lines.append("")
        line = f"    from {module} import {', '.join(names)}"
        if len(line) > _WIDTH:
            line = "\n".join((f"    from {module} import (", *(f"        {name}," for name in names), "    )"))
        lines.append(line)
        before = module
    return "\n".join(lines) + "\n"


def _of_reads() -> Iterator[type]:
    """Yield every class of ours that an answer of the table holds, and every error that a read may raise."""
    yield from READ_ERRORS
    waiting: list[Any] = [read.answer for read in READS]
    seen = set[Any]()
    while waiting:
        hint = waiting.pop()
        waiting += get_args(hint)
        if not (inspect.isclass(hint) and dataclasses.is_dataclass(hint)) or hint in seen:
            continue
        seen.add(hint)
        waiting += get_type_hints(hint).values()
        if hint not in _OVER_HTTP:
            yield hint


def awaited(source: str) -> str:
    """Return the awaited facade with a row for each method of ``Memory`` that it does not write by hand."""
    facade = next(each for each in ast.parse(source).body if getattr(each, "name", "") == "AsyncMemory")
    by_hand = {each.name for each in ast.walk(facade) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    rows = "".join(f"    {name} = _awaited(Memory.{name})\n" for name in _methods() if name not in by_hand)
    made_by = "    # Made by `make faces`, down to the empty line.\n"
    return re.sub(rf"^{re.escape(made_by)}(?:    \w+ = .*\n)*", lambda _: made_by + rows, source, flags=re.M)


def _methods() -> Iterator[str]:
    """Yield the names of the public methods of ``Memory``, as they stand: its own, then those of what it is made of."""
    told = dict[str, None]()
    for part in Memory.__mro__:
        told |= dict.fromkeys(name for name, each in vars(part).items() if inspect.isfunction(each))
    yield from (name for name in told if not name.startswith("_"))


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
    AWAITED.write_text(awaited(AWAITED.read_text(encoding="utf-8")), encoding="utf-8")
