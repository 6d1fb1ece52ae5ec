"""How strong a memory is under each perspective, in numbers that are worked out by hand (003, 3.4 and 3.6)."""

import pytest

from tests.graph.by_hand import HALVING, PLAIN, faded
from tests.graph.commands import claim, concept, dissolve, event, judge, outcome, pin, policy, recall, role, sleep, use
from tests.graph.scenario import Check, Moment, given, node
from yggdrasil_projections.graph.laws.regard import faded as is_faded
from yggdrasil_projections.graph.laws.regard import keys_of, strength
from yggdrasil_schemas.graph.perspectives import Regard, perspective_key
from yggdrasil_schemas.graph.records import NodeFlag
from yggdrasil_schemas.policy import DEFAULT

BUYER = role("buyers", "buyer", "Cost", "Risk", "Delivery")
NEW = 1.5
"""What a new event without features has: 1.0, and 0.5 as nothing is newer."""
RETURNED = 0.1 * (1 - NEW / 20)
"""What a recall gives to what has that."""


def regards(moment: Moment, name: str) -> dict[bytes, Regard]:
    return {each.key: each for each in moment.graph.regards(moment.node(name))}


def regard(name: str, perspective: str, **expected: float) -> Check:
    def check(moment: Moment) -> None:
        kept = regards(moment, name)[perspective_key(perspective)]
        found = {key: getattr(kept, key) for key in expected}
        assert found == {key: pytest.approx(value, rel=1e-12, abs=1e-15) for key, value in expected.items()}

    return check


def under(name: str, *perspectives: str) -> Check:
    """It is known how strong a node is under exactly these."""

    def check(moment: Moment) -> None:
        assert set(regards(moment, name)) == {perspective_key(each) for each in perspectives}
        assert bool(moment.node(name).flags & NodeFlag.REGARDED) == bool(perspectives)

    return check


def strong(name: str, *perspectives: str, value: float) -> Check:
    """So strong it is for whoever asks under these."""

    def check(moment: Moment) -> None:
        keys = keys_of(moment.graph, perspectives)
        assert strength(moment.graph, moment.node(name), keys) == pytest.approx(value, rel=1e-12)

    return check


def test_the_figures_of_the_seed_are_the_defaults() -> None:
    assert (DEFAULT.regard_initial, DEFAULT.regard_use, DEFAULT.regard_max) == (1.0, 0.15, 10.0)


def test_a_use_makes_it_stronger_under_what_was_asked_and_under_nothing_else() -> None:
    before = given(HALVING, BUYER, event("one"), recall("asked", "one", perspectives=("Cost",)))
    used = before.when(use("so", "asked", "one", result="success"))
    used.then(
        under("one", "Cost"),
        regard("one", "Cost", value=NEW + RETURNED + 0.15, uses=1, trust=1, tick=1),
        strong("one", "Cost", value=NEW + RETURNED + 0.15),
        strong("one", "Risk", value=NEW + RETURNED),
        strong("one", value=NEW + RETURNED),
    )


def test_each_further_use_adds_as_much_to_what_is_left() -> None:
    first = [BUYER, event("one"), recall("r1", "one", perspectives=("Cost",)), use("u1", "r1", "one")]
    again = given(HALVING, *first, event("two"), recall("r2", "one", perspectives=("Cost",)))
    stable = 1.02  # the half-life that the first use left it with, in ticks
    left = faded(NEW + RETURNED + 0.15, 1, stable)
    again.when(use("u2", "r2", "one")).then(
        regard("one", "Cost", value=left + 0.15, uses=2, tick=2, half_life=1.02**2),
        under("two"),
    )


def test_what_was_used_elsewhere_is_said_with_the_report() -> None:
    before = given(HALVING, BUYER, event("one"), recall("asked", "one", perspectives=("Cost",)))
    before.when(use("so", "asked", "one", perspectives=("Risk", "Delivery"))).then(under("one", "Risk", "Delivery"))


def test_what_was_only_returned_gains_nothing() -> None:
    before = given(BUYER, event("one"), event("two"), recall("asked", "one", "two", perspectives=("Cost",)))
    before.when(use("so", "asked", "one", result="success")).then(under("one", "Cost"), under("two"))


@pytest.mark.parametrize("outcomes", [0, 2, 4])
def test_the_first_use_never_makes_it_weaker(outcomes: int) -> None:
    """It begins with its own salience, also where that is more than uses can give."""
    bad = [outcome(f"o{n}", "one", -5.0) for n in range(outcomes)]
    before = given(BUYER, event("one"), *bad, recall("asked", "one", perspectives=("Cost",)))
    used = before.when(use("so", "asked", "one", result="success"))
    own = used.node("one").salience
    assert (own > 9.85) == (outcomes > 0)
    used.then(strong("one", "Cost", value=max(own, min(own + 0.15, 10.0))))


