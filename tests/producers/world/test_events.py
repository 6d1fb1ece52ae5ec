"""JSON lines in the event schema of 002 become observations; a line that is none is named, and the rest is taken."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.producers.drafts import DRAFTER
from tests.producers.world.reading import claims_in, commands_of, events_in
from yggdrasil_producers.importers.world import import_events
from yggdrasil_schemas.commands import ClearContent

LINE: dict[str, Any] = {
    "ts": 1_767_225_600_000,
    "actor": "ana",
    "placeId": "oakfield",
    "placeType": "village",
    "worldAnchor": {"chunk": {"cx": 7, "cz": -3}, "block": {"x": 120, "y": 64, "z": -33}},
    "kind": "DISCOVERY",
    "payload": {"beds": 3},
    "evidence": ["obs-1", "obs-2"],
}
COLUMNS = {"ts": 5, "actor": "npc:smith", "place_id": "forge", "chunk_cx": 1, "chunk_cz": 2, "kind": "TRADE"}


def written(folder: Path, *lines: object) -> Path:
    file = folder / "events.jsonl"
    file.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines))
    return file


def test_a_line_is_an_event_and_what_it_tells_of(tmp_path: Path) -> None:
    commands = commands_of(import_events(written(tmp_path, LINE), DRAFTER, "overworld"))
    (event,) = events_in(commands)
    assert (event.at, event.body.features) == (LINE["ts"], ["place:oakfield", "actor:ana", "kind:discovery"])
    assert isinstance(event.content, ClearContent)
    assert event.content.text == "discovery by ana at oakfield: beds 3"
    assert event.content.payload == {"beds": 3, "evidence": ["obs-1", "obs-2"]}
    assert claims_in(commands) == [
        ("place:oakfield", "seen_as", "type:village", {}),
        ("place:oakfield", "at", "overworld/120/64/-33", {}),
        ("actor:ana", "last_seen_at", "place:oakfield", {}),
    ]
    assert all(each.body.evidence == [event.id] for each in commands[1:])


def test_what_deals_with_a_place_is_sure_of_it_and_a_chunk_will_do(tmp_path: Path) -> None:
    line = COLUMNS | {"placeType": "forge", "salience": 0.9, "facts": [["npc:smith", "offers", "item:nail"]]}
    commands = commands_of(import_events(written(tmp_path, line), DRAFTER))
    assert events_in(commands)[0].body.prominence == 90
    assert claims_in(commands) == [
        ("place:forge", "is_a", "type:forge", {}),
        ("place:forge", "at", "world/1/2", {}),
        ("npc:smith", "last_seen_at", "place:forge", {}),
        ("npc:smith", "offers", "item:nail", {}),
    ]


def test_the_same_lines_give_the_same_commands(tmp_path: Path) -> None:
    file = written(tmp_path, LINE, COLUMNS)
    first, again = (list(import_events(file, DRAFTER).drafts) for _ in range(2))
    assert first == again
    assert len({each.id for each in first}) == len(first)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"kind": "PARTY"}, "kind is one of discovery"),
        ({"salience": 2}, "salience lies between 0 and 1"),
        ({"salience": "much"}, "'salience' lies between"),
        ({"worldAnchor": {"block": {"x": 1.5, "y": 2, "z": 3}}}, "'block' has whole numbers x, y, z"),
        ({"worldAnchor": {"chunk": {"cx": 1}}}, "'chunk' has whole numbers cx, cz"),
        ({"worldAnchor": [1, 2, 3]}, "'worldAnchor' is an object"),
        ({"worldAnchor": {"block": {"x": 2**40, "y": 2, "z": 3}}}, "anchor"),
        ({"worldAnchor": {"realm": "no/realm", "block": {"x": 1, "y": 2, "z": 3}}}, "anchor"),
        ({"evidence": "obs-1"}, "'evidence' is a list"),
        ({"payload": "x"}, "'payload' is an object"),
        ({"facts": [["a", "b"]]}, "a fact is"),
        ({"placeId": 7}, "'placeId' is a text"),
        ({"placeId": None}, "place_type says what a place is"),
        ({"ts": "yesterday"}, "'ts' takes Unix ms"),
        ("[1, 2]", 'expected {"ts"'),
        ("{", "no JSON"),
    ],
)
def test_what_is_none_is_named_and_the_rest_is_taken(tmp_path: Path, wrong: Any, told: str) -> None:
    line = wrong if isinstance(wrong, str) else LINE | wrong
    importing = import_events(written(tmp_path, COLUMNS, line, COLUMNS | {"ts": 6}), DRAFTER)
    assert importing.total == 2
    ((place, _, why),) = importing.unread.places
    assert place == "line 2"
    assert told in why
    assert len(events_in(commands_of(importing))) == 2
