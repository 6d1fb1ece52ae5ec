"""Reading a world from a file, and saying where it is not one."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import orjson

from .world import PLACEHOLDER, Kind, Rule, Tool, World

HERE: Final = Path(__file__).parent
TASKS_MAX: Final = 10_000
FILE_MAX: Final = 1 << 20
_FIELDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "name": str, "tasks": int, "attributes": dict, "failures": dict, "tools": dict, "kinds": list, "rules": list,
    "drawn_rules": int, "changing": (int, float), "hiccups": (int, float),
}  # fmt: skip
_NEEDED: Final = ("name", "tasks", "attributes", "failures", "tools", "kinds")
_NAME: Final = re.compile(r"[^.;:,'\n]{2,60}")
"""Names of tools and remedies: the agent ends a clause at the marks that they may not have."""


class WorldFileError(ValueError):
    """A file is no world: the message says where, what was expected, and what came."""


def office() -> World:
    """Return the world of this benchmark."""
    return read(HERE / "worlds" / "office.json")


def read(path: Path) -> World:
    """Return the world in a file of JSON. Raises WorldFileError."""
    where = path.name
    if path.stat().st_size > FILE_MAX:
        raise WorldFileError(f"{where}: a world has at most {FILE_MAX} bytes; leave some kinds of task out")
    try:
        said = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise WorldFileError(f"{where}: this is no JSON: {error}") from None
    given = _object(where, said, _FIELDS, _NEEDED)
    if not 1 <= given["tasks"] <= TASKS_MAX:
        raise WorldFileError(f"{where}: tasks is a number from 1 to {TASKS_MAX}, and not {given['tasks']}")
    for share in ("changing", "hiccups"):
        if not 0 <= given.get(share, 0) <= 1:
            raise WorldFileError(f"{where}: {share} is a share from 0 to 1, and not {given[share]}")
    attributes = {
        name: {value: _texts(f"{where}, attribute {name!r}, value {value!r}", texts) for value, texts in _named(
            f"{where}, attribute {name!r}", values).items()}
        for name, values in _named(f"{where}, attributes", given["attributes"]).items()
    }  # fmt: skip
    failures = {
        name: _texts(f"{where}, failure {name!r}", texts)
        for name, texts in _named(f"{where}, failures", given["failures"]).items()
    }
    tools = {
        name: _tool(f"{where}, tool {name!r}", name, each, failures)
        for name, each in _named(f"{where}, tools", given["tools"]).items()
    }
    kinds = [_kind(f"{where}, kind {n}", each, tools, attributes) for n, each in enumerate(given["kinds"], 1)]
    if not kinds:
        raise WorldFileError(f"{where}: kinds is a list of one kind of task or more")
    rules = [
        _rule(f"{where}, rule {n}", each, tools, failures, attributes)
        for n, each in enumerate(given.get("rules", ()), 1)
    ]
    rest = {name: given[name] for name in ("name", "tasks", "drawn_rules", "changing", "hiccups") if name in given}
    return World(**rest, attributes=attributes, failures=failures, tools=tools, kinds=kinds, rules=rules)


def _object(
    where: str, given: Any, fields: Mapping[str, type | tuple[type, ...]], needed: Sequence[str]
) -> dict[str, Any]:
    """Return an object that has the fields that it must have, of the right kind, and no others."""
    if not isinstance(given, dict):
        raise WorldFileError(f"{where}: it is an object, and not {str(given)[:40]!r}")
    said = cast("dict[str, Any]", given)
    if missing := [name for name in needed if name not in said]:
        raise WorldFileError(f"{where}: {missing[0]!r} is missing; it must have {', '.join(needed)}")
    for name, value in said.items():
        if name not in fields:
            raise WorldFileError(f"{where}: it has the fields {', '.join(fields)}, and not {name!r}")
        if not isinstance(value, fields[name]) or (isinstance(value, bool) and fields[name] is not bool):
            raise WorldFileError(f"{where}: {name} is of another type than {str(value)[:40]!r}")
    return said


def _named(where: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, dict) or not given:
        raise WorldFileError(f"{where}: it is an object with one name or more, and not {str(given)[:40]!r}")
    return cast("dict[str, Any]", given)


def _texts(where: str, given: Any) -> list[str]:
    if not isinstance(given, list) or not given or not all(isinstance(each, str) and each for each in given):
        raise WorldFileError(f"{where}: it is a list of one text or more, and not {str(given)[:40]!r}")
    return cast("list[str]", given)


def _tool(where: str, name: str, given: Any, failures: Mapping[str, Any]) -> Tool:
    said = _object(where, given, {"failures": list, "remedies": list}, ("failures", "remedies"))
    shown, remedies = _texts(f"{where}, failures", said["failures"]), _texts(f"{where}, remedies", said["remedies"])
    for each in (name, *remedies):
        if not _NAME.fullmatch(each):
            raise WorldFileError(
                f"{where}: a name has 2 to 60 characters and none of .;:,' in it, and {each!r} is not so"
            )
    if len(set(remedies)) < 2:
        raise WorldFileError(f"{where}: a tool has two remedies or more")
    _known(f"{where}, failures", shown, failures)
    return Tool(shown, remedies)


def _kind(where: str, given: Any, tools: Mapping[str, Any], attributes: Mapping[str, Any]) -> Kind:
    fields = {"name": str, "workflow": str, "plan": list, "goals": list, "left_out": bool}
    said = _object(where, given, fields, ("name", "workflow", "plan", "goals"))
    _known(f"{where}, plan", _texts(f"{where}, plan", said["plan"]), tools)
    for goal in _texts(f"{where}, goals", said["goals"]):
        _known(f"{where}, goals", PLACEHOLDER.findall(goal), attributes)
    return Kind(**said)


def _rule(
    where: str, given: Any, tools: Mapping[str, Tool], failures: Mapping[str, Any], attributes: Mapping[str, Any]
) -> Rule:
    fields = {"tool": str, "when": dict, "failure": str, "remedy": str, "later": str}
    said = _object(where, given, fields, ("tool", "when", "failure", "remedy"))
    _known(f"{where}, tool", [said["tool"]], tools)
    _known(f"{where}, failure", [said["failure"]], failures)
    _known(f"{where}, remedy", [said["remedy"], said.get("later", said["remedy"])], tools[said["tool"]].remedies)
    for name, value in said["when"].items():
        _known(f"{where}, when", [name], attributes)
        _known(f"{where}, when {name}", [value], attributes[name])
    return Rule(**said)


def _known(where: str, given: Sequence[Any], known: Mapping[str, Any] | Sequence[str]) -> None:
    for each in given:
        if each not in known:
            raise WorldFileError(f"{where}: {each!r} is none of {', '.join(known)}")
