"""Forks of the memories of a directory: made, traced back, and compared."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from yggdrasil_processors.past.beside import beside
from yggdrasil_processors.past.forking import WRITTEN_TO, ForkDiffersError, Forked, ForkLineage, fork, shared
from yggdrasil_processors.past.packing import Progress
from yggdrasil_projections.graph.lensed import lensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownMemoryError
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.past.otherwise import Differs
from yggdrasil_projections.retrieval.query import NOW
from yggdrasil_schemas.commands.forks import is_fork, origin_of

from ..embedded import Embedded


def forked(engine: Embedded, memory: str, seq: int, to: str, progress: Progress) -> Forked:
    """Make the fork ``to`` of a memory as it stood at ``seq``, and fold it.

    Raises as ``fork`` does, ForkDiffersError where more has come to it meanwhile, and DiskFullError.
    """
    engine.check_room()
    with TemporaryDirectory(prefix="yggdrasil-fork-") as scratch:
        found = fork(engine.log, memory, seq, to, Path(scratch), progress)
    engine.catch_up(memory=to)
    with ExitStack() as opening:
        if (stands := _opened(engine, to, opening).header.seq) != seq:  # as of another moment, or told something
            raise ForkDiffersError(f"{to} stands at seq {stands}, and not at {seq}: {WRITTEN_TO}")
    return found


def quarantined_since(engine: Embedded, memory: str, seq: int) -> int:
    """Return how much of what is in quarantine today was not there at ``seq``, and so would come back in a fork."""
    with engine.stood(memory, AsOf(seq=seq), NOW) as then:
        return then.not_yet(engine.fallen_today(memory))


def lineage_of(engine: Embedded, memory: str) -> ForkLineage:
    """Return where a fork comes from. Raises InvalidAskError for what is none, and UnknownMemoryError."""
    if not is_fork(memory):
        raise InvalidAskError(f"{memory} is no fork: no moment of another memory has been copied to it")
    with ExitStack() as opening:
        own, origin = (_opened(engine, each, opening) for each in (memory, origin_of(memory)))
        return shared(engine.log, own, origin)


def compared(engine: Embedded, one: str, other: str, trust_min: int = 0) -> Differs:
    """Return how the graph of ``other`` differs from that of ``one``, which have gone on from one memory.

    What is trusted less than ``trust_min`` is in none of it, but for the counts of edges. Raises InvalidAskError where
    they have not, and UnknownMemoryError.
    """
    if _root(one) != _root(other):
        raise InvalidAskError(f"{one} and {other} have not gone on from one memory, so their commands cannot be paired")
    with ExitStack() as opening:
        real, there = (_opened(engine, each, opening) for each in (one, other))
        seq = shared(engine.log, real, there).seq
        return beside(lensed(real, trust_min), lensed(there, trust_min), seq)


def _root(memory: str) -> str:
    while is_fork(memory):
        memory = origin_of(memory)
    return memory


def _opened(engine: Embedded, memory: str, opening: ExitStack) -> Graph:
    graph = opening.enter_context(engine.hosted(memory).frozen(memory))
    if graph is None:
        raise UnknownMemoryError(memory, engine.where)
    return graph
