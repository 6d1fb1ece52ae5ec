"""What thinkers decide: commands that no agent sends in the course of its work, each with its body.

Each decision was made outside the fold and is recorded, never derived again (design, section 1).
"""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from .. import limits
from .envelope import Envelope
from .wire import EMPTY, UNIQUE, CommandId, Count, Name, NodeRef, Strict, each_once


class Thinker(Strict):
    """Who decided, and what it had read: the fold takes the decision only if ``cursor_from`` is where it left off.

    What was read at once may lead to several commands: each is a ``part`` of as many ``parts``. They come in any order,
    each is taken once, and the cursor moves when all are in.
    """

    name: Name
    """The thinker; its cursor is kept under this name."""
    version: Name
    """The version of the thinker that decided."""
    cursor_from: Count
    """The seq up to which the thinker had decided before; 0 at first."""
    cursor_to: Count
    """The seq up to which it has read now: beyond ``cursor_from``, at most the memory's present one."""
    part: Annotated[int, Field(ge=0, lt=limits.DECISION_PARTS_MAX)] = 0
    """Which part of the decision this is, from 0 on: below ``parts``."""
    parts: Annotated[int, Field(ge=1, le=limits.DECISION_PARTS_MAX, validate_default=True)] = 1
    """How many commands the decision consists of; all of them say the same ``cursor_from`` and ``cursor_to``."""

    @field_validator("parts")
    @classmethod
    def _has_the_part(cls, parts: int, info: Any) -> int:
        if info.data.get("part", 0) >= parts:
            raise ValueError("a part is one of as many as there are: from 0 to below parts")
        return parts


class Decision(Strict):
    """Base of what a thinker may decide; without ``thinker`` a person or a tool has decided."""

    thinker: Thinker | None = None
    """Who decided, where it is a thinker."""


class CommitEpisodeBody(Decision):
    """Some events of a session belong together: they become an episode."""

    events: Annotated[list[CommandId], Field(max_length=limits.EPISODE_EVENTS_MAX, json_schema_extra=UNIQUE)]
    """The ids of the events, each once; none where it is of earlier episodes alone."""
    clear: Literal["all", "window", "key"] = "all"
    """Which of them leave the session's buffer: all; all but the last ``keep``; all but the key events."""
    keep: Annotated[int, Field(ge=0, le=limits.EPISODE_EVENTS_MAX)] = 0
    """How many stay with ``window``."""
    episodes: Annotated[
        list[CommandId],
        Field(
            default_factory=list[CommandId],
            max_length=limits.EPISODE_EVENTS_MAX,
            json_schema_extra=UNIQUE | EMPTY,
        ),
    ]
    """The ids of earlier episodes that belong to it as well, each once: 1 to 64 with the events."""

    @field_validator("events")
    @classmethod
    def _unique(cls, events: list[str]) -> list[str]:
        return each_once("events", events)

    @field_validator("episodes")
    @classmethod
    def _episodes_once(cls, episodes: list[str]) -> list[str]:
        return each_once("episodes", episodes)

    @model_validator(mode="after")
    def _some(self) -> "CommitEpisodeBody":
        if not 1 <= len(self.events) + len(self.episodes) <= limits.EPISODE_EVENTS_MAX:
            raise ValueError(f"an episode is of 1 to {limits.EPISODE_EVENTS_MAX} events and episodes together")
        return self


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

    scope: Literal["whole", "task"] = "whole"
    """What it looks at: the whole memory; or, after a task, what was touched since the last sleep of either scope and
    the next ``sleep_slice`` nodes of the rest, so that every node has its turn."""


class CommitEpisode(Envelope):
    """Make an episode of some events of a session."""

    number = 7
    roles = ("operate",)
    type: Literal["commit_episode"]
    body: CommitEpisodeBody


class FormConcept(Envelope):
    """Make a concept of what belongs together."""

    number = 8
    roles = ("operate",)
    type: Literal["form_concept"]
    body: FormConceptBody


class DissolveConcept(Envelope):
    """Undo a concept."""

    number = 9
    roles = ("operate",)
    type: Literal["dissolve_concept"]
    body: DissolveConceptBody


class Adjust(Envelope):
    """Change a trajectory a little, for a reason."""

    number = 10
    roles = ("operate",)
    type: Literal["adjust"]
    body: AdjustBody


class Sleep(Envelope):
    """Consolidate, dissolve and archive."""

    number = 11
    roles = ("operate",)
    type: Literal["sleep"]
    body: SleepBody
