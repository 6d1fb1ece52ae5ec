"""A service whose write has failed: it says so, to those who ask and to those who watch it, and its process ends."""

import resource
from pathlib import Path
from threading import Event

import pytest

from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from tests.service.processes import serving
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.upkeep.watched import Watched
from yggdrasil.serving import Health, Service, Serving
from yggdrasil_infra.rocks.database import StorageError

SAID = {"type": "record_event", "body": {}, "content": {"text": "Said on a full disk"}}


def test_a_process_ends_when_its_log_cannot_be_written(tmp_path: Path) -> None:
    with serving(tmp_path, "--log-format", "json", "--drain-s", "2") as it, Client(it.url) as client:
        client.event("Said while there was room")
        pid = it.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
        refused = client.post("/commands", SAID)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)  # there is room again, and nothing is taken all the same
        refused.problem(503, "not_ready")
        client.post("/commands", SAID).problem(503, "not_ready")
        assert "has to be started again" in it.until(503, "/livez")
        assert it.probe("/readyz")[0] in (0, 503)
        assert it.ended() == 1
    assert "accepts nothing more" in (tmp_path / "serve.log").read_text()
    with serving(tmp_path) as it, Client(it.url) as client:
        said = [one["text"] for one in client.get("/timeline").json["memories"]]
        assert "Said while there was room" in said
        client.event("Said after a new start")


def test_after_a_fold_that_failed_every_answer_says_that_the_host_is_not_ready(tmp_path: Path) -> None:
    failures: list[Exception] = []
    told = Event()

    def fail(error: Exception) -> None:
        failures.append(error)
        told.set()

    def enough() -> bool:
        raise RuntimeError("half way")

    with (
        Embedded(tmp_path, partitions=1, sliced=True) as engine,
        Watched(engine, fail) as watched,
        Serving(engine, Service(LOOPBACK), Health(watched.failed, watched.failed)) as it,
        Client(it.url) as client,
    ):
        event = client.event("Said before")
        assert client.send("GET", "/readyz").status == client.send("GET", "/livez").status == 200
        hosted = engine.hosted(client.memory)
        engine.log.append(client.memory.encode(), b"of no form")
        with pytest.raises(RuntimeError):
            hosted.projector.advance(enough=enough)
        for path in ("/stats", "/timeline", f"/nodes/{event['id']}", "/digest"):
            assert str(tmp_path) not in client.get(path).problem(503, "not_ready")["detail"]
        client.post("/commands", SAID).problem(503, "not_ready")
        client.post("/context", {"query": "what was said?"}).problem(503, "not_ready")
        for probe in ("/livez", "/readyz"):
            reply = client.send("GET", probe)
            assert reply.status == 503
            assert str(tmp_path) not in reply.body.decode()
        assert told.wait(240)
    assert [type(error).__mro__[1] for error in failures] == [StorageError]
