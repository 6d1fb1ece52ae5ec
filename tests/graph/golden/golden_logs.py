"""Small golden logs: one memory for each type of command, and one for each importer that real sources come through.

``commands-rules-1.jsonl`` holds what was said, a record in a line, and ``commands-rules-1.json`` what it folds to. The
imports are made anew from a repository and a conversation that are the same everywhere, and ``imports-rules-1.json``
holds what they fold to. ``python -m tests.graph.golden.fixed_history --write`` renews all of it.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import orjson

from tests.graph.golden.fixed_history import FOLDER, written
from tests.graph.golden.said_logs import LOGS
from tests.graph.hosts import folded
from tests.producers.repositories import STEP_S, Repo
from yggdrasil_infra.log import LogRecord
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.importers.git import import_git
from yggdrasil_producers.importers.locomo import import_locomo

COMMANDS_LOG: Final = FOLDER / "commands-rules-1.jsonl"
COMMANDS: Final = FOLDER / "commands-rules-1.json"
IMPORTS: Final = FOLDER / "imports-rules-1.json"
TENANT: Final = "golden"


def said_records() -> list[LogRecord]:
    """The logs of commands as they are written here; all of what they say is accepted."""
    said = [(each, f"{TENANT}/{type_}") for type_, log in LOGS.items() for each in log()]
    return [each.record(offset, memory) for offset, (each, memory) in enumerate(said)]


def stored_records() -> list[LogRecord]:
    """The logs of commands as they are stored."""
    lines = COMMANDS_LOG.read_bytes().splitlines()
    keys = [orjson.loads(line)["memory"].encode() for line in lines]
    return [LogRecord(0, n, key, line, timestamp_ms=0) for n, (key, line) in enumerate(zip(keys, lines, strict=True))]


def imported_records(folder: Path) -> list[LogRecord]:
    """What the importers of git and LoCoMo make of a repository and a conversation that they find in ``folder``."""
    git = import_git(_repository(folder / "repository").folder, _drafter("git"))
    locomo = import_locomo(_conversation(folder / "locomo.json"), _drafter("locomo"))
    drafts = [*git.drafts, *locomo.drafts]
    return [LogRecord(0, n, draft.key, draft.value, timestamp_ms=0) for n, draft in enumerate(drafts)]


def _drafter(name: str) -> Drafter:
    return Drafter(f"{TENANT}/{name}", name, "golden", "import")


def _repository(folder: Path) -> Repo:
    """Two authors who add, fix, revert, merge and release. Commits are named by SHA-1, whatever this git prefers."""
    folder.mkdir()
    repo = Repo(folder, init=False)
    repo.git("init", "--quiet", "--initial-branch=main", "--object-format=sha1")
    repo.commit("Add a door\n\nIt opens.", {"house/door.py": "1\n2\n3\n", "house/key.py": "1\n"})
    repo.commit("Add a window", {"house/window.py": "1\n", "README.md": "A house.\n"}, author="Grace")
    repo.commit("Fix the door", {"house/door.py": "1\n2\n4\n"})
    repo.commit("docs: the window", {"README.md": "A house with a window.\n"}, author="Grace")
    repo.git("tag", "v1.0")
    repo.git("checkout", "--quiet", "-b", "cellar")
    repo.commit("Add a cellar", {"house/cellar.py": "1\n", "house/door.py": "1\n2\n5\n"}, author="Grace")
    repo.git("checkout", "--quiet", "main")
    repo.commit("Test the key", {"tests/test_key.py": "1\n"})
    repo.now_s += STEP_S
    repo.git("merge", "--quiet", "--no-ff", "-m", "Merge the cellar", "cellar")
    repo.now_s += STEP_S
    repo.git("revert", "--no-edit", "HEAD~1")
    repo.commit("fix: the cellar floods", {"house/cellar.py": "2\n"})
    repo.git("tag", "v1.1")
    return repo


def _conversation(file: Path) -> Path:
    """Made up: the words of the benchmark itself are not part of the project."""
    turns = [("Ina", "I planted a tree."), ("Bo", "Which one?"), ("Ina", "An apple tree."), ("Bo", "Lovely.")]
    held: dict[str, object] = {"speaker_a": "Ina", "speaker_b": "Bo"}
    for number, date in (
        (1, "12:30 pm on 8 May, 2023"),
        (2, "9:05 am on 9 May, 2023"),
        (10, "1:00 am on 1 June, 2023"),
    ):
        held[f"session_{number}_date_time"] = date
        held[f"session_{number}"] = [
            {"speaker": speaker, "dia_id": f"D{number}:{n}", "text": f"{text} ({number})"}
            for n, (speaker, text) in enumerate(turns[: 2 + number % 3], 1)
        ]
    file.write_text(json.dumps([{"sample_id": "garden", "conversation": held, "qa": []}]), encoding="utf-8")
    return file


def command_results() -> dict[str, str]:
    """The digests of the stored logs of commands, by memory."""
    with TemporaryDirectory() as folder:
        return folded(stored_records(), Path(folder) / "store")


def import_results() -> dict[str, str]:
    """The digests of what is imported, by memory."""
    with TemporaryDirectory() as folder:
        return folded(imported_records(Path(folder)), Path(folder) / "store")


def write() -> None:
    """Renew the logs of commands and all digests of this module."""
    COMMANDS_LOG.write_bytes(b"".join((record.value or b"") + b"\n" for record in said_records()))
    COMMANDS.write_text(written(command_results()), encoding="utf-8")
    IMPORTS.write_text(written(import_results()), encoding="utf-8")


if __name__ == "__main__":
    sys.stdout.write(written(import_results()))
