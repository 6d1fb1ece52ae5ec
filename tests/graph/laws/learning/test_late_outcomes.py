"""A late outcome finds what its event is made of, whatever the degree cap has cut meanwhile: that was association."""

from tests.graph.by_hand import HALVING, TEN
from tests.graph.commands import MEMORY, Said, concept, episode, event, outcome, pin, policy
from tests.graph.scenario import Given, edge, given, gone, no_edge, node
from yggdrasil_schemas.graph.records import EdgeKind, Parts

ASSOCIATIVE, CAUSAL, CONTAINS = EdgeKind.ASSOCIATIVE, EdgeKind.CAUSAL, EdgeKind.CONTAINS
KIND = "feature:outcome:outcome"
KNOWN = [event("known", session="known"), outcome("known too", "known", 0.0)]
SIXTEEN = policy("sixteen", degree_max=16)


def busy(*first: Said) -> Given:
    """A memory in which "hub" got so many more edges that those of the first are cut: their weights have faded most."""
    return given(HALVING, SIXTEEN, *KNOWN, *first, *(event(f"e{n}", "hub") for n in range(16)))


def test_an_outcome_reaches_a_feature_to_which_the_edge_was_cut() -> None:
    """Each of the two bears half of it. Only the edge that is left is strengthened: none is made anew."""
    before = busy(event("act", "hub", "rare"))
    before.when(event("later")).then(no_edge("act", CONTAINS, "feature:hub"))
    before.when(outcome("bad", "act", -2.0)).then(
        node("feature:hub", impact=-1, valence=-0.3, bad=1, permanence=0.5),
        node("feature:rare", impact=-1, valence=-0.3, bad=1, permanence=0.5),
        no_edge("act", CONTAINS, "feature:hub"),
        edge("act", CONTAINS, "feature:rare", weight=2.0**-17 + 0.1, permanence=0.5),
        no_edge("feature:hub", CAUSAL, KIND),
    )


def test_what_it_foretells_is_said_by_edges_as_ever() -> None:
    before = busy(event("act", "hub"))
    before.when(outcome("bad", "act", -5.0)).then(
        no_edge("act", CONTAINS, "feature:hub"),
        node("feature:hub", valence=-1.5),
        edge("feature:hub", CAUSAL, KIND, weight=5, permanence=2.5),
    )


def test_a_feature_that_was_forgotten_carries_nothing_even_if_it_came_again() -> None:
    """It is another one by then. x is pinned, as the act is, and bears all of it."""
    acts = [event("act", "x", "y"), pin("p1", "act"), pin("p2", "feature:x")]
    before = given(TEN, *acts, *(event(f"e{n}") for n in range(8)), event("new", "y", session="new"))
    before.when(outcome("bad", "act", -2.0)).then(
        node("feature:x", impact=-3, valence=-0.6), node("feature:y", impact=0, usage=1)
    )
    act = before.when(event("end")).node("act").number
    assert len(before.world.graph(MEMORY).parts(act).carriers) == 2  # as the act was made of two


def test_an_episode_is_carried_by_what_it_was_associated_with() -> None:
    """By the features of its events: the edge of the event was cut when it was made, and its own is cut later."""
    before = busy(event("act", "hub", "rare"))
    before.when(episode("day", "act")).then(
        no_edge("act", CONTAINS, "feature:hub"), edge("day", ASSOCIATIVE, "feature:hub", weight=1)
    )
    for n in range(20):
        before.when(event(f"more{n}", "hub", session="more"))
    before.when(outcome("bad", "day", -2.0)).then(
        no_edge("day", ASSOCIATIVE, "feature:hub"),
        node("feature:hub", impact=-1, valence=-0.3),
        node("feature:rare", impact=-1, valence=-0.3),
    )


def test_a_concept_has_no_parts() -> None:
    """What it stands for may change: of an heir that is a concept the edges count."""
    before = given(event("act", "a", "b"), concept("idea", "feature:a", "feature:b", "act"))
    later = before.when(event("later"))
    assert later.graph.parts(later.node("idea").number) == Parts()
    assert later.graph.parts(later.node("later").number) == Parts()
    made_of = tuple(later.node(f"feature:{name}").number for name in "ab")
    assert later.graph.parts(later.node("act").number) == Parts(made_of)


def test_parts_go_with_the_node() -> None:
    before = given(TEN, event("old", "x"), episode("day", "old"))
    asked = before.when(event("e"))
    old, day = asked.node("old").number, asked.node("day").number
    assert {old, day} <= asked.graph.new_parts.keys()
    for n in range(9):
        before.when(event(f"e{n}"))
    before.when(event("end")).then(gone("old", "day"))
    assert not {old, day} & asked.graph.new_parts.keys()


def test_in_a_busy_world_every_outcome_lands_however_late() -> None:
    """Five features in turn, of which one ends badly, each event beside one of 40 others, judged 60 events later."""
    said: list[Said] = []
    for n in range(1_200):
        said.append(event(f"e{n}", f"hub{n % 5}", f"other{n * 7 % 40}", session=f"s{n % 3}"))
        if n >= 60:
            said.append(outcome(f"o{n}", f"e{n - 60}", -2.0 if n % 5 == 0 else 1.0))
    after = given(policy("few", degree_max=64), *said).when(event("end"))
    hubs = [after.node(f"feature:hub{n}") for n in range(5)]
    assert [(hub.good, hub.bad) for hub in hubs] == [(0, 228), (228, 0), (228, 0), (228, 0), (228, 0)]
    assert hubs[0].valence < -1.0
    assert all(hub.valence > 0.5 for hub in hubs[1:])
