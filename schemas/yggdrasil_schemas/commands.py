"""Version 1 of the language: the envelope and the commands, strict and bounded.

A command has a ``body``, which the laws read, and a ``content``, which they never read and which may be sealed.
The models refuse unknown fields, coercion and numbers that are not finite. Shapes and bounds are also exported as
JSON Schema (``make schemas``).
"""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field, StringConstraints, field_validator

from . import limits
from .bodies import LogOutcomeBody, RecordEventBody, RecordRecallBody, ReportUseBody
from .decisions import (
    AdjustBody,
    AttachVectorBody,
    AttestBody,
    CommitEpisodeBody,
    DissolveConceptBody,
    EnableVersionBody,
    FormConceptBody,
    PinBody,
    SetPolicyBody,
    SleepBody,
)
from .vectors import Vector
from .wire import CommandId, MemoryId, Name, Strict

SYSTEM_TENANT: Final = "_yggdrasil"

Origin = Literal["agent", "user", "tool", "import", "thinker", "operator"]
"""Who stands behind a command, stamped by the gateway or the importer."""


class ClearContent(Strict):
    """What a command says, for people and for retrieval; the fold never reads it."""

    text: Annotated[str, StringConstraints(max_length=limits.TEXT_CHARS_MAX)] | None = None
    """What people and retrieval read."""
    payload: dict[str, Any] | None = None
    """Anything else, as JSON; a number beyond 64 bits loses digits."""
    vector: Vector | None = None
    """What a model made of it, for retrieval by meaning."""


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


class CommitEpisode(Envelope):
    """Make an episode of some events of a session."""

    type: Literal["commit_episode"]
    body: CommitEpisodeBody


class FormConcept(Envelope):
    """Make a concept of what belongs together."""

    type: Literal["form_concept"]
    body: FormConceptBody


class DissolveConcept(Envelope):
    """Undo a concept."""

    type: Literal["dissolve_concept"]
    body: DissolveConceptBody


class Adjust(Envelope):
    """Change a trajectory a little, for a reason."""

    type: Literal["adjust"]
    body: AdjustBody


class Sleep(Envelope):
    """Consolidate, dissolve and archive."""

    type: Literal["sleep"]
    body: SleepBody


class Pin(Envelope):
    """Protect a node, or no longer."""

    type: Literal["pin"]
    body: PinBody


class AttachVector(Envelope):
    """Give a node a vector, or another one when the model is exchanged; the vector is the content."""

    content: VectorContent | SealedContent = Field(...)  # pyright: ignore[reportIncompatibleVariableOverride]
    """The vector, in clear or sealed."""
    type: Literal["attach_vector"]
    body: AttachVectorBody

    @field_validator("body")
    @classmethod
    def _same_model(cls, body: AttachVectorBody, info: Any) -> AttachVectorBody:
        content = info.data.get("content")
        if isinstance(content, VectorContent) and content.vector.model != body.model:
            raise ValueError("the vector in the content is of another model")
        return body


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


Command = (
    RecordEvent
    | LogOutcome
    | RecordRecall
    | ReportUse
    | CommitEpisode
    | FormConcept
    | DissolveConcept
    | Adjust
    | Sleep
    | Pin
    | AttachVector
    | SetPolicy
    | Attest
    | EnableVersion
)
COMMANDS: Final[dict[str, type[Envelope]]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(Command)
}
"""The commands of version 1 by the name in ``type``."""


def system_memory(partition: int) -> str:
    """Return the memory id under which an operator writes to ``partition``."""
    return f"{SYSTEM_TENANT}/partition-{partition}"
