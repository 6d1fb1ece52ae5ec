"""Sleep: what was used is consolidated, what nothing feeds dissolves, what has faded is archived, and may come back."""

import pytest

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, NO_RANK, PLAIN, density, faded, half_life
from tests.graph.commands import MEMORY, Said, adjust, concept, episode, event, outcome, pin, policy, recall, sleep, use
from tests.graph.scenario import accepted, edge, given, gone, header, node, repeated, sessions, unchanged
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, Recalled

TEMPORAL, CAUSAL, CONTAINS = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.CONTAINS
CATASTROPHIC, PINNED = NodeFlag.CATASTROPHIC, NodeFlag.PINNED
ARCHIVED, CONCEPTUAL, ADJUSTED = NodeFlag.ARCHIVED, NodeFlag.CONCEPTUAL, NodeFlag.ADJUSTED
FAINT = policy("faint", archive_salience=0.1, archive_rest_ticks=0, buffer_events_max=1)
"""A tenth of salience counts as faded, and only the last event is in the buffer."""
TIRED = policy("tired", archive_salience=100, archive_rest_ticks=0, buffer_events_max=1)
"""Every salience counts as faded."""


ADJUSTABLE = policy("adjustable", adjust_permanence_max=0.5)
EIGHT = density(8, kinds=1, marks=1)


def used(name: str, first: int, last: int) -> list[Said]:
    """The uses, by number, of what is called so; none says how the task went."""
    said: list[Said] = []
    for n in range(first, last + 1):
        said += [recall(f"asked {n}", name), use(f"used {n}", f"asked {n}", name)]
    return said


@pytest.mark.parametrize(
    ("times", "level", "factor"),
    [(4, 0, 1), (5, 1, 5 / 3), (14, 1, 5 / 3), (15, 2, 2.5), (30, 3, 5), (60, 4, 10), (100, 5, 25)],
)
def test_the_more_it_was_used_the_slower_it_fades(times: int, level: int, factor: float) -> None:
    """Over the 2 % of every use, and the 0.1 of permanence."""
    stability, permanence = 1.02**times * factor, min(0.1 * times, 10)
    given(BARE, event("e1"), *used("e1", 1, times)).when(sleep("night")).then(
        accepted(seq=3 + 2 * times),
        node("e1", level=level, stability=stability, half_life=half_life(1, stability, permanence), usage=times),
    )


def test_a_level_that_rises_replaces_the_one_before_and_none_ever_falls() -> None:
    before = given(HALVING, event("e1"), *used("e1", 1, 5), sleep("first"))
    before.when(sleep("again")).then(node("e1", level=1, stability=1.02**5 * 5 / 3), unchanged("e1"))
    for said in used("e1", 6, 15):
        before.world.say(said)
    before.when(sleep("third")).then(node("e1", level=2, stability=1.02**15 * 2.5, half_life=1.02**15 * 2.5))
    before.when(sleep("last")).then(node("e1", level=2), unchanged("e1"))


RAIN = (((1 / 2 + 0.1) / 2 + 0.1) / 2 + 0.1) / 2 + 0.1


def test_what_is_consolidated_is_settled_and_what_is_not_is_left_alone() -> None:
    """rain occurred five times, so it was used five times."""
    before = given(HALVING, *(event(f"e{n}", "rain") for n in range(1, 5)), event("e5", "rain", "sun"), event("e6"))
    before.when(sleep("night")).then(
        header(tick=6, nodes=8),
        node("feature:rain", salience=RAIN / 2, level=1, stability=5 / 3, half_life=5 / 3, tick=6),
        node("feature:sun", level=0),
        unchanged("feature:sun", "e1", "e5", "e6"),
        sessions(default=("e1", "e2", "e3", "e4", "e5", "e6")),
    )


def test_one_night_changes_so_many_and_the_next_one_more() -> None:
    """35 times 32 features, each five times, the least bound, and the oldest first."""
    least = policy("least", removals_per_command_max=1_024, features_paired_max=0)
    memory = given(
        least, *(event(f"e{n} {time}", *(f"f{n}-{m}" for m in range(32))) for time in range(5) for n in range(35))
    )

    def levels() -> list[int]:
        graph = memory.world.graph(MEMORY)
        return [graph.expect(graph.feature(f"f{n}-{m}") or 0).level for n in range(35) for m in range(32)]

    memory.when(sleep("one"))
    assert levels() == [1] * 1_024 + [0] * 96
    memory.when(sleep("two"))
    assert levels() == [1] * 1_120


