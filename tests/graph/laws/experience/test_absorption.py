"""An event that says what a concept says already is absorbed by it, if enough of the two is the same (Jaccard)."""

from itertools import pairwise

import pytest

from tests.graph.by_hand import HALF_LIFE, HALVING, density, faded, half_life, session_mark
from tests.graph.commands import concept, dissolve, event, policy
from tests.graph.scenario import edge, given, header, no_edge, node, sessions, unchanged
from yggdrasil_schemas.graph.records import EdgeKind

TEMPORAL, ASSOCIATIVE, CONTAINS = EdgeKind.TEMPORAL, EdgeKind.ASSOCIATIVE, EdgeKind.CONTAINS
FOUR = ("feature:a", "feature:b", "feature:c", "feature:d")
KNOWN = [event("first", *"abcd", session="a"), concept("storm", *FOUR)]
NEW = 1 + 0.5 * 1.0
"""The concept's salience: its features have 1 each."""
MET = session_mark("a") | 1 << 2
"""The concept's marks: its features' session, and its own seq."""


def test_an_event_that_repeats_a_concept_is_absorbed() -> None:
    """The concept has 4 edges of one kind and 2 marks; with the event it has 5 and the mark of session b."""
    before = given(*KNOWN)
    before.when(event("again", *"abcd", session="b")).then(
        edge("storm", CONTAINS, "again", weight=1.0, half_life=HALF_LIFE, usage=0, tick=2),
        node("again", salience=1.0, stability=0.5, half_life=HALF_LIFE / 2, degree=1 + 4 + 1, concept=0),
        *(edge("again", CONTAINS, feature, weight=1, usage=0) for feature in FOUR),
        *(edge("storm", CONTAINS, name, weight=faded(1, 1) + 1, usage=1, tick=2) for name in FOUR),
        edge("storm", CONTAINS, "feature:a", half_life=HALF_LIFE * 1.02),
        *(edge(first, ASSOCIATIVE, second, usage=1, tick=1) for first, second in pairwise(FOUR)),
        *(node(feature, usage=2, tick=2) for feature in FOUR),
        node("storm", usage=1, stability=0.5 * 1.02, degree=5, marks=MET | session_mark("b"), permanence=0, tick=2),
        node("storm", half_life=half_life(8, 0.5 * 1.02, 0, density(5, kinds=1, marks=3))),
        edge("first", TEMPORAL, "again"),
        sessions(a=("first",), b=("again",)),
    )


def test_a_concept_that_absorbs_fades_and_then_gains() -> None:
    """A new one's half-life is half a tick here, and it was formed at tick 1."""
    given(HALVING, *KNOWN, event("x"), event("y")).when(event("again", *"abcd")).then(
        node("storm", salience=NEW / 2**6 + 0.1, usage=1, half_life=0.51, tick=4),
        node("again", salience=1.0, half_life=0.5),
    )


@pytest.mark.parametrize(
    ("features", "index"),
    [("abcd", 1.0), ("dcba", 1.0), ("abcde", 4 / 5), ("eabcd", 4 / 5)],
    ids=["the same", "in another order", "one more", "led by another"],
)
def test_at_the_threshold_and_above_it_is_absorbed(features: str, index: float) -> None:
    absorbed = given(*KNOWN).when(event("again", *features, session="b"))
    absorbed.then(edge("storm", CONTAINS, "again", weight=index), node("again", salience=1.0, stability=0.5))
    absorbed.then(header(nodes=5 + 1 + 1 + ("e" in features)))


@pytest.mark.parametrize("features", ["abc", "abcdef", "bcde", "e"], ids=["3 of 4", "4 of 6", "3 of 5", "none"])
def test_below_the_threshold_it_is_an_event_like_any_other(features: str) -> None:
    before = given(*KNOWN, policy("peaceful", competitors_max=0))
    before.when(event("again", *features, session="b")).then(
        no_edge("storm", CONTAINS, "again"),
        *(edge("again", CONTAINS, f"feature:{name}", weight=1.0) for name in features),
        node("again", stability=1.0, half_life=HALF_LIFE),
        unchanged("storm"),
    )


def test_the_threshold_is_the_policy_s() -> None:
    low, high = policy("low", absorb_jaccard=0.75), policy("high", absorb_jaccard=0.81)
    given(*KNOWN, low).when(event("again", *"abc", session="b")).then(edge("storm", CONTAINS, "again", weight=0.75))
    given(*KNOWN, high).when(event("again", *"abcde", session="b")).then(no_edge("storm", CONTAINS, "again"))


