"""What strangers and agents may have of each bound: what is beyond it goes first, and pushes out nobody else's."""

from dataclasses import replace
from typing import Any, Final

import pytest

from tests.graph.by_hand import NO_RANK
from tests.graph.commands import Said, event, policy, recall, sleep
from tests.graph.scenario import Moment, edge, given, gone, no_edge, node
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag

CONTAINS, ASSOCIATIVE = EdgeKind.CONTAINS, EdgeKind.ASSOCIATIVE
ORIGINS: Final[dict[str, dict[str, Any]]] = {
    "s": {"trust": 0},
    "a": {},
    "u": {"origin": "user"},
    "t": {"origin": "tool"},
}


def full(**shares: Any) -> Said:
    """Of ten nodes all are alike, so that of equals the oldest go; the eleventh costs three."""
    sizes = {"nodes_max": 10, "sessions_open_max": 1, "edges_max": 1_000, "nodes_kept_share": 0.8}
    return policy("full", **sizes, taint_ticks=0, **NO_RANK, **shares)


def told(*names: str) -> list[Said]:
    """Events of a stranger (s1), of an agent (a1), of a user (u1) or a tool (t1), by their first letter."""
    return [event(name, **ORIGINS[name[0]]) for name in names]


def left(moment: Moment, *names: str) -> None:
    """Exactly these of the events of a test are left."""
    found = {name for name in names if (number := moment.number(name)) and moment.graph.node(number)}
    assert found == set(names)


OLD = ("u1", "u2", "u3", "u4", "u5")


# Nodes


def test_of_what_strangers_said_what_is_beyond_their_share_goes_first() -> None:
    """They have two of ten: of six the four oldest are beyond it, and three go, though the user's are older."""
    strangers = [f"s{n}" for n in range(1, 7)]
    moment = given(full(foreign_share=0.2), *told(*OLD, *strangers[:5])).when(*told("s6"))
    moment.then(gone("s1", "s2", "s3"))
    left(moment, *OLD, "s4", "s5", "s6")


def test_within_their_share_it_goes_as_all_else() -> None:
    moment = given(full(foreign_share=0.6), *told(*OLD, "s1", "s2", "s3", "s4", "s5")).when(*told("s6"))
    moment.then(gone("u1", "u2", "u3"))


def test_what_agents_said_is_beyond_their_share_with_what_strangers_said() -> None:
    """Together they have four of ten: of six the strangers' two are beyond it; one more goes, and that by age."""
    some = full(foreign_share=1.0, agents_share=0.4)
    moment = given(some, *told(*OLD, "a1", "a2", "a3", "s1", "s2")).when(*told("a4"))
    moment.then(gone("s1", "s2", "u1"))


def test_agents_do_not_push_out_what_users_said() -> None:
    some = full(agents_share=0.4)
    moment = given(some, *told(*OLD, "a1", "a2", "a3", "a4", "a5")).when(*told("a6"))
    moment.then(gone("a1", "a2", "u1"))


def test_where_there_is_nobody_else_shares_mean_nothing() -> None:
    """All are an agent's, and go by age; the pinned one and the last stay."""
    moment = given(full(agents_share=0.1), *told(*(f"a{n}" for n in range(1, 11)))).when(*told("a11"))
    moment.then(gone("a1", "a2", "a3"))


# Protection


def lasting(*names: str, **shares: float) -> list[Said]:
    """All of these are lasting, and five of ten are protected."""
    return [full(protected_share=0.5, protect_permanence=0.0, **shares), *told(*names)]


def test_what_lasts_of_a_stranger_s_is_not_protected() -> None:
    """Users have four places, and an agent the fifth, whose is older: the three of strangers are beyond their share."""
    before = given(*lasting("u1", "u2", "u3", "a1", "a2", "a3", "a4", "s1", "s2", "s3", foreign_share=0.0))
    before.when(*told("u4")).then(gone("s1", "s2", "s3"))


def test_what_lasts_of_a_user_s_is_protected_before_an_agent_s() -> None:
    """Of five places four go to the user's; of the agent's, which are younger, the last has the fifth, and is held."""
    before = given(*lasting("u1", "u2", "u3", "u4", "a1", "a2", "a3", "a4", "a5", "a6"))
    before.when(*told("a7")).then(gone("a1", "a2", "a3"))


def test_a_tool_s_is_protected_as_a_user_s() -> None:
    """Of equals the younger have the places: the two oldest of five go, and an agent's."""
    before = given(*lasting("t1", "t2", "u1", "u2", "u3", "u4", "u5", "a1", "u6", "u7"))
    before.when(*told("u8")).then(gone("t1", "t2", "u1"))


# Sessions


def sessions(moment: Moment) -> list[str]:
    return sorted(moment.graph.sessions)


def by(name: str, session: str) -> Said:
    return replace(told(name)[0], session=session)


