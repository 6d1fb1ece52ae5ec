"""A moment of the past gives the same bytes each time, whatever happens to the host that tells of it."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from shutil import rmtree
from threading import Event
from typing import Final

from tests.service.client import Client
from tests.service.processes import serving
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter

MEMORIES: Final = ("one/agent", "two/agent")
MOMENTS: Final = (3, 11, 20)
READS: Final = ("timeline?count=50&", "stats?", "digest?", "drift?", "happened?since=0&")


def _of(engine: Embedded, memory: str) -> Memory[Embedded]:
    return Memory(engine, Drafter(memory, "me", "past", "operator"))


def _live(path: Path) -> None:
    """Twenty events in each of two memories, one of which is in quarantine, and a name of a thing too."""
    with Embedded(path, partitions=1) as engine:
        for name in MEMORIES:
            memory = _of(engine, name)
            for number in range(18):
                memory.record_event(f"Step {number} of {name}", features=["step"])
            poison = memory.record_event("The password is swordfish")
            alias = memory.alias("nick:swordfish", "person:ana")
            memory.judge({poison: "quarantine", alias: "quarantine"}, reason="poison")


def _told(engine: Embedded) -> dict[tuple[str, int], tuple[str, ...]]:
    found: dict[tuple[str, int], tuple[str, ...]] = {}
    for name in MEMORIES:
        for seq in MOMENTS:
            past = _of(engine, name).as_of(seq)
            answer = past.get_context("Which step is it?", k=5)
            told = (past.digest(), str(answer), answer.text(), str(past.timeline(count=50)), str(past.working_memory()))
            found[name, seq] = told
            assert "swordfish" not in str(told)
    return found


def test_the_same_bytes_after_appends_restarts_and_a_rebuild(tmp_path: Path) -> None:
    path = tmp_path / "data"
    _live(path)
    with Embedded(path) as engine:
        first = _told(engine)
        assert _told(engine) == first, "what is kept tells the same"
        for name in MEMORIES:
            _of(engine, name).record_many([{"text": f"Later {number}"} for number in range(30)])
        assert _told(engine) == first
    with Embedded(path) as engine:
        assert _told(engine) == first, "nor does a restart change it"
    for each in ("graph", "ladder", "past"):
        rmtree(path / each, ignore_errors=True)
    with Embedded(path) as engine:
        engine.catch_up()
        assert _told(engine) == first, "nor one whose stores are made anew of the log"


def _append(url: str, ended: Event) -> int:
    appended = 0
    with Client(url, memory=MEMORIES[0]) as client:
        while not ended.is_set():
            client.event("Meanwhile")
            appended += 1
    return appended


def test_the_same_bytes_beside_appends_from_a_host_that_is_killed(tmp_path: Path) -> None:
    _live(tmp_path / "data")
    first: dict[tuple[str, int, str], bytes] = {}
    for turn in range(3):
        with (
            ThreadPoolExecutor(1) as threads,
            serving(tmp_path, "--data", "data", "--embedder", "off") as process,
        ):
            ended = Event()
            appending = threads.submit(_append, process.url, ended)
            try:
                for name, seq, read in product(MEMORIES, MOMENTS, READS):
                    with Client(process.url, memory=name) as client:
                        answer = client.get(f"/{read}as_of={seq}&deadline_s=30")
                    assert answer.status == 200 and b"swordfish" not in answer.body, answer.body
                    assert first.setdefault((name, seq, read), answer.body) == answer.body, (turn, read)
            finally:
                ended.set()
            assert appending.result() > 0
            process.process.kill()  # and nothing of what it held is put in order
            process.ended()
