"""Holds the house rules that no other tool holds: sizes, left-overs, dead files, names, version, private addresses.

Each test collects every offence as `path:line: what`, so that one run shows all there is to mend.
"""

import ast
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from benchmarks.wheel import settings
from yggdrasil import cli
from yggdrasil.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
if not (ROOT / ".git").exists():
    pytest.skip("the tidy rules are about tracked files: they need a git checkout", allow_module_level=True)

CODE_FOLDERS = {"schemas", "infra", "projections", "processors", "producers", "app"}
LINE_MAX_CHARS = 120
BESIDE_ITS_CLASS_MAX_LINES = 80  # of a file that is one class, which may be longer
FILE_MAX_LINES = 500  # one idea, as long as that is: with 300, one class in three was cut against its sense
FUNCTION_MAX_LINES = 70
FOLDER_MAX_FILES = 14  # Python files, `__init__` included: about a dozen rooms are in one view, 25 are not
ROOM_MIN_CHARS = 40
VAGUE_NAMES = {"common", "helper", "helpers", "misc", "util", "utils"}

# Written so that this file does not find itself.
MARKER = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X{3})\b")
SWITCHED_OFF = re.compile(r"#\s*(?:noqa|type: ignore|pyright: ignore)")
SWITCHED_OFF_MAX = 25  # checks that a line of what is shipped switches off: a rule that is wrong often is wrong itself
REGISTRY = re.compile(r"\b(?:pypi|pythonhosted|npmjs|crates|golang|maven\.apache|repo1\.maven)\.(?:org|io|com)\b")
DEVELOPER_PATH = re.compile(r"(?<![\w.~-])/(?:work|home|root|Users)/\w")


def tracked(*patterns: str) -> list[str]:
    """Tracked files as paths from the root; one that is deleted but not yet committed is left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]


PYTHON = tracked("*.py")
PACKAGED = [path for path in PYTHON if path.split("/")[0] in CODE_FOLDERS]
ROOMS = [*PACKAGED, *(path for path in PYTHON if path.startswith("benchmarks/"))]


def lines(path: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a text file. A binary one may hold any bytes, so undecodable ones are passed over."""
    return enumerate((ROOT / path).read_text(encoding="utf-8", errors="ignore").split("\n"), start=1)


@cache
def tree(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=path)


@cache
def statements(path: str) -> list[ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Those of a file that are about imports and functions: to look for them takes longer than to parse it."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(tree(path)) if isinstance(node, kinds)]


def module_name(path: str) -> str:
    """`app/yggdrasil/memory.py` is `yggdrasil.memory`; tests and benchmarks are packages at the root."""
    parts = PurePosixPath(path).with_suffix("").parts
    parts = parts[1:] if parts[0] in CODE_FOLDERS else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_by(path: str) -> set[str]:
    """All that a file may have imported by name, with relative imports made absolute."""
    names: set[str] = set()
    package = module_name(path).split(".")
    if not path.endswith("/__init__.py"):
        package = package[:-1]
    for node in statements(path):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *(node.module or "").split(".")]).rstrip(".")
            names.add(source)
            names.update(f"{source}.{alias.name}" for alias in node.names)
    return names


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


@cache
def entry_points() -> set[str]:
    """Modules that are started, not imported: commands, what pyproject.toml names, what the Makefile runs with -m."""
    scripts = {target.split(":")[0] for target in project()["scripts"].values()}
    scripts |= {resolve_name(each.of.partition(":")[0], cli.__name__) for each in COMMANDS.values()}
    scripts.add(module_name(settings()["hooks"]["custom"]["path"]))
    return scripts | set(re.findall(r"-m ([\w.]+)", (ROOT / "Makefile").read_text(encoding="utf-8")))


def none_of(offences: list[str]) -> None:
    assert not offences, "\n" + "\n".join(offences)


def test_lines_are_short() -> None:
    measured = [(path, n, len(text)) for path in PYTHON for n, text in lines(path)]
    none_of([f"{path}:{n}: {length} characters" for path, n, length in measured if length > LINE_MAX_CHARS])


def test_files_are_short() -> None:
    offences = []
    for path in PYTHON:
        text = (ROOT / path).read_text(encoding="utf-8")
        count = len(text.splitlines())
        if count > FILE_MAX_LINES and count - _longest_class(text) > BESIDE_ITS_CLASS_MAX_LINES:
            offences.append(f"{path}:{count}: more than {FILE_MAX_LINES} lines, and more than one class")
    none_of(offences)


