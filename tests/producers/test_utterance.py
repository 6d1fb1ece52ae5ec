"""What a loop says that tells nothing new: the rule's cases, which the TypeScript client is held to as well."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.producers.drafts import DRAFTER, told
from tests.producers.test_chat import turn, written
from yggdrasil_producers.importers.chat import import_chat
from yggdrasil_producers.utterance import kinds_of
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands.experience import RecordEvent

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "corpus" / "utterances.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["said"])[:40])
def test_the_cases_of_the_rule(case: dict[str, Any]) -> None:
    kinds = kinds_of(case["said"], case.get("recalled", ()), case.get("tools", ()))
    assert (None if kinds is None else sorted(each.value for each in kinds)) == case["kinds"]


def test_of_an_imported_chat_what_the_assistant_says_for_nothing_is_an_utterance(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        turn("What is Ana allergic to?"),
        turn("I do not know.", "assistant"),
        turn("Who is Ana?", "Assistant", id="m3"),
        turn("Ana is allergic to nuts."),
        turn("Noted.", "model"),
        turn("Nuts are in the cake, so leave it.", "assistant"),
        turn("How are you?", "Caroline"),
    )
    events = told(import_chat(file, DRAFTER).drafts).events
    said = [(each.body.note, each.body.features[0]) for each in events]
    assert said == [
        (None, "role:user"),
        ("utterance", "role:assistant"),
        ("utterance", "role:Assistant"),
        (None, "role:user"),
        ("utterance", "role:model"),
        (None, "role:assistant"),
        (None, "role:Caroline"),
    ]
    assert [each.id for each in told(import_chat(file, DRAFTER).drafts).events] == [each.id for each in events]


def test_what_facts_were_learnt_from_is_searched(tmp_path: Path) -> None:
    file = written(tmp_path, turn("Shall the limit be 30?", "assistant", facts=[["api", "limit", "30"]]))
    event = decode(next(iter(import_chat(file, DRAFTER).drafts)).value)
    assert isinstance(event, Decoded) and isinstance(event.command, RecordEvent) and event.command.body.note is None
