"""Every pattern of the six packages: those that modules hold, and those that are written where they are used.

What a module compiles has to be found in it: in its names, its classes, or what these hold. What a function compiles
has to be a literal, or be named below with a maker. So none is missed without a word.
"""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("schemas", "infra", "projections", "processors", "producers", "app")
METHODS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"}
_DEEP = 4


@dataclass(frozen=True)
class Site:
    """A pattern, where it is, and by which methods it may be asked; ``name`` says which one of a place."""

    module: str
    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]

    def works(self) -> dict[str, Callable[[Any], object]]:
        """What may be done with it: what replaces, splits or finds all goes through all of it, as ``sub`` does."""
        each: dict[str, Callable[[Any], object]] = {
            "match": self.pattern.match,
            "fullmatch": self.pattern.fullmatch,
            "search": self.pattern.search,
            "sub": lambda text: self.pattern.sub(text[:0], text),
        }
        wanted = {method if method in each else "sub" for method in self.methods}
        return {name: work for name, work in each.items() if name in wanted}


def made_by_functions() -> Mapping[tuple[str, str], Callable[[], list[re.Pattern[Any]]]]:
    """What functions make that is no literal, by module and what is compiled there: how it is had."""
    from yggdrasil_projections.retrieval.text import unicode

    def of_scripts() -> list[re.Pattern[Any]]:
        return list(unicode._patterns())  # pyright: ignore[reportPrivateUsage]

    said = "f'(?<!\\\\w){re.escape(words.casefold())}(?!\\\\w)'"
    return {
        ("yggdrasil_processors.thinkers.reducer.heard", said): lambda: [re.compile(r"(?<!\w)a\ b(?!\w)")],
        ("yggdrasil_projections.retrieval.text.unicode", "*"): of_scripts,
    }


FACTORIES = {
    ("yggdrasil_processors.thinkers.reducer.lessons", "_LEAD + wording"),
    ("yggdrasil.doors.hooks.redaction", "pattern"),
    ("yggdrasil.doors.hooks.results", "pattern"),
    ("yggdrasil_producers.importers.exports.files", "pattern"),
    ("yggdrasil_producers.importers.git_kinds", "f'\\\\b(?:{pattern})\\\\b'"),
}
"""What functions make for their module alone, which holds it: it is found there."""


@cache
def trees() -> dict[str, ast.Module]:
    """The modules of the six packages, by name."""
    found: dict[str, ast.Module] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            if "tests" not in parts and path.parent != ROOT / folder:
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text())
    return found


@cache
def uses() -> dict[str, set[str]]:
    """By which methods what has a name is asked anywhere: ``_WORD.search`` and ``words._WORD.search`` alike."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                of = node.value
                name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
                found[name].add(node.attr)
    return found


def calls(tree: ast.Module) -> Iterator[tuple[ast.Call, bool]]:
    """Every call of ``re.compile``, ``re.sub`` and the like, and whether it stands in a function."""
    inside = {id(each) for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) for each in ast.walk(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr != "escape":
            yield node, id(node) in inside


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def sites() -> tuple[list[Site], list[str]]:
    """Return all patterns, and what is wrong: those that cannot be found, or that hide behind another name."""
    found: list[Site] = []
    wrong: list[str] = []
    for name, tree in trees().items():
        wrong += _hidden(name, tree)
        those = list(calls(tree))
        if not those:
            continue
        module = importlib.import_module(name)
        held = list(_held(module))
        at_top = sum(not inside for _, inside in those)
        if len(held) < at_top:
            wrong.append(f"{name}: compiles {at_top} patterns, and {len(held)} can be found in what it holds")
        found += held
        for call, inside in those:
            if inside:
                _of_function(name, module, call, found, wrong)
    return found, wrong


def _hidden(name: str, tree: ast.Module) -> list[str]:
    """Say where ``re`` has another name, or another library of patterns is used."""
    wrong: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in {"re", "regex"}:
            wrong.append(f"{name}:{node.lineno}: imports from {node.module}; write `import re`, so that it is found")
        if isinstance(node, ast.Import):
            odd = [one for one in node.names if one.name == "regex" or (one.name == "re" and one.asname)]
            wrong += [f"{name}:{node.lineno}: imports {one.name} by another name or kind" for one in odd]
    return wrong


def _held(module: Any) -> Iterator[Site]:
    for name, value in vars(module).items():
        if name.startswith("__"):
            continue
        if isinstance(value, type):
            if value.__module__ == module.__name__:
                for attribute, inner in vars(value).items():
                    yield from _within(module.__name__, f"{name}.{attribute}", attribute, inner, _DEEP)
        else:
            yield from _within(module.__name__, name, name, value, _DEEP)


def _within(module: str, name: str, last: str, value: Any, deep: int) -> Iterator[Site]:
    if isinstance(value, re.Pattern):
        direct = uses().get(last, set()) if last else set()
        yield Site(module, name, value, frozenset(direct or METHODS))
    elif deep and isinstance(value, Mapping):
        for at, each in enumerate([*value.keys(), *value.values()]):
            yield from _within(module, f"{name}[{at}]", "", each, deep - 1)
    elif deep and isinstance(value, (tuple, list, set, frozenset)):
        for at, each in enumerate(value):
            yield from _within(module, f"{name}[{at}]", "", each, deep - 1)
    elif deep and is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _within(module, f"{name}.{field.name}", field.name, getattr(value, field.name), deep - 1)


def _of_function(name: str, module: Any, call: ast.Call, found: list[Site], wrong: list[str]) -> None:
    """Take the pattern of a call within a function: what can be told from the module alone, or was named above."""
    assert isinstance(call.func, ast.Attribute)
    said, method = ast.unparse(call.args[0]), call.func.attr
    made = made_by_functions()
    maker = made.get((name, said)) or (made.get((name, "*")) if method == "compile" else None)
    methods = METHODS if method == "compile" else {method}
    if maker is not None:
        found += [Site(name, f"line {call.lineno}, {at}", each, frozenset(METHODS)) for at, each in enumerate(maker())]
        return
    flags = [ast.unparse(each.value) for each in call.keywords if each.arg == "flags"]
    try:
        pattern = eval(said, dict(vars(module)))
        compiled = re.compile(pattern, *(eval(each, dict(vars(module))) for each in flags))
    except NameError:
        if (name, said) in FACTORIES:
            return
        wrong.append(f"{name}:{call.lineno}: {said} is made in a function: compile it where the module is, or name it")
        return
    found.append(Site(name, f"line {call.lineno}", compiled, frozenset(methods)))
