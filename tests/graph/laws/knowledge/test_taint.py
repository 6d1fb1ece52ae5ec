"""What reads a stranger's word speaks as a stranger for a while; and what is derived is trusted as the least of it."""

from dataclasses import replace
from typing import Any

import pytest

from tests.graph.by_hand import HALVING
from tests.graph.commands import (
    Said,
    alias,
    claim,
    concept,
    episode,
    event,
    judge,
    outcome,
    policy,
    recall,
    relate,
    use,
    vector,
)
from tests.graph.laws.knowledge.standing import claim_of, stands
from tests.graph.scenario import accepted, given, node, refused, unchanged
from yggdrasil_schemas.graph.records import EdgeKind
from yggdrasil_schemas.refusals import Refusal

OWN = event("own", "x", "y", session="before")
PAGE = event("page", trust=0)
ELSEWHERE = event("page", session="elsewhere", trust=0)
BY_EVIL = {"source": "evil"}


def said(of: Said, session: str | None = None, **stamped: Any) -> Said:
    """The same, said in another session, or by somebody else."""
    return replace(of, session=of.session if session is None else session, changed=of.changed | stamped)


# What comes in, and whom it sways


def test_after_a_stranger_s_word_an_agent_is_trusted_as_a_stranger() -> None:
    given(OWN, PAGE).when(event("note")).then(node("note", trust=0), stands(note="candidate"))


def test_so_is_whatever_it_makes() -> None:
    before = given(OWN, PAGE)
    before.when(claim("rome", "ana", "lives_in", "rome")).then(node("rome", trust=0), stands(rome="candidate"))
    before.when(episode("day", "own")).then(node("day", trust=0), stands(day="candidate"))
    before.when(concept("pair", "own", "feature:x")).then(node("pair", trust=0), stands(pair="candidate"))
    before.when(outcome("good", "own", 1.0)).then(node("good", trust=0), stands(good="candidate"))
    moment = before.when(relate("r", "own", "feature:x", "leads_to"))
    key = moment.node("own").number, int(EdgeKind.LEADS_TO), moment.node("feature:x").number
    relation = moment.graph.relation(key)
    assert relation is not None
    assert [trust for _, trust in relation.said] == [0]


def test_what_takes_trust_it_may_not_do() -> None:
    before = given(OWN, recall("asked", "own"), PAGE)
    before.when(alias("a", "anna", "ana")).then(refused(Refusal.NOT_TRUSTED))
    before.when(judge("j", ("own", "reject"))).then(refused(Refusal.NOT_TRUSTED))
    before.when(vector("v", "own", origin="agent")).then(refused(Refusal.NOT_TRUSTED))
    before.when(use("u", "asked", "own", result="success")).then(accepted(seq=4), node("own", usage=0, permanence=0))


def test_and_what_it_asks_for_is_noticed_by_nobody() -> None:
    """At tick 2 the half of what it began with is left, and nothing comes to it."""
    given(HALVING, OWN, PAGE).when(recall("asked", "own")).then(node("own", candidates=0, salience=1.5 / 2))


@pytest.mark.parametrize(
    ("origin", "trust"), [("user", 2), ("tool", 3), ("operator", 4), ("thinker", 1), ("import", 1)]
)
def test_only_agents_are_swayed(origin: str, trust: int) -> None:
    given(OWN, PAGE).when(event("note", origin=origin)).then(node("note", trust=trust))


def test_what_one_session_has_read_sways_no_other() -> None:
    before = given(event("page", session="one", trust=0))
    before.when(event("same", session="one")).then(node("same", trust=0))
    before.when(event("other", session="two")).then(node("other", trust=1))
    before.when(event("none")).then(node("none", trust=1))


