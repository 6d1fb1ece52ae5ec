"""What has done its work is put away and comes back; what else an event says, or is, keeps it where it is."""

from typing import Any

import pytest

from tests.thinkers.digestion.told import Claiming, Told
from yggdrasil_processors.thinkers.digestion import Archivist, Verifier
from yggdrasil_projections.retrieval.asks import Where

LIVES = ("person:ana", "lives_in", "Rome")


def archived(told: Told, event: str) -> bool:
    return told.seen(event).archived


def digested(told: Told) -> None:
    told.digest(Claiming, Verifier, Archivist)


def test_an_event_of_which_the_claims_stand_is_put_away_and_comes_back(told: Told) -> None:
    event = told.says("Ana lives in Rome", LIVES)
    user = told.says("Ben lives in Oslo", ("person:ben", "lives_in", "Oslo"), by="ines", origin="user")
    digested(told)
    assert archived(told, event)
    assert archived(told, user), "whoever said it: it says nothing of whether that holds"
    assert told.digestion().archived == [event, user]
    found = told.memory.get_context("Where does Ana live?", record=False)
    assert event not in [each.memory.ref for each in found.found]
    assert found.found[0].memory.claim is not None
    deep = told.memory.get_context("Where does Ana live?", deep=True, record=False, where=Where(kinds=["event"]))
    assert event in [each.memory.ref for each in deep.found]
    told.memory.reinstate(event, "look again")
    assert not archived(told, event)
    digested(told)
    assert not archived(told, event), "it is put away once"


def test_what_stays_where_it_is(told: Told) -> None:
    judged = told.says("Ana lives in Rome", LIVES)
    told.memory.log_outcome(judged, 2.0, kind="good")
    pinned = told.says("Ben lives in Oslo", ("person:ben", "lives_in", "Oslo"))
    told.store.memory("me/agent", source="ines", origin="operator").pin(pinned)
    decided = told.says("Carl lives in Bonn", ("person:carl", "lives_in", "Bonn"), features=["decision"])
    unsupported = told.says("Eve came late", ("person:eve", "works_for", "Acme Corporation"))
    stranger = told.says("Fay lives in Graz", ("person:fay", "lives_in", "Graz"), by="web", trust=0)
    much = told.says(
        "Gil lives in Linz; he told at length of holidays with dogs, mountains, rivers, boats, friends and songs",
        ("person:gil", "lives_in", "Linz"),
        session="two",
    )
    plain = told.says("It rained all day", session="two")
    digested(told)
    events: dict[str, Any] = {
        "judged": judged, "pinned": pinned, "decided": decided, "unsupported": unsupported,
        "stranger": stranger, "much": much, "plain": plain,
    }  # fmt: skip
    assert [name for name, event in events.items() if archived(told, event)] == []


@pytest.mark.parametrize("ends", [True, False])
def test_only_what_has_ended(told: Told, ends: bool) -> None:
    opening = told.bounds("open")
    event = told.says("Ana lives in Rome", LIVES)
    closing = told.bounds("close") if ends else event
    told.digest(Claiming, Verifier)
    done = told.store.think("archivist", rest=False)
    assert [one.decided for one in done] == [int(ends)]
    assert archived(told, event) == ends
    assert not archived(told, opening)
    assert closing == event or not archived(told, closing)
