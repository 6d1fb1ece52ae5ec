"""Recalls that a query host has answered over Kafka are proved from the topic: after restarts, and after a rebuild."""

import random
import shutil
from pathlib import Path

from tests.embedded.asked import live
from tests.kafka.hosts.test_query_host import Hosts, memory_on
from tests.size import turns
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.auditing.proof import prove, recalls_in

RECALLS = turns(100, 1_000)


def test_recalls_are_proved_from_the_topic(kafka: KafkaSettings, tmp_path: Path) -> None:
    hosts = Hosts(kafka, tmp_path)
    chance = random.Random(20261122)
    for turn in range(4):
        if turn == 2:
            shutil.rmtree(tmp_path / "host")  # folded again from the topic, with another index
        with hosts.run("host") as engine:
            memory = memory_on(engine)
            if turn == 0:
                memory.set_policy(nodes_max=120, edges_max=2_000, sessions_open_max=8)
            live(memory, chance, RECALLS // 4)
    with KafkaLog(kafka, hosts.topic, "development") as log:
        found = list(prove(log, tmp_path / "again", list(recalls_in(log, "me/agent"))))
    assert len(found) == RECALLS
    assert [one.reason for one in found if not one.holds] == []
