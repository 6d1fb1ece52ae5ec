"""Who carried the signal: outcomes are shared out among the features of what turned out so, and surprise teaches.

The kind of outcome is known in all of these memories, so its size is its value.
"""

import pytest

from tests.graph.by_hand import HALF_LIFE, HALVING, faded, judged
from tests.graph.commands import Said, concept, episode, event, outcome, policy
from tests.graph.scenario import Given, edge, given, no_edge, node, unchanged
from yggdrasil_schemas.graph.records import EdgeKind

CAUSAL, ASSOCIATIVE, CONTAINS = EdgeKind.CAUSAL, EdgeKind.ASSOCIATIVE, EdgeKind.CONTAINS
KNOWN = [event("known", session="known"), outcome("known too", "known", 0.0)]
KIND = "feature:outcome:outcome"


def lived(*told: tuple[str, float], first: tuple[Said, ...] = ()) -> Given:
    """Events of these features, a letter each, named n0, n1, ..., every one with its outcome at once."""
    said: list[Said] = []
    for n, (features, value) in enumerate(told):
        said += [event(f"n{n}", *features), outcome(f"o{n}", f"n{n}", value)]
    return given(*first, *KNOWN, *said)


@pytest.mark.parametrize("features", ["a", "ab", "abc", "abcde"])
@pytest.mark.parametrize("value", [1.0, -2.0])
def test_those_of_whom_nothing_is_known_share_alike(features: str, value: float) -> None:
    n = len(features)
    each = abs(value) / n
    salience, permanence = (0.5, 0.1) if value > 0 else (1.0, 0.5)
    before = given(*KNOWN, event("act", *features))
    before.when(outcome("told", "act", value)).then(
        *(node(f"feature:{name}", impact=value / n, valence=0.3 * value / n) for name in features),
        *(node(f"feature:{name}", salience=1 + salience * each, permanence=permanence * each) for name in features),
        *(node(f"feature:{name}", good=value > 0, bad=value < 0, stability=1) for name in features),
        *(edge("act", CONTAINS, f"feature:{x}", weight=1 + 0.1 * each, permanence=permanence * each) for x in features),
        node("act", impact=value, valence=0),
    )


def test_whoever_foretold_it_takes_more_of_the_credit() -> None:
    """a, alone: valence 0.3. With b: surprise 0.7, so 0.105 for both; weights 1.3 and 1. With c: surprise 0.49."""
    before = lived(("a", 1.0), ("ab", 1.0))
    after = before.when(event("n2", *"abc"))
    after.then(
        node("feature:a", valence=0.405, impact=judged(1, 1.3 / 2.3)), node("feature:b", valence=0.105, impact=1 / 2.3)
    )
    whole = 1.405 + 1.105 + 1
    before.when(outcome("o2", "n2", 1.0)).then(
        node("feature:a", valence=0.405 + 0.049, impact=judged(1, 1.3 / 2.3, 1.405 / whole), good=3),
        node("feature:b", valence=0.105 + 0.049, impact=judged(1 / 2.3, 1.105 / whole), good=2),
        node("feature:c", valence=0.049, impact=1 / whole, good=1),
        edge("n2", CONTAINS, "feature:a", weight=1 + 0.1 * 1.405 / whole),
        edge("n2", CONTAINS, "feature:c", weight=1 + 0.1 * 1 / whole),
    )


def test_whoever_foretold_the_opposite_takes_no_more_and_no_less_of_the_blame() -> None:
    """Surprise is -2 - 0.6, and both learn half of it; a has stood for the good, so a tenth of its permanence goes."""
    before = given(HALVING, *KNOWN, event("good", "a"), outcome("told", "good", 2.0), event("act", "a", "b"))
    before.when(outcome("bad", "act", -2.0)).then(
        node("feature:a", impact=2 * 0.9 - 1, valence=0.6 - 0.39, permanence=0.2 / 2 * 0.9, good=1, bad=1),
        node("feature:b", impact=-1, valence=-0.39, permanence=0.5),
    )


def test_whoever_foretold_the_bad_takes_more_of_the_blame() -> None:
    before = lived(("a", -2.0), ("ab", -1.0))
    before.when(event("after")).then(
        node("feature:a", impact=judged(-2, -1.6 / 2.6), valence=-0.6 - 0.3 * 0.4 / 2),
        node("feature:b", impact=-1 / 2.6, valence=-0.06),
    )


