"""One partition of a query host: what it was handed, folded in slices between which questions are answered."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress

from yggdrasil_infra.log import LogRecord, Receipt
from yggdrasil_infra.rocks.database import StorageDamagedError, StorageError
from yggdrasil_infra.running.turns import Turns
from yggdrasil_projections.graph.fold import Answer, known_answer
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.retrieval.errors import NotReadyError, NotYetError
from yggdrasil_projections.service.reads import Lag
from yggdrasil_schemas.errors import YggdrasilError

from ..folding import Folding
from ..hosted import SLICE_RECORDS_MAX, Hosted


class HostedPartition(Hosted):
    """Folds what it is given, on the host's own thread, and is read by others."""

    def __init__(
        self,
        projector: Projector,
        turns: Turns,
        operators: tuple[str, ...] | None = None,
        passed: Callable[[GraphStore], object] | None = None,
    ) -> None:
        super().__init__(projector, turns, passed)
        self._folding = Folding(projector, None if operators is None else frozenset(operators))

    @property
    def halted(self) -> str | None:
        """Why this partition folds no more until somebody has done what it says. It is still read."""
        return self._folding.halted

    def halt(self, why: str, cause: str) -> None:
        """Fold no more, and say why; the ``cause`` is for our own log."""
        self._folding.halt(why, cause)

    def fold(self, records: Sequence[LogRecord], beat: Callable[[], None]) -> None:
        """Fold ``records`` in slices, each durable before the next; ``beat`` is called after each.

        Nothing is published: refusals are the workers' business, and leave the outbox as they come. Raises what
        ``Folding.trust`` and ``Folding.apply`` raise.
        """
        self._folding.trust()
        at = 0
        while at < len(records) and self.halted is None:
            with self.folding() as enough:
                self._folding.apply(records[at : at + SLICE_RECORDS_MAX], enough)
                if self.store.outbox_depth:
                    self.store.drop_outbox_below(self.position)
            beat()
            position = self.position
            while at < len(records) and records[at].offset < position:
                at += 1

    def answer(self, memory: str, value: bytes, receipt: Receipt, deadline_s: float) -> Answer | None:
        """Return what the fold says of the command at ``receipt``; None when it is not folded within the deadline."""
        try:
            self.wait(receipt, deadline_s)
        except NotYetError:
            return None
        with self.reading(memory) as graph:
            return known_answer(graph, value, receipt.offset) if graph is not None else None

    def lag(self, reached: int, end: int) -> Lag:
        """Return how far this is, given what was read and where the log ended when it was last looked at."""
        position = max(self.position, reached)
        return Lag(self.number, position, max(position, end))

    def check_folding(self) -> None:
        """Raise NotReadyError, with the remedy, when what is appended would not be folded here."""
        self.check()
        if self.halted is not None:
            raise NotReadyError(self.halted)

    def let_go(self, why: StorageDamagedError) -> None:
        """Answer no more, and close the store as far as that can be done."""
        self.end(why)
        with self.turns.folding(), suppress(StorageError):
            self.close()

    def verify(self) -> None:
        """Raise LogMismatchError, with the remedy, when the log no longer holds what this store needs."""
        self._folding.verify()


def close_all(partitions: Sequence[HostedPartition], why: YggdrasilError, turns: Turns) -> None:
    """Answer no more, in any of ``partitions``, and close their stores; what fails to close keeps no other open."""
    for hosted in partitions:
        hosted.end(why)
    with turns.folding(), ExitStack() as closing:
        for hosted in partitions:
            closing.callback(hosted.close)
