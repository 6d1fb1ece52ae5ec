"""What is imported again is known, or takes the place of what it was; what is gone is withdrawn where that is asked."""

import json
import random
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.cli.runs import Cli, Run
from tests.size import turns
from yggdrasil import Memory
from yggdrasil_producers.again import Named
from yggdrasil_producers.importers.exports.langgraph import import_langgraph
from yggdrasil_schemas.limits import NAME_CHARS_MAX


class Imports:
    """Imports of one sort into one directory; ``counts`` are of the last one."""

    def __init__(self, cli: Cli, directory: Path, sort: str) -> None:
        self.cli = cli
        self.directory = directory
        self.sort = sort

    def __call__(self, source: Path, *options: str) -> dict[str, Any]:
        found: dict[str, Any] = self.run(source, *options).json
        return found

    def run(self, source: Path, *options: str) -> Run:
        where = ("--dir", str(self.directory), "--memory", "me/agent", "--json", "--embedder", "none")
        return self.cli("import", self.sort, str(source), *where, *options)

    def counts(self, source: Path, *options: str) -> tuple[int, int, int, int]:
        found = self(source, *options)
        assert not found.get("refused")
        return found["new"], found["changed"], found["known"], found["withdrawn"]

    def texts(self) -> dict[str, str]:
        """What stands, by key."""
        with Memory.open(self.directory, "me/agent", embedder="none") as memory:
            found: list[Any] = []
            before = None
            while True:
                page = memory.timeline(count=100, before=before)
                found += page.memories
                before = page.before
                if before is None:
                    break
            return {str(each.keyed): str(each.text) for each in found if each.status == "active"}


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(tmp_path, capsys)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "depot.md").write_text("# Depot\nParcels go by rail.\n\n## Winter\nSlow.\n")
    (folder / "bo.md").write_text("Bo lives in Oslo.\n")
    return folder


@pytest.fixture
def notes(cli: Cli, tmp_path: Path) -> Imports:
    return Imports(cli, tmp_path / "data", "markdown")


def test_what_hides_nothing_keeps_nothing_from_being_gone(notes: Imports, vault: Path) -> None:
    (vault / "link.md").symlink_to(vault / "bo.md")
    notes.counts(vault)
    (vault / "bo.md").unlink()
    found = notes(vault, "--sync")
    assert (found["withdrawn"], found["unread"]["count"]) == (1, 1) and "remarks" not in found


def test_it_is_said_why_nothing_is_withdrawn(notes: Imports, vault: Path) -> None:
    notes.counts(vault)
    (vault / "bo.md").rename(vault.parent / "bo.md")
    (vault / "other.md").write_bytes(b"caf\xe9")
    found = notes(vault, "--sync")
    assert found["withdrawn"] == 0 and "may be in what cannot be read" in found["remarks"][0]
    for each in vault.iterdir():
        each.unlink()
    found = notes(vault, "--sync")
    assert found["withdrawn"] == 0 and "nothing in the source" in found["remarks"][0]


def test_the_same_again_says_nothing(notes: Imports, vault: Path) -> None:
    assert notes.counts(vault) == (3, 0, 0, 0)
    assert notes.counts(vault) == (0, 0, 3, 0)


def test_one_more_line_changes_one_section(notes: Imports, vault: Path) -> None:
    notes.counts(vault)
    (vault / "depot.md").write_text("# Depot\nParcels go by rail.\nAnd by sledge.\n\n## Winter\nSlow.\n")
    assert notes.counts(vault) == (1, 1, 2, 0)
    assert sorted(notes.texts().values()) == ["Bo lives in Oslo.", "Parcels go by rail.\nAnd by sledge.", "Slow."]


def test_a_text_that_goes_back_to_what_it_was_is_said_again(notes: Imports, vault: Path) -> None:
    first = (vault / "bo.md").read_text()
    notes.counts(vault)
    for text in ("Bo lives in Rome.\n", first, "Bo lives in Rome.\n", first):
        (vault / "bo.md").write_text(text)
        assert notes.counts(vault) == (1, 1, 2, 0)
        assert text.strip() in notes.texts().values()
        assert notes.counts(vault) == (0, 0, 3, 0)


def test_what_is_gone_is_withdrawn_on_request_and_comes_back(notes: Imports, vault: Path) -> None:
    notes.counts(vault)
    text = (vault / "bo.md").read_text()
    (vault / "bo.md").unlink()
    assert notes.counts(vault) == (0, 0, 2, 0)
    assert "Bo lives in Oslo." in notes.texts().values()
    assert notes.counts(vault, "--sync") == (1, 0, 2, 1)
    assert "Bo lives in Oslo." not in notes.texts().values()
    assert notes.counts(vault, "--sync") == (0, 0, 2, 0)
    (vault / "bo.md").write_text(text)
    assert notes.counts(vault, "--sync") == (1, 1, 2, 0)
    assert "Bo lives in Oslo." in notes.texts().values()


