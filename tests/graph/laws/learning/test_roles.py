"""What roles a memory has, what they care about, and what becomes of that when it is renamed or ended (003, 3.2)."""

import pytest

from tests.graph.commands import event, recall, role, use
from tests.graph.laws.learning.test_regards import regard, strong, under
from tests.graph.scenario import Moment, accepted, given, refused
from yggdrasil_projections.graph.laws.regard import keys_of
from yggdrasil_schemas.graph.perspectives import Perspective, Role, perspective_key
from yggdrasil_schemas.limits import ROLES_MAX
from yggdrasil_schemas.refusals import Refusal

BUYER = role("buyers", "buyer", {"name": "Cost", "keywords": ["price", "budget"]}, "Risk")
COST, RISK = perspective_key("Cost"), perspective_key("Risk")


def roles(moment: Moment) -> dict[str, dict[str, bytes]]:
    """The keys of their perspectives by name, in the order in which they were said."""
    return {name: {each.name: each.key for each in role.perspectives} for name, role in moment.graph.roles.items()}


def test_a_role_is_what_an_operator_says() -> None:
    defined = given(event("one")).when(BUYER).then(accepted(2))
    cost, risk = Perspective(COST, "Cost", ("price", "budget")), Perspective(RISK, "Risk")
    assert defined.graph.roles == {"buyer": Role((cost, risk))}
    assert len(COST) == 8


@pytest.mark.parametrize("origin", ["agent", "user", "tool", "thinker", "import"])
def test_nobody_else_has_a_say_in_it(origin: str) -> None:
    given().when(role("buyers", "buyer", "Cost", origin=origin)).then(refused(Refusal.NOT_ALLOWED))


def test_said_anew_it_has_those_perspectives_and_no_others() -> None:
    again = given(BUYER).when(role("again", "buyer", "Delivery", "Risk"))
    assert roles(again) == {"buyer": {"Delivery": perspective_key("Delivery"), "Risk": RISK}}


def test_two_roles_share_what_has_one_name() -> None:
    shared = given(BUYER).when(role("critics", "critic", "Risk", "Proof"))
    assert roles(shared)["critic"]["Risk"] == RISK
    assert keys_of(shared.graph, ("Risk", "Proof", "nobody's")) == tuple(sorted((RISK, perspective_key("Proof"))))
    before = given(
        BUYER, role("critics", "critic", "Risk"), event("one"), recall("asked", "one", perspectives=("Risk",))
    )
    used = before.when(use("so", "asked", "one")).then(under("one", "Risk"))
    gone = used.when(role("no buyers", "buyer"))
    assert keys_of(gone.graph, ("Risk",)) == (RISK,)


def test_what_is_renamed_keeps_what_is_strong_under_it() -> None:
    used = given(BUYER, event("one", perspectives=("Cost",)))
    renamed = used.when(role("renamed", "buyer", {"name": "Price", "formerly": "Cost"}, "Risk"))
    assert roles(renamed) == {"buyer": {"Price": COST, "Risk": RISK}}
    renamed.then(regard("one", "Cost", value=1.5), strong("one", "Price", value=1.5))
    assert keys_of(renamed.graph, ("Cost",)) == ()
    anew = renamed.when(role("again", "buyer", {"name": "Money", "formerly": "Price"}))
    assert roles(anew) == {"buyer": {"Money": COST}}


def test_a_definition_that_is_said_again_changes_nothing() -> None:
    same = [{"name": "Price", "formerly": "Cost"}, {"name": "Risk"}]
    other = role("elsewhere", "critic", "Price")
    again = given(other, BUYER, role("renamed", "buyer", *same)).when(role("again", "buyer", *same))
    assert roles(again) == {"critic": {"Price": perspective_key("Price")}, "buyer": {"Price": COST, "Risk": RISK}}


def test_two_can_be_renamed_into_each_other() -> None:
    swapped = role("swapped", "buyer", {"name": "Risk", "formerly": "Cost"}, {"name": "Cost", "formerly": "Risk"})
    assert roles(given(BUYER).when(swapped)) == {"buyer": {"Risk": COST, "Cost": RISK}}


