"""Where a directory is: made whole as it is opened, told where none can be, read where nothing can be written."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.embedded.directory.places import only_read
from yggdrasil import AsyncMemory, AsyncStore, Memory, Store
from yggdrasil.daemon.starting import start
from yggdrasil.engines.embedded import Embedded
from yggdrasil.settings import typed
from yggdrasil_infra.embedders import open_embedder
from yggdrasil_infra.embedders.embedder import EmbedderMissingError
from yggdrasil_infra.http.keys import Keys
from yggdrasil_infra.http.keys.keyfile import new_key
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.local_log.backup import back_up, restore
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.locks import DirectoryLock
from yggdrasil_infra.log import ReadOnlyError
from yggdrasil_infra.paths import PathError, whole
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_infra.signals.audit import Audit
from yggdrasil_infra.signals.logs import BoundedFile

MEMORY = "me/agent"
SAID = "Deployed on a Friday"
NOT_WRITTEN = r"only read|lacks the right"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with another one below it, and a home folder beside it."""
    place = tmp_path / "place"
    for each in (place / "elsewhere", tmp_path / "home"):
        each.mkdir(parents=True)
    monkeypatch.chdir(place)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return place


async def _awaited(path: str, go: Callable[[], object]) -> None:
    async with await AsyncMemory.open(path, MEMORY, embedder="off") as memory:
        go()
        await memory.record_event(SAID)
        there = memory.memory.engine.path
    async with await AsyncStore.open(there, embedder="off") as store:
        assert (await store.memory(MEMORY).overview()).seq == 1


def _by_memory(path: str, go: Callable[[], object]) -> None:
    with Memory.open(path, MEMORY, embedder="off") as memory:
        go()
        memory.record_event(SAID)


def _by_store(path: str, go: Callable[[], object]) -> None:
    with Store.open(path, embedder="off", scrub=1 << 20) as store:
        go()
        store.memory(MEMORY).record_event(SAID)
        assert store.path == whole(store.path)


def _by_log(path: str, go: Callable[[], object]) -> None:
    with LocalLog.create_or_open(Path(path)) as log:
        go()
        log.append(b"me/agent", b"{}")
        log.flush()


def _by_rocks(path: str, go: Callable[[], object]) -> None:
    with Rocks(Path(path), ("some",), MemoryBudget.of()) as rocks:
        go()
        batch = rocks.batch()
        batch.put("some", b"key", b"value")
        rocks.write(batch)
        rocks.flush()


def _by_keys(path: str, go: Callable[[], object]) -> None:
    new_key(Path(path, "keys.json"), "me", ["read"], None)
    keys = Keys(Path(path, "keys.json"))
    go()
    keys.expire()
    assert keys.failure() is None


def _by_logs(path: str, go: Callable[[], object]) -> None:
    Path(path).expanduser().mkdir()
    written, audit = BoundedFile(Path(path, "log"), bytes_max=1), Audit(Path(path, "audit"), file_bytes_max=1)
    go()
    for _ in range(3):
        written.write("line\n")
        audit.write({"key": "a"})
    written._file.close()
    audit.close()
    assert audit.failure() is None


OPENED: tuple[Callable[[str, Callable[[], object]], object], ...] = (
    _by_memory,
    _by_store,
    lambda path, go: asyncio.run(_awaited(path, go)),
    _by_log,
    _by_rocks,
    _by_keys,
    _by_logs,
)


@pytest.mark.parametrize("opened", OPENED)
def test_another_working_directory_changes_nothing(here: Path, opened: Callable[..., object]) -> None:
    opened("mem", lambda: os.chdir(here / "elsewhere"))
    assert not list((here / "elsewhere").iterdir())
    assert list((here / "mem").iterdir())


@pytest.mark.parametrize("opened", OPENED)
def test_the_home_folder_is_written_as_people_write_it(here: Path, opened: Callable[..., object]) -> None:
    opened("~/mem", lambda: None)
    assert [each.name for each in here.iterdir()] == ["elsewhere"]
    assert list((here.parent / "home" / "mem").iterdir())


