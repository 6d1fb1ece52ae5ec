"""One holder of a directory; the lock dies with its process, however that ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from yggdrasil_infra.locks import BriefHold, DirectoryInUseError, DirectoryLock, has_holder, is_brief

HOLDER = """
import signal, sys
from pathlib import Path
from yggdrasil_infra.locks import DirectoryLock
with DirectoryLock(Path(sys.argv[1])):
    print("held", flush=True)
    signal.pause()
"""


def test_a_second_holder_is_told_who_the_first_is(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "directory"
    with DirectoryLock(directory):
        with pytest.raises(DirectoryInUseError, match=rf"in use by process {os.getpid()}; stop that one"):
            DirectoryLock(directory)
        with DirectoryLock(directory, "another.lock"), DirectoryLock(tmp_path):
            pass
    with DirectoryLock(directory):
        pass


def test_the_refused_leave_the_lock_as_it_is(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path) as lock:
        for _ in range(3):
            with pytest.raises(DirectoryInUseError):
                DirectoryLock(tmp_path)
        lock.close()
        lock.close()
    assert (tmp_path / "worker.lock").read_text() == f"{os.getpid()}\n"
    with DirectoryLock(tmp_path):
        pass


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True, bufsize=1
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DirectoryInUseError, match=f"process {holder.pid};"):
            DirectoryLock(tmp_path)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with DirectoryLock(tmp_path):
        assert (tmp_path / "worker.lock").read_text() == f"{os.getpid()}\n"


def test_looking_for_a_holder_changes_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "directory"
    assert not has_holder(directory) and not directory.exists()
    with DirectoryLock(directory):
        before = (directory / "worker.lock").stat()
        assert has_holder(directory)
        assert (directory / "worker.lock").stat() == before
    assert not has_holder(directory)
    assert not has_holder(directory / "worker.lock")  # a file is no directory that anybody holds
    DirectoryLock(directory).close()


def test_a_hold_that_is_brief_is_told_until_the_last_one_says_so_no_longer(tmp_path: Path) -> None:
    assert not is_brief(tmp_path)
    with BriefHold(tmp_path) as first, BriefHold(tmp_path):
        assert is_brief(tmp_path)
        first.close()
        first.close()
        assert is_brief(tmp_path)
    assert not is_brief(tmp_path) and not list(tmp_path.iterdir())
    with BriefHold(tmp_path / "nowhere"):
        assert not is_brief(tmp_path / "nowhere")