def test_of_sessions_those_of_strangers_close_first_where_they_have_more_than_their_share() -> None:
    """One of four is theirs. The third stranger closes the first stranger's, not that of the user before."""
    few = policy("few", sessions_open_max=4, foreign_share=0.25, taint_ticks=0)
    before = given(few, by("u1", "one"), by("s1", "two"), by("s2", "three"), by("u2", "four"))
    assert sessions(before.when(by("s3", "five"))) == ["five", "four", "one", "three"]


def test_within_their_share_the_oldest_closes() -> None:
    few = policy("few", sessions_open_max=4, foreign_share=0.25, taint_ticks=0)
    before = given(few, by("u1", "one"), by("s1", "two"), by("u2", "three"), by("u3", "four"))
    assert sessions(before.when(by("u4", "five"))) == ["five", "four", "three", "two"]


def test_a_session_in_which_somebody_else_recorded_anything_is_not_a_stranger_s() -> None:
    """However much a stranger records in it later."""
    few = policy("few", sessions_open_max=3, foreign_share=0.0, taint_ticks=0)
    before = given(few, by("u1", "one"), by("s1", "one"), by("s2", "two"), by("u2", "three"))
    assert sessions(before.when(by("u3", "four"))) == ["four", "one", "three"]


# Recalls


def asked(name: str, trust: int | None = None) -> Said:
    said = recall(name)
    return said if trust is None else replace(said, changed={"trust": trust})


@pytest.mark.parametrize(("share", "expected"), [(0.0, [2, 4]), (0.5, [2, 4]), (1.0, [3, 4])])
def test_a_stranger_s_recall_lets_go_of_strangers_beyond_their_share(share: float, expected: list[int]) -> None:
    """Two are kept, of which strangers have none, one, or both; an agent's came first, then two of a stranger."""
    few = policy("few", recalls_kept_max=2, foreign_share=share)
    moment = given(few, asked("own"), asked("s1", 0)).when(asked("s2", 0))
    assert list(moment.graph.recalls) == expected


def by_user(name: str) -> Said:
    return replace(recall(name), changed={"origin": "user"})


@pytest.mark.parametrize(("share", "expected"), [(0.0, [2, 4, 5]), (0.4, [2, 4, 5]), (1.0, [3, 4, 5])])
def test_an_agent_s_recall_lets_go_of_agents_beyond_their_share(share: float, expected: list[int]) -> None:
    """Three are kept, of which agents have none, one, or all; a user's came first, then three of agents."""
    few = policy("few", recalls_kept_max=3, agents_share=share)
    moment = given(few, by_user("own"), asked("a1"), asked("a2")).when(asked("a3"))
    assert list(moment.graph.recalls) == expected


def test_a_user_s_lets_go_of_the_oldest() -> None:
    few = policy("few", recalls_kept_max=2, foreign_share=0.0, agents_share=0.0)
    moment = given(few, asked("own"), asked("s1", 0)).when(by_user("next"))
    assert list(moment.graph.recalls) == [3, 4]


# Edges


def test_of_a_full_memory_strangers_edges_are_cut_first() -> None:
    """Twelve edges are two too many, and eight are kept: the stranger's two go, and the two oldest of the others.

    The features are a user's by now as well; two edges join events in time, and stay.
    """
    few = policy("few", nodes_max=10, sessions_open_max=1, edges_max=10, edges_kept_share=0.8, features_paired_max=0)
    users, strangers = event("u1", "a", "b", "c", origin="user"), event("s1", "d", "e", trust=0)
    before = given(few, users, strangers)
    before.when(event("u2", "a", "b", "c", "d", "e", origin="user")).then(
        *(no_edge("s1", CONTAINS, f"feature:{each}") for each in "de"),
        *(no_edge("u1", CONTAINS, f"feature:{each}") for each in "ab"),
        edge("u1", CONTAINS, "feature:c"),
        *(edge("u2", CONTAINS, f"feature:{each}") for each in "abcde"),
    )


def test_what_a_user_tied_to_a_stranger_s_is_cut_first_too() -> None:
    """Of eleven edges eight are kept: the user's own to what brought it about goes, which is a stranger's."""
    few = policy("few", nodes_max=10, sessions_open_max=1, edges_max=10, edges_kept_share=0.8, features_paired_max=0)
    before = given(few, event("u1", "a", "b", "c", origin="user"), event("s1", trust=0))
    before.when(event("u2", "a", "b", "c", "d", "e", origin="user", caused_by=("s1",))).then(
        no_edge("s1", EdgeKind.CAUSAL, "u2"),
        *(no_edge("u1", CONTAINS, f"feature:{each}") for each in "ab"),
        edge("u1", CONTAINS, "feature:c"),
    )