def test_what_cannot_be_read_is_not_taken_for_gone(notes: Imports, vault: Path) -> None:
    notes.counts(vault)
    (vault / "bo.md").write_bytes(b"\xff\xfe\x00")
    assert notes.counts(vault, "--sync")[3] == 0
    for file in vault.iterdir():
        file.unlink()
    assert notes(vault, "--sync").get("withdrawn", 0) == 0
    assert len(notes.texts()) == 3


def test_two_sources_of_a_sort_are_told_apart_by_name(notes: Imports, vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "bo.md").write_text("Bo is a cat.\n")
    notes.counts(vault)
    assert notes.counts(other, "--as", "pets", "--sync") == (1, 0, 0, 0)
    assert notes.counts(vault, "--sync") == (0, 0, 3, 0)
    assert len(notes.texts()) == 4
    assert notes.run(other, "--as", "a:b").code == 2


def test_what_a_person_has_overruled_stays_so_while_the_source_says_the_same(notes: Imports, vault: Path) -> None:
    notes.counts(vault)
    with Memory.open(notes.directory, "me/agent", source="boss", origin="user", embedder="none") as boss:
        (ref,) = [each.ref for each in boss.timeline(count=9).memories if each.text == "Bo lives in Oslo."]
        boss.supersede(ref, "Bo lives in Bergen.")
        (slow,) = [each.ref for each in boss.timeline(count=9).memories if each.text == "Slow."]
        boss.withdraw(slow, "it is quick by now")
    assert notes.counts(vault, "--sync") == (0, 0, 3, 0)
    assert "Bo lives in Oslo." not in notes.texts().values()
    (vault / "bo.md").write_text("Bo lives in Rome.\n")
    assert notes.counts(vault) == (1, 1, 2, 0)
    with Memory.open(notes.directory, "me/agent", embedder="none") as memory:
        said = memory.history(key="import:markdown:bo.md").memories
    assert ("Bo lives in Rome.", "contested") in [(each.text, each.status) for each in said]  # it is trusted less
    assert "Bo lives in Bergen." in notes.texts().values()


def test_a_dry_run_says_what_would_become_of_it(notes: Imports, vault: Path) -> None:
    notes.counts(vault)
    (vault / "depot.md").write_text("# Depot\nParcels go by road.\n\n## Winter\nSlow.\n")
    (vault / "bo.md").unlink()
    found = notes(vault, "--sync", "--dry-run")
    assert {name: found[name] for name in ("added", "changed", "known", "withdrawn")} == {
        "added": 0, "changed": 1, "known": 1, "withdrawn": 1,
    }  # fmt: skip
    assert found["commands"] == {"record_event": 1, "judge": 1}
    assert len(notes.texts()) == 3


def test_a_dry_run_of_a_directory_that_others_have_says_what_there_is(notes: Imports, vault: Path) -> None:
    notes.counts(vault)
    with Memory.open(notes.directory, "me/agent", embedder="none"):
        found = notes(vault, "--dry-run")
    assert (found["dry_run"], found["commands"]) == (True, {"record_event": 3}), found


def test_a_run_that_was_cut_off_makes_the_same_ids(notes: Imports, vault: Path, cli: Cli, tmp_path: Path) -> None:
    notes.counts(vault)
    whole = notes.texts()
    again = Imports(cli, tmp_path / "again", "markdown")
    (vault / "depot.md").rename(tmp_path / "depot.md")
    again.counts(vault)
    (tmp_path / "depot.md").rename(vault / "depot.md")
    again.counts(vault)
    assert again.texts() == whole
    refs: list[set[str]] = []
    for one in (notes, again):
        with Memory.open(one.directory, "me/agent", embedder="none") as memory:
            refs.append({each.ref for each in memory.timeline(count=9).memories})
    assert refs[0] == refs[1]


def mem0(path: Path, *memories: dict[str, Any]) -> Path:
    path.write_bytes(orjson.dumps(list(memories)))
    return path


