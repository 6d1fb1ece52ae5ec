"""The oracle itself, worked out by hand from docs/laws.md: it must be right before the fold is held against it."""

from decimal import Decimal

import pytest
from pytest import approx

from tests.graph.commands import (
    Said,
    adjust,
    attest,
    command_id,
    concept,
    dissolve,
    episode,
    event,
    outcome,
    pin,
    policy,
    recall,
    sleep,
    thinker,
    use,
)
from tests.graph.oracle.bounds import node_rank
from tests.graph.oracle.memory import Memory
from tests.graph.oracle.model import Answer, Model
from tests.graph.oracle.records import Edge, Node, session_mark
from yggdrasil_schemas.refusals import Refusal

H = 69.31471805599453  # the default half-life of nodes and edges


class Story:
    """A model, and short ways to look at it."""

    def __init__(self, *said: Said) -> None:
        self.model = Model()
        for each in said:
            assert self.model.say(each).refusal is None, each

    @property
    def m(self) -> Memory:
        return self.model.memory

    def say(self, said: Said) -> Answer:
        return self.model.say(said)

    def node(self, name: str) -> Node:
        return self.m.nodes[name if name.startswith("feature:") else command_id(name)]

    def gone(self, name: str) -> bool:
        return (name if name.startswith("feature:") else command_id(name)) not in self.m.nodes

    def edge(self, source: str, kind: str, target: str) -> Edge:
        return self.m.edges[self.node(source), kind, self.node(target)]


def of(record: Node | Edge, names: str) -> list[float]:
    return [float(getattr(record, name)) for name in names.split()]


def density(degree: int, kinds: int, marks: int) -> float:
    return degree / (degree + 16) * (1 + kinds / 5 + marks / (marks + 4)) / 3


def test_a_first_event_is_all_new() -> None:
    story = Story(event("one", "a", "b"))
    one, a = story.node("one"), story.node("feature:a")
    assert of(one, "salience permanence stability") == approx([1.5, 0, 1])
    assert float(one.half_life) == approx(H)  # steadied before it had an edge
    assert of(a, "salience usage half_life") == approx([1, 1, 2 * H])
    assert (story.m.tick, story.m.seq, len(story.m.edges)) == (1, 1, 3)
    assert story.edge("feature:a", "associative", "feature:b").usage == 1
    assert float(story.m.density(one)) == approx(density(2, 1, 1))


def test_what_comes_again_is_less_new_and_fades_before_it_gains() -> None:
    story = Story(event("one", "a"), event("two", "a"))
    assert story.node("two").salience == Decimal("1.175")  # newness 1/2, and the same step: 0.3 * 0
    assert float(story.node("feature:a").salience) == approx(2 ** (-1 / (2 * H)) + 0.1)
    assert float(story.node("one").salience) == approx(1.5 * 2 ** (-1 / H) * 1)  # "one" came before "two": no rival
    assert story.edge("one", "temporal", "two").weight == 1


def test_rivals_lose_a_twentieth() -> None:
    story = Story(event("one", "a"), event("two", "b"), event("three", "a"))
    assert float(story.node("one").salience) == approx(1.5 * 2 ** (-2 / H) * 0.95)


def test_a_step_becomes_a_trajectory_when_it_is_repeated_in_a_row() -> None:
    steps = [event("a1", "a"), event("b1", "b"), event("a2", "a"), event("b2", "b")]
    story = Story(*steps)
    assert story.edge("feature:a", "trajectory", "feature:b").usage == 2
    assert float(story.node("b2").salience) == approx(1 + 0.5 * (0.7 / 2 + 0.3 / 2))
    story.say(event("a3", "a"))
    story.say(event("b3", "b"))
    assert float(story.node("b3").salience) == approx(1 + 0.5 * (0.7 / 3 + 0.3 / 3))
    edge = story.edge("feature:a", "trajectory", "feature:b")
    assert of(edge, "usage half_life") == approx([3, H * 1.02])


def test_a_session_follows_the_one_before_and_closes_when_there_are_too_many() -> None:
    story = Story(policy("p", sessions_open_max=2), event("a1", session="a"), event("b1", session="b"))
    assert story.node("b1").flags == {"opening"}
    assert story.edge("a1", "temporal", "b1").weight == 1
    story.say(event("c1", session="c"))
    assert list(story.m.sessions) == ["b", "c"]
    assert story.node("c1").marks == {session_mark("c")}


