"""Slices of time: what is replayed to an earlier seq answers everything about places as the live memory did then."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.retrieval.index.test_links import gates, told
from tests.retrieval.reads.places.world import ID, Three, path, three, wander
from tests.size import turns
from yggdrasil import CommandRefusedError, Memory
from yggdrasil.engines.appending import Placed
from yggdrasil.engines.reading import Reading
from yggdrasil_infra.log import CommandLog, LogReader
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_infra.running.turns import Turns
from yggdrasil_processors.auditing.replay import replay_as_of
from yggdrasil_processors.hosted import Hosted
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.table import READS
from yggdrasil_projections.service.reads import Lag
from yggdrasil_schemas.commands.knowledge import Verdict

PLACES = 10
ASKED = ("places", "nearest", "route", "last_seen", "trades", "neighbours_of", "graph")
VERDICTS: tuple[Verdict, ...] = ("reject", "resolve", "quarantine", "release", "verify")


class Slice(Reading):
    """A host of one store that folds no further, and takes no commands."""

    def __init__(self, log: LogReader, store: GraphStore, view: RetrievalView) -> None:
        self.view, self.turns, self._log = view, Turns(), log
        self._hosted = Hosted(Projector(log, store), self.turns)

    def place(self, drafts: Sequence[Draft], deadline_s: float | None) -> list[Placed]:
        raise NotImplementedError

    def hosted(self, memory: str) -> Hosted:
        return self._hosted

    def all_hosted(self) -> list[Hosted]:
        return [self._hosted]

    def lags(self) -> list[Lag]:
        return []

    def copying(self, memory: str) -> AbstractContextManager[CommandLog]:
        raise NotImplementedError

    def fold_all(self, memory: str) -> None:
        raise NotImplementedError

    @property
    def records(self) -> LogReader:
        return self._log

    def close(self) -> None:
        self._hosted.projector.close()


@contextmanager
def replayed(log: LogReader, folder: Path, seq: int) -> Iterator[tuple[Slice, str]]:
    """Replay to a seq, and open what that made; yield it with its digest."""
    digest = replay_as_of(log, folder, ID, seq)
    view = RetrievalView(None)
    host = Slice(log, GraphStore(folder, Pin(log.topic_id, 1, 0), MemoryBudget.of(), views=(view,)), view)
    try:
        yield host, digest
    finally:
        host.close()


def live_on(world: Three, rng: Random, said: list[str]) -> bool:
    """Say something of places, whatever it is and whoever says it; return whether the laws took it."""
    memory, place = rng.choice(world), f"place:p{rng.randrange(PLACES):02}"
    other = f"place:p{rng.randrange(PLACES):02}"
    whens: dict[str, Any] = {"valid_from": rng.choice((None, None, 10)), "valid_to": rng.choice((None, None, 30))}
    what = rng.choice(("path", "path", "path", "at", "is_a", "seen", "where", "offer", "alias", "judge", "event"))
    try:
        match what:
            case "path":
                wander(world, rng, PLACES, 1)
            case "at":
                anchor = rng.choice((f"o/{rng.randrange(-50, 50)}/64/{rng.randrange(50)}", f"n/{rng.randrange(3)}/1"))
                said.append(memory.assert_claim(place, "at", {"anchor": anchor}, **whens))
            case "is_a":
                said.append(memory.assert_claim(place, "is_a", rng.choice(("chest", "inn", "type:chest"))))
            case "seen":
                memory.observe("Saw a chest", place=place, place_type="chest", kind="discovery")
            case "where":
                predicate = rng.choice(("last_seen_at", "located_in"))
                said.append(memory.assert_claim(f"npc:n{rng.randrange(3)}", predicate, place, **whens))
            case "offer":
                offer = {"for": "item:stick", "rate": str(rng.randrange(3))}
                npc, item = f"npc:n{rng.randrange(3)}", f"item:i{rng.randrange(2)}"
                said.append(memory.assert_claim(npc, "offers", item, qualifiers=offer))
            case "alias":
                memory.alias(place, other)
            case "judge" if said:
                memory.judge({rng.choice(said): rng.choice(VERDICTS)}, reason="so it was found")
            case _:
                memory.record_event("Walked about", features=[place])
    except CommandRefusedError:
        return False
    return True


def answers(memory: Memory[Any], rng: Random) -> list[Any]:
    """What a memory answers to all that one asks about places; the same questions for the same ``rng``."""
    found: list[Any] = []
    for stale in (False, True):
        gate: dict[str, Any] = {"stale": stale, "candidates": rng.random() < 0.5, "valid_at": rng.choice((None, 5, 20))}
        one, other = (f"place:p{number:02}" for number in rng.sample(range(PLACES), 2))
        overlay = rng.choice((None, "night", "load", "safe"))
        found += [
            memory.places(**gate),
            memory.places(near=one, **gate),
            memory.nearest("chest", one, k=3, overlay=overlay, **gate),
            memory.nearest("chest", one, k=3, by="distance", **gate),
            memory.route(one, other, overlay=overlay, **gate),
            memory.trades("item:i1", from_=one, **gate),
            memory.last_seen(f"npc:n{rng.randrange(3)}", **gate),
            memory.neighbours_of(one, depth=3, **gate),
            memory.graph("Who offers i1 near the chest?", **gate),
        ]
    return found


def test_all_reads_of_places_are_asked() -> None:
    assert {read.name for read in READS if ".reads.places." in read.query.__module__} == {*ASKED}


@pytest.mark.parametrize("seed", range(turns(2, 8)))
def test_what_is_replayed_to_a_seq_is_what_was_live_then(tmp_path: Path, seed: int) -> None:
    rng = Random(f"slices{seed}")
    moments: list[tuple[int, str, int, list[Any], list[Any]]] = []
    with three(tmp_path) as world:
        said: list[str] = []
        engine = world.user.engine
        path(world.user, "p00", "p01", ticks=3)
        for _ in range(turns(250, 500)):
            taken = live_on(world, rng, said)
            if not taken or rng.random() > 0.04:  # what is refused after a seq is in the digest, and not replayed to it
                continue
            questions = rng.randrange(10**9)
            with engine.hosted(ID).reading(ID) as graph:
                seq, index = graph.header.seq, engine.view.index(graph)
                links = [told(graph, index, gate) for gate in gates(Random(questions))]
            live = [answers(each, Random(questions)) for each in (world.user, world.user.seen(trust_min=2))]
            with engine.hosted(ID).reading(ID):
                digest = engine.hosted(ID).store.digest(ID)
            moments.append((seq, digest, questions, links, live))
        told_of = 0
        for at, (seq, digest, questions, links, live) in enumerate(moments):
            with replayed(engine.log, tmp_path / f"at-{at}", seq) as (host, again):
                assert again == digest
                with host.hosted(ID).reading(ID) as graph:
                    assert graph is not None and graph.header.seq == seq
                    index = host.view.index(graph)
                    assert [told(graph, index, gate) for gate in gates(Random(questions))] == links
                memory = Memory(host, Drafter(ID, "user", "world", "user"))
                then = [answers(each, Random(questions)) for each in (memory, memory.seen(trust_min=2))]
                assert then == live
                told_of += sum(len(pairs) for _, pairs in links)
        assert len(moments) > 3 and told_of > 50
        assert moments[0][4] != moments[-1][4]
