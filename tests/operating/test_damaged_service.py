"""A service with a damaged store: who asks for its memories is told what has stopped, and the others are answered."""

from pathlib import Path

from tests.cli.runs import Cli
from tests.operating.damaged import MEMORIES, damage_blocks, grown, of_other_partition, store_of
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.upkeep.watched import Watched
from yggdrasil.serving import Health, Service, Serving

HOME = Path("home")
MEMORY = MEMORIES[0]
SAID = {"type": "record_event", "body": {}, "content": {"text": "Said to a damaged store"}}


def test_it_says_what_has_stopped_and_answers_for_the_others(cli: Cli) -> None:
    grown(HOME)
    assert damage_blocks(store_of(HOME, MEMORY))
    with (
        Embedded(HOME, sliced=True) as engine,
        Watched(engine, lambda error: None) as watched,
        Serving(engine, Service(LOOPBACK), Health(watched.failed, watched.ready)) as it,
        Client(it.url, memory=MEMORY) as client,
        Client(it.url, memory=of_other_partition(MEMORY)) as other,
    ):
        assert client.send("GET", "/readyz").status == 200
        for _ in range(2):
            problem = client.get("/timeline").problem(503, "not_ready")
            assert "damaged" in problem["detail"]
            assert "rebuild" in problem["remedy"]
            assert str(HOME) not in problem["detail"] + problem["remedy"]
        client.post("/commands", SAID).problem(503, "not_ready")
        assert other.event("Said to a sound one")
        assert other.get("/timeline").status == 200
        unready = client.send("GET", "/readyz")
        assert (unready.status, b"--recover" in unready.body) == (503, True)
        assert client.send("GET", "/livez").status == 200
    cli.ok("rebuild", "--accept", "--dir", str(HOME))
    with (
        Embedded(HOME, sliced=True) as engine,
        Serving(engine, Service(LOOPBACK)) as it,
        Client(it.url, memory=MEMORY) as client,
    ):
        assert client.get("/timeline").status == 200
        assert client.event("Said to a mended one")
