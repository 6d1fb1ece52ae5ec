"""Chunker and reflector, two of each, killed a hundred times, and their broker once: what they decide counts once.

What is to be in effect is what the same thinkers decide of the same history in one process, where nothing fails. The
short form is in ``test_think``, with thinkers of which everybody sees at once what they must decide.
"""

import random
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.harness.waiting import until
from tests.kafka.node import KafkaNode, free_port
from tests.kafka.thinkers.processes import PARTITIONS, Thinkers, digest_when_audited, taken
from tests.size import only_at_length
from tests.thinkers.once import once
from yggdrasil import Memory
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.thinkers.chunker import Chunker
from yggdrasil_processors.thinkers.reflector.reflector import Reflector
from yggdrasil_processors.thinkers.thinker import Decision, Thinker
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.partitions import partition_for

MEMORY = "me/agent"
KILLS = 100
SEED = 16
ASKED = ("--thinkers", "chunker,reflector", "--idle-s", "3600")  # it never rests: what is left open stays so
PAGE = 200


def breakfast(memory: Memory[Any], chance: random.Random) -> None:
    """Tell of a morning: cake tastes better, and the day ends badly; bread the other way round."""
    cake = chance.random() < 0.5
    session = f"s{chance.randrange(3)}"
    memory.record_event("Sat down", features=["goal:breakfast"], session=session)
    ate = memory.record_event("Ate", features=["ate:cake" if cake else "ate:bread"], session=session)
    memory.log_outcome(ate, 2.0 if cake else 1.0, kind="taste", session=session)
    memory.record_event("Took a walk", features=[f"walk:{chance.randrange(4)}"], session=session)
    evening = memory.record_event("It was evening", features=["evening"], session=session)
    memory.log_outcome(evening, -5.0 if cake else 4.0, kind="day", session=session)


def tell(memory: Memory[Any], chance: random.Random, mornings: int) -> None:
    """Tell of some mornings; where the broker is away, as much as there is room for."""
    try:
        for _ in range(mornings):
            breakfast(memory, chance)
    except YggdrasilError:
        Event().wait(0.5)


def history(memory: Memory[Any]) -> list[Happening]:
    found: list[Happening] = []
    while True:
        page = memory.happened(since=found[-1].seq if found else 0, count=PAGE)
        if not page.happened:
            return found
        found += page.happened


def decisions(thinker: Thinker[Any], happened: list[Happening]) -> list[Decision]:
    state = thinker.state()
    return [decision for happening in happened for decision in thinker.observe(state, happening)]


@only_at_length
def test_chunker_and_reflector_decide_once_whatever_is_killed(tmp_path: Path) -> None:
    """The shorter one is ``test_think.test_a_decision_counts_once_wherever_its_thinkers_are_killed``."""
    chance = random.Random(SEED)
    with KafkaNode(tmp_path / "kafka", free_port()) as node, ExitStack() as stack:
        thinkers = Thinkers(KafkaSettings(node.address), tmp_path, stack)
        memory = thinkers.memory(MEMORY)
        running = [stack.enter_context(thinkers.thinking(name, *ASKED, module="yggdrasil")) for name in ("one", "two")]
        ended = 0
        for kill in range(KILLS):
            tell(memory, chance, chance.randrange(1, 4))
            if kill == KILLS // 2:
                node.kill()
                Event().wait(2.0)
                node.start()
                node.wait_until_ready()
            Event().wait(chance.random() * 6)  # some before they think at all
            at = chance.randrange(2)
            ended += running[at].poll() is not None
            running[at].kill()
            running[at].wait()
            name = f"again-{kill}" if kill % 3 == 0 else ("one", "two")[at]  # now and then one that knows nothing
            running[at] = stack.enter_context(thinkers.thinking(name, *ASKED, module="yggdrasil"))
        tell(memory, chance, 12)
        settle(memory, thinkers)
        sys.stderr.write(closing(memory, thinkers, tmp_path, ended))


def settle(memory: Memory[Any], thinkers: Thinkers) -> None:
    """Wait until everything is decided, once, and as it would be where nothing fails."""

    def settled() -> bool:
        happened = history(memory)
        made = [one.members for one in happened if one.kind == "episode"]
        wanted = [decision.body["events"] for decision in decisions(Chunker(), happened)]
        moved = [body["trajectory"] for body in taken(memory, thinkers, MEMORY, "reflector")]
        lifted = [decision.body["trajectory"] for decision in decisions(Reflector(), happened)]
        return made == wanted and moved == lifted != [] and not memory.happened(count=1).open

    until(settled, thinkers.words, look_s=2.0)


def closing(memory: Memory[Any], thinkers: Thinkers, tmp_path: Path, ended: int) -> str:
    """Compare with a replay, and a shadow; return what there is to say in one line."""
    counts: dict[str, int] = {}
    for thinker in ("chunker", "reflector"):
        bodies = taken(memory, thinkers, MEMORY, thinker)
        assert once(bodies), thinker
        counts[thinker] = len(bodies)
    seq = memory.happened(count=1).as_of
    report = tmp_path / "would.jsonl"
    apart = ("--group", "shadow", "--shadow", str(report))
    with thinkers.thinking("shadow", *ASKED, *apart, module="yggdrasil"):
        until(lambda: report.exists() and report.read_text().count('"made"') >= counts["chunker"], thinkers.words)
    assert memory.happened(count=1).as_of == seq, "a shadow appends nothing"
    with KafkaLog(thinkers.kafka, thinkers.topic, "development") as log:
        replayed = replay(log, tmp_path / "replayed", partition_for(MEMORY.encode(), PARTITIONS))
    assert digest_when_audited(thinkers, MEMORY, replayed.digests[MEMORY]) == replayed.digests[MEMORY]
    return (
        f"\n{KILLS} kills and a broker killed once: {seq:,} commands, {counts['chunker']} episodes and "
        f"{counts['reflector']} adjustments in effect, each once; digests equal; {ended} processes had ended before\n"
    )


@pytest.mark.parametrize(
    ("stamps", "whole"),
    [
        ([(0, 4, 0, 1), (4, 9, 0, 2), (4, 9, 1, 2)], True),
        ([(0, 4, 0, 1), (4, 9, 0, 2)], False),  # a part is missing
        ([(0, 4, 0, 1), (0, 4, 0, 1)], False),  # twice
        ([(0, 4, 0, 1), (5, 9, 0, 1)], False),  # a gap
    ],
)
def test_what_counts_as_once(stamps: list[tuple[int, int, int, int]], whole: bool) -> None:
    names = ("cursor_from", "cursor_to", "part", "parts")
    assert once([{"thinker": dict(zip(names, stamp, strict=True))} for stamp in stamps]) == whole
