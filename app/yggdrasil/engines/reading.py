"""Everything that a host with stores can be asked, whatever it folds from."""

from abc import abstractmethod
from collections.abc import Callable, Generator, Set
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Event
from time import monotonic
from typing import Final, TypeVar, cast

from yggdrasil_infra.log import CommandLog, Receipt
from yggdrasil_infra.rocks.database import StorageDamagedError
from yggdrasil_infra.running.turns import Turns
from yggdrasil_processors.hosted import Hosted
from yggdrasil_processors.past.beside import beside
from yggdrasil_processors.past.what_if import Reality
from yggdrasil_projections.graph.lensed import lensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.asks import Speaker
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownMemoryError
from yggdrasil_projections.retrieval.past.against_log import AgainstLog
from yggdrasil_projections.retrieval.past.forks import PRESENT, Forked, ForkLineage
from yggdrasil_projections.retrieval.past.moment import AsOf, BeingBuiltError, NoSuchMomentError, no_snapshot
from yggdrasil_projections.retrieval.past.otherwise import Differs, Otherwise, Voids
from yggdrasil_projections.retrieval.query import NOW, At, Query
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest
from yggdrasil_projections.service.moved import MovedAnswer, Place, Telling
from yggdrasil_projections.service.reads import Admit, Lag
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.graph.records import NodeKind, is_feature, node_number

from .appending import Appending
from .past import forks
from .past.attempts import Attempts
from .past.fallen import Fallen, Quarantines
from .past.jobs import Progress
from .past.kept import Pasts
from .past.standing import NOTHING, Stood, Withheld
from .past.verifying import verified
from .source import Held, Keeper, answered

_ATTESTED_S: Final = 120.0  # the digest of the largest memory takes a few seconds
_LOOK_S: Final = 0.01
_NAMES: Final = 1_024  # a turn's worth: half a millisecond
_WAIT: Final = Event()  # never set
_DAMAGED_MAX: Final = 64  # as many rungs may be damaged, and a past is begun from the next
T = TypeVar("T")


