"""Which memories have moved: told by any host, from any place, none is passed over."""

import random
from collections.abc import Callable

import pytest

from tests.size import turns
from yggdrasil_projections.graph.store.moves import Moves
from yggdrasil_projections.retrieval.errors import InvalidAskError
from yggdrasil_projections.service import moved
from yggdrasil_projections.service.moved import PLACE_CHARS_MAX, Place, Telling

MEMORIES = [f"me/m{at}" for at in range(12)] + [f"you/n{at}" for at in range(4)]
PARTITIONS = 3


def partition(memory: str) -> int:
    return MEMORIES.index(memory) % PARTITIONS


class Shelved:
    """One partition at one host: folded in batches of its own, and begun anew now and then."""

    def __init__(self, number: int, most: int) -> None:
        self.number = number
        self.position = 0
        self.seqs_of: dict[str, int] = {}
        self._most = most
        self._moves = Moves(0, most)

    def fold(self, log: list[str], count: int) -> None:
        batch = log[self.position : self.position + count]
        self.position += len(batch)
        for memory in batch:
            self.seqs_of[memory] = self.seqs_of.get(memory, 0) + 1
        if batch:
            self._moves.committed(set(batch), self.position)

    def start_again(self) -> None:
        self._moves = Moves(self.position, self._most)

    def seqs(self, prefix: str, after: str, count: int) -> list[tuple[str, int]]:
        found = sorted(each for each in self.seqs_of.items() if each[0].startswith(prefix) and each[0] > after)
        return found[:count]

    def moved(self, position: int) -> list[tuple[str, int]] | None:
        return self._moves.beyond(position)

    def seq(self, memory: str) -> int:
        return self.seqs_of[memory]


def asked(
    host: list[Shelved], since: str | None, prefix: str, count: int, opens: Callable[[str], bool] | None = None
) -> Telling:
    telling = Telling(Place.of(since), prefix, count, opens)
    for shelf in sorted(host, key=lambda each: telling.turns(each.number)):
        while telling.tell(shelf.number, shelf.position, shelf):
            pass
    return telling