def test_a_concept_that_nothing_feeds_dissolves() -> None:
    """Its half-life is half a tick: 1.5 / 4 after one, 1.5 / 16 after two, which is less than 0.1."""
    before = given(HALVING, FAINT, event("e1", "a", "b"), concept("pair", "feature:a", "feature:b"), event("e2"))
    before.when(sleep("early")).then(unchanged("pair"))
    before.when(event("e3"))
    before.when(sleep("late")).then(
        gone("pair"), node("feature:a", degree=2), edge("e1", CONTAINS, "feature:a"), header(nodes=5, edges=3 + 2)
    )


def test_at_the_thresholds_a_concept_stays() -> None:
    """Salience of 1.5, and permanence of 0.5 that an adjustment gave; a tick later that is a little less."""
    formed = [event("e1", "a", "b"), concept("pair", "feature:a", "feature:b")]
    given(policy("at", archive_salience=1.5), *formed).when(sleep("night")).then(unchanged("pair"))
    given(policy("above", archive_salience=1.51), *formed).when(sleep("night")).then(gone("pair"))
    lasting = [*formed, ADJUSTABLE, adjust("more", "pair", evidence=("pair",), permanence=0.5)]
    given(TIRED, *lasting).when(sleep("night")).then(node("pair", permanence=0.5), unchanged("pair"))
    given(TIRED, *lasting, event("e2")).when(sleep("night")).then(gone("pair"))


def test_one_night_dissolves_few() -> None:
    """A 32nd of the bound for other changes: with 1,024, 32 of 40."""
    least = policy("least", removals_per_command_max=1_024)
    formed = [concept(f"c{n}", "feature:a", "feature:b") for n in range(40)]
    before = given(TIRED, least, event("e1", "a", "b"), *formed)
    before.when(sleep("one")).then(gone("c0", "c31"), node("c32"), header(nodes=3 + 8))
    before.when(sleep("two")).then(gone("c39"), header(nodes=3))


def test_a_pinned_concept_stays() -> None:
    known = [event("e1", "a", "b"), concept("pair", "feature:a", "feature:b"), pin("core", "pair")]
    given(TIRED, *known).when(sleep("night")).then(unchanged("pair"))


@pytest.mark.parametrize(("threshold", "flags"), [(0.01, CONCEPTUAL), (EIGHT, CONCEPTUAL), (EIGHT + 1e-9, 0)])
def test_a_conceptual_feature_that_is_sparse_and_has_faded_is_a_feature_again(threshold: float, flags: int) -> None:
    """rain has 8 edges of one kind, in one session: its density is 8 / 24 * 1.4 / 3 = 0.16."""
    low = policy("low", concept_density=0.01, dissolve_density=0, concept_beyond_chance=0)
    strict = policy("strict", concept_density=0.9, dissolve_density=threshold)
    before = given(PLAIN, low, *(event(f"e{n}", "rain") for n in range(1, 9)), strict)
    before.when(sleep("too early")).then(node("feature:rain", flags=CONCEPTUAL))
    before.when(TIRED)
    before.when(sleep("night")).then(node("feature:rain", flags=flags, usage=8, degree=8))


def test_what_has_faded_is_archived() -> None:
    """At tick 6: e1 has 1.5 / 32, e2 1.5 / 16, e3 1.5 / 8. The outcome had 1.75 and has as little; day had 1.75 at tick
    1; features and the concept, which is pinned, are never archived."""
    known = [event("e1", "a"), outcome("good", "e1", 1.0, kind="x"), episode("day", "e1"), event("e2")]
    idea = [concept("idea", "feature:a", "feature:outcome:x"), pin("core", "idea")]
    before = given(HALVING, FAINT, *known, *idea, *(event(f"e{n}") for n in range(3, 7)))
    slept = before.when(sleep("night"))
    slept.then(
        node("e1", flags=ARCHIVED, salience=(1.5 + 0.75) / 32, permanence=0.15 / 32, tick=6),
        node("good", flags=ARCHIVED, salience=1.75 / 32, tick=6),
        node("day", flags=ARCHIVED, tick=6, salience=(1 + 0.5 * 2.25) / 32),
        node("e2", flags=ARCHIVED, salience=1.5 / 16, tick=6),
        unchanged("e3", "e4", "e5", "e6", "feature:a", "feature:outcome:x", "idea"),
        header(nodes=8 + 3),
        edge("e1", TEMPORAL, "e2", weight=1, tick=2),
        edge("e1", CAUSAL, "good"),
    )
    before.when(sleep("again")).then(unchanged("e1", "good", "day", "e2", "e3"))


