"""The law of events: features, novelty, bonds, chains, competitors, causes."""

from tests.graph.by_hand import HALF_LIFE, HALVING, density, half_life, session_mark
from tests.graph.commands import attest, command_id, event, outcome, policy, recall
from tests.graph.scenario import (
    Moment,
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
from yggdrasil_schemas.graph.records import EdgeKind
from yggdrasil_schemas.refusals import Refusal

TEMPORAL, CAUSAL, ASSOCIATIVE, CONTAINS = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.ASSOCIATIVE, EdgeKind.CONTAINS


def test_a_first_event_is_wholly_new() -> None:
    mark = session_mark("default")
    given().when(event("walk", "rain", "coat")).then(
        accepted(seq=1),
        header(seq=1, tick=1, nodes=3, edges=3),
        node("walk", salience=1.0 + 0.5, permanence=0, half_life=HALF_LIFE, stability=1, tick=1, degree=2, usage=0),
        node("walk", kinds=1 << CONTAINS, marks=mark, flags=0, impact=0, valence=0),
        node("feature:rain", salience=1.0, usage=1, degree=2, half_life=2 * HALF_LIFE, stability=1, permanence=0),
        node("feature:rain", kinds=1 << CONTAINS | 1 << ASSOCIATIVE, marks=mark),
        node("feature:coat", salience=1.0, usage=1, degree=2),
        edge("walk", CONTAINS, "feature:rain", weight=1.0, usage=0, tick=1, half_life=HALF_LIFE),
        edge("walk", CONTAINS, "feature:coat", weight=1.0),
        edge("feature:rain", ASSOCIATIVE, "feature:coat", weight=1.0, usage=1, half_life=HALF_LIFE),
        sessions(default=("walk",)),
    )


def test_novelty_is_the_mean_newness_of_the_features() -> None:
    peaceful = policy("peaceful", competitors_max=0)
    before = given(peaceful, event("one", "rain", session="a"), event("two", "rain", session="b"))
    before.when(event("three", "rain", "sun", session="c")).then(
        node("two", salience=1.0 + 0.5 * (1 / 2)),
        node("three", salience=1.0 + 0.5 * (1 / 3 + 1) / 2),
    )


def test_an_event_without_features_is_wholly_new() -> None:
    given(event("one")).when(event("two")).then(node("two", salience=1.5, degree=1), header(nodes=2, edges=1))


def test_salience_stops_at_its_cap() -> None:
    given(policy("cap", salience_max=10, salience_initial=10)).when(event("one", "a")).then(node("one", salience=10))


def test_a_known_feature_fades_and_then_gains() -> None:
    given(HALVING, event("one", "rain"), event("two")).when(event("three", "rain")).then(
        header(tick=3),
        node("feature:rain", salience=1.0 / 4 + 0.1, usage=2, tick=3, degree=2),
    )


def test_a_feature_is_steadied_at_its_first_and_at_every_eighth_occurrence() -> None:
    """Before the edges of its event are made: at the eighth it has those of seven. The half-life of between is old."""
    before = given(*(event(f"e{n}", "rain") for n in range(1, 8)))
    before.when(attest("between")).then(node("feature:rain", degree=7, half_life=2 * HALF_LIFE))
    before.when(event("e8", "rain")).then(
        node("feature:rain", degree=8, usage=8, half_life=half_life(2, dense=density(7, kinds=1, marks=1)))
    )
    before.when(event("e9", "rain", session="another")).then(
        node("feature:rain", usage=9, half_life=half_life(2, dense=density(7, kinds=1, marks=1))),
        node("feature:rain", marks=session_mark("default") | session_mark("another")),
    )


def test_features_that_meet_again_are_bound_more_strongly() -> None:
    given(HALVING, event("one", "rain", "coat")).when(event("two", "coat", "rain")).then(
        edge("feature:rain", ASSOCIATIVE, "feature:coat", weight=1.0 / 2 + 1.0, usage=2, tick=2, half_life=1.02),
        no_edge("feature:coat", ASSOCIATIVE, "feature:rain"),
        header(nodes=4, edges=1 + 2 + 2 + 1),
    )


def test_the_weight_of_a_bond_stops_at_its_cap() -> None:
    meetings = [event(f"meeting-{n}", "rain", "coat") for n in range(11)]
    given(policy("cap", weight_max=10), *meetings).when(event("last", "rain", "coat")).then(
        edge("feature:rain", ASSOCIATIVE, "feature:coat", weight=10.0, usage=12)
    )


def test_only_the_first_features_are_paired() -> None:
    given(policy("two", features_paired_max=2)).when(event("one", "a", "b", "c")).then(
        edge("feature:a", ASSOCIATIVE, "feature:b", weight=1.0),
        no_edge("feature:a", ASSOCIATIVE, "feature:c"),
        no_edge("feature:b", ASSOCIATIVE, "feature:c"),
        edge("one", CONTAINS, "feature:c", weight=1.0),
        header(edges=3 + 1),
    )


def test_each_session_has_its_own_chain_and_buffer() -> None:
    before = given(event("a1", session="a"), event("b1", session="b"))
    before.when(event("a2", session="a")).then(
        edge("a1", TEMPORAL, "a2", weight=1.0, tick=3),
        no_edge("b1", TEMPORAL, "a2"),
        sessions(a=("a1", "a2"), b=("b1",)),
        unchanged("b1"),
    )


def test_the_buffer_drops_its_oldest() -> None:
    before = given(policy("short", buffer_events_max=2), event("one"), event("two"))
    before.when(event("three")).then(sessions(default=("two", "three")), edge("one", TEMPORAL, "two", weight=1.0))


def test_one_session_too_many_closes_the_one_that_was_silent_longest() -> None:
    before = given(
        policy("two", sessions_open_max=2), event("a1", session="a"), event("b1", session="b"), event("a2", session="a")
    )
    opened = before.when(event("c1", session="c"))
    opened.then(sessions(a=("a1", "a2"), c=("c1",)), unchanged("b1"))
    opened.when(event("b2", session="b")).then(sessions(b=("b2",), c=("c1",)), no_edge("b1", TEMPORAL, "b2"))


def test_competitors_lose_a_twentieth_but_the_event_before_does_not() -> None:
    before = given(HALVING, event("old", "rain", session="a"), event("recent", "sun", session="b"))
    before.when(event("new", "rain", "sun", session="b")).then(
        node("old", salience=1.5 / 4 * 0.95, tick=3),
        node("recent", salience=1.5, tick=2),  # it led here, so it is no competitor, and nothing has settled it
    )


def test_only_so_many_competitors_lose() -> None:
    before = given(policy("one", competitors_max=1), event("x", "a", session="x"), event("y", "b", session="y"))
    competed = before.when(event("z", "b", "a", session="z"))
    competed.then(unchanged("x"))
    assert competed.node("y").salience < 1.5 * 0.95


def test_a_forgotten_competitor_is_passed_over() -> None:
    few = policy("few", nodes_max=10, sessions_open_max=1, edges_max=100, nodes_kept_share=0.5)
    before = given(few, event("old", "rain"), *(event(f"e{n}") for n in range(12)))
    before.when(event("new", "rain", "sun")).then(accepted(seq=15), gone("old"))


def test_what_informed_an_event_must_be_a_recall() -> None:
    before = given(event("one", "a"), recall("asked", "one"))
    before.when(event("two", informed_by=("asked",))).then(accepted(seq=3), edge("one", TEMPORAL, "two", weight=1.0))
    before.when(event("three", informed_by=("nobody",))).then(refused(Refusal.UNKNOWN_RECALL))
    before.when(event("four", informed_by=("one",))).then(refused(Refusal.UNKNOWN_RECALL))
    before.when(event("five", informed_by=("asked", "three"))).then(refused(Refusal.UNKNOWN_RECALL))


def test_what_caused_an_event_is_linked_to_it() -> None:
    before = given(HALVING, event("seed", session="a"), event("water", session="b"), event("sun", session="c"))
    before.when(event("plant", session="c", caused_by=("seed", "water", "seed"))).then(
        edge("seed", CAUSAL, "plant", weight=1.0, half_life=1.0, usage=0, tick=4),
        edge("water", CAUSAL, "plant", weight=1.0),
        no_edge("sun", CAUSAL, "plant"),
        edge("sun", TEMPORAL, "plant"),
        node("seed", salience=1.5, tick=1, kinds=1 << TEMPORAL | 1 << CAUSAL, degree=2),
        node("plant", degree=3),
    )


def test_a_cause_must_be_an_event_and_one_that_was_forgotten_is_passed_over() -> None:
    few = policy("few", nodes_max=10, sessions_open_max=1, edges_max=100, nodes_kept_share=0.5)
    before = given(few, event("old"), *(event(f"e{n}") for n in range(12)), outcome("good", "e11", 1.0))
    before.when(event("x1", caused_by=("nobody",))).then(gone("old"), refused(Refusal.UNKNOWN_EVENT))
    before.when(event("x2", caused_by=("good",))).then(refused(Refusal.NOT_AN_EVENT))
    before.when(event("x3", caused_by=("e11", "good", "nobody"))).then(refused(Refusal.NOT_AN_EVENT))
    before.when(event("x4", caused_by=("nobody", "good"))).then(refused(Refusal.UNKNOWN_EVENT))
    before.when(event("x5", informed_by=("nobody",), caused_by=("good",))).then(refused(Refusal.UNKNOWN_RECALL))
    before.when(event("new", caused_by=("old", "e11"))).then(
        accepted(seq=16), edge("e11", CAUSAL, "new"), node("new", degree=2)
    )


def test_the_same_event_twice_is_one_event() -> None:
    before = given(event("one", "a", "b"), outcome("good", "one", 1.0))
    before.when(event("one", "a", "b")).then(repeated(seq=1))
    before.when(event("one", "a")).then(refused(Refusal.ID_REUSED))


def test_content_is_kept_and_never_read() -> None:
    said = event("one", "a")
    with_text = event("one", "a")
    with_text.changed["content"] = {"text": "whatever", "payload": {"salience": 99}}

    def stored(moment: Moment) -> bytes:
        number = moment.number("one")
        assert number is not None
        return moment.graph.content(number) or b""

    plain, wordy = given().when(said), given().when(with_text)
    assert b"whatever" in stored(wordy)
    assert b"whatever" not in stored(plain)
    wordy.then(node("one", salience=plain.node("one").salience, degree=1), header(nodes=2, edges=1))


def test_a_session_name_is_not_an_identity() -> None:
    """The session is in the envelope, which the body hash leaves out: a retry under another session is a repetition."""
    given(event("one", session="a")).when(event("one", session="b")).then(repeated(seq=1), sessions(a=("one",)))


def test_ids_belong_to_a_memory() -> None:
    before = given(event("one", "a"))
    answer = before.world.say(event("one", "b"), memory="tenant/other")
    assert (answer.refused, answer.seq, answer.command_id) == (None, 1, command_id("one"))