def test_a_catastrophe_is_worked_out() -> None:
    """Ten, times 1.5 for the first of its kind; the feature takes all of the blame; the flag makes stability 5."""
    story = Story(event("before"), event("act", "a"), outcome("bad", "act", -10.0, catastrophic=True))
    act, a, bad = story.node("act"), story.node("feature:a"), story.node("bad")
    assert of(act, "salience permanence impact stability") == approx([16.5, 7.5, -15, 5])
    assert act.flags == {"catastrophic"}
    # At step 4 it has its temporal, contains and causal edge: degree 3, three kinds, one session.
    assert float(act.half_life) == approx(H * 5 * (1 + 0.2 * 7.5) * (1 + density(3, 3, 1)))
    assert of(bad, "salience stability good bad") == approx([16, 5, 0, 1])
    assert of(a, "permanence bad valence") == approx([7.5, 1, -3.0])
    assert float(story.node("before").salience) == approx(1.5 * 2 ** (-1 / H) + 0.1 * 15)
    assert story.node("before").impact == Decimal("-1.5")
    causal = story.edge("act", "causal", "bad")
    assert of(causal, "weight permanence") == approx([16, 7.5])
    assert float(causal.half_life) == approx(H / 0.7)
    foretold = story.edge("feature:a", "causal", "feature:outcome:outcome")
    assert of(foretold, "weight permanence usage") == approx([15, 7.5, 0])


def test_what_is_explained_teaches_nothing() -> None:
    """Rescorla and Wagner: a alone is learned first; in company with b, b learns only what a leaves open."""
    story = Story(event("x"), outcome("o", "x", 1.0))
    for n in range(30):
        story.say(event(f"a{n}", "a"))
        story.say(outcome(f"oa{n}", f"a{n}", 4.0))
    story.say(event("both", "a", "b"))
    story.say(outcome("ob", "both", 4.0))
    assert float(story.node("feature:a").valence) == approx(4.0, rel=1e-4)
    assert float(story.node("feature:b").valence) == approx(0.0, abs=1e-4)
    assert float(story.node("both").impact) == 4.0


def test_responsibility_follows_valence() -> None:
    story = Story(
        policy("p", first_outcome=1.0, surprise_rate=0.25),
        event("one", "a"),
        outcome("o1", "one", 4.0),
        event("two", "a", "b"),
    )
    assert story.node("feature:a").valence == 1
    story.say(outcome("o2", "two", 3.0))  # w = 1 + 1 and 1, so r = 2/3 and 1/3; surprise 3 - 1 = 2
    assert float(story.node("feature:b").impact) == approx(1.0)
    assert float(story.node("feature:a").impact) == approx(4.0 * 0.9 + 2.0)  # of the 4 a tenth fades: judged by 2
    assert story.node("feature:b").valence == Decimal("0.25")


def test_contradiction_costs_permanence() -> None:
    """Good: 0.1 * 15. Then a tenth of it goes, by a size of 1, and the half that -1 gives otherwise is not gained."""
    story = Story(event("one"), outcome("good", "one", 10.0))
    assert story.node("one").permanence == Decimal("1.5")
    story.say(outcome("bad", "one", -1.0))
    assert story.node("one").permanence == Decimal("1.5") * Decimal("0.9")


def test_credit_flows_back_with_discount_and_stops_at_the_opening() -> None:
    story = Story(event("other", session="o"), event("s1"), event("s2"), event("s3"), outcome("o1", "s3", 10.0))
    assert [story.node(name).impact for name in ("s2", "s1", "other")] == [Decimal("1.5"), Decimal("1.2"), 0]
    # s1 is the second: judged by 0.1 * 0.8, so 0.1 * 0.08 of its 1.2 fades, 1.1904 stay, and 0.08 come.
    story.say(outcome("o2", "s3", 1.0, trajectory=("other", "s1")))
    assert [story.node(name).impact for name in ("other", "s1", "s2")] == [
        Decimal("0.1"),
        Decimal("1.2704"),
        Decimal("1.5"),
    ]
    assert story.edge("other", "causal", "o2").weight == Decimal("0.1")


def test_use_is_what_counts() -> None:
    story = Story(
        event("one"), event("two"), recall("asked", "one", "two"), use("used", "asked", "one", result="success")
    )
    one, two = story.node("one"), story.node("two")
    assert of(one, "usage permanence impact stability") == approx([1, 0.4, 1.5, 1.02])
    assert one.valence == Decimal("0.45")
    assert of(two, "usage candidates permanence") == approx([0, 1, 0])
    assert float(two.salience) == approx(1.5 + 0.1 * (1 - 1.5 / 20))


