"""Episodes: what the events of a stretch give upward, what binds it, and what leaves the buffer."""

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, TEN, density, faded, half_life, session_mark
from tests.graph.commands import Said, concept, episode, event, judge, outcome, pin, policy
from tests.graph.scenario import (
    accepted,
    edge,
    given,
    gone,
    header,
    no_edge,
    node,
    refused,
    repeated,
    sessions,
    unchanged,
)
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, NodeKind
from yggdrasil_schemas.policy import DEFAULT
from yggdrasil_schemas.refusals import Refusal

TEMPORAL, CAUSAL, ASSOCIATIVE = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.ASSOCIATIVE
TRAJECTORY, CONTAINS = EdgeKind.TRAJECTORY, EdgeKind.CONTAINS
CHAIN = [event(f"e{n}") for n in range(1, 6)]


def test_half_of_what_its_events_have_goes_upward() -> None:
    """e1 is of tick 1 and was hit by -2, the first of its kind, at once: salience 1.5 + 3, permanence 1.5, impact -3.
    By tick 2 half of the first two is left. e2 was good by 1.5: salience 1.5 + 0.75, permanence 0.15."""
    known = [event("e1", session="a"), outcome("bad", "e1", -2.0), event("e2", session="b")]
    before = given(HALVING, *known, outcome("good", "e2", 1.0, kind="another"))
    told = before.when(episode("day", "e2", "e1", session="b"))
    told.then(
        accepted(seq=6),
        node("day", kind=NodeKind.EPISODE, salience=1 + 0.5 * (4.5 / 2 + 2.25) / 2, permanence=0.5 * 1.5 / 2, tick=2),
        node("day", impact=0.5 * (-3 + 1.5), stability=1, half_life=1, usage=0, valence=0, good=0, bad=0, flags=0),
        node("day", marks=session_mark("a") | session_mark("b")),
        node("e1", salience=4.5 / 2, permanence=1.5 / 2, impact=-3, tick=2),
        header(tick=2, nodes=7, edges=1 + 4 + 2 + 2, episode=told.node("day").number),
    )


def test_an_episode_is_steadied_with_its_edges() -> None:
    """It contains two events and is associated with what they have in common, at most two of it: four edges."""
    before = given(policy("two", features_paired_max=2), event("e1", "a", "b"), event("e2", "a"))
    before.when(episode("day", "e1", "e2")).then(
        node("day", degree=4, kinds=1 << CONTAINS | 1 << ASSOCIATIVE),
        node("day", half_life=half_life(4, 1, 0, density(4, kinds=2, marks=1))),
        node("day", salience=1 + 0.5 * (faded(1.5, 1) + (1 + 0.5 * 0.7 / 2)) / 2),
    )


def test_an_episode_contains_its_events_and_nothing_is_weakened() -> None:
    before = given(*CHAIN)
    before.when(episode("day", "e1", "e3")).then(
        edge("day", CONTAINS, "e1", weight=1, half_life=HALF_LIFE, usage=0, tick=5),
        edge("day", CONTAINS, "e3", weight=1),
        no_edge("day", CONTAINS, "e2"),
        edge("e1", TEMPORAL, "e2", weight=1, tick=2),
        node("day", degree=2, impact=0, permanence=0),
        node("e1", salience=faded(1.5, 4), tick=5),
        unchanged("e2", "e4", "e5"),
    )


def test_episodes_follow_each_other_in_time_and_in_their_sessions() -> None:
    known = [event("a1", session="a"), event("b1", session="b"), event("a2", session="a")]
    before = given(*known, episode("first", "a1", session="a"))
    before.when(episode("other", "b1", session="b")).then(
        edge("first", TEMPORAL, "other", weight=1), no_edge("first", TRAJECTORY, "other")
    )
    before.when(episode("second", "a2", session="a")).then(
        edge("other", TEMPORAL, "second", weight=1),
        no_edge("first", TEMPORAL, "second"),
        edge("first", TRAJECTORY, "second", weight=1, half_life=HALF_LIFE),
        no_edge("other", TRAJECTORY, "second"),
    )


