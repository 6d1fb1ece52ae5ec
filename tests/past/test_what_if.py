"""What would have been: nothing left out is reality, and what is left out takes along only what names it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import orjson
import pytest

from tests.graph.commands import Said, command_id, episode, event, outcome, policy, recall, retire, thinker
from tests.graph.golden.fixed_history import fixed_history
from tests.graph.golden.golden_logs import stored_records
from tests.graph.histories import MEMORIES, said
from tests.graph.hosts import opened, projecting
from tests.graph.list_log import ListLog
from tests.retrieval.lives import life
from yggdrasil_infra.log import LogRecord, Receipt
from yggdrasil_processors.past.building import Built, build
from yggdrasil_processors.past.what_if import Reality, build_otherwise, same_until
from yggdrasil_projections.graph.store.projector import LogMismatchError, Projector
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.errors import InvalidAskError, NotReadyError
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.past.otherwise import REFUSALS_MAX, WITHOUT_MAX, Otherwise, Voids
from yggdrasil_schemas.graph.records import is_feature

MEMORY = "tenant/a"


class Lived:
    """A memory that was folded, and the histories that it did not have."""

    def __init__(self, projector: Projector, path: Path, memory: str) -> None:
        self.memory = memory
        self.store = projector.store
        self.log = projector.log
        self.end = self.log.end_offset(0)
        self._path = path
        self._built = 0
        self.frozen = self.store.frozen(memory, ("identity",))
        self.reality = Reality(self.frozen.graph().identity, self.end)
        identities = self.store.identities(memory)
        self.accepted = {str(UUID(bytes=id_)): each for id_, each in identities.items() if not each.result}

    @property
    def graph(self) -> Graph:
        graph = self.store.peek(self.memory)
        assert graph is not None
        return graph

    @contextmanager
    def otherwise(self, *args: Any, as_of: AsOf | None = None, **kwargs: Any) -> Iterator[Built]:
        self._built += 1
        moment = as_of or AsOf(receipt=Receipt(0, self.end - 1))
        path = self._path / f"other{self._built}"
        built = build_otherwise(self.log, self.memory, moment, Otherwise.of(*args, **kwargs), self.reality, path)
        try:
            yield built
        finally:
            assert built.projector.store.broken() == []
            built.projector.close()


@contextmanager
def lived(records: Sequence[LogRecord], path: Path, memory: str = MEMORY) -> Iterator[Lived]:
    with projecting(ListLog(records), path / "real") as projector:
        projector.catch_up()
        it = Lived(projector, path, memory)
        try:
            yield it
        finally:
            it.frozen.view.close()


def spoken(*built: Said) -> list[LogRecord]:
    return [each.record(0, MEMORY) for each in built]


def told(built: Built) -> Voids:
    assert built.voids is not None
    return built.voids


def graph_of(built: Built) -> Graph:
    graph = built.projector.store.peek(built.memory)
    assert graph is not None
    return graph


def digest(built: Built) -> str:
    return built.projector.store.digest(built.memory)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value.removeprefix("feature:")
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


@pytest.mark.parametrize("seed", range(8))
def test_nothing_left_out_is_reality(seed: int, tmp_path: Path) -> None:
    """State, policy, cursors and history are equal, with bounds that bite, repetitions, refusals and rubbish."""
    rng = Random(f"nothing{seed}")
    records = life(seed, 300) if seed % 3 else spoken(*(said(rng.randrange(10**9)) for _ in range(500)))
    with lived(records, tmp_path) as it, it.otherwise() as same:
        assert told(same) == Voids()
        assert digest(same) == it.store.digest(MEMORY)
        assert same.projector.store.identities(MEMORY) == it.store.identities(MEMORY)
        seq = it.graph.header.seq // 2
        with it.otherwise(as_of=AsOf(seq=seq)) as half, projecting(ListLog(records), tmp_path / "half") as anew:
            while anew.store.peek(MEMORY) is None or anew.store.graph(MEMORY).header.seq < seq:
                anew.advance(1)
            assert digest(half) == anew.store.digest(MEMORY)


@pytest.mark.parametrize("seed", range(8))
def test_one_left_out_takes_along_only_what_names_it(seed: int, tmp_path: Path) -> None:
    """What names an id that is gone is refused, and nothing else but what names a feature or thing that went too."""
    rng = Random(f"one{seed}")
    drawn = (said(rng.randrange(10**9)) for _ in range(400))
    with lived(spoken(*(each for each in drawn if each.type != "set_policy")), tmp_path) as it:
        offsets = {each.offset for each in it.accepted.values()}
        records = [each for each in it.log.read(0, 0, it.end) if each.offset in offsets]
        of_offset = {each.offset: orjson.loads(each.value or b"") for each in records}
        without = rng.choice(sorted(it.accepted))
        with it.otherwise(without) as other:
            refused = {each.id: each for each in told(other).refusals}
            gone, words = {without}, set(strings(of_offset[it.accepted[without].offset]["body"]))
            for id_, identity in sorted(it.accepted.items(), key=lambda one: one[1].seq):
                said_in = set(strings(of_offset[identity.offset]["body"]))
                if id_ == without:
                    continue
                assert (id_ in refused) >= bool(said_in & gone), (id_, of_offset[identity.offset])
                if id_ in refused:
                    assert said_in & (gone | words), refused[id_]
                    assert (refused[id_].seq, refused[id_].type) == (identity.seq, of_offset[identity.offset]["type"])
                    gone.add(id_)
                    words |= said_in
            assert told(other).left_out == 1 and told(other).refused == len(refused)
            _stands_where_it_stood(it, other, gone)


def _stands_where_it_stood(it: Lived, other: Built, gone: set[str]) -> None:
    """What stays has the seq, and so the number, that it has; a void has none; and thinkers have read as far."""
    there = other.projector.store.identities(it.memory)
    for id_, identity in it.accepted.items():
        found = there.get(UUID(id_).bytes)
        assert (found is None or found.result != 0) if id_ in gone else found == identity
    header, real = graph_of(other).header, it.graph.header
    assert (header.seq, header.cursors, header.windows) == (real.seq, real.cursors, real.windows)
    seqs = {identity.seq for id_, identity in it.accepted.items() if id_ not in gone}
    numbers = [int(each) for each in graph_of(other).node_table().keys]
    assert {each >> 6 for each in numbers if not is_feature(each)} <= seqs


@pytest.mark.parametrize("memory", MEMORIES)
def test_of_a_history_of_all_commands(memory: str, tmp_path: Path) -> None:
    """With thinkers whose decisions have parts, sleep, scorers, policies, and two other memories in the same log."""
    with lived(fixed_history(2_500), tmp_path, memory) as it:
        with it.otherwise() as same:
            assert (digest(same), told(same)) == (it.store.digest(memory), Voids())
        rng = Random(f"all commands of {memory}")
        for without in rng.sample(sorted(it.accepted), 3):
            with it.otherwise(without) as other:
                assert told(other).left_out == 1 and told(other).refused == len(told(other).refusals)
                _stands_where_it_stood(it, other, {without, *(each.id for each in told(other).refusals)})


def test_each_command_of_the_language_can_be_left_out(tmp_path: Path) -> None:
    """In its golden log, with all that names it: whatever made it possible that it was accepted."""
    records = stored_records()
    names = sorted({(each.key or b"").decode() for each in records})
    for name in names:
        own = [each for each in records if each.key == name.encode()]
        with lived(own, tmp_path / name.replace("/", "-"), name) as it:
            kinds: dict[int, str] = {}
            for id_, identity in sorted(it.accepted.items(), key=lambda one: -one[1].seq):
                kinds[identity.kind] = id_
            for without in kinds.values():
                with it.otherwise(without) as other:
                    refused = {each.id for each in told(other).refusals}
                    _stands_where_it_stood(it, other, {without, *refused})


@pytest.mark.parametrize("seed", range(4))
def test_the_order_in_which_things_are_left_out_says_nothing(seed: int, tmp_path: Path) -> None:
    rng = Random(f"order{seed}")
    with lived(life(seed, 200), tmp_path) as it:
        chosen = rng.sample(sorted(it.accepted), 5)
        with it.otherwise(chosen) as one, it.otherwise([*reversed(chosen), chosen[0].upper()]) as two:
            assert digest(one) == digest(two) and told(one) == told(two)
            assert told(one).left_out == 5 and digest(one) != it.store.digest(MEMORY)


def test_a_decision_of_which_a_part_is_void_does_not_keep_its_thinker_waiting(tmp_path: Path) -> None:
    first = thinker("chunker", 0, 2, part=0, parts=2)
    second = thinker("chunker", 0, 2, part=1, parts=2)
    built = [
        event("a", "x"),
        event("b", "y"),
        episode("of a", "a", by=first),
        episode("of b", "b", by=second),
        event("c", "z"),
        episode("of c", "c", by=thinker("chunker", 2, 5)),
        retire("gone", "chunker"),
        event("d", "z"),
        episode("of d", "d", by=thinker("chunker", 0, 8)),
    ]
    with lived(spoken(*built), tmp_path) as it:
        assert len(it.accepted) == len(built), "the life is as it was meant"
        for name, fallen in (("a", ["of a"]), ("of a", []), ("of b", []), ("gone", []), ("of c", [])):
            with it.otherwise(command_id(name)) as other:
                assert [each.id for each in told(other).refusals] == [command_id(each) for each in fallen]
                assert graph_of(other).header.cursors == {"chunker": 8} and not graph_of(other).header.windows


def test_what_an_event_was_informed_by_takes_it_along(tmp_path: Path) -> None:
    built = [
        event("a", "x"),
        recall("r", "a"),
        event("b", "y", informed_by=("r",)),
        outcome("how b went", "b", -5.0),
        event("c", "y", caused_by=("b",)),
        event("d", "z"),
    ]
    with lived(spoken(*built), tmp_path) as it, it.otherwise(command_id("a")) as other:
        assert [(each.id, each.seq, each.reason) for each in told(other).refusals] == [
            (command_id("r"), 2, "unknown_reference"),
            (command_id("b"), 3, "unknown_recall"),
            (command_id("how b went"), 4, "unknown_event"),
            (command_id("c"), 5, "unknown_event"),
        ]
        assert (graph_of(other).header.seq, graph_of(other).header.tick) == (6, 1), "a void is no event: no tick passes"


def test_what_reality_refused_stays_refused(tmp_path: Path) -> None:
    """An id that was refused is not taken later, though the laws would take the command in the other history."""
    full = policy("few", nodes_max=100, sessions_open_max=10, edges_max=100)
    conflict = policy("conflict", edges_max=50)
    with lived(spoken(full, conflict, event("a", "x"), event("a", "x"), event("a", "other")), tmp_path) as it:
        assert len(it.accepted) == 2
        with it.otherwise(command_id("few")) as other:
            assert graph_of(other).header.policy.edges_max == 250_000 and told(other).refused == 0
            with it.otherwise(command_id("a")) as none:
                assert graph_of(none).header.tick == 0, "what came again under its id does not take its place"


def test_a_policy_holds_from_the_beginning(tmp_path: Path) -> None:
    built = [event("a", "x"), event("b", "x"), policy("later", salience_initial=0.5), event("c", "x")]
    with lived(spoken(*built), tmp_path) as it:
        with it.otherwise(policy={"salience_initial": 3.0, "novelty_max": 0.0}) as other:
            found = [graph_of(other).expect(it.accepted[command_id(each)].seq << 6).salience for each in "abc"]
            assert found == pytest.approx([3.0, 3.0, 0.5], abs=0.5) and told(other) == Voids()
        same = [event("p", "x"), event("a", "x")]
        first = [policy("p", novelty_max=0.0), event("a", "x")]
    with (
        lived(spoken(*same), tmp_path / "same") as it,
        lived(spoken(*first), tmp_path / "first") as stated,
        it.otherwise(command_id("p"), policy={"novelty_max": 0.0}) as other,
    ):
        number = it.accepted[command_id("a")].seq << 6
        assert graph_of(other).expect(number) == stated.graph.expect(number), "as a first set_policy does"


def test_what_comes_at_the_end_is_folded_as_any_command(tmp_path: Path) -> None:
    more = [event("b", "x", caused_by=("a",)), outcome("bad", "b", -5.0)]
    values = [each.record(0, MEMORY).value or b"" for each in more]
    with (
        lived(spoken(event("a", "x")), tmp_path) as it,
        lived(spoken(event("a", "x"), *more), tmp_path / "all") as whole,
    ):
        with it.otherwise(with_=values) as other:
            assert digest(other) == whole.store.digest(MEMORY) and told(other) == Voids()
        with pytest.raises(InvalidAskError, match=rf"{command_id('b')} of with_: unknown_event"):
            it.otherwise(command_id("a"), with_=values).__enter__()
        again = event("a", "x").record(0, MEMORY).value or b""
        with it.otherwise(command_id("a"), with_=[again]) as moved:
            assert (graph_of(moved).header.seq, graph_of(moved).header.tick) == (2, 1), "it happened later"


def test_what_somebody_said_and_what_was_said_in_a_session_are_left_out(tmp_path: Path) -> None:
    built = [
        event("a", "x", source="ana"),
        event("b", "y", session="s2"),
        event("c", "z", source="ana", session="s2", caused_by=("b",)),
    ]
    with lived(spoken(*built), tmp_path) as it:
        with it.otherwise(without_source="ana") as other:
            assert told(other) == Voids(2, 0) and graph_of(other).header.tick == 1
        with it.otherwise(without_session="s2") as other:
            assert told(other) == Voids(2, 0) and graph_of(other).header.tick == 1
        with it.otherwise(without_session="default") as other:
            assert told(other) == Voids(1, 0)


@pytest.mark.parametrize(
    ("args", "kwargs", "why"),
    [
        (["00000000-0000-7000-8000-000000000000"], {}, "has accepted no command"),
        ([], {"without_source": "nobody"}, "accepted nothing"),
        ([], {"without_session": "none"}, "accepted nothing"),
        (["a"], {}, "takes ids"),
        ([[1]], {}, "takes ids"),
        ([[f"{n:08x}-0000-7000-8000-000000000000" for n in range(WITHOUT_MAX + 1)]], {}, "at most 1,000"),
        ([], {"with_": [b"{}"] * 101}, "at most 100"),
        ([], {"with_": [b"{}"]}, "number 1 of with_"),
        ([], {"policy": {"magic": 1}}, "not a constant"),
        ([], {"policy": {"nodes_max": 10}}, "contradict"),
        ([], {"policy": {"nodes_max": "many"}}, "policy takes"),
        ([], {"without_source": ""}, "1 to 256"),
    ],
)
def test_what_cannot_be_supposed(args: list[Any], kwargs: dict[str, Any], why: str, tmp_path: Path) -> None:
    with lived(spoken(event("a", "x")), tmp_path) as it, pytest.raises(InvalidAskError, match=why):
        it.otherwise(*args, **kwargs).__enter__()


def test_what_is_not_folded_yet_is_not_guessed(tmp_path: Path) -> None:
    with lived(spoken(event("a", "x"), event("b", "x")), tmp_path) as it:
        it.reality = it.reality._replace(position=1)
        with pytest.raises(NotReadyError, match="offset 1"):
            it.otherwise().__enter__()


def test_it_begins_with_what_was_built_of_reality_before_the_first_void(tmp_path: Path) -> None:
    built = [event("a", "x"), event("b", "y"), outcome("bad", "b", -5.0), event("c", "x"), event("c", "y")]
    with lived(spoken(*built), tmp_path) as it:
        end = AsOf(receipt=Receipt(0, it.end - 1))
        named = {
            "bad": AsOf(seq=2), "c": AsOf(seq=3), "a": None, "nobody": end,
        }  # fmt: skip
        found = {name: same_until(Otherwise.of([command_id(name)]), it.reality, end) for name in named}
        assert found == named
        assert same_until(Otherwise.of([command_id("bad")], with_=[b"{}"]), it.reality, end) == AsOf(seq=2)
        unknowns: list[dict[str, Any]] = [
            {"without_source": "test"},
            {"without_session": "default"},
            {"policy": {"novelty_max": 0}},
        ]
        for unknown in unknowns:
            assert same_until(Otherwise.of([command_id("c")], **unknown), it.reality, end) is None
        whole = it.otherwise(command_id("bad"))
        early = build(it.log, MEMORY, AsOf(seq=2), tmp_path / "early")
        early.projector.store.write_checkpoint(tmp_path / "begun")
        with whole as other:
            changed = Otherwise.of(command_id("bad"))
            begun = build_otherwise(it.log, MEMORY, end, changed, it.reality, tmp_path / "begun", begun=early.reached)
            assert digest(begun) == digest(other) and told(begun) == told(other)
            begun.projector.close()
        early.projector.close()


@pytest.mark.parametrize("instead", [event("a", "other"), None], ids=["another text", "rubbish"])
def test_a_record_that_was_altered_since_is_told(instead: Said | None, tmp_path: Path) -> None:
    with lived(spoken(event("a", "x"), event("b", "x")), tmp_path) as it:
        first = it.log.read(0, 0, 1)[0]
        value = instead.record(0, MEMORY).value if instead else (first.value or b"").replace(b"record_event", b"record")
        assert isinstance(it.log, ListLog)
        it.log.records[0] = first._replace(value=value)
        with pytest.raises(LogMismatchError, match="offset 0"):
            it.otherwise(command_id("b")).__enter__()


def test_a_list_of_what_is_refused_is_bounded_and_the_count_is_not(tmp_path: Path) -> None:
    many = [outcome(f"o{n}", "a", 1.0) for n in range(REFUSALS_MAX + 20)]
    with lived(spoken(event("a", "x"), *many), tmp_path) as it, it.otherwise(command_id("a")) as other:
        assert told(other).refused == len(many) and len(told(other).refusals) == REFUSALS_MAX
        assert told(other).refusals[0].seq == 2


def test_reality_is_only_read(tmp_path: Path) -> None:
    with lived(life(3, 150), tmp_path) as it:
        before, kept = it.store.digest(MEMORY), list(it.log.read(0, 0, it.end))
        with it.otherwise(sorted(it.accepted)[:3], policy={"salience_initial": 2.0}):
            pass
        assert it.store.digest(MEMORY) == before and list(it.log.read(0, 0, 10**6)) == kept
    with opened(tmp_path / "real") as store:
        assert store.digest(MEMORY) == before
