"""How far what is said is trusted, what a fallen part leaves stale, and what is forgotten of what does not stand."""

import pytest

from tests.graph.by_hand import NO_RANK, TEN
from tests.graph.commands import (
    Said,
    adjust,
    attest,
    concept,
    dissolve,
    episode,
    event,
    judge,
    outcome,
    pin,
    policy,
)
from tests.graph.laws.knowledge.standing import of_key, ruling, slot, stands
from tests.graph.scenario import Check, Moment, given, gone, node, refused
from tests.graph.world import live_rulings, live_slots
from yggdrasil_projections.graph.laws.bounds.rank import node_rank
from yggdrasil_schemas.graph.records import NodeFlag
from yggdrasil_schemas.refusals import Refusal

TIERS = {"operator": 4, "tool": 3, "user": 2, "agent": 1, "thinker": 1, "import": 1}
STALE, RULED = NodeFlag.STALE, NodeFlag.RULED


@pytest.mark.parametrize(("origin", "trust"), TIERS.items())
def test_an_event_is_trusted_as_its_origin(origin: str, trust: int) -> None:
    given().when(event("a", "x", origin=origin)).then(node("a", trust=trust), node("feature:x", trust=trust))


@pytest.mark.parametrize("stamped", range(5))
@pytest.mark.parametrize(("origin", "trust"), TIERS.items())
def test_and_at_most_as_it_is_stamped(origin: str, trust: int, stamped: int) -> None:
    given().when(event("a", origin=origin, trust=stamped)).then(node("a", trust=min(trust, stamped)))


def test_an_outcome_is_trusted_at_most_as_what_it_is_of() -> None:
    before = given(event("user", origin="user"), event("tool", origin="tool"))
    before.when(outcome("o1", "user", 1.0, origin="tool")).then(node("o1", trust=2), node("user", trust=2))
    before.when(outcome("o2", "tool", 1.0, origin="user")).then(node("o2", trust=2))
    before.when(outcome("o3", "tool", 1.0, origin="tool")).then(node("o3", trust=3))
    before.when(outcome("o4", "tool", 1.0)).then(node("o4", trust=1), node("feature:outcome:outcome", trust=3))


def test_a_late_outcome_is_trusted_at_most_as_the_heir() -> None:
    """The event was a tool's, the concept is an agent's."""
    few = [event("old", "a", origin="tool"), concept("kept", "old", "feature:a"), pin("p", "kept")]
    before = given(TEN, *few, *(event(f"x{n}") for n in range(10)))
    before.when(outcome("late", "old", 1.0, origin="tool")).then(
        gone("old"), node("kept", trust=1), node("late", trust=1)
    )


def by(said: Said, origin: str) -> Said:
    return Said(said.name, said.type, said.body, said.session, changed={"origin": origin})


def test_what_is_concluded_is_trusted_no_more_than_the_least_of_what_it_is_made_of() -> None:
    before = given(*(event(origin, "x", "y", origin=origin) for origin in ("agent", "user", "tool", "operator")))
    before.when(by(episode("e1", "user", "tool"), "operator")).then(node("e1", trust=2))
    before.when(by(episode("e2", "operator", "tool"), "operator")).then(node("e2", trust=3))
    before.when(by(episode("e3", "operator", "tool"), "user")).then(node("e3", trust=2))
    before.when(episode("e4", "operator")).then(node("e4", trust=1))
    before.when(by(concept("c1", "user", "feature:x"), "tool")).then(node("c1", trust=2))
    before.when(by(concept("c2", "feature:x", "feature:y"), "operator")).then(node("c2", trust=4))
    before.when(by(concept("c3", "c2", "e4"), "operator")).then(node("c3", trust=1))


def test_what_was_forgotten_counts_for_nothing_in_it() -> None:
    before = given(TEN, event("old"), *(event(f"x{n}", origin="tool") for n in range(10)))
    before.when(by(episode("day", "old", "x9"), "tool")).then(gone("old"), node("day", trust=3))


def test_trust_is_fixed_when_a_node_is_made() -> None:
    before = given(event("a", origin="user"), outcome("bad", "a", -1.0, origin="tool"))
    before.when(judge("j", ("a", "release"), origin="operator")).then(node("a", trust=2))
    before.when(judge("k", ("a", "reject"), origin="operator")).then(node("a", trust=2))


