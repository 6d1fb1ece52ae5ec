"""Credit flows back from an outcome: over time and causes, along a trajectory that is named, up to episodes and down.

Most outcomes here are 2 in value and the first of their kind, so m is 3: the step before gets 0.3, and each further one
a fifth less than the one after it.
"""

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, TEN, faded, half_life, judged
from tests.graph.commands import concept, episode, event, outcome, policy, recall, sleep
from tests.graph.scenario import accepted, edge, given, gone, header, no_edge, node, unchanged
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag

TEMPORAL, CAUSAL, ASSOCIATIVE = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.ASSOCIATIVE
TRAJECTORY, CONTAINS = EdgeKind.TRAJECTORY, EdgeKind.CONTAINS
ARCHIVED = NodeFlag.ARCHIVED
CREDIT = [0.3, 0.24, 0.192, 0.1536, 0.12288]
CHAIN = [event(f"e{n}") for n in range(1, 8)]


def test_credit_flows_back_over_five_steps_each_less_than_the_one_after_it() -> None:
    """All are settled at tick 9: e7 is of tick 7, and the edge from it to act of tick 8, and so on back."""
    before = given(HALVING, *CHAIN, event("act"), event("after"))
    before.when(outcome("good", "act", 2.0)).then(
        *(node(f"e{7 - k}", impact=credit, permanence=0, good=0) for k, credit in enumerate(CREDIT)),
        *(node(f"e{7 - k}", salience=1.5 * 2.0 ** -(2 + k) + credit, tick=9) for k, credit in enumerate(CREDIT)),
        edge("e7", TEMPORAL, "act", weight=1 / 2 + CREDIT[0], usage=0, half_life=1, tick=9),
        *(edge(f"e{7 - k}", TEMPORAL, f"e{8 - k}", weight=2.0 ** -(1 + k) + CREDIT[k]) for k in range(1, 5)),
        edge("e2", TEMPORAL, "e3", weight=1, tick=3),
        edge("act", TEMPORAL, "after", weight=1, tick=9),
        unchanged("e1", "e2", "after"),
    )


def test_blame_flows_back_as_credit_does_but_for_its_sign() -> None:
    """And e2 has its edges no slower: only those of the act itself."""
    before = given(HALVING, event("e1"), event("e2"), event("act"))
    before.when(outcome("bad", "act", -2.0)).then(
        node("e2", salience=1.5 / 2 + 0.3, impact=-0.3, permanence=0, stability=1, bad=0, half_life=1),
        node("e1", salience=1.5 / 4 + 0.24, impact=-0.24),
        edge("e2", TEMPORAL, "act", weight=1 + 0.3, half_life=1 / 0.7),
        edge("e1", TEMPORAL, "e2", weight=1 / 2 + 0.24, half_life=1),
    )


def test_a_discount_of_one_gives_all_the_same() -> None:
    before = given(policy("even", credit_discount=1, credit_share=0.5, credit_events_max=2), *CHAIN)
    before.when(outcome("good", "e7", 2.0)).then(
        node("e6", impact=1.5), node("e5", impact=1.5), node("e4", impact=0, tick=4)
    )


def test_credit_stays_in_its_session() -> None:
    before = given(event("a1", session="a"), event("b1", session="b"), event("b2", session="b"))
    before.when(outcome("good", "b2", 2.0)).then(
        node("b1", impact=0.3), edge("a1", TEMPORAL, "b1", weight=1, tick=2), unchanged("a1")
    )


def test_credit_flows_to_causes_wherever_they_are() -> None:
    """Nearest first, of the same distance the older first: c2 caused the act, p2 came before it; then c1, then p1, with
    which its session opens."""
    known = [event("c1", session="c"), event("c2", session="c"), event("p1", session="p"), event("p2", session="p")]
    before = given(*known, event("act", session="p", caused_by=("c2",)))
    before.when(outcome("good", "act", 2.0)).then(
        node("c2", impact=CREDIT[0]),
        node("p2", impact=CREDIT[1]),
        node("c1", impact=CREDIT[2]),
        node("p1", impact=CREDIT[3]),
        edge("c2", CAUSAL, "act", weight=1 + CREDIT[0], tick=5),
        edge("p2", TEMPORAL, "act", weight=1 + CREDIT[1]),
        edge("c2", TEMPORAL, "p1", weight=1, tick=3),
    )


def test_a_step_is_credited_once_over_the_first_of_its_edges() -> None:
    before = given(event("e1"), event("e2"), event("act", caused_by=("e1", "e2")))
    before.when(outcome("good", "act", 2.0)).then(
        node("e1", impact=CREDIT[0]),
        node("e2", impact=CREDIT[1]),
        edge("e1", CAUSAL, "act", weight=1 + CREDIT[0]),
        edge("e2", TEMPORAL, "act", weight=1 + CREDIT[1]),
        edge("e2", CAUSAL, "act", weight=1, tick=3),
        edge("e1", TEMPORAL, "e2", weight=1, tick=2),
    )