def test_a_working_directory_that_is_gone_is_told(here: Path) -> None:
    os.chdir(here / "elsewhere")
    (here / "elsewhere").rmdir()
    with pytest.raises(PathError, match="working directory, which is gone"):
        Memory.open("mem", MEMORY)
    with Memory.open(here / "mem", MEMORY, embedder="off") as memory:
        memory.record_event(SAID)


def test_backups_models_and_certificates_may_be_in_the_home_folder(here: Path) -> None:
    _by_memory("~/mem", lambda: None)
    back_up(Path("~/mem/log"), Path("~/kept"), {}, lambda what, size: None)
    restore(Path("~/kept"), Path("~/again"), lambda what, size: None)
    with Memory.open("~/again", MEMORY, embedder="off") as memory:
        assert memory.overview().seq == 1
    home = here.parent / "home"
    with pytest.raises(EmbedderMissingError, match=f"in {home / 'models'}"):
        open_embedder("e5:~/models")
    assert typed("e5:~/models") == f"e5:{home / 'models'}"
    (home / "ca.pem").touch()
    tls = KafkaSettings("localhost:9092", {"security_protocol": "SSL", "ssl_cafile": "~/ca.pem"})
    assert tls.security["ssl_cafile"] == str(home / "ca.pem")
    assert sorted(each.name for each in home.iterdir()) == ["again", "ca.pem", "kept", "mem"]


def test_a_home_that_is_nobodys(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for user in ("~nobodysuch", "~nobodysuch/mem"):
        with pytest.raises(PathError, match="knows no user nobodysuch: give the whole path") as raised:
            Memory.open(user, MEMORY)
        assert raised.value.code == "no_home"
    (here / "~$draft.md").touch()
    assert whole("~$draft.md") == here / "~$draft.md"  # editors make such files
    assert whole("./~nobodysuch") == here / "~nobodysuch"
    assert whole(f"~{__import__('pwd').getpwuid(os.geteuid()).pw_name}/m").is_absolute()
    monkeypatch.setenv("HOME", "")
    with pytest.raises(PathError, match="HOME names no folder"):
        Memory.open("~/mem", MEMORY)
    assert not (here / "mem").exists()


def test_an_address_is_no_path(here: Path) -> None:
    with pytest.raises(PathError, match="is the address of a service, and no path: connect to it") as raised:
        Memory.open("http://127.0.0.1:7710", MEMORY)
    assert raised.value.code == "no_path"
    assert not (here / "http:").exists()


def _link(to: str) -> Callable[[Path], object]:
    return lambda path: path.symlink_to(to)


FAULTS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "dangling": (_link("not/there"), "dangling_link", "mem is a link to not/there, and nothing is there"),
    "loop": (_link("mem"), "dangling_link", "mem is a link that leads back to itself"),
    "file": (Path.touch, "not_a_directory", "mem is a file, and"),
    "pipe": (os.mkfifo, "not_a_directory", "mem is a pipe, and"),
    "link to a file": (_link("/etc/passwd"), "not_a_directory", "mem is a file, and"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("below", ["", "below", "far/below"])
def test_what_stands_in_the_place_of_a_directory(here: Path, fault: str, below: str) -> None:
    make, code, words = FAULTS[fault]
    make(here / "mem")
    path = here / "mem" / below
    attempts: dict[str, Callable[[], Any]] = {
        "memory": lambda: Memory.open(path, MEMORY, embedder="off"),
        "engine": lambda: Embedded(path),
        "log": lambda: LocalLog.create_or_open(path),
        "lock": lambda: DirectoryLock(path),
        "rocks": lambda: Rocks(path, ("some",), MemoryBudget.of()),
        "keys": lambda: new_key(path / "keys.json", "me", ["read"], None),
        "daemon": lambda: start(path),
    }
    for name, attempt in attempts.items():
        try:
            attempt()
        except Exception as error:
            found = error if isinstance(error, PathError) else error.__cause__
            assert isinstance(found, PathError), (name, error)
            assert (found.code, words in str(found)) == (code, True), (name, error)
        else:
            pytest.fail(f"{name} was opened")
    assert [each.name for each in here.iterdir() if each.name != "elsewhere"] == ["mem"]


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 300, "caf\udce9"])
def test_what_is_no_path_is_told(here: Path, name: str) -> None:
    with pytest.raises(PathError) as raised:
        Memory.open(name, MEMORY)
    assert raised.value.code == "no_path"
    assert [each.name for each in here.iterdir()] == ["elsewhere"]


