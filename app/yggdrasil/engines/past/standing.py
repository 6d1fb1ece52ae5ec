"""One memory as it stood at a moment: a store and an index of its own, which nothing is ever told."""

from collections.abc import Set
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from stat import S_ISREG
from typing import Any, Final, NamedTuple, TypeVar, cast

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.log import LogReader
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_infra.running.turns import Turns
from yggdrasil_processors.hosted import Hosted
from yggdrasil_processors.past.building import Built, Reached
from yggdrasil_processors.past.ladder import Rung
from yggdrasil_processors.past.what_if import Extended
from yggdrasil_projections.graph.laws.reference import accepted
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.found import OfAMoment
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.past.otherwise import Otherwise, Voids
from yggdrasil_projections.retrieval.query import At, Query
from yggdrasil_projections.retrieval.ranking.own.ranker import OwnRanker
from yggdrasil_schemas.graph.records import Status, is_feature, node_number

from ..source import Held, Keeper, PastsOf, answered
from .fallen import Fallen, Quarantines

_RECORD_BYTES: Final = 400  # of the cache, for a record and what Python keeps it in
T = TypeVar("T")


class Withheld(NamedTuple):
    """What is in quarantine today of a past in which it was not: nodes, and commands of which what they did is.

    ``numbers`` are what is not shown of it: these nodes, the features that only they have, and the commands that made
    none, by the numbers that their nodes would have: of these nothing is told either.
    """

    nodes: tuple[int, ...] = ()
    acts: tuple[str, ...] = ()
    numbers: Set[int] = frozenset()

    @property
    def total(self) -> int:
        """How much is withheld."""
        return len(self.nodes) + len(self.acts)


NOTHING: Final = Withheld()


