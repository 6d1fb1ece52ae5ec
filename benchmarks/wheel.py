"""The wheel of this checkout, unpacked: what is measured is what people install, with its compiled parts.

It is built when the sources have changed since it last was, which takes half a minute, and kept in ``build/``.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import Any, Final

from .measure import say

ROOT: Final = Path(__file__).parent.parent
_BUILD: Final = ROOT / "build"
_KEPT_S: Final = 86_400.0
_PIP: Final = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


class WheelError(RuntimeError):
    """The wheel could not be built or unpacked; the message is what pip says."""


def settings() -> dict[str, Any]:
    """Return what ``pyproject.toml`` says of the wheel."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    wheel: dict[str, Any] = found["wheel"]
    return wheel


def unpacked() -> Path:
    """Return a directory with the packages of the wheel, for ``PYTHONPATH``. Raises WheelError."""
    _BUILD.mkdir(exist_ok=True)
    with (_BUILD / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        place = _BUILD / f"wheel-{_digest()}"
        if not place.exists():
            say("building the wheel with its compiled parts, since the sources have changed (half a minute) ...")
            for outdated in _BUILD.glob("wheel-*"):
                if time() - outdated.stat().st_mtime > _KEPT_S:  # a younger one may be in use
                    shutil.rmtree(outdated)
            with TemporaryDirectory(dir=_BUILD) as scratch:
                unpack(build(Path(scratch)), Path(scratch, "unpacked")).rename(place)
    return place


def build(folder: Path) -> Path:
    """Return the wheel of this checkout, built into ``folder``. Raises WheelError."""
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def unpack(wheel: Path, folder: Path) -> Path:
    """Unpack a wheel into ``folder``, which is returned. Raises WheelError."""
    _pip("install", "--no-deps", "--target", str(folder), str(wheel))
    return folder


def environment(wheel: Path) -> dict[str, str]:
    """Return the variables with which a process runs an unpacked wheel instead of the checkout."""
    return os.environ | {"PYTHONPATH": str(wheel)}


def _digest() -> str:
    """Return what the wheel depends on, as a short name."""
    digest = hashlib.sha256(f"{sys.implementation.cache_tag} {sys.executable}".encode())
    for path in sorted(_sources()):
        digest.update(f"{path.relative_to(ROOT)} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    wheel = settings()
    yield from (ROOT / "pyproject.toml", ROOT / "constraints.txt", ROOT / wheel["hooks"]["custom"]["path"])
    for package in wheel["packages"]:
        yield from (path for path in (ROOT / package).rglob("*") if path.is_file() and path.suffix != ".pyc")


def _pip(*arguments: str) -> None:
    done = subprocess.run([*_PIP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise WheelError(done.stdout)
