"""The law of bounds: what is forgotten first, what is never forgotten, and that the caps hold."""

import pytest

from tests.graph.by_hand import HALVING, NO_RANK, density
from tests.graph.commands import MEMORY, Said, episode, event, outcome, pin, policy, recall, use
from tests.graph.scenario import Given, accepted, edge, given, gone, header, no_edge, node, refused, sessions
from yggdrasil_projections.graph.laws.bounds.rank import edge_rank, node_rank
from yggdrasil_schemas.graph.records import EdgeKind
from yggdrasil_schemas.refusals import Refusal

TEMPORAL, ASSOCIATIVE, CONTAINS = EdgeKind.TEMPORAL, EdgeKind.ASSOCIATIVE, EdgeKind.CONTAINS
TWENTY = policy("twenty", nodes_max=20, sessions_open_max=1, edges_max=20, nodes_kept_share=0.5)


def events(first: int, last: int, session: str = "default") -> list[Said]:
    return [event(f"e{n}", session=session) for n in range(first, last + 1)]


def names(first: int, last: int) -> list[str]:
    return [f"e{n}" for n in range(first, last + 1)]


def test_at_the_cap_nothing_is_forgotten() -> None:
    given(TWENTY, *events(1, 19)).when(event("e20")).then(header(nodes=20, edges=19))


def test_above_the_cap_the_weakest_half_goes() -> None:
    """All events are alike, so the oldest have faded most."""
    above = given(TWENTY, *events(1, 20)).when(event("e21"))
    above.then(accepted(seq=22), header(nodes=10, edges=9), gone(*names(1, 11)))
    for name in names(12, 21):
        above.node(name)


def test_the_chain_is_joined_over_what_was_forgotten() -> None:
    """e1 is strong. Its link to e2 was made at tick 2, that of e11 to e12 at tick 12: the joint is as weak as the
    weakest is now, and each later joint starts from the one before it."""
    halving = policy("halving", edge_half_life_ticks=10)
    before = given(TWENTY, halving, event("e1"), outcome("good", "e1", 10.0), *events(2, 17))
    before.when(event("e18")).then(header(nodes=20))  # 18 events, the outcome, its kind
    before.when(event("e19")).then(
        header(nodes=10),
        gone("feature:outcome:outcome", *names(2, 11)),
        edge("e1", TEMPORAL, "e12", weight=2.0**-1.7, tick=19, half_life=10.0),
        edge("e12", TEMPORAL, "e13", weight=1.0, tick=13),
    )


def test_a_rank_by_hand() -> None:
    """Four times permanence, twice salience, usage in part, density, and half of the impact; all as of tick 3."""
    lived = [event("e1", "rain"), outcome("bad", "e1", -2.0), recall("asked", "feature:rain"), event("e2"), event("e3")]
    graph = given(HALVING, *lived, use("used", "asked", "feature:rain")).world.graph(MEMORY)
    table = graph.node_table()
    numbers = table.keys.tolist()
    ranks = node_rank(graph.header.policy, table.rows, graph.header.tick)
    rank = {number: float(each) for number, each in zip(numbers, ranks, strict=True)}
    e1, rain = numbers[0], graph.feature("rain")
    assert rank[e1] == pytest.approx(4 * 1.5 / 4 + 2 * 4.5 / 4 + density(3, kinds=3, marks=1) + 0.5 * 3, rel=1e-12)
    salience, permanence = (4 + 0.1 * (1 - 4 / 20)) / 4, 1.5 / 4 + 0.1
    expected = 4 * permanence + 2 * salience + 2 / 10 + density(2, kinds=2, marks=1) + 0.5 * 3  # it foretells the bad
    assert rank[rain or 0] == pytest.approx(expected, rel=1e-12)
    assert rank[numbers[-1]] == pytest.approx(2 * 1.5 + density(1, kinds=1, marks=1), rel=1e-12)


