"""``yggdrasil rebuild``, as it is typed."""

from pathlib import Path

from tests.cli.runs import Cli
from tests.contract.logs import fresh_topic
from tests.harness.waiting import until
from yggdrasil import Memory
from yggdrasil.engines.query import QueryEngine
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_producers.draft import Drafter


def test_a_directory_is_rebuilt_and_answers_as_before(cli: Cli) -> None:
    event = cli.ok("record", "Deployed on a Friday", "--feature", "deploy").line
    cli.ok("context", "deployed friday")
    found = cli.ok("rebuild", "--json").json
    assert (found["same"], found["swapped"]) == (True, True)
    assert sum(one["records"] for one in found["partitions"]) == 2
    assert [one["indexes"] for one in found["partitions"] if one["indexes"]] == []  # of so few nodes none is kept
    assert [one["memory"]["ref"] for one in cli.ok("context", "deployed friday", "--json").json["found"]] == [event]
    assert "have taken the places of the old" in cli.ok("rebuild").out


def test_where_there_is_nothing_nothing_is_rebuilt(cli: Cli) -> None:
    refused = cli("rebuild", "--dir", "nowhere")
    assert (refused.code, Path("nowhere").exists()) == (4, False)
    cli.ok("record", "x")
    assert cli("rebuild", "--partitions", "77").code == 4


def test_the_directory_of_a_query_host_is_rebuilt_from_its_topic(cli: Cli, kafka: KafkaSettings) -> None:
    topic = fresh_topic(kafka, 2)
    settings = HostSettings(kafka, Path("host"), topic, "development", group=topic)
    with QueryEngine(QueryHost(settings)) as engine:
        until(lambda: engine.host.ready() is None, engine.host.ready)
        memory = Memory(engine, Drafter("me/agent", "test", "test"))
        memory.record_event("Deployed on a Friday")
        digest, context = memory.digest(), memory.get_context("friday", record=False)
        assert context.found
        there = ("--kafka", kafka.bootstrap_servers, "--topic", topic, "--development", "--dir", "host")
        assert cli("rebuild", *there).code == 5
    found = cli.ok("rebuild", *there, "--json").json
    assert (found["same"], [one["partition"] for one in found["partitions"]]) == (True, [0, 1])
    with QueryEngine(QueryHost(settings)) as engine:
        until(lambda: engine.host.ready() is None, engine.host.ready)
        memory = Memory(engine, Drafter("me/agent", "test", "test"))
        assert (memory.digest(), memory.get_context("friday", record=False)) == (digest, context)