def test_uses_give_no_more_than_the_bound_and_take_nothing_from_what_is_above_it() -> None:
    low = policy("low", regard_max=1.6)
    commands = [HALVING, low, BUYER, event("one"), recall("r1", "one", perspectives=("Cost",))]
    used = given(*commands).when(use("u1", "r1", "one"))
    used.then(regard("one", "Cost", value=1.6))  # 1.5925 and 0.15
    lower = [*commands, use("u1", "r1", "one"), policy("lower", regard_max=1.0)]
    lower += [recall("r2", "one", perspectives=("Cost",))]
    given(*lower).when(use("u2", "r2", "one")).then(regard("one", "Cost", value=1.6, uses=2))


def test_what_has_misled_loses_as_much_and_no_more_than_there_is() -> None:
    before = given(HALVING, BUYER, event("one"), recall("asked", "one", perspectives=("Cost",)))
    was = NEW + RETURNED - 0.1  # being returned has given it nothing then
    before.when(use("so", "asked", "one", result="failure")).then(regard("one", "Cost", value=was - 0.15, uses=0))
    old = [HALVING, BUYER, event("one", perspectives=("Cost",)), *(event(f"e{n}") for n in range(5))]
    faint = given(*old, recall("asked", "one", perspectives=("Cost",)))
    faint.when(use("so", "asked", "one", result="failure")).then(regard("one", "Cost", value=0.0, uses=0))


def test_a_perspective_that_no_role_has_changes_nothing() -> None:
    plain = given(BUYER, event("one"), recall("asked", "one"), use("so", "asked", "one"))
    same = given(
        BUYER,
        event("one", perspectives=("Fame",)),
        recall("asked", "one", perspectives=("Fame",)),
        use("so", "asked", "one", perspectives=("Fame", "Glory")),
    )
    nothing = event("last")
    first, second = plain.when(nothing), same.when(nothing)
    second.then(under("one"), strong("one", "Fame", value=strength(first.graph, first.node("one"), ())))
    assert first.node("one") == second.node("one")
    assert [each.perspectives for each in second.graph.recalls.values()] == [()]


def test_a_report_of_such_a_perspective_changes_nothing_under_those_that_were_asked() -> None:
    before = given(BUYER, event("one"), recall("asked", "one", perspectives=("Cost",)))
    before.when(use("so", "asked", "one", perspectives=("Fame",))).then(under("one"))


def test_who_is_trusted_too_little_teaches_nothing() -> None:
    before = given(
        policy("careful", teach_trust_min=2), BUYER, event("one"), recall("asked", "one", perspectives=("Cost",))
    )
    before.when(use("so", "asked", "one", result="success")).then(under("one"))
    before.when(recall("again", "one", perspectives=("Cost",))).when(
        use("by a user", "again", "one", result="success", origin="user")
    ).then(under("one", "Cost"), regard("one", "Cost", trust=2))


def test_what_is_said_under_perspectives_begins_with_them() -> None:
    """By no less than its own salience: else it would be weaker under them than under all others."""
    given(HALVING, BUYER).when(event("one", perspectives=("Cost", "Risk"))).then(
        under("one", "Cost", "Risk"),
        regard("one", "Cost", value=NEW, uses=0, trust=1, half_life=1),
        strong("one", "Cost", value=NEW),
    )
    known = given(HALVING, BUYER, *(event(f"e{n}", "rain") for n in range(9)))
    seen = known.when(event("one", "rain", perspectives=("Cost",)))
    own = seen.node("one").salience
    seen.then(strong("one", "Cost", value=own), strong("one", "Delivery", value=own))
    much = given(policy("much", regard_initial=3.0), BUYER).when(event("one", perspectives=("Cost",)))
    much.then(regard("one", "Cost", value=3.0), strong("one", "Risk", value=NEW))


def test_an_absorbed_event_fades_alike_under_its_perspectives() -> None:
    wet = [BUYER, event("a", "rain", "mud"), concept("wet", "feature:rain", "feature:mud")]
    absorbed = given(*wet).when(event("one", "rain", "mud", perspectives=("Cost",)))
    own = absorbed.node("one")
    assert own.salience == 1.0
    absorbed.then(regard("one", "Cost", value=1.0, half_life=own.half_life))


def test_a_claim_begins_likewise_and_so_does_a_note() -> None:
    made = given(BUYER).when(claim("dear", "door", "price", 9, perspectives=("Cost",), origin="user"))
    made.then(under("dear", "Cost"), regard("dear", "Cost", value=NEW, trust=2))
    desk = given(BUYER, event("open", session="work", boundary="open"))
    note = claim("note", "door", "state", "open", claim_class="desk", session="work", perspectives=("Risk",))
    desk.when(note).then(under("note", "Risk"), regard("note", "Risk", value=NEW, trust=1))


