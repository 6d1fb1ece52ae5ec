"""Digestion beside a topic, two processes of it, killed at any moment: each of its decisions takes effect once."""

import random
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

from tests.harness.waiting import until
from tests.kafka.thinkers.processes import PARTITIONS, Thinkers, digest_when_audited, taken
from tests.size import turns
from tests.thinkers.digestion.living import tell
from tests.thinkers.once import once, twice
from yggdrasil import Memory
from yggdrasil.thinking.known import DIGESTION
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_schemas.partitions import partition_for

MEMORY = "me/agent"
KILLS = turns(3, 100)
SEED = 38
ASKED = ("--thinkers", "digestion", "--idle-s", "3600")


def is_settled(memory: Memory[Any], sessions: int, seqs: list[int]) -> bool:
    """Whether all have decided something, nothing waits for a verdict, and nothing has come since the last look."""
    now = memory.happened(count=1)
    seqs.append(now.as_of)
    if now.open or not now.cursors.keys() >= set(DIGESTION) or seqs[-3:] != [now.as_of] * 3:
        return False
    return not any(memory.digestion(f"s{number}").undecided for number in range(sessions))


def test_digestion_counts_once_wherever_it_is_killed(kafka: KafkaSettings, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with ExitStack() as stack:
        thinkers = Thinkers(kafka, tmp_path, stack)
        memory = thinkers.memory(MEMORY)
        running = [stack.enter_context(thinkers.thinking(name, *ASKED, module="yggdrasil")) for name in ("one", "two")]
        sessions = 0
        for kill in range(KILLS):
            for _ in range(chance.randrange(2, 5)):
                tell(memory, chance, f"s{sessions}")
                sessions += 1
            Event().wait(chance.random() * 6)  # some before they think at all
            at = chance.randrange(2)
            running[at].kill()
            running[at].wait()
            name = f"again-{kill}" if kill % 3 == 0 else ("one", "two")[at]  # now and then one that knows nothing
            running[at] = stack.enter_context(thinkers.thinking(name, *ASKED, module="yggdrasil"))
        tell(memory, chance, f"s{sessions}")
        seqs: list[int] = []
        until(lambda: is_settled(memory, sessions + 1, seqs), thinkers.words, look_s=2.0)
        for process in running:
            process.kill()
            process.wait()
        counts = {name: taken(memory, thinkers, MEMORY, name) for name in DIGESTION}
        assert {name: once(bodies) for name, bodies in counts.items()} == dict.fromkeys(DIGESTION, True)
        assert twice([body for bodies in counts.values() for body in bodies]) == []
        with KafkaLog(thinkers.kafka, thinkers.topic, "development") as log:
            replayed = replay(log, tmp_path / "replayed", partition_for(MEMORY.encode(), PARTITIONS))
        assert digest_when_audited(thinkers, MEMORY, replayed.digests[MEMORY]) == replayed.digests[MEMORY]
        said = {name: len(bodies) for name, bodies in counts.items()}
        seq = memory.happened(count=1).as_of
        sys.stderr.write(f"\n{KILLS} kills on Kafka: {seq:,} commands, in effect once each: {said}\n")
