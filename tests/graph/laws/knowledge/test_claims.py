"""What it is to claim something: a node that is said again by others, what it was concluded from, and what waits."""

from typing import Any

import pytest

from tests.graph.by_hand import BARE
from tests.graph.commands import Said, claim, event, judge, outcome, pin, policy, thinker
from tests.graph.laws.knowledge.standing import claim_of, lines, slot_of, stands
from tests.graph.scenario import accepted, edge, given, gone, header, no_edge, node
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, NodeKind, Status
from yggdrasil_schemas.limits import LINES_MAX

ROME = claim("rome", "ana", "lives_in", "rome")
STALE = NodeFlag.STALE | NodeFlag.RULED
CONTAINS, EVIDENCE, ASSOCIATIVE = EdgeKind.CONTAINS, EdgeKind.EVIDENCE, EdgeKind.ASSOCIATIVE


def again(name: str, source: str, origin: str | None = None, value: str = "rome", **more: Any) -> Said:
    return claim(name, "ana", "lives_in", value, source=source, origin=origin, **more)


def test_a_claim_is_a_node_between_what_it_is_about_and_its_object() -> None:
    given(BARE).when(ROME).then(
        accepted(seq=2),
        header(tick=0, nodes=3, edges=3),
        node("rome", kind=NodeKind.CLAIM, trust=1, status=Status.ACTIVE, flags=NodeFlag.RULED, degree=2, usage=0),
        node("feature:ana", usage=1, marks=0),
        node("feature:rome", usage=1),
        edge("rome", CONTAINS, "feature:ana", weight=1.0),
        edge("rome", CONTAINS, "feature:rome", weight=1.0),
        edge("feature:ana", ASSOCIATIVE, "feature:rome", usage=0),
        lines("rome", (1, 140)),
    )


def test_a_thing_that_is_its_own_object_occurs_once() -> None:
    given().when(claim("narcissus", "ana", "knows", "ana")).then(node("feature:ana", usage=1, degree=1))


def test_what_is_said_again_is_confirmed_and_makes_no_node() -> None:
    moment = given(ROME, event("noise"), pin("kept", "rome")).when(again("too", "two", "user", confidence=100))
    moment.then(accepted(seq=4), gone("too"), node("rome", usage=1, trust=2), lines("rome", (1, 140), (2, 400)))
    assert claim_of(moment, "rome").confirmed == 1
    moment.when(judge("no", ("rome", "reject"), origin="operator")).then(stands(rome="rejected"))


def test_the_last_word_of_a_source_is_its_word() -> None:
    given(ROME).when(again("less", "test", confidence=10)).then(lines("rome", (1, 20)))


@pytest.mark.parametrize("origin", ["thinker", "import"])
def test_what_is_concluded_from_one_sentence_is_one_word(origin: str) -> None:
    """However many conclude it: it is the word of the oldest of its evidence."""
    seen, heard = event("seen"), event("heard")
    first = claim("one", "ana", "diet", "vegan", evidence=("heard", "seen"), origin=origin)
    second = claim("two", "ana", "diet", "vegan", evidence=("seen",), origin="thinker", source="another")
    given(seen, heard, first).when(second).then(
        lines("one", (1, 140)), stands(one="candidate" if origin == "thinker" else "active")
    )


def test_the_least_of_nine_sources_is_dropped() -> None:
    told = [again(f"c{n}", f"s{n}", "user" if n == 0 else None, confidence=50 + n) for n in range(LINES_MAX)]
    given(*told).when(again("ninth", "s9", confidence=90)).then(
        lines("c0", (2, 200), *((1, 100 + 2 * n) for n in range(2, LINES_MAX)), (1, 180))
    )


def test_many_strangers_do_not_crowd_out_a_user() -> None:
    told = [again(f"c{n}", f"s{n}", "user") for n in range(LINES_MAX)]
    given(*told).when(claim("loud", "ana", "lives_in", "rome", trust=0, confidence=100, source="s")).then(
        lines("c0", *((2, 280),) * LINES_MAX)
    )


def test_a_claim_is_trusted_no_more_than_what_it_was_concluded_from() -> None:
    by_rumour = claim("c", "ana", "lives_in", "rome", evidence=("rumour", "seen"), origin="operator")
    given(event("seen", origin="tool"), event("rumour", origin="user", trust=1)).when(by_rumour).then(
        node("c", trust=1), edge("seen", EVIDENCE, "c", weight=1.0), edge("rumour", EVIDENCE, "c"), lines("c", (1, 140))
    )


def test_the_word_of_an_authority_counts_as_measured() -> None:
    given().when(claim("c", "ana", "diet", "vegan", origin="user")).then(node("c", trust=3), lines("c", (3, 560)))


