"""Sleep after a task: it looks at what was touched, and at its turn of the rest; what is let alone long enough goes."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st

from tests.graph.by_hand import HALVING
from tests.graph.commands import MEMORY, Said, concept, event, outcome, pin, policy, recall, sleep, thinker, use
from tests.graph.hosts import folded, opened
from tests.graph.scenario import accepted, given, gone, header, node, refused, unchanged
from tests.graph.world import World
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.fold import Answer, Fold
from yggdrasil_projections.graph.laws.decisions.looking import all_of, turn_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeFlag
from yggdrasil_schemas.policy import DEFAULT
from yggdrasil_schemas.refusals import Refusal

ARCHIVED = NodeFlag.ARCHIVED
TIRED = policy("tired", archive_salience=100, archive_rest_ticks=0, buffer_events_max=1)
"""Every salience counts as faded."""
THREE = policy("slice of three", sleep_slice=3)


def nap(name: str) -> Said:
    return sleep(name, scope="task")


def chain(first: int, last: int) -> list[Said]:
    return [event(f"e{n}") for n in range(first, last + 1)]


def away(moment: object, names: Iterable[str]) -> list[str]:
    return [name for name in names if moment.node(name).flags & ARCHIVED]  # type: ignore[attr-defined]


EIGHT = [f"e{n}" for n in range(1, 9)]


def test_each_node_has_its_turn_and_after_the_youngest_comes_the_oldest() -> None:
    """Nothing was touched but e8, with which the first sleep's tick began; it is in the buffer, and stays."""
    before = given(TIRED, THREE, *chain(1, 8))
    before.when(policy("not yet", archive_salience=0))
    before.when(sleep("whole")).then(header(slept=8, looked=0))
    before.when(policy("now", archive_salience=100))
    one = before.when(nap("one"))
    one.then(accepted(14), header(looked=one.node("e3").number, slept=8), unchanged("e4", "e5", "e6", "e7"))
    assert away(one, EIGHT) == ["e1", "e2", "e3"]
    two = before.when(nap("two"))
    assert away(two, EIGHT) == ["e1", "e2", "e3", "e4", "e5", "e6"]
    three = before.when(nap("three"))
    assert away(three, EIGHT) == ["e1", "e2", "e3", "e4", "e5", "e6", "e7"]
    three.then(header(looked=three.node("e1").number))


def test_it_looks_at_a_smaller_memory_as_a_whole() -> None:
    two = given(TIRED, *chain(1, 2)).when(nap("one"))
    two.then(node("e1", flags=ARCHIVED), node("e2", flags=0), header(looked=two.node("e2").number))
    given(THREE).when(nap("nothing is there")).then(accepted(2), header(looked=0, slept=0))


def test_what_was_touched_since_the_last_sleep_of_either_scope_is_looked_at_whoever_has_the_turn() -> None:
    """The recall at tick 12 touches e5; e1 to e3 have the turn of the first sleep, e4 to e6 that of the second."""
    for first in (nap("night"), sleep("night")):
        before = given(policy("one", sleep_slice=1), TIRED, policy("no", archive_salience=0), *chain(1, 12), first)
        before.when(recall("asked", "e11"))
        before.when(event("e13"))
        before.when(policy("now", archive_salience=100))
        found = before.when(nap("next"))
        looked = ["e2" if first == nap("night") else "e1", "e11", "e12"]  # e12 was touched in the tick of that sleep
        assert away(found, [f"e{n}" for n in range(1, 14)]) == looked


def test_use_is_noticed_at_once_and_the_level_rises_with_the_next_sleep() -> None:
    uses = [said for n in range(5) for said in (recall(f"r{n}", "e9"), use(f"u{n}", f"r{n}", "e9"))]
    before = given(policy("one", sleep_slice=1), *chain(1, 20), sleep("night"), *uses)
    before.when(nap("next")).then(node("e9", level=1), node("e8", level=0), unchanged("e8", "e10"))


def test_it_dissolves_what_has_its_turn() -> None:
    formed = [event("e1", "a", "b"), concept("pair", "feature:a", "feature:b"), *chain(2, 9)]
    quick = policy("quick", concept_half_life=0.01, archive_salience=0.1)
    before = given(quick, THREE, *formed, sleep("whole"))
    before.when(concept("two", "feature:a", "feature:b"))
    for n in range(10, 19):
        before.when(event(f"e{n}"))
    before.when(nap("touched")).then(gone("two"))


def test_what_ranks_all_that_there_is_waits_for_a_look_at_the_whole() -> None:
    roomy = policy("roomy", archive_salience=0, buffer_events_max=1, capacity_weight_max=2)
    before = given(roomy, *chain(1, 5))
    before.when(nap("nap")).then(unchanged("e1", "e2", "e3", "e4", "e5"))
    assert away(before.when(sleep("whole")), EIGHT[:5]) == ["e1", "e2", "e3"]
    full = given(TIRED, policy("full", archived_max=1), *chain(1, 5))
    full.when(nap("nap")).then(header(nodes=5))
    full.when(sleep("whole")).then(header(nodes=2))


