"""Forks of the memories of a host: made, traced back, and compared."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from yggdrasil_processors.past.beside import beside
from yggdrasil_processors.past.forking import PASSES, fork, shared
from yggdrasil_projections.graph.lensed import lensed
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownMemoryError
from yggdrasil_projections.retrieval.past.forks import (
    WRITTEN_TO,
    ForkDiffersError,
    Forked,
    ForkLineage,
    check_fork,
    check_related,
)
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.query import NOW, At
from yggdrasil_projections.retrieval.reads.operations.moment import AskMoment
from yggdrasil_schemas.commands.forks import fork_id, origin_of

if TYPE_CHECKING:
    from yggdrasil_projections.graph.working_set import Graph
    from yggdrasil_projections.retrieval.past.otherwise import Differs
    from yggdrasil_projections.service.reads import Admit, Progress

    from ..reading import Reading


def forked(
    engine: Reading,
    memory: str,
    moment: AsOf,
    name: str,
    *,
    quarantined: bool = False,
    progress: Progress | None = None,
    admit: Admit | None = None,
) -> Forked:
    """Make the fork ``name`` of a memory as it stood at a moment, and fold it.

    ``progress`` is told how far the building of that moment is, and then how far the copying. Raises InvalidAskError
    where something would come back that is in quarantine today, as ``stand`` and ``fork`` do, and ForkDiffersError
    where more has come to the fork meanwhile.
    """
    to = fork_id(memory, name)
    engine.stand(memory, moment, None, progress)
    seq = engine.ask(memory, AskMoment(), None, At(as_of=moment, quarantined=True)).as_of
    since = 0 if quarantined else _quarantined_since(engine, memory, seq)
    if since:
        raise InvalidAskError(
            f"of what is in quarantine today {since} was not at seq {seq}, nor would be in the fork: fork a later "
            "moment, or, as an auditor, with quarantined"
        )
    done, total = 0, PASSES * seq
    attempt = ExitStack()

    def admitted(size: int) -> None:
        if admit is not None:
            admit(size)
        attempt.enter_context(engine.attempts.begun(engine.records.topic_id, to, seq))  # from here on it is appended

    def copied(records: int) -> None:
        nonlocal done
        done = min(done + records, total)
        if progress is not None:
            progress(done, total)

    with attempt:
        with TemporaryDirectory(prefix="yggdrasil-fork-") as scratch, engine.copying(to) as log:
            found = fork(log, memory, seq, to, Path(scratch), copied, admitted)
        engine.fold_all(to)
        with ExitStack() as opening:
            if (stands := _opened(engine, to, opening).header.seq) != seq:  # as of another moment, or told something
                raise ForkDiffersError(f"{to} stands at seq {stands}, and not at {seq}: {WRITTEN_TO}")
        return found


def lineage_of(engine: Reading, memory: str, progress: Progress | None = None) -> ForkLineage:
    """Return where a fork comes from. Raises InvalidAskError for what is none, and UnknownMemoryError."""
    check_fork(memory)
    with ExitStack() as opening:
        own, origin = (_opened(engine, each, opening) for each in (memory, origin_of(memory)))
        found = shared(engine.records, own, origin, progress)
    begun = engine.attempts.of(engine.records.topic_id, memory)
    return replace(found, unfinished=begun) if begun is not None and begun > found.seq else found


def compared(engine: Reading, one: str, other: str, trust_min: int = 0, progress: Progress | None = None) -> Differs:
    """Return how the graph of ``other`` differs from that of ``one``, which have gone on from one memory.

    What is trusted less than ``trust_min`` is in none of it, but for the counts of edges. Raises InvalidAskError where
    they have not, and UnknownMemoryError.
    """
    check_related(one, other)
    with ExitStack() as opening:
        real, there = (_opened(engine, each, opening) for each in (one, other))
        seq = shared(engine.records, real, there, progress).seq
        return beside(lensed(real, trust_min), lensed(there, trust_min), seq)


def _quarantined_since(engine: Reading, memory: str, seq: int) -> int:
    """Return how much of what is in quarantine today was not there at ``seq``, and so would come back in a fork."""
    with engine.stood(memory, AsOf(seq=seq), NOW) as then:
        return then.not_yet(engine.fallen_today(memory))


def _opened(engine: Reading, memory: str, opening: ExitStack) -> Graph:
    graph = opening.enter_context(engine.hosted(memory).frozen(memory))
    if graph is None:
        raise UnknownMemoryError(memory, engine.where)
    return graph
