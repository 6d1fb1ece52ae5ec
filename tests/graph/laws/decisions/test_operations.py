"""The laws of operations: policy, attest, and snapshots."""

from tests.graph.by_hand import BARE
from tests.graph.commands import MEMORY, attest, event, outcome, policy, recall, snapshot
from tests.graph.scenario import accepted, given, header, node, refused, repeated, sessions, unchanged
from yggdrasil_schemas.limits import SNAPSHOTS_MAX
from yggdrasil_schemas.policy import DEFAULT
from yggdrasil_schemas.refusals import Refusal


def test_a_policy_holds_from_its_command_on() -> None:
    before = given(event("one"))
    before.when(policy("strong", salience_initial=3, novelty_max=1.0)).then(
        accepted(seq=2), header(seq=2, tick=1, nodes=1), unchanged("one")
    )
    before.when(event("two")).then(node("two", salience=4.0), node("one", salience=1.5))
    found = before.world.graph(MEMORY).header.policy
    assert (found.salience_initial, found.novelty_max, found.nodes_max) == (3.0, 1.0, DEFAULT.nodes_max)
    assert isinstance(found.salience_initial, float)


def test_policies_add_up() -> None:
    before = given(policy("one", salience_initial=3), policy("two", novelty_max=0))
    before.when(event("event")).then(node("event", salience=3.0))


def test_a_half_life_holds_until_a_law_sets_it_anew() -> None:
    """The outcome settles with the old one, and steadies with the new, of which 1.15 times would be beyond the cap."""
    long = policy("long", node_half_life_ticks=1e6, half_life_per_permanence=0)
    before = given(BARE, policy("brief", node_half_life_ticks=1), event("one", "rain"), long)
    before.when(event("two", "sun")).then(node("one", half_life=1.0, salience=1.5), node("two", half_life=1e6))
    before.when(outcome("good", "one", 1.0)).then(node("one", salience=1.5 / 2 + 0.5 * 1.5, half_life=1e6))


def test_fewer_sessions_close_those_that_were_silent_longest() -> None:
    opened = [event(f"{name}1", session=name) for name in "abcd"]
    given(*opened, event("a2", session="a")).when(policy("two", sessions_open_max=2)).then(
        accepted(seq=6), sessions(d=("d1",), a=("a1", "a2"))
    )


def test_smaller_buffers_drop_their_oldest() -> None:
    before = given(*(event(f"a{n}", session="a") for n in range(4)), event("b0", session="b"))
    before.when(policy("short", buffer_events_max=2)).then(sessions(a=("a2", "a3"), b=("b0",)))
    before.when(policy("tiny", nodes_max=640)).then(sessions(a=("a3",), b=("b0",)))  # 640 / (10 * 64 sessions)


def test_fewer_recalls_drop_the_oldest() -> None:
    before = given(event("one"), *(recall(f"r{n}", "one") for n in range(5)))
    assert list(before.when(policy("two", recalls_kept_max=2)).then(accepted(seq=7)).graph.recalls) == [5, 6]


def test_very_many_recalls_are_dropped_in_bounded_steps() -> None:
    """1,024 with a command at most, and what a recall brings itself."""
    most = policy("most", recalls_kept_max=2_000, removals_per_command_max=1_024)
    before = given(most, event("one"), *(recall(f"r{n}") for n in range(1_100)))
    assert len(before.when(policy("least", recalls_kept_max=1)).then(accepted(seq=1_103)).graph.recalls) == 76
    assert list(before.when(recall("last", "one")).then(accepted(seq=1_104)).graph.recalls) == [1_104]


def test_a_policy_that_contradicts_itself_is_refused() -> None:
    before = given(event("one"))
    before.when(policy("p1", nodes_max=639)).then(refused(Refusal.POLICY_CONFLICT))
    before.when(policy("p2", edges_max=49_999)).then(refused(Refusal.POLICY_CONFLICT))
    before.when(policy("p3", nodes_max=639, sessions_open_max=63, edges_max=639)).then(accepted(seq=2))
    before.when(policy("p4", sessions_open_max=64)).then(refused(Refusal.POLICY_CONFLICT))
    before.when(policy("p5", dissolve_density=0.61)).then(refused(Refusal.POLICY_CONFLICT))
    before.when(policy("p6", concept_density=0.39)).then(refused(Refusal.POLICY_CONFLICT))
    before.when(policy("p7", concept_density=0.4)).then(accepted(seq=3))
    before.when(policy("p8", node_half_life_ticks=1e6, edge_half_life_ticks=1e6)).then(accepted(seq=4))


