"""The programs that check what is deployed: those of this machine, or else Debian's, unpacked into .venv.

Debian's own client fetches them, from wherever this machine has its packages.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parent.parent.parent
INFRA: Final = ROOT / "infra"
_UNPACKED: Final = ROOT / ".venv" / "debian"
_PACKAGES: Final = {
    "promtool": "prometheus",
    "kubectl": "kubernetes-client",
    "compose_spec.json": "docker-compose",
}
_PLACES: Final = ("usr/bin", "usr/lib/python3/dist-packages/compose/config")


def documents(path: Path) -> list[Any]:
    """The documents of a YAML file."""
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def checked_by(program: str, *arguments: str | Path) -> str:
    """Run a validator and return what it says. Raises AssertionError with its words when it finds fault."""
    ran = subprocess.run([found(program), *arguments], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{program} {' '.join(map(str, arguments))}:\n{ran.stdout}{ran.stderr}"
    return ran.stdout


def found(name: str) -> str:
    """Return where a program or file is, fetched if it is nowhere yet. Raises AssertionError saying what to install."""
    if on_path := shutil.which(name):
        return on_path
    package = _PACKAGES[name]
    folder = _UNPACKED / package
    if not folder.is_dir():
        _fetch(package, folder)
    (path,) = (folder / place / name for place in _PLACES if (folder / place / name).exists())
    return str(path)


def _fetch(package: str, folder: Path) -> None:
    """Unpack a Debian package at ``folder``. Another run may do the same at the same time: the first one counts."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        scratch = Path(name)
        why = _download(package, scratch)
        if why:  # the machine has no list of packages, or an old one: take a fresh one, which needs no root
            lists = ["-o", f"Dir::State::lists={scratch}/lists", "-o", f"Dir::Cache={scratch}/cache"]
            why = _apt(scratch, *lists, "update") or _download(package, scratch, *lists)
        assert not why, f"Debian's package {package} is needed here, or its program on PATH; apt-get says:\n{why}"
        (archive,) = scratch.glob("*.deb")
        unpacked = scratch / "unpacked"
        subprocess.run(["dpkg-deb", "--extract", archive, unpacked], check=True)
        if not folder.is_dir():
            unpacked.rename(folder)


def _download(package: str, scratch: Path, *options: str) -> str:
    return _apt(scratch, *options, "download", package)


def _apt(folder: Path, *arguments: str) -> str:
    """Run apt-get in ``folder`` and return what went wrong, or nothing."""
    try:
        ran = subprocess.run(["apt-get", "-qq", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        return str(error)
    return ran.stderr if ran.returncode else ""