def test_changed_metadata_is_no_refusal(cli: Cli, tmp_path: Path) -> None:
    imports = Imports(cli, tmp_path / "data", "mem0")
    one: dict[str, Any] = {"id": "m1", "memory": "Ana is a vegan", "user_id": "ana"}
    assert imports.counts(mem0(tmp_path / "m.json", one)) == (1, 0, 0, 0)
    one |= {"metadata": {"note": "a long value, of more than is taken for a name, that is in the payload " * 2}}
    assert imports.counts(mem0(tmp_path / "m.json", one)) == (1, 1, 0, 0)
    assert imports.counts(mem0(tmp_path / "m.json", one)) == (0, 0, 1, 0)
    assert imports.texts() == {"import:mem0:m1": "Ana is a vegan"}


CHATS: dict[str, Any] = {
    "claude": lambda title, text: [
        {"uuid": "c1", "name": title, "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "Hello", "content": []},
            {"uuid": "m2", "sender": "assistant", "text": text, "content": []},
        ]}
    ],
    "chatgpt": lambda title, text: [
        {"conversation_id": "c1", "title": title, "current_node": "m2", "mapping": {
            "m1": {"parent": None, "message": {
                "id": "m1", "author": {"role": "user"}, "content": {"parts": ["Hello"]}}},
            "m2": {"parent": "m1", "message": {
                "id": "m2", "author": {"role": "assistant"}, "content": {"parts": [text]}}},
        }}
    ],
}  # fmt: skip


@pytest.mark.parametrize("sort", CHATS)
def test_a_conversation_with_a_new_title_or_a_new_word(cli: Cli, tmp_path: Path, sort: str) -> None:
    imports, file = Imports(cli, tmp_path / "data", sort), tmp_path / "conversations.json"
    file.write_text(json.dumps(CHATS[sort]("Old title", "Hi")))
    assert imports.counts(file) == (2, 0, 0, 0)
    file.write_text(json.dumps(CHATS[sort]("New title", "Hi")))
    assert imports.counts(file) == (2, 2, 0, 0)
    file.write_text(json.dumps(CHATS[sort]("New title", "Hi there")))
    assert imports.counts(file) == (1, 1, 1, 0)
    assert sorted(imports.texts().values()) == ["Hello", "Hi there"]


def test_a_turn_that_was_edited_takes_its_facts_along(cli: Cli, tmp_path: Path) -> None:
    imports, file = Imports(cli, tmp_path / "data", "chat"), tmp_path / "chat.jsonl"
    turn = {"role": "user", "content": "I like tea", "id": "t1", "facts": [["ana", "likes", "tea"]]}
    file.write_text(json.dumps(turn))
    assert imports.counts(file) == (2, 0, 0, 0)
    file.write_text(json.dumps(turn | {"content": "I do like tea"}))
    assert imports.counts(file) == (2, 1, 0, 0)
    assert imports.counts(file) == (0, 0, 2, 0)
    with Memory.open(imports.directory, "me/agent", embedder="none") as memory:
        (claim,) = memory.claims("ana").claims
        assert not claim.stale


def test_an_item_of_langgraph_keeps_the_key_of_its_door(cli: Cli, tmp_path: Path) -> None:
    imports, file = Imports(cli, tmp_path / "data", "langgraph"), tmp_path / "store.jsonl"
    file.write_text('{"namespace": ["ana"], "key": "diet", "value": {"eats": "plants"}}')
    assert imports.counts(file) == (1, 0, 0, 0)
    (key,) = imports.texts()
    assert not key.startswith("import:")
    file.write_text('{"namespace": ["ana"], "key": "diet", "value": {"eats": "fish"}}')
    assert imports.counts(file) == (1, 1, 0, 0)
    assert imports.counts(file) == (0, 0, 1, 0)
    assert list(imports.texts()) == [key]
    assert callable(import_langgraph)


@pytest.mark.parametrize("changed", [False, True])
def test_what_was_imported_before_there_was_one_key_for_all_is_not_said_twice(
    cli: Cli, tmp_path: Path, changed: bool
) -> None:
    imports = Imports(cli, tmp_path / "data", "mem0")
    one = {"id": "m1", "memory": "Ana is a vegan", "user_id": "ana"}
    source = mem0(tmp_path / "m.json", one)
    fields = _drafted(source)
    fields["body"]["key"] = "mem0:m1"  # as it was
    lines = tmp_path / "old.jsonl"
    lines.write_bytes(orjson.dumps(fields))
    cli.ok("import", "commands", str(lines), "--dir", str(imports.directory), "--embedder", "none")
    if changed:
        source = mem0(tmp_path / "m.json", one | {"memory": "Ana eats fish"})
    assert imports.counts(source) == ((1, 1, 0, 0) if changed else (0, 0, 1, 0))
    assert list(imports.texts().values()) == ["Ana eats fish" if changed else "Ana is a vegan"]