class Reading(Appending, Keeper):
    """A host of partitions that are folded and asked in this process. Everything here may be called by any thread.

    What it needs of a host is below, and in ``Appending``; what it offers are the ports ``Reads`` and ``Appends``, and
    ``attested``. What names a memory raises UnknownMemoryError.
    """

    turns: Turns
    pasts: Pasts
    """Memories as they stood."""
    attempts: Attempts
    """Forks that were begun here and have not ended."""
    quarantines: Quarantines
    """What is in quarantine of memories as they stand."""

    # What a host provides

    @abstractmethod
    def all_hosted(self) -> list[Hosted]:
        """Return all partitions of this host."""

    @abstractmethod
    def lags(self) -> list[Lag]:
        """Return how far every partition of this host is."""

    @abstractmethod
    def copying(self, memory: str) -> AbstractContextManager[CommandLog]:
        """Open the log for appending what was accepted of another memory to ``memory``.

        Raises NotHereError, NotReadyError, DiskFullError and LogError where nothing is to be appended.
        """

    @abstractmethod
    def fold_all(self, memory: str) -> None:
        """Return once ``memory`` has folded what the log holds of it now. Raises NotYetError and NotReadyError."""

    # What can be asked

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once ``memory`` has folded the record at ``after``.

        Raises NotYetError at the deadline, and InvalidAskError for a record in another partition than the memory's.
        """
        hosted = self.hosted(memory)
        if hosted.number != after.partition:
            raise InvalidAskError(f"{memory} is in partition {hosted.number}, and the receipt is of {after.partition}")
        hosted.wait(after, deadline_s)

    def ask(self, memory: str, query: Query[T], by: Speaker | None = None, at: At = NOW) -> T:
        """Answer a query, once the memory stands where it is to; record it on behalf of ``by`` where it says so.

        Raises NotYetError, UnknownMemoryError, and what the query's row names; then nothing is recorded.
        """
        if at.after is not None:
            self.wait(memory, at.after, at.deadline_s)
        if at.as_of is not None:
            return self._ask_past(memory, query, at.as_of, at)
        pasts = PastsSeen(self, memory, at)
        answer, source = answered(query, self.view, lambda: Held(self, memory, at.trust_min, pasts=pasts))
        if by is None or source.seen is None:
            return answer
        from .recalls import recorded  # of all that can be asked, which whoever only appends or counts does not need

        asked = cast("Query[T]", source.asked or query)
        return recorded(self.submit_recall, memory, asked, answer, by, source.seen)

    def stand(
        self, memory: str, as_of: AsOf, deadline_s: float | None = None, progress: Progress | None = None
    ) -> None:
        """Return once ``memory`` as of a moment is at hand for those who ask; ``progress`` is told of records read.

        Raises BeingBuiltError at the deadline, NoSuchMomentError, and UnknownMemoryError.
        """
        as_of = self.resolved(memory, as_of)
        until = None if deadline_s is None else monotonic() + deadline_s
        with self.pasts.standing(memory, as_of, deadline_s, progress) as stood:
            left = None if until is None else max(0.0, until - monotonic())
            with self._as_today(stood, as_of, left):  # nearly all who ask see it so
                pass

    def suppose(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf | None = None,
        deadline_s: float | None = None,
        progress: Progress | None = None,
        trust_min: int = 0,
    ) -> tuple[AsOf, Voids]:
        """Build ``memory`` as it would stand if something were ``otherwise``; return of which moment, and what is void.

        Without ``as_of`` it is the present. What is trusted less than ``trust_min`` is counted, and not listed. Raises
        InvalidAskError for what cannot be supposed, NoSuchMomentError, NotReadyError where the host is behind,
        BeingBuiltError at the deadline, while the building goes on, and UnknownMemoryError.
        """
        if not self.knows(memory):
            raise UnknownMemoryError(memory, self.where)
        if as_of is None:
            hosted = self.hosted(memory)
            as_of = AsOf(receipt=Receipt(hosted.number, hosted.position - 1))
        as_of = self.resolved(memory, as_of)
        until = None if deadline_s is None else monotonic() + deadline_s
        with self.pasts.standing(memory, as_of, deadline_s, progress, otherwise) as stood:
            voids = stood.voids.seen(trust_min)
        if trust_min:  # what a lens hides there is what it hides in reality, which is asked beside it
            with self.pasts.standing(memory, as_of, None if until is None else max(0.0, until - monotonic()), progress):
                pass
        return as_of, voids

    def differs(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf,
        deadline_s: float | None = None,
        trust_min: int = 0,
    ) -> Differs:
        """Return how the graph of a history that never was differs from that of reality at the same moment.

        What is trusted less than ``trust_min`` is in none of it, but for the counts of edges.
        """
        with ExitStack() as opening:
            other = opening.enter_context(self.pasts.standing(memory, as_of, deadline_s, None, otherwise))
            would_be = opening.enter_context(other.hosted(memory).frozen(memory))
            was = opening.enter_context(self.hosted(memory).frozen(memory))
            if was is not None and was.header.seq != other.reached.seq:  # it has moved on since
                real = opening.enter_context(self.pasts.standing(memory, as_of, deadline_s))
                was = opening.enter_context(real.hosted(memory).frozen(memory))
            if was is None or would_be is None:
                raise UnknownMemoryError(memory, self.where)
            hidden = other.numbers_of(self._hidden_in_reality(memory, as_of, trust_min, deadline_s))
            return beside(lensed(was, trust_min), lensed(would_be, trust_min, hidden))

    def fork(
        self,
        memory: str,
        moment: AsOf,
        name: str,
        *,
        quarantined: bool = False,
        progress: Progress | None = None,
        admit: Admit | None = None,
    ) -> Forked:
        """Make the fork ``name`` of ``memory`` as it stood at ``moment``, fold it, and return it; see ``Reads``."""
        return forks.forked(self, memory, moment, name, quarantined=quarantined, progress=progress, admit=admit)

    def lineage_of_fork(self, memory: str, progress: Progress | None = None) -> ForkLineage:
        """Return where a fork comes from. Raises InvalidAskError for what is none, and UnknownMemoryError."""
        return forks.lineage_of(self, memory, progress)

    def compare(self, memory: str, other: str, trust_min: int = 0, progress: Progress | None = None) -> Differs:
        """Return how the graph of ``other`` differs from that of ``memory``, which have gone on from one memory.

        What is trusted less than ``trust_min`` is in none of it, but for the counts of edges. Raises InvalidAskError
        where they have not, and UnknownMemoryError.
        """
        return forks.compared(self, memory, other, trust_min, progress)

    def verify_against_log(self, memory: str, progress: Progress | None = None) -> AgainstLog:
        """Fold ``memory`` anew from its log, up to where it stands, and compare both record by record."""
        return verified(self, memory, progress)

    @contextmanager
    def reality_of(self, memory: str) -> Generator[Reality]:
        """Open what became of the commands of a memory, as far as they are folded here. Raises UnknownMemoryError."""
        hosted = self.hosted(memory)
        position = hosted.position  # first: what is opened then has folded all below it
        with hosted.frozen(memory) as graph:
            if graph is None:
                raise UnknownMemoryError(memory, self.where)
            yield Reality(graph.identity, position)

    def memories(self, tenant: str | None = None) -> list[str]:
        """Return the ids of all memories, or of one tenant's, sorted."""
        found: list[str] = []
        prefix = "" if tenant is None else f"{tenant}/"
        for hosted in self.all_hosted():
            after: str | None = ""
            while after is not None:  # in turns, between which the fold has its own
                with hosted.turns.reading():
                    hosted.check()
                    page = [name for name, _ in hosted.store.seqs(prefix, after, _NAMES)]
                found += page
                after = page[-1] if len(page) == _NAMES else None
        return sorted(found)

    def moved(
        self, since: str | None, prefix: str, count: int, opens: Callable[[str], bool] | None = None
    ) -> MovedAnswer:
        """Return memories that have moved since the ``place`` of an earlier answer; see ``Reads``."""
        telling = Telling(Place.of(since), prefix, count, opens)
        for hosted in sorted(self.all_hosted(), key=lambda each: telling.turns(each.number)):
            goes_on = True
            while goes_on:  # in turns, between which the fold has its own
                with hosted.turns.reading():
                    hosted.check()
                    goes_on = telling.tell(hosted.number, hosted.position, hosted.store)
        return MovedAnswer(telling.moved, telling.place.written, telling.more)

    def knows(self, memory: str) -> bool:
        """Return whether anything of ``memory`` has been folded."""
        with self.hosted(memory).reading(memory) as graph:
            return graph is not None

    def memories_asked(self) -> list[str]:
        """Return the memories whose indexes are held: those that were asked lately."""
        with self.turns.reading():
            return self.view.memories

    def attested(self, memory: str, seq: int) -> str:
        """Return the digest that the ``attest`` at ``seq`` asked for, waiting until it is there."""
        hosted = self.hosted(memory)
        until = monotonic() + _ATTESTED_S
        while True:
            settled = hosted.projector.attestations_settled
            with self.reading_of(memory):
                kept = hosted.store.attestations(memory)
            if seq in kept:
                return kept[seq]
            if settled or monotonic() > until:
                raise YggdrasilError(
                    f"{memory}: the digest at seq {seq} was lost when the process ended; `yggdrasil replay` finds it"
                )
            _WAIT.wait(_LOOK_S)

    def _ask_past(self, memory: str, query: Query[T], as_of: AsOf, at: At) -> T:
        """Answer a query of the past, and record nothing; what is in quarantine today is withheld."""
        tries = _DAMAGED_MAX
        while True:
            with self.past_seen(memory, as_of, at, whole=isinstance(query, AskDigest)) as (stood, withheld):
                hidden = self.hidden_there(memory, at)
                try:
                    return stood.ask(query, as_of, at, withheld, PastsSeen(self, memory, at), hidden)
                except StorageDamagedError as error:  # it is built anew, without what was damaged
                    self.pasts.removed(stood, error)
                    tries -= 1
                    if not tries:
                        raise

    @contextmanager
    def past_seen(self, memory: str, as_of: AsOf, at: At, *, whole: bool = False) -> Generator[tuple[Stood, Withheld]]:
        """Hold a memory as it stood at a moment, and what is withheld of it, unless ``at`` says that all is shown.

        What is in quarantine today is so there too, as if somebody had just said so, unless it is asked for ``whole``.
        Raises as ``stood`` does.
        """
        as_of = self.resolved(memory, as_of)  # a snapshot names a moment of the memory, and not of what is built
        with self.pasts.standing(memory, as_of, at.deadline_s, None, at.otherwise) as stood:
            if at.quarantined:
                yield stood, NOTHING
            elif whole:
                yield stood, stood.withheld(self.fallen_today(memory, as_of, at.deadline_s))
            else:
                with self._as_today(stood, as_of, at.deadline_s) as (seen, withheld):
                    yield seen, withheld

    @contextmanager
    def _as_today(self, stood: Stood, as_of: AsOf, deadline_s: float | None) -> Generator[tuple[Stood, Withheld]]:
        """Hold what stood as if what is in quarantine today had been so then, and what that is."""
        until = None if deadline_s is None else monotonic() + deadline_s
        withheld = stood.withheld(self.fallen_today(stood.memory, as_of, deadline_s))
        if not withheld.total:
            yield stood, withheld
            return
        otherwise = Otherwise(quarantined=withheld.nodes, taken_out=withheld.acts)
        left = None if until is None else max(0.0, until - monotonic())
        with self.pasts.standing(stood.memory, as_of, left, None, otherwise) as seen:
            yield seen, withheld

    @contextmanager
    def stood(self, memory: str, as_of: AsOf, at: At) -> Generator[Stood]:
        """Hold a memory as it stood at a moment. Raises UnknownMemoryError, and as ``stand`` does."""
        with self.pasts.standing(memory, self.resolved(memory, as_of), at.deadline_s, None, at.otherwise) as stood:
            yield stood

    def hidden_there(self, memory: str, at: At) -> Set[int | str]:
        """Return what a lens hides in reality, where it looks into a history that never was.

        There the same may be trusted more, since what it was trusted less for never happened.
        """
        if at.otherwise is None or at.as_of is None:
            return frozenset()
        return self._hidden_in_reality(memory, at.as_of, at.trust_min, at.deadline_s)

    def _hidden_in_reality(self, memory: str, as_of: AsOf, trust_min: int, deadline_s: float | None) -> Set[int | str]:
        """Return the nodes that are trusted less as the memory stands, and those that were at a moment.

        They are given by number, features by name, and commands that made no node as ``Lensed`` has them. What was
        there then may be forgotten today.
        """
        if not trust_min:
            return frozenset()
        with (
            self.pasts.standing(memory, self.resolved(memory, as_of), deadline_s) as stood,
            stood.hosted(memory).frozen(memory) as then,
            self.hosted(memory).frozen(memory) as now,
        ):
            return {each for graph in (then, now) if graph is not None for each in _less_trusted(graph, trust_min)}

    def fallen_today(self, memory: str, as_of: AsOf | None = None, deadline_s: float | None = None) -> Fallen:
        """Return which nodes of a memory are in quarantine as it stands, and its seq.

        The verdicts in its partition are read for that. Where it takes longer than ``deadline_s``, BeingBuiltError is
        raised, of the moment that was asked for; whoever asks again goes on from there.
        """
        until = None if deadline_s is None else monotonic() + deadline_s

        def look(done: int, total: int) -> None:
            if until is not None and monotonic() >= until:
                raise BeingBuiltError(memory, PRESENT if as_of is None else as_of.written, done, total)

        return self.quarantines.of(self.records, self.hosted(memory), memory, look)

    def resolved(self, memory: str, as_of: AsOf) -> AsOf:
        """Return a moment, of a snapshot its seq: it is looked for in the memory as it stands.

        Raises UnknownMemoryError, and NoSuchMomentError for a snapshot that it does not have, or a seq that has not
        happened: nothing is built for it.
        """
        with self.reading_of(memory) as (graph, _):
            seq = graph.header.seq
            snapshots = {} if as_of.snapshot is None else graph.snapshots
        if as_of.snapshot is not None:
            if as_of.snapshot not in snapshots:
                raise NoSuchMomentError(memory, no_snapshot(as_of.snapshot, snapshots))
            return AsOf(seq=snapshots[as_of.snapshot])
        if as_of.seq is not None and as_of.seq > seq:
            raise NoSuchMomentError(memory, f"it stands at seq {seq}; seq {as_of.seq} has not happened yet")
        return as_of


