"""A fork is the original record by record, the memory's name left out, and then a memory of its own."""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.past.packed import MEMORY, digests_of, life, logged
from tests.size import turns
from yggdrasil import InvalidAskError, InvalidCommandError, Memory, NotAllowedError, PastError, Receipt, Store
from yggdrasil.engines.past import forks
from yggdrasil.engines.past.forks import forked
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import LogError
from yggdrasil_processors.past import unpacking
from yggdrasil_processors.past.forking import fork
from yggdrasil_processors.past.packing import pack
from yggdrasil_processors.past.unpacking import renamed
from yggdrasil_projections.retrieval.past.forks import CannotForkError, ForkDiffersError, Forked, ForkThereError
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_schemas.commands.forks import fork_id, is_fork, origin_of

FORK = fork_id(MEMORY, "one")


def accepted(log: LocalLog, memory: str, path: Path, at: int | None = None) -> list[tuple[int, int, bytes]]:
    """Seq, time and bytes of each accepted command, the memory's name left out."""
    archive = pack(log, memory, path / f"of-{len(list(path.iterdir()))}", path, at)
    return [(each.seq, each.timestamp_ms, renamed(each.value, "any/name")) for each in archive.packed()]


@pytest.mark.parametrize("seed", range(turns(3, 60)))
@pytest.mark.parametrize("partitions", [3, 16])
def test_a_fork_given_the_same_commands_equals_the_original_record_by_record(
    tmp_path: Path, seed: int, partitions: int
) -> None:
    with logged(tmp_path / "log", partitions, life(seed)) as log:
        whole = accepted(log, MEMORY, tmp_path)
        seq = Random(seed).randint(1, len(whole))
        made = fork(log, MEMORY, seq, FORK, tmp_path)
        assert (made.appended, made.there, made.seq) == (seq, 0, seq)
        assert accepted(log, FORK, tmp_path) == whole[:seq]
        # Then it is given what the original was given: the very same state, the name left out.
        rest = [(each[1], renamed(each[2], FORK)) for each in whole[seq:]]
        log.append_dated((FORK.encode(), value, at) for at, value in rest)
        assert accepted(log, FORK, tmp_path) == whole
        states = [pack(log, each, tmp_path / f"{n}.archive", tmp_path) for n, each in enumerate((MEMORY, FORK))]
        assert states[0].header.state == states[1].header.state


def test_neither_moves_the_other(tmp_path: Path) -> None:
    with logged(tmp_path / "log", 3, life(7)) as log:
        before = digests_of(log, tmp_path / "before")
        fork(log, MEMORY, 20, FORK, tmp_path)
        forked = digests_of(log, tmp_path / "forked")
        assert {each: digest for each, digest in forked.items() if each != FORK} == before
        other = accepted(log, MEMORY, tmp_path)[30]
        log.append_dated([(FORK.encode(), renamed(other[2], FORK), 5)])
        after = digests_of(log, tmp_path / "after")
        assert after.pop(FORK) != forked.pop(FORK)
        assert after == forked == before


class Killed(RuntimeError):
    """The process ended."""


class DyingLog:
    """A log whose process ends once so many more records were appended."""

    def __init__(self, log: LocalLog, records: int) -> None:
        self._log = log
        self._left = records

    def __getattr__(self, name: str) -> object:
        return getattr(self._log, name)

    def append_dated(self, records: Iterable[tuple[bytes, bytes, int]]) -> list[Receipt]:
        chunk = list(records)
        done = self._log.append_dated(chunk[: self._left])
        self._left -= len(done)
        if len(done) < len(chunk):
            raise Killed
        return done


