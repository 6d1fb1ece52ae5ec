"""Scorers that are proposed and adopted: who may, what counts, what is gone back to, and what makes room."""

from dataclasses import replace

import pytest

from tests.graph.commands import MEMORY, Said, adopt, event, policy, propose, thinker
from tests.graph.world import World, state
from yggdrasil_projections.retrieval.ranking.scoring.adopted import in_force
from yggdrasil_schemas.limits import SCORERS_MAX
from yggdrasil_schemas.refusals import Refusal


def world(*said: Said) -> World:
    it = World()
    for each in said:
        assert it.say(each).refused is None, each.name
    return it


def refused(it: World, said: Said) -> Refusal:
    before = state(it.graph(MEMORY))
    answer = it.say(said)
    assert answer.refused is not None, said.name
    assert state(it.graph(MEMORY)) == before
    return answer.refused.reason


def counting(it: World) -> list[int]:
    """The seqs of the scorers that count, the one in force first."""
    scorers = it.graph(MEMORY).scorers
    found = sorted((seq for seq, each in scorers.items() if each.adopted), key=lambda seq: -scorers[seq].adopted)
    assert in_force(scorers) == (found[0] if found else 0)
    return found


def test_a_proposal_counts_when_an_operator_says_so() -> None:
    it = world(propose("a", origin="thinker", by=None), propose("b"))
    assert counting(it) == []
    assert it.say(adopt("on", "a")).refused is None
    assert counting(it) == [1]
    assert it.graph(MEMORY).scorers[1].adopted == 3


def test_one_command_leads_back_to_the_one_before_and_no_further() -> None:
    it = world(propose("a", active=True), propose("b", active=True), propose("c", active=True))
    assert counting(it) == [3, 2]
    it.say(adopt("back", "c", active=False))
    assert counting(it) == [2]
    it.say(adopt("back again", "b", active=False))
    assert counting(it) == []
    assert refused(it, adopt("too far", "a", active=False)) == Refusal.SCORER_NOT_ADOPTED


def test_the_one_before_can_be_left_out_and_the_one_in_force_stays() -> None:
    it = world(propose("a", active=True), propose("b", active=True), adopt("off", "a", active=False))
    assert counting(it) == [2]


def test_to_adopt_the_one_before_swaps_the_two() -> None:
    it = world(propose("a", active=True), propose("b", active=True), adopt("on", "a"))
    assert counting(it) == [1, 2]


@pytest.mark.parametrize("origin", ["agent", "user", "tool", "import"])
def test_nobody_else_may_propose(origin: str) -> None:
    assert refused(world(event("e")), propose("a", origin=origin)) == Refusal.NOT_ALLOWED


def test_an_operator_who_is_trusted_less_than_a_user_is_none() -> None:
    assert refused(world(event("e")), propose("a", trust=1)) == Refusal.NOT_ALLOWED


def test_a_thinkers_counts_at_once_only_where_the_policy_lets_it() -> None:
    it = world(event("e"), event("f"))
    own = propose("a", active=True, origin="thinker", by=thinker("trainer", 0, 1))
    assert refused(it, own) == Refusal.NOT_ALLOWED
    it.say(policy("trusting", scorer_adopt=1))
    assert it.say(replace(own, name="b")).refused is None
    assert counting(it) == [4]
    assert it.graph(MEMORY).header.cursors == {"trainer": 1}


def test_a_thinker_names_no_proposal_whatever_the_policy_says() -> None:
    it = world(propose("a"), policy("trusting", scorer_adopt=1))
    assert refused(it, adopt("on", "a", origin="thinker")) == Refusal.NOT_ALLOWED


def test_too_few_samples_are_refused_when_proposed_and_when_adopted() -> None:
    it = world(propose("a", samples=100))
    assert refused(it, propose("b", samples=99)) == Refusal.TOO_FEW_SAMPLES
    it.say(policy("more", scorer_samples_min=101))
    assert refused(it, adopt("on", "a")) == Refusal.TOO_FEW_SAMPLES


def test_a_decision_comes_once() -> None:
    it = world(event("e"), event("f"), propose("a", origin="thinker", by=thinker("trainer", 0, 1)))
    again = propose("b", origin="thinker", by=thinker("trainer", 0, 2))
    assert refused(it, again) == Refusal.CURSOR_STALE


def test_what_is_no_scorer_is_unknown() -> None:
    it = world(event("e"), propose("a", active=True), adopt("on", "a"))
    for name in ("e", "on", "nobody"):
        assert refused(it, adopt(f"on {name}", name)) == Refusal.UNKNOWN_SCORER


def test_a_new_one_takes_the_place_of_the_oldest_that_does_not_count_and_is_trusted_no_more() -> None:
    it = world(propose("a", active=True), *(propose(f"s{n}", origin="thinker") for n in range(SCORERS_MAX - 1)))
    it.say(propose("more", origin="thinker"))
    scorers = it.graph(MEMORY).scorers
    assert len(scorers) == SCORERS_MAX
    assert 1 in scorers
    assert 2 not in scorers
    assert refused(it, adopt("gone", "s0")) == Refusal.UNKNOWN_SCORER


def test_what_counts_makes_no_room() -> None:
    it = world(*(propose(f"s{n}", active=n < 2) for n in range(SCORERS_MAX)), propose("more"))
    assert counting(it) == [2, 1]
    assert 3 not in it.graph(MEMORY).scorers


def test_thinkers_push_out_nothing_of_operators() -> None:
    it = world(*(propose(f"s{n}") for n in range(SCORERS_MAX)))
    assert refused(it, propose("own", origin="thinker")) == Refusal.SCORERS_FULL
    assert it.say(propose("more")).refused is None
    assert 1 not in it.graph(MEMORY).scorers
