"""Each gate, in order: what passes stands and is believed no more, what does not is rejected with the gate's name."""

from typing import Any

import pytest

from tests.thinkers.digestion.told import Claiming, Told
from yggdrasil_processors.thinkers.digestion import Verifier
from yggdrasil_projections.retrieval.asks import Where


def verified(told: Told) -> None:
    told.digest(Claiming, Verifier)


def test_what_its_evidence_says_stands_and_is_believed_no_more(told: Told) -> None:
    told.says("Ana Hill lives in Rome since 2019", ("person:ana hill", "lives_in", "Rome"))
    verified(told)
    found = told.claim("lives_in")
    assert (found.claim.status, found.verified, found.gate, found.by) == ("active", True, None, "reducer")
    assert (found.claim.trust, found.claim.claim and found.claim.claim.sources) == (1, 1)
    assert [one.decided for one in told.digest(Claiming, Verifier)] == [0, 0]


@pytest.mark.parametrize(
    ("text", "claim", "gate"),
    [
        ("Ana lives in Rome", ("person:ana", "works_for", "Acme Corporation"), "support"),
        ("The port of staging is 8080", ("database:staging", "port", "8081"), "support"),
        ("The port of staging is 8080", ("database:staging", "port", 8081), "support"),
        ("Staging never runs the migrations", ("database:staging", "runs", "the migrations"), "support"),
        ("Staging runs the migrations", ("database:staging", "runs", "no migrations"), "support"),
        ("Staging doesn't run the migrations", ("database:staging", "runs", "the migrations"), "support"),
        ("She lives in Rome", ("person:she", "lives_in", "Rome"), "names"),
        ("Somebody else lives in Rome now", ("person:ana", "lives_in", "Rome now"), "names"),
        ("Staging runs Postgres 15", ("database:staging", "runs", "Postgres 15"), None),
        ("On 3 March 2026 staging moved", ("database:staging", "moved", "2026-03-03"), None),
        ("Staging never runs the migrations", ("database:staging", "never_runs", "the migrations"), None),
        ("It took 1,200 ms on staging", ("database:staging", "took", "1200 ms"), None),
    ],
)
def test_support_and_names(told: Told, text: str, claim: tuple[str, str, Any], gate: str | None) -> None:
    told.says(text, claim)
    verified(told)
    found = told.claim(claim[1])
    assert (found.gate, found.claim.status) == (gate, "rejected" if gate else "active")
    if gate:
        assert found.claim.ruling and (found.claim.ruling.reason or "").startswith(f"{gate}: ")


def test_evidence_that_has_fallen_is_none(told: Told) -> None:
    event = told.says("Ana lives in Rome", ("person:ana", "lives_in", "Rome"))
    told.digest(Claiming)
    told.store.memory("me/agent", source="ines", origin="user").withdraw(event, "it was made up")
    verified(told)
    assert told.claim("lives_in").gate == "evidence"


def test_what_stands_already_in_other_forms_is_a_duplicate(told: Told) -> None:
    told.memory.assert_claim("service:pay", "retries_with", "exponential backoff")
    told.says("pay retries with exponential backoffs", ("service:pay", "retries_with", "exponential backoffs"))
    verified(told)
    assert told.claim("retries_with", "exponential backoffs").gate == "duplicate"


def test_what_is_not_found_by_its_own_words_is_not_retrievable(told: Told) -> None:
    for at in range(12):
        told.memory.record_event("Ana Ana lives lives in Rome Rome", session=f"other{at}", features=[f"n{at}"])
        told.memory.assert_claim(f"person:ana{at}", "lives_in", f"Rome, where Ana lives, number {at}", confidence=99)
    words = "it was said at length by somebody that among much else, and this is not short, " * 12
    told.says(f"{words} Ana lives in Rome", ("person:ana", "lives_in", "Rome"))
    verified(told)
    found = told.claim("lives_in", "Rome")
    assert found.gate in (None, "retrievable")  # by what the ranker makes of it
    where = Where(statuses=["active", "prior", "contested", "candidate", "rejected"])
    shown = told.memory.get_context("ana lives in Rome", k=5, record=False, where=where)
    assert (found.gate is None) == (found.claim.ref in [each.memory.ref for each in shown.found])


def test_whom_a_thinker_does_not_judge(told: Told) -> None:
    """What only strangers say, what is a rule, and what somebody sent back to wait."""
    told.says("Ana lives in Rome", ("person:ana", "lives_in", "Rome"), by="web", trust=0)
    told.memory.assert_claim("service:pay", "must", "be asked first", sort="rule")
    told.says("Ben lives in Oslo", ("person:ben", "lives_in", "Oslo"), session="two")
    verified(told)
    assert told.claim("lives_in").claim.status == "candidate"
    (rule,) = told.memory.claims("service:pay", statuses=["candidate"]).claims
    assert rule.ruling is None
    ben = told.claim("lives_in", session="two").claim
    assert ben.ruling
    operator = told.store.memory("me/agent", source="ines", origin="user")
    operator.withdraw(ben.ruling.by, "look again")
    verified(told)
    assert told.claim("lives_in", session="two").claim.status == "candidate"


def test_a_session_that_goes_on_is_not_looked_at(told: Told) -> None:
    told.bounds("open")
    event = told.memory.record_event("Ana lives in Rome", session="one")
    told.memory.assert_claim("person:ana", "lives_in", "Rome", evidence=[event], candidate=True)
    done = told.store.think("verifier", rest=False)
    assert [one.decided for one in done] == [0]
    told.bounds("close")
    done = told.store.think("verifier", rest=False)
    assert [one.decided for one in done] == [1]
    assert told.claim("lives_in").verified
