"""From bytes to a command or a refusal, and from a command's fields to bytes."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice
from math import isfinite
from typing import Any, Final, NamedTuple, cast, get_args

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from . import limits
from .canonical import canonical_json, sorted_json
from .commands import COMMANDS, ClearContent, Command, Envelope, SealedContent
from .commands.wire import CommandId, MemoryId, Name
from .commands.wording import wording
from .errors import InvalidCommandError
from .ids import id_bytes
from .refusals import HALF_A_CHARACTER, Refusal, Refused

BODY_HASH_BYTES: Final = 16

_PARTS: Final = {"body": Refusal.INVALID_BODY, "content": Refusal.INVALID_CONTENT}


def _fields_within(model: Any) -> Iterator[str]:
    """Yield the names of a model's fields, and of those of the models in them; nothing for any other type."""
    for name, info in getattr(model, "model_fields", {}).items():
        yield name
        for part in (info.annotation, *get_args(info.annotation)):
            yield from _fields_within(part)


def _has_floats(model: Any) -> bool:
    """Whether a float can be in what is of a type: in a field of a model, however deep, or in what is any JSON."""
    if model in (float, Any):
        return True
    fields: Mapping[str, Any] = getattr(model, "model_fields", {})
    return any(map(_has_floats, [info.annotation for info in fields.values()] or get_args(model)))


class Language:
    """One schema version: its commands by the name in ``type``, and what else it takes to read them.

    Once a release accepts it, it is frozen: all of it decides what is refused, and in which words. A change is a new
    version beside this one. ``without_floats`` names the commands whose bodies can hold no float; ``keys_max`` is the
    number of keys of the object that may have the most, ``payload`` apart.
    """

    __slots__ = ("commands", "fields", "keys_max", "validators", "without_floats")

    def __init__(
        self, commands: Mapping[str, type[Envelope]], without_floats: Iterable[str] = (), keys_max: int = 64
    ) -> None:
        self.commands = commands
        self.without_floats = frozenset(without_floats)
        self.keys_max = keys_max
        models: tuple[type[BaseModel], ...] = (ClearContent, SealedContent, *commands.values())
        self.fields = frozenset(chain.from_iterable(map(_fields_within, models)))
        self.validators: dict[str, Callable[[Any], Any]] = {
            name: model.__pydantic_validator__.validate_python for name, model in commands.items()
        }

    def only(self, models: Container[type[object]]) -> "Language":
        """Return this language without the commands that are not among ``models``."""
        left = {name: model for name, model in self.commands.items() if model in models}
        return self if left.keys() == self.commands.keys() else Language(left, self.without_floats, self.keys_max)


_WITHOUT_FLOATS: Final = [
    name for name, model in COMMANDS.items() if not _has_floats(model.model_fields["body"].annotation)
]
LANGUAGES: Final[dict[int, Language]] = {1: Language(COMMANDS, _WITHOUT_FLOATS, limits.POLICY_CHANGES_MAX)}
"""Every schema version that this release knows."""


_NAMES: Final[dict[str, tuple[str, TypeAdapter[str]]]] = {
    "memory": ("memory", TypeAdapter(MemoryId)),
    "command_id": ("id", TypeAdapter(CommandId)),
    "source": ("source", TypeAdapter(Name)),
}


@dataclass(slots=True)
class Decoded:
    """A valid command with what identity needs: its 16 id bytes and the 16-byte hash of type, body and content."""

    command: Command
    command_id: bytes
    body_hash: bytes


class _Read(NamedTuple):
    """A valid command, the fields that it was read from, and whether there may be floats in them."""

    command: Command
    fields: dict[str, Any]
    floats: bool


def decode(value: bytes | None, languages: Mapping[int, Language] = LANGUAGES) -> Decoded | Refused:
    """Return the command in ``value``, or the first refusal that applies. Total: it never raises.

    Two things follow from the JSON reader: of a key that occurs twice the last value counts, and what nests so deep
    that the reader gives up (some 1,024 levels) is refused as not JSON rather than as too deep.

    ``languages`` are the versions that hold in the record's partition; all that are known, where none is meant.
    """
    found = _read(value, languages)
    if isinstance(found, Refused):
        return found
    command, raw, floats = found
    said = {"body": raw["body"], "content": raw.get("content"), "type": raw["type"]}
    body_hash = blake2b(canonical_json(said) if floats else sorted_json(said), digest_size=BODY_HASH_BYTES).digest()
    return Decoded(command, id_bytes(command.id), body_hash)


def command_of(value: bytes | None) -> Command | Refused:
    """Return what ``decode`` does without what identity needs: of a long text in a quarter of the time."""
    found = _read(value, LANGUAGES)
    return found if isinstance(found, Refused) else found.command


def named(value: bytes | None) -> dict[str, str | None]:
    """Return ``memory``, ``command_id`` and ``source`` of a record that was refused, as far as they can be read.

    What has not the form of such a name is None, so that nothing else of a record gets out. Total, as ``decode``.
    """
    raw: Any = None
    if value and len(value) <= limits.RECORD_BYTES_MAX:
        try:
            raw = orjson.loads(value)
        except orjson.JSONDecodeError:
            raw = None
    fields = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    return {name: _of_form(adapter, fields.get(field)) for name, (field, adapter) in _NAMES.items()}


def _of_form(adapter: TypeAdapter[str], value: object) -> str | None:
    try:
        return adapter.validate_python(value, strict=True)
    except ValidationError:
        return None


