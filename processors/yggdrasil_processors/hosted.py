"""One partition of a host that answers questions: its store, the view beside it, and whose turn it is."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from threading import Condition
from time import monotonic, perf_counter
from typing import Final

from yggdrasil_infra.log import NotFoldedError, Receipt
from yggdrasil_infra.rocks.database import FrozenView, StorageError
from yggdrasil_infra.running.turns import Turns
from yggdrasil_projections.graph.store.families import OF_GRAPHS
from yggdrasil_projections.graph.store.projector import Applied, Projector
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_projections.retrieval.errors import NotYetError
from yggdrasil_schemas.codec import named
from yggdrasil_schemas.errors import YggdrasilError

SLICE_S: Final = 0.002  # design, section 7: what a question may have to wait for
_COMMIT_SHARE: Final = 0.25  # of a slice goes into its commit
SLICE_RECORDS_MAX: Final = 128  # at 60 us each even a slice with arrears is over before that


@contextmanager
def once_in_the_log(commands: Sequence[bytes]) -> Generator[None]:
    """Let what is raised in here, when ``commands`` are durable, say so. A broken invariant stays what it is.

    Raises NotFoldedError.
    """
    try:
        yield
    except BrokenInvariantError:
        raise
    except YggdrasilError as error:
        raise NotFoldedError(str(error), [named(command)["command_id"] or "" for command in commands]) from error


class Hosted:
    """A partition that is folded and asked by threads of one process, which take ``turns``.

    All partitions of a host share their turns: Python runs one of its threads at a time anyway. ``passed`` is told of
    the store after each slice, in the fold's turn.
    """

    def __init__(
        self, projector: Projector, turns: Turns, passed: Callable[[GraphStore], object] | None = None
    ) -> None:
        self.number = projector.store.pin.partition
        self.store = projector.store
        self.projector = projector
        self.turns = turns
        self._moved = Condition()
        self._passed = passed
        self._waiting = 0
        self._ended: YggdrasilError | None = None

    @property
    def position(self) -> int:
        """The offset of the next record to fold."""
        return self.store.state.position

    @contextmanager
    def reading(self, memory: str) -> Generator[Graph | None]:
        """Hold a reader's turn with the graph of ``memory``, or with None when nothing of it has been folded.

        Raises what ``check`` raises: after a failed write the graphs hold what the store does not, and the slice that
        failed hands its turn to the readers that wait for it.
        """
        with self.turns.reading():
            self.check()
            graph = self.store.peek(memory)
            try:
                yield graph
            finally:
                if graph is not None:
                    self.store.release(memory)

    @contextmanager
    def frozen(self, memory: str) -> Generator[Graph | None]:
        """Yield the graph of ``memory`` as it stands, to be read outside of any turn: nobody waits for what takes long.

        It caches nothing for others, and costs some microseconds. None when nothing of it has been folded. Whoever
        reads when the store is closed hears why, as those do who wait.
        """
        with self.reading(memory) as graph:
            frozen = None if graph is None else self.store.frozen(memory, OF_GRAPHS)
        if frozen is None:
            yield None
            return
        with self.at_leisure(frozen.view):
            yield frozen.graph()

    @contextmanager
    def at_leisure(self, view: FrozenView) -> Generator[None]:
        """Close a view of the store in the end; whoever reads in it when the store is closed hears why."""
        try:
            yield
        except StorageError as error:
            if self._ended is not None:
                raise self._ended from error
            raise
        finally:
            view.close()

    @contextmanager
    def folding(self) -> Generator[Callable[[], bool]]:
        """Hold the fold's turn for one slice; yield whether it has had enough. Who waits is told that we moved on."""
        try:
            with self.turns.folding():
                until = perf_counter() + SLICE_S * (1.0 - _COMMIT_SHARE) + self.turns.owed_s()
                yield lambda: perf_counter() >= until
                if self._passed is not None:
                    self._passed(self.store)
        finally:  # after a failure, so that they hear of it
            if self._waiting:
                with self._moved:
                    self._moved.notify_all()

    def advance(self, *, sliced: bool = False) -> list[Applied]:
        """Fold what comes next in the log, and return it; none: caught up.

        That is one slice if ``sliced`` or when a reader has had to wait lately, and a batch as large as can be
        otherwise. Raises what ``Projector.advance`` raises.
        """
        with self.folding() as enough:
            if sliced or self.turns.wanted:
                return self.projector.advance(SLICE_RECORDS_MAX, enough)
            return self.projector.advance()

    def wait(self, after: Receipt, deadline_s: float) -> None:
        """Return once the record at ``after`` is folded.

        Raises NotYetError at the deadline, and why this partition folds no more if it does not.
        """
        until = monotonic() + deadline_s
        with self._moved:
            self._waiting += 1
            try:
                while self.position <= after.offset:
                    self.check_folding()
                    left = until - monotonic()
                    if left <= 0:
                        raise NotYetError(after, self.position)
                    self._moved.wait(left)
            finally:
                self._waiting -= 1

    def check(self) -> None:
        """Raise why nothing can be read here any more, if so: it was ended, or a fold or a write failed half way."""
        if self._ended is not None:
            raise self._ended
        self.store.check()

    def check_folding(self) -> None:
        """Raise why what is appended would not be folded here, if so."""
        self.check()

    def end(self, why: YggdrasilError) -> None:
        """Answer no more; whoever waits hears of it."""
        self._ended = why
        with self._moved:
            self._moved.notify_all()

    def close(self) -> None:
        """Finish the digests under way and close the store."""
        self.projector.close()