def test_where_no_session_is_named_it_is_with_whoever_speaks() -> None:
    before = given(said(PAGE, **BY_EVIL))
    before.when(event("good")).then(node("good", trust=1))
    before.when(said(event("bad"), **BY_EVIL)).then(node("bad", trust=0))
    keyed = given(said(PAGE, process="yggdrasil-serve/ana"))
    keyed.when(said(event("hers"), process="yggdrasil-serve/ana", source="another")).then(node("hers", trust=0))
    keyed.when(said(event("his"), process="yggdrasil-serve/ben")).then(node("his", trust=1))


def test_in_a_named_session_it_is_with_whoever_speaks_there() -> None:
    before = given(said(PAGE, "room", **BY_EVIL))
    before.when(event("good", session="room")).then(node("good", trust=0))


COMES_IN = [
    [PAGE],
    [claim("told", "ana", "lives_in", "oslo", trust=0)],
    [outcome("told", "own", -1.0, trust=0)],
    [ELSEWHERE, recall("asked", "own", "page")],
    [ELSEWHERE, claim("so", "ana", "lives_in", "oslo", evidence=("page",))],
    [ELSEWHERE, event("after", caused_by=("page",))],
    [ELSEWHERE, said(recall("asked", "page"), "elsewhere"), event("after", informed_by=("asked",))],
]
STAYS_OUT = [
    [event("heard", origin="user")],
    [claim("told", "ana", "lives_in", "oslo")],
    [outcome("told", "own", -1.0)],
    [ELSEWHERE, recall("asked", "own")],
    [ELSEWHERE, recall("asked")],
    [ELSEWHERE, event("after", caused_by=("own",))],
    [ELSEWHERE, said(recall("asked", "page"), "elsewhere")],
]


@pytest.mark.parametrize("read", COMES_IN)
def test_what_is_a_stranger_s_comes_in(read: list[Said]) -> None:
    given(OWN, *read).when(event("note")).then(node("note", trust=0))


@pytest.mark.parametrize("read", STAYS_OUT)
def test_what_is_not_does_not(read: list[Said]) -> None:
    given(OWN, *read).when(event("note")).then(node("note", trust=1))


# For how long


def test_it_sways_for_so_many_ticks() -> None:
    """It came in at tick 1. What is said at ticks 1, 2 and 3 is swayed; at tick 4 it is three ticks ago."""
    before = given(policy("short", taint_ticks=3), PAGE)
    for name, trust in (("tick 1", 0), ("tick 2", 0), ("tick 3", 0), ("tick 4", 1)):
        before.when(event(name)).then(node(name, trust=trust))


def test_who_is_swayed_does_not_sway_themselves_anew() -> None:
    """Two come in at tick 1; of what one says itself nothing comes in, so it ends as if nothing had been said."""
    short = policy("short", taint_ticks=2)
    before = given(short, PAGE, event("mine"), event("mine too"))
    before.when(event("free")).then(node("free", trust=1))
    again = given(short, PAGE, event("mine"), event("page 2", trust=0))
    again.when(event("not yet")).then(node("not yet", trust=0))


def test_nothing_comes_in_where_it_sways_for_no_tick() -> None:
    never = given(policy("never", taint_ticks=0), PAGE)
    never.when(event("note")).then(node("note", trust=1))
    never.when(policy("now", taint_ticks=64))
    never.when(event("later")).then(node("later", trust=1))


# What is derived


@pytest.mark.parametrize(
    ("origin", "trust"), [("agent", 0), ("thinker", 0), ("import", 0), ("user", 2), ("tool", 3), ("operator", 4)]
)
def test_what_is_concluded_is_trusted_as_the_least_of_its_causes(origin: str, trust: int) -> None:
    """What a person says, and what a tool measures, is no conclusion."""
    before = given(OWN, ELSEWHERE)
    before.when(event("so", caused_by=("own", "page"), origin=origin)).then(node("so", trust=trust))


def test_it_is_trusted_no_more_than_its_writer_either() -> None:
    before = given(event("measured", origin="tool"), event("told", origin="user"))
    before.when(event("so", caused_by=("measured", "told"))).then(node("so", trust=1))