def test_a_new_directory_where_nothing_can_be_made(here: Path) -> None:
    with only_read(here / "elsewhere"), pytest.raises(PathError, match=NOT_WRITTEN) as raised:
        Memory.open(here / "elsewhere" / "mem", MEMORY)
    assert raised.value.code in {"read_only", "not_writable"}


def said_in(home: Path, texts: list[str]) -> None:
    with Memory.open(home, MEMORY, embedder="off") as memory:
        for text in texts:
            memory.record_event(text, features=["deploy"])


def check_read(home: Path, texts: list[str]) -> None:
    """Ask what is there, and be refused in words where something is said."""
    for embedder in ("off", "none"):
        with Memory.open(home, MEMORY, embedder=embedder) as memory:
            found = memory.get_context("deployed on which day", k=20)
            assert sorted(str(each.memory.text) for each in found.found) == sorted(texts)
            assert not found.recorded
            assert memory.engine.memories() == [MEMORY]
            with pytest.raises(ReadOnlyError, match="can only be read here, so nothing is recorded: have it mounted"):
                memory.record_event("Not taken")
    with Store.open(home) as store:  # as it was used before
        assert store.memory(MEMORY).overview().seq == len(texts)


TEXTS = [f"Deployed on {day}" for day in ("Monday", "Tuesday", "Wednesday", "Thursday")]


def test_a_directory_that_is_only_read_can_be_opened_and_asked(tmp_path: Path) -> None:
    said_in(tmp_path / "home", TEXTS)
    with only_read(tmp_path / "home"):
        check_read(tmp_path / "home", TEXTS)
    said_in(tmp_path / "home", ["And on Friday"])


@pytest.mark.parametrize("stores", ["behind", "missing"])
def test_what_is_not_folded_there_is_folded_elsewhere(tmp_path: Path, stores: str) -> None:
    home = tmp_path / "home"
    said_in(home, TEXTS[:2])
    shutil.copytree(home / "graph", tmp_path / "graph")
    said_in(home, TEXTS[2:])
    shutil.rmtree(home / "graph")
    shutil.rmtree(home / "views", ignore_errors=True)
    if stores == "behind":
        shutil.move(tmp_path / "graph", home / "graph")
    with only_read(home):
        check_read(home, TEXTS)


def test_an_empty_directory_that_is_only_read(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with only_read(tmp_path / "home"), pytest.raises(PathError, match=NOT_WRITTEN):
        Memory.open(tmp_path / "home", MEMORY)


def test_a_link_that_leads_elsewhere_by_now_mixes_no_two_directories(tmp_path: Path) -> None:
    """As when `current` is let lead to another release: both logs were damaged by what was made after that."""
    link = tmp_path / "link"
    for name in ("one", "other"):
        with Memory.open(tmp_path / name, MEMORY, embedder="off") as memory:
            memory.record_event(f"in {name}")
    link.symlink_to("one")
    files = set((tmp_path / "other").rglob("*"))
    with Memory.open(link, MEMORY, embedder="off") as memory:
        memory.record_event("before")
        (tmp_path / "new").symlink_to("other")
        (tmp_path / "new").replace(link)
        memory.record_event("after")
    assert set((tmp_path / "other").rglob("*")) == files
    for name, texts in (("one", ["after", "before", "in one"]), ("other", ["in other"])):
        with Memory.open(tmp_path / name, MEMORY, embedder="off") as memory:
            assert [each.text for each in memory.timeline().memories] == texts