def test_at_the_threshold_of_salience_nothing_is_archived() -> None:
    for threshold, flags in ((0.375, 0), (0.376, ARCHIVED)):
        before = given(HALVING, FAINT, event("e1"), event("e2"), event("e3"))
        before.when(policy("threshold", archive_salience=threshold))
        before.when(sleep("night")).then(node("e1", flags=flags))


def test_what_is_protected_lasts_or_is_in_a_buffer_is_not_archived() -> None:
    """The doom is of size 1.5, so e3's permanence is 0.75; e4 has 0.5 by an adjustment, e5 a little less."""
    core = [pin("core", "e2"), ADJUSTABLE]
    doom = outcome("doom", "e3", -0.001, catastrophic=True)
    grown = [adjust(f"more {n}", f"e{n}", evidence=(f"e{n}",), permanence=gain) for n, gain in ((4, 0.5), (5, 0.49))]
    chain = [event(f"e{n}") for n in range(1, 7)]
    before = given(TIRED, *chain, *core, doom, *grown, event("o1", session="other"), event("e7"))
    lasting = given(TIRED, *chain, *core, doom, *grown)
    before.when(sleep("night")).then(
        node("e1", flags=ARCHIVED),
        node("e2", flags=PINNED),
        node("e3", flags=CATASTROPHIC),
        node("doom", flags=CATASTROPHIC),
        node("e4", flags=ARCHIVED | ADJUSTED),  # its permanence has eroded by two ticks
        node("e5", flags=ARCHIVED | ADJUSTED),
        node("e6", flags=ARCHIVED),
        node("o1", flags=NodeFlag.OPENING),
        node("e7", flags=0),
    )
    lasting.when(sleep("night")).then(
        node("e4", flags=ADJUSTED, permanence=0.5), node("e5", flags=ARCHIVED | ADJUSTED), node("e6", flags=0)
    )


def test_what_ended_well_and_badly_is_not_archived() -> None:
    """e1 is told +1 and -1, e2 the same good end twice; both have faded alike."""
    ends = [outcome("o1", "e1", 1.0), outcome("o2", "e1", -1.0), outcome("o3", "e2", 1.0), outcome("o4", "e2", 1.0)]
    before = given(HALVING, FAINT, event("e1"), event("e2"), *ends, *(event(f"f{n}") for n in range(12)))
    before.when(sleep("night")).then(
        node("e1", flags=0, good=1, bad=1), node("e2", flags=ARCHIVED, good=2), node("o1", flags=ARCHIVED)
    )


ROOMY = policy("roomy", archive_salience=0, buffer_events_max=1, use_half_life=1, use_permanence=0)
"""Nothing counts as faded, and only the last event is in the buffer."""


@pytest.mark.parametrize(("most", "left"), [(5, "e1 e2 e3 e4 e5"), (4, "e2 e3 e4 e5"), (2, "e4 e5"), (0, "e5")])
def test_what_makes_room_was_touched_longest_ago(most: int, left: str) -> None:
    """Five events weigh 5; the last is in the buffer, and stays though there is no room for it."""
    before = given(ROOMY, policy("room", capacity_weight_max=most), *(event(f"e{n}") for n in range(1, 6)))
    slept = before.when(sleep("night"))
    assert [f"e{n}" for n in range(1, 6) if not slept.node(f"e{n}").flags & ARCHIVED] == left.split()
    slept.when(sleep("again")).then(unchanged("e1", "e2", "e3", "e4", "e5"))


@pytest.mark.parametrize(("most", "away"), [(3, "e2"), (2, "e1 e2"), (1, "e1 e2 e3")])
def test_of_one_level_the_last_touch_counts_and_then_the_age(most: int, away: str) -> None:
    """The recall touches e1 at tick 3, at which e3 was made."""
    touched = [event("e1"), event("e2"), event("e3"), recall("asked", "e1"), event("e4")]
    slept = given(ROOMY, policy("room", capacity_weight_max=most), *touched).when(sleep("night"))
    assert [f"e{n}" for n in range(1, 5) if slept.node(f"e{n}").flags & ARCHIVED] == away.split()
    slept.then(node("e2", flags=ARCHIVED, tick=4), node("e4", flags=0))