def test_no_more_steps_are_credited_than_the_policy_says() -> None:
    """Three lead to the act at once, and two may be credited."""
    before = given(policy("two", credit_events_max=2), event("e1"), event("e2"), event("e3"))
    before.when(event("act", caused_by=("e1", "e2", "e3")))
    before.when(outcome("good", "act", 2.0)).then(
        node("e1", impact=CREDIT[0]), node("e2", impact=CREDIT[1]), unchanged("e3"), node("e3", impact=0)
    )


def test_what_contains_an_episode_did_not_lead_to_it() -> None:
    before = given(event("e1", "x"), episode("day", "e1"), concept("idea", "day", "e1"))
    before.when(outcome("good", "day", 2.0)).then(node("day", impact=3), node("idea", impact=0))


def test_credit_flows_through_no_outcome_and_no_feature() -> None:
    """b leads to what comes of it, over its feature and its kind; nothing of it comes to a."""
    before = given(event("a", "x", session="a"), outcome("known", "a", 1.0), event("b", "x", session="b"))
    before.when(outcome("good", "b", 2.0)).then(unchanged("a", "known"))


def test_no_credit_flows_when_there_is_none_to_give() -> None:
    before = given(policy("none", credit_events_max=0), event("first"), event("act"))
    before.when(outcome("good", "act", 2.0)).then(unchanged("first"))
    given(event("first"), event("act")).when(outcome("none", "act", 0.0)).then(unchanged("first"))


def test_a_named_trajectory_is_credited_in_its_order_and_nothing_else_is() -> None:
    """However long it is: the bound is for what the memory finds itself."""
    before = given(HALVING, policy("one", credit_events_max=1), *CHAIN)
    before.when(outcome("good", "e7", 2.0, trajectory=("e2", "e5", "e1"))).then(
        node("e2", impact=CREDIT[0], salience=1.5 / 2**5 + CREDIT[0], permanence=0, tick=7),
        node("e5", impact=CREDIT[1]),
        node("e1", impact=CREDIT[2]),
        edge("e2", CAUSAL, "good", weight=CREDIT[0], permanence=0, usage=0, half_life=1, tick=7),
        edge("e5", CAUSAL, "good", weight=CREDIT[1]),
        edge("e1", CAUSAL, "good", weight=CREDIT[2]),
        edge("e7", CAUSAL, "good", weight=1 + 3),
        edge("e6", TEMPORAL, "e7", weight=1, tick=7),
        unchanged("e3", "e4"),
        node("e6", impact=0, tick=6),
    )


def test_the_act_itself_and_what_was_forgotten_are_no_steps() -> None:
    before = given(TEN, event("old"), *(event(f"e{n}") for n in range(1, 10)), event("act"))
    before.when(outcome("good", "act", 2.0, trajectory=("old", "act", "e9", "e8"))).then(
        accepted(seq=13),
        gone("old"),
        node("e9", impact=CREDIT[0]),
        node("e8", impact=CREDIT[1]),
        edge("act", CAUSAL, "good", weight=1 + 3),
    )


def test_a_trajectory_of_which_nothing_is_left_credits_nothing() -> None:
    given(event("e1"), event("act")).when(outcome("good", "act", 2.0, trajectory=("act",))).then(unchanged("e1"))


def test_a_neutral_outcome_credits_no_trajectory() -> None:
    given(event("e1"), event("act")).when(outcome("none", "act", 0.0, trajectory=("e1",))).then(
        unchanged("e1"), no_edge("e1", CAUSAL, "none")
    )


def test_an_episode_shares_in_what_comes_of_its_events() -> None:
    """A fifth of 3: 0.6, as bad as if it had happened to the episode itself, however late it comes."""
    before = given(HALVING, event("e1"), event("e2"), episode("day", "e1"))
    before.when(event("later"))
    before.when(outcome("bad", "e1", -2.0)).then(
        node("day", salience=(1 + 0.5 * 1.5 / 2) / 2 + 0.6, permanence=0.5 * 0.6, impact=-0.6, bad=1, good=0),
        node("day", stability=1, half_life=1, valence=0, tick=3),
        edge("day", CAUSAL, "bad", weight=0.6, permanence=0, half_life=1, tick=3),
        edge("day", CONTAINS, "e1", weight=1 / 2, half_life=1 / 0.7, tick=3),
        node("e2", impact=0, tick=2),
    )


