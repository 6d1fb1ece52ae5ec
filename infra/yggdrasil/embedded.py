"""The whole system in one process: the local log, the fold, the stores and retrieval, wired together.

One directory holds ``log/`` (the truth) and ``graph/NNNN/`` (one store per partition, rebuilt from the log whenever it
is missing). One process writes; others may read the log beside it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Final, Self

from yggdrasil_infra.local_log import LocalLog
from yggdrasil_infra.log import Receipt
from yggdrasil_infra.rocks import MemoryBudget
from yggdrasil_producers.draft import Draft
from yggdrasil_projections.graph.fold import Answer, known_answer
from yggdrasil_projections.graph.projector import Applied, Projector
from yggdrasil_projections.graph.store import GraphStore, Pin
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.context import search_context
from yggdrasil_projections.retrieval.explain import Explanation, explain
from yggdrasil_projections.retrieval.view import RetrievalView
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.partitions import partition_for

_APPEND_CHUNK: Final = 500  # one synced write and one fold batch per chunk


class UnknownMemoryError(YggdrasilError):
    """No command of this memory has been folded."""


class LogElsewhereError(YggdrasilError):
    """A directory holds stores and no log: a worker's, for one, whose log is on Kafka."""


class Embedded:
    """A log and its graphs in one directory. Safe to use from several threads; a context manager."""

    def __init__(self, path: Path, *, partitions: int | None = None) -> None:
        """Open or create the directory; stores are opened, verified and caught up when they are first used.

        ``partitions`` is fixed when the directory is made (4 unless given); afterwards it may be left out.

        Raises LogElsewhereError for the directory of a worker, LogInUseError when another process writes here, and
        LogError, StorageError or StoreError with the remedy in the message.
        """
        check_own_log(path)
        self.path = path
        self._budget = MemoryBudget.of()
        self._lock = RLock()  # the stores and the indexes; appends go before it, so that they share a sync
        self._projectors: dict[int, Projector] = {}
        self._view = RetrievalView(path / "views")
        self.log = LocalLog.create_or_open(path / "log", partitions, self._budget)

    def submit(self, draft: Draft) -> Answer:
        """Append a command, fold up to it, and return what the fold said of it."""
        self._check(self.partition(draft.memory))
        receipt = self.log.append(draft.key, draft.value)
        with self._lock:
            return self._fold_to([receipt]).get(receipt) or self._known(draft, receipt)

    def submit_many(self, drafts: Iterable[Draft]) -> Iterator[tuple[Draft, Answer]]:
        """Append and fold commands chunk by chunk; yield each with its answer, in order.

        What has been answered before is answered again and not appended, so an import may be repeated at no cost.
        """
        drafts = iter(drafts)
        while chunk := list(islice(drafts, _APPEND_CHUNK)):
            for partition in {self.partition(draft.memory) for draft in chunk}:
                self._check(partition)
            with self._lock:
                graphs = {memory: self._graph(memory) for memory in {draft.memory for draft in chunk}}
                known = {
                    at: answer for at, draft in enumerate(chunk) if (answer := _answered(graphs[draft.memory], draft))
                }
            new = [draft for at, draft in enumerate(chunk) if at not in known]
            receipts = self.log.append_many((draft.key, draft.value) for draft in new)
            with self._lock:
                answers = self._fold_to(receipts)
                placed = zip(new, receipts, strict=True)
                fresh = iter([answers.get(receipt) or self._known(draft, receipt) for draft, receipt in placed])
            yield from ((draft, known.get(at) or next(fresh)) for at, draft in enumerate(chunk))

    def behind(self) -> int:
        """Return how many records the log holds beyond the stores."""
        with self._lock:
            positions = [self._projector(partition).store.state.position for partition in range(self.log.partitions)]
            return sum(self.log.end_offset(partition) - at for partition, at in enumerate(positions))

    def catch_up(self, progress: Callable[[int], object] | None = None) -> int:
        """Fold everything that the log holds beyond the stores; return how many records.

        ``progress`` is called with the number of records of each batch.
        """
        folded = 0
        with self._lock:
            for partition in range(self.log.partitions):
                for batch in self._batches(partition):
                    folded += len(batch)
                    if progress:
                        progress(len(batch))
        return folded

    def context(self, memory: str, query: str, k: int) -> Context:
        """Search ``memory``; nothing is recorded by this. An unknown memory has no context."""
        with self._lock:
            graph = self._graph(memory)
            if graph is None:
                return Context(query, [], 0)
            partition = self.partition(memory)
            context = search_context(graph, self._view.index(graph), Ask(memory, query, k), partition)
            self.store(partition).release(memory)
            return context

    def explain(self, memory: str, action: str) -> Explanation:
        """Return the lineage of an action. Raises UnknownMemoryError or UnknownActionError."""
        with self._lock:
            partition = self.partition(memory)
            explanation = explain(self.graph(memory), self.log, partition, action)
            self.store(partition).release(memory)
            return explanation

    def digest(self, memory: str) -> str:
        """Return the state digest of ``memory`` as it stands. Raises UnknownMemoryError."""
        with self._lock:
            self.graph(memory)
            return self.store(self.partition(memory)).digest(memory)

    def attested(self, memory: str, seq: int) -> str:
        """Return the digest that the ``attest`` at ``seq`` asked for, waiting until it is there."""
        with self._lock:
            projector = self._projector(self.partition(memory))
            projector.settle_attestations()
            kept = projector.store.attestations(memory)
            if seq not in kept:
                raise YggdrasilError(
                    f"{memory}: the digest at seq {seq} was lost when the process ended; `yggdrasil replay` finds it"
                )
            return kept[seq]

    def graph(self, memory: str) -> Graph:
        """Return the graph of ``memory`` for reading under ``lock``. Raises UnknownMemoryError."""
        graph = self._graph(memory)
        if graph is None:
            raise UnknownMemoryError(
                f"{memory}: nothing has been recorded for this memory in {self.path}; check its name. "
                "`yggdrasil stats` lists the memories that are there."
            )
        return graph

    def memories(self) -> list[str]:
        """Return the ids of all memories, sorted."""
        with self._lock:
            found = [name for partition in range(self.log.partitions) for name in self.store(partition).memories()]
        return sorted(found)

    def store(self, partition: int) -> GraphStore:
        """Return the store of ``partition``, caught up with the log."""
        with self._lock:
            projector = self._projector(partition)
            projector.catch_up()
            return projector.store

    def partition(self, memory: str) -> int:
        """Return the partition of ``memory``."""
        return partition_for(memory.encode(), self.log.partitions)

    def close(self) -> None:
        """Close the stores, then the log. Closing twice is allowed."""
        with self._lock, ExitStack() as closing:  # what fails to close does not keep the rest open
            closing.callback(self.log.close)
            closing.callback(self._view.close)
            for projector in self._projectors.values():
                closing.callback(projector.close)
            self._projectors.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self, partition: int) -> None:
        """Raise before anything is appended that could not be folded: the log may be another one, or a write failed.

        A failed write in any partition stops them all, as it would end a process of our own; a version that one
        partition does not know stops that one alone.
        """
        if partition not in self._projectors:
            with self._lock:
                self._projector(partition)
        self._projectors[partition].check()
        for projector in list(self._projectors.values()):  # a copy, since no lock is taken: appends share a sync
            projector.store.check()

    def _graph(self, memory: str) -> Graph | None:
        return self.store(self.partition(memory)).peek(memory)

    def _projector(self, partition: int) -> Projector:
        projector = self._projectors.get(partition)
        if projector is None:
            pin = Pin(self.log.topic_id, self.log.partitions, partition)
            store = GraphStore(self.path / "graph" / f"{partition:04d}", pin, self._budget, observer=self._view)
            try:
                projector = Projector(self.log, store)
            except BaseException:
                store.close()
                raise
            self._projectors[partition] = projector
        return projector

    def _batches(self, partition: int) -> Iterator[list[Applied]]:
        projector = self._projector(partition)
        while batch := projector.advance():
            yield batch

    def _fold_to(self, receipts: Sequence[Receipt]) -> dict[Receipt, Answer]:
        """Fold the partitions of ``receipts``; return the answers to those records that this call has folded.

        Nothing else is kept: a store that is rebuilt has the whole log to fold.
        """
        wanted = set(receipts)
        answers: dict[Receipt, Answer] = {}
        for partition in {receipt.partition for receipt in receipts}:
            for batch in self._batches(partition):
                for record, answer in batch:
                    receipt = Receipt(record.partition, record.offset)
                    if receipt in wanted:
                        answers[receipt] = answer
        return answers

    def _known(self, draft: Draft, receipt: Receipt) -> Answer:
        """Return the answer to a command that another thread has folded."""
        answer = known_answer(self.graph(draft.memory), draft.value, receipt.offset)
        if answer is None:
            raise BrokenInvariantError(f"{draft.memory}: command {draft.id} is in the log and was not folded")
        return answer


def _answered(graph: Graph | None, draft: Draft) -> Answer | None:
    """Return the answer to a command that was folded before, or None."""
    answer = known_answer(graph, draft.value) if graph else None
    return answer if answer and answer.duplicate else None


def check_own_log(path: Path) -> None:
    """Raise LogElsewhereError when ``path`` holds what a worker leaves there, and no log; nothing is made there.

    A log beside a worker's stores would be another one than they were folded from, and the worker would refuse both.
    """
    if (path / "log").is_dir():
        return
    stores = path / "graph"
    if (path / "worker.lock").exists() or (stores.is_dir() and any(stores.iterdir())):
        raise LogElsewhereError(
            f"{path} holds a worker's stores, and their log is on Kafka; name another directory, or see "
            "`yggdrasil replay --kafka`"
        )