def test_a_round_of_turns_comes_to_what_a_look_at_the_whole_comes_to() -> None:
    """Where nothing is touched meanwhile; every node has been looked at once, and some twice."""
    ends = [outcome("good", "e3", 1.0), pin("core", "e4"), concept("pair", "feature:a", "feature:b")]
    uses = [said for n in range(5) for said in (recall(f"r{n}", "e2"), use(f"u{n}", f"r{n}", "e2"))]
    life = [HALVING, policy("some", archive_salience=0.3, archive_rest_ticks=2, buffer_events_max=1, sleep_slice=3)]
    life += [event("e1", "a", "b"), *chain(2, 7), *ends, *uses, *chain(8, 16)]
    whole, round_of = given(*life), given(*life)
    last = whole.when(sleep("whole"))
    napped = round_of.when(nap("first"))
    for n in range(last.graph.header.nodes // 3):
        napped = round_of.when(nap(f"n{n}"))
    assert napped.graph.changed_nodes == last.graph.changed_nodes
    assert napped.node("e1").flags & ARCHIVED and napped.node("e2").level == 1


@pytest.mark.parametrize(("ticks", "goes"), [(6, False), (7, True)])
def test_what_was_touched_lately_is_not_archived(ticks: int, goes: bool) -> None:
    rest = policy("rest", archive_salience=100, archive_rest_ticks=7, buffer_events_max=1)
    for night in (nap("night"), sleep("night")):
        before = given(rest, event("e1"), *(event(f"x{n}") for n in range(ticks)))
        before.when(night).then(node("e1", flags=ARCHIVED if goes else 0))


@pytest.mark.parametrize(("ticks", "goes"), [(4, False), (5, True)])
def test_what_is_consolidated_is_let_alone_for_longer(ticks: int, goes: bool) -> None:
    """At level 1 by 5 / 3: five ticks for three, after the sleep that has raised it."""
    rest = policy("rest", archive_salience=0, archive_rest_ticks=3, buffer_events_max=1, use_permanence=0)
    uses = [said for n in range(5) for said in (recall(f"r{n}", "e1"), use(f"u{n}", f"r{n}", "e1"))]
    for night in (nap("night"), sleep("night")):
        before = given(rest, event("e1"), *uses, sleep("raised"), policy("now", archive_salience=100))
        for n in range(ticks):
            before.when(event(f"x{n}"))
        before.when(night).then(node("e1", level=1, flags=ARCHIVED if goes else 0))


def test_the_default_rest_is_what_the_seed_s_rate_takes() -> None:
    """0.995 a task of ten events: from 1 to 0.1 (003, sections 3.6 and 3.8), to the next whole event."""
    tasks = DEFAULT.archive_rest_ticks / 10
    assert 0.995**tasks <= 0.1 < 0.995 ** (tasks - 0.1)
    at_levels = [0.995, 0.997, 0.998, 0.999, 0.9995, 0.9998]
    for (_, factor), rate in zip(DEFAULT.consolidation, at_levels[1:], strict=True):
        assert rate ** (tasks * factor) == pytest.approx(0.1, rel=0.01)


def test_a_thinker_s_sleep_counts_once_and_in_parts() -> None:
    before = given(TIRED, THREE, *chain(1, 9))
    by = thinker("sleeper", 0, 3, part=0, parts=2)
    before.when(sleep("first part", by=by, scope="task")).then(accepted(12))
    before.when(sleep("again", by=by, scope="task")).then(refused(Refusal.PART_STALE))
    stale = sleep("stale", by=thinker("sleeper", 4, 5), scope="task")
    before.when(stale).then(refused(Refusal.CURSOR_STALE), unchanged(*EIGHT))


STEPS = ("event", "event", "event", "outcome", "pin", "nap", "nap", "sleep", "look", "flush", "flush and evict")
TIGHT = policy(
    "tight", nodes_max=40, edges_max=80, sessions_open_max=1, degree_max=16, archived_max=4, sleep_slice=7,
    archive_salience=1.0, archive_rest_ticks=3,
)  # fmt: skip


def said(step: str, number: int) -> Said:
    name = f"{step}{number}"
    if step == "event":
        return event(name, f"f{number % 7}", f"g{number % 3}", "hub")
    if step == "outcome":
        return outcome(name, f"event{number - 1}", -2.0)
    if step == "pin":
        return pin(name, "feature:hub", pinned=bool(number % 2))
    return sleep(name, scope="task" if step == "nap" else None)


@over(steps=st.lists(st.sampled_from(STEPS), min_size=20, max_size=90))
@settings(deadline=None, max_examples=12)
def test_what_is_looked_at_does_not_depend_on_what_is_stored_already(steps: list[str]) -> None:
    """Changes, pruning, flushes and evictions in any order; compared with a look at every node."""
    with TemporaryDirectory() as folder, opened(Path(folder, "store")) as store:
        fold, applied, offset = Fold(0, 1, store), list[tuple[LogRecord, Answer]](), 0
        for number, step in enumerate(["policy", *steps, "look", "flush", "look"]):
            if step == "look":
                graph = store.graph(MEMORY)
                kept = graph.header.looked
                turn = turn_of(graph)
                shown = graph.node_rows(turn)
                moved, graph.header.looked = graph.header.looked, kept
                numbers, shown_whole = all_of(graph)
                rows = shown_whole.copy()
                circle = np.concatenate([numbers[numbers > kept], numbers[numbers <= kept]])[:7]
                awake = numbers[rows["tick"] >= graph.header.slept]
                assert turn == sorted({*circle.tolist(), *awake.tolist()})
                assert moved == (int(circle[-1]) if len(circle) else 0)
                assert shown[0].tolist() == turn
                assert shown[1].tobytes() == rows[np.isin(numbers, turn)].tobytes()
            elif step.startswith("flush"):
                store.commit(applied)
                applied = []
                if step == "flush and evict":
                    store.graph(MEMORY).evict(20)
            else:
                record = (TIGHT if step == "policy" else said(step, number)).record(offset)
                applied.append((record, fold.apply(record)))
                offset += 1


def test_a_life_with_a_sleep_after_every_task_is_the_same_however_it_is_folded(tmp_path: Path) -> None:
    life = [TIGHT]
    for n in range(400):
        life.append(said("event", n))
        life += [outcome(f"o{n}", f"event{n}", -1.0)] if n % 7 == 0 else []
        life += [said("nap", n)] if n % 10 == 9 else []
    records = [each.record(at) for at, each in enumerate(life)]
    whole = folded(records, tmp_path / "whole")
    assert whole == folded(records, tmp_path / "one by one", batch=1)
    assert whole == folded(records, tmp_path / "small", batch=7, cached_records_max=50)


def test_a_host_that_ends_between_two_parts_goes_on_where_it_was(tmp_path: Path) -> None:
    """After each of the two parts, and after a sleep of its own: the circle, the window and the levels are stored."""
    life = [TIGHT, *(said("event", n) for n in range(30)), nap("one"), *(said("event", n) for n in range(30, 36))]
    by = (thinker("sleeper", 0, 20, part=0, parts=2), thinker("sleeper", 0, 20, part=1, parts=2))
    life += [
        sleep("first", by=by[0], scope="task"),
        said("event", 36),
        sleep("second", by=by[1], scope="task"),
        nap("z"),
    ]
    records = [each.record(at) for at, each in enumerate(life)]
    whole = folded(records, tmp_path / "whole")
    cuts = [at for at, each in enumerate(life, 1) if each.type == "sleep"]
    for at in cuts:
        folded(records[:at], tmp_path / f"cut at {at}")
        assert folded(records, tmp_path / f"cut at {at}") == whole


def test_of_50_000_nodes_it_looks_at_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,600 events, of 32 features each; ten more, and a sleep. It looks at these, what they touch, and a slice."""
    world, looked = World(), list[int]()
    world.say(policy("plain", features_paired_max=0, competitors_max=0, nodes_max=100_000, edges_max=500_000))
    for n in range(1_530):
        world.say(event(f"e{n}", *(f"f{n}-{m}" for m in range(32))))
    graph = world.graph(MEMORY)
    assert graph.header.nodes >= 50_000
    world.say(nap("all was touched"))
    graph.changed_nodes = {number: node for number, node in graph.changed_nodes.items() if node is not None}
    for n in range(10):
        world.say(event(f"more{n}", f"f0-{n}"))
    real = Graph.node_rows

    def counted(self: Graph, numbers: list[int]) -> object:
        found = real(self, numbers)
        looked.append(len(found[0]))
        return found

    monkeypatch.setattr(Graph, "node_rows", counted)
    settled = {number: node.tick for number, node in graph.changed_nodes.items() if node is not None}
    world.say(nap("few were"))
    # The last event before that sleep was made in its tick: it, its features, ten events, and ten of their features.
    assert looked == [33 + 20 + DEFAULT.sleep_slice, 0] and len(settled) >= 50_000
    changed = [number for number, tick in settled.items() if (graph.node(number) or graph.expect(number)).tick != tick]
    assert len(changed) <= 33 + 20 + DEFAULT.sleep_slice
