"""Version 1 of the language: the envelope and the commands, strict and bounded.

A command has a ``body``, which the laws read, and a ``content``, which they never read and which may be sealed.
The models refuse unknown fields, coercion and numbers that are not finite. Shapes and bounds are also exported as
JSON Schema (``make schemas``).
"""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from . import limits
from .policy import check_changes

_UUID: Final = r"^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
# A part begins with a letter, a digit or an underscore: an id becomes a path, a URL, an argument sooner or later.
_MEMORY: Final = r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"

CommandId = Annotated[str, StringConstraints(pattern=_UUID)]
"""A UUIDv7 or UUIDv8 in canonical lower case."""
MemoryId = Annotated[str, StringConstraints(pattern=_MEMORY)]
"""``tenant/agent``; each part 1 to 64 of ``A-Z a-z 0-9 . _ -``, the first no dot or dash."""
_PRINTABLE: Final = r"[^\x00-\x1f\x7f-\x9f]"  # names reach terminals and logs, so they hold no control characters
Name = Annotated[str, StringConstraints(pattern=rf"^{_PRINTABLE}{{1,{limits.NAME_CHARS_MAX}}}$")]
Feature = Annotated[str, StringConstraints(pattern=rf"^{_PRINTABLE}{{1,{limits.FEATURE_CHARS_MAX}}}$")]
NodeRef = Annotated[str, StringConstraints(pattern=rf"{_UUID}|^feature:{_PRINTABLE}{{1,{limits.FEATURE_CHARS_MAX}}}$")]
"""A node as agents name it: the id of the command that made it, or ``feature:`` and the feature's name."""
Count = Annotated[int, Field(ge=0, le=limits.SEQ_MAX)]
_UNIQUE: Final[dict[str, Any]] = {"uniqueItems": True}  # for the exported schema; a validator holds it here

SYSTEM_TENANT: Final = "_yggdrasil"


