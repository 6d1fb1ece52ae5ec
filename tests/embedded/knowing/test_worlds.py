"""What an agent observes of a world, and what it learns of paths by walking them."""

from pathlib import Path
from typing import Any

import pytest

from yggdrasil import CommandRefusedError, InvalidCommandError, Leg, Memory, Store, UnknownMemoryError, Where
from yggdrasil.engines.embedded import Embedded


@pytest.fixture
def memory(house: Store) -> Memory[Embedded]:
    return house.memory("me/agent", source="ana", origin="user")


def told(memory: Memory[Embedded], subject: str, **asked: Any) -> list[tuple[str, object]]:
    found = memory.claims(subject, **asked).claims
    return sorted((each.claim.predicate, each.claim.object) for each in found if each.claim)


def risk(memory: Memory[Embedded], start: str) -> list[str | None]:
    found = memory.claims(thing=start, predicate="path").claims
    return [each.claim.qualifiers.get("risk") for each in found if each.claim]


def test_an_observation_says_where_it_was_and_who_was_there(memory: Memory[Embedded]) -> None:
    seen = memory.observe(
        "Traded sticks with the smith",
        [("npc:smith", "offers", "item:nail")],
        place="forge",
        place_type="workshop",
        anchor="overworld/120/64/-33",
        actor="smith",
        kind="trade",
        evidence=["obs-7"],
    )
    event = memory.describe(seen.event).memory
    assert event.features == ["place:forge", "actor:smith", "kind:trade"]
    assert event.payload == {"evidence": ["obs-7"]}
    assert told(memory, "place:forge") == [("at", "overworld/120/64/-33"), ("is_a", "type:workshop")]
    assert told(memory, "actor:smith") == [("last_seen_at", "place:forge")]
    assert told(memory, "npc:smith") == [("offers", "item:nail")]
    assert len(seen.facts) == 4


def test_an_anchor_may_come_in_parts(memory: Memory[Embedded]) -> None:
    memory.observe("A forge", place="forge", anchor=("overworld", 120, 64, -33))
    memory.observe("A mine", place="mine", anchor=("overworld", 7, -3))
    assert told(memory, "place:forge") + told(memory, "place:mine") == [
        ("at", "overworld/120/64/-33"),
        ("at", "overworld/7/-3"),
    ]


def test_a_glance_waits_until_the_place_is_seen_again_later(memory: Memory[Embedded]) -> None:
    def glance() -> None:
        memory.observe("A bed in a tent", place="tent", place_type="bed", kind="discovery")

    glance()
    assert told(memory, "place:tent") == []
    assert told(memory, "place:tent", statuses=["candidate"]) == [("seen_as", "type:bed")]
    glance()
    assert told(memory, "place:tent") == [], "at once is no second sighting"
    for number in range(5):
        memory.record_event(f"Walked on, step {number}")
    glance()
    assert told(memory, "place:tent") == [("seen_as", "type:bed")]


def test_a_claim_that_waits_shows_its_sightings_and_when_the_next_one_counts(memory: Memory[Embedded]) -> None:
    def sightings() -> list[tuple[int, int | None, int | None, int | None]]:
        found = memory.claims("place:tent", "seen_as", statuses=["candidate", "active"]).claims
        said = [each.claim for each in found if each.claim is not None]
        return [(each.seen, each.sighted, each.seen_again_from, each.seen_enough) for each in said]

    def glance() -> int:
        scene = memory.observe("A bed in a tent", place="tent", place_type="bed", kind="discovery")
        place = memory.describe(scene.event).place
        assert place is not None
        return place.seq

    first = glance()
    assert sightings() == [(1, first, first + 5, 2)]
    while memory.timeline().as_of < first + 4:
        memory.record_event("Walked on")
    last = glance()
    assert last == first + 5 and sightings() == [(2, last, None, None)], "it waits no longer"
    memory.assert_claim("place:tent", "owner", "person:ana", candidate=True)
    waits = memory.claims("place:tent", "owner", statuses=["candidate"]).claims[0].claim
    assert waits is not None and (waits.seen, waits.seen_again_from, waits.seen_enough) == (0, None, None)


def test_the_kind_says_how_much_an_event_matters_and_salience_says_better(memory: Memory[Embedded]) -> None:
    def salience(**scene: Any) -> float:
        return memory.describe(memory.observe("Something", **scene).event).memory.salience

    death, trade, plain = salience(kind="death"), salience(kind="trade"), salience()
    assert death > trade > plain
    assert salience(kind="trade", salience=0.0) < plain


def test_a_thing_that_moved_is_where_it_was_seen_last(memory: Memory[Embedded]) -> None:
    for where in ("forge", "market"):
        memory.observe(f"The smith is at the {where}", place=where, actor="smith")
    assert told(memory, "actor:smith") == [("last_seen_at", "place:market")]


def test_many_at_once_and_which_one_was_wrong(memory: Memory[Embedded]) -> None:
    done = memory.observe_many([{"text": "One", "place": "a"}, {"text": "Two", "place": "b", "kind": "sleep"}])
    assert [memory.describe(each.event).memory.text for each in done] == ["One", "Two"]
    with pytest.raises(InvalidCommandError, match=r"observations\.1: kind is one of"):
        memory.observe_many([{"text": "Three"}, {"text": "Four", "kind": "party"}])
    assert memory.timeline(where=Where(features_all=["place:b"])).memories


