"""Random lives that forget much: what is told of episodes and of sessions is there, in bounds, and the same anew."""

from pathlib import Path
from random import Random

import pytest

from tests.retrieval.lives import anew
from tests.size import turns
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.graph.laws.reference import resolve
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.memories import reference_of
from yggdrasil_projections.retrieval.reads.episodic.episodes import Episode, episode, episodes
from yggdrasil_projections.retrieval.reads.episodic.what_next import AskNext, what_next
from yggdrasil_projections.retrieval.reads.episodic.working_memory import working_memory

MEMORY = "tenant/a"


def told(graph: Graph) -> list[Episode]:
    page = episodes(graph, before=None, count=3, session=None)
    found = page.episodes
    while page.before is not None:
        page = episodes(graph, before=page.before, count=3, session=None)
        found += page.episodes
    return found


def is_sound(graph: Graph, index: MemoryIndex) -> int:
    """Look at all that is told; return how many similar episodes were found."""
    mind = working_memory(graph, session=None, count=5)
    assert mind.open == len(graph.sessions) == len(mind.sessions)
    for one in mind.sessions:
        buffer = graph.sessions[one.session].buffer
        assert one.buffered == one.read == len(buffer) and len(one.observations) == min(5, len(buffer))
        assert 0 < one.since <= one.touched <= mind.as_of
        assert {each.event for each in one.threats} <= {reference_of(graph, number) for number in buffer}
    similar = 0
    for each in told(graph):
        assert each == episode(graph, each.ref)
        assert len(each.memory.members) <= each.events and (each.first_at is None) == (not each.memory.members)
        for step in each.before + each.after:
            assert isinstance(resolve(graph, step.ref), int)
        found = what_next(graph, index, AskNext(episode=each.ref, count=50))
        assert each.ref not in [one.episode.ref for one in found.similar]
        assert found.followed == sum(one.next is not None for one in found.similar)
        assert all(0.0 < one.share <= 1.0 + 1e-9 and one.times <= found.followed for one in found.next)
        assert all(0.1 <= one.likeness <= 1.0 + 1e-9 for one in found.similar)
        similar += len(found.similar)
    return similar


def live(memory: Memory[Embedded], rng: Random, steps: int) -> None:
    """Sessions come and go, and most of their events end in episodes; some are judged, and the oldest forgotten."""
    loose: dict[str, list[str]] = {}
    for number in range(steps):
        session = f"s{rng.randrange(6)}"
        features = rng.sample(["goal:a", "task:b", "promise:c", "threat:d", "done:a", "deploy", "friday", "lunch"], 3)
        event = memory.record_event(f"{rng.choice(features)} {number}", features=features, session=session)
        held = loose.setdefault(session, [])
        held.append(event)
        if rng.random() < 0.25:
            memory.log_outcome(event, rng.choice([-5, -1, 0, 3]), session=session)
        if rng.random() < 0.3:
            others = loose.pop(f"s{rng.randrange(6)}", []) if rng.random() < 0.2 else []
            memory.commit_episode([*loose.pop(session, [event]), *(each for each in others if each not in held)][:20])
        if rng.random() < 0.03:
            memory.sleep()


@pytest.mark.parametrize("seed", range(turns(3, 60)))
def test_what_is_told_is_there_whatever_was_forgotten(tmp_path: Path, seed: int) -> None:
    rng, similar = Random(f"episodes{seed}"), 0
    with Memory.open(tmp_path, MEMORY, embedder="off") as memory:
        memory.set_policy(
            nodes_max=100, sessions_open_max=4, archived_max=30, archive_salience=1.0, archive_rest_ticks=0
        )
        for _ in range(3):
            live(memory, rng, 70)
            with memory.engine.asking(MEMORY) as (graph, _):
                assert graph is not None
                grown, again = memory.engine.view.index(graph), anew(graph)
                similar += is_sound(graph, grown)
                for each in told(graph)[:5]:
                    ask = AskNext(episode=each.ref)
                    assert what_next(graph, again, ask) == what_next(graph, grown, ask)
    assert similar > 20, "or nothing was compared"
