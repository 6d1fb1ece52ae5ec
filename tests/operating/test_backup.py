"""``yggdrasil backup`` and ``restore``: taken while it is in use, verified, added to, and the same memory again."""

import shlex
import threading
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.faults.local.oracle import flip
from tests.operating.damaged import MEMORIES, grown
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.reads.experience.described import AskBecame
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest, DigestAnswer

HOME, BACKUP, AGAIN = Path("home"), Path("backup"), Path("again")


def digests(path: Path) -> dict[str, DigestAnswer]:
    with Embedded(path) as engine:
        return {memory: engine.ask(memory, AskDigest()) for memory in engine.memories()}


def append(path: Path, text: str) -> None:
    with Embedded(path) as engine:
        assert engine.submit(Drafter(MEMORIES[0], "test", "test").record_event(text)).refused is None


def test_a_backup_of_a_backup_is_the_same_memory_at_the_same_places(cli: Cli) -> None:
    ids = grown(HOME)
    (HOME / "store.json").write_text('{"embedder": "none", "format": 1}')
    keys = Path("keys")
    keys.write_text("{}")
    assert cli.ok("backup", str(HOME), str(BACKUP), "--keys", "keys", "--json").json["records"] == len(ids)
    first = {file.name: file.read_bytes() for file in (BACKUP / "segments").iterdir()}
    append(HOME, "After the first backup")
    found = cli.ok("backup", str(HOME), str(BACKUP), "--json").json
    assert (found["records"], found["files"]) == (len(ids) + 1, ["keys.json", "store.json"])
    second = {file.name: file.read_bytes() for file in (BACKUP / "segments").iterdir()}
    assert first.items() < second.items()
    assert len(second) == len(first) + 1
    assert cli.ok("restore", str(BACKUP), str(AGAIN)).out.startswith("Restored")
    assert (AGAIN / "keys.json").read_text() == "{}"
    with Embedded(HOME) as one, Embedded(AGAIN) as other:
        assert one.log.topic_id == other.log.topic_id
        for partition in range(one.log.partitions):
            assert one.log.read(partition, 0, 10_000) == other.log.read(partition, 0, 10_000)
    assert digests(AGAIN) == digests(HOME)


def test_it_is_taken_while_others_append(cli: Cli) -> None:
    grown(HOME)
    acknowledged: list[str] = []
    before = 0
    enough = threading.Event()
    with Embedded(HOME) as engine:

        def work() -> None:
            drafter = Drafter(MEMORIES[0], "test", "test")
            while not enough.is_set():
                draft = drafter.record_event(f"Beside the backup {len(acknowledged)}")
                engine.submit(draft)
                acknowledged.append(draft.id)

        appending = threading.Thread(target=work)
        appending.start()
        try:
            for _ in range(3):
                before = len(acknowledged)
                run = cli("backup", str(HOME), str(BACKUP), "--json")
                assert run.code == 0, run.out
        finally:
            enough.set()
            appending.join()
    cli.ok("restore", str(BACKUP), str(AGAIN))
    with Embedded(AGAIN) as again:
        assert all(again.ask(MEMORIES[0], AskBecame(each)).accepted for each in acknowledged[:before])


def test_a_flipped_byte_in_a_backup_is_found_before_anything_is_made(cli: Cli) -> None:
    grown(HOME)
    cli.ok("backup", str(HOME), str(BACKUP))
    for file in [*sorted((BACKUP / "segments").iterdir()), BACKUP / "manifest.json"]:
        flip(file, file.stat().st_size // 2, 0x01)
        run = cli("restore", str(BACKUP), str(AGAIN))
        assert (run.code, AGAIN.exists()) == (1, False)
        assert file.name in run.err
        flip(file, file.stat().st_size // 2, 0x01)
    cli.ok("restore", str(BACKUP), str(AGAIN))


def test_nothing_is_overwritten(cli: Cli) -> None:
    grown(HOME)
    cli.ok("backup", str(HOME), str(BACKUP))
    Path("other").mkdir()
    Path("other", "mine").write_text("mine")
    assert cli("backup", str(HOME), "other").code == 2
    assert cli("restore", str(BACKUP), "other").code == 2
    assert cli("restore", str(BACKUP), str(HOME)).code == 2
    assert [file.name for file in Path("other").iterdir()] == ["mine"]
    grown(Path("another"))
    refused = cli("backup", "another", str(BACKUP))
    assert refused.code == 2
    assert "another log" in refused.err
    assert cli("restore", "other", str(AGAIN)).code == 2


def test_of_a_damaged_log_everything_else_is_kept_on_request(cli: Cli) -> None:
    ids = grown(HOME)
    table = max((HOME / "log" / "records").glob("*.sst"), key=lambda file: file.stat().st_size)
    flip(table, table.stat().st_size // 3, 0x04)
    refused = cli("backup", str(HOME), str(BACKUP))
    assert refused.code == 1
    assert "--accept-loss" in refused.err
    found = cli.ok("backup", str(HOME), str(BACKUP), "--accept-loss", "--json").json
    lost = sum(one["last"] - one["first"] + 1 for one in found["lost"])
    assert lost and found["records"] == len(ids) - lost
    cli.ok("restore", str(BACKUP), str(AGAIN))
    assert cli.ok("verify", str(AGAIN), "--json").json["records"] == len(ids) - lost
    with Embedded(HOME) as one, Embedded(AGAIN) as other:
        assert one.log.topic_id != other.log.topic_id  # it is another log
        other.catch_up()
        assert other.hosting.damage.told() is None
    assert cli("backup", str(HOME), str(BACKUP), "--accept-loss").code == 2


@pytest.mark.parametrize("name", ["backup", "restore"])
def test_what_is_not_there_is_said(cli: Cli, name: str) -> None:
    run = cli(name, "nowhere", "else")
    assert run.code in {2, 4}
    assert not Path("nowhere").exists() and not Path("else").exists()


def test_the_drill_works_as_it_is_written(cli: Cli) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "backup.md").read_text()
    block = page.split("```console\n")[1].split("```")[0]
    steps = [shlex.split(line.removeprefix("$ yggdrasil ")) for line in block.splitlines()]
    assert len(steps) == 7
    said = [cli.ok(*step).out for step in steps]
    assert "2 records" in said[4]
    assert "Sound" in said[5]
    assert "Deployed on a Friday" in said[6]