class Stood(Keeper):
    """A memory as it stood. For any thread; whoever holds it closes it, which removes its files."""

    def __init__(
        self,
        built: Built,
        log: LogReader,
        path: Path,
        *,
        rung: Rung | None = None,
        ranker: OwnRanker | None = None,
        otherwise: Otherwise | None = None,
    ) -> None:
        """Take over what was built at ``path`` from ``log``, begun from ``rung`` if it was.

        ``ranker`` is that of somebody else's, if the host has one. It is of the history in which something was
        ``otherwise``, if that is given.
        """
        self.rung = rung
        self.memory = built.memory
        self.reached: Reached = built.reached
        self.otherwise = otherwise
        self.voids = built.voids or Voids()
        self.view = RetrievalView(None)
        self.ranker = ranker
        self.leases = 0
        self._path = path
        self._hosted = Hosted(built.projector, Turns())
        self._log = Extended(log, self._hosted.number, built.reached.end, built.more)
        self._disk_bytes = _bytes_in(path)
        self._fell = -1, NOTHING

    def hosted(self, memory: str) -> Hosted:
        """Return the partition, in which nothing is but this memory."""
        return self._hosted

    @property
    def records(self) -> LogReader:
        """The log, as far as it went then."""
        return self._log

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes, on the disk and in memory."""
        return self._disk_bytes + self.view.nbytes + self._hosted.store.cached_records * _RECORD_BYTES

    def ask(
        self,
        query: Query[T],
        as_of: AsOf,
        at: At,
        withheld: Withheld,
        pasts: PastsOf | None = None,
        hidden: Set[int | str] = frozenset(),
    ) -> T:
        """Answer a query as of then, without what is ``withheld``.

        ``pasts`` leads to other moments. What is ``hidden``, by number or as a feature by its name, is not shown, and
        not counted. Raises what the query's row names.
        """
        answer, held = answered(query, self.view, lambda: self.held(as_of, at, withheld, pasts, hidden))
        of_then = cast("OfAMoment", answer)
        count = max(of_then.withheld, withheld.total)  # a comparison withholds what it does at both moments
        return cast("T", replace(of_then, past=True, past_ms=held.now_ms(), withheld=count))

    def held(
        self,
        as_of: AsOf,
        at: At,
        withheld: Withheld,
        pasts: PastsOf | None = None,
        hidden: Set[int | str] = frozenset(),
    ) -> Held:
        """Return it as a read of that moment sees it, without what is ``withheld`` or ``hidden``."""
        # A record may bear a time that has not come yet, and nobody can be asked what holds then.
        ms = min(max(0, self.reached.ms), now_ms()) if as_of.ms is None else as_of.ms
        return Held(self, self.memory, at.trust_min, ms, withheld.numbers | self.numbers_of(hidden), pasts)

    def numbers_of(self, hidden: Set[int | str]) -> Set[int]:
        """Return the numbers of nodes here, of which features are given by their names."""
        if not hidden:
            return frozenset()
        with self._hosted.reading(self.memory) as graph:
            if graph is None:
                return frozenset()
            numbers = [graph.feature(each) if isinstance(each, str) else each for each in hidden]
        return frozenset(each for each in numbers if each is not None)

    def copy_to(self, path: Path) -> Reached:
        """Make the directory ``path`` a store as this one, to be folded on; return how far it is."""
        with self._hosted.turns.reading():
            self._hosted.store.write_checkpoint(path)
        return self.reached

    def close(self) -> None:
        """Let go of everything, and remove its files."""
        with self._hosted.turns.folding():
            self.view.close()
            with suppress(StorageError):  # of what was damaged
                self._hosted.close()
        rmtree(self._path, ignore_errors=True)

    def withheld(self, fallen: Fallen) -> Withheld:
        """Return what of it is in quarantine today, and was there then and was not."""
        fell = self._fell  # read once: another thread may put there what it was before a quarantine
        if fell[0] != fallen.seq:
            with self._hosted.reading(self.memory) as graph:
                self._fell = fell = fallen.seq, NOTHING if graph is None else _withheld(graph, fallen)
        return fell[1]

    def not_yet(self, fallen: Fallen) -> int:
        """Return how much of what is in quarantine today no verdict had taken there by then."""
        before = Quarantines().of(self.records, self._hosted, self.memory)
        since = Fallen(fallen.seq, fallen.nodes - before.nodes, fallen.acts - before.acts)
        with self._hosted.reading(self.memory) as graph:
            return 0 if graph is None else _withheld(graph, since).total


def _withheld(graph: Graph, fallen: Fallen) -> Withheld:
    nodes = {each for each in fallen.nodes if _stood(graph, each)}
    numbers = {each: _counted(graph, each) for each in fallen.acts}
    acts = {each: number for each, number in numbers.items() if number is not None and number not in nodes}
    made_none = {number for number in acts.values() if graph.node(number) is None}
    return Withheld(tuple(sorted(nodes)), tuple(sorted(acts)), nodes | made_none | _theirs_alone(graph, nodes))


def _theirs_alone(graph: Graph, nodes: Set[int]) -> Set[int]:
    """Return the features that none but these nodes have, as far as their edges are there."""
    ends = {end for number in nodes for key in graph.links(number) for end in (key[0], key[2])}
    return {each for each in ends if is_feature(each) and _had_by(graph, each) <= nodes}


def _had_by(graph: Graph, feature: int) -> Set[int]:
    ends = {end for key in graph.links(feature) for end in (key[0], key[2])}
    return {each for each in ends if not is_feature(each)}


def _stood(graph: Graph, number: int) -> bool:
    node: Any = graph.node(number)
    return node is not None and node.status != Status.QUARANTINED


def _counted(graph: Graph, command_id: str) -> int | None:
    """Return the number that the node of a command would have; None where it was not there, or was taken out."""
    known = accepted(graph, command_id)
    act = None if known is None else graph.act(known.seq)
    return node_number(known.seq) if known is not None and (act is None or act.status == Status.ACTIVE) else None


def _bytes_in(path: Path) -> int:
    """Return how many bytes the files of a store take, of which some come and go while they are counted.

    What has other names, as tables of a rung have, counts in part.
    """
    found = 0
    for each in path.rglob("*"):
        with suppress(FileNotFoundError):
            status = each.stat()
            found += status.st_size // max(1, status.st_nlink) if S_ISREG(status.st_mode) else 0
    return found
