"""What really informed an act learns from how it ended; what was merely returned does not.

Most outcomes are 2 or -2 of a kind that is known, so the lesson is a tenth: 0.2 of impact, and 0.03 of what the value
is ahead of the valence.
"""

from tests.graph.by_hand import HALVING, TEN
from tests.graph.commands import MEMORY, Said, concept, episode, event, outcome, pin, policy, recall, use
from tests.graph.scenario import Given, given, gone, node, unchanged
from yggdrasil_schemas.graph.records import Parts

KNOWN = [event("known", session="known"), outcome("known too", "known", 0.0)]
MEMORIES = [event(f"m{n}", session="then") for n in range(8)]


def informed(*said: Said, used: tuple[str, ...] = ("m0", "m1")) -> Given:
    """Memories m0 to m7 of one session; m0 to m5 were asked for, some were used, and "act" was informed by that."""
    asked = recall("asked", *(f"m{n}" for n in range(6)))
    told = [HALVING, *KNOWN, *said, *MEMORIES, asked, use("used", "asked", *used)]
    return given(*told, event("act", "a", session="now", informed_by=("asked",)))


def test_what_was_used_learns_and_what_was_returned_does_not() -> None:
    before = informed()
    asked = before.when(recall("again", "m0"))
    was = asked.node("m0").salience
    before.when(outcome("good", "act", 2.0)).then(
        node("m0", impact=0.2, valence=0.3 * 0.1 * 2, salience=was + 0.2, usage=1, good=0, bad=0, permanence=0.1 / 2),
        node("m1", impact=0.2, valence=0.06),
        unchanged("m2", "m3", "m4", "m5", "m6", "m7"),
    )


def test_a_failure_teaches_and_lifts_nothing() -> None:
    """The valence comes 0.03 of the way to the value, and the impact of before fades as far as a tenth reaches."""
    before = informed()
    was = before.when(recall("again", "m0")).node("m0").salience
    after = before.when(outcome("bad", "act", -2.0))
    after.then(node("m0", impact=-0.2, valence=-0.06, salience=was), node("m1", impact=-0.2, valence=-0.06, bad=0))
    after.when(outcome("good", "act", 2.0)).then(
        node("m0", impact=-0.2 * (1 - 0.1 * 0.2) + 0.2, valence=-0.06 + 0.03 * (2 + 0.06))
    )


def test_a_neutral_outcome_teaches_nothing_here() -> None:
    informed().when(outcome("none", "act", 0.0)).then(unchanged("m0", "m1"))


def test_a_small_failure_does_not_raise_what_has_done_worse() -> None:
    worst = policy("worst", impact_failure=-100)
    before = given(HALVING, worst, *KNOWN, event("m0", session="then"), recall("asked", "m0"))
    before.when(use("used", "asked", "m0", result="failure")).then(node("m0", valence=-10))
    before.when(event("act", session="now", informed_by=("asked",)))
    before.when(outcome("bad", "act", -1.0)).then(node("m0", valence=-10, impact=-0.1))


def test_features_and_concepts_foretell_outcomes_and_learn_by_impact_alone() -> None:
    known = [event("m0", "rain", "coat", session="then"), concept("wet", "feature:rain", "feature:coat")]
    asked = [recall("asked", "wet", "feature:rain"), use("used", "asked", "wet", "feature:rain")]
    before = given(HALVING, *KNOWN, *known, *asked, event("act", session="now", informed_by=("asked",)))
    before.when(outcome("good", "act", 2.0)).then(
        node("wet", impact=0.2, valence=0), node("feature:rain", impact=0.2, valence=0)
    )


def test_whoever_has_its_part_already_gets_no_other() -> None:
    """The step before, and a, which carries the signal; so m0 is the only one here."""
    said = [*KNOWN, event("m0", session="then"), event("before", "a", session="now")]
    asked = [recall("asked", "before", "feature:a", "m0"), use("used", "asked", "before", "feature:a", "m0")]
    before = given(HALVING, *said, *asked, event("act", "a", session="now", informed_by=("asked",)))
    before.when(outcome("good", "act", 2.0)).then(
        node("before", impact=0.2, valence=0), node("feature:a", impact=2), node("m0", impact=0.2, valence=0.06)
    )
    before.when(outcome("again", "act", 2.0, trajectory=("m0",))).then(
        node("m0", impact=0.2 * (1 - 0.1 * 0.2) + 0.2, valence=0.06), node("before", valence=0.06)
    )


