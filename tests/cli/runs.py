"""Runs of the command line: in this process for speed, as the installed script for truth."""

import json
import subprocess
import sys
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from yggdrasil.cli import main, screen

SCRIPTS = Path(sys.executable).parent


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout; anything beside it would not be JSON."""
        return json.loads(self.out)

    @property
    def line(self) -> str:
        """The only line of stdout."""
        (line,) = self.out.splitlines()
        return line


@dataclass(frozen=True)
class Cli:
    """The command line. It tells progress as often as a test wants: never, or a slow machine would see lines of it."""

    place: Path
    capsys: pytest.CaptureFixture[str]
    told_every_s: float = inf

    def __call__(self, *arguments: str) -> Run:
        self.capsys.readouterr()
        with patch.object(screen, "_TOLD_EVERY_S", self.told_every_s):
            code = main(arguments)
        captured = self.capsys.readouterr()
        return Run(int(code), captured.out, captured.err)

    def ok(self, *arguments: str) -> Run:
        run = self(*arguments)
        assert run.code == 0, run.err
        return run

    def script(self, *arguments: str, stdin: str = "") -> Run:
        """Run the installed script in a process of its own."""
        command = [str(SCRIPTS / "yggdrasil"), *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=240)
        return Run(done.returncode, done.stdout, done.stderr)
