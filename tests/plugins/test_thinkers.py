"""A thinker that somebody else has made decides like ours, by its own name and version."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.waiting import until
from tests.plugins.installed import install_thinkers
from yggdrasil import PluginError, Store
from yggdrasil.thinking.known import USUAL, UnknownThinkerError, thinkers_of


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install_thinkers(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield
    sys.modules.pop("acme_thinkers", None)


def test_it_decides_when_told_to_under_its_name_and_version(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d") as store:
        memory = store.memory("me/agent")
        events = [memory.record_event(f"e{at}") for at in range(4)]
        (run,) = store.think("acme-watch/1")
        assert (run.thinker, run.version, run.decided, run.stopped) == ("acme-watch", "1", 2, None)
        made = memory.episodes().episodes
        assert sorted(one.memory.members for one in made) == [events[:2], events[2:]]
        assert {one.thinker for one in made} == {"acme-watch"}
        assert memory.happened(count=50).cursors == {"acme-watch": 4}
        assert [one.decided for one in store.think("acme-watch/1")] == [0]


def test_it_decides_in_the_background_with_ours(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d", thinkers="acme-watch/1,usual") as store:
        memory = store.memory("me/agent")
        events = [memory.record_event(f"e{at}") for at in range(2)]
        until(lambda: bool(memory.episodes().episodes), str)
        assert memory.episodes().episodes[0].memory.members == events


def test_ours_come_first_and_nothing_is_imported_unless_it_is_named() -> None:
    assert [one.name for one in thinkers_of("all")]
    assert "acme_thinkers" not in sys.modules
    found = [f"{one.name}/{one.version}" for one in thinkers_of(["acme-watch/1", "usual"])]
    assert found[-1] == "acme-watch/1" and len(found) == len(USUAL) + 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("acme-unfit/1", "it is a Unfit, and no"),
        ("acme-wrong/1", "calls itself 'acme-watch/1'"),
        ("acme-watch/3", "here is acme-watch/1, acme-watch/2"),
        ("acme-watch/1,acme-watch/2", "in two versions, and both would move one cursor"),
        ("acme-watch", "it is called NAME/VERSION"),
    ],
)
def test_one_that_cannot_be_used_leaves_no_directory(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(PluginError) as refused:
        Store.open(tmp_path / "d", thinkers=name)
    assert said in str(refused.value)
    assert not (tmp_path / "d").exists()


def test_a_name_of_ours_is_not_taken_over() -> None:
    assert type(thinkers_of("chunker")[0]).__module__.startswith("yggdrasil_processors")
    with pytest.raises(UnknownThinkerError, match="no thinker watch/1"):
        thinkers_of("watch/1")