def test_an_episode_carries_upward() -> None:
    said = [event("one", "a", "b"), outcome("o", "one", 10.0), event("two", "b")]
    story = Story(*said, episode("ep", "two", "one", clear="window", keep=1))
    salience = (1.5 + 0.5 * 15) * 2 ** (-1 / float(story.node("one").half_life)) + float(story.node("two").salience)
    ep = story.node("ep")
    assert float(ep.salience) == approx(1 + 0.5 * salience / 2)
    assert float(ep.permanence) == approx(0.5 * 1.5 * 2 ** (-1 / 20_000))
    assert ep.impact == Decimal("7.5")
    assert story.edge("ep", "associative", "feature:b").weight == 2
    assert (ep, "causal", story.node("o")) in story.m.edges
    assert [each.name for each in story.m.sessions["default"].buffer] == [command_id("two")]


def test_a_concept_absorbs_what_is_like_it() -> None:
    story = Story(event("one", "a", "b"), concept("c", "feature:a", "feature:b"), event("two", "a", "b", "x"))
    assert "absorbed" not in story.m.happened  # 2/3
    story.say(event("three", "b", "a"))
    three, c = story.node("three"), story.node("c")
    assert of(three, "salience stability half_life") == approx([1, 0.5, H / 2])
    assert len(story.m.contained(three, "feature")) == 2
    assert of(story.edge("c", "contains", "feature:a"), "usage half_life") == approx([1, H * 1.02])
    assert (story.node("feature:b"), "associative", story.node("feature:a")) not in story.m.edges
    assert story.m.contained(c, "event") == [three]
    assert of(c, "usage stability") == approx([1, 0.51])
    assert story.node("feature:a").concept is c
    story.say(dissolve("d", "c"))
    assert story.gone("c")
    assert story.say(outcome("o", "three", 1.0)).refusal is None  # the event is still there


def test_an_heir_takes_a_late_outcome() -> None:
    small = policy("small", nodes_max=20, sessions_open_max=1, edges_max=200, nodes_kept_share=0.5)
    many = [event(f"e{n}") for n in range(17)]
    strong = pin("pin", "ep", permanence=3.0)
    story = Story(small, event("old", "a"), episode("ep", "old"), strong, *many, event("last"))
    assert story.gone("old")
    assert story.say(outcome("late", "old", 1.0)).refusal is None
    assert story.node("ep").impact == Decimal("1.5")
    assert story.say(outcome("nothing", "e0", 1.0)).refusal == Refusal.EVENT_FORGOTTEN


def test_pruning_joins_what_is_left() -> None:
    small = policy("small", nodes_max=20, sessions_open_max=1, edges_max=200, nodes_kept_share=0.5)
    story = Story(small, event("first"), pin("pin", "first"), *(event(f"e{n}") for n in range(20)))
    assert len(story.m.nodes) == 10
    left = [node for node in story.m.nodes.values() if node.name != command_id("first")]
    oldest = min(left, key=lambda node: node.number)
    assert (story.node("first"), "temporal", oldest) in story.m.edges
    assert len(story.m.edges) == 9


def test_rank_is_the_formula() -> None:
    story = Story(event("one"), outcome("o", "one", 10.0))
    one = story.node("one")
    parts = 4 * 1.5 + 2 * (1.5 + 7.5) + 1 * density(1, 1, 1) + 0.5 * 15
    assert float(node_rank(story.m, one)) == approx(parts)


def test_sleep_consolidates_dissolves_archives_and_forgets() -> None:
    fast = policy(
        "fast",
        node_half_life_ticks=1.0,
        archived_max=1,
        archive_salience=0.1,
        archive_rest_ticks=0,
        buffer_events_max=1,
        concept_half_life=0.01,
    )
    idle = [event(f"e{n}") for n in range(8)]
    used = [recall("r", "one"), *(use(f"u{n}", f"r{n}", "one") for n in range(5))]
    recalls = [recall(f"r{n}", "one") for n in range(5)]
    said = [fast, event("one", "a", "b"), concept("c", "feature:a", "feature:b"), *recalls, *used, *idle]
    story = Story(*said)
    before = story.node("one").stability
    story.say(sleep("night"))
    assert of(story.node("one"), "level stability") == approx([1, float(before) * 5 / 3])
    assert story.gone("c")
    left = [name for name in (f"e{n}" for n in range(8)) if not story.gone(name)]
    assert left == ["e4", "e5", "e6", "e7"]  # 1.5 / 2^3 is not below 0.1 yet; one stays of what is, the strongest
    assert story.node("one").flags == {"archived"}
    story.say(recall("again", "one"))
    assert story.node("one").flags == set()
    assert float(story.node("one").salience) == approx(0.5 + 0.1 * (1 - 0.5 / 20))


