"""A look asks once for all that has moved: quiet memories cost nothing each, and none that moved is passed over.

Requests are counted, never timed.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.thinkers.frame.test_many_memories import Silent
from tests.thinkers.toys import Away, Pairs, Praising
from yggdrasil import Store
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil.thinking.once import pool_of
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.looking import ALL_AGAIN_S, Looking
from yggdrasil_processors.thinkers.frame.pool import Pool
from yggdrasil_projections.retrieval.reads.experience.happened import Happenings
from yggdrasil_projections.service.moved import MovedAnswer

MANY = 1_200  # more than one page
DESKS = 2  # Silent and Pairs


class Counted(EngineMemories):
    """Counts what would be a request to a service; some memories can be away."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.engine)
        self.requests: Counter[str] = Counter()
        self.read: list[str] = []
        self.away: set[str] = set()

    def happened(self, memory: str, *, since: int, count: int) -> Happenings:
        self.requests["happened"] += 1
        self.read.append(memory)
        if memory in self.away or "happened" in self.away:
            raise Away(memory)
        return super().happened(memory, since=since, count=count)

    def moved(self, since: str | None) -> MovedAnswer:
        self.requests["moved"] += 1
        if "moved" in self.away:
            raise Away("the list")
        return super().moved(since)

    def spent(self) -> Counter[str]:
        """What was requested since this was asked last."""
        spent, self.requests, self.read = self.requests, Counter(), []
        return spent


class Place:
    """A store of many memories, and a process that thinks of them, which can be started again."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.memories = Counted(store)
        self.now = 0.0
        self.ours: Callable[[str], bool] = lambda memory: True
        self.start()

    def start(self) -> None:
        self.thoughts = ThoughtStore(self.folder / "thoughts")
        self.pool: Pool = pool_of([Silent(), Pairs()], self.memories, self.thoughts)
        self.looking = Looking(self.pool, self.memories, lambda: self.now)

    def end(self, *, in_peace: bool = True) -> None:
        if in_peace:
            self.pool.keep()
        self.thoughts.close()

    def round(self) -> Counter[str]:
        """Look, and think to the end; return what that has requested."""
        self.looking.look(self.ours)
        self.pool.drain()
        return self.memories.spent()

    def record(self, name: str) -> str:
        return self.store.memory(name).record_event("something happens")


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with memories that thinkers have read."""
    folder = tmp_path_factory.mktemp("quiet")
    with Store.open(folder / "d", partitions=4, embedder="none") as store:
        for at in range(MANY):
            store.memory(f"me/m{at:04}").record_event("an event")
        place = Place(store, folder)
        assert place.round() == Counter(moved=2, happened=DESKS * MANY)
        place.end()
    return folder


@pytest.fixture
def place(quiet: Path, tmp_path: Path) -> Iterator[Place]:
    shutil.copytree(quiet, tmp_path / "place")
    with Store.open(tmp_path / "place" / "d", embedder="none") as store:
        made = Place(store, tmp_path / "place")
        try:
            made.round()
            yield made
        finally:
            made.end(in_peace=False)


def test_a_thousand_quiet_memories_cost_a_request_and_a_moved_one_is_looked_at(place: Place) -> None:
    assert [place.round() for _ in range(3)] == [Counter(moved=1)] * 3, "whatever there is"
    place.record("me/m0500")
    spent = place.round()
    assert spent["moved"] == 1 and spent["happened"] <= 8, "both read what happened, and what was decided of it"
    assert len(place.store.memory("me/m0500").episodes().episodes) == 1
    assert place.round() == Counter(moved=1, happened=1), "who had read before it was decided reads that"
    assert place.round() == Counter(moved=1)
    place.store.memory("me/m0501").get_context("event")  # a recall is a command too, and wakes nobody
    assert place.round() == Counter(moved=1, happened=DESKS)
    assert place.round() == Counter(moved=1)


def test_a_new_memory_is_looked_at(place: Place) -> None:
    place.record("you/new")
    place.record("you/new")
    place.round()
    assert len(place.store.memory("you/new").episodes().episodes) == 1


def test_what_was_away_is_looked_at_again(place: Place) -> None:
    place.record("me/m0007")
    place.memories.away = {"me/m0007"}
    place.looking.look(place.ours)
    for _ in range(3):
        with pytest.raises(Away):
            place.pool.drain()
    place.memories.away = set()
    place.looking.look(place.ours)  # it says nothing of it any more
    place.pool.drain()
    assert len(place.store.memory("me/m0007").episodes().episodes) == 1


def test_a_look_that_failed_loses_nothing(place: Place) -> None:
    place.record("me/m0008")
    place.memories.away = {"moved"}
    with pytest.raises(Away):
        place.looking.look(place.ours)
    place.memories.away = set()
    place.round()
    assert len(place.store.memory("me/m0008").episodes().episodes) == 1


def test_who_starts_again_looks_at_what_moved_meanwhile_alone(place: Place) -> None:
    place.end()
    place.record("me/m0009")
    place.start()
    spent = place.round()
    assert (spent["moved"], place.pool.desks[0].waiting) == (2, 0), "a list of all, in pages"
    assert spent["happened"] <= 8, "positions are in its own store"
    assert len(place.store.memory("me/m0009").episodes().episodes) == 1


def test_who_was_killed_reads_what_was_not_kept(place: Place) -> None:
    place.record("me/m0010")
    place.looking.look(place.ours)
    place.end(in_peace=False)  # before anything was read
    place.start()
    place.round()
    assert len(place.store.memory("me/m0010").episodes().episodes) == 1


def test_whose_thoughts_are_lost_reads_everything_again(place: Place, tmp_path: Path) -> None:
    place.end()
    place.folder = tmp_path / "elsewhere"
    place.start()
    assert place.round()["happened"] == DESKS * MANY
    assert place.round() == Counter(moved=1)


def test_a_thinker_that_stopped_looks_at_it_in_its_next_life(place: Place) -> None:
    place.record("me/m0012")
    (desk,) = [desk for desk in place.pool.desks if desk.name == "pairs"]
    desk.stopped = "a slip"
    place.round()
    place.end()
    place.start()
    place.round()
    assert len(place.store.memory("me/m0012").episodes().episodes) == 1


def test_what_was_another_ones_is_looked_at_when_it_becomes_ours(place: Place) -> None:
    place.ours = lambda memory: memory != "me/m0013"
    place.record("me/m0013")
    assert place.round() == Counter(moved=1)
    place.ours = lambda memory: True
    assert place.round() == Counter(moved=1), "it was told already"
    place.looking.begin_again()  # as when partitions are assigned
    place.round()
    assert len(place.store.memory("me/m0013").episodes().episodes) == 1


def test_all_are_listed_again_after_an_hour(place: Place) -> None:
    place.now = ALL_AGAIN_S
    assert place.round() == Counter(moved=2), "two pages, and nothing to read"
    assert place.round() == Counter(moved=1)


def test_what_others_decide_is_read(place: Place) -> None:
    place.record("me/m0014")
    place.round()
    with ThoughtStore(place.folder / "other") as thoughts:
        other = pool_of([Praising()], EngineMemories(place.store.engine), thoughts)
        Looking(other, EngineMemories(place.store.engine)).look(lambda _: True)
        other.drain()
    assert place.round() == Counter(moved=1, happened=DESKS)
