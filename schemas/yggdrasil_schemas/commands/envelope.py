"""The envelope that every command comes in, and its content, which the laws never read and which may be sealed."""

from typing import Annotated, Any, ClassVar, Final, Literal, TypeGuard

from pydantic import Field, StringConstraints, field_validator

from .. import limits
from .vectors import Vector
from .wire import EMPTY, UNIQUE, CommandId, MemoryId, Name, Strict, each_once

Origin = Literal["agent", "user", "tool", "import", "thinker", "operator"]
"""Who stands behind a command, stamped by the gateway or the importer. Laws read it, and history chains its number
here: the order never changes, and a new one comes last."""
TIERS: Final[dict[str, int]] = {"operator": 4, "tool": 3, "user": 2, "agent": 1, "thinker": 1, "import": 1}
"""How far what is said by an origin is trusted at most, 0 to 4."""


def is_tier(given: object) -> TypeGuard[int]:
    """Whether something is a tier of trust: a whole number from 0, a stranger, to 4, an operator."""
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= limits.TRUST_MAX


class ClearContent(Strict):
    """What a command says, for people and for retrieval; the fold never reads it."""

    text: Annotated[str, StringConstraints(max_length=limits.TEXT_CHARS_MAX)] | None = None
    """What people and retrieval read."""
    object: Annotated[str, StringConstraints(max_length=limits.OBJECT_CHARS_MAX)] | None = None
    """Of a claim whose object is a text: that text."""
    payload: dict[str, Any] | None = None
    """Anything else, as JSON; a number beyond 64 bits loses digits."""
    vector: Vector | None = None
    """What a model made of it, for retrieval by meaning."""
    name: Name | None = None
    """A short title, by which it is found as by its text, and whole wherever a question names it."""
    aliases: Annotated[
        list[Name],
        Field(default_factory=list[str], max_length=limits.NOTE_ALIASES_MAX, json_schema_extra=UNIQUE | EMPTY),
    ]
    """What else it is called, each once: it is found by these as by its name."""
    rationale: Annotated[str, StringConstraints(max_length=limits.TEXT_CHARS_MAX)] | None = None
    """Why it is so: kept, shown and explained, and never searched; neither its words nor its meaning sway an answer."""

    @field_validator("aliases")
    @classmethod
    def _each_once(cls, aliases: list[str]) -> list[str]:
        return each_once("aliases", aliases)


class VectorContent(ClearContent):
    """Clear content that has a vector."""

    vector: Vector = Field(...)  # pyright: ignore[reportIncompatibleVariableOverride] # nobody can write to it
    """What a model made of the node."""


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


Role = Literal["append", "read", "audit", "operate", "embed"]
"""What a key may do."""
SESSION_DEFAULT: Final = "default"
"""The session of a command that names none."""


class Envelope(Strict):
    """What every command carries, and what its class says of it to all that handle commands."""

    number: ClassVar[int] = 0
    """How its kind is stored in an identity: never changed, and never given to another; 0: it gets no identity."""
    roles: ClassVar[tuple[Role, ...]] = ()
    """The roles of which one is needed to say it over HTTP; none: it is not said there."""
    as_operator: ClassVar[tuple[Role, ...]] = ()
    """Of what agents say for themselves: the roles with which it is the word of an operator."""

    version: Literal[1]
    """The version of the language."""
    id: CommandId
    """A UUIDv7, or a UUIDv8 derived from content, in lower case: the same id and content again change nothing."""
    memory: MemoryId
    """``tenant/agent``; in UTF-8 it is the record's key."""
    session: Name = SESSION_DEFAULT
    """The conversation or task that the command belongs to."""
    at: Annotated[int, Field(ge=0, le=limits.TIME_MS_MAX)]
    """The producer's clock in Unix ms: informative, no law reads it."""
    source: Name
    """The system that speaks."""
    process: Name
    """The process of that system."""
    origin: Origin
    """Who stands behind the command."""
    trust: Annotated[int, Field(ge=0, le=limits.TRUST_MAX)] | None = None
    """How far the writer is trusted at most, where that is less than what the origin has: 0 a stranger, 1 an agent, 2 a
    user, 3 a tool, 4 an operator. Stamped, as the origin is."""
    content: ClearContent | SealedContent | None = None
    """What the laws never read, in clear or sealed."""
