"""A mistaken catastrophe is not for ever: who may declare one, and how an operator takes it back."""

import pytest

from tests.graph.by_hand import BARE, TEN, half_life
from tests.graph.commands import Said, attest, episode, event, lift, outcome, pin, policy, recall
from tests.graph.scenario import accepted, given, gone, header, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import NodeFlag
from yggdrasil_schemas.refusals import Refusal

CATASTROPHIC, PINNED = NodeFlag.CATASTROPHIC, NodeFlag.PINNED
STABLE = 1.0
DOOM = outcome("doom", "act", -1.0, catastrophic=True)


@pytest.mark.parametrize("origin", ["tool", "user", "operator"])
def test_tools_people_and_operators_declare_a_catastrophe(origin: str) -> None:
    given(BARE, event("act")).when(outcome("doom", "act", -1.0, catastrophic=True, origin=origin)).then(
        node("act", flags=CATASTROPHIC, stability=5 * STABLE, permanence=0.75),
        node("doom", flags=CATASTROPHIC, stability=5 * STABLE),
    )


@pytest.mark.parametrize("origin", ["agent", "import", "thinker"])
def test_from_anybody_else_it_is_a_large_outcome(origin: str) -> None:
    """Everything but flag and half-life is as with a tool."""
    before = given(BARE, event("act", "a"))
    before.when(outcome("doom", "act", -1.0, catastrophic=True, origin=origin)).then(
        accepted(seq=3),
        node("act", flags=0, stability=STABLE, permanence=0.75, impact=-1.5, bad=1),
        node("act", half_life=half_life(1, STABLE, 0.75)),
        node("doom", flags=0, stability=STABLE, permanence=0.75),
        node("feature:a", stability=STABLE, valence=-0.3),
    )


@pytest.mark.parametrize(("origin", "trust"), [("agent", None), ("tool", 0), ("operator", 1)])
def test_who_is_trusted_less_than_a_user_makes_nothing_lasting_by_a_name(origin: str, trust: int | None) -> None:
    kind = "guardrail_violation"
    said = outcome("lied", "act", -2.0, kind=kind, catastrophic=True, origin=origin, trust=trust)
    moment = given(BARE, event("act")).when(said)
    assert moment.node("act").flags == 0 and moment.node("act").permanence < 8.0


def test_history_tells_who_stood_behind_a_command() -> None:
    """The body decides what counts as the same command; what a memory has answered depends on the origin as well."""
    said = [outcome("o", "act", 1.0, origin=origin) for origin in ("agent", "import", "tool")]
    told = {given(event("act"), each).when(attest("proof")).graph.header.history for each in said}
    assert len(told) == 3
    before = given(event("act"), said[0])
    before.when(said[2]).then(repeated(seq=2))


def test_an_operator_lifts_a_catastrophe_with_its_outcome() -> None:
    before = given(BARE, event("act", "a"), DOOM, event("later"))
    before.when(lift("drill", "act")).then(
        accepted(seq=5),
        header(tick=2, nodes=5),
        node("act", flags=0, stability=STABLE, permanence=0.75 * 2 ** -(1 / 20_000), impact=-1.5, bad=1, tick=2),
        node("act", half_life=half_life(1, STABLE, 0.75 * 2 ** -(1 / 20_000))),
        node("doom", flags=0, stability=STABLE, tick=2),
        unchanged("feature:a", "feature:outcome:outcome", "later"),
    )
    before.when(lift("again", "act")).then(refused(Refusal.NOT_CATASTROPHIC))
    before.when(lift("the outcome", "doom")).then(refused(Refusal.NOT_CATASTROPHIC))


def test_an_outcome_is_lifted_with_its_event() -> None:
    given(BARE, event("act"), DOOM).when(lift("drill", "doom")).then(
        node("act", flags=0, stability=STABLE), node("doom", flags=0, stability=STABLE)
    )


def test_an_event_stays_while_another_catastrophe_came_of_it() -> None:
    """And it keeps its half-life, which both have multiplied; one of the two factors goes with the flag."""
    before = given(BARE, event("act"), DOOM, outcome("fire", "act", -10.0, catastrophic=True))
    before.when(lift("drill", "doom")).then(
        node("doom", flags=0, stability=STABLE), node("fire", flags=CATASTROPHIC), unchanged("act", "fire")
    )
    before.when(lift("a drill too", "fire")).then(
        node("act", flags=0, stability=5 * STABLE), node("fire", flags=0, stability=1)
    )


