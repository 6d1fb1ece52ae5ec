"""What agents say of their experience: events, outcomes, recalls and uses, each with its body."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints, field_validator

from .. import limits
from .envelope import Envelope
from .wire import (
    EMPTY,
    PRINTABLE,
    UNIQUE,
    CommandId,
    Count,
    Feature,
    Name,
    NodeRef,
    Perspectives,
    Strict,
    each_once,
)

KIND_PREFIX: Final = "outcome:"
"""An outcome's kind is a feature like any other, so that it is bounded, fades and can be recalled."""
OutcomeKind = Annotated[
    str, StringConstraints(pattern=rf"^{PRINTABLE}{{1,{limits.FEATURE_CHARS_MAX - len(KIND_PREFIX)}}}$")
]
"""With its prefix it must be a feature's name."""
EventFeature = Annotated[
    Feature, Field(json_schema_extra={"pattern": rf"^(?!{KIND_PREFIX}){PRINTABLE}{{1,{limits.FEATURE_CHARS_MAX}}}$"})
]
"""A feature that an event may have: what begins with ``outcome:`` is the kind of an outcome, and only that."""
NoteKind = Literal[
    "fact", "preference", "decision", "open_question", "setting", "procedure", "warning", "reference", "utterance"
]
"""What sort of note an event is. Indexes number them: the order never changes, and a new one comes last.

An utterance is what a loop says that tells nothing new: its own question, that it does not know, the call of a tool.
"""
UTTERANCE: Final = "utterance"
Boundary = Literal["open", "close"]
"""``open``: a session begins with this event, and is registered. ``close``: it ends, and its desk is cleared."""
Condensed = Annotated[
    list[CommandId],
    Field(default_factory=list[str], max_length=limits.CONDENSED_MAX, json_schema_extra=UNIQUE | EMPTY),
]
"""The ids of the commands that made what this says in fewer words, each once: it stands in their place. What is trusted
more than this stays, and is joined to it."""
GUARDRAIL_VIOLATION: Final = "guardrail_violation"


def free(name: str) -> str:
    """Return ``name``. Raises ValueError where it is reserved, which no pattern of pydantic's can say."""
    if name.startswith(KIND_PREFIX):
        raise ValueError(f"names that begin with {KIND_PREFIX} are reserved for the kinds of outcomes")
    return name


class RecordEventBody(Strict):
    """Something happened. ``features`` are its parts; ``informed_by`` are the recalls that led to it."""

    features: Annotated[
        list[EventFeature],
        Field(default_factory=list[str], max_length=limits.FEATURES_MAX, json_schema_extra=UNIQUE | EMPTY),
    ]
    """What the event is made of, each once; the first ones are paired with each other. Send a personal one hashed."""
    informed_by: Annotated[
        list[CommandId],
        Field(default_factory=list[CommandId], max_length=limits.INFORMED_BY_MAX, json_schema_extra=EMPTY),
    ]
    """Ids of earlier ``record_recall`` commands of this memory."""
    caused_by: Annotated[
        list[CommandId],
        Field(default_factory=list[CommandId], max_length=limits.CAUSED_BY_MAX, json_schema_extra=EMPTY),
    ]
    """Ids of earlier events of this memory, of any session, that brought this one about."""
    key: Name | None = None
    """What this is the latest word on, such as ``ana/diet``: it takes the place of what had the same key before. Send a
    personal one hashed."""
    supersedes: CommandId | None = None
    """The id of the command that made the event, episode or concept in whose place this stands from now on."""
    note: NoteKind | None = None
    """What sort of note it is, if it is one; no law heeds it. An open question and an utterance are no answers unless
    one asks for them."""

    boundary: Boundary | None = None
    """Whether the session begins or ends with this event."""
    condenses: Condensed
    """What this says in fewer words."""
    perspectives: Perspectives
    """Under which perspectives it matters from the start."""
    prominence: Annotated[int, Field(ge=0, le=100)] = 50
    """How much it stands out, in percent: 50 is as usual. From below ``teach_trust_min`` more counts as 50."""

    @field_validator("condenses")
    @classmethod
    def _condensed_once(cls, condenses: list[str]) -> list[str]:
        return each_once("condenses", condenses)

    @field_validator("perspectives")
    @classmethod
    def _seen_once(cls, perspectives: list[str]) -> list[str]:
        return each_once("perspectives", perspectives)

    @field_validator("features")
    @classmethod
    def _unique_and_free(cls, features: list[str]) -> list[str]:
        for name in features:
            free(name)
        return each_once("features", features)


