import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.runs import SCRIPTS, Cli
from tests.producers.repositories import Repo


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """The command line in an empty working directory, in this process."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.delenv("YGGDRASIL_DIR", raising=False)
    monkeypatch.delenv("YGGDRASIL_MEMORY", raising=False)
    monkeypatch.setenv("PATH", str(SCRIPTS), prepend=":")
    assert Path(sys.executable).parent == SCRIPTS
    return Cli(place, capsys)


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """What each ``repo`` is a copy of: it takes git twenty processes."""
    made = Repo(tmp_path_factory.mktemp("made") / "history")
    made.commit("Begin", {"src/parse.py": "1", "docs/index.md": "1"})
    made.commit("Parse faster", {"src/parse.py": "2", "src/cache.py": "2"}, author="Grace")
    made.commit("Cache more", {"src/parse.py": "3", "src/cache.py": "3"})
    made.git("revert", "--no-edit", "HEAD")
    made.commit("Say how it works", {"docs/index.md": "4"}, author="Grace")
    made.commit("fix: parse empty files", {"src/parse.py": "5"})
    return made


@pytest.fixture
def repo(history: Repo, tmp_path: Path) -> Repo:
    """A history with a pair of files, a revert and a mend."""
    made = Repo(shutil.copytree(history.folder, tmp_path / "history", symlinks=True), init=False)
    made.now_s = history.now_s
    return made