def test_adjust_is_capped_and_never_lowers_what_is_protected() -> None:
    """The pin's 1 is beside its own 0.1. The edge falls by no more than either end was allowed to: not at all."""
    own = adjust("up", "one", evidence=("one",), permanence=0.1)
    story = Story(event("one", "a"), event("two"), own, pin("pin", "one", permanence=1.0))
    salience = story.node("one").salience
    story.say(adjust("down", "one", "feature:a", evidence=("two",), salience=-1.0, permanence=-1.0, half_life=0.5))
    assert of(story.node("one"), "salience permanence pinned_at stability") == approx([float(salience), 0.1, 1, 1])
    assert of(story.node("feature:a"), "salience stability") == approx([2 ** (-1 / (2 * H)) - 0.25, 1 / 1.1])
    edge = story.edge("one", "contains", "feature:a")
    assert float(edge.weight) == approx(2 ** (-1 / H))
    assert float(edge.half_life) == approx(H)
    assert story.node("one").half_life == Decimal(1_000_000)


def test_permanence_erodes_by_the_ticks_since_its_last_touch() -> None:
    """Good, of 10 * 1.5: 1.5 of its own, a quarter of it after two half-lives. What its pin gives does not erode."""
    brief = policy("p", permanence_half_life_ticks=2.0)
    story = Story(brief, event("one"), outcome("good", "one", 10.0), pin("pin", "one", permanence=8.0))
    for n in range(4):
        story.say(event(f"e{n}"))
    assert of(story.node("one"), "permanence pinned_at") == [1.5, 8]  # as at its last touch
    story.say(recall("asked", "one"))
    assert of(story.node("one"), "permanence pinned_at") == approx([1.5 / 4, 8])
    story.say(pin("loose", "one", pinned=False))
    assert of(story.node("one"), "permanence pinned_at") == approx([1.5 / 4, 0])


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        (event("n", informed_by=("one",), caused_by=("nobody",)), Refusal.UNKNOWN_RECALL),
        (event("n", caused_by=("ask", "nobody")), Refusal.NOT_AN_EVENT),
        (outcome("n", "nobody", 1.0), Refusal.UNKNOWN_EVENT),
        (outcome("n", "one", 1.0, trajectory=("nobody",)), Refusal.UNKNOWN_EVENT),
        (recall("n", "nobody", as_of=99), Refusal.UNKNOWN_REFERENCE),
        (recall("n", as_of=99), Refusal.AS_OF_AHEAD),
        (use("n", "ask", "two"), Refusal.NOT_RECALLED),
        (use("n", "two"), Refusal.UNKNOWN_RECALL),
        (episode("n", "ask", by=thinker(cursor_from=5)), Refusal.NOT_AN_EVENT),
        (episode("n", "one", by=thinker(cursor_from=5)), Refusal.CURSOR_STALE),
        (sleep("n", by=thinker(cursor_to=7)), Refusal.CURSOR_AHEAD),
        (concept("n", "one", "feature:never"), Refusal.MEMBERS_FORGOTTEN),
        (dissolve("n", "feature:a"), Refusal.NOT_A_CONCEPT),
        (dissolve("n", "one"), Refusal.NOT_A_CONCEPT),
        (dissolve("n", "feature:never"), Refusal.NODE_FORGOTTEN),
        (dissolve("n", "core", by=thinker(cursor_from=5)), Refusal.NODE_PROTECTED),
        (sleep("n", by=thinker()), Refusal.CURSOR_AHEAD),
        (adjust("n", "feature:never", evidence=("one",)), Refusal.NODE_FORGOTTEN),
        (adjust("n", "one", evidence=("nobody",)), Refusal.UNKNOWN_REFERENCE),
        (pin("n", "feature:never"), Refusal.NODE_FORGOTTEN),
        (policy("n", nodes_max=639), Refusal.POLICY_CONFLICT),
        (attest("n"), Refusal.ATTEST_TOO_SOON),
        (event("one", "b"), Refusal.ID_REUSED),
    ],
    ids=lambda given: given.code if isinstance(given, Refusal) else given.type,
)
def test_it_refuses_for_the_first_reason(said: Said, refusal: Refusal) -> None:
    core = [concept("core", "one", "two"), pin("pin", "core")]
    story = Story(event("one", "a"), event("two"), recall("ask", "one"), *core, attest("proof"))
    assert story.say(said) == Answer(0, refusal)
    assert (story.m.seq, story.m.tick) == (6, 2)


def test_a_thirty_third_thinker_finds_no_room() -> None:
    """The event and 32 sleeps are 33 commands; what is refused is none, so the next one is the 34th."""
    story = Story(event("one"), *(sleep(f"s{n}", by=thinker(f"t{n}", 0, 1)) for n in range(32)))
    assert story.say(sleep("one too many", by=thinker("t32", 0, 1))).refusal == Refusal.THINKERS_FULL
    assert story.say(sleep("again", by=thinker("t3", 1, 33))) == Answer(34, None)
    assert story.m.cursors["t3"] == 33