@pytest.mark.parametrize("first", [True, False])
def test_something_else_that_gets_the_old_name_is_a_new_one(first: bool) -> None:
    """Wherever it stands; none of them is left out."""
    both = [{"name": "Price", "formerly": "Cost"}, {"name": "Cost"}]
    renamed = given(BUYER).when(role("renamed", "buyer", *(both if first else both[::-1])))
    found = roles(renamed)["buyer"]
    assert found == {"Price": COST, "Cost": perspective_key("Cost\0002")}
    assert list(found) == (["Price", "Cost"] if first else ["Cost", "Price"])
    later = given(BUYER, role("renamed", "buyer", both[0])).when(role("later", "buyer", "Price", "Cost"))
    assert roles(later)["buyer"] == {"Price": COST, "Cost": perspective_key("Cost\0003")}


def test_an_old_name_in_another_role_is_still_the_same_one() -> None:
    renamed = given(BUYER, role("critics", "critic", "Cost")).when(
        role("renamed", "buyer", {"name": "Price", "formerly": "Cost"})
    )
    assert roles(renamed) == {"buyer": {"Price": COST}, "critic": {"Cost": COST}}
    third = renamed.when(role("third", "builder", "Price", "Cost"))
    found = roles(third)["builder"]
    assert found["Price"] == COST
    assert found["Cost"] not in (COST, RISK)
    assert keys_of(third.graph, ("Cost",)) == tuple(sorted((COST, found["Cost"])))


@pytest.mark.parametrize("first", [True, False])
def test_what_is_in_the_role_already_keeps_its_key_before_what_comes_from_another(first: bool) -> None:
    other = [role("other", "critic", "Cost"), role("renamed", "critic", {"name": "Bill", "formerly": "Cost"})]
    said = ["Bill", "Cost"] if first else ["Cost", "Bill"]
    found = roles(given(BUYER, *other).when(role("both", "buyer", *said)))
    assert found["critic"] == {"Bill": COST}
    assert found["buyer"] == {"Cost": COST, "Bill": perspective_key("Bill\0004")}


def test_an_ended_role_leaves_what_is_strong_and_finds_it_again() -> None:
    before = given(BUYER, event("one", perspectives=("Cost",)))
    ended = before.when(role("ended", "buyer")).then(accepted(3), under("one", "Cost"))
    assert ended.graph.roles == {}
    ended.then(strong("one", "Cost", value=1.5))  # its own
    nothing = ended.when(event("two", perspectives=("Cost",))).then(under("two"))
    back = nothing.when(role("again", "buyer", "Cost"))
    back.then(under("one", "Cost"))
    assert keys_of(back.graph, ("Cost",)) == (COST,)


def test_what_is_not_there_can_be_ended() -> None:
    given().when(role("ended", "nobody")).then(accepted(1))


def test_there_is_room_for_sixteen() -> None:
    full = given(*(role(f"r{n}", f"role{n}", "Cost") for n in range(ROLES_MAX)))
    full.when(role("more", "one more", "Cost")).then(refused(Refusal.ROLES_FULL))
    full.when(role("known", "role3", "Risk")).then(accepted(ROLES_MAX + 1))
    full.when(role("ended", "role4")).then(accepted(ROLES_MAX + 2))
    full.when(role("for it", "one more", "Cost")).then(accepted(ROLES_MAX + 3))


def test_what_was_asked_stays_asked_when_the_role_has_ended() -> None:
    before = given(BUYER, event("one"), recall("asked", "one", perspectives=("Risk", "Cost")), role("ended", "buyer"))
    before.when(use("so", "asked", "one")).then(under("one", "Cost", "Risk"))


def test_a_name_that_was_given_up_is_something_new_in_every_role() -> None:
    renamed = given(role("first", "a", "Cost"), role("again", "a", {"name": "Price", "formerly": "Cost"}))
    elsewhere = renamed.when(role("other", "b", "Cost"))
    (cost,) = elsewhere.graph.roles["b"].perspectives
    assert cost.key not in {each.key for each in elsewhere.graph.roles["a"].perspectives}
