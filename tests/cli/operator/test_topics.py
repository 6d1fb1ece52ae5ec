"""`yggdrasil topics`: creates what is missing, changes nothing else, and says what is wrong."""

import subprocess
from uuid import uuid4

import pytest

from tests.cli.runs import Cli
from tests.cli.test_help import examples
from tests.kafka.altered import alter
from yggdrasil.cli.operator.topics import _UNPINNED, Found, _show, _stops
from yggdrasil.cli.screen import Screen
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import TopicMissingError, create_topic, describe_topic


@pytest.fixture
def topic(kafka: KafkaSettings, monkeypatch: pytest.MonkeyPatch) -> str:
    """A name that nobody has used; the brokers and the name come from the environment, as in a container."""
    name = f"test-{uuid4().hex}.commands"
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrap_servers)
    monkeypatch.setenv("YGGDRASIL_TOPIC", name)
    return name


@pytest.fixture
def refused(topic: str) -> str:
    return topic.replace(".commands", ".refused")


def test_what_is_missing_is_created_once(cli: Cli, kafka: KafkaSettings, topic: str, refused: str) -> None:
    run = cli.ok("topics", "--development", "--partitions", "3")
    first, second = (line.split() for line in run.out.splitlines()[1:3])
    assert (first[:5], second[:5]) == ([topic, "3", "1", "1", "1"], [refused, "3", "1", "1", "1"])
    assert (first[5:7], second[5:7]) == (["for", "ever"], ["30", "days"])
    assert first[-1] == second[-1] == "created"
    assert "Fit for development: the memory is lost with this broker." in run.out
    there = describe_topic(kafka, topic)
    for arguments in ((), ("--check",), ("--partitions", "3")):
        document = cli.ok("topics", "--development", "--json", *arguments).json
        assert document["fit"] and not any(one["created"] for one in document["topics"])
        assert document["topics"][0]["topic_id"] == there.topic_id
        assert describe_topic(kafka, topic) == there


def test_looking_creates_nothing(cli: Cli, kafka: KafkaSettings, topic: str) -> None:
    run = cli("topics", "--development", "--check")
    assert run.code == 4
    assert f"{topic} does not exist at {kafka.bootstrap_servers}; `yggdrasil topics` creates it" in run.out
    run = cli("topics", "--development", "--check", "--json")
    assert (run.code, run.json["fit"]) == (4, False)
    assert [one["exists"] for one in run.json["topics"]] == [False, False]
    with pytest.raises(TopicMissingError):
        describe_topic(kafka, topic)


def test_one_broker_is_not_enough_unless_it_is_asked_for(
    cli: Cli, kafka: KafkaSettings, topic: str, refused: str
) -> None:
    run = cli("topics")
    assert run.code == 4 and "there are not so many brokers" in run.out and "--development" in run.out
    with pytest.raises(TopicMissingError):
        describe_topic(kafka, topic)
    cli.ok("topics", "--development")
    run = cli("topics")
    assert f"topic {topic} cannot be the log: " in run.out and f"topic {refused} cannot hold the refusals: " in run.out
    assert run.code == 1 and "has 1 replica and must have 3" in run.out and "NOT FIT" in run.out


def test_the_number_of_partitions_is_for_ever(cli: Cli, kafka: KafkaSettings, topic: str) -> None:
    cli.ok("topics", "--development", "--partitions", "2")
    run = cli("topics", "--development", "--partitions", "4")
    assert run.code == 1
    assert f"{topic} has 2 partitions, and 4 were asked for." in run.out
    assert describe_topic(kafka, topic).partitions == 2
    cli.ok("topics", "--development")


def test_a_topic_that_forgets_is_named_with_the_command_that_mends_it(
    cli: Cli, kafka: KafkaSettings, topic: str, refused: str
) -> None:
    cli.ok("topics", "--development", "--partitions", "1")
    alter(kafka, topic, {"retention.ms": "86400000"})
    run = cli("topics", "--development", "--json")
    assert run.code == 1
    commands, refusals = run.json["topics"]
    assert (commands["retention_ms"], refusals["error"]) == (86_400_000, None)
    name, value = commands["error"].split("--add-config ")[1].split("=")
    assert f"--entity-name {topic} " in commands["error"]
    alter(kafka, topic, {name: value})
    cli.ok("topics", "--development")


