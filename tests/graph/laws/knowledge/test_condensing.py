"""Digests: what says in fewer words what others said stands in their place, as far as it is trusted."""

from tests.graph.commands import claim, event, judge
from tests.graph.laws.knowledge.standing import stands
from tests.graph.scenario import edge, given, no_edge, node
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag

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


def test_a_digest_that_waited_is_not_stale_for_what_gave_way_to_it() -> None:
    waiting = claim("e", "ana", "likes", "teas", condenses=("c", "d"), evidence=("c", "d"), candidate=True, source="x")
    moment = given(*CLAIMS, waiting).when(judge("yes", ("e", "release"), origin="user"))
    moment.then(stands(c="superseded", d="superseded", e="active"))
    assert not moment.node("e").flags & NodeFlag.STALE
    out = given(*CLAIMS, waiting).when(judge("no", ("c", "reject"), ("d", "reject")))
    assert out.node("e").flags & NodeFlag.STALE


def test_an_event_is_not_stale_for_a_digest_of_it_that_was_rejected() -> None:
    told = [event("a", origin="user"), event("b"), event("both", condenses=("a", "b"))]
    moment = given(*told).when(judge("no", ("both", "reject"), origin="user"))
    moment.then(stands(a="active", b="active", both="rejected"))
    assert not moment.node("a").flags & NodeFlag.STALE


def test_who_confirms_a_digest_says_nothing_of_what_it_condenses() -> None:
    told = [claim("mine", "ana", "likes", "coffee", origin="user", source="ana")]
    waiting = claim("e", "ana", "likes", "teas", condenses=("mine",), candidate=True, source="evil")
    again = claim("f", "ana", "likes", "teas", origin="user", source="ana")
    moment = given(*told, waiting).when(again)
    moment.then(stands(mine="active", e="active"), node("e", trust=2))
    first = claim("e", "ana", "likes", "teas", source="evil")
    more = claim("f", "ana", "likes", "teas", condenses=("c", "d"), source="three")
    given(*CLAIMS, first).when(more).then(
        stands(c="active", d="active", e="active"), edge("c", EdgeKind.EVIDENCE, "e"), edge("d", EdgeKind.EVIDENCE, "e")
    )


def test_what_gave_way_to_a_digest_stands_again_when_its_word_is_withdrawn() -> None:
    digest = claim("e", "ana", "likes", "teas", condenses=("c", "d"), source="three")
    told = [*CLAIMS, digest, claim("f", "ana", "likes", "teas", source="four")]
    one = given(*told).when(judge("no", ("f", "reject")))
    one.then(stands(c="superseded", e="active"))
    own = given(*told).when(judge("nor", ("e", "reject", True)))
    own.then(stands(c="active", d="active", e="active"))
    own.when(judge("yes", ("e", "release", True))).then(stands(c="superseded", d="superseded", e="active"))
    last = given(*told, judge("no", ("f", "reject"))).when(judge("nor", ("e", "reject", True)))
    last.then(stands(c="active", d="active", e="rejected"))


def test_what_gave_way_to_a_digest_stands_again_when_the_last_word_for_it_is_withdrawn() -> None:
    digest = claim("e", "ana", "likes", "teas", condenses=("c", "d"), source="three")
    told = [*CLAIMS, digest, claim("f", "ana", "likes", "teas", source="four")]
    moment = given(*told).when(judge("no", ("f", "reject", True), ("e", "reject", True)))
    moment.then(stands(c="active", d="active", e="rejected"))


def test_what_gave_way_to_something_else_does_not_stand_again_with_a_digest_out() -> None:
    told = [
        *NOTES,
        event("instead", supersedes="a"),
        event("both", condenses=("a", "b")),
        judge("done", ("instead", "resolve")),
    ]
    given(*told).when(judge("no", ("both", "reject"))).then(stands(a="superseded", b="active"))


def test_a_digest_without_its_writer_s_word_condenses_nothing_when_it_stands() -> None:
    said = claim("e", "ana", "likes", "teas", condenses=("c", "d"), claim_class="rule", source="three")
    again = claim("f", "ana", "likes", "teas", source="four")
    told = [*CLAIMS, said, again]
    release = judge("yes", ("e", "release"), origin="operator")
    given(*told).when(release).then(stands(c="superseded", d="superseded", e="active"))
    without = given(*told, judge("no", ("e", "reject", True), origin="user"))
    without.when(release).then(stands(c="active", d="active", e="active"))


def test_what_waits_leaves_no_more_room_than_there_was() -> None:
    told = [claim(f"c{n}", "ana", "lives_in", f"town {n}", candidate=True, source=f"s{n}") for n in range(8)]
    condensed = tuple(f"c{n}" for n in range(8))
    moment = given(*told).when(claim("e", "ana", "lives_in", "towns", condenses=condensed, candidate=True))
    moment.then(stands(c0="superseded", c1="candidate", e="candidate"))


def test_a_value_in_the_same_slot_does_not_contend_with_its_digest() -> None:
    told = [
        claim("one", "ana", "lives_in", "rome", source="one"),
        claim("two", "ana", "lives_in", "rome", source="two"),
    ]
    moment = given(*told).when(claim("e", "ana", "lives_in", "rome (centre)", condenses=("one",), source="three"))
    moment.then(stands(one="superseded", e="active"))
