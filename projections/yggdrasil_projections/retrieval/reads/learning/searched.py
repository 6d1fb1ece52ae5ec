"""The two reads that search, as queries: what is asked, in whose session, and whether that is recorded."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.vectors import Vector

from ...answers import Context, Prompt, SimilarCases
from ...asks import Ask, Clause, Purpose, QueryVector
from ...errors import InvalidAskError, RankerFailedError
from ...index.columns.moments import at_present
from ...index.index import MemoryIndex
from ...lens import narrowed
from ...query import A_co, Query, Read, Source
from ...ranking.rankers import named_with
from .cases import similar_cases
from .context import search_context

_RETURNED_BYTES: Final = 40
_RECALL_BYTES: Final = 900


@dataclass(frozen=True, slots=True)
class Searched(Query[A_co]):
    """A question in words, which is recorded as a recall unless ``record`` is false: in ``session``, if that is given.

    Whoever holds the memory records it, on behalf of whoever asks; ``read`` alone records nothing.
    """

    ask: Ask
    session: str | None = None
    record: bool = True

    purpose: ClassVar[Purpose]

    def check_of(self, memory: str) -> None:
        """Raise InvalidAskError for a question to another memory than the one that it is asked of."""
        if self.ask.memory != memory:
            raise InvalidAskError(f"the question is to {self.ask.memory}, and it is asked of {memory}")

    def embedded(self, embed: Callable[[str], QueryVector | None]) -> Self:
        """Return it with the vector of its words, and of a question for context those of its clauses.

        Raises what ``embed`` raises.
        """
        parts = clauses_of(self.ask.query) if self.purpose == "context" else ()
        asked = tuple(replace(each, vector=embed(each.text)) for each in parts)
        return replace(self, ask=replace(self.ask, vector=embed(self.ask.query), clauses=asked))

    @property
    def record_bytes(self) -> int:
        """About how many bytes its record takes: its words, its vector in base64, and all that it may return."""
        vectors = [self.ask.vector, *(each.vector for each in self.ask.clauses or ())]
        vector = sum(len(each.data) * 4 // 3 for each in vectors if each is not None)
        asked = len(self.ask.query.encode()) + len(self.ask.more or "")
        asked += sum(len(each.text.encode()) for each in self.ask.clauses or ())
        return asked + vector + _RETURNED_BYTES * self.ask.places + _RECALL_BYTES

    def _resolved(self, graph: Graph, index: MemoryIndex, source: Source) -> Ask:
        """Return what is asked, of the present where it says no moment, and of what the graph shows; a question for
        context with what is read of it.

        Raises InvalidAskError.
        """
        self.check_of(source.memory)
        ask = resolved(self.ask, self.purpose, graph, index, source.now_ms())
        source.resolved(replace(self, ask=ask))
        return ask

    def sent(self) -> dict[str, Any]:
        """Return what is sent of it over HTTP."""
        ask = self.ask
        plain = ("k", "tokens_max", "min_confidence", "more")
        sent: dict[str, Any] = {"query": ask.query, "record": self.record}
        sent |= {name: value for name in plain if (value := getattr(ask, name)) is not None}
        sent |= {name: True for name in ("deep", "similar", "full") if getattr(ask, name)}
        if self.session is not None:
            sent["session"] = self.session
        if ask.features:
            sent["features"] = list(ask.features)
        if ask.role is not None:
            sent["role"] = ask.role
        if ask.perspectives:
            sent["perspectives"] = list(ask.perspectives)
        if ask.where is not None:
            sent["where"] = ask.where.given()
        if ask.vector is not None:
            sent["vector"] = vector_sent(ask.vector)
        if ask.clauses is not None:
            sent["clauses"] = [clause_sent(each) for each in ask.clauses]
        return sent


def resolved(ask: Ask, purpose: Purpose, graph: Graph, index: MemoryIndex, now_ms: int) -> Ask:
    """Return what is asked of a graph with all that is left open: the moment, what is seen, and what is read of it."""
    seen = replace(ask, where=narrowed(ask.where, trust_min_of(graph)))
    seen = read(seen, now_ms) if purpose == "context" else replace(seen, clauses=None)
    return at_present(index.moments, seen, now_ms)


def read(ask: Ask, at_ms: int) -> Ask:
    """Return an ask with what is read of its question at a moment, in Unix ms.

    Of a question that came with a vector only those clauses are asked by themselves that came with theirs.
    """
    if ask.understood is not None:
        return ask
    from ...questions.understanding import understand

    parts = ask.clauses
    if parts is None:
        parts = () if ask.vector is not None else clauses_of(ask.query)
    return replace(ask, clauses=parts, understood=understand(ask.query, at_ms, (each.text for each in parts)))


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return what is asked of a question beside the whole, without vectors."""
    from ...questions.clauses import about, clauses

    parts = tuple(map(Clause, clauses(text)))
    if not parts and (subject := about(text)) is not None:
        return (Clause(subject, otherwise=True),)
    return parts


def clause_sent(clause: Clause) -> dict[str, Any]:
    """Return what is sent and recorded of a clause."""
    sent: dict[str, Any] = {"text": clause.text}
    if clause.vector is not None:
        sent["vector"] = vector_sent(clause.vector)
    return sent | {"otherwise": True} if clause.otherwise else sent


def vector_sent(vector: QueryVector) -> dict[str, Any]:
    """Return what is sent and recorded of a vector."""
    return Vector.of(vector.model, vector.data).as_sent()


class AskContext(Searched[Context]):
    """What matters most to a question; ``Memory.get_context`` says what may be asked."""

    __slots__ = ()
    purpose: ClassVar[Purpose] = "context"

    def read(self, source: Source, /) -> Context:
        """Answer it."""
        with source.indexed() as (graph, index):
            ask, own = self._resolved(graph, index, source), source.ranker
            return search_context(graph, index, ask, source.partition, own=own)


class AskSimilarCases(Searched[SimilarCases]):
    """Situations like the one that is asked about; ``Memory.get_similar_cases`` says what may be asked."""

    __slots__ = ()
    purpose: ClassVar[Purpose] = "similar_cases"

    def read(self, source: Source, /) -> SimilarCases:
        """Answer it."""
        with source.indexed() as (graph, index):
            ask, own = self._resolved(graph, index, source), source.ranker
            return similar_cases(graph, index, ask, source.partition, named_with(own), own=own)


CONTEXT: Final = Read(
    "get_context",
    AskContext,
    Context,
    "POST /context",
    "Ask for what matters most",
    """Return the memories that matter most to a question, each with its scores, its place and its lineage.

The answer is *nothing* rather than a guess. The recall is recorded, so that it can be proved later. With
`"format": "text"` the answer is a text for a prompt, and what the labels in it stand for.""",
    problems=(RankerFailedError.kind,),
    documented=Context | Prompt,
    recorded="recall",
    example={"query": "Should we deploy on Friday?", "k": 3},
)
SIMILAR_CASES: Final = Read(
    "get_similar_cases",
    AskSimilarCases,
    SimilarCases,
    "POST /similar-cases",
    "Ask for ones like it",
    """Return situations like the one that is asked about, those that ended well and those that ended badly.""",
    problems=(RankerFailedError.kind,),
    documented=SimilarCases | Prompt,
    recorded="recall",
    example={"query": "Should we deploy on Friday?"},
)
