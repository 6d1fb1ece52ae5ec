"""A worker beside others: one holder of a directory, partitions that are shared, a clean end, and a rebuild."""

import shutil
import signal
from collections.abc import Iterator

import pytest

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import check, published_refusals
from tests.faults.workers.processes import Fleet
from tests.size import turns
from yggdrasil_infra.kafka_log.settings import KafkaSettings

PARTITIONS = 4
SOME = turns(80, 300)  # records


@pytest.fixture
def publisher(kafka: KafkaSettings, fleet: Fleet) -> Iterator[Publisher]:
    with Publisher(kafka, fleet.topic, PARTITIONS) as opened:
        yield opened


def test_a_directory_has_one_holder_and_a_second_one_is_refused(fleet: Fleet, publisher: Publisher) -> None:
    mix = Mix("holder", PARTITIONS)
    publisher.send(mix.take(SOME))
    holder = fleet.start("a").wait_for("partition taken", PARTITIONS)
    for more in ((), ("--partitions", "0"), ("--group", "another")):
        second = fleet.start("a", *more)
        assert second.ended() == 5
        assert f"is in use by process {holder.pid}; stop that one first, or name another directory" in second.words
        assert "started" not in second.words
    publisher.send(mix.take(SOME))
    acknowledged = publisher.settle()
    fleet.settle()
    holder.kill()
    fleet.start("a").wait_for("partition taken", PARTITIONS).stop()  # the lock went with the one that was killed
    check(fleet, acknowledged)


def test_sigterm_in_the_midst_of_the_work_is_a_clean_end(fleet: Fleet, publisher: Publisher) -> None:
    publisher.send(Mix("term", PARTITIONS).take(turns(300, 3_000)))
    acknowledged = publisher.settle()
    for _ in range(2):  # each takes over the directory at once, and goes on where the one before was
        worker = fleet.start("a").wait_for("partition taken", 2)
        worker.stop()
        assert worker.words.index("stopping") < worker.words.index("stopped")
    assert len(fleet.directories()) == 1
    fleet.start("a")
    fleet.settle()
    fleet.stop()
    assert check(fleet, acknowledged).behind == 0


def test_whoever_stops_leaves_the_group_so_that_others_take_over_at_once(fleet: Fleet, publisher: Publisher) -> None:
    """The session lasts for ten minutes here, so nobody waits for its end."""
    session = ("--session-timeout-s", "600")
    mix = Mix("leave", PARTITIONS)
    first = fleet.start("a", *session).wait_for("partition taken", PARTITIONS)
    second = fleet.start("b", *session).wait_for("partition taken", PARTITIONS // 2)
    publisher.send(mix.take(SOME))
    first.wait_for("partition left", PARTITIONS // 2)
    first.stop()
    second.wait_for("partition taken", PARTITIONS)
    publisher.send(mix.take(SOME))
    acknowledged = publisher.settle()
    fleet.settle()
    fleet.stop()
    assert "why=lost" not in first.words + second.words
    check(fleet, acknowledged)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_it_has_begun_is_a_clean_end_too(fleet: Fleet, how: signal.Signals) -> None:
    worker = fleet.start("a").wait_for(" started ")
    worker.signal(how)
    worker.signal(how)
    assert worker.ended() == 0, worker.words


def test_partitions_that_are_named_never_move(fleet: Fleet, publisher: Publisher) -> None:
    mix = Mix("static", PARTITIONS)
    low = fleet.start("low", "--partitions", "0-1")
    fleet.start("high", "--partitions", "2,3")
    publisher.send(mix.take(2 * SOME))
    low.wait_for("partition taken", 2).kill()
    publisher.send(mix.take(2 * SOME))
    fleet.start("low", "--partitions", "0-1")
    acknowledged = publisher.settle()
    fleet.settle()
    fleet.stop()
    found = {(path.parents[1].name, path.name) for path in fleet.folder.glob("*/graph/*")}
    assert found == {("low", "0000"), ("low", "0001"), ("high", "0002"), ("high", "0003")}
    check(fleet, acknowledged)


def test_a_rebuild_publishes_nothing(fleet: Fleet, publisher: Publisher) -> None:
    mix = Mix("rebuild", PARTITIONS)
    publisher.send(mix.take(turns(400, 800)))
    publisher.settle()
    fleet.start("a")
    fleet.settle()
    fleet.stop()
    published = len(published_refusals(fleet))
    assert published > 20
    before = fleet.committed()
    shutil.rmtree(fleet.directory("a") / "graph" / "0002")  # one that was damaged, say
    for name in ("a", "b", "b", "b"):  # and a host that never had any of it, whose rebuild is cut short twice
        shim = ("fold", "after", "3") if name == "b" and len(fleet.workers) < 4 else ()
        worker = fleet.start(name, shim=shim)
        if shim:
            assert worker.ended() == -signal.SIGKILL
        else:
            worker.wait_for("partition taken", PARTITIONS)
            fleet.settle()
            worker.stop()
        told = fleet.committed()  # how far the store is, and in its words what was published before
        assert told == before or (shim and all(told[number] <= before[number] for number in before))
    assert len(published_refusals(fleet)) == published
    publisher.send(mix.take(SOME))
    acknowledged = publisher.settle()
    fleet.start("b")
    fleet.settle()
    fleet.stop()
    seen = check(fleet, acknowledged)
    assert seen.published == len(seen.truth.refusals) > published, "some were published twice"