@pytest.mark.parametrize("seed", range(turns(3, 30)))
def test_what_was_killed_in_the_middle_goes_on(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_CHUNK", 7)
    rng = Random(f"killed {seed}")
    with logged(tmp_path / "log", 3, life(seed)) as log:
        seq = rng.randint(10, len(accepted(log, MEMORY, tmp_path)))
        first, second = sorted(rng.sample(range(seq), 2))
        for left in (first, second - first):
            with pytest.raises(Killed):
                fork(DyingLog(log, left), MEMORY, seq, FORK, tmp_path)  # type: ignore[arg-type]
        made = fork(log, MEMORY, seq, FORK, tmp_path)
        assert (made.there, made.appended) == (second, seq - second)
        assert accepted(log, FORK, tmp_path) == accepted(log, MEMORY, tmp_path, seq)
        assert fork(log, MEMORY, seq, FORK, tmp_path) == Forked(FORK, MEMORY, seq, seq, 0, made.state), "done already"


def test_what_is_another_fork_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with logged(tmp_path / "log", 3, life(1)) as log:
        fork(log, MEMORY, 20, FORK, tmp_path)
        before = accepted(log, FORK, tmp_path)
        with pytest.raises(ForkThereError, match="give the fork another name"):
            fork(log, MEMORY, 10, FORK, tmp_path)
        assert accepted(log, FORK, tmp_path) == before
        log.append_dated([(FORK.encode(), renamed(accepted(log, MEMORY, tmp_path)[30][2], FORK), 5)])
        with pytest.raises(ForkThereError):
            fork(log, MEMORY, 20, FORK, tmp_path)
        with pytest.raises(CannotForkError, match="has not happened yet"):
            fork(log, MEMORY, 10**6, fork_id(MEMORY, "two"), tmp_path)


def test_what_a_fork_is_called() -> None:
    assert fork_id("me/agent", "a") == "me/agent.fork-a"
    assert fork_id("me/agent.fork-a", "b") == "me/agent.fork-a.fork-b"
    assert origin_of("me/agent.fork-a.fork-b") == "me/agent.fork-a" and origin_of("me/agent") == "me/agent"
    assert is_fork("me/agent.fork-a") and not is_fork("me/fork-a")
    for name in ("", "a/b", "a b", "x" * 64, "a.fork-b"):
        with pytest.raises(InvalidCommandError, match="a fork's name has letters"):
            fork_id("me/agent", name)


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with Store.open(tmp_path / "store", embedder="off", partitions=4) as made:
        yield made


def test_a_fork_is_a_memory_that_lives_by_itself(store: Store) -> None:
    memory = store.memory("me/agent")
    friday = memory.record_event("Deployed on a Friday", features=["deploy"])
    memory.snapshot("before")
    memory.log_outcome(friday, -3, kind="outage")
    made = memory.fork("before", "careful")
    assert (made.memory, made.of, made.seq, made.appended) == ("me/agent.fork-careful", "me/agent", 2, 2)
    other = store.memory(made.memory)
    assert [each.ref for each in other.timeline().memories] == [friday]
    other.record_event("Waited until Monday", features=["deploy", "monday"])
    lineage = other.lineage_of_fork()
    assert (lineage.of, lineage.seq, lineage.own, lineage.others) == ("me/agent", 2, 1, 1)
    assert memory.moment().as_of == 3
    differs = memory.compare(made.memory)
    assert (differs.gone, differs.new) == ({"outcome": 1, "feature": 1}, {"event": 1, "feature": 1})
    second = memory.fork(3, "bold")
    told = store.memory(second.memory).compare(made.memory)
    assert (told.gone, told.new) == (differs.gone, differs.new)


def test_two_forks_that_are_told_the_same_are_paired_by_its_command(store: Store) -> None:
    memory = store.memory("me/agent")
    memory.record_event("One", features=["a"])
    both = [store.memory(memory.fork(1, name).memory) for name in ("a", "b")]
    both[0].set_policy(salience_initial=3.0)  # so that the same has another seq in either
    memory.record_event("Two", features=["b"])
    two = next(
        each
        for each in store.engine.log.read(store.engine.partition("me/agent"), 0, 99)
        if b'"Two"' in (each.value or b"")
    )
    for each in both:
        store.engine.log.append_dated([(each.id.encode(), renamed(two.value or b"", each.id), 5)])
        store.engine.catch_up(memory=each.id)
    differs = both[0].compare(both[1].id)
    assert differs.gone == differs.new == {}
    assert differs.moved, "it is stronger where the policy says so"


def test_a_fork_is_in_no_list_of_memories_unless_it_is_asked_for(store: Store) -> None:
    memory = store.memory("me/agent")
    memory.record_event("One")
    memory.fork(1, "a")
    assert store.memories() == store.memories("me") == ["me/agent"]
    assert store.memories(forks=True) == ["me/agent", "me/agent.fork-a"]
    assert store.memory("me/agent").get_context("One").refs, "and no question of the memory is answered from it"
    assert len(memory.timeline().memories) == 1


def test_what_is_in_quarantine_today_does_not_come_back_by_a_fork(store: Store) -> None:
    memory = store.memory("me/agent", origin="operator")
    bad = memory.record_event("The deploy key is 1234", features=["key"])
    memory.record_event("Something else")
    assert memory.fork(2, "early").seq == 2
    memory.judge({bad: "quarantine"}, reason="A secret")
    with pytest.raises(InvalidAskError, match="of what is in quarantine today 1 was not at seq 1"):
        memory.fork(1, "again")
    made = store.memory(memory.fork(3, "later").memory)
    assert bad not in made.get_context("deploy key").refs
    assert memory.fork(1, "of-an-auditor", quarantined=True).seq == 1


def test_a_fork_of_a_name_is_of_its_moment_whatever_is_in_quarantine_since(store: Store) -> None:
    memory = store.memory("me/agent", origin="operator")
    bad = memory.record_event("The deploy key is 1234", features=["key"])
    memory.snapshot("before")
    memory.judge({bad: "quarantine"}, reason="A secret")
    with pytest.raises(InvalidAskError, match="of what is in quarantine today 1 was not at seq 2"):
        memory.fork("before", "a")
    assert memory.fork("before", "b", quarantined=True).seq == 2


def test_who_may_not_fork(store: Store, tmp_path: Path) -> None:
    memory = store.memory("me/agent")
    memory.record_event("One")
    agent = store.memory("me/agent", role="agent")
    with pytest.raises(NotAllowedError):
        agent.fork(1, "a")
    with pytest.raises(NotAllowedError):
        agent.compare("me/agent")
    with pytest.raises(PastError):
        memory.as_of(1).fork(1, "a")
    with pytest.raises(InvalidAskError, match="is no fork"):
        memory.lineage_of_fork()
    with pytest.raises(InvalidAskError, match="have not gone on from one memory"):
        memory.compare("me/other")
    with Memory.open(tmp_path / "other", "me/b") as other, pytest.raises(InvalidCommandError):
        other.record_event("One")
        other.fork(1, "a/b")


def test_a_tenant_whose_name_looks_like_a_fork_has_memories_of_its_own(store: Store) -> None:
    ids = ["x.fork-y/agent", "x.fork-z/other"]
    for each in ids:
        store.memory(each).record_event("One")
    memory = store.memory(ids[0])
    assert store.memories() == ids
    with pytest.raises(InvalidAskError, match="is no fork"):
        memory.lineage_of_fork()
    with pytest.raises(InvalidAskError, match="have not gone on from one memory"):
        memory.compare(ids[1])
    assert store.memory(memory.fork(1, "a").memory).lineage_of_fork().of == ids[0]


def test_a_comparison_shows_no_more_than_one_sees(store: Store) -> None:
    memory = store.memory("me/agent", origin="operator")
    memory.record_event("Known")
    fork = store.memory(memory.fork(1, "a").memory, origin="operator")
    fork.speaking(trust=1).record_event("Whispered", features=["whisper"])
    assert memory.compare(fork.id).new == {"event": 1, "feature": 1}
    seen = memory.seen(trust_min=2).compare(fork.id)
    assert seen.new == {} and "Whispered" not in str(seen) and "whisper" not in str(seen)


def test_what_was_said_by_another_is_not_what_both_have_in_common(store: Store) -> None:
    memory = store.memory("me/agent", origin="operator")
    memory.record_event("One")
    fork = store.memory(memory.fork(1, "a").memory)
    memory.record_event("Two")
    log = store.engine.log
    two = [each.value or b"" for each in log.read(store.engine.partition("me/agent"), 0, 99)][-1]
    said = renamed(two, fork.id).replace(b'"origin":"operator"', b'"origin":"agent"')
    assert said != renamed(two, fork.id), "the same id and words, of somebody who is trusted less"
    log.append_dated([(fork.id.encode(), said, 5)])
    store.engine.catch_up(memory=fork.id)
    assert fork.moment().as_of == 2
    assert fork.lineage_of_fork().seq == 1


def test_a_fork_that_died_midway_is_told_from_a_whole_one_of_an_earlier_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path / "store", embedder="off") as store:
        memory = store.memory("me/agent")
        for number in range(6):
            memory.record_event(f"Event {number}")
        memory.fork(2, "whole")
        append = LocalLog.append_dated

        def dying(log: LocalLog, records: Iterable[tuple[bytes, bytes, int]]) -> list[Receipt]:
            append(log, list(records)[:2])
            raise Killed

        with monkeypatch.context() as patched:
            patched.setattr(LocalLog, "append_dated", dying)
            with pytest.raises(Killed):
                memory.fork(5, "half")
    with Store.open(tmp_path / "store", embedder="off") as store:
        memory = store.memory("me/agent")
        half, whole = memory.forks()
        assert (half.seq, half.own, half.unfinished) == (2, 0, 5)
        assert (whole.seq, whole.own, whole.unfinished) == (2, 0, None)
        with pytest.raises(ForkThereError):
            memory.fork(1, "half")
        assert memory.forks()[0].unfinished == 5, "as it was noted"
        with pytest.raises(LogError, match="no room"):
            forked(store.engine, memory.id, AsOf(seq=3), "whole", admit=refuses)
        assert memory.forks()[1].unfinished is None, "nothing was begun"
        assert memory.fork(5, "half").appended == 3
        assert [each.unfinished for each in memory.forks()] == [None, None]


