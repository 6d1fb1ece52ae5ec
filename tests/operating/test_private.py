"""What is made is for its owner alone: directories 0700, files 0600."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.operating.damaged import grown
from yggdrasil_infra.http.keys import new_key
from yggdrasil_infra.locks import DirectoryLock
from yggdrasil_infra.rocks.marking import mark


@pytest.fixture(autouse=True)
def as_most_machines_have_it() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(path: Path) -> dict[str, str]:
    return {str(each): oct(each.stat().st_mode & 0o777) for each in (path, *path.rglob("*"))}


def test_what_the_command_line_makes_is_its_owner_s_alone(cli: Cli) -> None:
    for words in (
        ("record", "Deployed on a Friday", "--feature", "deploy", "--dir", "new/home"),
        ("context", "deployed", "--dir", "new/home"),
        ("rebuild", "--dir", "new/home"),
        ("backup", "new/home", "new/backup"),
        ("restore", "new/backup", "new/again"),
    ):
        run = cli.script(*words)
        assert run.code == 0, run.err
    found = modes(Path("new"))
    assert len(found) > 60
    open_to_others = {
        path: mode for path, mode in found.items() if mode != ("0o700" if Path(path).is_dir() else "0o600")
    }
    assert open_to_others == {}


def test_what_the_library_makes_can_be_entered_by_nobody_else(tmp_path: Path) -> None:
    grown(tmp_path / "new" / "home")
    found = modes(tmp_path / "new")
    assert {mode for path, mode in found.items() if Path(path).is_dir()} == {"0o700"}
    assert found[str(tmp_path / "new" / "home" / "log" / "acknowledged")] == "0o600"


def test_keys_locks_and_marks_are_private_files(tmp_path: Path) -> None:
    new_key(tmp_path / "keys.json", "*", ["read"], "operator")
    DirectoryLock(tmp_path / "worker").close()
    mark(tmp_path, "damaged")
    files = ("keys.json", "keys.json.lock", "worker/worker.lock", "DAMAGED")
    assert {name: oct((tmp_path / name).stat().st_mode & 0o777) for name in files} == dict.fromkeys(files, "0o600")
