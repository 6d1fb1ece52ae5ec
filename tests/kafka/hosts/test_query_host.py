"""A query host on a real broker: it folds for itself, answers from that, publishes nothing, says what it has not."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.contract.logs import fresh_topic
from tests.harness.waiting import until
from tests.kafka.node import KafkaNode, free_port
from yggdrasil import Memory
from yggdrasil.engines.query import QueryEngine
from yggdrasil.engines.upkeep.tally import Tally
from yggdrasil.memory import CommandRefusedError
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import admin
from yggdrasil_infra.locks import DirectoryInUseError
from yggdrasil_infra.log import Receipt, UnknownPartitionsError
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_producers.draft import Drafter, enable_version
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.errors import InvalidAskError, NotHereError, NotReadyError, NotYetError
from yggdrasil_projections.retrieval.reads.experience.timeline import AskTimeline
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext
from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 3
READY_S = 240.0


class Hosts:
    """Query hosts of one topic, in directories of their own."""

    def __init__(self, kafka: KafkaSettings, folder: Path) -> None:
        self.kafka = kafka
        self.folder = folder
        self.topic = fresh_topic(kafka, PARTITIONS)

    @contextmanager
    def run(self, name: str, *partitions: int) -> Iterator[QueryEngine]:
        settings = HostSettings(
            self.kafka,
            self.folder / name,
            self.topic,
            "development",
            group=f"{self.topic}-{name}",
            partitions=partitions or None,
            look_every_s=0.5,
        )
        with QueryEngine(QueryHost(settings)) as engine:
            until(lambda: engine.host.ready() is None or engine.host.failure is not None, engine.host.ready)
            yield engine

    def log(self) -> KafkaLog:
        return KafkaLog(self.kafka, self.topic, "development")


@pytest.fixture
def hosts(kafka: KafkaSettings, tmp_path: Path) -> Hosts:
    return Hosts(kafka, tmp_path)


def memory_on(engine: QueryEngine, name: str = "me/agent") -> Memory[QueryEngine]:
    return Memory(engine, Drafter(name, "agent", "test"))


def named(partition: int) -> str:
    """A memory in the given partition."""
    return next(name for at in range(1_000) if partition_for((name := f"me/{at}").encode(), PARTITIONS) == partition)


def test_what_is_appended_is_answered_explained_and_stands_in_the_log(hosts: Hosts, tmp_path: Path) -> None:
    with hosts.run("a") as engine:
        memory = memory_on(engine)
        event = memory.record_event("Deployed on a Friday", features=["deploy"])
        memory.log_outcome(event, -3, kind="outage")
        context = memory.get_context("Should we deploy on Friday?")
        assert (context.refs, context.as_of, context.recorded) == ([event], 2, True)
        action = memory.record_event("Waited", informed_by=[context.recall_id or ""])
        assert memory.explain_action(action).informed_by[0].returned[0].ref == event
        with pytest.raises(CommandRefusedError, match="unknown_event"):
            memory.log_outcome(action.replace("-7", "-8", 1), 1)
        attestation = memory.attest()
        assert attestation.digest == memory.digest()
        assert [hosted.store.outbox_depth for hosted in engine.all_hosted()] == [0] * PARTITIONS
    with hosts.log() as log:
        replayed = replay(log, tmp_path / "replayed", partition_for(b"me/agent", PARTITIONS))
    assert replayed.digests == {"me/agent": attestation.digest}


def test_a_host_goes_on_where_it_was_and_another_one_has_the_same(hosts: Hosts) -> None:
    with hosts.run("a") as engine:
        memory = memory_on(engine)
        events = [memory.record_event(f"step {number} of the plan", features=[f"s{number}"]) for number in range(20)]
        digest, found = memory.digest(), memory.get_context("step 7 of the plan", record=False)
    with hosts.run("a") as engine, hosts.run("b") as other:
        for each in (engine, other):
            memory = memory_on(each)
            assert memory.digest() == digest
            again = memory.get_context("step 7 of the plan", record=False)
            assert again == found
        last = memory_on(engine).record_event("one more")
        became = memory_on(engine).became(last)
        assert became is not None
        receipt = Receipt(became.place.partition, became.place.offset)
        assert memory_on(other).describe(last, after=receipt).memory.text == "one more"
        assert memory_on(other).timeline(count=2, after=receipt).memories[1].ref == events[-1]


def test_a_partition_that_a_host_has_not_is_named_before_anything_is_appended(hosts: Hosts) -> None:
    here, elsewhere = named(0), named(1)
    with hosts.run("a", 0) as engine:
        memory_on(engine, here).record_event("x")
        with pytest.raises(NotHereError, match=r"in partition 1, and this host has 0.*--partitions 1"):
            memory_on(engine, elsewhere).record_event("x")
        with pytest.raises(NotHereError):
            engine.ask(elsewhere, AskContext(Ask(elsewhere, "x")))
        assert engine.memories() == [here]
        assert [lag.partition for lag in engine.lags()] == [0]
        assert engine.records.end_offset(1) == 0
    with pytest.raises(UnknownPartitionsError, match="3 does not exist"), hosts.run("b", 3):
        pass


def test_a_receipt_is_waited_for_until_the_deadline(hosts: Hosts) -> None:
    with hosts.run("a") as engine:
        memory = memory_on(engine)
        memory.record_event("x")
        partition = engine.host.partition("me/agent")
        engine.wait("me/agent", Receipt(partition, 0), 0.0)
        with pytest.raises(NotYetError, match="up to offset 1 here, and offset 7"):
            engine.wait("me/agent", Receipt(partition, 7), 0.05)
        with pytest.raises(InvalidAskError, match="is in partition"):
            engine.wait("me/agent", Receipt((partition + 1) % PARTITIONS, 0), 0.05)
        appended = engine.append(memory._drafter.record_event("not waited for"), None)
        engine.wait("me/agent", appended.receipt, READY_S)
        assert engine.ask("me/agent", AskTimeline(count=1)).memories[0].text == "not waited for"


def test_threads_read_what_they_have_appended(hosts: Hosts) -> None:
    failures: list[str] = []
    with hosts.run("a") as engine:

        def work(name: str) -> None:
            memory = memory_on(engine, f"{name}/agent")
            for number in range(15):
                event = memory.record_event(f"{name} number {number}")
                page = memory.timeline(count=1)
                if page.memories[0].ref != event or page.as_of != number + 1:
                    failures.append(f"{name}: {page}")

        threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert engine.memories() == [f"t{number}/agent" for number in range(6)]
        assert engine.memories("t3") == ["t3/agent"]


def test_an_unknown_version_halts_its_partition_which_is_still_read(hosts: Hosts) -> None:
    halted, other = named(0), named(1)
    with hosts.run("a") as engine:
        event = memory_on(engine, halted).record_event("before")
        newer = enable_version(0, "operator", 99)
        engine.host._log.append_to(0, newer.key, newer.value)
        until(lambda: "schema version 99" in (engine.host.ready() or ""), engine.host.ready)
        with pytest.raises(NotReadyError, match="Install a release that knows the version"):
            memory_on(engine, halted).record_event("after")
        assert memory_on(engine, halted).get_context("before", record=False).refs == [event]
        assert memory_on(engine, halted).get_context("before").recorded is False
        assert memory_on(engine, other).record_event("goes on")
        assert engine.records.end_offset(0) == 2
        assert engine.host.live() is None


def test_a_topic_that_was_made_anew_ends_the_host_and_whoever_asks_is_told(hosts: Hosts, kafka: KafkaSettings) -> None:
    with hosts.run("a") as engine:
        memory_on(engine).record_event("x")
        with admin(kafka) as client:
            client.delete_topics([hosts.topic])
        until(lambda: engine.host.failure is not None, engine.host.ready)
        cause = str(engine.host.failure)
        assert hosts.topic in cause
        for probe in (engine.host.live, engine.host.ready):  # and for strangers no more than that
            assert (probe() or "").endswith("has to be started again")
        with pytest.raises(NotReadyError, match=r"has to be started again$"):
            engine.ask("me/agent", AskContext(Ask("me/agent", "x")))


def test_no_answer_waits_long_for_a_broker_that_hangs(tmp_path: Path) -> None:
    """Else a few questions hold all threads that read, until their records are given up after half a minute."""
    with KafkaNode(tmp_path / "kafka", free_port()) as node:
        hosts = Hosts(KafkaSettings(node.address), tmp_path)
        with hosts.run("a") as engine:
            memory = memory_on(engine)
            event = memory.record_event("before")
            assert memory.get_context("before").recorded
            assert node.pid is not None
            node.hold()
            try:
                answers = [memory.get_context("before") for _ in range(3)]
            finally:
                os.kill(node.pid, signal.SIGCONT)
            assert [(answer.recorded, answer.refs) for answer in answers] == [(False, [event])] * 3
            # The first was not given up by the log: the answer has gone ahead of it. Nothing else was begun meanwhile.
            until(lambda: engine.ask(memory.id, AskOverview()).as_of == 3, engine.host.ready)
            until(lambda: memory.get_context("before").recorded, engine.host.ready)
            assert engine.ask(memory.id, AskOverview()).as_of == 4


def test_a_directory_has_one_host(hosts: Hosts) -> None:
    with hosts.run("a"), pytest.raises(DirectoryInUseError, match="in use by process"), hosts.run("a"):
        pass


def test_what_a_tenant_has_taken_is_counted_from_the_topic(hosts: Hosts, tmp_path: Path) -> None:
    drafts = [Drafter(f"t{number % 2}/agent-{number}", "test", "test").record_event("x") for number in range(40)]
    with hosts.run("a") as engine:
        list(engine.submit_many(drafts))
        tally = Tally(engine, tmp_path / "tally.json")
        tally.follow()
        for tenant in ("t0", "t1"):
            size = sum(len(one.key) + len(one.value) for one in drafts if one.memory.startswith(tenant))
            assert tally.taken(tenant) == (size, size)
