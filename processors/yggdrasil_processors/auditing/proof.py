"""The proof of a recall: replay the log to what the recall had seen, ask the same again, and compare.

Only the log is needed, no store that stands: whoever can read the log can prove, on a machine of their own, that an
answer came from that memory as it was then, and from nothing else.
"""

from collections import defaultdict
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from yggdrasil_infra.log import LogReader
from yggdrasil_projections.graph.lensed import lensed
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.retrieval.errors import InvalidAskError, RankerFailedError
from yggdrasil_projections.retrieval.index.index import INDEX
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.ranking.own.ranker import OwnRanker
from yggdrasil_projections.retrieval.ranking.rankers import RANKERS, base_of, own_of
from yggdrasil_projections.retrieval.reads.learning.searching import UnknownRankerError
from yggdrasil_projections.retrieval.reads.past.again import asked_in, search_for
from yggdrasil_projections.retrieval.reads.ranked.following import FOLLOWING
from yggdrasil_projections.retrieval.reads.ranked.selecting import SELECTIONS
from yggdrasil_projections.retrieval.records import payload_of
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZERS
from yggdrasil_schemas.codec import decode
from yggdrasil_schemas.commands import RecordRecall
from yggdrasil_schemas.commands.experience import RecordRecallBody
from yggdrasil_schemas.graph.records import seq_of
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.refusals import Refused

from .replay import Progress, fresh_projector

_NUMBERS: Final = 2**63  # node numbers are below
_PROVED: Final = ("context", "similar_cases", "deep")
_INDEXES: Final = (INDEX, "arrays/6", "arrays/5", "arrays/3", "arrays/2")
"""The first of the others did not tell classes of claims apart, as there were no desks, the second had no pieces, as no
text had any, the third no hashes of what texts say, the fourth no names of notes, as no note had one: they answer
alike."""
_MARK: Final = b'"record_recall"'  # what every recall's record holds, so that others need not be decoded


@dataclass(frozen=True, slots=True)
class Recalled:
    """A recall as its record tells it: where that stands, what was asked at which seq, and what was returned."""

    id: str
    partition: int
    offset: int
    command: RecordRecall


@dataclass(frozen=True, slots=True)
class Proof:
    """What asking again gave. ``returned_again`` is None when it could not be asked; ``reason`` says why it fails.

    ``without`` are the seqs of what the recall says was left out of its answer, since the store held other records of
    them than were folded. They were left out again, so the proof says nothing of whether that was so.
    """

    recall: Recalled
    returned_again: list[str] | None
    reason: str | None
    without: Sequence[int] = ()

    @property
    def holds(self) -> bool:
        """Whether the same references came back in the same order."""
        return self.reason is None


def recalls_in(log: LogReader, memory: str, progress: Progress | None = None) -> Iterator[Recalled]:
    """Yield the recalls of ``memory`` in log order, each id once, as the fold counts a command once.

    Explanations rank nothing and are passed over; a record that the fold would refuse for its form is none.
    """
    partition = partition_for(memory.encode(), log.partitions)
    offset, key, seen = log.start_offset(partition), memory.encode(), set[str]()
    while records := log.read(partition, offset, BATCH_RECORDS_MAX):
        for record in records:
            if record.key != key or record.value is None or _MARK not in record.value:
                continue
            decoded = decode(record.value)
            if isinstance(decoded, Refused) or not isinstance(decoded.command, RecordRecall):
                continue
            command = decoded.command
            if command.memory == memory and command.body.purpose in _PROVED and command.id not in seen:
                seen.add(command.id)
                yield Recalled(command.id, partition, record.offset, command)
        offset = records[-1].offset + 1
        if progress:
            progress(len(records))


def prove(
    log: LogReader,
    path: Path,
    recalls: Sequence[Recalled],
    progress: Progress | None = None,
    rankers: Iterable[OwnRanker] = (),
) -> Generator[Proof]:
    """Replay one partition into a fresh store at ``path``, and prove ``recalls`` of it, those that saw least first.

    One pass serves them all. ``rankers`` are those of somebody else's that recalls may name: what a log names is not
    imported for that. Raises ReplayError when ``path`` is not empty, and what folding raises.
    """
    waiting: dict[str, list[Recalled]] = defaultdict(list)
    for recall in sorted(recalls, key=lambda one: (-one.command.body.as_of, -one.offset)):
        waiting[recall.command.memory].append(recall)  # the one that saw least stands last
    if not recalls:
        return
    views, owned = _views(recalls), {each.name: each for each in rankers}
    with ExitStack() as stack:
        for view in views.values():
            stack.enter_context(view)
        projector = fresh_projector(log, path, recalls[0].partition, [*views.values()])
        try:
            while waiting:
                for memory in sorted(waiting):
                    yield from _due(projector, views, waiting[memory], owned)
                waiting = {memory: left for memory, left in waiting.items() if left}
                if waiting and not _advance(projector, waiting, progress):
                    break
            for left in waiting.values():
                for recall in reversed(left):
                    seen = recall.command.body.as_of
                    yield Proof(recall, None, f"the log ends before {recall.command.memory} reaches seq {seen}")
        finally:
            projector.close()