def test_the_rank_of_an_edge_by_hand() -> None:
    """Twice the weight, four times the permanence, usage in part; as of tick 3, two after the edges were touched."""
    halving = policy("halving", edge_half_life_ticks=2, edge_reinforce_half_life=1, permanence_half_life_ticks=2)
    lived = [event("e1", "rain", "wind"), outcome("bad", "e1", -2.0), event("e2"), event("e3")]
    graph = given(halving, policy("slow", bad_edge_decay=1.0), *lived).world.graph(MEMORY)
    table = graph.edge_table()
    ranks = edge_rank(graph.header.policy, table.rows, graph.header.tick).tolist()
    rank = dict(zip(map(tuple, table.keys.tolist()), ranks, strict=True))
    e1, rain, wind = ((1 + 2) << 6, (1 + 2) << 6 | 1, (1 + 2) << 6 | 2)
    assert rank[rain, ASSOCIATIVE, wind] == pytest.approx(2 * 1 / 2 + 1 / 9, rel=1e-12)  # used once
    size = 2 * 1.5 / 2  # an outcome of size 2, the first of its kind, shared by two
    assert rank[e1, CONTAINS, rain] == pytest.approx(2 * (1 + 0.1 * size) / 2 + 4 * 0.5 * size / 2, rel=1e-12)


def test_strength_outlives_age() -> None:
    used = use("used", "asked", "e2", result="success")
    before = given(TWENTY, *events(1, 2), outcome("good", "e1", 10.0), recall("asked", "e2"), used, *events(3, 18))
    before.when(event("e19")).then(node("e1", impact=15.0), node("e2", usage=1), gone("e3", "e4", "e5"))


def test_a_forgotten_feature_loses_its_name_and_may_come_again() -> None:
    before = given(TWENTY, event("e1", "rain"), *events(2, 19))
    before.when(event("e20")).then(gone("e1", "feature:rain"), header(nodes=10))
    before.when(event("e21", "rain")).then(node("feature:rain", usage=1, salience=1.0, degree=1))


def test_protection_is_for_a_fifth_and_the_weakest_lose_it_first() -> None:
    """Without a rank the younger of two is the stronger: e1 and e2 are one too many for four protected nodes."""
    disasters = [outcome(f"d{n}", f"e{n}", -10.0, catastrophic=True) for n in (1, 2, 3)]
    before = given(TWENTY, policy("no-rank", **NO_RANK), *events(1, 3), *disasters, *events(4, 16))
    above = before.when(event("e17"))
    above.then(header(nodes=10), gone("e1", "e2", "e4", "e5"))
    for name in ("e3", "d1", "d2", "d3"):
        above.node(name)


def test_permanence_protects_as_long_as_it_lasts() -> None:
    """Bad outcomes of size 10 give 7.5 and 5 of permanence; 5 are enough, and erode below it within a tick."""
    lasting = [outcome("d1", "e1", -10.0), outcome("d2", "e2", -10.0)]
    plain = [outcome("d1", "e1", -1.0), outcome("d2", "e2", -1.0)]
    no_rank = policy("no-rank", **NO_RANK)
    kept = given(TWENTY, no_rank, *events(1, 2), *lasting, *events(3, 17)).when(event("e18"))
    kept.then(gone("e2", "d2"), node("e1", permanence=7.5), node("d1", permanence=7.5, tick=2))
    given(TWENTY, no_rank, *events(1, 2), *plain, *events(3, 17)).when(event("e18")).then(gone("e1", "e2", "d1", "d2"))
    slow = policy("slow", permanence_half_life_ticks=1, **NO_RANK)  # 7.5 is below 5 after the first tick
    given(TWENTY, slow, *events(1, 2), *lasting, *events(3, 17)).when(event("e18")).then(gone("e1", "e2", "d1", "d2"))


def test_just_enough_permanence_protects() -> None:
    """5 at the moment that it is given, when the outcome is the twenty-first node."""
    known = [event("e0"), outcome("known", "e0", 0.0), event("e1"), *events(2, 17)]
    before = given(TWENTY, policy("no-rank", **NO_RANK), *known)
    before.when(outcome("bad", "e1", -10.0)).then(
        header(nodes=10), gone("e0", "e2"), node("e1", permanence=5), node("bad")
    )


