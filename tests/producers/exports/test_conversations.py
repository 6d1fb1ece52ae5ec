"""Conversations that Claude and ChatGPT export: sessions of messages; what nobody said is counted and passed over."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.producers.drafts import DRAFTER
from tests.producers.exports.samples import (
    CLAUDE,
    Importer,
    chatgpt,
    commands_of,
    content,
    imported,
    packed,
    said,
    texts,
    written,
)
from yggdrasil_producers.importers.exports import import_chatgpt, import_claude
from yggdrasil_producers.importers.turns import PART_CHARS_MAX

PLAIN = chatgpt(
    None,
    said("system", "You are ChatGPT", metadata={"is_visually_hidden_from_conversation": True}),
    said("user", "How do parcels go?", at=1_700_000_001.5),
    said("assistant", "By rail.", at=1_700_000_002, metadata={"model_slug": "gpt-4o"}),
)


def test_claude_says_who_said_what_and_when(tmp_path: Path) -> None:
    importing = import_claude(written(tmp_path, CLAUDE), DRAFTER)
    question, plan, answer = commands_of(importing)
    assert [question.session, plan.session, answer.session] == ["claude/0c7d"] * 3
    assert [each.body.features for each in (question, plan, answer)] == [
        ["role:user"],
        ["role:attachment"],
        ["role:assistant"],
    ]
    assert texts([question, plan, answer]) == [
        "Should we deploy on a Friday?",
        "Friday: go",
        "Better not.\n\nWait until Monday.",
    ]
    assert (question.at, answer.at) == (1_709_287_201_500, 1_709_287_209_000)
    assert content(question).payload == {
        "role": "user",
        "id": "m1",
        "conversation": "0c7d",
        "title": "Deploying on Fridays",
        "files": ["plan.txt", "chart.png"],
    }
    assert importing.unread.reasons == {
        "what a model thought, and did not say": 1,
        "a call of a tool": 1,
        "what a tool returned": 1,
        "a file of which only the name is in the export": 1,
        "an empty message": 1,
    }
    assert any("'0c7d', message 3" in place for place, _, _ in importing.unread.places)


def test_chatgpt_says_who_said_what_and_when(tmp_path: Path) -> None:
    importing = import_chatgpt(written(tmp_path, [PLAIN]), DRAFTER)
    question, answer = commands_of(importing)
    assert texts([question, answer]) == ["How do parcels go?", "By rail."]
    assert (question.session, question.at, answer.at) == ("chatgpt/6995-e8", 1_700_000_001_500, 1_700_000_002_000)
    assert content(answer).payload == {
        "role": "assistant",
        "id": "n3",
        "conversation": "6995-e8",
        "title": "Parcels",
        "model": "gpt-4o",
    }
    assert importing.unread.reasons == {"what a system or a tool says": 1}


def test_what_nobody_said_in_chatgpt_is_counted(tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1", "width": 1}
    spoken = {"content_type": "audio_transcription", "text": "And by night?", "direction": "in"}
    calls = said("assistant", "search()", sort="code", recipient="web.run")
    conversation = chatgpt(
        said("user", sort="user_editable_context"),
        said("user", picture, "What is this?", sort="multimodal_text", at=5),
        said("user", picture, sort="multimodal_text"),
        said("assistant", "hm", sort="thoughts"),
        calls,
        said("tool", "found", sort="execution_output"),
        said("user", spoken, sort="multimodal_text"),
        said("user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        said("user", ""),
        said("assistant", "new", sort="hologram"),
        {"id": "x", "content": {"parts": ["no author"]}},
    )
    importing = import_chatgpt(written(tmp_path, [conversation]), DRAFTER)
    one, two = commands_of(importing)
    assert texts([one, two]) == ["What is this?", "And by night?"]
    assert (one.at, two.at) == (5_000, 5_000), "a message without a time has that of the one before"
    assert (content(one).payload or {})["files"] == ["file-service://file-1"]
    assert importing.unread.reasons == {
        "instructions of the user that stand before every conversation": 1,
        "a picture or another file, of which only the name is kept": 2,
        "what a model thought, and did not say": 1,
        "a call of a tool": 1,
        "what a system or a tool says": 1,
        "hidden in the conversation": 1,
        "an empty message": 1,
        "content of an unknown sort": 1,
        "no message": 1,
    }


def test_of_branches_the_one_is_taken_in_which_it_ended(tmp_path: Path) -> None:
    asked = chatgpt(None, said("user", "Hello"), said("assistant", "First try", at=9))
    other = {"id": "b", "parent": "n1", "children": [], "message": said("assistant", "Second try", at=8)}
    asked["mapping"]["b"] = other
    for current, wanted, reasons in (
        ("b", "Second try", 1),
        ("n2", "First try", 1),
        ("gone", "First try", 1),
        (None, "First try", 1),
    ):
        importing = import_chatgpt(written(tmp_path, [asked | {"current_node": current}]), DRAFTER)
        assert texts(commands_of(importing)) == ["Hello", wanted]
        assert importing.unread.reasons == {"on a branch that was left": reasons}


def test_a_ring_of_parents_and_parents_that_are_not_there_end(tmp_path: Path) -> None:
    ring = chatgpt(said("user", "a"), said("user", "b"))
    ring["mapping"]["n0"]["parent"] = "n1"
    lost = chatgpt(said("user", "c"), said("user", "d"))
    lost["mapping"]["n1"]["parent"] = "nobody"
    assert texts(imported(import_chatgpt, written(tmp_path, [ring]))) == ["a", "b"]
    assert texts(imported(import_chatgpt, written(tmp_path, [lost]))) == ["d"]


def test_a_later_export_adds_what_is_new_and_nothing_twice(tmp_path: Path) -> None:
    for importer, first in ((import_claude, CLAUDE), (import_chatgpt, [PLAIN])):
        later = copy.deepcopy(first)
        later[0] |= {"update_time": 1.8e9}
        if importer is import_claude:
            later[0]["chat_messages"].append({"uuid": "m4", "sender": "human", "text": "Fine"})
        else:
            later[0]["mapping"]["n4"] = {"parent": "n3", "message": said("user", "Fine", id="n4")}
            later[0]["current_node"] = "n4"
        before = imported(importer, written(tmp_path, first, "a.json"))
        after = imported(importer, written(tmp_path, [*later, *later], "b.json"))
        assert [each.id for each in after[: len(before)]] == [each.id for each in before]
        assert [each.body for each in after[: len(before)]] == [each.body for each in before]
        assert texts(after[len(before) : len(before) + 1]) == ["Fine"]
        assert len({each.id for each in after}) == len(before) + 1
        later[0] |= {"title": "Renamed", "name": "Renamed"}
        renamed = imported(importer, written(tmp_path, later, "c.json"))
        assert [each.body.key for each in renamed[: len(before)]] == [each.body.key for each in before]
        assert {each.id for each in renamed}.isdisjoint(each.id for each in before), "its content is another"


def test_long_messages_come_in_parts_that_give_them_back(tmp_path: Path) -> None:
    long = "word " * PART_CHARS_MAX
    found = imported(import_chatgpt, written(tmp_path, [chatgpt(said("user", long))]))
    assert "".join(content(each).text or "" for each in found) == long and len(found) == 6


@pytest.mark.parametrize("importer", [import_claude, import_chatgpt])
def test_what_is_no_conversation_is_named_and_the_rest_is_taken(tmp_path: Path, importer: Importer) -> None:
    good = CLAUDE[0] if importer is import_claude else PLAIN
    wrong: list[Any] = [
        1, "x", None, [], {}, {"uuid": 1, "id": 2}, {"uuid": "u", "id": "u"}, {"uuid": "u", "chat_messages": {}},
        {"id": "u", "mapping": []}, {"uuid": " ", "chat_messages": []}, {"conversation_id": "", "mapping": {}},
    ]  # fmt: skip
    odd = [{"uuid": "u", "id": "u", "chat_messages": [1, {"uuid": "m"}, {}], "mapping": {"n": 1, "m": {"message": 3}}}]
    importing = importer(written(tmp_path, [*wrong, *odd, good]), DRAFTER)
    assert {texts(commands_of(importing))[0]} <= {"Should we deploy on a Friday?", "How do parcels go?"}
    assert sum(importing.unread.reasons[each] for each in ("no object", "no conversation")) == len(wrong)


def test_an_archive_and_a_folder_are_read_as_they_come(tmp_path: Path) -> None:
    other = {**PLAIN, "conversation_id": "other"}
    junk = {"__MACOSX/._conversations.json": b"\0\5", "export/chat.html": b"<html>", "export/user.json": {}}
    split = {"export/conversations-001.json": [other], "export/conversations-000.json": [PLAIN], **junk}
    archive = packed(tmp_path, split)
    found = imported(import_chatgpt, archive)
    assert [each.session for each in found] == ["chatgpt/6995-e8"] * 2 + ["chatgpt/other"] * 2
    folder = tmp_path / "unpacked"
    for name, data in split.items():
        written(folder, data, name.rpartition("/")[2])
    assert [each.id for each in imported(import_chatgpt, folder)] == [each.id for each in found]
    importing = import_claude(archive, DRAFTER)
    assert importing.total == 0 and [place for place, _, _ in importing.unread.places] == [
        "export/conversations-000.json, element 1",
        "export/conversations-001.json, element 1",
    ]


def branched(leaf: str | None) -> dict[str, Any]:
    """A conversation of Claude's whose second message was edited: both branches are in the export."""
    told = [("m1", None, "Hello"), ("m2", "m1", "old question"), ("m3", "m2", "old answer"),
            ("m4", "m1", "new question"), ("m5", "m4", "new answer")]  # fmt: skip
    messages: list[dict[str, Any]] = [
        {"uuid": own, "parent_message_uuid": parent, "sender": "human", "text": text, "content": []}
        for own, parent, text in told
    ]
    return {"uuid": "c1", "name": "x", "chat_messages": messages, "current_leaf_message_uuid": leaf}


