"""What is done to the topic while a worker runs, and while it does not: it ends in words, and its stores are whole."""

from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import NamedTuple

import pytest
from kafka.structs import TopicPartition

from tests.faults.kafka.load import Acknowledged, Mix, Publisher
from tests.faults.kafka.oracle import Held, check, check_store, opened, truth_of
from tests.faults.workers.processes import Fleet, Worker, stopped
from tests.harness.waiting import until
from tests.size import LONG, turns
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic, describe_topic
from yggdrasil_infra.log import LogError

PARTITIONS = 4
COMMANDS = turns(150, 400)


class Change(NamedTuple):
    """Something done to the topic: how, and with which exit code and words it ends the worker."""

    do: Callable[[Fleet], None]
    code: int
    words: str


def delete(fleet: Fleet) -> None:
    fleet.admin.delete_topics([fleet.topic])
    until(lambda: not exists(fleet), lambda: "the topic is still there")


def create_again(fleet: Fleet) -> None:
    """Like a topic that was restored by hand: the same name, and as many records as before."""
    delete(fleet)
    create_topic(fleet.kafka, fleet.topic, PARTITIONS, "development")
    with Publisher(fleet.kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(Mix("others", PARTITIONS).take(2 * COMMANDS + 100))
        publisher.settle()


def add_partitions(fleet: Fleet) -> None:
    fleet.admin.create_partitions({fleet.topic: PARTITIONS + 1})


def exists(fleet: Fleet) -> bool:
    try:
        describe_topic(fleet.kafka, fleet.topic)
    except LogError:
        return False
    return True


CHANGES = {
    "deleted": Change(delete, 4, "does not exist"),
    "created again": Change(create_again, 6, "re-created"),
    "partitions": Change(add_partitions, 6, "partition"),
}


class Changed:
    """A fleet whose topic is changed: its worker runs meanwhile, and is started once more on what it has become."""

    def __init__(self, fleet: Fleet, change: Change) -> None:
        self._fleet = fleet
        self._change = change
        self._mix = Mix(change.words, PARTITIONS)
        self._publish(COMMANDS)
        self._held = Held(fleet.log)
        self._truth = truth_of(fleet.log, self._held, fleet.folder / "before")
        self._worker = fleet.start("a")
        fleet.settle()
        change.do(fleet)

    def _publish(self, count: int) -> Acknowledged:
        with Publisher(self._fleet.kafka, self._fleet.topic, PARTITIONS) as publisher:
            publisher.send(self._mix.take(count))
            return publisher.settle()

    def check(self) -> None:
        self._check_end(self._worker)
        self._check_end(self._fleet.start("a"))
        stores = list((self._fleet.directory("a") / "graph").iterdir())
        assert len(stores) == PARTITIONS
        for path in stores:
            with opened(path, self._held) as store:
                assert store.state.position == self._truth.ends[store.pin.partition]
                check_store(self._held, store, self._truth)

    def _check_end(self, worker: Worker) -> None:
        assert worker.ended() == self._change.code, worker.words
        assert self._change.words in worker.lines("yggdrasil: ")[0]
        assert "Traceback" not in worker.words


def test_a_topic_that_is_not_what_it_was_ends_the_worker(kafka: KafkaSettings, tmp_path: Path) -> None:
    """Everything at once, since a worker looks at its topic every ten seconds only."""
    with ExitStack() as open_fleets:
        changed = []
        for name in turns(["created again"], list(CHANGES)):
            change = CHANGES[name]
            folder = tmp_path / name.replace(" ", "-")
            folder.mkdir()
            changed.append(Changed(open_fleets.enter_context(Fleet(kafka, folder, PARTITIONS)), change))
        for it in changed:
            it.check()


@pytest.mark.parametrize("runs", turns([False], [True, False]), ids=lambda runs: "running" if runs else "stopped")
def test_records_that_were_deleted_before_they_were_folded_halt_their_partition(
    kafka: KafkaSettings, tmp_path: Path, runs: bool
) -> None:
    mix = Mix("deleted", PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(mix.take(COMMANDS))
        publisher.settle()
        held = Held(fleet.log)
        truth = truth_of(fleet.log, held, tmp_path / "before")
        worker = fleet.start("a")
        fleet.settle()
        if not runs:
            worker.stop()
        with stopped(worker) if runs else nullcontext():
            publisher.send(mix.take(COMMANDS))
            publisher.settle()
            fleet.admin.delete_records({TopicPartition(fleet.topic, 1): fleet.log.end_offset(1) - 2})
        if not runs:
            worker = fleet.start("a")
        worker.wait_for("partition halted")
        fleet.settle([0, 2, 3])
        worker.stop()
        for said in worker.lines("partition halted"):  # again whenever a busy machine makes it lose its session
            assert f"needs partition 1 from offset {truth.ends[1]}, but the log begins at" in said
            assert "records were deleted. Restore them, or start from a checkpoint" in said
        with opened(fleet.directory("a") / "graph" / "0001", held) as store:
            assert store.state.position == truth.ends[1]
            check_store(held, store, truth)


def test_refusals_wait_until_their_topic_is_there_again(kafka: KafkaSettings, tmp_path: Path) -> None:
    mix = Mix("nowhere to go", PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        worker = fleet.start("a").wait_for("partition taken", PARTITIONS)
        fleet.admin.delete_topics([fleet.refused])
        publisher.send(mix.take(turns(150, 400)))
        acknowledged = publisher.settle()
        worker.wait_for("caught up", PARTITIONS)
        if LONG:  # it takes ten seconds to be said
            worker.wait_for("refusals could not be published, and are kept to be sent again")
        create_topic(kafka, fleet.refused, 3, "development")
        fleet.settle()
        fleet.stop()
        check(fleet, acknowledged)