class LogOutcomeBody(Strict):
    """It turned out well (``value`` > 0), badly (< 0) or neither (0); ``value`` lies in [-10, 10]."""

    event: CommandId
    """The id of the ``record_event`` or ``commit_episode`` command that this is about."""
    value: Annotated[float, Field(ge=-limits.VALUE_MAX, le=limits.VALUE_MAX)]
    """How well it turned out; its magnitude says how much is learned."""
    kind: OutcomeKind = "outcome"
    """What sort of outcome; the first of its kind counts more. ``guardrail_violation`` is never forgotten soon."""
    trajectory: Annotated[
        list[CommandId],
        Field(default_factory=list[CommandId], max_length=limits.TRAJECTORY_MAX, json_schema_extra=UNIQUE | EMPTY),
    ]
    """Earlier events or episodes that led to it, the latest first, where they are known better than by the session."""
    catastrophic: bool = False
    """Whether it must not be forgotten; only with ``value`` below 0. What an agent says so itself counts as large."""

    @field_validator("catastrophic")
    @classmethod
    def _catastrophes_are_bad(cls, catastrophic: bool, info: Any) -> bool:
        if catastrophic and info.data.get("value", -1.0) >= 0:
            raise ValueError("a catastrophic outcome has a value below 0")
        return catastrophic

    @field_validator("kind")
    @classmethod
    def _violations_are_bad(cls, kind: str, info: Any) -> str:
        if kind == GUARDRAIL_VIOLATION and info.data.get("value", -1.0) >= 0:
            raise ValueError("a guardrail violation has a value below 0")
        return kind

    @field_validator("trajectory")
    @classmethod
    def _unique(cls, trajectory: list[str]) -> list[str]:
        return each_once("trajectory", trajectory)


class RecordRecallBody(Strict):
    """What a read returned, and by which means, so that the answer can be proved later."""

    purpose: Literal["context", "similar_cases", "explanation", "deep"]
    """Which read it was; ``deep``: one that looked among what is archived as well, whichever it was."""
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
    parameters: Annotated[
        dict[Name, int | float | bool | Name],
        Field(
            default_factory=dict[str, int | float | bool | str],
            max_length=limits.PARAMETERS_MAX,
            json_schema_extra={"default": {}},
        ),
    ]
    """What else the answer depended on."""
    perspectives: Perspectives
    """Under which perspectives was asked; what is used of the answer grows strong under these."""

    @field_validator("perspectives")
    @classmethod
    def _seen_once(cls, perspectives: list[str]) -> list[str]:
        return each_once("perspectives", perspectives)


class RecordReadBody(Strict):
    """Which read was answered, of what state, and what with; its parameters are content."""

    read: Name
    """The name of the read."""
    as_of: Count
    """The seq that the read saw; it may not be ahead of the memory."""
    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    """SHA-256 of the answer in canonical JSON, in hex: what was answered can be told from what was not."""
    trust_least: Annotated[int, Field(ge=0, le=limits.TRUST_MAX)] | None = None
    """The least trust of the memories that were shown whole, with theirs; None: none was."""


UseMethod = Literal["declared", "labels", "words", "vectors", "model"]
"""How it was found out what was used: somebody says so, its label is cited, its words or what they mean return, or a
model was asked (003, section 3.6)."""


class ReportUseBody(Strict):
    """Which of the returned memories were really used, and how the task went."""

    recall: CommandId
    """The id of the ``record_recall`` command; a recall is reported once."""
    used: Annotated[list[NodeRef], Field(max_length=limits.RETURNED_MAX, json_schema_extra=UNIQUE)]
    """What was really used, each once, of what the recall returned."""
    result: Literal["success", "failure", "unknown"] = "unknown"
    """How the task went."""
    helpful: bool = False
    """Whether what was used helped."""
    prevented_error: bool = False
    """Whether what was used prevented an error."""
    perspectives: Perspectives
    """Under which perspectives it was used; none: those under which was asked."""

    @field_validator("perspectives")
    @classmethod
    def _seen_once(cls, perspectives: list[str]) -> list[str]:
        return each_once("perspectives", perspectives)

    method: UseMethod = "declared"
    """Who or what says what was used: whoever reports, or what read the output of a model. No law reads it."""

    @field_validator("used")
    @classmethod
    def _unique(cls, used: list[str]) -> list[str]:
        return each_once("used", used)


class RecordEvent(Envelope):
    """Append an experience to a memory."""

    number = 1
    roles = ("append",)
    type: Literal["record_event"]
    body: RecordEventBody


class LogOutcome(Envelope):
    """Say how an earlier event turned out."""

    number = 2
    roles = ("append",)
    type: Literal["log_outcome"]
    body: LogOutcomeBody


class RecordRecall(Envelope):
    """Say what a read returned; the query is the content."""

    number = 3
    type: Literal["record_recall"]
    body: RecordRecallBody


class RecordRead(Envelope):
    """Say that something other than a recall was read; its parameters are the content."""

    number = 21
    type: Literal["record_read"]
    body: RecordReadBody


class ReportUse(Envelope):
    """Say which returned memories were used."""

    number = 4
    roles = ("append",)
    type: Literal["report_use"]
    body: ReportUseBody
