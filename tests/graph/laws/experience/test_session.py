"""Sessions follow each other: the first event of one comes after the last event of the one that was touched last."""

from tests.graph.by_hand import HALVING, NO_RANK, TEN, session_mark
from tests.graph.commands import Said, episode, event, outcome, pin, policy
from tests.graph.scenario import accepted, edge, given, gone, no_edge, node, sessions
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag

TEMPORAL, CAUSAL = EdgeKind.TEMPORAL, EdgeKind.CAUSAL
OPENING, PINNED = NodeFlag.OPENING, NodeFlag.PINNED
NINE = [f"x{n}" for n in range(9)]


def fill(first: int, last: int, session: str = "default") -> list[Said]:
    return [event(f"f{n}", session=session) for n in range(first, last + 1)]


def test_the_very_first_event_opens_no_session_after_another() -> None:
    given().when(event("one")).then(node("one", flags=0, degree=0))


def test_a_session_follows_the_one_that_was_touched_last() -> None:
    before = given(event("a1", session="a"), event("b1", session="b"), event("a2", session="a"))
    before.when(event("c1", session="c")).then(
        edge("a1", TEMPORAL, "b1", tick=2),
        edge("a2", TEMPORAL, "c1", weight=1.0, tick=4),
        no_edge("b1", TEMPORAL, "c1"),
        node("a1", flags=0),
        node("b1", flags=OPENING),
        node("a2", flags=0),
        node("c1", flags=OPENING, marks=session_mark("c")),
    )
    before.when(event("c2", session="c")).then(edge("c1", TEMPORAL, "c2"), node("c2", flags=0, degree=1))


def test_what_is_no_event_touches_no_session() -> None:
    before = given(event("a1", session="a"), event("b1", session="b"), outcome("good", "a1", 1.0))
    before.when(event("c1", session="c")).then(edge("b1", TEMPORAL, "c1"), no_edge("a1", TEMPORAL, "c1"))


def test_a_session_that_was_closed_opens_anew() -> None:
    """With room for one, the old session closes as the new one opens, and is followed all the same."""
    before = given(policy("one", sessions_open_max=1), event("a1", session="a"), event("b1", session="b"))
    before.when(event("a2", session="a")).then(
        sessions(a=("a2",)),
        edge("a1", TEMPORAL, "b1"),
        edge("b1", TEMPORAL, "a2"),
        no_edge("a1", TEMPORAL, "a2"),
        node("a2", flags=OPENING),
    )


def test_the_last_event_of_an_open_session_stays_for_the_next_one() -> None:
    """The episode takes one out of the buffer; as the eleventh node it costs two others of the oldest."""
    before = given(TEN, event("one", *NINE), episode("whole", "one"))
    before.when(event("two")).then(
        gone("feature:x0", "feature:x1"), edge("one", TEMPORAL, "two", weight=1), sessions(default=("two",))
    )


def test_after_a_session_whose_end_was_forgotten_another_begins_without_a_link() -> None:
    """two closes the session of one, and opens with it; only then one may go, and what is left of the chain is two."""
    before = given(TEN, event("one", *NINE, session="a"), episode("whole", "one", session="a"))
    before.when(event("two", session="b")).then(edge("one", TEMPORAL, "two"), node("two", flags=OPENING))
    before.when(event("three", session="b")).then(
        accepted(seq=5), gone("one"), edge("two", TEMPORAL, "three"), node("two", flags=OPENING, degree=1)
    )


def test_two_events_are_joined_over_the_one_between() -> None:
    """One to two is of tick 2, weight 1.3 and half-life 1 / 0.7 since the bad outcome; two to three of tick 3. At
    tick 9 the lesser weight is 2^-6. The second oldest that goes then is the outcome."""
    before = given(TEN, HALVING, event("one"), pin("core", "one"), event("two"), outcome("bad", "two", -2.0))
    before.when(event("three"))
    for said in fill(4, 8):
        before.when(said).then(node("two"))
    before.when(event("f9")).then(
        gone("two", "bad"),
        edge("one", TEMPORAL, "three", weight=2.0**-6, half_life=1 / 0.7, permanence=0, usage=0, tick=9),
        node("one", degree=1),
        node("three", degree=2, flags=0),
    )


def test_the_lesser_weight_is_that_of_now() -> None:
    """The outcome of three, 3 in size, gives 0.3 to the edge from two, made at tick 3 like it, and a fifth less to that
    from one to two, of tick 2: half of it was left. Six ticks later they are joined."""
    before = given(TEN, HALVING, event("one"), pin("core", "one"), event("two"), event("three"), pin("too", "three"))
    before.when(outcome("good", "three", 2.0)).then(
        edge("one", TEMPORAL, "two", weight=1 / 2 + 0.24, tick=3), edge("two", TEMPORAL, "three", weight=1.3, tick=3)
    )
    for said in fill(4, 8):
        before.when(said)
    before.when(event("f9")).then(gone("two"), edge("one", TEMPORAL, "three", weight=0.74 * 2.0**-6, tick=9))


def test_the_joint_is_as_lasting_as_the_more_lasting_up_to_the_caps() -> None:
    """Half-lives of 1 / 0.7 were slower than what the policy allows by the time of the joint."""
    begun = [event("one"), pin("core", "one"), event("two"), event("three")]
    before = given(TEN, HALVING, *begun, pin("p3", "three"))
    before.when(outcome("bad", "two", -2.0)).then(
        edge("one", TEMPORAL, "two", half_life=1 / 0.7, tick=3),
        edge("two", TEMPORAL, "three", half_life=1 / 0.7),
    )
    for said in fill(4, 8):
        before.when(said)
    before.when(policy("lower", half_life_max_ticks=1.1))
    before.when(event("f9")).then(gone("two"), edge("one", TEMPORAL, "three", half_life=1.1, tick=9))


def test_who_follows_a_forgotten_opening_inherits_the_flag() -> None:
    """So that no credit flows from b2 into the session before. The second oldest that goes is f4."""
    begun = [event("a1", session="a"), pin("core", "a1"), event("b1", session="b"), event("b2", session="b")]
    before = given(TEN, *begun, pin("more", "b2"))
    before.when(event("f4", session="b")).then(node("b1", flags=OPENING), node("b2", flags=PINNED))
    for said in fill(5, 10, session="b"):
        before.when(said)
    before.when(event("f11", session="b")).then(
        gone("b1", "f4"), edge("a1", TEMPORAL, "b2"), node("b2", flags=OPENING | PINNED), node("f5", flags=0)
    )
    before.when(outcome("good", "b2", 1.0)).then(node("a1", impact=0))


def test_the_edge_into_another_session_goes_with_its_source() -> None:
    """two leads to three in its session a, and to b1, which opens another: only the first is joined to one."""
    twenty = policy("twenty", nodes_max=20, sessions_open_max=2, edges_max=1_000, nodes_kept_share=0.95, **NO_RANK)
    chain = [event("one", session="a"), pin("core", "one"), event("two", session="a"), event("b1", session="b")]
    before = given(twenty, *chain, event("three", session="a"), pin("more", "three"))
    before.when(event("f5", session="a")).then(edge("two", TEMPORAL, "b1"), edge("two", TEMPORAL, "three"))
    for said in fill(6, 20, session="a"):
        before.when(said).then(node("two"))
    before.when(event("f21", session="a")).then(
        gone("two"),
        edge("one", TEMPORAL, "three"),
        no_edge("one", TEMPORAL, "b1"),
        edge("three", TEMPORAL, "f6"),  # f5 was the second oldest
        node("b1", flags=OPENING, degree=0),
    )