def test_a_policy_out_of_bounds_is_not_of_the_language() -> None:
    before = given(event("one"))
    before.when(policy("p1", nodes_max=9)).then(refused(Refusal.INVALID_BODY))
    before.when(policy("p2", nodes_max=1e5)).then(refused(Refusal.INVALID_BODY))
    before.when(policy("p3", magic=1)).then(refused(Refusal.INVALID_BODY))
    before.when(policy("p3b", node_half_life_ticks=1.1e6)).then(refused(Refusal.INVALID_BODY))
    before.when(policy("p4")).then(refused(Refusal.INVALID_BODY))


def test_the_same_policy_twice_is_one() -> None:
    before = given(policy("strong", salience_initial=3), policy("weak", salience_initial=1))
    before.when(policy("strong", salience_initial=3)).then(repeated(seq=1))
    before.when(policy("strong", salience_initial=2)).then(refused(Refusal.ID_REUSED))
    assert before.world.graph(MEMORY).header.policy.salience_initial == 1.0


def test_an_attest_asks_for_a_digest() -> None:
    proved = given(event("one")).when(attest("proof"))
    proved.then(accepted(seq=2), header(seq=2, tick=1, attested_seq=2), unchanged("one"))
    assert proved.answer.attests
    assert proved.before["nodes"] == {proved.node("one").number: proved.before["nodes"][proved.node("one").number]}


def test_attests_keep_their_distance() -> None:
    before = given(policy("often", attest_interval_commands=3), attest("first"), event("one"))
    early = before.when(attest("early")).then(refused(Refusal.ATTEST_TOO_SOON))
    assert not early.answer.attests
    before.world.say(event("two"))
    before.when(attest("later")).then(accepted(seq=5), header(attested_seq=5))  # a refused command takes no seq


def test_the_same_attest_twice_is_one() -> None:
    before = given(attest("proof"))
    before.when(attest("proof")).then(repeated(seq=1))
    before.when(event("proof")).then(refused(Refusal.ID_REUSED))


def test_a_name_stands_for_the_moment_right_after_its_command() -> None:
    before = given(event("one"), snapshot("named", "before"), event("two"))
    assert before.world.graph(MEMORY).snapshots == {"before": 2}
    before.when(snapshot("again", "before")).then(refused(Refusal.SNAPSHOT_EXISTS))
    before.when(snapshot("other", "after")).then(accepted(seq=4), unchanged("one", "two"))
    assert before.world.graph(MEMORY).snapshots == {"after": 4, "before": 2}


def test_a_dropped_name_may_stand_for_another_moment() -> None:
    before = given(snapshot("named", "before"), snapshot("dropped", "before", drop=True))
    assert before.world.graph(MEMORY).snapshots == {}
    before.when(snapshot("gone", "before", drop=True)).then(refused(Refusal.UNKNOWN_SNAPSHOT))
    before.when(snapshot("anew", "before")).then(accepted(seq=3))
    assert before.world.graph(MEMORY).snapshots == {"before": 3}


def test_a_memory_has_so_many_snapshots_and_a_dropped_one_makes_room() -> None:
    before = given(*(snapshot(f"s{n}", f"n{n}") for n in range(SNAPSHOTS_MAX)))
    before.when(snapshot("more", "more")).then(refused(Refusal.SNAPSHOTS_FULL))
    before.when(snapshot("dropped", "n9", drop=True)).then(accepted(seq=SNAPSHOTS_MAX + 1))
    before.when(snapshot("now", "more")).then(accepted(seq=SNAPSHOTS_MAX + 2))


def test_nobody_but_an_operator_names_a_moment_or_frees_a_name() -> None:
    before = given(snapshot("named", "before"))
    for origin in ("agent", "user", "tool", "thinker", "import"):
        before.when(snapshot(f"of {origin}", "mine", origin=origin)).then(refused(Refusal.NOT_ALLOWED))
        before.when(snapshot(f"by {origin}", "before", drop=True, origin=origin)).then(refused(Refusal.NOT_ALLOWED))
    before.when(snapshot("by a stranger", "mine", trust=0)).then(refused(Refusal.NOT_ALLOWED))
