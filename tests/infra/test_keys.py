"""The file of keys: what it says is what counts, and while that cannot be known nobody is let in."""

import os
from collections.abc import Callable
from logging import ERROR
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from starlette.datastructures import Headers

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.http.errors import KeysError
from yggdrasil_infra.http.keys import Keys, new_key, renew, revoke
from yggdrasil_infra.http.problems import ProblemError


def known(keys: Keys, key: str) -> bool:
    keys.look()
    return keys.caller(Headers({"Authorization": f"Bearer {key}"})) is not None


def shut(keys: Keys, key: str) -> str:
    """Why nobody is let in."""
    keys.look()
    with pytest.raises(ProblemError, match="not_ready"):
        keys.caller(Headers({"Authorization": f"Bearer {key}"}))
    return keys.failure() or ""


def unreadable_by_mode(file: Path) -> Callable[[], object]:
    """The owner alone can mend that, and neither the file's size nor its time tells that it was done."""
    file.chmod(0o664)
    return lambda: file.chmod(0o600)


def owned_by_another(file: Path) -> Callable[[], object]:
    os.chown(file, 12_345, -1)
    return lambda: os.chown(file, os.geteuid(), -1)


def unreadable_for_a_moment(file: Path) -> Callable[[], object]:
    """As when a process has no file left to open; here it is a directory that has its place."""
    away = file.with_name("away")
    file.rename(away)
    file.mkdir()

    def back() -> None:
        file.rmdir()
        away.rename(file)

    return back


def no_file_of_keys(file: Path) -> Callable[[], object]:
    kept = file.read_bytes()
    file.write_bytes(b"{")
    return lambda: file.write_bytes(kept)


def away(file: Path) -> Callable[[], object]:
    kept = file.with_name("kept")
    file.rename(kept)
    return lambda: kept.rename(file)


AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (unreadable_by_mode, "chmod go-w"),
        pytest.param(owned_by_another, "belongs to the user 12345", marks=AS_ROOT),
        (unreadable_for_a_moment, "cannot be read"),
        (no_file_of_keys, "no file of keys"),
        (away, "is not there"),
    ],
)
def test_while_the_file_cannot_be_trusted_nobody_is_let_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spoil: Callable[[Path], Callable[[], object]], said: str
) -> None:
    file = tmp_path / "keys.json"
    entry, revoked = new_key(file, "acme", ["read"], "revoked")
    _, kept = new_key(file, "acme", ["read"], "kept")
    keys = Keys(file)
    assert known(keys, revoked) and known(keys, kept)
    revoke(file, entry.id)
    mend = spoil(file)
    with caplog.at_level(ERROR, "yggdrasil.keys"):
        assert known(keys, kept)  # one look that fails may be an editor's slip
        assert all(said in shut(keys, key) for key in (kept, revoked, kept))
        assert str(tmp_path) not in (keys.failure() or "")  # /readyz is for anybody
    assert len(caplog.records) == 1  # and not one every second
    mend()
    assert known(keys, kept)
    assert keys.failure() is None
    assert not known(keys, revoked)


@AS_ROOT
def test_a_file_that_another_user_owns_is_not_started_with(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    new_key(file, "acme", ["read"], "reader")
    owned_by_another(file)
    with pytest.raises(KeysError, match="belongs to the user 12345"):
        Keys(file)


def test_when_nobody_has_looked_for_long_nobody_is_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, key = new_key(tmp_path / "keys.json", "acme", ["read"], "reader")
    keys = Keys(tmp_path / "keys.json")
    later = monotonic() + 60
    monkeypatch.setattr("yggdrasil_infra.http.keys.keyring.monotonic", lambda: later)
    with pytest.raises(ProblemError, match="not_ready"):
        keys.caller(Headers({"Authorization": f"Bearer {key}"}))
    assert "not been looked at" in (keys.failure() or "")
    assert known(keys, key)


def test_an_expired_key_is_nobody_and_says_so_to_whoever_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "keys.json"
    entry, key = new_key(file, "acme", ["read"], "guest", expires_ms=now_ms() + 60_000)
    keys = Keys(file)
    assert known(keys, key)
    monkeypatch.setattr("yggdrasil_infra.http.keys.keyring.now_ms", lambda: entry.expires_ms)
    with pytest.raises(ProblemError, match=r"unauthenticated: the key .* has expired"):
        known(keys, key)
    assert not known(keys, f"ygg_{entry.id}_guessed")


def test_no_key_has_the_name_of_another_one_that_opens_the_same(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    first, _ = new_key(file, "acme", ["append"], "planner")
    new_key(file, "beta", ["append"], "planner")
    for tenant, name in (
        ("acme", "planner"), ("*", "planner"), ("acme", first.id), ("acme", "cli"), ("acme", "loopback"),
    ):  # fmt: skip
        with pytest.raises(KeysError, match="renew"):
            new_key(file, tenant, ["append"], name)
    named = [new_key(file, "acme", ["append"], None)[0].name for _ in range(2)]
    assert named[0] == "acme" != named[1]


def test_a_renewed_key_is_as_the_first_one_was(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    first, key = new_key(file, "acme", ["append"], "planner", "tool", "plan-*")
    second, other = renew(file, first.id, now_ms() + 60_000)
    assert (second.name, second.origin, second.agents, second.roles) == ("planner", "tool", "plan-*", ["append"])
    assert second.id != first.id
    keys = Keys(file)
    assert known(keys, key) and known(keys, other)
    revoke(file, first.id)
    assert not known(keys, key) and known(keys, other)


def test_a_file_that_everybody_can_read_is_told_as_a_service_starts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "keys.json"
    new_key(file, "acme", ["read"], "planner")
    Keys(file)
    assert caplog.text == ""
    file.chmod(0o644)
    Keys(file)
    assert f"{file} can be read by everybody on this machine" in caplog.text


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"agents": "[a-z]"}, "agents: 1 to 64 letters, digits and . _ -, with * for any text .* such as planner-*"),
        ({"tenant": "a/b"}, "tenant: 1 to 64 letters, .* such as acme; or * for all"),
        ({"name": "a\nb"}, "name: 1 to 128 characters on one line"),
        ({"roles": ["reed"]}, "roles: must be append, read"),
    ],
)
def test_what_a_key_cannot_be_is_said_in_words(tmp_path: Path, field: dict[str, Any], words: str) -> None:
    said = {"tenant": "acme", "roles": ["read"], "name": "x"} | field
    with pytest.raises(KeysError) as caught:
        new_key(tmp_path / "keys.json", **said)
    begins, _, ends = words.partition(".*")
    assert str(caught.value).startswith(begins) and ends in str(caught.value)


def test_a_folder_is_no_file_of_keys(tmp_path: Path) -> None:
    for folder in (Path("/"), tmp_path):
        with pytest.raises(KeysError, match=r"folder|directory"):
            new_key(folder, "acme", ["read"], None)


def test_a_link_to_a_file_of_keys_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "kept" / "keys.json", tmp_path / "keys.json"
    real.parent.mkdir()
    link.symlink_to(real)
    for count in (1, 2):
        new_key(link, "acme", ["read"], None)
        assert link.is_symlink() and real.read_bytes().count(b'"tenant"') == count
