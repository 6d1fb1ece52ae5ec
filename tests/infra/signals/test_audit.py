"""The audit log: a file for its owner alone that only grows, goes on by itself, and says when it cannot."""

import json
import os
import resource
import signal
from collections.abc import Generator
from contextlib import contextmanager
from logging import INFO
from pathlib import Path

import pytest

from yggdrasil_infra.signals.audit import Audit, AuditError

ENTRY: dict[str, object] = {"key": "0123456789ab", "method": "GET", "route": "/stats", "status": 200, "memory": "a/b"}


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@contextmanager
def no_room(size: int) -> Generator[None]:
    """As on a full disk: no file grows beyond ``size``."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_line_for_each_request_in_a_file_that_others_cannot_read(tmp_path: Path) -> None:
    file = tmp_path / "audit.log"
    file.write_text("before\n")
    file.chmod(0o644)
    audit = Audit(file)
    audit.write(ENTRY)
    audit.close()
    assert file.stat().st_mode & 0o777 == 0o600
    first, second = file.read_text().splitlines()
    assert first == "before"
    found = json.loads(second)
    assert found.pop("time").endswith("Z")
    assert found == ENTRY


def test_it_is_rotated_by_size_and_keeps_so_many_files(tmp_path: Path) -> None:
    file = tmp_path / "audit.log"
    audit = Audit(file, files_max=3, file_bytes_max=1_000)
    for number in range(100):
        audit.write({**ENTRY, "number": number})
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["audit.log", "audit.log.1", "audit.log.2"]
    assert all(path.stat().st_size <= 1_000 and path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())
    kept = [line["number"] for name in ("audit.log.2", "audit.log.1", "audit.log") for line in lines(tmp_path / name)]
    assert kept == list(range(100 - len(kept), 100))
    assert audit.failure() is None


def test_a_file_that_was_taken_away_is_begun_anew(tmp_path: Path) -> None:
    file = tmp_path / "audit.log"
    audit = Audit(file)
    audit.write({**ENTRY, "number": 1})
    file.rename(tmp_path / "away")
    audit.write({**ENTRY, "number": 2})
    assert [line["number"] for line in lines(file)] == [2]


def test_what_cannot_be_written_is_told_until_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "audit.log"
    audit = Audit(file)
    audit.write(ENTRY)
    with no_room(file.stat().st_size + 10):
        audit.write(ENTRY)
        assert "cannot be written" in (audit.failure() or "")
    monkeypatch.setattr("yggdrasil_infra.signals.audit._AGAIN_S", 0.0)
    assert audit.failure() is None
    whole = file.read_text().splitlines()
    assert json.loads(whole[0])["key"] == json.loads(whole[-1]).get("key", ENTRY["key"])
    assert json.loads(whole[-1])["event"] == "the audit log can be written again"


@pytest.mark.parametrize("kind", ["directory", "link", "foreign", "nowhere"])
def test_what_is_no_file_of_ours_is_refused(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "audit.log"
    if kind == "directory":
        file.mkdir()
    elif kind == "link":
        (tmp_path / "other").write_text("")
        file.symlink_to(tmp_path / "other")
    elif kind == "foreign":
        if os.geteuid() != 0:
            pytest.skip("only root gives files away")
        file.write_text("")
        os.chown(file, 12_345, -1)
    else:
        file = tmp_path / "missing" / "audit.log"
    with pytest.raises(AuditError, match="--audit-log"):
        Audit(file)


def test_strangers_cannot_push_out_what_others_did(tmp_path: Path) -> None:
    file = tmp_path / "audit.log"
    audit = Audit(file)
    for _ in range(1_000):
        audit.write({**ENTRY, "key": None})
    audit.write(ENTRY)
    written = lines(file)
    assert 100 <= len(written) <= 105
    audit._strangers = 1.0
    audit.write({**ENTRY, "key": None})
    assert lines(file)[-1]["unwritten"] == 1_001 - len(written)


def test_without_a_file_it_is_a_logger_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(INFO, "yggdrasil.audit"):
        Audit(None).write(ENTRY)
    (record,) = caplog.records
    assert (record.name, record.getMessage(), record.__dict__["memory"]) == ("yggdrasil.audit", "GET /stats 200", "a/b")
