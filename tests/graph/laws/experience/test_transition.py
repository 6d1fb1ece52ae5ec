"""The step from one leading feature to the next: chance the first time, a trajectory from the second in a row on."""

from tests.graph.by_hand import HALVING, TEN
from tests.graph.commands import concept, event, policy
from tests.graph.scenario import edge, given, gone, header, no_edge, node, unchanged
from yggdrasil_schemas.graph.records import EdgeKind

TEMPORAL, TRAJECTORY = EdgeKind.TEMPORAL, EdgeKind.TRAJECTORY
PEACEFUL = policy("peaceful", competitors_max=0)


def salience(features: float, step: float) -> float:
    """Of an event with such a mean newness of its features, after a step as new as that."""
    return 1 + 0.5 * (0.7 * features + 0.3 * step)


def test_a_first_step_is_wholly_new_and_leaves_a_note() -> None:
    stepped = given(event("e1", "rain")).when(event("e2", "mud"))
    stepped.then(
        node("e2", salience=1.5),
        no_edge("feature:rain", TRAJECTORY, "feature:mud"),
        node("feature:rain", follower=stepped.node("feature:mud").number, degree=1),
        node("feature:mud", follower=0),
        header(edges=3),
    )


def test_the_second_step_in_a_row_makes_a_trajectory() -> None:
    """rain, mud, rain, mud, rain, mud: the first edge is made at tick 4, and reinforced at tick 6."""
    lived = [event(f"e{n}", "rain" if n % 2 else "mud") for n in range(1, 6)]
    before = given(HALVING, PEACEFUL, *lived[:3])
    before.when(event("e4", "mud")).then(
        node("e4", salience=salience(1 / 2, 1 / 2)),
        edge("feature:rain", TRAJECTORY, "feature:mud", weight=1.0, usage=2, half_life=1.0, permanence=0, tick=4),
        no_edge("feature:mud", TRAJECTORY, "feature:rain"),
    )
    before.when(event("e5", "rain")).then(
        node("e5", salience=salience(1 / 3, 1 / 2)),
        edge("feature:mud", TRAJECTORY, "feature:rain", weight=1.0, usage=2),
    )
    before.when(event("e6", "mud")).then(
        node("e6", salience=salience(1 / 3, 1 / 3)),
        edge("feature:rain", TRAJECTORY, "feature:mud", weight=1.0 / 4 + 1.0, usage=3, half_life=1.02, tick=6),
        edge("feature:mud", TRAJECTORY, "feature:rain", weight=1.0, usage=2, tick=5),
    )


def test_another_step_between_makes_it_chance_again() -> None:
    """rain led to sun last, when it leads to mud for the second time."""
    lived = [event(f"e{n}", name) for n, name in enumerate(("rain", "mud", "rain", "sun", "rain"))]
    stepped = given(PEACEFUL, *lived).when(event("again", "mud"))
    stepped.then(
        node("again", salience=salience(1 / 2, 1)),
        no_edge("feature:rain", TRAJECTORY, "feature:mud"),
        node("feature:rain", follower=stepped.node("feature:mud").number),
    )


def test_a_known_trajectory_needs_no_repetition() -> None:
    """rain led to mud twice in a row, then to sun; the edge is there still, and its next use is its third."""
    names = ("rain", "mud", "rain", "mud", "rain", "sun", "rain")
    lived = [event(f"e{n}", name) for n, name in enumerate(names)]
    given(PEACEFUL, *lived).when(event("again", "mud")).then(
        node("again", salience=salience(1 / 3, 1 / 3)), edge("feature:rain", TRAJECTORY, "feature:mud", usage=3)
    )


def test_to_stay_is_nothing_new_and_is_not_noted() -> None:
    lived = [event("e1", "rain", "coat"), event("e2", "mud"), event("e3", "rain")]
    stayed = given(PEACEFUL, *lived).when(event("e4", "rain", "sun"))
    stayed.then(
        node("e4", salience=salience((1 / 3 + 1) / 2, 0)),
        node("feature:rain", follower=stayed.node("feature:mud").number),
        no_edge("feature:rain", TRAJECTORY, "feature:rain"),
    )


def test_an_event_without_features_leads_nowhere() -> None:
    before = given(PEACEFUL, event("e1", "rain"), event("e2"))
    before.when(event("e3", "rain")).then(node("e3", salience=1 + 0.5 * (1 / 2)), node("feature:rain", follower=0))


def test_only_the_leading_features_count() -> None:
    given(event("e1", "rain", "coat")).when(event("e2", "mud", "boots")).then(
        node("feature:coat", follower=0), node("feature:mud", follower=0), node("e2", salience=1.5)
    )


def test_each_session_has_its_own_steps() -> None:
    """The first event of a session follows that of another in time, but is no step from it."""
    before = given(PEACEFUL, event("a1", "rain", session="a"), event("b1", "rain", session="b"))
    before.when(event("b2", "mud", session="b")).then(unchanged("a1"), node("b1", salience=1 + 0.5 * (1 / 2)))
    before.when(event("a2", "mud", session="a")).then(
        edge("feature:rain", TRAJECTORY, "feature:mud", usage=2), node("a2", salience=salience(1 / 2, 1 / 2))
    )
    before.when(event("c1", "sun", session="c")).then(
        edge("a2", TEMPORAL, "c1"), node("feature:mud", follower=0), node("c1", salience=1.5)
    )


def test_from_a_feature_that_was_forgotten_there_is_no_step() -> None:
    """one and its nine features fill the memory. The concept is the eleventh node; one is the last event, and stays."""
    nine = ("rain", "coat", "mud", *"abcdef")
    before = given(TEN, PEACEFUL, event("one", *nine), concept("wet", "feature:a", "feature:b"))
    before.when(event("two", "mud")).then(gone("feature:rain"), node("two", salience=1 + 0.5 * (1 / 2)))