def test_attribution_may_be_switched_off() -> None:
    before = lived(("a", -2.0), ("ab", -1.0), first=(policy("even", attribution=0),))
    before.when(event("after")).then(
        node("feature:a", impact=judged(-2, -0.5)), node("feature:b", impact=-0.5, valence=-0.06)
    )


def test_the_companion_of_a_known_cause_learns_nothing() -> None:
    """Blocking. What is left of the surprise after 20 outcomes is 0.7^20, and of the next 20 with b each takes away 0.3
    of it, half by a and half by b. Where nothing was known, a and b end as halves of the cause."""
    alone, together = [("a", 1.0)] * 20, [("ab", 1.0)] * 20
    left = 0.7**20
    lived(*alone, *together).when(event("after")).then(
        node("feature:b", valence=left * (1 - left) / 2, good=20),
        node("feature:a", valence=1 - left + left * (1 - left) / 2, good=40),
    )
    lived(*together).when(event("after")).then(
        node("feature:a", valence=(1 - left) / 2), node("feature:b", valence=(1 - left) / 2)
    )


def test_a_companion_that_is_there_without_the_outcome_is_cleared() -> None:
    """ab is bad, b alone is nothing: a ends as the cause. By hand for two rounds."""
    before = lived(("ab", -1.0), ("b", 0.0), ("ab", -1.0), ("b", 0.0))
    b = -0.15 * 0.7  # the first two
    a, b = -0.15 + 0.15 * (-1 + 0.15 - b), b + 0.15 * (-1 + 0.15 - b)
    before.when(event("after")).then(node("feature:a", valence=a), node("feature:b", valence=0.7 * b))


def test_a_neutral_outcome_teaches_that_nothing_comes() -> None:
    before = given(*KNOWN, event("good", "a"), outcome("told", "good", 2.0), event("act", "a", "b"))
    before.when(outcome("none", "act", 0.0)).then(
        node("feature:a", valence=0.6 - 0.3 * 0.6 / 2, impact=2, permanence=faded(0.2, 1, 20_000), good=1, bad=0),
        node("feature:b", valence=-0.3 * 0.6 / 2, impact=0, permanence=0, salience=1, stability=1),
        edge("act", CONTAINS, "feature:a", weight=1),
    )


def test_valence_stops_at_ten() -> None:
    eager = policy("eager", surprise_rate=1)
    before = given(eager, *KNOWN, event("bad", "a"), outcome("told", "bad", -10.0), event("act", "a", "b"))
    before.when(outcome("worse", "act", 10.0)).then(node("feature:a", valence=0), node("feature:b", valence=10))
    before.when(event("next", "b", "c"))
    before.when(outcome("good", "next", -10.0)).then(node("feature:b", valence=0), node("feature:c", valence=-10))
    before.when(event("last", "c"))
    before.when(outcome("twice", "last", -10.0)).then(node("feature:c", valence=-10))


def test_a_feature_that_foretells_points_at_the_kind() -> None:
    """Its valence is 0.6, then 1.02: half as much is enough. The edge is made with weight 2, and half of it is left."""
    before = given(HALVING, *KNOWN, event("n0", "a"))
    before.when(outcome("o0", "n0", 2.0)).then(
        node("feature:a", valence=0.6),
        edge("feature:a", CAUSAL, KIND, weight=2, usage=0, permanence=0.1 * 2, half_life=1, tick=2),
    )
    before.when(event("n1", "a"))
    before.when(outcome("o1", "n1", 2.0)).then(
        node("feature:a", valence=0.6 + 0.3 * 1.4),
        edge("feature:a", CAUSAL, KIND, weight=2 / 2 + 2, usage=1, permanence=0.2 / 2 + 0.2, half_life=1.02, tick=3),
    )
    before.when(event("n2", "a"))
    before.when(outcome("o2", "n2", -1.0)).then(  # 1.02 - 0.606 has the other sign than the value
        node("feature:a", valence=1.02 + 0.3 * (-1 - 1.02)),
        edge("feature:a", CAUSAL, KIND, weight=3, usage=1, permanence=0.3, half_life=1.02, tick=3),
    )