def encode(fields: Mapping[str, Any]) -> bytes:
    """Return the JSON bytes of a command.

    Raises InvalidCommandError when the fold would refuse them for their form, so that a producer learns it before
    anything reaches the log.
    """
    try:
        value = orjson.dumps(fields)
    except orjson.JSONEncodeError as error:
        said = f"of a text: {HALF_A_CHARACTER}" if "surrogates" in str(error) else str(error)
        raise InvalidCommandError(Refusal.NOT_JSON.code, said) from error
    if b"null" in value and _holds_unwritable(dict(fields)):  # the writer would turn NaN into null without a word
        raise InvalidCommandError(Refusal.NOT_JSON.code, "a number is not finite, which JSON cannot say")
    decoded = decode(value)
    if isinstance(decoded, Refused):
        said = ". ".join(filter(None, (decoded.detail, decoded.reason.sentence)))
        raise InvalidCommandError(decoded.reason.code, said)
    return value


def _read(value: bytes | None, languages: Mapping[int, Language]) -> _Read | Refused:
    if not value:
        return Refused(Refusal.RECORD_EMPTY)
    if len(value) > limits.RECORD_BYTES_MAX:
        return Refused(Refusal.RECORD_TOO_LARGE, f"{len(value)} bytes")
    try:
        raw = orjson.loads(value)
    except orjson.JSONDecodeError:
        return Refused(Refusal.NOT_JSON)
    fields: dict[str, Any] = raw
    if not isinstance(raw, dict):
        return Refused(Refusal.NOT_AN_OBJECT)
    found = _understood(fields, value, languages)
    # What the models accept is shallow, but for a payload: so nobody needs to walk through most of the records.
    if isinstance(found, Refused) and _deeper_than(raw, limits.DEPTH_MAX):
        return Refused(Refusal.TOO_DEEP)
    return found


def _understood(raw: dict[str, Any], value: bytes, languages: Mapping[int, Language]) -> _Read | Refused:
    version = raw.get("version")
    if type(version) is not int or version < 1:
        return Refused(Refusal.VERSION_MISSING, "version")
    language = languages.get(version)
    if language is None:
        return Refused(Refusal.VERSION_NOT_ENABLED, f"version {version}" if version < 2**31 else "version")
    kind = raw.get("type")
    validate = language.validators.get(kind) if isinstance(kind, str) else None
    if validate is None:
        return Refused(Refusal.UNKNOWN_TYPE, "type")
    # Colons bound the number of keys from above, and the length that of colons: `"":0,` is the shortest of many.
    if len(value) > 5 * language.keys_max and value.count(b":") > language.keys_max:
        raw = _cut(raw, language)
    try:
        command: Command = validate(raw)
    except ValidationError as error:
        return _invalid(error, language)
    content = raw.get("content")
    floats = kind not in language.without_floats
    if content is not None and "payload" in content:
        if _deeper_than(raw, limits.DEPTH_MAX):
            return Refused(Refusal.TOO_DEEP)
        floats = True
    return _Read(command, raw, floats)


def _deeper_than(value: Any, levels: int) -> bool:
    layer: list[Any] = [value]
    for _ in range(levels):
        layer = [child for child in chain.from_iterable(map(_children, layer)) if isinstance(child, (dict, list))]
    return bool(layer)


def _children(parent: Any) -> Iterable[Any]:
    return cast(dict[str, Any], parent).values() if isinstance(parent, dict) else parent


def _cut(raw: dict[str, Any], language: Language) -> dict[str, Any]:
    """Return ``raw`` with a bounded number of keys in each object that the models look into, our own among them.

    An object with more keys than any valid one is refused either way, and for the same reason; but to list all that
    is wrong with 20,000 keys took 0.3 s, and whoever may append could have held up a partition.
    """
    cut: dict[str, Any] = _first_keys(raw, language)
    body = cut["body"] = _first_keys(cut.get("body"), language)
    if isinstance(body, dict):
        cut["body"] = {name: _first_keys(item, language) for name, item in cast(dict[str, Any], body).items()}
    content = cut["content"] = _first_keys(cut.get("content"), language)
    if isinstance(content, dict) and "vector" in content:
        content["vector"] = _first_keys(cast(dict[str, Any], content)["vector"], language)
    return cut


def _first_keys(item: Any, language: Language) -> Any:
    if not isinstance(item, dict):
        return item
    fields = cast(dict[str, Any], item)
    ours = {name: fields[name] for name in sorted(language.fields & fields.keys())}
    return dict(islice(fields.items(), language.keys_max + 1)) | ours


def _holds_unwritable(value: Any) -> bool:
    """Whether a number that is not finite hides in ``value``, which the JSON writer has accepted."""
    if isinstance(value, float):
        return not isfinite(value)
    if isinstance(value, dict):
        return any(map(_holds_unwritable, cast(dict[str, Any], value).values()))
    return isinstance(value, (list, tuple)) and any(map(_holds_unwritable, cast(list[Any], value)))


def _invalid(error: ValidationError, language: Language) -> Refused:
    """Name the first wrong field of the part that comes first: envelope, then body, then content."""
    found: dict[Refusal, str] = {}
    for entry in error.errors(include_url=False, include_input=False):
        place = entry["loc"]
        reason = _PARTS.get(str(place[0]) if place else "", Refusal.INVALID_ENVELOPE)
        # A path may hold a key that the sender chose; a refusal never repeats what was sent, so only our names stay.
        path = [str(step) for step in place if isinstance(step, int) or step in language.fields]
        what = wording(entry, path[-1] if path else "")
        found.setdefault(reason, f"{'.'.join(path)}: {what}" if path else what)
    reason = min(found)
    return Refused(reason, found[reason])