def _drafted(source: Path) -> dict[str, Any]:
    from yggdrasil_producers.draft import Drafter
    from yggdrasil_producers.importers.exports import import_mem0

    (draft,) = import_mem0(source, Drafter("me/agent", "cli", "yggdrasil-import", "import")).drafts
    found: dict[str, Any] = orjson.loads(draft.value)
    return found


def test_a_key_is_whole_or_has_a_hash_of_the_whole() -> None:
    assert Named("mem0", "m1").key == "import:mem0:m1"
    long, other = (Named("markdown", "a" * 200 + end).key for end in ("x", "y"))
    assert long != other
    assert len(long) <= NAME_CHARS_MAX and long.startswith("import:markdown:#")
    assert Named("markdown", "a\nb").key != Named("markdown", "a b").key
    assert Named("chat", "e\u0301").key == Named("chat", "é").key


def test_refusals_end_with_an_exit_code(cli: Cli, tmp_path: Path) -> None:
    imports = Imports(cli, tmp_path / "data", "chat")
    file = tmp_path / "chat.jsonl"
    file.write_text('{"role": "user", "content": "one"}')
    imports.counts(file)
    with Memory.open(imports.directory, "me/agent", embedder="none", origin="operator") as memory:
        lines = tmp_path / "clash.jsonl"
        ref = memory.timeline(count=1).memories[0].ref
    cli.ok("export", str(imports.directory), str(tmp_path / "all.jsonl"))
    fields = json.loads((tmp_path / "all.jsonl").read_text().splitlines()[-1])
    assert fields["id"] == ref
    fields["body"]["features"] = ["another"]
    lines.write_text(json.dumps(fields))
    found = cli("import", "commands", str(lines), "--dir", str(imports.directory), "--embedder", "none", "--json")
    assert (found.code, found.json["refused"]) == (3, {"id_reused": 1})


@pytest.mark.parametrize("seed", range(turns(3, 40)))
def test_of_random_edits_what_stands_is_what_a_fresh_import_has(cli: Cli, tmp_path: Path, seed: int) -> None:
    drawn = random.Random(f"again{seed}")
    folder = tmp_path / "vault"
    folder.mkdir()
    imports = Imports(cli, tmp_path / "data", "markdown")
    words = ["rail", "road", "sledge", "Oslo", "Rome", "slow", "not", "17", "18"]
    written: dict[str, dict[str, str]] = {}
    for turn in range(6):
        for _ in range(drawn.randrange(1, 4)):
            note, heading = f"n{drawn.randrange(3)}.md", f"H{drawn.randrange(3)}"
            if drawn.random() < 0.3:
                written.pop(note, None)
            elif drawn.random() < 0.3:
                written.get(note, {}).pop(heading, None)
            else:
                written.setdefault(note, {})[heading] = " ".join(drawn.choices(words, k=3))
        for file in folder.iterdir():
            file.unlink()
        for note, headings in written.items():
            (folder / note).write_text("\n".join(f"# {name}\n{text}\n" for name, text in headings.items()))
        if not any(written.values()):
            continue
        imports(folder, "--sync")
        fresh = Imports(cli, tmp_path / f"fresh{turn}", "markdown")
        fresh(folder)
        assert imports.texts() == fresh.texts()
    assert imports.counts(folder, "--sync")[0] == 0 or not any(written.values())


def test_a_file_of_what_was_said_knows_what_was_withdrawn(tmp_path: Path, vault: Path) -> None:
    """Of a topic nothing can be read: what is gone is withdrawn once, and said again when it comes back."""
    from yggdrasil.cli.agent.importing.standing import How, InFile
    from yggdrasil_producers.draft import Drafter
    from yggdrasil_producers.importers.exports import import_markdown

    drafter = Drafter("me/agent", "cli", "yggdrasil-import", "import")

    def told() -> list[str]:
        kept, source = InFile(tmp_path / "state"), import_markdown(vault, drafter)
        again = How("markdown", sync=True).again(drafter, kept, source)
        again.keeping = True
        found = [orjson.loads(draft.value) for draft in source.drafts]
        kept.save(again.said)
        return [each.get("content", {}).get("text") or each["type"] for each in found]

    assert sorted(told()) == ["Bo lives in Oslo.", "Parcels go by rail.", "Slow."]
    assert told() == []
    (vault / "bo.md").unlink()
    assert told() == ["judge"]
    assert told() == []
    (vault / "bo.md").write_text("Bo lives in Oslo.\n")
    assert told() == ["Bo lives in Oslo."]
    assert told() == []