def test_no_more_learn_than_the_policy_says() -> None:
    """In the order in which they were returned, whatever the order of the report; over all recalls, each once."""
    names = tuple(f"m{n}" for n in range(5, -1, -1))
    informed(used=names).when(outcome("good", "act", 2.0)).then(
        *(node(f"m{n}", impact=0.2) for n in range(5)), unchanged("m5")
    )
    two = policy("two", credit_events_max=2)
    more = [recall("more", "m7", "m7", "m0", "m6"), use("used too", "more", "m7", "m0", "m6")]
    before = given(HALVING, two, *KNOWN, *MEMORIES, recall("asked", "m0", "m1"), use("used", "asked", "m0"), *more)
    before.when(event("act", session="now", informed_by=("more", "asked", "more")))
    before.when(outcome("good", "act", 2.0)).then(
        node("m7", impact=0.2), node("m0", impact=0.2), node("m6", impact=0), node("m1", impact=0)
    )


def test_a_use_that_is_reported_later_counts_from_then_on() -> None:
    before = given(*KNOWN, event("m0", session="then"), recall("asked", "m0"))
    before.when(event("act", session="now", informed_by=("asked",)))
    before.when(outcome("good", "act", 2.0)).then(unchanged("m0"))
    before.when(use("used", "asked", "m0")).then(node("m0", impact=0))
    before.when(outcome("late", "act", 2.0)).then(node("m0", impact=0.2))


def test_a_recall_that_is_kept_no_longer_teaches_nobody() -> None:
    one = policy("one", recalls_kept_max=1)
    before = given(one, *KNOWN, event("m0", session="then"), recall("asked", "m0"), use("used", "asked", "m0"))
    before.when(event("act", session="now", informed_by=("asked",)))
    before.when(recall("newer", "known"))
    before.when(outcome("good", "act", 2.0)).then(unchanged("m0"))


def test_what_was_forgotten_is_passed_over_and_leaves_its_place_to_the_next() -> None:
    """The outcome is the first of its kind: m is 3."""
    asked = [recall("asked", "old", "kept"), use("used", "asked", "old", "kept"), policy("two", credit_events_max=1)]
    chain = [*(event(f"e{n}", session="y") for n in range(7)), event("act", session="z", informed_by=("asked",))]
    before = given(TEN, event("old", session="x"), event("kept", session="x"), pin("core", "kept"), *asked, *chain)
    before.when(event("last", session="z"))
    before.when(outcome("good", "act", 2.0)).then(gone("old"), node("kept", impact=0.3, valence=0.06))


def test_an_heir_was_informed_by_nothing() -> None:
    """What it inherits is the outcome; the act is gone with what is known of it."""
    asked = [recall("asked", "m0"), use("used", "asked", "m0"), event("act", "a", informed_by=("asked",))]
    known = [event("m0", session="then"), pin("core", "m0"), *asked, episode("day", "act"), pin("more", "day")]
    before = given(TEN, *known, *(event(f"e{n}") for n in range(8)))
    before.when(outcome("late", "act", 2.0)).then(gone("act"), node("day", impact=3), node("m0", impact=0, valence=0))


def test_what_informed_an_event_is_kept_with_it() -> None:
    """By the seqs of the recalls, each once and in the command's order, for an event without features too."""
    known = [event("m0"), recall("one", "m0"), recall("two", "m0")]
    after = given(*known).when(event("act", informed_by=("two", "one", "two")))
    assert after.graph.parts(after.node("act").number) == Parts((), (3, 2))
    assert [entry.used for entry in after.world.graph(MEMORY).recalls[2].returned] == [False]
    used = after.when(use("used", "one", "m0"))
    assert [entry.used for entry in used.graph.recalls[2].returned] == [True]
    assert [entry.used for entry in used.graph.recalls[3].returned] == [False]
