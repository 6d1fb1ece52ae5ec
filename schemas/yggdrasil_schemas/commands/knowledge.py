"""What is known: claims, what they are about, and whether what a memory holds still stands, each time with a reason."""

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from .. import limits
from ..anchors import ANCHOR_CHARS_MAX, PATTERN, checked_anchor
from .decisions import Decision
from .envelope import Envelope, Origin
from .experience import Condensed, EventFeature, free
from .wire import (
    EMPTY,
    PRINTABLE,
    UNIQUE,
    CommandId,
    Name,
    NodeRef,
    PerspectiveName,
    Perspectives,
    Strict,
    each_once,
)

Entity = Annotated[EventFeature, AfterValidator(free)]
"""A thing, by the name of its feature."""
ClaimClass = Literal["fact", "lesson", "rule", "desk"]
"""``fact``: something is so. ``lesson``: what experience teaches. ``rule``: what must hold; it waits for a person.
``desk``: a note for the session that is open, of which the latest of its writer counts; it contends with nothing."""
Predicate = Annotated[str, StringConstraints(pattern=rf"^{PRINTABLE}{{1,{limits.PREDICATE_CHARS_MAX}}}$")]
"""What is said of a subject, such as ``lives_in``."""
DECIMAL: Final = r"^(0|-?[1-9][0-9]{0,17}|-?(0|[1-9][0-9]{0,17})\.[0-9]{0,11}[1-9])$"
Decimal = Annotated[str, StringConstraints(pattern=DECIMAL, max_length=32)]
"""A number in the one form that it has: no leading or trailing zeros, no ``-0``; equal numbers are equal texts."""
Moment = Annotated[int, Field(ge=-limits.TIME_MS_MAX, le=limits.TIME_MS_MAX)]
"""Unix ms, before 1970 too. Laws compare moments with each other, and never with a clock."""
Anchor = Annotated[str, StringConstraints(pattern=PATTERN, max_length=ANCHOR_CHARS_MAX), AfterValidator(checked_anchor)]
"""Where a place is: ``realm/x/y/z``, such as ``overworld/120/64/-33``, or the chunk ``realm/cx/cz`` (docs/laws.md)."""
Relation = Literal[
    "supports",
    "contradicts",
    "supersedes",
    "refines",
    "depends_on",
    "example_of",
    "part_of",
    "leads_to",
    "answers",
    "applies_to",
    "related",
]
"""How one thing has to do with another."""
Verdict = Literal["reject", "resolve", "quarantine", "release", "verify", "promote", "archive"]
"""``reject``: it does not hold. ``resolve``: it is settled. ``quarantine``: not before somebody has looked at it.
``release``: it stands again, in place of whatever stands in its slot; out of a quarantine it is what it was before.
``archive``: it has done its work, and is found by a deep question alone; ``release`` brings it back. Of claims also
``verify``: whoever judges says so too; and ``promote``: it is established, and gives way to no equal."""


class ClaimObject(Strict):
    """What is said of the subject: exactly one of an entity, a number, a yes or no, an anchor, a text's digest."""

    entity: Entity | None = None
    """Another thing, by the name of its feature."""
    decimal: Decimal | None = None
    """A number."""
    unit: Name | None = None
    """The unit of the number."""
    flag: bool | None = None
    """Whether it is so."""
    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")] | None = None
    """The digest of a text that stands in the content: equal texts have equal digests."""
    anchor: Anchor | None = None
    """Where a place is: its realm, and the whole numbers x, y (the height) and z there, or those of a chunk."""

    @model_validator(mode="after")
    def _one(self) -> "ClaimObject":
        given = [each for each in (self.entity, self.decimal, self.flag, self.digest, self.anchor) if each is not None]
        if len(given) != 1:
            raise ValueError("an object is exactly one of entity, decimal, flag, digest and anchor")
        if self.unit is not None and self.decimal is None:
            raise ValueError("a unit is that of a decimal")
        return self