def refuses(_: int) -> None:
    raise LogError("no room")


def test_what_was_rejected_in_quarantine_keeps_no_later_moment_from_being_forked(store: Store) -> None:
    memory = store.memory("me/agent", origin="operator")
    bad = memory.record_event("The deploy key is swordfish", features=["key"])
    memory.judge({bad: "quarantine"}, reason="A secret")
    memory.judge({bad: "reject"}, reason="And none of ours")
    with pytest.raises(InvalidAskError, match="of what is in quarantine today 1 was not at seq 1"):
        memory.fork(1, "early")
    fork = store.memory(memory.fork(3, "now").memory)
    assert "swordfish" not in str(fork.as_of(1).timeline()), "the verdicts are in the fork, and hold of its past"
    assert memory.fork(2, "then").seq == 2


def test_who_forks_is_not_told_of_a_moment_at_which_the_fork_does_not_stand(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = store.memory("me/agent")
    for each in "abc":
        memory.record_event(each)

    def overtaken(log: LocalLog, of: str, seq: int, to: str, *more: Any) -> Forked:
        made = fork(log, of, seq, to, *more)
        fork(log, of, 3, to, *more)  # somebody else forks a later moment under the same name
        return made

    monkeypatch.setattr(forks, "fork", overtaken)
    with pytest.raises(ForkDiffersError, match="stands at seq 3, and not at 2"):
        memory.fork(2, "same")
    assert memory.fork(3, "same").appended == 0
