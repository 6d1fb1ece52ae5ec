"""More partitions: all records of a topic, in a new one, with every memory the same. And nobody is left half way."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.cli.runs import Cli
from tests.faults.kafka.load import Mix, Publisher
from tests.faults.workers.processes import Fleet
from tests.kafka.log.raw import Raw, batch, produce
from tests.size import turns
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.pins import LogPin, read_pin, write_pins
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import admin
from yggdrasil_infra.log import ENTRY_BYTES_MAX
from yggdrasil_processors.auditing.copying import CopyError
from yggdrasil_processors.auditing.copying import copy as copy_log
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_producers.draft import Drafter, enable_version
from yggdrasil_schemas.partitions import partition_for

WAS, NOW = 2, 5


@pytest.fixture
def fleet(kafka: KafkaSettings, tmp_path: Path) -> Iterator[Fleet]:
    with Fleet(kafka, tmp_path, WAS) as created:
        write_pins(created.log)
        yield created


class OnCopy(Fleet):
    """Workers of a topic that is there."""

    def create_topics(self) -> None:
        pass


def digests(log: KafkaLog, folder: Path) -> dict[str, str]:
    found = [replay(log, folder / str(partition), partition).digests for partition in range(log.partitions)]
    return {memory: digest for each in found for memory, digest in each.items()}


def options(kafka: KafkaSettings, fleet: Fleet, new: str) -> tuple[str, ...]:
    return ("topics", "copy", fleet.topic, new, "--kafka", kafka.bootstrap_servers, "--development", "--json")


def test_every_memory_is_the_same_with_more_partitions_and_goes_on_there(
    fleet: Fleet, kafka: KafkaSettings, cli: Cli, tmp_path: Path
) -> None:
    """Sound and broken records, duplicates, and ones in a wrong partition, which stay behind."""
    with Publisher(kafka, fleet.topic, WAS) as publisher:
        publisher.send(Mix("copied", WAS, memories=30).take(turns(300, 600)))
        publisher.settle()
    before = digests(fleet.log, tmp_path / "before")
    new = f"test-{uuid4().hex}.commands"
    document = cli.ok(*options(kafka, fleet, new), "--partitions", str(NOW)).json
    assert document["digests"] == before and len(before) > 20
    assert document["late"] == 0 and document["left_out"] > 0
    with KafkaLog(kafka, new, "development") as log:
        assert read_pin(log, NOW - 1) == LogPin(NOW, log.topic_id)
        assert digests(log, tmp_path / "after") == before
    run = cli(*options(kafka, fleet, new), "--partitions", str(NOW))
    assert run.code == 2 and "not empty" in run.json["error"]["message"]
    on_it = OnCopy(kafka, tmp_path, NOW)
    on_it.topic = new
    with Publisher(kafka, new, NOW) as publisher, on_it:
        on_it.start("wide")
        publisher.send(Mix("goes on", NOW, memories=30).take(100))
        publisher.settle()
        on_it.settle()
        on_it.stop()
    wide = ("--dir", str(on_it.directory("wide")), "--topic", new, "--json")
    assert cli.ok("replay", "--kafka", kafka.bootstrap_servers, "--development", *wide).json["same"] is True


def test_times_are_kept_and_what_no_log_of_ours_takes_is_left_behind(
    fleet: Fleet, kafka: KafkaSettings, cli: Cli
) -> None:
    draft = Drafter("me/agent", "tests", "tests").record_event("long ago", features=["old"])
    there = partition_for(draft.key, WAS)
    too_large = Raw(draft.key, b"x" * ENTRY_BYTES_MAX)
    for records in (batch([too_large]), batch([Raw(draft.key, draft.value)], first_ms=1_000), batch([Raw(b"", b"")])):
        assert produce(kafka, fleet.topic, there, records)[0] == 0
    new = f"test-{uuid4().hex}.commands"
    document = cli.ok(*options(kafka, fleet, new), "--partitions", str(NOW)).json
    assert document["left_out"] >= 1 and list(document["digests"]) == ["me/agent"]
    with KafkaLog(kafka, new, "development") as log:
        found = [each for at in range(NOW) for each in log.read(at, 0, 10) if each.value == draft.value]
        assert [each.timestamp_ms for each in found] == [1_000]


def test_what_came_after_partitions_were_added_is_behind_what_there_was(
    fleet: Fleet, kafka: KafkaSettings, cli: Cli, tmp_path: Path
) -> None:
    """As the review did it: workers refused all of it, and an empty directory would have lost the first half."""
    moved = [name for number in range(60) if (name := f"me/{number}") and _moves(name)]
    drafters = {name: Drafter(name, "agent", "test") for name in moved}
    first = {name: it.record_event("before") for name, it in drafters.items()}
    fleet.log.append_many((draft.key, draft.value) for draft in first.values())
    fleet.close_log()
    with admin(kafka) as client:
        client.create_partitions({fleet.topic: NOW})
    outcomes = [drafters[name].log_outcome(draft.id, -3.0, kind="outage") for name, draft in first.items()]
    fleet.log.append_many((draft.key, draft.value) for draft in outcomes)
    new = f"test-{uuid4().hex}.commands"
    document = cli.ok(*options(kafka, fleet, new), "--partitions", str(NOW)).json
    assert (document["was"], document["records"], document["late"]) == (WAS, len(moved), len(moved))
    with KafkaLog(kafka, new, "development") as log:
        folder = tmp_path / "after"
        for partition in range(NOW):
            replayed = replay(log, folder / str(partition), partition)
            in_it = [name for name in moved if partition_for(name.encode(), NOW) == partition]
            assert replayed.records == 1 + 2 * len(in_it) and sorted(replayed.digests) == sorted(in_it)
        alike = digests(log, tmp_path / "again")
    assert len(alike) == len(moved)


def _moves(name: str) -> bool:
    return partition_for(name.encode(), WAS) != partition_for(name.encode(), NOW)


def test_a_copy_is_refused_where_it_could_not_be_the_same(fleet: Fleet, kafka: KafkaSettings, tmp_path: Path) -> None:
    target = Fleet(kafka, tmp_path, NOW)
    with target:
        newer = enable_version(0, "operator", 99)
        fleet.log.append_to(0, newer.key, newer.value)
        with pytest.raises(CopyError, match="enables schema version 99"):
            copy_log(fleet.log, WAS, target.log, tmp_path / "scratch")


def test_a_log_that_does_not_say_its_count_has_to_be_told(kafka: KafkaSettings, tmp_path: Path, cli: Cli) -> None:
    with Fleet(kafka, tmp_path, WAS) as fleet:
        fleet.log.append(b"me/agent", b"not even JSON")
        run = cli(*options(kafka, fleet, f"test-{uuid4().hex}.commands"), "--partitions", "4")
        assert run.code == 2 and "say it with --was" in run.json["error"]["message"]
        assert cli.ok(*options(kafka, fleet, f"test-{uuid4().hex}.commands"), "--partitions", "4", "--was", "2").json
