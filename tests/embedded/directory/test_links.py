"""A link to a directory is followed once, by all that has it open: it may lead elsewhere before that ends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from yggdrasil import Store, opening, store
from yggdrasil.daemon import attaching, starting
from yggdrasil.daemon.wish import LOCK
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.locks import DirectoryLock
from yggdrasil_infra.log import LogReader
from yggdrasil_infra.paths import followed
from yggdrasil_infra.signals.metrics import WorkerMetrics
from yggdrasil_processors.graph_worker import GraphWorker, WorkerSettings
from yggdrasil_processors.opening import Directories, StoreOpening
from yggdrasil_processors.query_host.host import QueryHost
from yggdrasil_processors.query_host.settings import HostSettings

KAFKA = KafkaSettings("localhost:1")


class Link:
    """A link that leads to ``one``, beside ``other``."""

    def __init__(self, folder: Path) -> None:
        self.one, self.other, self.path = (folder / name for name in ("one", "other", "link"))
        self.one.mkdir()
        self.other.mkdir()
        self.path.symlink_to("one")

    def turn(self) -> None:
        """Let it lead to ``other``."""
        self.path.unlink()
        self.path.symlink_to("other")


@pytest.fixture
def link(tmp_path: Path) -> Link:
    return Link(tmp_path)


def test_another_service_is_started_where_the_first_was(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was said after the first had ended was recorded in the memory to which the link led by then."""
    asked: list[Path] = []
    begins: list[Callable[[], object]] = []

    def attached(directory: Path, begin: Callable[[], object]) -> object:
        asked.append(directory)
        begins.append(begin)
        return object()

    monkeypatch.setattr(opening, "start", lambda directory, *_, **__: asked.append(directory))
    monkeypatch.setattr(attaching, "attached", attached)
    opening.opened(link.path, None, "off", daemon=True)
    link.turn()
    begins[0]()
    assert asked == [link.one] * 3


def test_a_store_is_where_it_was_opened(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    """What thinks for it later is begun there."""

    def turned(path: Path, *given: Any, **named: Any) -> Any:
        there = opening.opened(path, *given, **named)
        link.turn()
        return there

    monkeypatch.setattr(store, "opened", turned)
    with Store.open(link.path, embedder="off") as opened:
        assert opened.path == link.one


def test_a_daemon_has_the_lock_of_its_own_directory(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    class StartedError(Exception):
        pass

    def child(directory: Path, *_: object, **__: object) -> None:
        assert directory.resolve() == link.one
        raise StartedError

    monkeypatch.setattr(starting, "check_not_held", lambda _: link.turn())
    monkeypatch.setattr(starting, "_child", child)
    with pytest.raises(StartedError):
        starting.start(link.path)
    assert (link.one / LOCK).exists() and not list(link.other.iterdir())


def test_no_daemon_is_started_with_the_lock_of_another_directory(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that had the lock ran for a while, and the link led elsewhere when it was done."""
    monkeypatch.setattr(starting, "_child", lambda *_, **__: pytest.fail("it was started"))
    monkeypatch.setattr(starting, "free_place", lambda: DirectoryLock(link.one, "place"))
    with DirectoryLock(link.path, LOCK) as lock:
        link.turn()
        starting.begin_beside(link.path, lock)
        (link.other / LOCK).touch()
        starting.begin_beside(link.path, lock)
    assert [each.name for each in link.other.iterdir()] == [LOCK]


def test_a_worker_and_a_host_look_after_no_stores_but_their_own(link: Link) -> None:
    """A worker deleted what another had left, by what it knew of its own store of that number."""
    stores = StoreOpening(Directories(link.path), cast(LogReader, None), 1)
    worker = GraphWorker(WorkerSettings(KAFKA, link.path), WorkerMetrics())
    host = QueryHost(HostSettings(KAFKA, link.path))
    link.turn()
    assert worker._settings.directory == host.settings.directory == stores._places.directory == link.one


def test_what_is_not_there_yet_is_below_where_its_link_led(link: Link) -> None:
    there = followed(link.path / "new" / "below")
    assert there == link.one / "new" / "below"


@pytest.mark.parametrize("to", ["not/there", "link"])
def test_a_link_to_nothing_stays_one(tmp_path: Path, to: str) -> None:
    """Whoever makes a directory there refuses it in words; what it leads to is not made."""
    (tmp_path / "link").symlink_to(to)
    assert followed(tmp_path / "link" / "below") == tmp_path / "link" / "below"
