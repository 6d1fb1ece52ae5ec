"""JSON lines of turns become events; nothing is lost, and what is malformed is named by its line."""

import json
from pathlib import Path

import pytest

from tests.producers.drafts import DRAFTER, payload_of, text_of, told
from yggdrasil_producers.errors import ImporterError
from yggdrasil_producers.importers.chat import LINE_BYTES_MAX, import_chat


def written(folder: Path, *turns: object, name: str = "chat.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(f"{json.dumps(turn)}\n" for turn in turns), encoding="utf-8")
    return file


def turn(content: str, role: str = "user", **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more}


def test_turns_become_events(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        turn("Where is the key?", session="monday", at=1_700_000_000_000),
        turn("Under the mat.", "assistant", session="monday", at="2023-11-14T22:13:21Z", id=7),
        turn("Thanks."),
    )
    importing = import_chat(file, DRAFTER)
    assert importing.total == 3
    first, second, third = told(importing.drafts).events
    assert (first.body.features, first.session, first.at) == (["role:user"], "monday", 1_700_000_000_000)
    assert (second.body.features, second.at) == (["role:assistant"], 1_700_000_001_000)
    assert payload_of(second) == {"role": "assistant", "id": "7"}
    assert third.session == "default"
    assert importing.done == 3


def test_ids_follow_from_the_sessions_and_not_from_the_file(tmp_path: Path) -> None:
    monday = [turn("a", session="m"), turn("a", session="m"), turn("b", session="m", id="x")]
    other = [turn("a", session="n"), turn("c", "assistant", session="n")]
    apart = {draft.id for turns in (monday, other) for draft in import_chat(written(tmp_path, *turns), DRAFTER).drafts}
    mixed = written(tmp_path, monday[0], other[0], monday[1], other[1], monday[2], turn("d", session="m"), name="b")
    together = [draft.id for draft in import_chat(mixed, DRAFTER).drafts]
    assert len(apart) == 5
    assert set(together[:5]) == apart
    assert len(set(together)) == 6


def test_long_content_is_split_and_can_be_joined(tmp_path: Path) -> None:
    contents = ["word 🌳 " * 20_000, "\x01" * 100_000, "x" * 32_768]
    file = written(tmp_path, *(turn(text, session=str(n)) for n, text in enumerate(contents)))
    importing = import_chat(file, DRAFTER)
    assert importing.total == 3
    found = told(importing.drafts)
    for number, text in enumerate(contents):
        parts = [event for event in found.events if event.session == str(number)]
        joined = "".join(text_of(event) for event in parts)
        assert joined == text
        if len(parts) > 1:
            assert [payload_of(event)["part"] for event in parts] == list(range(1, len(parts) + 1))
            assert payload_of(parts[0])["parts"] == len(parts)
    words = [text for text in found.texts() if "word" in text]
    assert all(text.startswith("word ") or text.startswith("🌳 ") for text in words), "a word was cut"


def test_blank_lines_a_mark_and_windows_ends_are_harmless(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"role":"user","content":"a"}\r\n\r\n  \n{"role":"user","content":""}')
    assert told(import_chat(file, DRAFTER).drafts).texts() == ["a", ""]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "this is no JSON"),
        ("[1]", "and got"),
        ('{"content":"a"}', "'role' must be a text, and there is none"),
        ('{"role":" ","content":"a"}', "'role' must be a text"),
        ('{"role":"user","content":null}', "'content' must be a text, and got None"),
        ('{"role":"user","content":"\\ud800"}', "this is no JSON"),
        ('{"role":"user","content":"a","session":"a\\nb"}', "expected a session"),
        ('{"role":"user","content":"a","session":""}', "expected a session"),
        ('{"role":"user","content":"a","session":7}', "'session' must be a text"),
        ('{"role":"user","content":"a","at":-1}', "expected 'at' in Unix ms"),
        ('{"role":"user","content":"a","at":1.5}', "expected 'at' in Unix ms"),
        ('{"role":"user","content":"a","at":true}', "expected 'at' in Unix ms"),
        ('{"role":"user","content":"a","at":"yesterday"}', "expected 'at' in Unix ms"),
        ('{"role":"user","content":"a","id":[]}', "'id' must be a text"),
    ],
)
def test_a_malformed_line_is_named_before_anything_is_told(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text('{"role":"user","content":"a"}\n' + line, encoding="utf-8")
    with pytest.raises(ImporterError, match="line 2: ") as caught:
        import_chat(file, DRAFTER)
    assert message in str(caught.value)


def test_a_line_has_a_bound_and_a_file_must_be_there(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(b" " * (LINE_BYTES_MAX + 1))
    with pytest.raises(ImporterError, match="line 1: longer than"):
        import_chat(file, DRAFTER)
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ImporterError, match="expected a file of JSON lines"):
            import_chat(path, DRAFTER)


def test_what_makers_of_models_write_is_read(tmp_path: Path) -> None:
    """A call of a tool without content, lists of parts, times in seconds, two turns on a line, a torn last line."""
    file = tmp_path / "chat.jsonl"
    lines = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "t"}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "one"}, {"type": "image_url"}, "two"],
            "at": 1_700_000_000,
        },
        {"role": "user", "content": [{"type": "image_url"}]},
        {"role": "user", "content": "three", "at": 1_700_000_000.25},
    ]
    text = "\n".join(map(json.dumps, lines)) + '\n{"role":"user","content":"four"} {"role":"user","content":"five"}\n'
    file.write_text(text + '{"role":"user","content":"tor')
    importing = import_chat(file, DRAFTER)
    found = told(importing.drafts)
    assert found.texts() == ["one\n\ntwo", "three", "four", "five"]
    assert importing.total == 4
    assert [each.at for each in found.events[:2]] == [1_700_000_000_000, 1_700_000_000_250]
    assert importing.unread.reasons == {
        "a call of a tool": 1,
        "a picture or another file, and no text": 1,
        "a last line that is torn": 1,
    }


def test_a_turn_with_an_id_has_a_key_and_another_none(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text('{"role":"user","content":"a","id":"m1","session":"s"}\n{"role":"user","content":"b"}')
    named, plain = told(import_chat(file, DRAFTER).drafts).events
    assert (named.body.key, plain.body.key) == ("import:chat:s/m1", None)
