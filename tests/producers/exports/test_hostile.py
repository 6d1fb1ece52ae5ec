"""Files that are broken, or made to do harm: each is refused or reported, and what is sound in it is imported."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.producers.drafts import DRAFTER
from tests.producers.exports.samples import CLAUDE, Importer, chatgpt, commands_of, packed, said, texts, written
from yggdrasil_producers.errors import ImporterError
from yggdrasil_producers.importers.exports import (
    arrays,
    bytes_at,
    elements,
    import_chatgpt,
    import_claude,
    import_langgraph,
    import_markdown,
    import_mcp_memory,
    import_mem0,
)
from yggdrasil_producers.importers.exports.arrays import ArrayReader, CutOffError

FILES: list[Importer] = [import_mem0, import_langgraph, import_mcp_memory, import_claude, import_chatgpt]
GOOD = b'{"id": "a", "memory": "good"}'


class Bytes:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data = data
        self.size = size

    def read(self, _: int) -> bytes:
        part, self.data = self.data[: self.size], self.data[self.size :]
        return part


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(st.sampled_from('ab"\\[]{},: \n\u20ac')),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(st.text(max_size=2), VALUES, max_size=3) | st.lists(VALUES, max_size=2) | st.text()),
       st.integers(1, 9), st.sampled_from([None, 1]))  # fmt: skip
def test_an_array_is_taken_apart_wherever_it_is_cut_for_reading(
    found: list[Any], size: int, indent: int | None
) -> None:
    data = json.dumps(found, indent=indent, ensure_ascii=indent is None).encode()
    stream: Any = Bytes(data, size)
    read: list[int] = []
    parts = [json.loads(part) for part in ArrayReader(stream, read.append).elements() if part is not None]
    assert parts == found and sum(read) == len(data)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60) | st.text(st.sampled_from('[]{}",:\\a1 ')).map(str.encode), st.integers(1, 9))
def test_no_bytes_at_all_break_the_reader(data: bytes, size: int) -> None:
    stream: Any = Bytes(b"[" + data, size)
    try:
        for part in ArrayReader(stream, lambda _: None).elements():
            assert part
    except CutOffError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("data", "reasons"),
    [
        (b'[{"id": "n", "memory": NaN}, %s]', {"no JSON": 1}),
        (b'[{"id": "n", "memory": "\xff"}, %s]', {"no JSON": 1}),
        (b'[{"id": "n", "memory": "caf\xe9"}, 5, "x", [[]], %s]', {"no JSON": 1, "no object": 3}),
        (b'[{"id": "n", "memory": ' + b"[" * 5_000 + b"]" * 5_000 + b"}, %s]", {"no JSON": 1}),
        (b'[{"id": "n", "memory": "m", "metadata": {"a": ' + b"[" * 90 + b"]" * 90 + b"}}, %s]",
         {"beyond what a command may hold": 1}),
        (b'[{"id": "n", "memory": "m", "x": "' + b"y" * 300_000 + b'"}, %s]', {"beyond what a command may hold": 1}),
        (b'[{"id": "' + b"9" * 300 + b'", "memory": ' + b"9" * 5_000 + b"}, %s]", {"no JSON": 1}),
        (b'[%s, {"id": "cut", "memory": "o', {"the rest of a file": 1}),
        (b"[%s", {"the rest of a file": 1}),
        (b'[%s] {"id": "more"}', {"the rest of a file": 1}),
        (b"[}, %s, ,, }]", {"no JSON": 2}),
        (b'\xef\xbb\xbf[%s]', {}),
        (b"\n\n%s\n{\n[1]\n\n", {"no JSON": 1, "no object": 1}),
        (b'{"results": [%s], "relations": "none"}', {}),
        (b'{"results": [\n%s,\n null]}', {"no object": 1}),
        (b'{"id": "a"\n%s', {"no JSON": 1}),
    ],
)  # fmt: skip
def test_what_is_broken_is_named_and_the_rest_is_taken(tmp_path: Path, data: bytes, reasons: dict[str, int]) -> None:
    importing = import_mem0(written(tmp_path, data.replace(b"%s", GOOD)), DRAFTER)
    assert texts(commands_of(importing)) == ["good"]
    assert importing.unread.reasons == reasons


def test_half_a_character_costs_that_character_alone(tmp_path: Path) -> None:
    data = (
        b'[{"id": "a", "memory": "cut \\ud83d"}, {"id": "b", "memory": "\\ud83d\\ude00 \\\\ud83d"},'
        b' {"id": "c", "memory": "\\udc00\\ud83d\\ud83d\\ude00"}]'
    )
    importing = import_mem0(written(tmp_path, data), DRAFTER)
    assert texts(commands_of(importing)) == ["cut \ufffd", "\U0001f600 \\ud83d", "\ufffd\ufffd\U0001f600"]
    assert [place for place, _, _ in importing.unread.places] == ["element 1", "element 3"]


def test_an_element_and_a_line_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (arrays, elements):
        monkeypatch.setattr(module, "ELEMENT_BYTES_MAX", 1_000)
    monkeypatch.setattr(arrays, "_CHUNK_BYTES", 100)
    long = b'{"id": "n", "memory": [' + b'"%s", ' % (b"x" * 50) * 100 + b'"x"]}'
    for data in (b"[" + long + b"," + GOOD + b"]", long + b"\n" + GOOD, GOOD + b"\n" + long):
        importing = import_mem0(written(tmp_path, data), DRAFTER)
        assert texts(commands_of(importing)) == ["good"] and importing.unread.reasons == {"too long": 1}
    endless = b"[" + GOOD + b', {"id": "' + b"x" * 9_000 + b'"}, ' + GOOD + b"]"
    importing = import_mem0(written(tmp_path, endless), DRAFTER)
    assert texts(commands_of(importing)) == ["good"] and importing.unread.reasons == {"the rest of a file": 1}


@pytest.mark.parametrize("importer", FILES)
def test_what_is_no_text_or_not_there_is_refused(tmp_path: Path, importer: Importer) -> None:
    for data in ("[]".encode("utf-16"), "[]".encode("utf-16-be"), b"SQLite format 3\0\1"):
        with pytest.raises(ImporterError, match="expected JSON in UTF-8"):
            importer(written(tmp_path, data, "a.json"), DRAFTER)
    with pytest.raises(ImporterError, match="expected an export at"):
        importer(tmp_path / "nowhere", DRAFTER)
    empty = tmp_path / "folder"
    empty.mkdir()
    with pytest.raises(ImporterError, match="holds no"):
        importer(empty, DRAFTER)
    assert importer(written(tmp_path, b"", "a.json"), DRAFTER).total == 0
    assert importer(written(tmp_path, b"[]", "a.json"), DRAFTER).total == 0


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    bomb = b"[" + b" " * (3 << 20) + b"]"
    with pytest.raises(ImporterError, match="made to do harm"):
        import_chatgpt(packed(tmp_path, {"conversations.json": bomb}), DRAFTER)
    with pytest.raises(ImporterError, match="unusual way"):
        import_claude(packed(tmp_path, {"conversations.json": CLAUDE}, zipfile.ZIP_LZMA), DRAFTER)
    assert import_claude(packed(tmp_path, {"conversations.json": CLAUDE, "big.bin": bomb}), DRAFTER).total == 3


def test_an_archive_is_bounded_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from yggdrasil_producers.importers.exports import files

    monkeypatch.setattr(files, "UNPACKED_BYTES_MAX", 2_000)
    with pytest.raises(ImporterError, match="at most 2,000 are read"):
        import_claude(packed(tmp_path, {f"conversations-{n}.json": CLAUDE for n in range(3)}), DRAFTER)


def test_a_damaged_archive_is_refused_before_anything_is_told(tmp_path: Path) -> None:
    path = packed(tmp_path, {"conversations.json": CLAUDE}, zipfile.ZIP_STORED)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"Deploying", b"Deplaying"))
    with pytest.raises(ImporterError, match="damaged or encrypted"):
        import_claude(path, DRAFTER)
    locked = bytearray(whole)
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        locked[whole.index(mark) + at] |= 1
    path.write_bytes(bytes(locked))
    with pytest.raises(ImporterError, match="damaged or encrypted"):
        import_claude(path, DRAFTER)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ImporterError, match="cut off or is damaged"):
        import_claude(path, DRAFTER)


def test_names_in_an_archive_and_links_in_a_folder_lead_nowhere(tmp_path: Path) -> None:
    names = ("../conversations.json", "/etc/conversations.json", "a/../../conversations.json", "ok/conversations.json")
    importing = import_claude(packed(tmp_path, dict.fromkeys(names, CLAUDE)), DRAFTER)
    assert (importing.total, importing.unread.reasons["a path that leads out of the archive"]) == (3, 3)
    secret = written(tmp_path / "elsewhere", CLAUDE)
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "conversations.json").symlink_to(secret)
    with pytest.raises(ImporterError, match="holds no"):
        import_claude(folder, DRAFTER)
    assert {path.name for path in tmp_path.iterdir()} == {"export.zip", "elsewhere", "export"}


def test_names_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    odd = chatgpt(said("user", "x"), title="\x1b[2J" * 99, conversation_id="\x1b[2J" + "c" * 400)
    (event,) = commands_of(import_chatgpt(written(tmp_path, [odd]), DRAFTER))
    assert len(event.session) == 128 and "\x1b" not in event.session


def test_reading_is_told_of_in_bytes(tmp_path: Path) -> None:
    for name, data in (("a.json", [{"id": "a", "memory": "x"}]), ("b.jsonl", GOOD + b"\n" + GOOD)):
        file = written(tmp_path, data, name)
        read: list[int] = []
        import_mem0(file, DRAFTER, read.append)
        assert sum(read) == file.stat().st_size
    (tmp_path / "c.md").write_text("text")
    read = []
    import_markdown(tmp_path / "c.md", DRAFTER, read.append)
    assert sum(read) == 4


def test_a_pipe_is_refused_in_words(tmp_path: Path) -> None:
    """It could be read once alone, and whoever opens it might wait for ever."""
    pipe = tmp_path / "conversations.json"
    os.mkfifo(pipe)
    for importer in (import_claude, import_mem0):
        with pytest.raises(ImporterError, match="is a pipe or a device"):
            importer(pipe, DRAFTER)
    assert bytes_at(pipe) == 0


def test_an_archive_of_many_small_files_is_refused_before_it_is_read(tmp_path: Path) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as packed_:
        for number in range(1_001):
            packed_.writestr(f"{number}/conversations.json", "[]")
    with pytest.raises(ImporterError, match="more than 1,000 such files"):
        import_claude(archive, DRAFTER)
    with archive.open("r+b") as file:  # as if its list of files were longer than any export's
        data = file.read()
        at = data.rfind(b"PK\5\6")
        file.seek(at + 12)
        file.write((16 << 20).to_bytes(4, "little"))
    with pytest.raises(ImporterError, match="lists more files than an export has"):
        import_claude(archive, DRAFTER)
    assert bytes_at(archive) == 0


def test_a_backup_of_open_memory_is_read(tmp_path: Path) -> None:
    given = {
        "user": {"id": "u1"},
        "memories": [
            {"id": "m1", "content": "Ana is a vegan", "state": "active", "created_at": "2025-05-01T10:00:00"},
            {"id": "m2", "content": "Bo is a cat", "state": "deleted"},
        ],
        "categories": [],
    }
    archive = tmp_path / "openmemory.zip"
    with zipfile.ZipFile(archive, "w") as packed_:
        packed_.writestr("memories.json", json.dumps(given))
        packed_.writestr("memories.jsonl.gz", b"\x1f\x8b")
    importing = import_mem0(archive, DRAFTER)
    assert texts(commands_of(importing)) == ["Ana is a vegan"]
    assert importing.unread.reasons == {"a memory that was deleted or archived there": 1}


def test_no_name_is_so_long_that_what_says_it_again_grows_out_of_bounds(tmp_path: Path) -> None:
    conversation = json.loads(json.dumps(CLAUDE))[0] | {"uuid": "u" * 1_025}
    sound = commands_of(import_claude(written(tmp_path, CLAUDE), DRAFTER))
    importing = import_claude(written(tmp_path, [conversation, *CLAUDE]), DRAFTER)
    assert texts(commands_of(importing)) == texts(sound)
    assert importing.unread.reasons["no conversation"] == 1
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(f"# {'h' * 5_000}\n" + "## b\nc\n" * 3)
    first, *rest = commands_of(import_markdown(tmp_path / "notes", DRAFTER))
    assert texts([first]) == [f"# {'h' * 5_000}"], "kept as a text"
    assert all("h" * 5_000 not in each.model_dump_json() for each in rest)