# What is left stale

PAIR = [event("a", "x"), event("b", "x"), episode("day", "a", "b"), concept("pair", "a", "feature:x")]


@pytest.mark.parametrize(
    ("verdict", "stale"), [("reject", STALE), ("quarantine", STALE), ("resolve", 0), ("release", 0)]
)
def test_what_contains_something_fallen_is_stale(verdict: str, stale: int) -> None:
    given(*PAIR).when(judge("j", ("a", verdict))).then(node("day", flags=stale), node("pair", flags=stale))


def test_so_it_is_when_that_is_superseded() -> None:
    before = given(*PAIR)
    before.when(event("c", supersedes="a")).then(
        node("day", flags=STALE), node("pair", flags=STALE), node("c", flags=RULED)
    )


def test_what_is_contested_leaves_nothing_stale() -> None:
    before = given(event("said", key="k", origin="user"), event("claim", key="k"))
    before.when(episode("day", "claim")).then(stands(claim="contested"), node("day", flags=0))


def test_what_is_made_of_something_fallen_is_stale_from_the_first() -> None:
    before = given(event("a"), event("b"), event("c"), judge("j", ("a", "reject")), judge("k", ("c", "resolve")))
    before.when(episode("day", "b", "a")).then(node("day", flags=STALE))
    before.when(concept("pair", "a", "b")).then(node("pair", flags=STALE))
    before.when(episode("eve", "b", "c")).then(node("eve", flags=0))
    before.when(concept("both", "b", "c")).then(node("both", flags=0))


@pytest.mark.parametrize("verdict", ["release", "resolve"])
def test_it_is_stale_no_longer_when_nothing_in_it_is_fallen(verdict: str) -> None:
    before = given(*PAIR, judge("j", ("a", "reject"), ("b", "quarantine")))
    before.when(judge("k", ("a", verdict))).then(node("day", flags=STALE), node("pair", flags=0))
    before.when(judge("l", ("b", verdict))).then(node("day", flags=0))


def test_what_falls_further_leaves_it_as_it_is() -> None:
    before = given(*PAIR, judge("j", ("a", "quarantine")))
    before.when(judge("k", ("a", "reject"))).then(node("day", flags=STALE), node("pair", flags=STALE))


def test_what_gives_way_leaves_its_own_stale_and_what_is_released_does_not() -> None:
    before = given(event("a", key="k"), event("b", key="k"), episode("one", "a"), episode("two", "b"))
    before.when(judge("j", ("a", "release"))).then(node("one", flags=0), node("two", flags=STALE))


def test_that_goes_no_further_up() -> None:
    """An episode that is stale has not fallen itself."""
    before = given(*PAIR, concept("upper", "day", "b"))
    before.when(judge("j", ("a", "reject"))).then(
        node("day", flags=STALE), node("upper", flags=0), stands(day="active")
    )
    before.when(judge("k", ("day", "reject"))).then(node("day", flags=STALE | RULED), node("upper", flags=STALE))
    before.when(judge("l", ("day", "release"))).then(node("day", flags=STALE | RULED), node("upper", flags=0))


def test_an_event_is_not_stale_for_its_features_or_a_concept_for_its_wholes() -> None:
    before = given(*PAIR)
    before.when(judge("j", ("pair", "reject"))).then(
        node("a", flags=0), node("feature:x", flags=0), node("day", flags=0), node("pair", flags=RULED)
    )


def test_what_is_forgotten_leaves_what_contained_it_as_it_is() -> None:
    """The episode has told of it; it is looked at again when another part stands again."""
    old = [event("old"), event("b"), episode("day", "old", "b"), pin("p", "day"), pin("q", "b")]
    before = given(TEN, *old, judge("j", ("old", "reject")), judge("k", ("b", "reject"), origin="operator"))
    for n in range(8):
        before.when(event(f"x{n}"))
    before.when(event("end")).then(gone("old"), node("day", flags=STALE | NodeFlag.PINNED))
    before.when(judge("l", ("b", "release"), origin="operator")).then(node("day", flags=NodeFlag.PINNED))