@pytest.mark.parametrize(("times", "weight"), [(5, 2), (15, 4), (30, 8), (60, 16), (100, 32)])
def test_what_is_consolidated_takes_more_room_and_yields_last(times: int, weight: int) -> None:
    """Beside two of no level, of which e3 was touched last and is in the buffer. What was used is older than both."""
    known = [event("act"), *used("act", 1, times), event("e2"), event("e3")]
    for most, away in ((weight + 2, ""), (weight + 1, "e2"), (weight, "act e2"), (weight - 1, "act e2")):
        slept = given(ROOMY, policy("room", capacity_weight_max=most), *known).when(sleep("night"))
        assert [name for name in ("act", "e2", "e3") if slept.node(name).flags & ARCHIVED] == away.split()


def test_a_weight_is_a_constant() -> None:
    known = [event("e1"), event("act"), *used("act", 1, 5), event("e3")]
    heavy = policy("heavy", capacity_weight_max=4, capacity_weight_1=3)
    given(ROOMY, policy("light", capacity_weight_max=4), *known).when(sleep("night")).then(node("e1", flags=0))
    given(ROOMY, heavy, *known).when(sleep("night")).then(node("e1", flags=ARCHIVED), node("act", flags=0, level=1))


def test_outcomes_and_episodes_make_room_and_features_and_concepts_have_no_weight() -> None:
    known = [event("e1", "a", "b"), outcome("good", "e1", 1.0), episode("day", "e1"), event("e2", "a", "b")]
    idea = concept("idea", "feature:a", "feature:b")
    given(ROOMY, policy("room", capacity_weight_max=4), *known, idea).when(sleep("night")).then(
        unchanged("e1", "good", "day", "e2", "idea", "feature:a")
    )
    given(ROOMY, policy("none", capacity_weight_max=1), *known, idea).when(sleep("night")).then(
        node("e1", flags=ARCHIVED), node("good", flags=ARCHIVED), node("day", flags=ARCHIVED),
        unchanged("e2", "idea", "feature:a"),
    )  # fmt: skip


def test_what_a_flag_protects_weighs_and_stays_and_what_is_lasting_or_contested_goes() -> None:
    doom = outcome("doom", "e2", -10.0, catastrophic=True)
    ends = [outcome("o1", "e3", 10.0), outcome("o2", "e3", -10.0)]
    known = [event("e1"), event("e2"), event("e3"), pin("core", "e1"), doom, *ends, event("e4")]
    given(ROOMY, policy("room", capacity_weight_max=3), *known).when(sleep("night")).then(
        node("e1", flags=PINNED), node("e2", flags=CATASTROPHIC), node("doom", flags=CATASTROPHIC),
        node("e3", flags=ARCHIVED), node("o1", flags=ARCHIVED), node("o2", flags=ARCHIVED), node("e4", flags=0),
    )  # fmt: skip


def test_one_night_makes_bounded_room() -> None:
    least = policy("least", removals_per_command_max=1_024, capacity_weight_max=0)
    before = given(ROOMY, least, *(event(f"e{n}") for n in range(1_030)))
    before.when(sleep("one")).then(node("e1023", flags=ARCHIVED), node("e1024", flags=0))
    before.when(sleep("two")).then(node("e1028", flags=ARCHIVED), node("e1029", flags=0))


def test_the_last_event_of_a_session_is_not_archived() -> None:
    """Though an episode has taken it out of the buffer."""
    chain = [event("a1", session="a"), episode("day", "a1", session="a"), event("b1", session="b")]
    given(TIRED, *chain).when(sleep("night")).then(node("a1", flags=0), node("day", flags=ARCHIVED), node("b1"))


def archived() -> list[Said]:
    """e1 is put away at tick 6, with 1.5 / 32 of salience."""
    return [HALVING, FAINT, *(event(f"e{n}") for n in range(1, 7)), sleep("night")]


def test_an_outcome_revives() -> None:
    given(*archived(), event("e7")).when(outcome("good", "e1", 2.0)).then(
        node("e1", flags=0, salience=0.5 + 0.5 * 3, permanence=0.3, tick=7), node("e2", flags=ARCHIVED)
    )


