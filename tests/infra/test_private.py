"""Small files that are replaced: at once, by one at a time, for the owner alone, and with nothing left beside them."""

import os
from concurrent.futures import ThreadPoolExecutor
from errno import EINVAL, EIO, ENOSPC
from pathlib import Path
from stat import S_IMODE

import pytest

from yggdrasil_infra.private import replace_private


def failing(monkeypatch: pytest.MonkeyPatch, error: int, *, folders: bool) -> None:
    """Let the disk sync no folder, or no file."""
    sync = os.fsync

    def fails(file: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{file}") == folders:
            raise OSError(error, os.strerror(error))
        sync(file)

    monkeypatch.setattr(os, "fsync", fails)


def test_those_who_replace_it_at_once_do_not_get_into_each_others_way(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    said = [bytes([65 + number]) * (100_000 * number + 1) for number in range(4)]

    def replaces(data: bytes) -> None:
        for _ in range(40):
            replace_private(path, data)
            assert path.read_bytes() in said

    with ThreadPoolExecutor() as pool:
        for each in [pool.submit(replaces, data) for data in said]:
            each.result()
    assert [*tmp_path.iterdir()] == [path]


def test_what_was_left_beside_it_is_taken_for_the_owner_alone(tmp_path: Path) -> None:
    path, left = tmp_path / "x.json", tmp_path / "x.json.new"
    left.write_bytes(b"half of something longer")
    left.chmod(0o666)
    replace_private(path, b"all")
    assert path.read_bytes() == b"all" and S_IMODE(path.stat().st_mode) == 0o600 and not left.exists()


def test_nothing_is_written_where_a_link_beside_it_leads(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"mine")
    (tmp_path / "x.json.new").symlink_to(other)
    with pytest.raises(OSError, match="symbolic links"):
        replace_private(tmp_path / "x.json", b"all")
    assert other.read_bytes() == b"mine" and not (tmp_path / "x.json").exists()


def test_a_full_disk_leaves_the_file_as_it_was_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.json"
    replace_private(path, b"before")
    failing(monkeypatch, ENOSPC, folders=False)
    with pytest.raises(OSError, match="No space"):
        replace_private(path, b"after")
    assert path.read_bytes() == b"before" and [*tmp_path.iterdir()] == [path]


def test_a_disk_whose_folders_cannot_be_synced_is_none_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.json"
    failing(monkeypatch, EINVAL, folders=True)
    replace_private(path, b"all")
    assert path.read_bytes() == b"all"
    monkeypatch.undo()
    failing(monkeypatch, EIO, folders=True)
    with pytest.raises(OSError, match="Input/output"):
        replace_private(path, b"more")
