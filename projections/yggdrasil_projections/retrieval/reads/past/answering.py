"""Which answers are other ones: the questions that were asked between two moments, asked again at both of them."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.laws.authority import trust_of
from yggdrasil_projections.graph.laws.reference import resolve
from yggdrasil_projections.graph.lensed import trust_min_of, unlensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import decode
from yggdrasil_schemas.commands import ClearContent, RecordRecall
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refused

from ...errors import InvalidAskError, RankerFailedError
from ...query import Source
from ...ranking.rankers import named_with
from ..learning.cases import similar_cases
from ..learning.context import search_context
from ..learning.searched import resolved
from ..learning.searching import UnknownRankerError
from ..operations.said import QUESTION_CHARS_MAX
from .again import asked_in, is_of_cases
from .differing import Wanted

LOOKED_AT_MAX: Final = 100_000
"""The latest records of the partition, up to the second moment, that are looked through for questions."""
_BATCH: Final = 2_000  # records of one read of the log
_MARK: Final = b'"record_recall"'  # what every recall's record holds, so that others need not be decoded
_ASKED: Final = ("context", "similar_cases", "deep")
Answer = dict[str, str | None]
"""What is returned, in order, by reference, with what each says."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A memory in an answer: its places from 1 on at both moments, None where it is not there, and what it says."""

    ref: str
    text: str | None
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class AnswerOtherwise:
    """A question of which the answer is another one: what was gained, what was lost, and what changed its order.

    ``recall`` is the id of the recall that asked it, at ``seq``. What ``moved`` stands in another order to the rest of
    what both answers have. A question has at most 4,000 characters.
    """

    recall: str
    seq: int
    question: str
    session: str
    gained: list[Placed] = field(default_factory=list[Placed])
    lost: list[Placed] = field(default_factory=list[Placed])
    moved: list[Placed] = field(default_factory=list[Placed])


class Question(NamedTuple):
    """A recall that was accepted, and its seq."""

    seq: int
    command: RecordRecall


class Asked(NamedTuple):
    """What came of asking again: the answers that are other ones, and how many questions could not be asked."""

    otherwise: list[AnswerOtherwise]
    failed: int


def questions_between(
    earlier: Source, later: Source, graph: Graph, since: int, wanted: Wanted, count: int
) -> list[Question]:
    """Return the latest recalls of a memory after the seq ``since`` that ``graph`` shows, the latest first.

    ``graph`` is as ``later`` stands. Those that went on from a cursor are none: they were told the rest of an answer.
    Raises LogError.
    """
    found: list[Question] = []
    if not count or graph.header.seq <= since:
        return found
    hidden = unlensed(graph).recalls.keys() - graph.recalls.keys()
    for record in _backwards(earlier, later):
        question = _question(graph, record)
        if question is None or question.seq > graph.header.seq or question.seq in hidden:
            continue
        if question.seq <= since:
            break
        command = question.command
        if wanted.source in (None, command.source) and wanted.session in (None, command.session):
            found.append(question)
            if len(found) == count:
                break
    return found


def _backwards(earlier: Source, later: Source) -> Iterator[LogRecord]:
    """Yield the records of a memory that hold recalls, the latest first, as far as is looked."""
    log, partition, key = later.log, later.partition, later.memory.encode()
    end = log.end_offset(partition)
    start = max(log.start_offset(partition), earlier.log.end_offset(partition), end - LOOKED_AT_MAX)
    while end > start:
        begin = position = max(start, end - _BATCH)
        page: list[LogRecord] = []
        while position < end and (records := log.read(partition, position, end - position)):
            page += [each for each in records if each.key == key and each.offset < end and _may_be_recall(each)]
            position = records[-1].offset + 1
        yield from reversed(page)
        end = begin


def _may_be_recall(record: LogRecord) -> bool:
    return record.value is not None and _MARK in record.value


def _question(graph: Graph, record: LogRecord) -> Question | None:
    """Return the recall in a record, if it was accepted as it stands there, and is shown."""
    decoded = decode(cast(bytes, record.value))
    if isinstance(decoded, Refused) or not isinstance(decoded.command, RecordRecall):
        return None
    command, whole = decoded.command, unlensed(graph)
    identity = whole.identity(id_bytes(command.id))
    if identity is None or not identity.is_of(record.offset):
        return None
    if command.memory != graph.header.memory or not whole.folded(identity.seq, cast(bytes, record.value)):
        return None
    if command.body.purpose not in _ASKED or trust_of(command) < trust_min_of(graph):
        return None
    return Question(identity.seq, command)


def asked_again(earlier: Source, later: Source, questions: Iterable[Question], hidden: Set[int]) -> Asked:
    """Ask questions at both moments, and return those of which the answers are not the same, without ``hidden`` nodes.

    Each is asked as it was, but by the ranker of today. Nothing is recorded. What is sealed, or goes on from another
    answer, cannot be asked.
    """
    found: list[AnswerOtherwise] = []
    failed = 0
    for question in questions:
        try:
            before, after = (_answered(source, question.command, hidden) for source in (earlier, later))
        except (InvalidAskError, RankerFailedError, UnknownRankerError):
            failed += 1
            continue
        otherwise = _compared(question, before, after)
        if otherwise.gained or otherwise.lost or otherwise.moved:
            found.append(otherwise)
    return Asked(found, failed)


def _answered(source: Source, command: RecordRecall, hidden: Set[int]) -> Answer:
    """Return what a recall returns when it is asked again. Raises InvalidAskError for what cannot be."""
    ask, of_cases = asked_in(command), is_of_cases(command)
    if ask.more is not None:
        raise InvalidAskError("it goes on from another answer")
    own = source.ranker
    with source.indexed() as (graph, index):
        asked = resolved(ask, "similar_cases" if of_cases else "context", graph, index, source.now_ms())
        if of_cases:
            cases = similar_cases(graph, index, asked, source.partition, named_with(own), own=own)
            found = [each.found for each in (*cases.good, *cases.bad)]
        else:
            context = search_context(graph, index, asked, source.partition, own=own)
            found = [*context.principles, *context.found]
        return {each.memory.ref: each.memory.text for each in found if resolve(graph, each.memory.ref) not in hidden}


def _compared(question: Question, before: Answer, after: Answer) -> AnswerOtherwise:
    was, now = _places(before), _places(after)
    texts = before | after

    def placed(refs: Iterable[str]) -> list[Placed]:
        return [Placed(ref, texts[ref], was.get(ref), now.get(ref)) for ref in refs]

    stayed = [ref for ref in after if ref in before]
    order = {ref: place for place, ref in enumerate(ref for ref in before if ref in after)}
    content = question.command.content
    text = content.text if isinstance(content, ClearContent) else None
    return AnswerOtherwise(
        question.command.id,
        question.seq,
        (text or "")[:QUESTION_CHARS_MAX],
        question.command.session,
        placed(ref for ref in after if ref not in before),
        placed(ref for ref in before if ref not in after),
        placed(ref for place, ref in enumerate(stayed) if order[ref] != place),
    )


def _places(answer: Answer) -> dict[str, int]:
    return {ref: place for place, ref in enumerate(answer, start=1)}
