"""What the Kafka benchmarks read: topics of their own, which as many agents fill in each of the partitions."""

import random
from collections.abc import Iterator
from functools import partial
from itertools import count, islice
from typing import Final

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_producers.draft import Draft
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.topics import PARTITIONS, refused_topic

from ..folding.workload import Shape, drafts
from ..measure import seconds

PROFILE: Final = "development"
AGENTS_PER_PARTITION: Final = 4
AGENTS: Final = AGENTS_PER_PARTITION * PARTITIONS
_CHUNK_RECORDS: Final = 5_000


class Filled:
    """A topic, and the agents that fill it; each goes on where it was."""

    def __init__(self, settings: KafkaSettings, name: str) -> None:
        """Create topic ``name`` and the one of its refusals."""
        for topic in (name, refused_topic(name)):
            create_topic(settings, topic, PARTITIONS, PROFILE)
        self.settings = settings
        self.name = name
        self.ends = dict.fromkeys(range(PARTITIONS), 0)
        """The offset after the last record of each partition."""
        self._agents = [drafts(Shape(), seed, memory) for seed, memory in enumerate(memories())]
        self._said = self._speak()

    @property
    def records(self) -> int:
        """How many records ``fill`` and ``one_each`` have appended."""
        return sum(self.ends.values())

    def say(self, records: int) -> list[Draft]:
        """Return what the agents say next, in the order in which they say it, for the caller to append."""
        return list(islice(self._said, records))

    def fill(self, records: int) -> float:
        """Append what they say next; return the seconds that appending took."""
        spent = 0.0
        with KafkaLog(self.settings, self.name, PROFILE) as log:
            for first in range(0, records, _CHUNK_RECORDS):
                said = self.say(min(_CHUNK_RECORDS, records - first))
                spent += seconds(partial(self._append, log, said))
        return spent

    def one_each(self, log: KafkaLog) -> None:
        """Append one record to each partition."""
        self._append(log, [next(agent) for agent in self._agents[:PARTITIONS]])

    def _append(self, log: KafkaLog, said: list[Draft]) -> None:
        for receipt in log.append_many((draft.key, draft.value) for draft in said):
            self.ends[receipt.partition] = receipt.offset + 1

    def _speak(self) -> Iterator[Draft]:
        choose = random.Random(1)
        while True:
            yield next(choose.choice(self._agents))


def memories() -> list[str]:
    """Return names of AGENTS memories; the first PARTITIONS of them have one for each partition, and so on."""
    found: list[list[str]] = [[] for _ in range(PARTITIONS)]
    for number in count():
        memory = f"bench/agent-{number}"
        there = found[partition_for(memory.encode(), PARTITIONS)]
        if len(there) < AGENTS_PER_PARTITION:
            there.append(memory)
        if all(len(names) == AGENTS_PER_PARTITION for names in found):
            return [names[turn] for turn in range(AGENTS_PER_PARTITION) for names in found]
    raise AssertionError("count has no end")