def test_all_outcomes_of_an_event_are_lifted_with_it() -> None:
    before = given(
        BARE, event("act"), DOOM, outcome("fire", "act", -10.0, catastrophic=True), outcome("sad", "act", -2.0)
    )
    before.when(lift("drill", "act")).then(
        node("act", flags=0), node("doom", flags=0), node("fire", flags=0, stability=1), unchanged("sad")
    )


def test_an_outcome_stays_while_another_catastrophe_led_to_it() -> None:
    """``fire`` is told of ``act``, and ``step`` was on the way to it."""
    steps = [event("step"), event("act"), outcome("doom", "step", -1.0, catastrophic=True)]
    fire = outcome("fire", "act", -10.0, catastrophic=True, trajectory=("step",))
    given(BARE, *steps, fire).when(lift("drill", "step")).then(
        node("step", flags=0), node("doom", flags=0), unchanged("act", "fire"), node("fire", flags=CATASTROPHIC)
    )


def test_an_episode_is_lifted_like_an_event() -> None:
    before = given(BARE, event("act"), episode("day", "act"), outcome("doom", "day", -1.0, catastrophic=True))
    before.when(lift("drill", "day")).then(node("day", flags=0, stability=STABLE), node("doom", flags=0))


def test_what_is_pinned_stays_pinned() -> None:
    given(BARE, event("act"), DOOM, pin("core", "act")).when(lift("drill", "act")).then(
        node("act", flags=PINNED, half_life=1e6, stability=STABLE)
    )


def test_what_was_lifted_is_forgotten_like_anything() -> None:
    """Three of ten nodes go; the oldest, which had been protected, among them."""
    light = policy("light", rank_permanence=0.0, rank_salience=0.0, rank_impact=0.0, rank_usage=0.0)
    disaster = [event("act"), DOOM, *(event(f"x{n}") for n in range(6))]
    given(TEN, light, *disaster).when(event("one more")).when(event("and more")).then(node("act", flags=CATASTROPHIC))
    lifted = given(TEN, light, *disaster, lift("drill", "act"))
    lifted.when(event("one more")).when(event("and more")).then(gone("act"))


def test_the_half_life_is_divided_by_the_policy_s_factor() -> None:
    brief = policy("brief", catastrophic_half_life=2.0)
    given(BARE, brief, event("act"), DOOM).when(lift("drill", "act")).then(
        node("act", stability=STABLE, half_life=half_life(1, STABLE, 0.75))
    )
    given(BARE, event("act"), DOOM, brief).when(lift("drill", "act")).then(node("act", stability=5 * STABLE / 2))


@pytest.mark.parametrize("origin", ["agent", "user", "tool", "import", "thinker"])
def test_only_an_operator_lifts(origin: str) -> None:
    before = given(BARE, event("act"), DOOM)
    before.when(lift("drill", "act", origin=origin)).then(refused(Refusal.NOT_ALLOWED), unchanged("act", "doom"))
    before.when(lift("nobody's", "nobody", origin=origin)).then(refused(Refusal.NOT_ALLOWED))


def test_what_cannot_be_lifted_is_refused() -> None:
    before = given(TEN, event("act"), recall("asked", "act"), *(event(f"x{n}") for n in range(10)))
    before.when(lift("l1", "nobody")).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(lift("l2", "act")).then(gone("act"), refused(Refusal.NODE_FORGOTTEN))
    before.when(lift("l3", "asked")).then(refused(Refusal.NODE_FORGOTTEN))
    before.when(lift("l4", "feature:never")).then(refused(Refusal.NODE_FORGOTTEN))
    before.when(lift("l5", "x9")).then(refused(Refusal.NOT_CATASTROPHIC))
    before.when(lift("l5", "x9")).then(repeated(seq=0, reason=Refusal.NOT_CATASTROPHIC))


def test_a_reason_is_given() -> None:
    before = given(BARE, event("act"), DOOM)
    before.when(lift("mute", "act", reason="")).then(refused(Refusal.INVALID_BODY))
    before.when(lift("long", "act", reason="x" * 1_025)).then(refused(Refusal.INVALID_BODY))
    bare = Said("bare", "lift_catastrophe", {"node": lift("l", "act").body["node"]}, changed={"origin": "operator"})
    before.when(bare).then(refused(Refusal.INVALID_BODY))
    before.when(lift("said", "act", reason="x" * 1_024)).then(accepted(seq=4))