class Strict(BaseModel):
    """Base of every model on the wire: no coercion, no unknown fields, finite numbers only."""

    model_config = ConfigDict(
        strict=True, frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


Origin = Literal["agent", "user", "tool", "import", "thinker", "operator"]
"""Who stands behind a command, stamped by the gateway or the importer."""


class ClearContent(Strict):
    """What a command says, for people and for retrieval; the fold never reads it."""

    text: Annotated[str, StringConstraints(max_length=limits.TEXT_CHARS_MAX)] | None = None
    """What people and retrieval read."""
    payload: dict[str, Any] | None = None
    """Anything else, as JSON; a number beyond 64 bits loses digits."""


class SealedContent(Strict):
    """Encrypted content: destroy the key and it is erased everywhere, while digests and the log chain stay."""

    alg: Name
    """The cipher, for example ``aes-256-gcm``."""
    key_id: Name
    """Which key opens it; never the key."""
    nonce: Name
    """The nonce as text, for example in base64."""
    ciphertext: Annotated[str, StringConstraints(max_length=limits.RECORD_BYTES_MAX)]
    """The sealed bytes as text, for example in base64."""


class RecordEventBody(Strict):
    """Something happened. ``features`` are its parts; ``informed_by`` are the recalls that led to it."""

    features: Annotated[list[Feature], Field(max_length=limits.FEATURES_MAX, json_schema_extra=_UNIQUE)] = []
    """What the event is made of, each once; the first ones are paired with each other. Send a personal one hashed."""
    informed_by: Annotated[list[CommandId], Field(max_length=limits.INFORMED_BY_MAX)] = []
    """Ids of earlier ``record_recall`` commands of this memory."""

    @field_validator("features")
    @classmethod
    def _unique(cls, features: list[str]) -> list[str]:
        if len(set(features)) != len(features):
            raise ValueError("features must be unique")
        return features


class LogOutcomeBody(Strict):
    """An event turned out well (``value`` > 0), badly (< 0) or neither (0); ``value`` lies in [-10, 10]."""

    event: CommandId
    """The id of the ``record_event`` command that this is about."""
    value: Annotated[float, Field(ge=-limits.VALUE_MAX, le=limits.VALUE_MAX)]
    """How well it turned out; its magnitude says how much is learned."""
    kind: Name = "outcome"
    """What sort of outcome; the first of its kind counts more."""
    catastrophic: bool = False
    """Whether it must not be forgotten; only with ``value`` below 0."""

    @field_validator("catastrophic")
    @classmethod
    def _catastrophes_are_bad(cls, catastrophic: bool, info: Any) -> bool:
        if catastrophic and info.data.get("value", -1.0) >= 0:
            raise ValueError("a catastrophic outcome has a value below 0")
        return catastrophic


class RecordRecallBody(Strict):
    """What a read returned, and by which means, so that the answer can be proved later."""

    purpose: Literal["context", "similar_cases", "explanation"]
    """Which read it was."""
    as_of: Count
    """The seq that the read saw; it may not be ahead of the memory."""
    returned: Annotated[list[NodeRef], Field(max_length=limits.RETURNED_MAX)]
    """What was returned, best first: ids of commands, or ``feature:`` and a name."""
    ranker: Name
    """Name and version of the ranker."""
    tokenizer: Name
    """Name and version of the tokenizer."""
    index: Name
    """Name and version of the index."""
    parameters: Annotated[dict[Name, int | float | bool | Name], Field(max_length=limits.PARAMETERS_MAX)] = {}
    """What else the answer depended on."""


class ReportUseBody(Strict):
    """Which of the returned memories were really used, and how the task went."""

    recall: CommandId
    """The id of the ``record_recall`` command; a recall is reported once."""
    used: Annotated[list[NodeRef], Field(max_length=limits.RETURNED_MAX, json_schema_extra=_UNIQUE)]
    """What was really used, each once, of what the recall returned."""
    result: Literal["success", "failure", "unknown"] = "unknown"
    """How the task went."""
    helpful: bool = False
    """Whether what was used helped."""
    prevented_error: bool = False
    """Whether what was used prevented an error."""

    @field_validator("used")
    @classmethod
    def _unique(cls, used: list[str]) -> list[str]:
        if len(set(used)) != len(used):
            raise ValueError("used must be unique")
        return used


class SetPolicyBody(Strict):
    """New values for named constants of the memory's policy, from this command on."""

    changes: Annotated[dict[Name, int | float], Field(min_length=1, max_length=limits.POLICY_CHANGES_MAX)]
    """Constants by name; all of them take effect, or none."""

    @field_validator("changes")
    @classmethod
    def _within_bounds(cls, changes: dict[str, int | float]) -> dict[str, int | float]:
        return check_changes(changes)


class AttestBody(Strict):
    """Every host computes the state digest at this command's seq."""


class EnableVersionBody(Strict):
    """From this record on, ``partition`` accepts records of ``schema_version`` under ``rules_version``."""

    partition: Annotated[int, Field(ge=0, le=2**31 - 1)]
    """The partition that the record stands in."""
    schema_version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    """The newest version of the language that is accepted from here on."""
    rules_version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    """The version of the laws that hold from here on."""


class Envelope(Strict):
    """What every command carries."""

    version: Literal[1]
    """The version of the language."""
    id: CommandId
    """A UUIDv7, or a UUIDv8 derived from content, in lower case: the same id and content again change nothing."""
    memory: MemoryId
    """``tenant/agent``; in UTF-8 it is the record's key."""
    session: Name = "default"
    """The conversation or task that the command belongs to."""
    at: Annotated[int, Field(ge=0, le=limits.TIME_MS_MAX)]
    """The producer's clock in Unix ms: informative, no law reads it."""
    source: Name
    """The system that speaks."""
    process: Name
    """The process of that system."""
    origin: Origin
    """Who stands behind the command."""
    content: ClearContent | SealedContent | None = None
    """What the laws never read, in clear or sealed."""


class RecordEvent(Envelope):
    """Append an experience to a memory."""

    type: Literal["record_event"]
    body: RecordEventBody


class LogOutcome(Envelope):
    """Say how an earlier event turned out."""

    type: Literal["log_outcome"]
    body: LogOutcomeBody


class RecordRecall(Envelope):
    """Say what a read returned; the query is the content."""

    type: Literal["record_recall"]
    body: RecordRecallBody


class ReportUse(Envelope):
    """Say which returned memories were used."""

    type: Literal["report_use"]
    body: ReportUseBody


class SetPolicy(Envelope):
    """Change constants of a memory's policy."""

    type: Literal["set_policy"]
    body: SetPolicyBody


class Attest(Envelope):
    """Ask every host for the memory's state digest at this point."""

    type: Literal["attest"]
    body: AttestBody


class EnableVersion(Envelope):
    """An operator's record: lets a partition accept another version. Its memory is ``_yggdrasil/partition-N``."""

    type: Literal["enable_version"]
    body: EnableVersionBody


Command = RecordEvent | LogOutcome | RecordRecall | ReportUse | SetPolicy | Attest | EnableVersion
COMMANDS: Final[dict[str, type[Envelope]]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(Command)
}
"""The commands of version 1 by the name in ``type``."""


def system_memory(partition: int) -> str:
    """Return the memory id under which an operator writes to ``partition``."""
    return f"{SYSTEM_TENANT}/partition-{partition}"