def test_an_episode_is_bound_to_what_most_of_its_events_have() -> None:
    """b is in three of them, c in two; a and d in one each, of which a is older."""
    known = [event("e1", "a", "b"), event("e2", "b", "c"), event("e3", "c", "b"), event("e4", "d"), event("e5", "a")]
    before = given(policy("three", features_paired_max=3), *known)
    before.when(episode("day", "e1", "e2", "e3", "e4")).then(
        edge("day", ASSOCIATIVE, "feature:b", weight=3, usage=0, half_life=HALF_LIFE),
        edge("day", ASSOCIATIVE, "feature:c", weight=2),
        edge("day", ASSOCIATIVE, "feature:a", weight=1),
        no_edge("day", ASSOCIATIVE, "feature:d"),
    )


def test_an_event_that_was_absorbed_stands_for_the_concept_too() -> None:
    known = [event("e1", "a", "b"), concept("pair", "feature:a", "feature:b"), event("e2", "a", "b"), event("e3", "b")]
    given(*known).when(episode("day", "e2", "e3")).then(
        edge("day", ASSOCIATIVE, "feature:b", weight=2),
        edge("day", ASSOCIATIVE, "feature:a", weight=1),
        edge("day", ASSOCIATIVE, "pair", weight=1),
    )


def test_an_episode_leads_to_the_outcomes_of_its_events() -> None:
    known = [outcome("o1", "e1", 1.0), outcome("o3", "e3", -1.0), outcome("o4", "e4", 1.0)]
    before = given(*CHAIN, event("caused", caused_by=("e1",)), *known)
    before.when(episode("day", "e1", "e3")).then(
        edge("day", CAUSAL, "o1", weight=1, permanence=0, half_life=HALF_LIFE),
        edge("day", CAUSAL, "o3", weight=1),
        no_edge("day", CAUSAL, "o4"),
        no_edge("day", CAUSAL, "caused"),
        no_edge("day", CAUSAL, "e3"),
    )


def test_the_first_sixteen_outcomes_are_enough() -> None:
    told = [outcome(f"o{n:02}", ("e1", "e2")[n % 2], 0.0) for n in range(18)]
    before = given(*CHAIN, *told)
    before.when(episode("day", "e2", "e1")).then(
        *(edge("day", CAUSAL, f"o{n:02}", weight=1) for n in range(16)),
        no_edge("day", CAUSAL, "o16"),
        no_edge("day", CAUSAL, "o17"),
    )


def test_what_was_named_leaves_the_buffer() -> None:
    given(*CHAIN).when(episode("day", "e1", "e3")).then(sessions(default=("e2", "e4", "e5")))


def test_a_window_keeps_the_last_of_those_that_were_named() -> None:
    given(*CHAIN).when(episode("day", "e4", "e1", "e3", clear="window", keep=2)).then(
        sessions(default=("e2", "e3", "e4", "e5"))
    )
    given(*CHAIN).when(episode("day", "e4", "e1", clear="window", keep=9)).then(
        sessions(default=("e1", "e2", "e3", "e4", "e5"))
    )
    given(*CHAIN).when(episode("day", "e4", "e1", clear="window")).then(sessions(default=("e2", "e3", "e5")))


def test_a_window_is_counted_in_the_buffer() -> None:
    """e4 and e5 are named and left in the buffer of two; e1 to e3 left it long ago."""
    before = given(policy("short", buffer_events_max=2), *CHAIN)
    before.when(episode("day", "e1", "e2", "e3", "e4", "e5", clear="window", keep=1)).then(sessions(default=("e5",)))