def _longest_class(text: str) -> int:
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return max(((node.end_lineno or 0) - node.lineno + 1 for node in classes), default=0)


def test_few_checks_are_switched_off() -> None:
    found = [f"{path}:{n}" for path in PACKAGED for n, text in lines(path) if SWITCHED_OFF.search(text)]
    assert len(found) <= SWITCHED_OFF_MAX, found


def test_what_tests_start_leaves_no_daemon() -> None:
    """``os.environ`` of the tests says that there is none; whatever has an environment of its own has to say so too."""
    offences = []
    for path in tracked("tests/*.py"):
        if path == "tests/harness/children.py":
            continue
        joined = {id(node.right) for node in ast.walk(tree(path)) if isinstance(node, ast.BinOp)}
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Dict) or id(node) in joined or None in node.keys:  # as of ``**os.environ``
                continue
            if any(isinstance(key, ast.Constant) and key.value == "PATH" for key in node.keys):
                offences.append(f"{path}:{node.lineno}: make it with tests.harness.children.environment")
    none_of(offences)


def test_functions_are_short() -> None:
    offences = []
    for path in PYTHON:
        for node in statements(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                count = (node.end_lineno or node.lineno) - node.lineno + 1
                if count > FUNCTION_MAX_LINES:
                    offences.append(f"{path}:{node.lineno}: {node.name} has {count} lines, not {FUNCTION_MAX_LINES}")
    none_of(offences)


def test_folders_are_small() -> None:
    counts = Counter(str(PurePosixPath(path).parent) for path in PYTHON)
    none_of([f"{folder}: {n} files, not {FOLDER_MAX_FILES}" for folder, n in counts.items() if n > FOLDER_MAX_FILES])


def test_every_room_says_what_it_is_for_and_what_may_come_in() -> None:
    """The first paragraph of its docstring says what it is for; what is below, what may come in and who knows whom."""
    offences = []
    for path in ROOMS:
        if path.endswith("/__init__.py"):
            purpose, _, house = (ast.get_docstring(tree(path)) or "").partition("\n\n")
            if not (purpose.endswith((".", ":")) and len(house) >= ROOM_MIN_CHARS):
                offences.append(f"{path}:1: say what this room is for, and in a paragraph below it what may come in")
    none_of(offences)


def test_every_folder_of_code_is_a_package() -> None:
    folders = {PurePosixPath(path).parent for path in ROOMS} - {PurePosixPath("infra/wheel")}
    none_of([f"{folder}: no __init__.py" for folder in folders if not (ROOT / folder / "__init__.py").is_file()])


def test_nothing_is_left_for_later() -> None:
    none_of([f"{path}:{n}: {text.strip()}" for path in PYTHON for n, text in lines(path) if MARKER.search(text)])


def test_only_the_command_line_prints() -> None:
    offences = []
    for path in PACKAGED:
        if module_name(path).split(".")[:2] == ["yggdrasil", "cli"]:
            continue
        for node in ast.walk(tree(path)):
            match node:
                case ast.Call(func=ast.Name(id="print" | "pprint" | "breakpoint" as name)):
                    offences.append(f"{path}:{node.lineno}: {name}()")
    none_of(offences)


def test_every_module_is_used() -> None:
    imports = {path: imported_by(path) for path in PYTHON}
    offences = []
    for path in PACKAGED:
        name = module_name(path)
        if path.endswith(("/__init__.py", "/__main__.py")) or name in entry_points():
            continue
        if not any(name in names for other, names in imports.items() if other != path):
            offences.append(f"{path}:1: nothing imports {name}")
    none_of(offences)


def test_names_say_something() -> None:
    paths = [PurePosixPath(path) for path in PYTHON]
    none_of([f"{path}:1: a vague name" for path in paths if VAGUE_NAMES & {path.stem, *path.parent.parts}])


def test_the_changelog_is_about_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    top = re.search(r"^## \[?(\d+\.\d+\.\d+)", changelog, flags=re.MULTILINE)
    assert top is not None, "CHANGELOG.md has no heading like '## 1.2.3'"
    assert top[1] == project()["version"]


@pytest.mark.parametrize("pattern", [REGISTRY, DEVELOPER_PATH], ids=["registry", "developer-path"])
def test_no_private_address(pattern: re.Pattern[str]) -> None:
    """Where packages come from, and where a checkout lies, is each user's own affair."""
    found = [(path, n, pattern.search(text)) for path in tracked() for n, text in lines(path)]
    none_of([f"{path}:{n}: {match[0]}" for path, n, match in found if match])