def test_strength_alone_does_not_protect() -> None:
    """Of twenty-one nodes only two may stay: the last event, and the strongest of the others."""
    before = given(TWENTY, policy("two", nodes_kept_share=0.1), *events(1, 20))
    before.when(event("e21")).then(header(nodes=2, edges=1), node("e20"), node("e21"))


def test_the_pinned_are_protected_before_the_catastrophic_and_those_before_the_lasting() -> None:
    """Four of twenty may be, and six would; of the same rank, the oldest here is pinned and the youngest only lasts."""
    doom, worst = outcome("doom", "e3", -1.0, catastrophic=True), outcome("worst", "e4", -10.0)
    no_rank, *four = policy("no-rank", **NO_RANK), *events(1, 4)
    before = given(TWENTY, no_rank, *four, pin("p1", "e1"), pin("p2", "e2"), doom, worst, *events(5, 17))
    before.when(event("e18")).then(
        gone("e4", "worst"), node("e1"), node("e2"), node("e3"), node("doom"), header(nodes=10)
    )
    before = given(TWENTY, no_rank, *four, pin("p1", "e1"), pin("p2", "e2"), doom, pin("p4", "e4"), *events(5, 18))
    before.when(event("e19")).then(gone("e3"), node("e1"), node("e2"), node("doom"), node("e4"), header(nodes=10))


def test_the_last_event_of_an_open_session_is_not_forgotten() -> None:
    """Though an episode has taken it out of the buffer."""
    forty = policy("forty", nodes_max=40, sessions_open_max=2, edges_max=60, nodes_kept_share=0.5, **NO_RANK)
    old = [event("old0", session="old"), event("old1", session="old")]
    above = given(forty, *old, episode("day", "old0", "old1", session="old"), *events(1, 37)).when(event("e38"))
    above.then(gone("old0", "day"), node("old1", degree=1), header(nodes=20), sessions(old=(), default=("e37", "e38")))


def test_no_protection_at_all_when_the_share_is_none() -> None:
    none = policy("none", protected_share=0, **NO_RANK)
    before = given(TWENTY, none, event("e1"), outcome("d1", "e1", -10.0, catastrophic=True), *events(2, 18))
    before.when(event("e19")).then(gone("e1", "d1"))


def test_what_is_in_a_buffer_is_not_forgotten() -> None:
    forty = policy("forty", nodes_max=40, sessions_open_max=2, edges_max=40, nodes_kept_share=0.5, **NO_RANK)
    old = [event(f"old{n}", session="old") for n in range(3)]
    above = given(forty, *old, *events(1, 37)).when(event("e38"))
    above.then(
        header(nodes=20),
        gone("old0", *names(1, 18)),
        sessions(old=("old1", "old2"), default=("e37", "e38")),  # 40 / (10 * 2 sessions) events each
        edge("old1", TEMPORAL, "old2"),
        no_edge("old2", TEMPORAL, "e19"),
    )


def test_too_many_edges_lose_the_weakest_but_no_chain() -> None:
    """Each event brings 8 + 28 edges. The first event's have faded by one tick when the second's arrive."""
    few = policy("few", nodes_max=40, sessions_open_max=1, edges_max=40)
    above = given(few, event("one", *"abcdefgh")).when(event("two", *"ijklmnop"))
    above.then(
        header(edges=36, nodes=18),
        edge("one", TEMPORAL, "two", weight=1.0),
        no_edge("one", CONTAINS, "feature:a"),
        no_edge("feature:a", ASSOCIATIVE, "feature:b"),
        edge("feature:i", ASSOCIATIVE, "feature:p", weight=1.0),
    )


def test_at_the_cap_no_edge_is_cut() -> None:
    """36 and 1, and three of the last event's."""
    forty = policy("forty", nodes_max=40, sessions_open_max=1, edges_max=40)
    given(forty, event("one", *"abcdefgh")).when(event("two", *"ij")).then(header(edges=36 + 1 + 3))


