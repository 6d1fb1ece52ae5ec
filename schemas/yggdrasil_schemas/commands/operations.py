"""What operators and hosts declare: pins, what is lifted or retired, vectors, the policy, attestation, versions."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints, field_validator

from .. import limits
from ..policy import check_changes
from .envelope import Envelope, SealedContent, VectorContent
from .wire import Name, NodeRef, SnapshotName, Strict

SYSTEM_TENANT: Final = "_yggdrasil"


class PinBody(Strict):
    """A node is protected, or no longer; so a memory can begin with a core that stays."""

    node: NodeRef
    """Which node."""
    pinned: bool = True
    """Whether it is protected from now on."""
    permanence: Annotated[float, Field(ge=0.0, le=10.0)] = 0.0
    """The least permanence that it is given, when it is pinned."""
    principle: bool = False
    """Whether it is a principle, which belongs into every context, from now on; only with ``pinned``."""

    @field_validator("principle")
    @classmethod
    def _principles_are_pinned(cls, principle: bool, info: Any) -> bool:
        if principle and not info.data.get("pinned", True):
            raise ValueError("a principle is pinned")
        return principle


class LiftCatastropheBody(Strict):
    """What was declared a catastrophe was none: it may fade and be forgotten again."""

    node: NodeRef
    """Which node: the event or episode, or one of its outcomes."""
    reason: Annotated[str, StringConstraints(min_length=1, max_length=limits.REASON_CHARS_MAX)]
    """Why; it stays in the log, and no law reads it."""


class RetireThinkerBody(Strict):
    """A thinker will not come back: its cursor goes, with the parts of a decision that is not whole."""

    name: Name
    """The name under which the cursor is kept; a thinker that takes it later begins at 0."""


class AttachVectorBody(Strict):
    """A node gets a vector, which is the command's content; one of the same model takes the place of the other.

    It names no thinker: many of these may be under way at once. Among those who are trusted as much the last one for a
    model is kept; whoever is trusted less than the node, or than who attached the other one, is refused.
    """

    node: NodeRef
    """Which node."""
    model: Name
    """The model of the vector; where the content is clear, it says the same."""


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


class SnapshotBody(Strict):
    """The moment right after this command gets a name; or a name is free again."""

    name: SnapshotName
    """The name: of 64 at most one memory has."""
    drop: bool = False
    """Whether the name is taken back: the moment is still there, under its seq."""


class EnableVersionBody(Strict):
    """From this record on, ``partition`` accepts records of ``schema_version`` under ``rules_version``."""

    partition: Annotated[int, Field(ge=0, le=2**31 - 1)]
    """The partition that the record stands in."""
    schema_version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    """The newest version of the language that is accepted from here on."""
    rules_version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    """The version of the laws that hold from here on."""
    partitions: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    """How many partitions the topic has, if this is the record that its log begins with: for ever so many."""
    topic_id: Name | None = None
    """The id of the topic whose log begins with this record; a copy of that log keeps it."""


class Pin(Envelope):
    """Protect a node, or no longer."""

    number = 12
    roles = ("operate",)
    type: Literal["pin"]
    body: PinBody


class LiftCatastrophe(Envelope):
    """Say that a catastrophe was none, and why. Only an operator may."""

    number = 14
    roles = ("operate",)
    type: Literal["lift_catastrophe"]
    body: LiftCatastropheBody


class RetireThinker(Envelope):
    """Free a thinker's name. Only an operator may."""

    number = 15
    roles = ("operate",)
    type: Literal["retire_thinker"]
    body: RetireThinkerBody


class AttachVector(Envelope):
    """Give a node a vector, or another one when the model is exchanged; the vector is the content."""

    number = 13
    roles = ("append", "embed", "operate")
    as_operator = ("embed", "operate")
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

    number = 5
    roles = ("operate",)
    type: Literal["set_policy"]
    body: SetPolicyBody


class Attest(Envelope):
    """Ask every host for the memory's state digest at this point."""

    number = 6
    roles = ("operate", "audit")
    type: Literal["attest"]
    body: AttestBody


class Snapshot(Envelope):
    """Give the moment right after this command a name, or take a name back. Only an operator may."""

    number = 23
    roles = ("operate",)
    type: Literal["snapshot"]
    body: SnapshotBody


class EnableVersion(Envelope):
    """An operator's record: lets a partition accept another version. Its memory is ``_yggdrasil/partition-N``."""

    type: Literal["enable_version"]
    body: EnableVersionBody


def system_memory(partition: int) -> str:
    """Return the memory id under which an operator writes to ``partition``."""
    return f"{SYSTEM_TENANT}/partition-{partition}"
