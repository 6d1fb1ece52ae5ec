"""From bytes to a command or a refusal, and from a command's fields to bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from . import limits
from .commands import COMMANDS, ClearContent, Command, SealedContent
from .errors import InvalidCommandError
from .ids import id_bytes
from .refusals import Refusal, Refused

BODY_HASH_BYTES: Final = 16

_PARTS: Final = {"body": Refusal.INVALID_BODY, "content": Refusal.INVALID_CONTENT}
_FIELDS: Final = frozenset(ClearContent.model_fields) | SealedContent.model_fields.keys() | {
    name
    for model in COMMANDS.values()
    for name in (*model.model_fields, *getattr(model.model_fields["body"].annotation, "model_fields", ()))
}
_VALIDATE: Final = {name: TypeAdapter(model).validator.validate_python for name, model in COMMANDS.items()}


@dataclass(slots=True)
class Decoded:
    """A valid command with what identity needs: its 16 id bytes and the 16-byte hash of type, body and content."""

    command: Command
    command_id: bytes
    body_hash: bytes


def decode(value: bytes | None, enabled_version: int = limits.SCHEMA_VERSION) -> Decoded | Refused:
    """Return the command in ``value``, or the first refusal that applies. Total: it never raises.

    ``enabled_version`` is the newest version that holds in the record's partition. Only version 1 exists; a host
    halts at an ``enable_version`` record that it does not know, so a larger one never gets here.
    """
    raw = _parse(value)
    if isinstance(raw, Refused):
        return raw
    version = raw.get("version")
    if type(version) is not int or version < 1:
        return Refused(Refusal.VERSION_MISSING, "version")
    if version > enabled_version:
        return Refused(Refusal.VERSION_NOT_ENABLED, f"version {version}" if version < 2**31 else "version")
    kind = raw.get("type")
    validate = _VALIDATE.get(kind) if isinstance(kind, str) else None
    if validate is None:
        return Refused(Refusal.UNKNOWN_TYPE, "type")
    try:
        command = cast(Command, validate(raw))
    except ValidationError as error:
        return _invalid(error)
    return Decoded(command, id_bytes(command.id), _body_hash(raw))


def encode(fields: Mapping[str, Any]) -> bytes:
    """Return the JSON bytes of a command.

    Raises InvalidCommandError when the fold would refuse them for their form, so that a producer learns it before
    anything reaches the log.
    """
    try:
        value = orjson.dumps(fields)
    except orjson.JSONEncodeError as error:
        raise InvalidCommandError(Refusal.NOT_JSON.code, str(error)) from error
    decoded = decode(value)
    if isinstance(decoded, Refused):
        raise InvalidCommandError(decoded.reason.code, f"{decoded.detail}. {decoded.reason.sentence}")
    return value


def _parse(value: bytes | None) -> dict[str, Any] | Refused:
    if not value:
        return Refused(Refusal.RECORD_EMPTY)
    if len(value) > limits.RECORD_BYTES_MAX:
        return Refused(Refusal.RECORD_TOO_LARGE, f"{len(value)} bytes")
    try:
        raw = orjson.loads(value)
    except orjson.JSONDecodeError:
        return Refused(Refusal.NOT_JSON)
    if not isinstance(raw, dict):
        return Refused(Refusal.NOT_AN_OBJECT)
    # Counting brackets bounds the depth from above in a tenth of a microsecond; only a suspicious record is walked.
    if value.count(b"{") + value.count(b"[") > limits.DEPTH_MAX and _deeper_than(raw, limits.DEPTH_MAX):
        return Refused(Refusal.TOO_DEEP)
    return raw


def _deeper_than(value: Any, levels: int) -> bool:
    layer: list[Any] = [value]
    for _ in range(levels):
        layer = [
            child
            for parent in layer
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
    return bool(layer)


def _body_hash(raw: dict[str, Any]) -> bytes:
    said = {"type": raw["type"], "body": raw["body"], "content": raw.get("content")}
    return blake2b(orjson.dumps(said, option=orjson.OPT_SORT_KEYS), digest_size=BODY_HASH_BYTES).digest()


def _invalid(error: ValidationError) -> Refused:
    """Name the first wrong field of the part that comes first: envelope, then body, then content."""
    found: dict[Refusal, str] = {}
    for entry in error.errors(include_url=False, include_context=False, include_input=False):
        place = entry["loc"]
        reason = _PARTS.get(str(place[0]) if place else "", Refusal.INVALID_ENVELOPE)
        # A path may hold a key that the sender chose; a refusal never repeats what was sent, so only our names stay.
        path = [str(step) for step in place if isinstance(step, int) or step in _FIELDS]
        found.setdefault(reason, f"{'.'.join(path)}: {entry['type']}")
    reason = min(found)
    return Refused(reason, found[reason])