def test_a_feature_that_foretells_the_bad_points_at_it_for_longer() -> None:
    lived(("a", -2.0)).when(event("after")).then(
        edge("feature:a", CAUSAL, KIND, weight=2, permanence=0.5 * 2, half_life=HALF_LIFE)
    )


@pytest.mark.parametrize(("threshold", "foretells"), [(0.29, True), (0.3, True), (0.31, False)])
def test_what_foretells_too_little_points_at_nothing(threshold: float, foretells: bool) -> None:
    before = lived(("a", 1.0), first=(policy("threshold", foretell_valence=threshold),))
    before.when(event("after")).then(
        edge("feature:a", CAUSAL, KIND, weight=1) if foretells else no_edge("feature:a", CAUSAL, KIND)
    )


def test_a_neutral_outcome_is_foretold_by_nobody() -> None:
    before = lived(("a", 4.0), ("a", 0.0))
    before.when(event("after")).then(
        node("feature:a", valence=1.2 * 0.7), edge("feature:a", CAUSAL, KIND, usage=0, tick=2)
    )


def test_only_those_that_foretell_take_the_first_places() -> None:
    """a was good alone, so it still is the opposite of what comes; b, c and d are next, and two may."""
    two = policy("two", features_paired_max=2, foretell_valence=0.1)
    before = given(two, *KNOWN, event("good", "a"), outcome("told", "good", 10.0), event("act", *"abcd"))
    before.when(outcome("bad", "act", -1.0)).then(
        node("feature:a", valence=3 - 0.3), node("feature:b", valence=-0.3), node("feature:d", valence=-0.3)
    ).then(
        edge("feature:b", CAUSAL, KIND, weight=1 / 4),
        edge("feature:c", CAUSAL, KIND, weight=1 / 4),
        no_edge("feature:d", CAUSAL, KIND),
        edge("feature:a", CAUSAL, KIND, weight=10, tick=2),
    )


def test_a_concept_carries_for_the_features_that_it_stands_for() -> None:
    """Beside them: again has a, b and c, and is in pair. Each bears 2 of 8; but only features point at the kind."""
    known = [event("first", "a", "b"), concept("pair", "feature:a", "feature:b"), policy("lax", absorb_jaccard=0.5)]
    before = given(*KNOWN, *known, event("again", "a", "b", "c"))
    before.when(outcome("bad", "again", -8.0)).then(
        node("pair", impact=-2, valence=-0.6, permanence=1.0, bad=1, stability=0.51),
        *(node(f"feature:{name}", impact=-2, valence=-0.6, bad=1) for name in "abc"),
        edge("pair", CONTAINS, "again", weight=2 / 3 + 0.1 * 2, permanence=0.5 * 2, half_life=HALF_LIFE / 0.7),
        edge("again", CONTAINS, "feature:c", weight=1 + 0.1 * 2, permanence=0.5 * 2, half_life=HALF_LIFE / 0.7),
        *(edge(f"feature:{name}", CAUSAL, KIND, weight=2) for name in "abc"),
        no_edge("pair", CAUSAL, KIND),
    )


def test_an_event_that_is_a_member_is_carried_by_its_concepts_too() -> None:
    before = given(*KNOWN, event("act", "a"), event("b"), concept("x", "act", "b"), concept("y", "act", "b"))
    before.when(outcome("good", "act", 3.0)).then(
        *(node(name, impact=1, valence=0.3, good=1) for name in ("feature:a", "x", "y")), node("b", impact=0)
    )


def test_an_episode_that_contains_the_event_is_no_carrier() -> None:
    before = given(*KNOWN, event("act", "a"), episode("day", "act"))
    before.when(outcome("good", "act", 3.0)).then(node("feature:a", impact=3, valence=0.9), node("day", valence=0))


def test_at_most_thirty_two_carry() -> None:
    """The concept was formed last, so it is the thirty-third by number."""
    names = [f"f{n:02}" for n in range(32)]
    before = given(*KNOWN, event("act", *names), concept("one too many", "act", "feature:f00"))
    before.when(outcome("good", "act", 3.2)).then(
        *(node(f"feature:{name}", impact=0.1, valence=0.03) for name in names), unchanged("one too many")
    )


def test_an_event_without_features_has_nobody_to_blame() -> None:
    given(*KNOWN, event("act")).when(outcome("bad", "act", -2.0)).then(
        node("act", impact=-2, valence=0), node(KIND, impact=0, valence=0)
    )
