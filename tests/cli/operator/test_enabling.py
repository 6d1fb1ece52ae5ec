"""`yggdrasil enable-version`: an operator's record in every partition, asked for twice before it halts anything."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import Cli
from tests.cli.test_terminal import on_a_terminal
from tests.contract.logs import everything, fresh_topic
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.sender import DeliveryError
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import CommandLog, Receipt
from yggdrasil_processors.auditing.replay import fresh_projector
from yggdrasil_projections.graph.fold import UnknownVersionError
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import EnableVersion, system_memory

PRESENT = ("--schema", "1", "--rules", "1")
FUTURE = ("--schema", "2", "--rules", "1")


@pytest.fixture(params=["directory", "kafka"])
def place(request: pytest.FixtureRequest, cli: Cli) -> list[str]:
    """The options that name a log of 4 partitions; the default directory needs none."""
    if request.param == "directory":
        cli.ok("record", "x")
        return []
    kafka: KafkaSettings = request.getfixturevalue("kafka")
    return ["--kafka", kafka.bootstrap_servers, "--topic", fresh_topic(kafka, 4), "--development"]


def opened(place: list[str]) -> CommandLog:
    if not place:
        return LocalLog.open_read_only(Path(".yggdrasil/log"))
    return KafkaLog(KafkaSettings(place[1]), place[3], "development")


def enabled(place: list[str]) -> list[tuple[int, int, str]]:
    """Where the operator's records stand: partition, offset, id."""
    log = opened(place)
    found: list[tuple[int, int, str]] = []
    for record in everything(log):
        decoded = decode(record.value)
        if isinstance(decoded, Decoded) and isinstance(decoded.command, EnableVersion):
            assert record.key == system_memory(record.partition).encode()
            found.append((record.partition, record.offset, decoded.command.id))
    log.close()
    return found


def test_it_stands_in_every_partition_and_the_fold_takes_it(cli: Cli, place: list[str], tmp_path: Path) -> None:
    document = cli.ok("enable-version", *PRESENT, "--yes", *place, "--json").json
    said = [(record["partition"], record["offset"], record["id"]) for record in document["records"]]
    assert said == enabled(place)
    assert [partition for partition, _, _ in said] == [0, 1, 2, 3]
    assert (document["schema_version"], document["rules_version"]) == (1, 1)
    log = opened(place)
    for partition in range(4):
        projector = fresh_projector(log, tmp_path / str(partition), partition)
        projector.catch_up()
        assert projector.store.refusals() == []
        projector.close()
    log.close()


def test_again_is_the_same_command(cli: Cli, place: list[str]) -> None:
    first = cli.ok("enable-version", *PRESENT, "--yes", *place, "--json").json["records"]
    second = cli.ok("enable-version", *PRESENT, "--yes", *place, "--json").json["records"]
    assert [record["id"] for record in first] == [record["id"] for record in second]
    assert len({record["id"] for record in first}) == 4


def test_a_memory_is_not_changed_by_it(cli: Cli) -> None:
    cli.ok("record", "x")
    before = cli.ok("replay", "--json").json
    out = cli.ok("enable-version", *PRESENT, "--yes").out
    assert "Schema version 1 with rules version 1 holds in .yggdrasil from these records on." in out
    cli.ok("record", "y")
    cli.ok("context", "x")
    after = cli.ok("replay", "--json").json
    assert before["same"] and after["same"]
    assert cli.ok("stats", "--json").json["refused"] == {}


@pytest.mark.parametrize("future", [FUTURE, ("--schema", "1", "--rules", "2")], ids=["schema", "rules"])
def test_what_this_release_does_not_know_is_not_enabled(cli: Cli, place: list[str], future: tuple[str, ...]) -> None:
    run = cli("enable-version", *future, "--yes", *place, "--json")
    assert (run.code, run.json["error"]["code"]) == (2, "unknown_version")
    assert "would stop at the record in every partition" in run.json["error"]["message"]
    assert "--halt-this-release" in run.json["error"]["message"]
    assert enabled(place) == []


def test_unless_halting_is_what_is_wanted(cli: Cli, place: list[str], tmp_path: Path) -> None:
    cli.ok("enable-version", *FUTURE, "--yes", "--halt-this-release", *place)
    log = opened(place)
    for partition, offset, _ in enabled(place):
        projector = fresh_projector(log, tmp_path / str(partition), partition)
        with pytest.raises(UnknownVersionError) as halted:
            projector.catch_up()
        assert (halted.value.partition, halted.value.offset) == (partition, offset)
        projector.close()
    log.close()
    if not place:
        run = cli("record", "y")
        assert run.code == 1 and "Install a release that knows the version" in run.err


def test_without_a_terminal_it_wants_yes(cli: Cli, place: list[str]) -> None:
    run = cli("enable-version", *PRESENT, *place, "--json")
    assert (run.code, run.json["error"]["code"]) == (2, "not_confirmed")
    assert "--yes" in run.json["error"]["message"]
    assert enabled(place) == []


@pytest.mark.parametrize(("answer", "code", "records"), [("y", 0, 4), ("n", 2, 0), ("", 2, 0)])
def test_on_a_terminal_it_asks(cli: Cli, answer: str, code: int, records: int) -> None:
    cli.ok("record", "x")
    shown = on_a_terminal("enable-version", *PRESENT, columns=300, typed=answer + "\n", code=code)
    assert "Enable schema version 1 with rules version 1 in 4 partitions of .yggdrasil, for ever?" in shown
    assert ("nothing was appended" in shown) is (records == 0)
    assert len(enabled([])) == records


def test_half_way_it_says_how_far_and_that_the_same_again_is_safe(
    cli: Cli, kafka: KafkaSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = fresh_topic(kafka, 4)
    place = ["--kafka", kafka.bootstrap_servers, "--topic", topic, "--development"]
    append = KafkaLog.append_to

    def failing(log: KafkaLog, partition: int, *record: Any) -> Receipt:
        if partition == 2:
            raise DeliveryError(topic, partition, "no broker has acknowledged the record in time", uncertain=True)
        return append(log, partition, *record)

    with monkeypatch.context() as patched:
        patched.setattr(KafkaLog, "append_to", failing)
        run = cli("enable-version", *PRESENT, "--yes", *place)
    assert run.code == 1
    assert "stands in 2 of 4 partitions; give the same command again to finish" in run.err
    cli.ok("enable-version", *PRESENT, "--yes", *place)
    assert len({command_id for _, _, command_id in enabled(place)}) == 4


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "--schema"),
        (("--schema", "1"), 2, "--rules"),
        (("--schema", "0", "--rules", "1"), 2, "--schema"),
        ((*PRESENT, "--yes", "--kafka", "127.0.0.1:1", "--dir", "here"), 2, "exclude each other"),
        ((*PRESENT, "--yes", "--topic", "acme.commands"), 2, "it goes with --kafka"),
        ((*PRESENT, "--yes", "--dir", "nowhere"), 4, "holds no memory"),
    ],
)
def test_what_cannot_be_meant_is_refused(cli: Cli, arguments: tuple[str, ...], code: int, said: str) -> None:
    run = cli("enable-version", *arguments)
    assert run.code == code and said in run.err
    assert list(cli.place.iterdir()) == []
