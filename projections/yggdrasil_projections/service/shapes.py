"""What a read is asked over the wire, and what is answered beyond the values of the port."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Protocol, TypeVar, cast

from pydantic import BaseModel, Field, Json, create_model

from yggdrasil_infra.http.parameters import DEADLINE_S, After, Deadline, Reading
from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.commands.experience import NoteKind
from yggdrasil_schemas.commands.knowledge import Predicate
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.commands.wire import Name, NodeRef, PerspectiveName, Strict
from yggdrasil_schemas.limits import (
    FEATURE_CHARS_MAX,
    FEATURES_MAX,
    OBJECT_CHARS_MAX,
    PERSPECTIVES_MAX,
    RETURNED_MAX,
    SEQ_MAX,
    TEXT_CHARS_MAX,
    TRUST_MAX,
)
from yggdrasil_schemas.moments import MomentSent

from ..retrieval.asks import (
    CURSOR_CHARS_MAX,
    NO_PIECES,
    TOKENS_MAX,
    WHERE_VALUES_MAX,
    Ask,
    Clause,
    Kind,
    QueryVector,
    Standing,
    Where,
)
from ..retrieval.errors import InvalidAskError
from ..retrieval.parameters import Count
from ..retrieval.past.forks import ForkLineage
from ..retrieval.past.moment import WRITTEN, WRITTEN_CHARS_MAX
from ..retrieval.query import Query, Read, parameters_of
from ..retrieval.questions.understood import CLAUSE_CHARS_MAX, CLAUSES_MAX
from ..retrieval.reads.episodic.what_next import SIMILAR, SIMILAR_MAX, AskNext
from ..retrieval.reads.knowledge.claims import AskClaims, Sort
from ..retrieval.reads.learning.foretold import AskForetelling
from ..retrieval.reads.learning.searched import AskContext, AskSimilarCases, Searched

_RECORD: Final = (
    "Whether the read is recorded, where the memory's policy has reads recorded. Never for a key that only audits."
)
TrustMin = Annotated[
    int | None,
    Field(
        ge=0,
        le=TRUST_MAX,
        description="Nothing is there that is trusted less: 1 an agent, 2 a user, 3 a tool, 4 an operator.",
    ),
]
AsOfSent = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=WRITTEN_CHARS_MAX,
        description=f"The memory as it stood then: {WRITTEN}. A date is the end of that day. It is recorded never.",
    ),
]
Quarantined = Annotated[
    bool,
    Field(
        description="With `as_of`, for a key that may audit: whether what is in quarantine today is shown as it was."
    ),
]
_ValueT = TypeVar("_ValueT")
# ``Where`` refuses an empty list itself, and says what to do instead.
Values = Annotated[list[_ValueT], Field(max_length=WHERE_VALUES_MAX, json_schema_extra={"minItems": 1})]
Named = Annotated[str, Field(min_length=1, max_length=FEATURE_CHARS_MAX)]
Cursor = Annotated[str, Field(min_length=1, max_length=CURSOR_CHARS_MAX)]


class WhereSent(Strict):
    """What a question is put to: only what meets every condition that is given is there at all."""

    features_all: Values[Name] | None = None
    """It has each of these features, as they were recorded; what ended with an outage has `outcome:outage` too."""
    features_any: Values[Name] | None = None
    """It has one of these features."""
    sessions: Values[Name] | None = None
    """It is of one of these sessions."""
    kinds: Values[Kind] | None = None
    """It is one of these."""
    since: MomentSent | None = None
    """It happened then or later, by its `at`."""
    until: MomentSent | None = None
    """It happened then or earlier; a day is meant to its end."""
    sources: Values[Name] | None = None
    """One of these sources said it."""
    origins: Values[Origin] | None = None
    """Somebody of one of these origins said it."""
    statuses: Values[Standing] | None = None
    """It has one of these; without them it is active, prior (established) or contested."""
    trust_min: Annotated[int, Field(ge=0, le=TRUST_MAX)] | None = None
    """Whoever said it is trusted so far: 1 an agent, 2 a user, 3 a tool, 4 an operator."""
    history: bool | None = None
    """Whether what was superseded, rejected or resolved, is in quarantine or only a candidate, is there as well."""
    notes: Values[NoteKind] | None = None
    """It is a note of one of these sorts; open questions are there only if they are asked for."""
    valid_at: MomentSent | None = None
    """Of claims those that hold at this moment; without it those that hold now."""
    valid_since: MomentSent | None = None
    """Of claims those that held at any moment from then to `valid_at`, which is given too."""

    def where(self) -> Where:
        """Return the filter as the port takes it. Raises InvalidAskError."""
        return Where(**self.model_dump(exclude_none=True))


Filter = Annotated[
    Json[WhereSent] | None,
    Field(description="What it is of, unless that is all of the memory: a filter as a question has it, in JSON."),
]


class ClauseSent(Strict):
    """A clause of a question, and its embedding."""

    text: Annotated[str, Field(min_length=1, max_length=CLAUSE_CHARS_MAX)]
    """The clause in words."""
    vector: Vector | None = None
    """Its embedding, by the same model as that of the query."""
    otherwise: bool = False
    """Whether it is asked only where nothing answers the whole."""

    def clause(self) -> Clause:
        """Return it as the port takes it."""
        return Clause(self.text, _vector(self.vector), self.otherwise)


class AskSent(Strict):
    """A question to one memory."""

    query: Annotated[str, Field(max_length=TEXT_CHARS_MAX)]
    """What is asked, in words."""
    k: Annotated[int, Field(ge=1, le=RETURNED_MAX)] | None = None
    """At most so many memories are returned; without it, and without tokens_max, what answers and little else."""
    tokens_max: Annotated[int, Field(ge=1, le=TOKENS_MAX)] | None = None
    """At most so many tokens of text are returned; a token is counted as four characters."""
    min_confidence: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """What confidence an answer takes, instead of what the memory's policy says; 0 refuses nothing that is relevant."""
    features: list[Name] = Field(default_factory=list[str], max_length=FEATURES_MAX)
    """The features of the situation: what they foretell is told, and nothing is found by them."""
    where: WhereSent | None = None
    """What the question is put to, unless that is all of the memory: what is not admitted sways nothing."""
    deep: bool = False
    """Whether what is archived is found as well; what is returned of it is archived no longer."""
    more: Cursor | None = None
    """To go on: `more.cursor` of the answer before, with the same question and filter. Of context alone."""
    similar: bool = False
    """Whether each memory is returned that says what another says, word by word; else the latest stands for all."""
    full: bool = False
    """Whether long texts are whole; else what answers the question is shown of them, as `excerpt` says."""
    format: Literal["objects", "text"] = "objects"
    """Whether the answer is objects, or a text for a prompt with what its labels stand for; `tokens_max` is for all of
    that text."""
    session: Name | None = None
    """The session under which the recall is recorded."""
    record: bool = True
    """Whether the recall is recorded, so that it is noticed and can be proved. Never for a key that only audits."""
    vector: Vector | None = None
    """The embedding of the query, where the caller has one; it is compared with those of the same model."""
    clauses: Annotated[list[ClauseSent], Field(max_length=CLAUSES_MAX)] | None = None
    """The clauses that are asked by themselves too, where the caller embeds; without them the service reads which."""
    role: PerspectiveName | None = None
    """What asks, by a role that the memory defines: what it cares about comes first."""
    perspectives: Annotated[list[PerspectiveName], Field(max_length=PERSPECTIVES_MAX)] = Field(
        default_factory=list[str]
    )
    """Under which perspectives is asked; of a role without them, those that the question speaks of."""
    after: After = None
    deadline_s: Deadline = DEADLINE_S
    trust_min: TrustMin = None
    as_of: AsOfSent = None
    quarantined: Quarantined = False

    def asked(self, read: Read[Any], memory: str, named: Mapping[str, str]) -> Query[Any]:
        """Return the question as the port takes it. Raises InvalidAskError."""
        searched = cast("type[Searched[Any]]", read.query)
        return searched(self.ask(memory), self.session, self.record)

    def ask(self, memory: str) -> Ask:
        """Return what is searched for. Raises InvalidAskError."""
        vector = _vector(self.vector)
        parts = None if self.clauses is None else tuple(each.clause() for each in self.clauses)
        where = self.where.where() if self.where else None
        return Ask(
            memory,
            self.query,
            k=self.k,
            tokens_max=self.tokens_max,
            vector=vector,
            deep=self.deep,
            features=tuple(self.features),
            where=where,
            min_confidence=self.min_confidence,
            more=self.more,
            similar=self.similar,
            full=self.full,
            clauses=parts,
            role=self.role,
            perspectives=tuple(self.perspectives),
        )