def test_key_events_stay() -> None:
    """The threshold itself is enough, 1.5 first and then as good as 2; less is not, and a catastrophe always is."""
    now = given(policy("exact", key_salience=1.5), event("e1"))
    now.when(episode("day", "e1", clear="key")).then(sessions(default=("e1",)))
    chain = [event(f"e{n}") for n in (1, 2, 3, 4)]
    told = [outcome("known", "e4", 0.0), outcome("o1", "e1", 1.0), outcome("o2", "e2", 0.99)]
    doom = outcome("o3", "e3", -0.001, catastrophic=True)
    steady = policy("steady", node_half_life_ticks=1e6, credit_events_max=0)
    before = given(steady, policy("key", key_salience=1.99999), *chain, *told, doom)
    before.when(episode("day", "e1", "e2", "e3", "e4", clear="key")).then(sessions(default=("e1", "e3")))


def test_the_salience_of_now_makes_a_key_event() -> None:
    before = given(HALVING, event("e1"), outcome("bad", "e1", -1.0), event("e2"))
    before.when(episode("day", "e1", clear="key")).then(sessions(default=("e2",)))  # 3.0 a tick ago
    now = given(HALVING, event("e1"), outcome("bad", "e1", -1.0))
    now.when(episode("day", "e1", clear="key")).then(sessions(default=("e1",)))


def test_another_session_keeps_its_buffer() -> None:
    before = given(event("a1", session="a"), event("b1", session="b"))
    before.when(episode("day", "a1", "b1", session="a")).then(
        sessions(a=(), b=("b1",)), edge("day", CONTAINS, "b1", weight=1)
    )


def test_an_episode_of_a_session_that_is_not_open_clears_nothing() -> None:
    before = given(event("a1", session="a"), episode("first", "a1", session="elsewhere"))
    before.when(episode("second", "a1", session="elsewhere")).then(
        sessions(a=("a1",)), edge("first", TEMPORAL, "second"), no_edge("first", TRAJECTORY, "second")
    )


def test_what_was_forgotten_is_passed_over() -> None:
    before = given(TEN, event("old"), *(event(f"e{n}") for n in range(10)))
    before.when(episode("none", "old")).then(gone("old"), refused(Refusal.EVENT_FORGOTTEN))
    before.when(episode("some", "e9", "old")).then(accepted(seq=13), node("some", degree=1, salience=1.75))


def test_the_same_episode_twice_is_one() -> None:
    before = given(event("e1"), episode("day", "e1"))
    before.when(episode("day", "e1")).then(repeated(seq=2))
    before.when(episode("day", "e1", clear="key")).then(refused(Refusal.ID_REUSED))


def test_an_event_may_be_in_several_episodes() -> None:
    before = given(event("e1"), episode("day", "e1"))
    before.when(episode("week", "e1")).then(
        edge("day", CONTAINS, "e1"), edge("week", CONTAINS, "e1"), edge("day", TEMPORAL, "week")
    )


def test_the_chain_of_episodes_is_joined_over_one_that_was_forgotten() -> None:
    """e1 and two are the oldest that are not pinned when the eleventh node comes. Their trajectory is not joined."""
    begun = [event("e1"), episode("one", "e1"), pin("p1", "one"), episode("two", "e1"), episode("three", "e1")]
    before = given(TEN, *begun, pin("p3", "three"), *(event(f"x{n}") for n in range(6)))
    before.when(event("x6")).then(
        gone("e1", "two"),
        edge("one", TEMPORAL, "three", weight=faded(1, 7), tick=8),
        no_edge("one", TRAJECTORY, "three"),
    )


def test_episodes_are_not_buffered_and_have_no_flag() -> None:
    given(BARE, event("e1"), outcome("doom", "e1", -1.0, catastrophic=True)).when(episode("day", "e1")).then(
        node("e1", flags=NodeFlag.CATASTROPHIC),
        node("day", flags=0, permanence=0.375, half_life=half_life(4, 1, 0.375)),
        sessions(default=()),
    )


