"""`yggdrasil worker`: what is typed wrong is said before anything starts, and what serves is really served."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from time import monotonic
from uuid import uuid4

import pytest
import typer

from tests.cli.runs import Cli
from tests.kafka.node import free_port
from yggdrasil.cli.operator.hosts.working import address_of
from yggdrasil.cli.options import partitions_of
from yggdrasil_infra.kafka_log.settings import KafkaSettings


@pytest.fixture
def topic(kafka: KafkaSettings, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"test-{uuid4().hex}.commands"
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrap_servers)
    monkeypatch.setenv("YGGDRASIL_TOPIC", name)
    return name


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("0", (0,)), ("3,0,3", (0, 3)), ("0,3-5", (0, 3, 4, 5)), ("4-6,0-4", (0, 1, 2, 3, 4, 5, 6)), ("7-7", (7,))],
)
def test_partitions_are_numbers_and_ranges(text: str, numbers: tuple[int, ...]) -> None:
    assert partitions_of(text) == numbers


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "1,,2", "5-3", "1.5", "0-999999", "1 2"])
def test_partitions_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        partitions_of(text)


def test_an_address_is_a_host_and_a_port() -> None:
    assert address_of("127.0.0.1:9464", "--http", "a:1") == ("127.0.0.1", 9464)
    assert address_of("[::1]:80", "--http", "a:1") == ("::1", 80)
    for wrong in ("9464", ":9464", "host:", "host:http", "host:70000", "host:-1", "host:\u00b2", "host:" + "9" * 5_000):
        with pytest.raises(typer.BadParameter, match=r"write HOST:PORT, such as a:1$") as said:
            address_of(wrong, "--http", "a:1")
        assert said.value.param_hint == "'--http'"
        assert ("at most 65535" in said.value.message) is (wrong == "host:70000")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--partitions", "5-3"), "5-3 is no range"),
        (("--http", "9464"), "Invalid value for '--http': '9464' is no address"),
        (("--log-format", "xml"), "'xml' is no form of a log"),
        (("--grace-s", "0"), "--grace-s"),
        (("--group", " "), "--group"),
    ],
)
def test_what_is_typed_wrong_is_said_before_anything_starts(
    cli: Cli, topic: str, arguments: tuple[str, ...], said: str
) -> None:
    run = cli("worker", "--development", "--dir", "w", *arguments)
    assert run.code == 2
    assert said in run.err
    assert not Path("w").exists()


def test_without_brokers_it_says_where_they_are_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    run = cli("worker")
    assert run.code == 2
    assert "--kafka" in run.err


def test_topics_that_are_not_there_are_named_with_the_remedy(cli: Cli, topic: str) -> None:
    run = cli.script("worker", "--development", "--dir", "w", "--http", "off")
    assert run.code == 4
    assert f"topic {topic} does not exist" in run.err
    assert "`yggdrasil topics` creates it" in run.err


def test_the_last_word_has_the_form_of_the_log(cli: Cli, topic: str) -> None:
    run = cli.script("worker", "--development", "--dir", "w", "--http", "off", "--log-format", "json")
    last = json.loads(run.err.splitlines()[-1])
    assert (run.code, last["level"], last["exit_code"], last["code"]) == (4, "CRITICAL", 4, "no_topic")
    assert "`yggdrasil topics` creates it" in last["event"]


def test_a_directory_with_a_log_of_its_own_is_not_for_workers(cli: Cli, topic: str) -> None:
    cli.ok("record", "a memory of its own", "--dir", "mine")
    run = cli("worker", "--development", "--dir", "mine", "--http", "off")
    assert run.code == 2
    assert "mine holds a log of its own" in run.err
    assert not Path("mine/worker.lock").exists()


def test_what_the_topic_does_not_allow_is_refused(cli: Cli, topic: str) -> None:
    cli.ok("topics", "--development", "--partitions", "4")
    run = cli.script("worker", "--dir", "w", "--http", "off")
    assert run.code != 0
    assert "must have 3" in run.err
    assert "development profile" in run.err
    run = cli.script("worker", "--development", "--dir", "w", "--http", "off", "--partitions", "2-6")
    assert run.code == 2
    assert f"topic {topic} has partitions 0 to 3; 4-6 do not exist" in run.err
    assert not Path("w/graph").exists()


def test_a_session_that_the_brokers_do_not_take_is_named_by_its_option(cli: Cli, topic: str) -> None:
    cli.ok("topics", "--development", "--partitions", "1")
    run = cli.script("worker", "--development", "--dir", "w", "--http", "off", "--session-timeout-s", "99999")
    assert run.code == 2
    assert "--session-timeout-s" in run.err
    assert "group.max.session.timeout.ms" in run.err


def test_an_address_in_use_is_named_and_nothing_is_folded(cli: Cli, topic: str) -> None:
    cli.ok("topics", "--development", "--partitions", "1")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        run = cli.script("worker", "--development", "--dir", "w", "--http", f"127.0.0.1:{port}")
    assert run.code == 1
    assert f"127.0.0.1:{port}" in run.err
    assert "(--http HOST:PORT, or --http off)" in run.err
    assert not Path("w/graph").exists()


def test_it_serves_its_signals_folds_and_ends_cleanly_on_sigterm(cli: Cli, kafka: KafkaSettings, topic: str) -> None:
    cli.ok("topics", "--development", "--partitions", "2")
    Path("chat.jsonl").write_text('{"role": "user", "content": "No deploys on Fridays"}\n' * 3)
    cli.ok("import", "chat", "chat.jsonl", "--kafka", kafka.bootstrap_servers, "--topic", topic, "--development")
    port = free_port()
    arguments = ["--dir", "w", "--log-format", "json", "--http", f"127.0.0.1:{port}"]
    with Path("worker.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "yggdrasil", "worker", "--development", *arguments], stderr=log
        )
    try:
        wait_until(lambda: get(port, "/readyz") == (200, "ok"))
        wait_until(lambda: folded(port) == 3 + 2)  # with what the log of each partition begins with
        assert get(port, "/livez") == (200, "ok")
        process.send_signal(signal.SIGTERM)
        assert process.wait(240) == 0
    finally:
        process.kill()
        process.wait()
    lines = [json.loads(line) for line in Path("worker.log").read_text().splitlines()]
    events = [line["event"] for line in lines if line["logger"].startswith("yggdrasil")]  # Kafka's client may add some
    assert events[0] == "started"
    assert events[-2:] == ["stopping", "stopped"]
    (memory,) = cli.ok("replay", "--kafka", kafka.bootstrap_servers, "--topic", topic, "--development", "--dir", "w",
                       "--json").json["memories"]  # fmt: skip
    assert memory["same"] is True


def get(port: int, page: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", page)
        answer = connection.getresponse()
        return answer.status, answer.read().decode().strip()
    except OSError:
        return 0, "nobody listens yet"
    finally:
        connection.close()


def folded(port: int) -> float:
    found = re.findall(r"^yggdrasil_worker_records_folded_total\{.*\} (.*)$", get(port, "/metrics")[1], re.MULTILINE)
    return sum(map(float, found))


def wait_until(reached: Callable[[], bool]) -> None:
    deadline = monotonic() + 240
    while not reached():
        assert monotonic() < deadline
        Event().wait(0.05)
