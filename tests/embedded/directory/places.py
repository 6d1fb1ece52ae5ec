"""Directories that can only be read: mounted so where this user may mount, and by their permissions otherwise."""

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def only_read(path: Path) -> Generator[None]:
    """Let nothing be written below ``path``, and find it as it was before."""
    before = found_in(path)
    if os.geteuid() == 0:
        with _mounted(path):
            yield
    else:
        everything = [path, *path.rglob("*")]
        for each in everything:
            each.chmod(each.stat().st_mode & ~0o222)
        try:
            yield
        finally:
            for each in everything:
                each.chmod(each.stat().st_mode | 0o200)
    assert found_in(path) == before


@contextmanager
def _mounted(path: Path) -> Generator[None]:
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "--bind", path, path], check=False).returncode:
        pytest.skip(
            "root may write everywhere but where nothing is mounted for writing, and a container may forbid that"
        )
    try:
        subprocess.run([mount, "-o", "remount,ro,bind", path], check=True)
        yield
    finally:
        subprocess.run(["umount", path], check=True)


def found_in(path: Path) -> dict[str, tuple[int, int]]:
    """Return the size and the time of all that is below ``path``."""
    found = {str(each.relative_to(path)): each.lstat() for each in path.rglob("*")}
    return {name: (each.st_size, each.st_mtime_ns) for name, each in found.items()}
