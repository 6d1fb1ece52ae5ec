"""What would be said today: kept, restated, condensed or flagged, and never merged where one thing matters."""

import pytest

from tests.thinkers.digestion.told import Claiming, Told
from yggdrasil_processors.thinkers.digestion import Reweaver, Verifier

BACKOFF = "exponential backoff"


def holds(told: Told, *values: str) -> None:
    """Let these be claimed of what the service retries with, and stand."""
    for at, value in enumerate(values):
        event = told.memory.record_event(f"pay retries with {value}", session=f"s{at}")
        told.memory.assert_claim("service:pay", "retries_with", value, evidence=[event])


def standing(told: Told) -> dict[object, str]:
    """What became of each value; of two claims of one value what stands."""
    found = told.memory.claims("service:pay", history=True).claims
    said = [(each.claim.object, each.status) for each in found if each.claim]
    return dict(sorted(said, key=lambda each: each[1] == "active"))


def test_what_says_the_same_in_other_forms_is_condensed_with_the_evidence_of_both(told: Told) -> None:
    holds(told, BACKOFF, "exponential backoffs")
    told.digest(Reweaver, Verifier)
    assert standing(told) == {BACKOFF: "active", "exponential backoffs": "superseded"}
    (kept,) = told.memory.claims("service:pay").claims
    evidence = [each.kind for each in told.memory.lineage(kept.ref).evidence]
    assert evidence.count("event") == 2, "with those that it condenses, while it waited"
    condensed = told.claim("retries_with", "exponential backoffs", "s1")
    assert condensed.into == kept.ref
    assert [one.decided for one in told.digest(Reweaver)] == [0]


def test_what_says_more_takes_the_place_of_what_says_less(told: Told) -> None:
    holds(told, BACKOFF, "exponential backoff and jitter")
    told.digest(Reweaver, Verifier)
    assert standing(told) == {BACKOFF: "superseded", "exponential backoff and jitter": "active"}


def test_what_says_less_takes_nothing_away(told: Told) -> None:
    holds(told, "exponential backoff and jitter", BACKOFF)
    told.digest(Reweaver, Verifier)
    assert standing(told) == {BACKOFF: "superseded", "exponential backoff and jitter": "active"}


@pytest.mark.parametrize(
    ("one", "other", "flagged"),
    [
        ("3 attempts per minute", "4 attempts per minute", True),
        ("backoff for uploads", "no backoff for uploads", True),
        ("the client of Ben Hill", "the client of Carl Hill", False),
        ("the cache before the queue", "the queue before the cache", False),
        ("a fixed pause", "a random pause", False),
    ],
)
def test_likeness_is_not_sameness(told: Told, one: str, other: str, flagged: bool) -> None:
    holds(told, one, other)
    told.digest(Reweaver)
    assert standing(told) == {one: "active", other: "active"}
    found = told.digestion("s1").connections
    assert [(each.relation, each.by) for each in found] == [("contradicts", "reweaver")] * flagged
    assert all("they differ in a figure or a negation alone" in (each.reason or "") for each in found)
    assert [run.decided for run in told.digest(Reweaver)] == [0]


def test_what_is_trusted_more_stays_beside_what_says_more(told: Told) -> None:
    user = told.store.memory("me/agent", source="ines", origin="user")
    event = user.record_event(f"It retries with {BACKOFF}", session="s0")
    user.assert_claim("service:pay", "retries_with", BACKOFF, evidence=[event])
    told.says("It retries with backoff and jitter", session="s1")
    told.memory.assert_claim("service:pay", "retries_with", "exponential backoff and jitter")
    told.digest(Reweaver, Verifier)
    assert standing(told)[BACKOFF] == "active"


def test_a_candidate_takes_nothing_away_until_it_stands(told: Told) -> None:
    more = "exponential backoff and jitter"
    holds(told, BACKOFF)
    told.says(f"pay retries with {more}", ("service:pay", "retries_with", more), session="s1")
    told.digest(Claiming, Reweaver)
    assert standing(told) == {BACKOFF: "active", more: "candidate"}
    told.digest(Claiming, Reweaver, Verifier)
    assert standing(told) == {BACKOFF: "superseded", more: "active"}


def test_a_candidate_that_says_no_more_takes_no_place(told: Told) -> None:
    holds(told, BACKOFF)
    told.says(
        "pay retries with exponential backoffs", ("service:pay", "retries_with", "exponential backoffs"), session="x"
    )
    told.digest()
    assert standing(told) == {BACKOFF: "active", "exponential backoffs": "rejected"}


def test_much_of_which_nothing_follows_stops_nobody(told: Told) -> None:
    """More claims than a state holds: the frame asks on, a few at a time."""
    for at in range(650):
        told.memory.assert_claim(f"thing:{at}", "colour", f"blue{at}")
    assert [one.decided for one in told.digest(Reweaver)] == [0]


def test_numbers_and_other_qualifiers_are_kept_apart(told: Told) -> None:
    told.memory.assert_claim("shop:a", "offers", "apples of Oslo", qualifiers={"price": "3"})
    told.memory.assert_claim("shop:a", "offers", "apple of Oslo", qualifiers={"price": "4"})
    told.memory.assert_claim("shop:a", "stock", 3)
    told.memory.assert_claim("shop:a", "stock", 30)
    assert [one.decided for one in told.digest(Reweaver)] == [0]
