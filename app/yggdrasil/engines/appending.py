"""Everything that a host with stores can be told: commands, one by one and many at once, and what became of them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

import orjson

from yggdrasil_infra.log import LogReader, OffsetOutOfRangeError, Receipt
from yggdrasil_processors.hosted import Hosted
from yggdrasil_producers.draft import Draft
from yggdrasil_producers.gateway.appends import Appended, Said
from yggdrasil_projections.graph.fold import Answer, known_answer
from yggdrasil_projections.retrieval.errors import NotYetError
from yggdrasil_projections.retrieval.reads.experience.described import became
from yggdrasil_schemas.graph.records import node_number
from yggdrasil_schemas.ids import id_bytes

_AHEAD: Final = 64  # records of one read: what is sent again often stood together
APPEND_CHUNK: Final = 500
"""Commands that one durable write and one batch of the fold share."""
SUBMIT_S: Final = 30.0
"""How long a command may take to be folded once it is in the log."""


class Placed(NamedTuple):
    """Where a command stands in the log, and what the fold said of it; None while that is not known."""

    receipt: Receipt
    answer: Answer | None


class Appending(ABC):
    """A host of partitions that are folded in this process. Everything here may be called by any thread.

    What it needs of a host is below; what it offers is the port ``Appends``, and what the facade submits.
    """

    # What a host provides

    @abstractmethod
    def place(self, drafts: Sequence[Draft], deadline_s: float | None) -> list[Placed]:
        """Append commands in order, and return where each stands and what the fold said of it.

        What is not folded within ``deadline_s`` has no answer; with None nothing is waited for. Raises LogError when
        something was not acknowledged; all of it may be sent again.
        """

    @abstractmethod
    def hosted(self, memory: str) -> Hosted:
        """Return the partition of ``memory``, as far as it is folded. Raises NotHereError and NotReadyError."""

    @property
    @abstractmethod
    def records(self) -> LogReader:
        """The log, for reading what the stores do not keep."""

    # What it can be told

    def submit(self, draft: Draft) -> Answer:
        """Append a command, fold up to it, and return what the fold said of it.

        Raises LogError; when it is in the log, NotYetError if it was not folded within 30 s, and NotFoldedError if its
        store failed.
        """
        receipt, answer = self.place([draft], SUBMIT_S)[0]
        if answer is None:
            raise NotYetError(receipt, self.hosted(draft.memory).position)
        return answer

    def submit_recall(self, draft: Draft) -> Answer:
        """Append the record of a reading, whose answer waits for it; as ``submit``."""
        return self.submit(draft)

    def submit_many(self, drafts: Iterable[Draft], *, texts_first: bool = False) -> Iterator[tuple[Draft, Answer]]:
        """Append and fold commands chunk by chunk; yield each with its answer, in order. Raises as ``submit`` does."""
        drafts = iter(drafts)
        while chunk := list(islice(drafts, APPEND_CHUNK)):
            for draft, (receipt, answer) in zip(chunk, self.place(chunk, SUBMIT_S), strict=True):
                if answer is None:
                    raise NotYetError(receipt, self.hosted(draft.memory).position)
                yield draft, answer

    def append(self, draft: Draft, deadline_s: float | None) -> Appended:
        """Append one command and return once it is durable, and folded unless the deadline comes first; None: durable.

        Raises LogError when it may not be in the log; the same command may be sent again.
        """
        return self.append_many([draft], deadline_s)[0]

    def append_many(self, drafts: Sequence[Draft], deadline_s: float | None) -> list[Appended]:
        """Append commands of one memory in order, and return as ``append`` does, once for each."""
        placed = self.place(drafts, deadline_s)
        if all(answer is None for _, answer in placed):
            return [Appended(receipt, None) for receipt, _ in placed]
        with self.hosted(drafts[0].memory).reading(drafts[0].memory) as graph:
            as_of = graph.header.seq if graph is not None else 0
        return [Appended(receipt, answer and _said(answer, as_of)) for receipt, answer in placed]

    def recorded(self, drafts: Sequence[Draft]) -> dict[str, bytes]:
        """Return the records of those commands, of one memory, whose ids it knows, by id, as far as they are kept.

        Raises LogError.
        """
        memory = drafts[0].memory
        hosted = self.hosted(memory)
        found: dict[str, bytes] = {}
        others: dict[int, str] = {}  # by offset: what has the same id and is not the same
        with hosted.reading(memory) as graph:
            for draft in drafts:
                known = None if graph is None else became(graph, draft.id, hosted.number)
                if graph is None or known is None:
                    continue
                answer = known_answer(graph, draft.value)
                if answer is not None and answer.duplicate:
                    found[draft.id] = draft.value
                else:
                    others[known.place.offset] = draft.id
        return found | self._at(hosted.number, others)

    def writers(self, memory: str, command_ids: Sequence[str]) -> dict[str, str]:
        """Return the process of each record of those ids that the memory has folded, by id. Raises LogError."""
        hosted = self.hosted(memory)
        found: dict[str, bytes] = {}
        others: dict[int, str] = {}  # by offset: of what the graph keeps no record
        with hosted.reading(memory) as graph:
            if graph is None:
                return {}
            for command_id in command_ids:
                known = graph.identity(id_bytes(command_id))
                if known is None:
                    continue
                record = None if known.result else graph.content(node_number(known.seq))
                if record is None or not graph.folded(known.seq, record):
                    others[known.offset] = command_id
                else:
                    found[command_id] = record
        found |= self._at(hosted.number, others)
        return {command_id: orjson.loads(record)["process"] for command_id, record in found.items()}

    def _at(self, partition: int, wanted: dict[int, str]) -> dict[str, bytes]:
        """Return the records at the offsets in ``wanted``, which is used up, by what stands there; as far as kept."""
        found: dict[str, bytes] = {}
        while wanted:
            first = min(wanted)
            command_id = wanted.pop(first)
            try:
                records = self.records.read(partition, first, _AHEAD)
            except OffsetOutOfRangeError:
                continue
            for record in records:
                each = command_id if record.offset == first else wanted.pop(record.offset, None)
                if each is not None and record.value is not None:
                    found[each] = record.value
        return found


def _said(answer: Answer, as_of: int) -> Said:
    refused = answer.refused
    if refused is None:
        return Said(True, answer.seq, None, None, as_of, answer.duplicate)
    detail = ". ".join(filter(None, (refused.detail, refused.reason.sentence)))
    return Said(False, 0, refused.reason.code, detail, as_of, answer.duplicate)