def test_without_a_session_an_episode_is_of_those_that_hold_its_events() -> None:
    """b holds two of them, a holds one, c none; d held one, but an episode has taken it out of the buffer."""
    said = [event("a1", session="a"), event("b1", session="b"), event("c1", session="c"), event("b2", session="b")]
    firsts = [episode(f"first {name}", f"{name}1", session=name) for name in "ac"]
    more = [event("a2", session="a"), event("d1", session="d"), episode("first d", "d1", session="d")]
    before = given(*said, *firsts, *more)
    told = before.when(episode("day", "a2", "b1", "b2", "d1", session="", clear="window", keep=1))
    told.then(
        sessions(a=("a2",), b=("b2",), c=(), d=()),
        edge("first a", TRAJECTORY, "day", weight=1),
        no_edge("first c", TRAJECTORY, "day"),
        no_edge("first d", TRAJECTORY, "day"),
        edge("first d", TEMPORAL, "day"),
    )
    told.when(event("b3", session="b")).when(episode("next", "b3", session="b")).then(edge("day", TRAJECTORY, "next"))
    after = told.when(event("a3", session="a")).when(event("b4", session="b"))
    after.when(episode("both", "a3", "b4", session="")).then(
        edge("day", TRAJECTORY, "both"), sessions(a=("a2",), b=("b2",), c=(), d=())
    )


def test_an_episode_that_no_session_holds_is_of_the_default_one() -> None:
    before = given(event("e1"), event("s1", session="s"), episode("day", "e1"), episode("other", "s1", session="s"))
    before.when(episode("again", "e1", "s1", session="")).then(
        edge("day", TRAJECTORY, "again"), no_edge("other", TRAJECTORY, "again")
    )


def test_a_session_that_is_named_is_the_only_one() -> None:
    before = given(event("a1", session="a"), event("b1", session="b"))
    before.when(episode("day", "a1", "b1", session="b")).then(sessions(a=("a1",), b=()))


# Of earlier ones

DAYS = (event("e1"), episode("day1", "e1"), event("e2"), episode("day2", "e2"))


def journey(*events: str, episodes: tuple[str, ...] = ("day1", "day2")) -> Said:
    return episode("journey", *events, episodes=episodes)


def test_days_are_members_of_a_journey() -> None:
    moment = given(*DAYS).when(journey())
    moment.then(accepted(seq=5), edge("journey", CONTAINS, "day1", weight=1.0), edge("journey", CONTAINS, "day2"))
    days = [moment.node(each).salience for each in ("day1", "day2")]
    mean = DEFAULT.salience_initial + DEFAULT.upward_share * sum(days) / 2
    moment.then(node("journey", salience=mean))


def test_events_and_days_are_members_together() -> None:
    given(*DAYS, event("e3")).when(journey("e3", "e1")).then(
        *(edge("journey", CONTAINS, each) for each in ("e1", "e3", "day1", "day2"))
    )


def test_it_is_trusted_no_more_than_the_least_of_its_days() -> None:
    low = event("low", trust=0)
    given(low, episode("day", "low")).when(journey(episodes=("day",))).then(node("journey", trust=0))


def test_a_day_that_falls_makes_the_journey_stale() -> None:
    moment = given(*DAYS, journey()).when(judge("no", ("day1", "reject"), origin="operator"))
    assert moment.node("journey").flags & NodeFlag.STALE


def test_what_comes_of_a_journey_is_credited_to_its_days_and_of_a_day_to_its_journey() -> None:
    moment = given(*DAYS, journey()).when(outcome("well", "journey", 5.0, origin="user"))
    assert all(moment.node(each).impact > 0 for each in ("day1", "day2"))
    given(*DAYS, journey()).when(outcome("well", "day1", 5.0, origin="user")).then(edge("journey", CAUSAL, "well"))


def test_only_earlier_episodes_can_be_named() -> None:
    given(*DAYS).when(journey(episodes=("journey",))).then(refused(Refusal.UNKNOWN_EVENT))
    given(*DAYS).when(journey(episodes=("e1",))).then(refused(Refusal.NOT_AN_EVENT))
    given(*DAYS).when(journey("day1")).then(refused(Refusal.NOT_AN_EVENT))