def test_a_claim_that_is_said_again_is_regarded_by_who_may_teach() -> None:
    """What is kept stays; a stranger adds nothing to what stands already."""
    said = [BUYER, claim("dear", "door", "price", 9, perspectives=("Cost",), origin="user", source="ana")]
    again = given(*said).when(claim("again", "door", "price", 9, perspectives=("Cost", "Risk"), source="ben"))
    again.then(under("dear", "Cost", "Risk"), regard("dear", "Cost", value=NEW, trust=2))
    again.then(regard("dear", "Risk", value=again.node("dear").salience, trust=1))
    stranger = claim("by a stranger", "door", "price", 9, perspectives=("Risk",), trust=0, source="eve")
    given(*said).when(stranger).then(under("dear", "Cost"))


def test_the_ninth_takes_the_place_of_the_weakest_that_is_trusted_no_more() -> None:
    nine = [f"view{n}" for n in range(9)]
    roles = [role("first", "one", *nine[:8]), role("second", "two", nine[8])]
    full = [*roles, event("one", perspectives=tuple(nine[:8]), origin="user")]
    more = [recall("r1", "one", perspectives=("view3",)), use("u1", "r1", "one", result="success")]
    asked = recall("r2", "one", perspectives=("view8",))
    from_below = given(*full, *more, asked).when(use("u2", "r2", "one", result="success"))
    from_below.then(under("one", *nine[:8]))
    user = given(*full, *more, asked).when(use("u2", "r2", "one", result="success", origin="user"))
    weakest = min((each for each in nine[:8] if each != "view3"), key=perspective_key)
    user.then(under("one", *[each for each in nine if each != weakest]))
    kept = [each.key for each in user.graph.regards(user.node("one"))]
    assert kept == sorted(kept)


def test_the_weakest_is_so_at_present_whatever_it_once_was() -> None:
    """Seven began with 1.5, which has halved five times since; the eighth began with less, later."""
    eight = tuple(f"view{n}" for n in range(8))
    old = [HALVING, role("first", "one", *eight), role("second", "two", "view8")]
    old += [event("one", perspectives=eight[:7]), *(event(f"e{n}") for n in range(5)), recall("r1", "one")]
    later = given(*old, use("u1", "r1", "one", perspectives=("view7",)), recall("r2", "one"))
    assert regards(later.when(event("f")), "one")[perspective_key("view7")].value < NEW
    ninth = later.when(use("u2", "r2", "one", perspectives=("view8",)))
    weakest = min(eight[:7], key=perspective_key)
    ninth.then(under("one", *[each for each in (*eight, "view8") if each != weakest]))


def test_an_event_is_regarded_by_no_more_trust_than_it_has_itself() -> None:
    """A stranger's word came into the session before."""
    tainted = given(BUYER, event("page", session="web", trust=0))
    tainted.when(event("one", session="web", perspectives=("Cost",))).then(
        node("one", trust=0), regard("one", "Cost", trust=0)
    )


def test_a_report_that_is_withdrawn_takes_its_regards_back_and_gives_them_again() -> None:
    said = [HALVING, BUYER, event("one", perspectives=("Cost",)), recall("r1", "one", perspectives=("Cost", "Risk"))]
    said += [use("u1", "r1", "one", result="success"), event("two"), recall("r2", "one", perspectives=("Cost",))]
    before = given(*said)
    held = before.when(judge("wrong", ("u1", "reject"), origin="user"))
    pace = 1.02  # ticks, by the use; what was given has halved so far as what is kept has
    held.then(
        regard("one", "Cost", value=faded(NEW + 0.15, 1, pace) - faded(0.15, 1, pace), uses=0),
        regard("one", "Risk", value=faded(NEW + RETURNED + 0.15, 1, pace) - faded(0.15, 1, pace), uses=0),
    )
    after = held.when(judge("right", ("u1", "release"), origin="user"))
    left = faded(NEW + 0.15, 1, pace)  # just what was taken, as no time has passed
    after.then(regard("one", "Cost", value=left, uses=1, trust=1))


def test_a_report_that_misled_gives_back_what_it_took() -> None:
    said = [HALVING, BUYER, event("one", perspectives=("Cost",)), recall("r1", "one", perspectives=("Cost",))]
    before = given(*said, use("u1", "r1", "one", result="failure"))
    before.when(judge("wrong", ("u1", "reject"), origin="user")).then(regard("one", "Cost", value=NEW, uses=0))


def test_under_several_it_is_as_strong_as_under_the_strongest_of_which_something_is_kept() -> None:
    commands = [PLAIN, BUYER, event("one"), recall("r1", "one", perspectives=("Cost",))]
    before = given(*commands, use("u1", "r1", "one", result="failure"), event("two"), event("three"))
    now = before.when(event("four"))
    kept = regards(now, "one")[perspective_key("Cost")]
    cost = faded(kept.value, 3, kept.half_life)
    now.then(strong("one", "Cost", "Risk", value=cost), strong("one", "Risk", value=faded_salience(now, "one")))


