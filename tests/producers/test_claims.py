"""JSON lines of claims, and facts of turns, become claims; a line that is none is named, and the rest is taken."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.producers.drafts import DRAFTER
from yggdrasil_producers.errors import ImporterError
from yggdrasil_producers.importers import import_chat, import_claims
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import ClearContent
from yggdrasil_schemas.commands.knowledge import AssertClaim
from yggdrasil_schemas.limits import RECORD_BYTES_MAX
from yggdrasil_schemas.names import text_digest

OSLO = {"predicate": "lives_in", "object": "city:oslo"}


def written(folder: Path, *lines: object) -> Path:
    file = folder / "lines.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return file


def claims_in(file: Path) -> list[AssertClaim]:
    return [each for each in commands_in(import_claims(file, DRAFTER).drafts) if isinstance(each, AssertClaim)]


def commands_in(drafts: Any) -> list[Any]:
    found: list[Any] = []
    for draft in drafts:
        decoded = decode(draft.value)
        assert isinstance(decoded, Decoded), decoded
        found.append(decoded.command)
    return found


def content(claim: AssertClaim) -> ClearContent:
    assert isinstance(claim.content, ClearContent)
    return claim.content


def test_lines_become_claims_of_their_sources(tmp_path: Path) -> None:
    lines = [
        {"entity": "person:ana", "claim": OSLO, "source": "crm", "confidence": 0.9, "timestamp": "2026-05-01T00:00Z",
         "author": "ben", "ticket": 7},
        {"entity": "Ana", "claim": "likes hiking", "timestamp": -5},
        {"entity": "person:ana", "claim": {**OSLO, "valid_from": None, "valid_to": 9, "qualifiers": {"floor": "3"},
                                           "text": "Ana has a flat in Oslo"}, "confidence": 80},
    ]  # fmt: skip
    one, two, three = claims_in(written(tmp_path, *lines))
    assert (one.source, one.origin, one.at, one.body.valid_from) == ("import:crm", "import", *[1_777_593_600_000] * 2)
    assert (one.body.confidence, one.body.object.entity, content(one).text) == (90, "city:oslo", "ana lives in oslo")
    assert content(one).payload == {"source": "crm", "timestamp": "2026-05-01T00:00Z", "author": "ben", "ticket": 7}
    assert (two.source, two.body.predicate, two.body.confidence, two.body.valid_from) == (
        DRAFTER.source,
        "claim",
        70,
        -5,
    )
    assert (two.body.object.digest, content(two).object) == (text_digest("Likes  hiking"), "likes hiking")
    assert content(two).text == "Ana: likes hiking"
    assert (three.body.valid_from, three.body.valid_to, three.body.confidence) == (None, 9, 80)
    assert (three.body.qualifiers, content(three).text) == ({"floor": "3"}, "Ana has a flat in Oslo")


def test_ids_follow_from_what_a_line_says_and_not_from_how_or_where(tmp_path: Path) -> None:
    said = {"entity": "person:ana", "claim": OSLO, "source": "crm", "confidence": 0.5}
    same = [said, json.dumps(dict(reversed(said.items())), indent=None, separators=(" ,", ":  "))]
    others = [{**said, "source": "erp"}, {**said, "confidence": 0.6}, {**said, "timestamp": 1}]
    ids = [each.id for each in claims_in(written(tmp_path, *same, "", *others))]
    assert ids[0] == ids[1] and len(set(ids)) == 4


def test_what_is_no_claim_is_named_by_its_line_and_the_rest_is_taken(tmp_path: Path) -> None:
    good = {"entity": "person:ana", "claim": OSLO}
    wrong: list[object] = [
        "{", "[1]", "[" * 900 + "]" * 900, {"claim": OSLO}, {"entity": "", "claim": OSLO}, {"entity": "a", "claim": ""},
        {"entity": "a"}, {"entity": "a", "claim": {"predicate": "is"}}, {"entity": "a", "claim": {"object": 1}},
        {"entity": "a", "claim": {**OSLO, "moon": 1}}, {"entity": "a", "claim": {**OSLO, "subject": "b"}},
        {"entity": "a", "claim": {**OSLO, "object": [1]}}, {"entity": "a", "claim": {**OSLO, "object": 1e300}},
        {"entity": "a", "claim": {**OSLO, "valid_from": 2, "valid_to": 1}}, {"entity": "a\u0007", "claim": OSLO},
        {"entity": "outcome:a", "claim": OSLO}, {"entity": "a", "claim": OSLO, "confidence": 101},
        {"entity": "a", "claim": OSLO, "confidence": True}, {"entity": "a", "claim": OSLO, "timestamp": "soon"},
        {"entity": "a", "claim": OSLO, "timestamp": 2**60}, {"entity": "a", "claim": OSLO, "source": "x" * 200},
        {"entity": "a", "claim": "x" * 1_025}, {"entity": "a", "claim": OSLO, "deep": json.loads("[" * 99 + "]" * 99)},
        {"entity": "a", "claim": OSLO, "author": "x" * RECORD_BYTES_MAX},
    ]  # fmt: skip
    importing = import_claims(written(tmp_path, good, *wrong, good | {"author": "ben"}), DRAFTER)
    assert importing.total == len(list(importing.drafts)) == importing.done == 2
    assert (importing.unread.count, [place for place, _, _ in importing.unread.places]) == (
        len(wrong),
        [f"line {number}" for number in range(2, len(wrong) + 2)],
    )
    assert all(why and "literal_error" not in why for _, _, why in importing.unread.places), importing.unread.places
    with pytest.raises(ImporterError, match="JSON lines"):
        import_claims(tmp_path / "nowhere", DRAFTER)


def test_a_turn_brings_its_facts_with_it_as_evidence(tmp_path: Path) -> None:
    turn = {"role": "user", "content": "I moved to Oslo, and ate", "at": 5, "id": "m1", "session": "monday"}
    plain = [draft.id for draft in import_chat(written(tmp_path, turn), DRAFTER).drafts]
    facts = [["person:ana", "lives_in", "city:oslo"], {"subject": "person:ana", "predicate": "hungry", "object": False,
                                                       "valid_to": "1970-01-01", "valid_from": -9}]  # fmt: skip
    importing = import_chat(written(tmp_path, turn | {"facts": facts}), DRAFTER)
    event, home, hungry = commands_in(importing.drafts)
    assert ([event.id], importing.total) == (plain, 1)  # what was imported before there were facts stays what it is
    assert (home.body.evidence, home.session, home.at, home.body.valid_from) == ([event.id], "monday", 5, 5)
    assert (hungry.body.object.flag, hungry.body.valid_from, hungry.body.valid_to) == (False, -9, 0)
    again = [draft.id for draft in import_chat(written(tmp_path, turn | {"facts": facts}), DRAFTER).drafts]
    assert again == [event.id, home.id, hungry.id]
    none: tuple[Any, ...] = ("x", [["a", "b"]], [["a", "b", None]], [["a\u0007", "b", "c"]], [["a", "b" * 65, "c"]],
                             [[]] * 257)  # fmt: skip
    for wrong in none:
        with pytest.raises(ImporterError, match=r"line 1: 'facts'"):
            import_chat(written(tmp_path, turn | {"facts": wrong}), DRAFTER)