def _vector(sent: Vector | None) -> QueryVector | None:
    if sent is not None and sent.pieces:
        raise InvalidAskError(NO_PIECES)
    return None if sent is None else QueryVector(sent.model, sent.values)


class SituationSent(Strict):
    """A situation, of which somebody wants to know what it foretells."""

    text: Annotated[str, Field(max_length=TEXT_CHARS_MAX)] = ""
    """The situation in words; the features that they name are looked at."""
    features: list[Name] = Field(default_factory=list[str], max_length=FEATURES_MAX)
    """Its features by name."""
    record: Annotated[bool, Field(description=_RECORD)] = True
    after: After = None
    deadline_s: Deadline = DEADLINE_S
    trust_min: TrustMin = None
    as_of: AsOfSent = None
    quarantined: Quarantined = False

    def asked(self, read: Read[Any], memory: str, named: Mapping[str, str]) -> Query[Any]:
        """Return the question as the port takes it. Raises InvalidAskError."""
        return _filled(read, self, named)


class NextSent(SituationSent):
    """What somebody wants to know what usually follows on: a situation, or an episode, or what goes on in a session."""

    episode: NodeRef | None = None
    """The id of an episode."""
    session: Name | None = None
    """An open session: what is in its buffer, or else its last episode."""
    count: Annotated[int, Field(ge=1, le=SIMILAR_MAX)] = SIMILAR
    """At most so many similar episodes are looked at for what came next."""