def test_of_branches_of_claude_the_one_is_taken_in_which_it_ended(tmp_path: Path) -> None:
    importing = import_claude(written(tmp_path, [branched("m5")]), DRAFTER)
    assert texts(commands_of(importing)) == ["Hello", "new question", "new answer"]
    assert importing.unread.reasons == {"on a branch that was left": 2}
    for nobody in (None, "no such message"):
        assert len(imported(import_claude, written(tmp_path, [branched(nobody)]))) == 5
    ring = branched("m5")
    ring["chat_messages"][0]["parent_message_uuid"] = "m5"
    assert len(imported(import_claude, written(tmp_path, [ring]))) == 3


def test_a_voice_note_is_what_was_said(tmp_path: Path) -> None:
    note = {"type": "voice_note", "title": "a note", "text": "Parcels go by rail."}
    message = {"uuid": "m1", "sender": "human", "text": "", "content": [note]}
    given = [{"uuid": "c1", "name": "x", "chat_messages": [message]}]
    assert texts(imported(import_claude, written(tmp_path, given))) == ["Parcels go by rail."]


@pytest.mark.parametrize(("importer", "given", "says"), [(import_chatgpt, CLAUDE[0], "import claude"),
                                                         (import_claude, PLAIN, "import chatgpt")])  # fmt: skip
def test_a_file_of_another_program_says_whose_it_is(
    tmp_path: Path, importer: Importer, given: dict[str, Any], says: str
) -> None:
    importing = importer(written(tmp_path, [given]), DRAFTER)
    ((_, _, why),) = importing.unread.places
    assert importing.total == 0 and says in why


def test_what_stands_beside_conversations_is_said_not_to_be_read(tmp_path: Path) -> None:
    archive = packed(tmp_path, {"x/conversations.json": CLAUDE, "x/memories.json": [], "x/projects.json": []})
    importing = import_claude(archive, DRAFTER)
    assert importing.unread.reasons["a file of the export that is not read"] == 2


def test_two_objects_on_a_line_are_two(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    other = {**CLAUDE[0], "uuid": "other"}
    file.write_text(json.dumps(CLAUDE[0]) + " " + json.dumps(other) + "\n" + json.dumps({**other, "uuid": "third"}))
    sessions = dict.fromkeys(each.session for each in imported(import_claude, file))
    assert list(sessions) == ["claude/0c7d", "claude/other", "claude/third"]