def test_a_crowded_node_loses_its_weakest_edges() -> None:
    sixteen = policy("sixteen", degree_max=16)
    hub = given(sixteen, *(event(f"e{n}", "hub") for n in range(1, 17))).when(event("e17", "hub"))
    hub.then(
        node("feature:hub", degree=12, usage=17),
        *(no_edge(f"e{n}", CONTAINS, "feature:hub") for n in range(1, 6)),
        *(edge(f"e{n}", CONTAINS, "feature:hub", weight=1.0) for n in range(6, 18)),
        header(nodes=18, edges=16 + 12),
    )


def test_a_crowded_event_keeps_its_chain() -> None:
    sixteen = policy("sixteen", degree_max=16)
    outcomes = [outcome(f"o{n}", "act", 1.0) for n in range(15)]
    crowded = given(sixteen, event("before"), event("act"), event("after"), *outcomes[:14])
    crowded.when(outcomes[14]).then(
        node("act", degree=12), edge("before", TEMPORAL, "act"), edge("act", TEMPORAL, "after")
    )


def test_a_lowered_degree_cap_acts_with_the_next_edge() -> None:
    hub = given(*(event(f"e{n}", "hub") for n in range(1, 21)))
    hub.when(policy("sixteen", degree_max=16)).then(node("feature:hub", degree=20))
    hub.when(event("e21", "hub")).then(node("feature:hub", degree=12))


def test_crowding_does_not_outlive_its_command() -> None:
    """Joining the neighbours of a forgotten event links a wide event, over a lowered cap, anew. Whether it is cut must
    not depend on whether the working set was dropped in between, so it is cut at once."""
    wide = event("wide", *(f"f{n}" for n in range(20)))
    strong = [outcome("good", "e0", 10.0), outcome("fine", "wide", 10.0)]
    before = given(
        policy("p1", features_paired_max=0, credit_share=0), event("e0"), event("x"), wide, *strong, *events(1, 30)
    )
    lowered = before.when(policy("p2", nodes_max=40, sessions_open_max=1, edges_max=200, degree_max=16))
    lowered.then(header(nodes=38), gone("x"), edge("e0", TEMPORAL, "wide", tick=33))
    assert lowered.node("wide").degree <= 12
    assert not lowered.graph.crowded


def drained(memory: Given, said: list[Said], removals: int) -> list[int]:
    """The number of nodes after each command; no command may remove more than ``removals``."""
    counts = [memory.world.graph(MEMORY).header.nodes]
    for each in said:
        counts.append(memory.when(each).then().graph.header.nodes)
        assert counts[-2] - counts[-1] <= removals
    return counts


def test_a_lowered_cap_drains_in_bounded_steps() -> None:
    memory = given(policy("narrow", removals_per_command_max=1_024), *events(1, 2_500))
    lower = policy("lower", nodes_max=100, sessions_open_max=1, edges_max=100)
    counts = drained(memory, [lower, *events(2_501, 2_520)], removals=1_024)
    assert counts[:4] == [2_500, 1_476, 453, 95]
    assert max(counts[4:]) <= 100


def test_the_caps_hold_with_the_smallest_number_of_removals() -> None:
    """One command may bring 33 nodes and 529 edges, so it must be able to take as many away."""
    least = policy("least", removals_per_command_max=1_024, features_paired_max=32)
    tight = policy("tight", nodes_max=40, sessions_open_max=1, edges_max=40)
    memory = given(least, tight)
    for n in range(20):
        held = memory.when(event(f"wide{n}", *(f"f{n}-{feature}" for feature in range(32)))).then(accepted(seq=n + 3))
        assert held.graph.header.nodes <= 40
        assert held.graph.header.edges <= 40


@pytest.mark.parametrize("removals", [16, 528])
def test_fewer_removals_than_a_command_can_add_are_not_of_the_language(removals: int) -> None:
    given().when(policy("few", removals_per_command_max=removals)).then(refused(Refusal.INVALID_BODY))