class Asked(Reading):
    """The parameters of a read that comes as a GET."""

    record: Annotated[bool, Field(description=_RECORD)] = True
    trust_min: TrustMin = None
    as_of: AsOfSent = None
    quarantined: Quarantined = False

    def asked(self, read: Read[Any], memory: str, named: Mapping[str, str]) -> Query[Any]:
        """Return the question as the port takes it. Raises InvalidAskError."""
        return _filled(read, self, named)


class Claiming(Asked):
    """Which claims are wanted: each condition that is given must hold."""

    count: Count = 50
    subject: Named | None = Field(None, description="What they are about, by any of its names.")
    predicate: Predicate | None = Field(None, description="What they say of it.")
    object: Annotated[str, Field(max_length=OBJECT_CHARS_MAX)] | None = Field(
        None, description="The value that they give, as it is shown; a thing by any of its names."
    )
    flag: bool | None = Field(None, description="The value, where that is a yes or no.")
    thing: Named | None = Field(None, description="What they are about, or have as their value, by any of its names.")
    sort: Sort | None = None
    statuses: Annotated[list[Standing], Field(min_length=1, max_length=WHERE_VALUES_MAX)] | None = Field(
        None, description="They have one of these; without them they stand."
    )
    valid_at: MomentSent | None = Field(None, description="They hold at this moment; without it, now.")
    history: bool = Field(False, description="All of them, whatever became of them and whenever they held.")
    skip: Annotated[int, Field(ge=0, le=SEQ_MAX)] = Field(0, description="So many of the first are passed over.")

    def asked(self, read: Read[Any], memory: str, named: Mapping[str, str]) -> Query[Any]:
        """Return the question as the port takes it. Raises InvalidAskError."""
        if self.object is not None and self.flag is not None:
            raise InvalidAskError("object and flag exclude each other: a value is a text, or a yes or no")
        return _filled(read, self, named, object=self.flag if self.object is None else self.object)


@dataclass(frozen=True, slots=True)
class ForksAnswer:
    """The forks of a memory, sorted by their names."""

    memory: str
    forks: list[ForkLineage]


@dataclass(frozen=True, slots=True)
class MemoriesAnswer:
    """The ids of memories, sorted."""

    memories: list[str]


class Sent(Protocol):
    """What every read says: when it wants its answer, and what it asks."""

    after: str | None
    deadline_s: float
    record: bool
    trust_min: int | None
    as_of: str | None
    quarantined: bool

    def asked(self, read: Read[Any], memory: str, named: Mapping[str, str]) -> Query[Any]:
        """Return the question as the port takes it; ``named`` are the parts of the path. Raises InvalidAskError."""
        ...


SHAPES: Final[dict[type[Query[Any]], type[BaseModel]]] = {
    AskContext: AskSent,
    AskSimilarCases: AskSent,
    AskForetelling: SituationSent,
    AskNext: NextSent,
    AskClaims: Claiming,
}
"""The queries that look otherwise over HTTP: those with a body, a filter, or a value of several types."""


def shape_of(read: Read[Any]) -> type[BaseModel]:
    """Return what a read is sent as: its parameters but for the parts of its path, and those of every read."""
    if read.query in SHAPES:
        return SHAPES[read.query]
    parts = read.parts
    of_query: dict[str, Any] = {
        each.wire: (Filter if Where in each.plain else each.type, each.default)
        for each in parameters_of(read.query)
        if each.wire not in parts
    }
    return create_model(read.query.__name__, __base__=Asked, **of_query)


def _filled(read: Read[Any], sent: BaseModel, named: Mapping[str, str], **other: Any) -> Query[Any]:
    """Return a query with what was sent, and ``other`` values where these are made of several."""
    given = {
        each.name: named[each.wire] if each.wire in named else getattr(sent, each.wire)
        for each in parameters_of(read.query)
        if each.name not in other
    }
    given |= {name: each.where() for name, each in given.items() if isinstance(each, WhereSent)}
    return read.query(**given, **other)