@pytest.mark.parametrize(
    ("replicas", "in_sync", "least", "said"),
    [
        (1, 1, 1, None),
        (3, 3, 2, None),
        (3, 2, 2, None),
        (1, 1, 2, "is 2, of 1 replica: older brokers take no record"),
        (3, 1, 2, "1 of 3 are in sync: it takes no record until more are"),
        (3, 3, 3, "of 3 replicas: while one broker is away no record is taken. Set it to 2."),
        (2, 2, 2, "of 2 replicas: while one broker is away no record is taken. Add a third: with 1 instead"),
    ],
)
def test_what_keeps_a_topic_from_taking_records_is_told(
    replicas: int, in_sync: int, least: int, said: str | None
) -> None:
    stops = _stops(Found("x", replicas=replicas, in_sync=in_sync, in_sync_min=least))
    assert stops is None if said is None else said in (stops or "")


@pytest.mark.parametrize(
    ("replicas", "in_sync", "least", "note", "last"),
    [
        (3, 3, 2, None, "Both can be trusted with a memory."),
        (3, 3, 2, _UNPINNED, "Both can be trusted with a memory."),
        (3, 1, 2, None, "What is in them stays. Mend first what keeps them from taking more."),
        (3, 3, 3, None, "What is in them stays. Mend first what keeps them from taking more."),
        (3, 3, 2, "What its log begins with could not be read", "is not known before that can be read."),
        (3, 3, 1, None, "Fit for development: what one broker alone has acknowledged is lost with it."),
        (1, 1, 1, None, "Fit for development: the memory is lost with this broker."),
        (1, 1, 2, None, "What is in them stays. Mend first what keeps them from taking more."),
    ],
)
def test_the_last_line_contradicts_nothing_above_it(
    capsys: pytest.CaptureFixture[str], replicas: int, in_sync: int, least: int, note: str | None, last: str
) -> None:
    found = Found("x", replicas=replicas, in_sync=in_sync, in_sync_min=least, note=note)
    found.stops = _stops(found)
    _show(Screen(), [Found("y", replicas=3, in_sync=3, in_sync_min=2), found])
    said = capsys.readouterr().out
    assert said.splitlines()[-1].endswith(last)
    assert ("fit, see below" in said) == (found.stops is not None)


def test_a_topic_that_may_take_no_record_is_fit_and_told(
    cli: Cli, kafka: KafkaSettings, topic: str, refused: str
) -> None:
    cli.ok("topics", "--development", "--partitions", "1")
    alter(kafka, topic, {"min.insync.replicas": "2"})
    assert f"min.insync.replicas of topic {topic} is 2, of 1 replica" in cli.ok("topics", "--development").out


def test_only_the_refusals_were_missing(cli: Cli, kafka: KafkaSettings, topic: str, refused: str) -> None:
    create_topic(kafka, topic, 5, "development")
    document = cli.ok("topics", "--development", "--json").json
    assert [(one["name"], one["created"], one["partitions"]) for one in document["topics"]] == [
        (topic, False, 5),
        (refused, True, 5),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--kafka", " "), "--kafka"),
        (("--kafka", "foo:bar"), "'foo:bar' names no broker; write HOST:PORT"),
        (("--kafka", "127.0.0.1:1", "--partitions", "0"), "--partitions"),
        (("--kafka", "127.0.0.1:1", "--topic", "acme.refused"), "acme.refused is a name for refusals"),
    ],
)
def test_what_cannot_be_meant_is_refused(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    run = cli("topics", *arguments)
    assert run.code == 2 and said in run.err


def test_no_broker_is_named_or_none_answers(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    run = cli("topics")
    assert run.code == 2 and "--kafka" in run.err
    run = cli.script("topics", "--kafka", "127.0.0.1:1")  # kafka-python leaves its sockets open when nobody answers
    assert (run.code, run.out) == (1, "")
    assert "no Kafka broker answers at 127.0.0.1:1" in run.err and "Traceback" not in run.err


def test_the_examples_can_be_pasted(cli: Cli, kafka: KafkaSettings, topic: str) -> None:
    script = "\n".join(examples(cli.ok("topics", "--help").out)).replace("127.0.0.1:19092", kafka.bootstrap_servers)
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, check=False, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
    assert describe_topic(kafka, topic).partitions == 16