def test_it_is_looked_at_only_when_something_in_it_falls_or_stands_again() -> None:
    """What was forgotten of it had fallen; that another part is settled says nothing of that."""
    old = [event("old"), event("b"), episode("day", "old", "b"), pin("p", "day"), pin("q", "b")]
    before = given(TEN, *old, judge("j", ("old", "reject")), *(event(f"x{n}") for n in range(9)))
    before.when(judge("k", ("b", "resolve"), origin="operator")).then(
        gone("old"), stands(b="resolved"), node("day", flags=STALE | NodeFlag.PINNED)
    )


# What is forgotten


def kept(*names: str) -> Check:
    """Of exactly these nodes there are rulings, and slots of no other."""

    def check(moment: Moment) -> None:
        numbers = {moment.node(name).number for name in names}
        assert set(live_rulings(moment.graph)) == numbers
        assert {number for held in live_slots(moment.graph).values() for number in held} <= numbers

    return check


def test_what_is_forgotten_takes_its_ruling_with_it_and_frees_its_slot() -> None:
    """The eleventh node costs the two oldest: one stands, and one waits in the same slot."""
    two = [event("a", key="k", origin="tool"), event("b", key="k")]
    before = given(TEN, *two, *(event(f"x{n}") for n in range(8)))
    before.when(judge("j", ("x5", "resolve"))).then(slot(of_key("k"), "a", "b"), kept("a", "b", "x5"))
    before.when(event("x8")).then(gone("a", "b"), slot(of_key("k")), kept("x5"))
    before.when(event("c", key="k")).then(stands(c="active"), ruling("c", slot=of_key("k")))


def test_so_does_what_dissolves() -> None:
    pair = [event("a", "x"), concept("pair", "a", "feature:x"), judge("j", ("pair", "quarantine"))]
    given(*pair).when(dissolve("gone", "pair")).then(gone("pair"), kept())


def test_what_does_not_stand_is_forgotten_first() -> None:
    """However strong it is, what was superseded or rejected; what waits or is resolved ranks as what is active."""
    low = policy("low", **(NO_RANK | {"rank_permanence": 1.0}))
    lasting = [adjust(f"up {name}", name, evidence=(name,), permanence=0.2) for name in "abcd"]
    verdicts = [("b", "reject"), ("c", "quarantine"), ("d", "resolve")]
    before = given(low, *(event(name) for name in "abcd"), *lasting, event("e", supersedes="a"), judge("j", *verdicts))
    moment = before.when(attest("proof"))
    table, header = moment.graph.node_table(), moment.graph.header
    ranks = node_rank(header.policy, table.rows, header.tick).tolist()
    rank = dict(zip(table.keys.tolist(), ranks, strict=True))
    resolved = rank[moment.node("d").number]
    below = -1 / (1 + resolved)
    assert [rank[moment.node(name).number] for name in "abcd"] == pytest.approx([below, below, resolved, resolved])
    assert below < 0 < resolved


def test_what_a_stranger_says_waits_until_a_person_has_looked_at_it() -> None:
    """A note, one under a key, what is made of it, and what is said of its end; it displaces nothing meanwhile."""
    said = [event("own", origin="user", key="account"), event("note", trust=0), event("keyed", trust=0, key="other")]
    moment = given(*said).when(event("against", trust=0, key="account"))
    moment.then(stands(own="active", note="candidate", keyed="candidate", against="quarantined"))
    moment = moment.when(episode("day", "own", "note")).then(stands(day="candidate"))
    moment = moment.when(concept("both", "own", "note")).then(stands(both="candidate"))
    moment = moment.when(outcome("told", "own", -3.0, trust=0)).then(stands(told="candidate"))
    for origin, trust in (("agent", None), ("tool", None), ("user", 1)):
        said_by = judge(f"no {origin}", ("note", "release"), origin=origin, trust=trust)
        moment.when(said_by).then(refused(Refusal.NEEDS_A_PERSON))
    moment.when(judge("yes", ("note", "release"), origin="user")).then(stands(note="active"))


def test_how_much_trust_a_note_takes_is_the_memory_s_to_say() -> None:
    for least, expected in ((0, "active"), (1, "active"), (2, "candidate")):
        given(policy("least", notes_trust_min=least)).when(event("a")).then(stands(a=expected))
    given(policy("none", notes_trust_min=0)).when(event("a", trust=0)).then(stands(a="active"))