class AssertClaimBody(Decision):
    """Somebody says that something is so."""

    claim_class: ClaimClass = "fact"
    """What sort of claim."""
    subject: Entity
    """What it is about, by the name of its feature. Send a personal one hashed."""
    predicate: Predicate
    """What is said of it."""
    object: ClaimObject
    """The value."""
    qualifiers: Annotated[
        dict[Name, Name],
        Field(default_factory=dict[str, str], max_length=limits.QUALIFIERS_MAX, json_schema_extra={"default": {}}),
    ]
    """What else belongs to the value, such as a number of pieces: two values are the same if these are, too."""
    confidence: Annotated[int, Field(ge=0, le=100)] = 70
    """How sure the writer is, in percent."""
    valid_from: Moment | None = None
    """From when on it holds, where that is known."""
    valid_to: Moment | None = None
    """Until when it held, where that is known: after ``valid_from``, and it does not hold then."""
    evidence: Annotated[
        list[CommandId],
        Field(default_factory=list[str], max_length=limits.EVIDENCE_MAX, json_schema_extra=UNIQUE | EMPTY),
    ]
    """The ids of the commands that made what it was concluded from, each once; a thinker must give some."""
    supersedes: CommandId | None = None
    """The id of the command that made the event, episode, concept or claim in whose place this stands."""
    candidate: bool = False
    """Whether it waits until somebody else says so too."""
    condenses: Condensed
    """What this says in fewer words."""
    perspectives: Perspectives
    """Under which perspectives it matters: a lesson of one of them is a claim of its own."""

    @field_validator("perspectives")
    @classmethod
    def _seen_once(cls, perspectives: list[str]) -> list[str]:
        return each_once("perspectives", perspectives)

    @model_validator(mode="after")
    def _desk_is_plain(self) -> "AssertClaimBody":
        if self.claim_class == "desk" and (self.supersedes is not None or self.candidate or self.condenses):
            raise ValueError(
                "a note on the desk replaces the last of its writer: it takes no supersedes, candidate, condenses"
            )
        return self

    @field_validator("condenses")
    @classmethod
    def _condensed_once(cls, condenses: list[str]) -> list[str]:
        return each_once("condenses", condenses)

    @field_validator("valid_to")
    @classmethod
    def _after_it_began(cls, valid_to: int | None, info: Any) -> int | None:
        begins = info.data.get("valid_from")
        if valid_to is not None and begins is not None and valid_to <= begins:
            raise ValueError("valid_to lies after valid_from")
        return valid_to

    @field_validator("evidence")
    @classmethod
    def _evidence_unique(cls, evidence: list[str]) -> list[str]:
        return each_once("evidence", evidence)


class RelateBody(Decision):
    """One thing has to do with another; why stands in the content."""

    source: NodeRef
    """What has."""
    target: NodeRef
    """What it has to do with."""
    relation: Relation
    """In which way."""


class PerspectiveDefined(Strict):
    """Something that agents of a role care about."""

    name: PerspectiveName
    """Its name, such as ``Cost``. A perspective of the same name in another role is the same one."""
    keywords: Annotated[
        list[PerspectiveName],
        Field(default_factory=list[str], max_length=limits.KEYWORDS_MAX, json_schema_extra=UNIQUE | EMPTY),
    ]
    """What is looked for beside the words of a question, each once."""
    formerly: PerspectiveName | None = None
    """The name that it had so far in this role: what is strong under that stays so under the new one."""

    @field_validator("keywords")
    @classmethod
    def _keywords_once(cls, keywords: list[str]) -> list[str]:
        return each_once("keywords", keywords)


class RoleDefined(Strict):
    """What an agent is, by what it cares about."""

    name: PerspectiveName
    """Its name, such as ``procurement``."""
    perspectives: Annotated[
        list[PerspectiveDefined],
        Field(default_factory=list[PerspectiveDefined], max_length=limits.PERSPECTIVES_MAX, json_schema_extra=EMPTY),
    ]
    """What it cares about, each once; with none of them the role is no longer there."""

    @field_validator("perspectives")
    @classmethod
    def _each_once(cls, perspectives: list[PerspectiveDefined]) -> list[PerspectiveDefined]:
        each_once("perspectives", [each.name for each in perspectives])
        each_once("formerly", [each.formerly for each in perspectives if each.formerly is not None])
        return perspectives


