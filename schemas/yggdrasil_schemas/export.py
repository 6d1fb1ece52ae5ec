"""Write the language of version 1 as JSON Schema, for clients in any language: ``make schemas``.

One file for each command, one for the constants of the policy, one for the refusals. They are part of the package,
and a test fails when they no longer say what the models say.
"""

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic.json_schema import GenerateJsonSchema

from . import limits
from .commands import COMMANDS, SYSTEM_TENANT, LogOutcome, Pin, SetPolicy
from .commands.experience import GUARDRAIL_VIOLATION
from .policy import CONSTANTS, INTEGERS, Policy
from .refusals import Refusal

FOLDER: Final = Path(__file__).parent / "json" / f"v{limits.SCHEMA_VERSION}"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_COMMENT: Final = (
    f"What a schema cannot say: a record has at most {limits.RECORD_BYTES_MAX} bytes of UTF-8 JSON and nests at most "
    f"{limits.DEPTH_MAX} containers; numbers are finite; an integer is written without a fraction; patterns count "
    "Unicode code points and `$` is the very end of the text; a key that occurs twice has its last value; a vector has "
    "as many bytes as its dimension says, none of them -128, and an attached one is by the model that the body names; "
    "pieces are in order of where they begin, each at another place, and end behind it."
)


class _WithoutFieldTitles(GenerateJsonSchema):
    """A title that only repeats the name of its field tells a reader nothing."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def documents() -> dict[str, bytes]:
    """Return the files' contents by name."""
    schemas = {name: command_schema(name) for name in COMMANDS}
    found = schemas | {"policy": policy_schema(), "refusals": refusal_list()}
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return {f"{name}.json": orjson.dumps(found[name], option=options) for name in sorted(found)}


def write(folder: Path) -> list[str]:
    """Bring ``folder`` up to date and return what was done, a line for each file that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = documents()
    done: list[str] = []
    for stale in sorted(folder.glob("*.json")):
        if stale.name not in contents:
            stale.unlink()
            done.append(f"removed {stale.name}")
    for name, data in contents.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != data:
            path.write_bytes(data)
            done.append(f"wrote {name}")
    return done


def command_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the command ``name``."""
    model = COMMANDS[name]
    schema = _described(model.model_json_schema(schema_generator=_WithoutFieldTitles))
    memory = schema["properties"]["memory"]
    if name == "enable_version":
        memory["pattern"] = f"^{SYSTEM_TENANT}/partition-(0|[1-9][0-9]*)$"
    else:
        memory["not"] = {"pattern": "^_"}  # tenants of the system
    if model is LogOutcome:
        bad = {"catastrophic": True, "kind": GUARDRAIL_VIOLATION}
        either = [{"properties": {name: {"const": value}}, "required": [name]} for name, value in bad.items()]
        body = schema["$defs"]["LogOutcomeBody"]
        body["if"], body["then"] = {"anyOf": either}, {"properties": {"value": {"exclusiveMaximum": 0}}}
    if model is Pin:
        body = schema["$defs"]["PinBody"]
        body["if"] = {"properties": {"principle": {"const": True}}, "required": ["principle"]}
        body["then"] = {"properties": {"pinned": {"const": True}}}
    if model is SetPolicy:
        changes = schema["$defs"]["SetPolicyBody"]["properties"]["changes"]
        changes.pop("patternProperties")
        changes["properties"] = {
            key: {part: entry[part] for part in ("type", "minimum", "maximum")} for key, entry in _constants().items()
        }
    return {"$schema": _DIALECT, "$id": _urn(f"command:{name}"), "$comment": _COMMENT, **schema}


def policy_schema() -> dict[str, Any]:
    """Return the JSON Schema of a whole policy; each constant says its unit and its source as well."""
    return {
        "$schema": _DIALECT,
        "$id": _urn("policy"),
        "title": "Policy",
        "description": f"The constants of one memory. {Refusal.POLICY_CONFLICT.sentence}",
        "type": "object",
        "additionalProperties": False,
        "properties": _constants(),
    }


def refusal_list() -> dict[str, Any]:
    """Return the refusals in the order in which they are checked."""
    return {
        "$id": _urn("refusals"),
        "description": "Why a record is refused, in order of precedence: the first reason that applies is given.",
        "refusals": [{"number": int(entry), "code": entry.code, "sentence": entry.sentence} for entry in Refusal],
    }


def _constants() -> dict[str, dict[str, Any]]:
    defaults = {entry.name: entry.default for entry in fields(Policy)}
    return {
        name: {
            "type": "integer" if name in INTEGERS else "number",
            "default": defaults[name],
            "minimum": int(bounds.low) if name in INTEGERS else bounds.low,
            "maximum": int(bounds.high) if name in INTEGERS else bounds.high,
            "unit": bounds.unit,
            "source": bounds.source,
        }
        for name, bounds in CONSTANTS.items()
    }


def _described(node: Any) -> Any:
    """Return a schema with docstrings as plain text, and with closed objects wherever keys are patterned."""
    inner: Any = node
    if isinstance(node, list):
        return [_described(item) for item in inner]
    if isinstance(node, str):
        return " ".join(node.replace("``", "`").split())
    if not isinstance(node, dict):
        return inner
    copy: dict[str, Any] = {key: _described(item) for key, item in inner.items()}
    if "patternProperties" in copy:
        copy["additionalProperties"] = False
    return copy


def _urn(name: str) -> str:
    return f"urn:yggdrasil:schema:v{limits.SCHEMA_VERSION}:{name}"


def main() -> None:
    """Write the files and say what changed."""
    done = write(FOLDER)
    sys.stdout.write("".join(f"{line}\n" for line in done) or "the JSON Schema files are up to date\n")


if __name__ == "__main__":
    main()