def _less_trusted(graph: Graph, trust_min: int) -> set[int | str]:
    table = graph.node_table()
    numbers: list[int] = table.keys[table.rows["trust"] < trust_min].tolist()
    less: set[int | str] = {graph.feature_name(each) if is_feature(each) else each for each in numbers}
    seqs = graph.source.acts_below(trust_min)
    seqs += [seq for seq, recall in graph.recalls.items() if recall.trust < trust_min]
    claims: list[int] = table.keys[table.rows["kind"] == NodeKind.CLAIM].tolist()
    for number in claims:
        claim = graph.claim(graph.expect(number))
        seqs += [line.seq for line in claim.lines if line.trust < trust_min] if claim is not None else []
    return less.union(node_number(seq) for seq in seqs)


class PastsSeen:
    """The pasts of a memory, seen ``at`` some way: what is in quarantine today is withheld as that says."""

    def __init__(self, host: Reading, memory: str, at: At) -> None:
        self._host = host
        self._memory = memory
        self._at = at

    @contextmanager
    def standing(self, as_of: AsOf) -> Generator[Held]:
        """Hold the memory as it stood at a moment."""
        with self._host.past_seen(self._memory, as_of, self._at) as (stood, withheld):
            hidden = self._host.hidden_there(self._memory, self._at)
            yield stood.held(as_of, self._at, withheld, None, hidden)

    def in_quarantine(self) -> Set[int]:
        """Return the nodes that are in quarantine today, unless an auditor asks for them."""
        return (
            frozenset() if self._at.quarantined else self._host.fallen_today(self._memory, None, self._at.deadline_s)[1]
        )