def test_it_is_trusted_as_the_least_of_what_recalls_showed() -> None:
    before = given(OWN, ELSEWHERE, said(recall("both", "own", "page"), "elsewhere"), recall("one", "own"))
    before.when(event("a", informed_by=("one", "both"))).then(node("a", trust=0))
    clean = given(OWN, ELSEWHERE, said(recall("both", "own", "page"), "elsewhere"), recall("one", "own"))
    clean.when(event("b", informed_by=("one",))).then(node("b", trust=1))
    clean.when(event("c", informed_by=("both",), origin="user")).then(node("c", trust=2))


def test_a_feature_is_trusted_as_the_most_trusted_that_it_occurred_in() -> None:
    before = given(event("a", "x"), event("b", "x", origin="user"))
    before.when(event("c", "x", session="other", trust=0)).then(node("feature:x", trust=2))
    before.when(event("d", "x", origin="tool")).then(node("feature:x", trust=3))


# Whose word it is


def test_what_came_in_is_the_word_of_whom_it_came_from() -> None:
    """The agent says so, and has it from the stranger, as what the stranger claims does."""
    read = [said(event("page", session="elsewhere", trust=0), **BY_EVIL), recall("asked", "page")]
    moment = given(*read).when(claim("rome", "ana", "lives_in", "rome"))
    (mine,) = claim_of(moment, "rome").lines
    moment = moment.when(claim("theirs", "ben", "lives_in", "rome", trust=0, source="evil"))
    (theirs,) = claim_of(moment, "theirs").lines
    assert mine.who != mine.root == theirs.root == theirs.who


def test_who_has_it_from_the_same_is_no_second_source() -> None:
    """A candidate takes two sources: two who conclude it from what one user said are not, a third with its own is."""

    def told(name: str, source: str, evidence: str) -> Said:
        return claim(name, "ana", "lives_in", "rome", candidate=True, source=source, evidence=(evidence,))

    users = [said(event("letter", origin="user"), source="ana"), said(event("call", origin="user"), source="ben")]
    before = given(*users, told("one", "a", "letter"))
    before.when(told("two", "b", "letter")).then(stands(one="candidate"), node("one", usage=1))
    before.when(told("three", "c", "call")).then(stands(one="active"), node("one", usage=2))


# What is trusted less takes nothing from what is trusted more


def test_an_event_weakens_no_rival_that_is_trusted_more() -> None:
    """A rival loses a twentieth of the half that a tick has left of 1.5."""
    before = given(HALVING, event("user", "x", origin="user", session="u"), event("agent", "y", session="a"))
    before.when(event("b", "x", session="b")).then(unchanged("user"))
    before.when(event("c", "y", session="c")).then(node("agent", salience=1.5 / 4 * 0.95))


def asked_by(origin: str, source: str) -> Said:
    return said(recall("asked", "own"), origin=origin, source=source)


def test_of_a_recall_whoever_asked_reports_or_who_is_trusted_as_much() -> None:
    used = use("used", "asked", "own", result="success")
    before = given(OWN, asked_by("user", "ana"))
    before.when(used).then(refused(Refusal.NOT_TRUSTED))
    before.when(said(replace(used, name="hers"), source="ana")).then(accepted(seq=3), node("own", usage=1))
    given(OWN, asked_by("user", "ana")).when(said(used, origin="tool")).then(accepted(seq=3), node("own", usage=1))


def test_what_a_stranger_is_shown_and_reports_changes_nothing() -> None:
    """The recall is remembered, and that it was reported: nobody reports again."""
    moment = given(OWN).when(said(recall("asked", "own"), trust=0)).then(node("own", candidates=0, salience=1.5))
    used = use("used", "asked", "own", result="success", helpful=True)
    moment = moment.when(said(used, trust=0))
    moment.then(accepted(seq=3), node("own", usage=0, permanence=0, impact=0, valence=0))
    assert [entry.used for entry in moment.graph.recalls[2].returned] == [False]
    moment.when(said(use("again", "asked", "own"), origin="user")).then(refused(Refusal.RECALL_REPORTED))
