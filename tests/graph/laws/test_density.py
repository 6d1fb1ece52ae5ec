"""Density: how connected, how varied and how bridging a node is, and how much slower it fades for it."""

import pytest

from tests.graph.by_hand import HALF_LIFE, half_life, session_mark
from tests.graph.commands import MEMORY, adjust, concept, episode, event, outcome, policy
from tests.graph.scenario import Moment, given, node
from yggdrasil_projections.graph.laws.density import density, density_array
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeKind

TEMPORAL, CAUSAL, ASSOCIATIVE = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.ASSOCIATIVE
CONTAINS = EdgeKind.CONTAINS


def of(degree: int, kinds: int, marks: int) -> float:
    return density(Node(1, NodeKind.EVENT, 0, 0.0, 1.0, degree=degree, kinds=kinds, marks=marks))


@pytest.mark.parametrize(
    ("degree", "kinds", "marks", "expected"),
    [
        (0, 0b111110, 2**64 - 1, 0.0),  # without edges nothing else counts
        (1, 0b100000, 0b1, 1 / 17 * (1 + 1 / 5 + 1 / 5) / 3),
        (16, 0b100010, 0b1111, 1 / 2 * (1 + 2 / 5 + 1 / 2) / 3),
        (256, 0b111110, 0b101, 256 / 272 * (1 + 1 + 2 / 6) / 3),
        (1_000_000, 0b111110, 2**64 - 1, 1_000_000 / 1_000_016 * (2 + 64 / 68) / 3),
    ],
)
def test_density_is_connectivity_times_the_mean_of_three(degree: int, kinds: int, marks: int, expected: float) -> None:
    assert of(degree, kinds, marks) == pytest.approx(expected, rel=1e-15)


def test_more_of_anything_is_denser_and_never_above_one() -> None:
    assert of(5, 0b10, 1) < of(6, 0b10, 1) < of(6, 0b110, 1) < of(6, 0b110, 3) < of(4_096, 0b111110, 2**64 - 1) < 1


def test_the_two_forms_of_density_agree_to_the_last_bit() -> None:
    """One is for the node at hand, the other for the rows that are ranked."""
    said = [event(f"e{n}", f"f{n % 11}", f"g{n % 3}", session=f"s{n % 7}") for n in range(1, 40)]
    known = [outcome("o", "e3", 1.0), episode("day", "e3", "e4"), concept("pair", "feature:f1", "feature:g2")]
    graph = given(*said, *known).world.graph(MEMORY)
    table = graph.node_table()
    found = density_array(table.rows).tolist()
    assert found == [density(graph.expect(number)) for number in table.keys.tolist()]
    assert len(set(found)) > 10


def marks(moment: Moment, name: str) -> int:
    return moment.node(name).marks.bit_count()


def test_a_feature_bridges_the_sessions_and_the_concepts_that_it_meets() -> None:
    met = given(event("a1", "x", "y", session="a"), event("b1", "x", session="b")).when(event("b2", "x", session="b"))
    met.then(
        node("feature:x", marks=session_mark("a") | session_mark("b"), degree=4),
        node("feature:y", marks=session_mark("a")),
        node("b2", marks=session_mark("b")),
    )
    formed = met.when(concept("pair", "feature:x", "feature:y"))
    assert (marks(formed, "feature:x"), marks(formed, "feature:y"), marks(formed, "pair")) == (3, 2, 3)


def test_two_sessions_that_share_a_bit_count_once() -> None:
    twin = next(f"b{n}" for n in range(10_000) if session_mark(f"b{n}") == session_mark("a"))
    met = given(event("a1", "x", session="a")).when(event("b1", "x", session=twin))
    assert marks(met, "feature:x") == 1


def test_a_kind_of_edge_counts_even_when_the_edge_is_gone() -> None:
    """The hub loses its associative edges, which are the weakest, when it has more than 16."""
    sixteen = policy("sixteen", degree_max=16, association_weight=0.1)
    before = given(sixteen, event("first", "hub", "x", "y"), *(event(f"e{n}", "hub") for n in range(13)))
    before.when(event("last", "hub")).then(
        node("feature:hub", kinds=1 << CONTAINS | 1 << ASSOCIATIVE, degree=12), node("feature:x", degree=2)
    )


def test_a_node_is_denser_only_from_when_it_is_steadied() -> None:
    """A change of nothing steadies: then the event has a cause, an effect, an outcome, a feature, and one before and
    after it: 6 edges of 3 kinds, in one session."""
    chain = [event("e1"), event("act", "x", caused_by=("e1",)), event("e3", caused_by=("act",))]
    before = given(policy("still", good_permanence=0, credit_events_max=0), *chain)
    before.when(outcome("good", "e3", 0.0)).then(node("act", half_life=HALF_LIFE, degree=5))
    before.when(adjust("nothing", "act", evidence=("e1",))).then(
        node("act", kinds=1 << TEMPORAL | 1 << CAUSAL | 1 << CONTAINS),
        node("act", half_life=half_life(dense=5 / 21 * (1 + 3 / 5 + 1 / 5) / 3)),
    )
