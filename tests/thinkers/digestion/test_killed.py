"""Digestion that is killed at any moment: what it decides takes effect once, and is what it would be without."""

import random
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import orjson
import pytest

from tests.faults.workers.processes import ROOT
from tests.size import only_at_length, turns
from tests.thinkers.digestion.living import THINKERS, tell
from tests.thinkers.once import in_order, once, twice
from tests.thinkers.toys import Away
from yggdrasil import Memory, Store
from yggdrasil.thinking.known import DIGESTION, thinkers_of
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.ports import Part
from yggdrasil_processors.thinkers.frame.thinking import Thinking
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_schemas.partitions import partition_for

KILLS = 100
PROCESSES_KILLED = 100
MEMORY = "me/agent"


class Dying(EngineMemories):
    """Memories whose reader is killed now and then: before or after it reads, asks, or sends a part."""

    def __init__(self, engine: Any, chance: random.Random, often: float) -> None:
        super().__init__(engine)
        self.chance, self.often = chance, often

    def happened(self, memory: str, *, since: int, count: int) -> Any:
        self._maybe()
        return super().happened(memory, since=since, count=count)

    def ask(self, memory: str, query: Query[Any]) -> Any:
        self._maybe(0.1)
        return super().ask(memory, query)

    def decide(self, memory: str, parts: Any) -> list[Answer]:
        answers: list[Answer] = []
        for part in parts:
            answers += self._one(memory, part)
        return answers

    def _one(self, memory: str, part: Part) -> list[Answer]:
        self._maybe()
        answers = super().decide(memory, [part])
        self._maybe()
        return answers

    def _maybe(self, factor: float = 1.0) -> None:
        if self.chance.random() < self.often * factor:
            raise Away("it is killed")


def think_until_killed(memory: Memory[Any], place: Path, memories: EngineMemories) -> bool:
    """Let all think, in order, until nothing is left; return whether they were killed before."""
    try:
        with ThoughtStore(place) as store:
            at_work = [Thinking(each, memories, store) for each in thinkers_of("digestion")]
            while not all([each.advance(MEMORY).whole for each in at_work]):  # noqa: C419 - each has its turn
                pass
    except Away:
        return True
    return False


def outcome(memory: Memory[Any], sessions: int) -> list[Any]:
    """What was made of sessions, without the ids, which differ."""
    found: list[Any] = []
    for number in range(sessions):
        made = memory.digestion(f"s{number}")
        claims = sorted(
            (each.claim.text or "", each.claim.status, each.verified, each.gate or "") for each in made.claims
        )
        links = sorted((each.source_text or "", each.relation, each.target_text or "") for each in made.connections)
        found.append((claims, links, len(made.archived)))
    return found


def taken(memory: Memory[Any]) -> list[dict[str, Any]]:
    """The bodies of what thinkers said that the fold has taken."""
    log: LocalLog = memory.engine.log
    records = log.read(partition_for(MEMORY.encode(), log.partitions), 0, 1_000_000)
    said: dict[str, dict[str, Any]] = {}
    for each in records:  # the first under an id is the one that was answered
        one = orjson.loads(each.value or b"{}")
        said.setdefault(one["id"], one["body"])
    thought = {id_: body for id_, body in said.items() if body.get("thinker")}
    return [body for id_, body in thought.items() if (became := memory.became(id_)) is not None and became.accepted]


def check(memory: Memory[Any]) -> dict[str, int]:
    """Hold all that thinkers decided to *once*; return how many commands of each took effect."""
    bodies = taken(memory)
    counts: dict[str, int] = {}
    for name in DIGESTION:
        own = in_order([body for body in bodies if body["thinker"]["name"] == name])
        assert once(own), name
        counts[name] = len(own)
    assert twice(bodies) == []
    return counts


@pytest.mark.parametrize("seed", range(turns(1, 8)))
def test_digestion_decides_once_wherever_it_is_killed(seed: int, tmp_path: Path) -> None:
    """As often as it is killed it goes on where it was, now and then without anything that it knew."""
    chance = random.Random(seed)
    killed, sessions = 0, 0
    with Memory.open(tmp_path / "memory", MEMORY, partitions=1, embedder="off", source="ana") as memory:
        memories = Dying(memory.engine, chance, 0.25)
        place = tmp_path / "thoughts"
        while killed < KILLS:
            if not sessions or chance.random() < 0.3:
                tell(memory, chance, f"s{sessions}")
                sessions += 1
            if think_until_killed(memory, place, memories):
                killed += 1
            if chance.random() < 0.1:
                place = tmp_path / f"lost-{killed}"
        memories.often = 0
        think_until_killed(memory, place, memories)
        assert not memory.happened(count=1).open
        made = outcome(memory, sessions)
        digest, counts = memory.digest(), check(memory)
    assert all(counts.values())
    assert any(archived for _, _, archived in made)
    with LocalLog.open_read_only(tmp_path / "memory" / "log") as log:
        assert replay(log, tmp_path / "replayed", 0).digests[MEMORY] == digest


@only_at_length
@pytest.mark.timeout(1_800)
def test_digestion_beside_an_engine_decides_once_whatever_is_killed(tmp_path: Path) -> None:
    """A process that tells and digests, killed a hundred times. The shorter one is above."""
    chance = random.Random(38)
    place = tmp_path / "memory"
    ended = 0
    for kill in range(PROCESSES_KILLED):
        command = [sys.executable, "-m", "tests.thinkers.digestion.living", str(place), str(kill)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout and process.stdout.readline() == b"begun\n"
            Event().wait(chance.random() * 2.5)
            ended += process.poll() is not None
            process.kill()
    with Store.open(place, embedder="off") as store:
        assert [one.stopped for one in store.think(THINKERS)] == [None] * len(DIGESTION)
        assert [one.decided for one in store.think(THINKERS)] == [0] * len(DIGESTION)
        memory = store.memory(MEMORY)
        digest, seq, counts = memory.digest(), memory.happened(count=1).as_of, check(memory)
    assert all(counts.values()), counts
    with LocalLog.open_read_only(place / "log") as log:
        partition = partition_for(MEMORY.encode(), log.partitions)
        assert replay(log, tmp_path / "replayed", partition).digests[MEMORY] == digest
    assert ended == 0
    sys.stderr.write(f"\n{PROCESSES_KILLED} kills beside an engine: {seq:,} commands, in effect once each: {counts}\n")