class DefineBody(Strict):
    """What a predicate means: how many values it has, and who wins where two contradict each other. Or a role."""

    predicate: Predicate | None = None
    """The name of the predicate, where one is defined."""
    role: RoleDefined | None = None
    """The role, where one is defined; then nothing else is given."""
    cardinality: Literal["one", "one_per_object", "many"] = "one"
    """``one``: a subject has one value at a time. ``one_per_object``: one for each object, told by its qualifiers.
    ``many``: any number; they never contradict each other."""
    resolution: Literal["recency", "confidence", "human"] = "confidence"
    """``recency``: the later word. ``confidence``: what more was said for. ``human``: what a person decides."""
    review: bool = False
    """Whether each claim waits until a person has released it."""
    confirmations: Annotated[int, Field(ge=1, le=limits.LINES_MAX)] = 1
    """How many independent sources, or sightings (``confirm_by``), it takes."""
    perish_ticks: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0
    """After so many events half of the confidence is left, unless somebody says so again; 0: it stays."""
    authority: Origin | None = None
    """Whose word on it counts as measured."""
    symmetric: bool = False
    """Whether what is said of one thing is said of the other too, such as a path: only with ``one_per_object``. A claim
    with the qualifier ``oneway`` is of one direction all the same."""
    confirm_by: Literal["sources", "evidence"] = "sources"
    """``evidence``: beside independent sources the same counts again if it was seen again, as ``confirm_gap`` says."""
    confirm_gap: Annotated[int, Field(ge=1, le=1_000_000_000)] = 1
    """How many commands the newest event of a sighting lies after that of the last one that counted."""

    @model_validator(mode="after")
    def _of_pairs(self) -> "DefineBody":
        if self.symmetric and self.cardinality != "one_per_object":
            raise ValueError("what is symmetric has one value per pair of things: give it one_per_object")
        return self

    @model_validator(mode="after")
    def _one_of_both(self) -> "DefineBody":
        if (self.predicate is None) == (self.role is None):
            raise ValueError("define a predicate, or a role: one of both")
        if self.role is not None and self.model_fields_set != {"role"}:
            raise ValueError("a role has no more than its name and its perspectives")
        return self


class AliasEntityBody(Decision):
    """A thing has another name, or it was a mistake that it had."""

    name: Entity
    """The other name."""
    canonical: Entity | None = None
    """The name under which it is known; without one, ``name`` stands for itself again."""
    evidence: Annotated[
        list[CommandId],
        Field(default_factory=list[str], max_length=limits.EVIDENCE_MAX, json_schema_extra=UNIQUE | EMPTY),
    ]
    """The accepted commands that speak for it, each once."""

    @field_validator("evidence")
    @classmethod
    def _evidence_unique(cls, evidence: list[str]) -> list[str]:
        return each_once("evidence", evidence)


class Judged(Strict):
    """One node and its verdict."""

    node: CommandId
    """The id of an accepted command: what it made is judged, or what else it did."""
    verdict: Verdict
    """What is decided of it."""
    word: bool = False
    """Of a claim: whether only the word of this command for it is judged, and not the claim. So it is always of a
    command that confirmed a claim which was there."""


class JudgeBody(Decision):
    """Verdicts on what the memory holds: all of them take effect, or none."""

    items: Annotated[list[Judged], Field(min_length=1, max_length=limits.JUDGED_MAX)]
    """The nodes, each once, with their verdicts."""
    reason: Name
    """Why, in a few words: it is shown wherever the node is."""
    evidence: Annotated[
        list[CommandId],
        Field(default_factory=list[str], max_length=limits.EVIDENCE_MAX, json_schema_extra=UNIQUE | EMPTY),
    ]
    """The accepted commands that speak for it, each once."""

    @field_validator("items")
    @classmethod
    def _unique(cls, items: list[Judged]) -> list[Judged]:
        each_once("items", [item.node for item in items])
        return items

    @field_validator("evidence")
    @classmethod
    def _evidence_unique(cls, evidence: list[str]) -> list[str]:
        return each_once("evidence", evidence)


class Judge(Envelope):
    """Say of something whether it still stands."""

    number = 16
    roles = ("append", "operate")
    as_operator = ("operate",)
    type: Literal["judge"]
    body: JudgeBody


class AssertClaim(Envelope):
    """Say that something is so."""

    number = 17
    roles = ("append", "operate")
    as_operator = ("operate",)
    type: Literal["assert_claim"]
    body: AssertClaimBody


class Relate(Envelope):
    """Say that one thing has to do with another, and how."""

    number = 18
    roles = ("append", "operate")
    as_operator = ("operate",)
    type: Literal["relate"]
    body: RelateBody


class Define(Envelope):
    """Say what a predicate means. Only an operator may."""

    number = 19
    roles = ("operate",)
    type: Literal["define"]
    body: DefineBody


class AliasEntity(Envelope):
    """Say that two names are of one thing."""

    number = 20
    roles = ("append", "operate")
    as_operator = ("operate",)
    type: Literal["alias_entity"]
    body: AliasEntityBody