def test_a_busy_node_lets_go_of_strangers_first() -> None:
    """Of 17 edges of a feature one is too many, and 14 are kept: the stranger's goes, and the two oldest of users."""
    few = policy("few", degree_max=16, degree_kept_share=0.9)
    users = [event(f"u{n}", "x", origin="user", session=f"{n}") for n in range(15)]
    before = given(few, *users, event("s1", "x", session="s", trust=0))
    before.when(event("last", "x", origin="user", session="l")).then(
        no_edge("s1", CONTAINS, "feature:x"),
        *(no_edge(f"u{n}", CONTAINS, "feature:x") for n in range(2)),
        *(edge(f"u{n}", CONTAINS, "feature:x") for n in range(2, 15)),
    )


def test_what_a_stranger_tied_among_what_others_said_goes_first_too() -> None:
    """The edges between the features are the stranger's alone, though the features are a user's."""
    few = policy("few", degree_max=16, degree_kept_share=0.9, taint_ticks=0)
    users = [event(f"u{n}", f"f{n}", origin="user", session=f"{n}") for n in range(30)]
    hub = [event("hub", "x", origin="user", session="hub")]
    strangers = [event(f"s{n}", "x", f"f{n}", trust=0, session="s") for n in range(29)]
    before = given(few, *users, *hub, *strangers)
    before.when(event("s29", "x", "f29", trust=0, session="s")).then(
        edge("hub", CONTAINS, "feature:x"),
        no_edge("feature:f0", ASSOCIATIVE, "feature:x"),
        edge("feature:f29", ASSOCIATIVE, "feature:x"),
    )


def test_a_busy_node_lets_go_of_agents_beyond_their_share_before_users() -> None:
    """Of 17 edges 14 are kept, of which agents have ten: of their fourteen, which are stronger, three go."""
    few = policy("few", degree_max=16, degree_kept_share=0.9, agents_share=0.72)
    users = [event(f"u{n}", "x", origin="user", session=f"u{n}") for n in range(3)]
    agents = [event(f"a{n}", "x", session=f"a{n}") for n in range(13)]
    before = given(few, *users, *agents)
    before.when(event("last", "x", session="l")).then(
        *(edge(f"u{n}", CONTAINS, "feature:x") for n in range(3)),
        *(no_edge(f"a{n}", CONTAINS, "feature:x") for n in range(3)),
        *(edge(f"a{n}", CONTAINS, "feature:x") for n in range(3, 13)),
    )


def test_within_their_share_agents_edges_go_as_all_others() -> None:
    few = policy("few", degree_max=16, degree_kept_share=0.9, agents_share=1.0)
    users = [event(f"u{n}", "x", origin="user", session=f"u{n}") for n in range(3)]
    agents = [event(f"a{n}", "x", session=f"a{n}") for n in range(13)]
    before = given(few, *users, *agents)
    before.when(event("last", "x", session="l")).then(
        *(no_edge(f"u{n}", CONTAINS, "feature:x") for n in range(3)),
        *(edge(f"a{n}", CONTAINS, "feature:x") for n in range(13)),
    )


def test_of_a_full_memory_agents_edges_beyond_their_share_are_cut_first() -> None:
    """Of twelve edges eight are kept, of which agents have four: of their seven, which are younger, three go first."""
    few = policy("few", nodes_max=10, sessions_open_max=1, edges_max=10, edges_kept_share=0.8, features_paired_max=0)
    shares = policy("shares", agents_share=0.5)
    before = given(few, shares, event("u1", "a", "b", "c", origin="user"), event("a1", "d", "e"))
    before.when(event("a2", "a", "b", "c", "d", "e")).then(
        *(edge("u1", CONTAINS, f"feature:{each}") for each in "bc"),
        no_edge("u1", CONTAINS, "feature:a"),
        *(no_edge("a1", CONTAINS, f"feature:{each}") for each in "de"),
        no_edge("a2", CONTAINS, "feature:a"),
    )


# The archive


def test_asleep_what_strangers_said_is_put_away_first() -> None:
    """There is room for three of four: the stranger's goes, though a user's is older. The last of a session is held."""
    heavy = policy("heavy", capacity_weight_max=3, archive_salience=0.0, buffer_events_max=1, taint_ticks=0)
    before = given(heavy, *told("u1", "s1", "u2"), by("u3", "next"))
    moment = before.when(sleep("night"))
    archived = {name for name in ("u1", "u2", "s1", "u3") if moment.node(name).flags & NodeFlag.ARCHIVED}
    assert archived == {"s1"}


def test_of_the_archive_strangers_have_their_share() -> None:
    """All but the last are put away, and three are kept, of which strangers have one: of their two the older goes."""
    faint = policy(
        "faint",
        archive_salience=100.0,
        archive_rest_ticks=0,
        archive_permanence=1.0,
        archived_max=3,
        foreign_share=0.34,
    )
    before = given(faint, policy("free", taint_ticks=0, buffer_events_max=1), *told("u1", "u2", "s1", "s2", "u3"))
    moment = before.when(sleep("night"))
    moment.then(gone("s1"), node("u1"), node("u2"), node("s2"))
