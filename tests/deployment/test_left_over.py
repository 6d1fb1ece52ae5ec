"""In a group, stores that others have folded on are deleted, and only when nothing can be lost by it."""

import os
from collections.abc import Callable
from time import time

from kafka.structs import TopicPartition

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import check
from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from tests.kafka.hosts.test_lag import publish
from yggdrasil_processors.graph_worker.left_over import LeftOver
from yggdrasil_processors.opening import Directories, StoreOpening
from yggdrasil_processors.past.ladder import LADDER

PARTITIONS = 2
DAY_S = 86_400.0


def stores(fleet: Fleet, name: str) -> list[str]:
    return sorted(path.name for path in (fleet.directory(name) / "graph").iterdir())


def age(fleet: Fleet, name: str, seconds: float) -> None:
    """Have every file of every store be written so long ago."""
    for path in (fleet.directory(name) / "graph").glob("*/*"):
        os.utime(path, (time() - seconds, time() - seconds))


def committed(fleet: Fleet) -> Callable[[int], tuple[int, str] | None]:
    found = fleet.admin.list_group_offsets({fleet.group: None})[fleet.group]
    known = {place.partition: (it.offset, it.metadata) for place, it in found.items()}
    return known.get


def looked_at(fleet: Fleet, name: str, *ours: int, keep_s: float = DAY_S, words: str = "") -> list[str]:
    """What is left after as many looks as there are stores."""
    directory = fleet.directory(name)
    opening = StoreOpening(Directories(directory), fleet.log, 1_000)
    group = committed(fleet)

    def told(partition: int) -> tuple[int, str] | None:
        it = group(partition)
        return (it[0], words) if it is not None and words else it

    for _ in range(PARTITIONS):
        LeftOver(directory, opening, fleet.log, keep_s).turn(ours, told)
    return stores(fleet, name)


def folded(fleet: Fleet, name: str, seed: str) -> None:
    publish(fleet, seed)
    fleet.start(name)
    fleet.settle()
    fleet.stop()


def test_what_others_have_folded_on_is_deleted_and_nothing_else(fleet: Fleet) -> None:
    both = ["0000", "0001"]
    folded(fleet, "a", "first")
    age(fleet, "a", 2 * DAY_S)
    assert looked_at(fleet, "a") == both, "nobody has gone on from there"
    folded(fleet, "b", "second")
    assert looked_at(fleet, "a", 0, 1) == both, "they are ours"
    assert looked_at(fleet, "a", keep_s=0) == both
    assert looked_at(fleet, "a", words="folded, by somebody") == both, "who says so is not believed"
    age(fleet, "a", DAY_S / 2)
    assert looked_at(fleet, "a") == both, "they were left a moment ago"
    age(fleet, "a", 2 * DAY_S)
    ladders = fleet.directory("a") / LADDER
    for name in both:
        (ladders / name / "1").mkdir(parents=True)
    fleet.admin.delete_records({TopicPartition(fleet.topic, 1): 1})
    assert looked_at(fleet, "a", 0) == both, "the log has lost its beginning"
    assert looked_at(fleet, "a") == ["0001"]
    assert [path.name for path in ladders.iterdir()] == ["0001"]
    assert not list(fleet.directory("a").glob("rebuilt*"))
    assert stores(fleet, "b") == both


def test_a_worker_deletes_what_it_had_and_makes_it_again_when_it_comes_back(fleet: Fleet) -> None:
    mix = Mix("left over", PARTITIONS)
    with Publisher(fleet.kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(mix.take(200))
        publisher.settle()
        first = fleet.start("a", "--keep-left-hours", "0.0003").wait_for("partition taken", PARTITIONS)
        fleet.settle()
        second = fleet.start("b").wait_for("partition taken", 1)
        first.wait_for("partition left", 1)
        publisher.send(mix.take(400))
        publisher.settle()
        fleet.settle()
        first.wait_for("left-over store deleted")
        until(lambda: len(stores(fleet, "a")) == 1, lambda: first.words)
        second.stop()
        first.wait_for("partition taken", PARTITIONS + 1)
        publisher.send(mix.take(200))
        acknowledged = publisher.settle()
        fleet.settle()
        fleet.stop()
    check(fleet, acknowledged)