def test_what_the_event_does_not_say_is_not_reinforced() -> None:
    """Three of four, in a memory that takes that for the same. In one tick, so nothing has faded before."""
    before = given(*KNOWN, policy("low", absorb_jaccard=0.75))
    before.when(event("again", *"abc", session="b")).then(
        edge("storm", CONTAINS, "feature:c", weight=faded(1, 1) + 1, usage=1),
        edge("storm", CONTAINS, "feature:d", weight=1, usage=0, tick=1),
    )


def test_an_absorbed_event_pairs_nothing() -> None:
    given(*KNOWN, policy("lax", absorb_jaccard=0.5)).when(event("again", *"abcdef", session="b")).then(
        edge("storm", CONTAINS, "again", weight=4 / 6),
        edge("again", CONTAINS, "feature:e", weight=1.0),
        edge("again", CONTAINS, "feature:f", weight=1.0),
        edge("again", CONTAINS, "feature:a", weight=1.0),
        no_edge("storm", CONTAINS, "feature:e"),
        no_edge("feature:e", ASSOCIATIVE, "feature:f"),
        no_edge("feature:a", ASSOCIATIVE, "feature:e"),
        node("again", degree=1 + 6 + 1),
    )


def test_of_equal_ones_the_first_in_the_order_of_the_features_absorbs() -> None:
    """Each shares 2 of 4."""
    pairs = [concept("ab", "feature:a", "feature:b"), concept("cd", "feature:c", "feature:d")]
    half = policy("half", absorb_jaccard=0.5)
    known = [event("first", *"abcd"), *pairs, half]
    given(*known).when(event("again", *"cadb")).then(edge("cd", CONTAINS, "again", weight=0.5), unchanged("ab"))
    given(*known).when(event("again", *"acdb")).then(edge("ab", CONTAINS, "again", weight=0.5), unchanged("cd"))


def test_the_greatest_index_absorbs_wherever_it_comes() -> None:
    """1 of 4 is shared with the one that is met first, 3 of 4 with the other."""
    others = [concept("ax", "feature:a", "feature:x"), concept("bcd", "feature:b", "feature:c", "feature:d")]
    known = [event("first", *"abcd"), event("second", "x"), *others, policy("lax", absorb_jaccard=0.2)]
    given(*known).when(event("again", *"abcd")).then(edge("bcd", CONTAINS, "again", weight=3 / 4), unchanged("ax"))


def test_a_feature_remembers_the_concept_that_was_last_formed_with_it() -> None:
    """abcd would fit, but all of its features have been given to others since."""
    later = [concept("abx", "feature:a", "feature:b", "feature:x"), concept("cdx", "feature:c", "feature:d", "walk")]
    before = given(*KNOWN, event("walk", "x"), *later)
    before.when(event("again", *"abcd")).then(
        no_edge("storm", CONTAINS, "again"), no_edge("abx", CONTAINS, "again"), node("again", stability=1.0)
    )


def test_only_the_features_of_a_concept_count() -> None:
    """Its third member is an event, so the two features are all that it says."""
    before = given(event("first", *"ab"), concept("pair", "feature:a", "feature:b", "first"))
    before.when(event("again", *"ab")).then(edge("pair", CONTAINS, "again", weight=1.0))


def test_what_it_has_absorbed_makes_a_concept_no_narrower() -> None:
    before = given(*KNOWN, event("again", *"abcd"), event("and again", *"abcd"))
    before.when(event("for ever", *"abcd")).then(
        edge("storm", CONTAINS, "for ever", weight=1.0), node("storm", usage=3)
    )


def test_a_dissolved_concept_absorbs_nothing() -> None:
    before = given(*KNOWN, dissolve("calm", "storm"))
    before.when(event("again", *"abcd")).then(edge("again", CONTAINS, "feature:a"), node("again", stability=1.0))


def test_an_event_without_features_repeats_nothing() -> None:
    given(*KNOWN).when(event("again")).then(node("again", salience=1.5, stability=1.0), unchanged("storm"))


def test_an_absorbed_event_competes_as_any_other() -> None:
    given(*KNOWN, HALVING).when(event("again", *"abcd", session="b")).then(
        node("first", salience=faded(1.5, 1) * 0.95, tick=2)
    )
