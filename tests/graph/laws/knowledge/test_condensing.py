"""Digests: what says in fewer words what others said stands in their place, as far as it is trusted."""

from tests.graph.commands import claim, event, judge
from tests.graph.laws.knowledge.standing import stands
from tests.graph.scenario import edge, given, no_edge, node
from yggdrasil_schemas.graph.records import EdgeKind

NOTES = [event("a", "x"), event("b", "x")]
CLAIMS = [
    claim("c", "ana", "likes", "tea", source="one"),
    claim("d", "ana", "likes", "green tea", source="two"),
]


def test_what_is_condensed_gives_way_and_comes_back_with_the_digest_out() -> None:
    moment = given(*NOTES).when(event("both", "x", condenses=("a", "b")))
    moment.then(stands(a="superseded", b="superseded", both="active"), no_edge("a", EdgeKind.EVIDENCE, "both"))
    out = moment.when(judge("no", ("both", "reject")))
    out.then(stands(a="active", b="active", both="rejected"))
    out.when(judge("yes", ("both", "release"))).then(stands(a="superseded", b="superseded", both="active"))
    moment.when(judge("hm", ("both", "quarantine"))).then(stands(a="active", b="active"))


def test_claims_are_condensed_into_one() -> None:
    moment = given(*CLAIMS).when(claim("e", "ana", "likes", "teas", condenses=("c", "d"), source="three"))
    moment.then(stands(c="superseded", d="superseded", e="active"))
    moment.when(judge("no", ("e", "reject"))).then(stands(c="active", d="active", e="rejected"))


def test_what_is_trusted_more_stays_and_is_joined_to_the_digest() -> None:
    told = [event("a", origin="user"), event("b")]
    given(*told).when(event("both", condenses=("a", "b"))).then(
        stands(a="active", b="superseded", both="active"), edge("a", EdgeKind.EVIDENCE, "both")
    )


def test_a_digest_is_trusted_no_more_than_the_least_of_what_an_agent_condenses() -> None:
    told = [event("a", trust=0, source="web"), event("b")]
    given(*told).when(event("both", condenses=("a", "b"), session="elsewhere")).then(
        node("both", trust=0), stands(both="candidate", a="candidate", b="active"), edge("b", EdgeKind.EVIDENCE, "both")
    )
    given(*told).when(event("both", condenses=("a", "b"), origin="user")).then(
        node("both", trust=2), stands(both="active", a="superseded", b="superseded")
    )


def test_what_waits_takes_nothing_away_until_it_stands() -> None:
    waiting = claim("e", "ana", "likes", "teas", condenses=("c", "d"), candidate=True, source="three")
    moment = given(*CLAIMS).when(waiting)
    moment.then(stands(c="active", d="active", e="candidate"))
    moment.when(judge("yes", ("e", "release"), origin="user")).then(stands(c="superseded", d="superseded", e="active"))
    again = claim("f", "ana", "likes", "teas", source="four")
    moment.when(again).then(stands(c="superseded", d="superseded", e="active"))


def test_a_value_in_the_same_slot_does_not_contend_with_its_digest() -> None:
    told = [
        claim("one", "ana", "lives_in", "rome", source="one"),
        claim("two", "ana", "lives_in", "rome", source="two"),
    ]
    moment = given(*told).when(claim("e", "ana", "lives_in", "rome (centre)", condenses=("one",), source="three"))
    moment.then(stands(one="superseded", e="active"))