def _views(recalls: Iterable[Recalled]) -> dict[str, RetrievalView]:
    """Return a view for each tokenizer that some recalls were answered with, as far as this release knows it."""
    named = sorted({recall.command.body.tokenizer for recall in recalls} & TOKENIZERS.keys())
    return {name: RetrievalView(None, tokenizer=TOKENIZERS[name]) for name in named}


def _advance(projector: Projector, waiting: dict[str, list[Recalled]], progress: Progress | None) -> int:
    """Fold so many records that no memory passes what the next recall of it had seen; return how many."""
    # A record moves a memory by at most one seq, so this many cannot overshoot.
    steps = [left[-1].command.body.as_of - _seq(projector, memory) for memory, left in waiting.items()]
    batch = projector.advance(min(BATCH_RECORDS_MAX, *steps))
    if batch and progress:
        progress(len(batch))
    return len(batch)


def _seq(projector: Projector, memory: str) -> int:
    graph = projector.store.peek(memory)
    return graph.header.seq if graph else 0


def _due(
    projector: Projector, views: Mapping[str, RetrievalView], left: list[Recalled], owned: Mapping[str, OwnRanker]
) -> Iterator[Proof]:
    """Prove those of ``left`` that saw the memory as it stands now, and take them out."""
    while left and left[-1].command.body.as_of <= _seq(projector, left[-1].command.memory):
        recall = left.pop()
        yield _asked_again(projector, views, recall, owned)
        projector.store.release(recall.command.memory)


def _asked_again(
    projector: Projector, views: Mapping[str, RetrievalView], recall: Recalled, owned: Mapping[str, OwnRanker]
) -> Proof:
    body = recall.command.body
    if unknown := _unknown(body):
        return Proof(recall, None, f"this release does not know {unknown}; ask a release that does")
    try:
        ask = asked_in(recall.command)
        graph = projector.store.peek(ask.memory)
        hidden = _unsound_then(recall.command)
        refs: list[str] = []
        if graph is not None:
            search, lens = search_for(recall.command), "lens" in body.parameters
            index = views[body.tokenizer].index(graph)
            index.hide(graph, hidden)
            seen, own = lensed(graph, None, hidden), _own(body.ranker, owned)
            refs = search(seen, index, ask, recall.partition, body.ranker, lens=lens, own=own).refs
    except (InvalidAskError, RankerFailedError, UnknownRankerError) as error:
        return Proof(recall, None, str(error))
    return Proof(recall, refs, _difference(body.returned, refs), sorted(map(seq_of, hidden)))


def _own(ranker: str, owned: Mapping[str, OwnRanker]) -> OwnRanker | None:
    """Return the ranker of somebody else's that a recall names, or another version of it, for its reason."""
    if (wanted := own_of(ranker)) is None:
        return None
    name = wanted.partition("/")[0]
    others = (owned[each] for each in sorted(owned) if each.partition("/")[0] == name)
    return owned.get(wanted) or next(others, None)


def _unknown(body: RecordRecallBody) -> str:
    """Return which versions of a recall this release does not know, empty when it knows them all."""
    known: dict[str, Container[str]] = {"tokenizer": TOKENIZERS, "index": _INDEXES}
    unknown = [f"{name} {getattr(body, name)}" for name, ones in known.items() if getattr(body, name) not in ones]
    if (way := body.parameters.get("select", SELECTIONS[0])) not in SELECTIONS:
        unknown.append(f"the selection {way}")
    if (way := body.parameters.get("followed", FOLLOWING)) != FOLLOWING:
        unknown.append(f"the way {way} to follow claims")
    recipe = RANKERS.get(base_of(body.ranker))  # of one that is not known the read itself tells
    if not unknown and recipe is not None and recipe.tokenizer != body.tokenizer:
        unknown = [f"ranker {body.ranker} with tokenizer {body.tokenizer}"]
    return ", ".join(unknown)


def _unsound_then(command: RecordRecall) -> Set[int]:
    """Return the nodes that were left out, since the store had other records of them than were folded.

    Raises InvalidAskError where the payload says no such thing; whoever appends may send anything.
    """
    said: Any = (payload_of(command) or {}).get("unsound", [])
    numbers = cast("Sequence[object]", said) if isinstance(said, list) else (None,)
    found = frozenset(each for each in numbers if type(each) is int and 0 <= each < _NUMBERS)
    if len(found) != len(numbers):  # each once
        raise InvalidAskError("what the recall says was left out of its answer are no nodes")
    return found


def _difference(then: list[str], now: list[str]) -> str | None:
    """Say where two answers part, or None."""
    for place, (before, after) in enumerate(zip(then, now, strict=False), start=1):
        if before != after:
            return f"at place {place} it had returned {before}, and asking again gives {after}"
    if len(then) != len(now):
        return f"it had returned {len(then)} memories, and asking again gives {len(now)}"
    return None
