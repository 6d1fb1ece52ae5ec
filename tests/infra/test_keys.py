"""The file of keys: what it says is what counts, as soon as it can be read."""

from collections.abc import Callable
from logging import ERROR
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from yggdrasil_infra.http.keys import Keys, new_key, revoke


def known(keys: Keys, key: str) -> bool:
    keys.look()
    return keys.caller(Headers({"Authorization": f"Bearer {key}"})) is not None


def unreadable_by_mode(file: Path) -> Callable[[], object]:
    """The owner alone can mend that, and neither the file's size nor its time tells that it was done."""
    file.chmod(0o664)
    return lambda: file.chmod(0o600)


def unreadable_for_a_moment(file: Path) -> Callable[[], object]:
    """As when a process has no file left to open; here it is a directory that has its place."""
    away = file.with_name("away")
    file.rename(away)
    file.mkdir()

    def back() -> None:
        file.rmdir()
        away.rename(file)

    return back


@pytest.mark.parametrize("spoil", [unreadable_by_mode, unreadable_for_a_moment])
def test_a_revoked_key_is_shut_out_once_the_file_can_be_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spoil: Callable[[Path], Callable[[], object]]
) -> None:
    file = tmp_path / "keys.json"
    entry, revoked = new_key(file, "acme", ["read"], "revoked")
    _, kept = new_key(file, "acme", ["read"], "kept")
    keys = Keys(file)
    assert known(keys, revoked) and known(keys, kept)
    revoke(file, entry.id)
    mend = spoil(file)
    with caplog.at_level(ERROR, "yggdrasil.keys"):
        assert all(known(keys, kept) for _ in range(3))
    assert len(caplog.records) == 1  # and not one every second
    mend()
    assert known(keys, kept)
    assert not known(keys, revoked)