def test_under_two_of_which_something_is_kept_the_greater_counts() -> None:
    commands = [HALVING, BUYER, event("one", perspectives=("Cost", "Risk")), recall("r1", "one")]
    used = given(*commands).when(use("u1", "r1", "one", result="success", perspectives=("Risk",)))
    for both in (("Cost", "Risk"), ("Risk", "Cost"), ("Risk", "Delivery")):
        used.then(strong("one", *both, value=NEW + 0.15))
    used.then(strong("one", "Cost", value=NEW), strong("one", "Cost", "Delivery", value=NEW))


def faded_salience(moment: Moment, name: str) -> float:
    own = moment.node(name)
    return faded(own.salience, moment.graph.header.tick - own.tick, own.half_life)


def test_what_is_weaker_under_each_has_faded() -> None:
    now = given(HALVING, BUYER, event("one", perspectives=("Cost",)), event("plain")).when(event("two"))
    one, plain = now.node("one"), now.node("plain")
    assert not is_faded(now.graph, one, NEW / 4)
    assert is_faded(now.graph, one, NEW / 4 + 1e-9)
    assert is_faded(now.graph, plain, 0.0)  # nothing is kept of it


def test_what_is_consolidated_fades_more_slowly_under_each_from_then_on() -> None:
    used = [(recall(f"r{n}", "one"), use(f"u{n}", f"r{n}", "one")) for n in range(5)]
    commands = [HALVING, BUYER, event("one", perspectives=("Cost",)), *(each for pair in used for each in pair)]
    slept = given(*commands, event("two")).when(sleep("night"))
    own = slept.node("one")
    assert own.level == 1
    slept.then(regard("one", "Cost", value=NEW / 2, tick=2, half_life=own.half_life))
    assert own.half_life > 1.5


def test_what_is_pinned_does_not_fade_under_its_perspectives_and_does_again_when_it_is_free() -> None:
    pinned = given(HALVING, BUYER, event("one", perspectives=("Cost",)), event("two")).when(pin("kept", "one"))
    pinned.then(regard("one", "Cost", value=NEW / 2, tick=2, half_life=DEFAULT.half_life_max_ticks))
    freed = pinned.when(event("three")).when(pin("free", "one", pinned=False))
    freed.then(node("one", half_life=1), regard("one", "Cost", half_life=1, tick=3))


def test_what_comes_back_from_the_archive_does_so_under_its_perspectives() -> None:
    faint = policy("faint", archive_salience=20.0, archive_permanence=10.0, archive_rest_ticks=0, buffer_events_max=1)
    asleep = given(HALVING, faint, BUYER, event("one", perspectives=("Cost",)), event("two"), event("three"))
    slept = asleep.when(sleep("night"))
    assert slept.node("one").flags & NodeFlag.ARCHIVED
    back = slept.when(recall("asked", "one"))
    own = back.node("one")
    assert not own.flags & NodeFlag.ARCHIVED
    back.then(regard("one", "Cost", value=NEW / 4, tick=3, half_life=own.half_life))


def test_what_is_forgotten_leaves_nothing_of_it() -> None:
    made = [BUYER, event("a", "x", "y"), concept("pair", "feature:x", "feature:y")]
    made += [recall("asked", "pair", perspectives=("Cost",)), use("so", "asked", "pair")]
    before = given(*made)
    number = before.when(event("b")).node("pair").number
    after = before.when(dissolve("gone", "pair"))
    assert after.answer.refused is None
    assert after.graph.changed_regards[number] == ()


def test_what_is_given_to_a_regard_that_is_full_is_not_taken_from_it() -> None:
    """Of the last use there was room for a third of what it gives; taken back, and given again, is just that."""
    told = [BUYER, policy("full", regard_max=NEW + 0.05), event("one", perspectives=("Cost",)), recall("r", "one")]
    before = given(*told, recall("s", "one"), use("u", "r", "one", perspectives=("Cost",)))
    full = before.when(use("v", "s", "one", perspectives=("Cost",))).then(regard("one", "Cost", value=NEW + 0.05))
    full.when(judge("wrong", ("v", "reject"), origin="user")).then(regard("one", "Cost", value=NEW + 0.05, uses=1))
    full.when(judge("right", ("v", "release"), origin="user")).then(regard("one", "Cost", value=NEW + 0.05, uses=2))
    less = full.when(judge("no", ("u", "reject"), origin="user")).then(regard("one", "Cost", value=NEW, uses=1))
    less.when(judge("yes", ("u", "release"), origin="user")).then(regard("one", "Cost", value=NEW + 0.05, uses=2))