@pytest.mark.parametrize(
    ("scene", "wrong"),
    [
        ({"kind": "party"}, "kind is one of"),
        ({"salience": 1.5}, "between 0 and 1"),
        ({"place_type": "bed"}, "name the place"),
        ({"anchor": "overworld/1/2/3"}, "name one of them"),
        ({"place": "a", "anchor": "overworld/1"}, "anchor"),
        ({"place": "a", "anchor": "overworld/01/2/3"}, "anchor"),
        ({"place": "a", "anchor": ("overworld", 1.5, 2, 3)}, "anchor"),
        ({"evidence": "obs"}, "list"),
        ({"evidence": ["x"] * 33}, "at most 32"),
        ({"salience": "much"}, "between 0 and 1"),
        ({"place": 3}, "place is a text"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_recorded(
    memory: Memory[Embedded], scene: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(InvalidCommandError, match=wrong):
        memory.observe("Something", **scene)
    with pytest.raises(UnknownMemoryError):
        memory.timeline()


def test_a_walk_teaches_paths_and_what_is_risky(memory: Memory[Embedded]) -> None:
    walked = memory.walk(
        "home", [Leg("bridge", 40, length=60), {"to": "forge", "ticks": 30, "danger": 0.8}], actor="ana"
    )
    assert (len(walked.events), len(walked.paths), len(walked.outcomes)) == (2, 2, 1)
    assert risk(memory, "place:home") == ["0"]
    assert risk(memory, "place:forge") == ["200"]
    assert told(memory, "actor:ana") == [("last_seen_at", "place:forge")]
    outcome = memory.describe(walked.events[1]).memory.outcomes[0]
    assert (outcome.kind, outcome.value) == ("danger", -8.0)
    assert memory.describe(walked.events[0]).memory.salience  # the leg before it took a share
    memory.walk("bridge", [Leg("forge", 31)])
    assert risk(memory, "place:forge") == ["175"]
    back = memory.walk("forge", [Leg("bridge", 33)])
    assert risk(memory, "place:forge") == ["154"], "a path leads back as well"
    assert memory.describe(back.events[0]).memory.outcomes[0].kind == "arrived"


def path_of(memory: Memory[Embedded], start: str, end: str) -> dict[str, str]:
    (found,) = (each.claim for each in memory.claims(start, "path", end).claims)
    assert found is not None
    return found.qualifiers


def test_what_was_not_noticed_on_the_way_stays_as_it_was_known(memory: Memory[Embedded]) -> None:
    known = {"ticks": "20", "length": "60", "lit": "no", "risk": "800"}
    memory.assert_claim("place:a", "path", "place:b", qualifiers=known)
    for number in range(260):
        memory.assert_claim("place:a", "path", f"place:other{number}", qualifiers={"ticks": "1"})
    memory.walk("a", [Leg("b", 25)])
    assert path_of(memory, "place:a", "place:b") == known | {"ticks": "25", "risk": "700"}


def test_a_path_that_leads_one_way_stays_so(memory: Memory[Embedded]) -> None:
    memory.assert_claim("place:cliff", "path", "place:sea", qualifiers={"ticks": "5", "oneway": "yes"})
    memory.walk("cliff", [Leg("sea", 7)])
    assert memory.route("place:cliff", "place:sea").cost == 7_000
    assert memory.route("place:sea", "place:cliff").by == "nothing"
    assert path_of(memory, "place:cliff", "place:sea")["ticks"] == "7"


def test_a_walk_knows_places_by_their_other_names(memory: Memory[Embedded]) -> None:
    memory.assert_claim("place:mine", "path", "place:b", qualifiers={"ticks": "20", "risk": "800"})
    memory.alias("place:old mine", "place:mine")
    memory.walk("old mine", [Leg("b", 25)])
    assert path_of(memory, "place:mine", "place:b")["risk"] == "700"


def test_a_walk_that_is_malformed_anywhere_is_not_begun(memory: Memory[Embedded]) -> None:
    with pytest.raises(InvalidCommandError, match="ticks"):
        memory.walk("home", [Leg("a", 1), Leg("b", -1)])
    with pytest.raises(UnknownMemoryError):
        memory.timeline()


def test_a_walk_has_bounds(memory: Memory[Embedded]) -> None:
    for legs in ([], [Leg("a", 1)] * 65):
        with pytest.raises(InvalidCommandError, match="1 to 64 legs"):
            memory.walk("home", legs)
    for leg in (
        {"ticks": 1},
        {"to": "a", "ticks": -1},
        {"to": "a", "ticks": 1, "danger": 2},
        {"to": "a", "ticks": 1.5},
    ):
        with pytest.raises(InvalidCommandError):
            memory.walk("home", [leg])
    with pytest.raises((InvalidCommandError, CommandRefusedError)):
        memory.walk("home", [Leg("", 1)])


def test_over_a_service_it_is_the_same(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "house", "me/agent", daemon=True) as served:
        walked = served.walk("home", [Leg("forge", 10, lit=False)])
        (path,) = served.claims(thing="place:home", predicate="path").claims
        assert path.claim is not None
        assert path.claim.qualifiers == {"ticks": "10", "lit": "no", "risk": "0"}
        assert path.ref == walked.paths[0]