def test_a_claim_is_stale_when_all_that_it_was_concluded_from_has_fallen() -> None:
    moment = given(event("a"), event("b"), claim("c", "ana", "lives_in", "rome", evidence=("a", "b"))).when(
        judge("no", ("a", "reject"))
    )
    moment.then(node("c", flags=NodeFlag.RULED))
    moment = moment.when(judge("nor that", ("b", "quarantine"))).then(node("c", flags=STALE))
    moment = moment.when(judge("yet", ("b", "release"))).then(node("c", flags=NodeFlag.RULED))
    moment.when(judge("none", ("b", "reject"))).then(node("c", flags=STALE))
    moment.when(event("d"))
    moment.when(claim("e", "ana", "lives_in", "rome", evidence=("d",))).then(node("c", flags=NodeFlag.RULED))


def test_an_event_is_stale_when_nothing_stands_that_was_concluded_from_it() -> None:
    said = [claim(f"c{n}", "ana", "knows", f"x{n}", evidence=("a",)) for n in range(2)]
    moment = given(event("a"), *said).when(judge("no", ("c0", "reject"))).then(node("a", flags=0))
    moment.when(judge("nor that", ("c1", "reject"))).then(node("a", flags=NodeFlag.STALE))
    moment.when(judge("yet", ("c0", "release"))).then(node("a", flags=0))


def test_a_claim_is_no_evidence_of_itself() -> None:
    given(ROME).when(claim("c", "ana", "lives_in", "rome", evidence=("rome",), source="two")).then(
        no_edge("rome", EVIDENCE, "rome"), node("rome", flags=NodeFlag.RULED, degree=2)
    )


WAITING = [
    claim("c", "ana", "likes", "tea", trust=0),
    claim("c", "ana", "likes", "tea", candidate=True),
    claim("c", "ana", "likes", "tea", claim_class="rule", origin="operator"),
    claim("c", "ana", "must", "knock", origin="operator"),
    claim("c", "ana", "likes", "tea", origin="thinker"),
]


@pytest.mark.parametrize("said", WAITING)
def test_some_claims_wait_and_displace_nothing(said: Said) -> None:
    given().when(said).then(stands(c="candidate"))
    instead = claim("c", "ana", "lives_in", "oslo", candidate=True, origin="operator")
    given(ROME).when(instead).then(stands(rome="active", c="candidate"))


def test_what_is_staged_is_the_memorys_own_choice() -> None:
    concluded = claim("c", "ana", "likes", "tea", origin="thinker")
    given(policy("all", claims_staged=3)).when(ROME).then(stands(rome="candidate"))
    given(policy("none", claims_staged=0)).when(concluded).then(stands(c="active"))


def test_a_candidate_stands_when_another_says_so() -> None:
    tentative = again("oslo", "one", value="oslo", candidate=True, origin="user")
    moment = given(ROME, tentative).when(again("same", "one", value="oslo")).then(stands(oslo="candidate"))
    moment.when(again("two", "two", "user", value="oslo")).then(stands(oslo="active", rome="superseded"))


def test_what_a_stranger_says_waits_however_often_it_is_said() -> None:
    moment = given(claim("c", "ana", "likes", "tea", trust=0, source="one")).when(
        claim("d", "ana", "likes", "tea", trust=0, source="two")
    )
    moment.then(stands(c="candidate"), lines("c", (0, 0), (0, 0)))
    moment = moment.when(claim("e", "ana", "likes", "tea")).then(stands(c="candidate"), node("c", trust=1))
    moment = moment.when(claim("f", "ana", "likes", "tea", trust=0, source="three")).then(stands(c="candidate"))
    moment.when(claim("g", "ana", "likes", "tea", source="four")).then(stands(c="active"))


def test_what_was_rejected_comes_back_by_who_is_trusted_more_only() -> None:
    moment = given(ROME, judge("no", ("rome", "reject"), origin="user")).when(again("still", "two"))
    moment.then(stands(rome="rejected"), gone("still"), lines("rome", (1, 140), (1, 140)))
    moment = moment.when(again("measured", "three", "user"))
    moment.then(stands(rome="rejected", measured="active"))
    assert slot_of(moment, "measured") == slot_of(moment, "rome")


def test_a_thinker_names_what_it_concludes_from_and_decides_once() -> None:
    by = thinker("reader", 0, 1)
    moment = given(event("a")).when(claim("c", "ana", "diet", "vegan", evidence=("a",), by=by, origin="thinker"))
    moment.then(stands(c="candidate"))
    assert moment.graph.header.cursors == {"reader": 1}


def test_an_outcome_may_be_evidence() -> None:
    given(event("a"), outcome("o", "a", -1.0)).when(claim("c", "door", "is", "shut", evidence=("o",))).then(
        edge("o", EVIDENCE, "c")
    )
