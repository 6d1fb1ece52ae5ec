"""What thinkers and operators decide: the bodies of the commands that no agent sends in the course of its work.

Each decision was made outside the fold and is recorded, never derived again (design, section 1).
"""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from . import limits
from .policy import check_changes
from .wire import UNIQUE, CommandId, Count, Name, NodeRef, Strict, each_once


class Thinker(Strict):
    """Who decided, and what it had read: the fold takes the decision only if ``cursor_from`` is where it left off."""

    name: Name
    """The thinker; its cursor is kept under this name."""
    version: Name
    """The version of the thinker that decided."""
    cursor_from: Count
    """The seq up to which the thinker had decided before; 0 at first."""
    cursor_to: Count
    """The seq up to which it has read now: beyond ``cursor_from``, at most the memory's present one."""


class Decision(Strict):
    """Base of what a thinker may decide; without ``thinker`` a person or a tool has decided."""

    thinker: Thinker | None = None
    """Who decided, where it is a thinker."""


class CommitEpisodeBody(Decision):
    """Some events of a session belong together: they become an episode."""

    events: Annotated[
        list[CommandId], Field(min_length=1, max_length=limits.EPISODE_EVENTS_MAX, json_schema_extra=UNIQUE)
    ]
    """The ids of the events, each once."""
    clear: Literal["all", "window", "key"] = "all"
    """Which of them leave the session's buffer: all; all but the last ``keep``; all but the key events."""
    keep: Annotated[int, Field(ge=0, le=limits.EPISODE_EVENTS_MAX)] = 0
    """How many stay with ``window``."""

    @field_validator("events")
    @classmethod
    def _unique(cls, events: list[str]) -> list[str]:
        return each_once("events", events)


class FormConceptBody(Decision):
    """Some nodes have something in common: they become members of a concept."""

    members: Annotated[
        list[NodeRef], Field(min_length=2, max_length=limits.CONCEPT_MEMBERS_MAX, json_schema_extra=UNIQUE)
    ]
    """Features, events, episodes or concepts, each once."""

    @field_validator("members")
    @classmethod
    def _unique(cls, members: list[str]) -> list[str]:
        return each_once("members", members)


class DissolveConceptBody(Decision):
    """A concept no longer holds: its members are ordinary experience again."""

    concept: NodeRef
    """The id of the ``form_concept`` command, or ``feature:`` and the name of a feature that became a concept."""


class AdjustBody(Decision):
    """A small change along one trajectory, with its evidence (000, section 8). The policy caps each of them."""

    trajectory: Annotated[list[NodeRef], Field(min_length=1, max_length=limits.ADJUSTED_MAX, json_schema_extra=UNIQUE)]
    """The nodes along it, in order, each once; the edges between neighbours change with them."""
    salience: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.0
    """What is added to salience, and to the weight of the edges."""
    permanence: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.0
    """What is added to permanence."""
    half_life: Annotated[float, Field(ge=0.5, le=2.0)] = 1.0
    """What half-lives are multiplied by."""
    evidence: Annotated[list[CommandId], Field(min_length=1, max_length=limits.EVIDENCE_MAX)]
    """The accepted commands that speak for the change."""

    @field_validator("trajectory")
    @classmethod
    def _unique(cls, trajectory: list[str]) -> list[str]:
        return each_once("trajectory", trajectory)


class SleepBody(Decision):
    """Time to consolidate what was used, dissolve what is not fed, and archive what has faded."""


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


class AttachVectorBody(Strict):
    """A node gets a vector, which is the command's content; one of the same model takes the place of the other.

    It names no thinker: many of these may be under way at once, and whichever comes last for a model is kept.
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


class EnableVersionBody(Strict):
    """From this record on, ``partition`` accepts records of ``schema_version`` under ``rules_version``."""

    partition: Annotated[int, Field(ge=0, le=2**31 - 1)]
    """The partition that the record stands in."""
    schema_version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    """The newest version of the language that is accepted from here on."""
    rules_version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    """The version of the laws that hold from here on."""