def test_a_recall_revives_and_keeps_what_was_as_evidence() -> None:
    recalled = given(*archived()).when(recall("asked", "e1"))
    recalled.then(node("e1", flags=0, salience=0.5 + 0.1 * (1 - 0.5 / 20), candidates=1))
    assert recalled.graph.recalls[10].returned == [Recalled(recalled.node("e1").number, 1.5 / 32, 0.0)]


def test_a_pin_revives() -> None:
    given(*archived()).when(pin("core", "e1")).then(node("e1", flags=PINNED, salience=0.5, half_life=1e6))


@pytest.mark.parametrize(("times", "level", "factor"), [(5, 0, 1), (15, 0, 1), (30, 1, 5 / 3), (60, 2, 2.5)])
def test_what_comes_back_is_two_levels_lower(times: int, level: int, factor: float) -> None:
    """Whoever brings it back; a level that it has not cannot be lost. The next night counts its uses again."""
    plain = policy("light", use_permanence=0, use_half_life=1)
    before = given(PLAIN, TIRED, plain, event("act"), *used("act", 1, times), event("e2"), sleep("night"))
    recalled = before.when(recall("deep", "act"))
    recalled.then(node("act", flags=0, level=level, stability=factor, half_life=HALF_LIFE * factor))
    recalled.when(sleep("again")).then(node("act", flags=ARCHIVED, usage=times))
    recalled.when(outcome("good", "act", 0.0)).then(node("act", flags=0, level=level, stability=factor / 2))


def test_the_revived_salience_is_a_least_one() -> None:
    """What is archived with more keeps it."""
    given(TIRED, event("e1"), event("e2"), sleep("night")).when(recall("asked", "e1")).then(
        node("e1", flags=0, salience=faded(1.5, 1) + 0.1 * (1 - faded(1.5, 1) / 20))
    )


def test_credit_and_reflection_revive_nothing() -> None:
    """e5 is the one before e6, and e4 before it: of 0.3 they get 0.3 and 0.24, but stay where they are."""
    before = given(HALVING, TIRED, *(event(f"e{n}") for n in range(4, 7)), sleep("night"))
    before.when(outcome("good", "e6", 2.0)).then(
        node("e5", flags=ARCHIVED, impact=0.3), node("e4", flags=ARCHIVED, impact=0.24)
    )
    before.when(adjust("more", "e4", evidence=("e6",), salience=0.25)).then(node("e4", flags=ARCHIVED))
    before.when(event("e7", caused_by=("e4",))).then(node("e4", flags=ARCHIVED), edge("e4", CAUSAL, "e7"))


def test_the_archive_forgets_the_oldest_of_equals() -> None:
    before = given(HALVING, TIRED, *(event(f"e{n}") for n in range(1, 7)))
    before.when(policy("two", archived_max=2, **NO_RANK))
    before.when(sleep("night")).then(
        gone("e1", "e2", "e3"),
        header(nodes=3, edges=2),
        node("e4", flags=ARCHIVED, degree=1),
        node("e5", flags=ARCHIVED),
        node("e6", flags=0),
    )


def test_the_archive_forgets_the_lowest() -> None:
    """e1 and its outcome have an impact of 1.5 and go last, then those that have faded most; e1 is joined to e4."""
    known = [event("e1"), outcome("good", "e1", 1.0), *(event(f"e{n}") for n in range(2, 6))]
    before = given(HALVING, TIRED, policy("three", archived_max=3), *known)
    before.when(sleep("night")).then(
        gone("e2", "e3"),
        node("e1", flags=ARCHIVED),
        node("good", flags=ARCHIVED),
        edge("e1", TEMPORAL, "e4", weight=1 / 8, tick=5),
        node("e4", flags=ARCHIVED),
    )


def test_what_the_archive_forgets_has_an_heir() -> None:
    known = [event("e1"), episode("day", "e1"), pin("core", "day"), event("e2")]
    before = given(HALVING, TIRED, policy("none", archived_max=0), *known, sleep("night"))
    before.when(outcome("late", "e1", 2.0)).then(gone("e1"), node("day", impact=3))


def test_a_memory_may_sleep_at_any_time_and_the_same_night_is_one() -> None:
    before = given().when(sleep("night")).then(accepted(seq=1), header(nodes=0, tick=0))
    before.when(sleep("night")).then(repeated(seq=1))
