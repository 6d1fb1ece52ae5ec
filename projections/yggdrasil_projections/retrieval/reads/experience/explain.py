"""The lineage of an action: what led to it, what informed it, what came of it, and where all that stands in the log."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Protocol, cast

from pydantic import Field

from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.laws.authority import trust_of
from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, accepted, step_before
from yggdrasil_projections.graph.lensed import shows, trust_min_of, withheld_of
from yggdrasil_projections.graph.unsound import check_folded
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_schemas.commands import AssertClaim, Command, CommitEpisode, LogOutcome, RecordEvent, RecordRecall
from yggdrasil_schemas.graph.records import Identity, Recalled, node_number
from yggdrasil_schemas.ids import id_bytes, key_in

from ...answers import Place
from ...errors import UnknownActionError
from ...found import OfAMoment
from ...memories import MemoryObject, OutcomeSeen, describe, outcomes_of
from ...parameters import CommandRef
from ...query import Read, Source, Timed
from ...records import command_in, payload_of, text_of
from .fetched import Fetched, NotFetchedError
from .provenance import Provenance, provenances, sent

CHAIN_MAX: Final = 10


class Records(Protocol):
    """Where the records of what has been forgotten are read, and those of recalls."""

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        """Return up to ``records_max`` records from ``offset`` on, as ``LogReader.read`` does."""
        ...


@dataclass(frozen=True, slots=True)
class Then:
    """A memory that a recall returned, with its values as they were when it was recalled.

    ``told`` says who said it first, and where that stands; None of a feature.
    """

    ref: str
    text: str | None
    salience: float | None
    permanence: float | None
    outcomes: list[OutcomeSeen]
    told: Provenance | None = None


@dataclass(frozen=True, slots=True)
class RecallSeen:
    """A recall that informed an action: the query, the seq that it read, and what it returned.

    ``where`` holds the conditions of its filter, by the names that ``Where`` has for them, empty when it had none.
    ``source`` asked it, and ``key`` is the id of the key with which it was asked over HTTP.
    """

    id: str
    query: str | None
    as_of: int
    place: Place
    returned: list[Then]
    where: dict[str, Any] = field(default_factory=dict[str, Any])
    key: str | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """An event that is said to have brought an action about. ``memory`` is None when it has been pruned since.

    ``source`` said it, and ``key`` is the id of the key with which it came over HTTP.
    """

    id: str
    text: str | None
    place: Place
    memory: MemoryObject | None
    source: str = ""
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation(OfAMoment):
    """Why an action was taken and what came of it. ``memory`` is None when the event has been pruned since.

    ``source`` said it, and ``key`` is the id of the key with which it came over HTTP; None: it came in another way.
    ``provenance`` tells the same of what came before it in its session and of all outcomes here, by their ids.
    To explain is to recall: what is shown is noticed, by the ``record_recall`` of ``recall_id``, if it was
    ``recorded``.
    """

    id: str
    text: str | None
    place: Place
    memory: MemoryObject | None
    chain: list[MemoryObject]
    caused_by: list[Cause]
    informed_by: list[RecallSeen]
    as_of: int
    source: str
    key: str | None
    provenance: dict[str, Provenance] = field(default_factory=dict[str, Provenance])
    recall_id: str | None = field(default=None, compare=False)
    recorded: bool = field(default=False, compare=False)

    @property
    def refs(self) -> list[str]:
        """The references of the memories that it shows as they are now, each once: the action, and what led to it.

        What is archived is not among them: to explain brings nothing back.
        """
        shown = [self.memory, *self.chain, *(cause.memory for cause in self.caused_by)]
        return list(dict.fromkeys(each.ref for each in shown if each is not None and not each.archived))


def explain(graph: Graph, log: Records, partition: int, action: str) -> Explanation:
    """Explain the event ``action``: the events of its session before it (at most 10, oldest first), those that caused
    it, the recalls that informed it with the values of then, its outcomes, and their places.

    Works for an event that was archived, and for one that was pruned, from its record in the log. Raises
    UnknownActionError.
    """
    try:
        identity = graph.identity(id_bytes(action))
    except ValueError:
        identity = None  # not an id at all
    if identity is None or identity.result:
        raise UnknownActionError(f"{graph.header.memory}: no recorded event has the id {action}; check the id")
    record = _record(graph, log, partition, identity)
    if record is None:
        raise UnknownActionError(f"{graph.header.memory}: no recorded event has the id {action}; check the id")
    if not isinstance(record, RecordEvent):
        raise UnknownActionError(f"{graph.header.memory}: {action} is not an event ({record.type}); {_hint(record)}")
    node = graph.node(node_number(identity.seq))
    body = record.body
    memory = describe(graph, node) if node else None
    chain = _chain(graph, node.number) if node else []
    causes = [cause for event in dict.fromkeys(body.caused_by) if (cause := _cause(graph, log, partition, event))]
    recalls = [seen for recall in body.informed_by if (seen := _recall(graph, log, partition, recall))]
    shown = [each for each in (memory, *chain, *(cause.memory for cause in causes)) if each is not None]
    outcomes = [one.id for each in shown for one in each.outcomes]
    outcomes += [one.id for seen in recalls for each in seen.returned for one in each.outcomes]
    return Explanation(
        action,
        text_of(record),
        Place(identity.seq, partition, identity.offset),
        memory,
        chain,
        causes,
        recalls,
        graph.header.seq,
        record.source,
        key_in(record.process),
        provenances(graph, partition, (*(each.ref for each in chain), *outcomes)),
    )


def _hint(record: Command) -> str:
    """Say what to explain instead of what is no event."""
    match record:
        case LogOutcome():
            return f"explain {record.body.event}, of which it is an outcome"
        case CommitEpisode():
            last, kind = (
                (record.body.events or record.body.episodes)[-1],
                "events" if record.body.events else "episodes",
            )
            return f"explain {last}, the last of its {kind}"
        case AssertClaim():
            return "`yggdrasil fact lineage` (`lineage`) says why a claim is believed"
        case _:
            return "give the id of an event"


def _cause(graph: Graph, log: Records, partition: int, event: str) -> Cause | None:
    identity = accepted(graph, event)
    record = None if identity is None else _record(graph, log, partition, identity)
    if identity is None or record is None:
        _pass_over(graph, f"event {event}")
        return None
    node = graph.node(node_number(identity.seq))
    place = Place(identity.seq, partition, identity.offset)
    memory = describe(graph, node) if node else None
    return Cause(event, text_of(record), place, memory, record.source, key_in(record.process))


def _chain(graph: Graph, number: int) -> list[MemoryObject]:
    chain: list[MemoryObject] = []
    while len(chain) < CHAIN_MAX:
        key = step_before(graph, number)
        if key is None:
            break
        number = key[0]
        chain.append(describe(graph, graph.expect(number)))
    return chain[::-1]


def _pass_over(graph: Graph, what: str) -> None:
    """Pass over what a lens hides. Raises UnknownActionError for all else: what names it would have been refused."""
    if not (trust_min_of(graph) or withheld_of(graph)):
        raise UnknownActionError(f"{graph.header.memory}: {what} is not known")


def _recall(graph: Graph, log: Records, partition: int, recall_id: str) -> RecallSeen | None:
    identity = graph.identity(id_bytes(recall_id))
    record = None if identity is None else _record(graph, log, partition, identity)
    if identity is None or record is None:
        _pass_over(graph, f"recall {recall_id}")
        return None
    if not isinstance(record, RecordRecall):
        raise BrokenInvariantError(f"{graph.header.memory}: {recall_id} is not a recall")
    kept = graph.recalls.get(identity.seq)
    values = {entry.number: entry for entry in kept.returned} if kept else {}
    place = Place(identity.seq, partition, identity.offset)
    returned = [then for ref in record.body.returned if (then := _then(graph, log, partition, ref, values))]
    where: Any = (payload_of(record) or {}).get("where")
    conditions = cast(dict[str, Any], where) if isinstance(where, dict) else {}  # whoever appends may send anything
    by = key_in(record.process)
    return RecallSeen(recall_id, text_of(record), record.body.as_of, place, returned, conditions, by, record.source)


def _then(graph: Graph, log: Records, partition: int, ref: str, values: dict[int, Recalled]) -> Then | None:
    """Describe what a recall returned; what was pruned since is read from the log. Return None if a lens hides it."""
    told: Provenance | None = None
    if ref.startswith(FEATURE_PREFIX):
        text: str | None = ref.removeprefix(FEATURE_PREFIX)
        number = graph.feature(ref.removeprefix(FEATURE_PREFIX))
        if number is None and trust_min_of(graph):  # it may be hidden, or gone: whose it was cannot be told
            return None
    else:
        known = accepted(graph, ref)
        record = _record(graph, log, partition, known) if known else None
        if record is None and (trust_min_of(graph) or withheld_of(graph)):
            return None
        number = node_number(known.seq) if known else None
        text = text_of(record) if record else None
        if record is not None and known is not None and trust_of(record) >= trust_min_of(graph):
            told = sent(record, partition, known)
    then = values.get(number) if number is not None else None
    node = graph.node(number) if number is not None else None
    if node is not None and trust_min_of(graph):  # what was confirmed since is shown as it was confirmed
        text = describe(graph, node).text
    outcomes = outcomes_of(graph, node) if node else []
    return Then(ref, text, then.salience if then else None, then.permanence if then else None, outcomes, told)


def _record(graph: Graph, log: Records, partition: int, identity: Identity) -> Command | None:
    """Return a command that was accepted: what a live node was made from is in the graph, all others are in the log.

    Return None for one of what is gone that a lens does not show.
    """
    number = node_number(identity.seq)
    if number in withheld_of(graph):
        return None
    value = graph.content(number)
    if value is not None:
        check_folded(graph, number, value)
        return command_in(value)
    records = log.read(partition, identity.offset, 1)
    record = command_in(records[0].value if records else None)
    return record if shows(graph, record) else None


@dataclass(frozen=True, slots=True)
class AskExplanation(Timed[Explanation]):
    """Return the lineage of ``event``: what led to it, what informed it, what came of it, and where it all stands.

    It is recorded as a recall, so that what it shows is noticed a little; its ``recall_id`` may inform an event.
    Raises UnknownActionError.
    """

    event: Annotated[CommandRef, Field(alias="id")]

    def read(self, source: Source, /) -> Explanation:
        """Answer it. Raises LogError."""
        fetched = Fetched(source.log)
        while True:
            try:
                with source.graph() as graph:
                    return explain(graph, fetched, source.partition, self.event)
            except NotFetchedError as error:
                missing = error
            fetched.fetch(missing)


EXPLANATION: Final = Read(
    "explain_action",
    AskExplanation,
    Explanation,
    "GET /actions/{id}",
    "Why it was done",
    """Return the lineage of an action: what led to it, what informed it, what came of it, and where it stands.

It is recorded as a recall, so that what it shows is noticed, unless `record` is false or the key only audits.""",
    (UnknownActionError.kind,),
    recorded="recall",
    example={"event": "<event>"},
)
