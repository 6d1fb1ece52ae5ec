"""`yggdrasil serve` from its start to its end: doors, keys that change, draining, a directory or Kafka behind it."""

import json
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import Cli, Run
from tests.contract.logs import fresh_topic
from tests.harness.waiting import until
from tests.service.client import Client, HalfSent
from tests.service.conftest import LOOPBACK
from tests.service.processes import SCRIPT, serving
from yggdrasil.opening import VARIABLE
from yggdrasil.settings import remembered
from yggdrasil_infra.http.keys import new_key, revoke
from yggdrasil_infra.http.server import Entrance, HttpServer, listening
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_schemas.partitions import partition_for


def refused(folder: Path, *arguments: str) -> Run:
    command = [SCRIPT, "serve", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=240)
    return Run(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--http", "0.0.0.0:0"), "yggdrasil key new --keys FILE"),
        (("--http", "[::]:0"), "yggdrasil key new --keys FILE"),
        (("--http", "8787"), "HOST:PORT"),
        (("--http", "127.0.0.1:0", "--keys", "none.json"), "none.json ...`"),
        (("--partitions", "0"), "--kafka"),
        (("--development",), "--kafka"),
        (("--log-format", "xml"), "no form of a log"),
        (("--embedder", "nothing"), "names no embedder"),
    ],
    ids=repr,
)
def test_what_cannot_be_served_is_said_before_anything_is_made(
    tmp_path: Path,
    arguments: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    run = Cli(tmp_path, capsys)("serve", "--data", "data", *arguments)
    assert run.code in (1, 2)
    assert said in run.err
    assert "Traceback" not in run.err


def test_with_keys_others_may_be_listened_to_and_an_empty_file_lets_nobody_in(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    entry, _ = new_key(file, "me", ["read"], "me")
    revoke(file, entry.id)
    run = refused(tmp_path, "--http", "127.0.0.1:0", "--keys", "keys.json")
    assert run.code == 2
    assert "holds no key" in run.err
    file.chmod(0o604)
    told = refused(tmp_path, "--http", "127.0.0.1:0", "--keys", "keys.json", "--log-format", "json").err.splitlines()
    first, *_ = [json.loads(line)["event"] for line in told]  # each line, whoever reads the log
    assert "can be read by everybody on this machine" in first
    file.chmod(0o666)
    assert "chmod go-w" in refused(tmp_path, "--http", "127.0.0.1:0", "--keys", "keys.json").err


def test_an_address_that_is_taken(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        run = refused(tmp_path, "--data", "other", "--http", f"127.0.0.1:{first.port}")
        assert run.code == 1
        assert "another process may have this one" in run.err


def test_draining_finishes_what_is_under_way_and_keeps_what_was_said(tmp_path: Path) -> None:
    half = {"type": "record_event", "body": {}, "content": {"text": "Half said when the end began"}}
    with serving(tmp_path, "--drain-s", "5", "--log-format", "json") as it, Client(it.url) as client:
        client.event("Deployed on a Friday")
        begun = HalfSent(it.url, client.memory, half)
        while "yggdrasil_service_requests_in_flight 2.0" not in client.send("GET", "/metrics").body.decode():
            pass  # until the other one is under way
        it.process.send_signal(signal.SIGTERM)
        assert "draining" in it.until(503)
        assert it.probe("/livez")[0] == 200
        said = client.post("/commands", {"type": "record_event", "body": {}, "content": {"text": "Still served"}})
        assert said.status == 200
        assert said.headers["connection"] == "close"
        assert begun.finish().status == 200
        begun.close()
        assert it.ended() == 0
        assert it.probe()[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "serve.log").read_text().splitlines()]
    routes = [line["event"] for line in lines if line["logger"] == "yggdrasil.access"]
    assert "POST /v1/memories/{tenant}/{agent}/commands 200" in routes
    assert "Friday" not in (tmp_path / "serve.log").read_text()
    with serving(tmp_path) as it, Client(it.url) as client:
        assert [one["text"] for one in client.get("/timeline").json["memories"]] == [
            "Half said when the end began",
            "Still served",
            "Deployed on a Friday",
        ]


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain-s", "600") as it:
        it.process.send_signal(signal.SIGINT)
        it.until(503)
        it.process.send_signal(signal.SIGINT)
        assert it.ended() == 0


def test_grace_has_an_end(tmp_path: Path) -> None:
    with serving(tmp_path, "--grace-s", "1") as it, Client(it.url) as client:
        begun = HalfSent(it.url, client.memory, {"type": "record_event", "body": {}})
        while "yggdrasil_service_requests_in_flight 2.0" not in client.send("GET", "/metrics").body.decode():
            pass
        it.process.send_signal(signal.SIGTERM)
        assert it.ended() == 0
        begun.close()


def test_a_signal_in_the_midst_of_a_line_of_the_log_is_not_lost(caplog: pytest.LogCaptureFixture) -> None:
    """Its handler writes none itself: one within the other is an error, which would be thrown into whatever ran."""

    async def nobody(scope: Any, receive: Any, send: Any) -> None: ...

    draining = threading.Event()
    with (
        caplog.at_level("INFO", "yggdrasil.http"),
        HttpServer([Entrance(listening(LOOPBACK), nobody)], draining) as server,
    ):
        server._server.handle_exit(signal.SIGTERM, None)
        assert draining.is_set()
    told = [record.thread for record in caplog.records if record.getMessage() == "draining"]
    assert told and threading.get_ident() not in told


def test_keys_are_read_again_on_a_signal(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    _, first = new_key(file, "me", ["read"], "first")
    with serving(tmp_path, "--keys", "keys.json") as it:
        _, second = new_key(file, "me", ["read"], "second")
        it.process.send_signal(signal.SIGHUP)

        def let_in() -> bool:
            with Client(it.url, second) as client:
                return client.send("GET", "/v1/memories").status == 200

        until(let_in)
        for key in (first, second):
            with Client(it.url, key) as client:
                assert client.send("GET", "/v1/memories").status == 200


def test_thinkers_beside_it_decide_what_is_read_over_http(tmp_path: Path) -> None:
    """Events in, an episode out, and what they do among the metrics; they go on where they stood, and end with it."""
    told = ("--data", str(tmp_path / "data"), "--thinkers", "usual")
    with serving(tmp_path, *told) as it:
        it.until(200)
        with Client(it.url) as client:
            events = [client.event(f"plan step {at}", features=["goal:ship", f"s{at}"]) for at in range(4)]
            judged = {"event": events[-1]["id"], "value": -6, "kind": "outage"}
            client.post("/commands", {"type": "log_outcome", "body": judged})
            until(lambda: bool(client.get("/episodes").json["episodes"]), it.log.read_text)
            (episode,) = client.get("/episodes").json["episodes"]
            assert (episode["events"], episode["thinker"], episode["trigger"]) == (4, "chunker", "outcome")
            happened = client.get("/happened").json
            made = next(one for one in happened["happened"] if one["kind"] == "episode")
            assert (made["source"], made["origin"]) == ("thinkers", "thinker")
            client.event("half a plan", features=["goal:rest"])
            decided = b'yggdrasil_thinker_decided_total{thinker="chunker"} 1.0\n'
            until(lambda: decided in client.send("GET", "/metrics").body, it.log.read_text)
            shown = client.send("GET", "/metrics").body
            assert b'yggdrasil_thinker_stopped{thinker="reflector"} 0.0\n' in shown
        it.process.send_signal(signal.SIGTERM)
        assert it.ended() == 0
    with serving(tmp_path, *told) as it:
        it.until(200)
        with Client(it.url) as client:
            events = [client.event(f"rest {at}", features=["goal:rest"]) for at in range(3)]
            judged = {"event": events[-1]["id"], "value": 5, "kind": "rested"}
            client.post("/commands", {"type": "log_outcome", "body": judged})
            until(lambda: len(client.get("/episodes").json["episodes"]) == 2, it.log.read_text)
            assert client.get("/episodes").json["episodes"][0]["events"] == 4, "what was half is whole"
    with serving(tmp_path, *told[:2]) as it:  # nobody thinks unless somebody is named
        it.until(200)
        assert "thinker" not in it.probe("/metrics")[1]


def test_on_kafka_it_appends_reads_and_says_which_host_has_a_memory(kafka: KafkaSettings, tmp_path: Path) -> None:
    topic = fresh_topic(kafka, 3)
    common = ("--kafka", kafka.bootstrap_servers, "--topic", topic, "--development")
    with (
        serving(tmp_path, *common, "--dir", "a", "--partitions", "0,1", "--group", f"{topic}-a") as one,
        Client(one.url) as client,
    ):
        for partition in range(3):
            numbers = (n for n in range(1_000) if partition_for(f"me/agent-{n}".encode(), 3) == partition)
            client.memory = f"me/agent-{next(numbers)}"
            said = {"type": "record_event", "body": {}, "content": {"text": f"Met {client.memory}"}}
            reply = client.post("/commands", said)
            if partition == 2:
                assert "partition 2" in reply.problem(421, "elsewhere")["detail"]
                client.get("/stats").problem(421, "elsewhere")
                continue
            event = reply.json
            assert (reply.status, event["accepted"], event["seq"]) == (200, True, 1)
            assert event["receipt"].startswith(f"{partition}-")
            found = client.ask(f"Who met {client.memory}?", after=event["receipt"])
            assert [one["memory"]["ref"] for one in found["found"]] == [event["id"]]
            assert found["recorded"]
            judged = {"type": "log_outcome", "body": {"event": event["id"], "value": 1}}
            later = client.post("/commands?wait=false", judged)
            assert later.status in (200, 202)
            became = client.get(f"/commands/{later.json['id']}?after={later.json['receipt']}").json
            assert (became["accepted"], became["receipt"]) == (True, later.json["receipt"])
        told = client.send("GET", "/metrics").body.decode()
        assert 'yggdrasil_service_lag_records{partition="1"} 0.0' in told
        one.process.send_signal(signal.SIGTERM)
        assert one.ended() == 0


def test_a_new_directory_gets_vectors_and_one_that_has_none_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    with serving(tmp_path, "--data", "new") as it, Client(it.url) as client:
        kitten = client.event("The kitten sleeps on the sofa")["id"]
        found = client.ask("kitten sofa", record=False)["found"]
        assert [one["memory"]["ref"] for one in found] == [kitten] and found[0]["scores"]["vector"] > 0
    assert remembered(tmp_path / "new") is not None
    with serving(tmp_path, "--data", "old", "--embedder", "off") as it, Client(it.url) as client:
        client.event("The kitten sleeps on the sofa")
    with serving(tmp_path, "--data", "old") as it, Client(it.url) as client:
        assert [one["scores"]["vector"] for one in client.ask("kitten sofa", record=False)["found"]] == [0]
