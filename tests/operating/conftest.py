"""The command line in a directory of its own, with nothing of the environment."""

from pathlib import Path

import pytest

from tests.cli.runs import Cli


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(tmp_path)
    for name in ("YGGDRASIL_DIR", "YGGDRASIL_MEMORY"):
        monkeypatch.delenv(name, raising=False)
    return Cli(tmp_path, capsys)