def test_all_episodes_share_up_to_sixteen_and_have_as_much_together() -> None:
    """A fifth of 3 is 0.6."""
    for count, sharing in ((6, 6), (16, 16), (17, 16)):
        days = [episode(f"day{n}", "e1") for n in range(1, count + 1)]
        after = given(event("e1"), *days).when(outcome("good", "e1", 2.0))
        after.then(
            *(node(f"day{n}", impact=0.6 / sharing, good=1) for n in range(1, sharing + 1)),
            *(edge(f"day{n}", CAUSAL, "good", weight=0.6 / sharing) for n in range(1, sharing + 1)),
        )
    after.then(no_edge("day17", CAUSAL, "good"), unchanged("day17"))


def test_an_episode_that_is_a_step_too_gets_both() -> None:
    """0.3 as the step that was named, and 0.6 as what contains the act."""
    before = given(BARE, event("e1"), episode("day", "e1"))
    before.when(outcome("good", "e1", 2.0, trajectory=("day",))).then(
        node("day", impact=judged(0.3, 0.6), salience=1.75 + 0.3 + 0.5 * 0.6, permanence=0.06),
        node("day", stability=1, half_life=half_life(4, 1, 0.06)),
        edge("day", CAUSAL, "good", weight=0.3 + 0.6, half_life=HALF_LIFE),
    )


def test_an_episode_turns_out_as_an_event_does() -> None:
    """What its events have in common carries the signal; x is in two of them, y in one."""
    m = 3
    salience = 1 + 0.5 * (faded(1.5, 1) + (1 + 0.5 * 0.7 / 2)) / 2
    before = given(BARE, event("e1", "x", "y"), event("e2", "x"), episode("day", "e1", "e2"))
    before.when(outcome("good", "day", 2.0)).then(
        accepted(seq=5),
        node("day", salience=salience + 0.5 * m, permanence=0.1 * m, impact=m, good=1, stability=1),
        edge("day", CAUSAL, "good", weight=1 + m, permanence=0.1 * m),
        node("feature:x", impact=m / 2, valence=0.3, good=1),
        node("feature:y", impact=m / 2, valence=0.3, good=1),
        edge("day", ASSOCIATIVE, "feature:x", weight=2 + 0.1 * m / 2),
        edge("day", ASSOCIATIVE, "feature:y", weight=1 + 0.1 * m / 2),
        edge("e2", CONTAINS, "feature:x", weight=1, tick=2),
        header(tick=2),
    )


def test_what_an_episode_contains_is_credited_the_youngest_first() -> None:
    before = given(HALVING, *CHAIN, episode("day", *(f"e{n}" for n in range(1, 7))))
    before.when(outcome("bad", "day", -2.0)).then(
        *(node(f"e{6 - k}", impact=-credit, permanence=0, bad=0, stability=1) for k, credit in enumerate(CREDIT)),
        node("e6", salience=1.5 / 2 + CREDIT[0]),
        *(edge("day", CONTAINS, f"e{6 - k}", weight=1 + credit) for k, credit in enumerate(CREDIT)),
        edge("day", CONTAINS, "e1", weight=1, half_life=1 / 0.7),
        edge("e5", TEMPORAL, "e6", weight=1, tick=6),
        node("e1", impact=0),
        unchanged("e7"),
    )


def test_credit_flows_back_along_the_trajectory_of_episodes() -> None:
    """Into the third leads the first, as the one before it in its session, and the second, as the one before it in
    time; but what only came before was perhaps somebody else's."""
    known = [event("a1", session="a"), event("b1", session="b"), event("a2", session="a")]
    days = [episode("first", "a1", session="a"), episode("second", "b1", session="b")]
    before = given(*known, *days, episode("third", "a2", session="a"), episode("fourth", "a2", session="a"))
    before.when(outcome("good", "fourth", 2.0)).then(
        node("third", impact=CREDIT[0]),
        node("first", impact=CREDIT[1]),
        node("a2", impact=CREDIT[0]),
        edge("third", TRAJECTORY, "fourth", weight=1 + CREDIT[0]),
        edge("first", TRAJECTORY, "third", weight=1 + CREDIT[1]),
        edge("third", TEMPORAL, "fourth", weight=1, tick=3),
        edge("second", TEMPORAL, "third", weight=1, tick=3),
        unchanged("second", "b1"),
        node("a1", impact=0),
    )


def test_an_episode_that_shares_in_an_outcome_is_revived() -> None:
    """The first outcome finds it archived with 1.75 / 2^6 of salience."""
    tired = policy("tired", archive_salience=0.1, archive_rest_ticks=0, buffer_events_max=1)
    chain = [event("e1"), episode("day", "e1"), *(event(f"e{n}") for n in range(2, 8)), sleep("night")]
    before = given(HALVING, tired, *chain)
    before.when(recall("asked", "e7")).then(node("day", flags=ARCHIVED))
    before.when(outcome("good", "e1", 2.0)).then(node("day", flags=0, salience=0.5 + 0.5 * 0.6, impact=0.6))