@pytest.mark.parametrize("seed", range(turns(150, 3_000)))
def test_who_goes_on_from_place_to_place_knows_where_all_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At two hosts in turn that fold as they like, forget, and have some partitions each: in the end all are known."""
    chance = random.Random(seed)
    monkeypatch.setattr(moved, "_SLICE_MIN", chance.choice([1, 2, 100]))
    opened = frozenset(chance.sample(MEMORIES, chance.choice([1, 4, len(MEMORIES)])))
    logs: list[list[str]] = [[] for _ in range(PARTITIONS)]
    most = chance.choice([1, 3, 100])
    hosts = [[Shelved(number, most) for number in range(PARTITIONS)] for _ in range(2)]
    prefix = chance.choice(["", "me/"])
    known: dict[str, int] = {}
    since: str | None = None
    for _ in range(60):
        for memory in chance.choices(MEMORIES, k=chance.randrange(6)):
            logs[partition(memory)].append(memory)
        for shelf in [shelf for host in hosts for shelf in host]:
            shelf.fold(logs[shelf.number], chance.randrange(5))
            if chance.random() < 0.05:
                shelf.start_again()
        host = chance.sample(chance.choice(hosts), chance.randrange(1, PARTITIONS + 1))
        telling = asked(host, since, prefix, chance.randrange(1, 5), opened.__contains__)
        since = telling.place.written
        known |= {each.memory: max(each.seq, known.get(each.memory, 0)) for each in telling.moved}
    for host in hosts:
        for shelf in host:
            shelf.fold(logs[shelf.number], len(logs[shelf.number]))
    for _ in range(1_000):
        telling = asked(hosts[0], since, prefix, 3, opened.__contains__)
        since = telling.place.written
        known |= {each.memory: each.seq for each in telling.moved}
        if not telling.more:
            break
    else:
        raise AssertionError(f"seed {seed}: there was always more")
    there = {name: seq for shelf in hosts[0] for name, seq in shelf.seqs_of.items() if name.startswith(prefix)}
    assert known == {name: there[name] for name in there.keys() & opened}, f"seed {seed}"
    quiet = asked(hosts[0], since, prefix, 3, opened.__contains__)
    assert (quiet.moved, quiet.more, quiet.place.written) == ([], False, since), f"seed {seed}"


def test_names_that_are_not_opened_are_looked_through_in_turns() -> None:
    """A key of one memory among many: no turn is as long as a partition is large, and no other memory is named."""
    names = [f"me/n{at:05d}" for at in range(20_000)]
    shelf = Shelved(0, 10)
    shelf.fold(names, len(names))
    telling, taken = Telling(Place(), "me/", 1, lambda name: name == names[-2]), list[int]()
    seqs = shelf.seqs

    def counted(prefix: str, after: str, count: int) -> list[tuple[str, int]]:
        taken.append(count)
        return seqs(prefix, after, count)

    shelf.seqs = counted  # type: ignore[method-assign]
    rounds = 1
    while telling.tell(0, shelf.position, shelf):
        rounds += 1
        assert ":" not in telling.place.written
    assert [each.memory for each in telling.moved] == [names[-2]] and not telling.more
    assert len(taken) == rounds and max(taken) < 1_000
    exact = Telling(Place(), names[7], 1, lambda name: name == names[7])
    assert not exact.tell(0, shelf.position, shelf) and len(exact.moved) == 1


def test_a_memory_that_comes_while_names_are_looked_through_is_told_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moved, "_SLICE_MIN", 1)
    shelf = Shelved(0, 100)
    shelf.fold(["me/b", "me/c", "me/d"], 3)
    telling = Telling(Place(), "", 1, {"me/a", "me/d"}.__contains__)
    assert telling.tell(0, shelf.position, shelf)
    shelf.fold(["me/b", "me/c", "me/d", "me/a"], 1)
    while telling.tell(0, shelf.position, shelf):
        pass
    assert [each.memory for each in telling.moved] == ["me/d"] and telling.more
    then = asked([shelf], telling.place.written, "", 5, {"me/a", "me/d"}.__contains__)
    assert [each.memory for each in then.moved] == ["me/a"]


def test_what_moved_long_ago_is_not_told_again() -> None:
    shelf = Shelved(0, 100)
    log = [name for name in MEMORIES if partition(name) == 0]
    shelf.fold(log, len(log))
    first = asked([shelf], None, "", 100)
    assert [each.memory for each in first.moved] == sorted(log)
    shelf.fold([*log, log[2], log[1], log[2]], 9)
    then = asked([shelf], first.place.written, "", 100)
    assert {each.memory: each.seq for each in then.moved} == {log[2]: 3, log[1]: 2}


def test_a_batch_is_told_as_a_whole() -> None:
    shelf = Shelved(0, 100)
    log = [name for name in MEMORIES if partition(name) == 0]
    since = asked([shelf], None, "", 1).place.written
    shelf.fold(log, 3)
    shelf.fold(log, 2)
    first = asked([shelf], since, "", 1)
    assert ([each.memory for each in first.moved], first.more) == (sorted(log[:3]), True) or len(first.moved) == 3
    then = asked([shelf], first.place.written, "", 5)
    assert ({each.memory for each in then.moved}, then.more) == (set(log[3:5]), False)


@pytest.mark.parametrize(
    "text",
    ["x", "1", "1-", "-1", "1-2,", ",1-2", "1-2;", "1-2;3", "1-2;3-4", "1-2\n", "1-2;3-4:a b", "٣-1", "0-1," * 9_000],
)
def test_what_is_no_place_is_refused(text: str) -> None:
    assert len("0-1," * 9_000) > PLACE_CHARS_MAX
    with pytest.raises(InvalidAskError, match="since: it is no place"):
        Place.of(text)


@pytest.mark.parametrize("text", ["", "0-0", "0-1,17-9000", ";3-4:", "1-2;3-4:me/a.b_c-d"])
def test_a_place_is_written_as_it_was_read(text: str) -> None:
    assert Place.of(text).written == text
