"""One process writes: a second one is refused in words, whatever state the first is in, until the first has ended."""

import signal
from pathlib import Path

import pytest

from tests.faults.local.oracle import Child, check_against_replay
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.log import LogInUseError

REFUSAL = "already has its one writer. Stop that process, or append through it; to read beside it, open the log read-"


def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "home"
    with Child(str(path), "holder") as holder:
        holder.wait_for("acme/", "zoo/")
        for _ in range(3):  # the attempt disturbs neither the holder nor the next attempt
            with pytest.raises(LogInUseError, match=REFUSAL):
                Embedded(path)
        with Child(str(path), "second") as second:
            assert second.end(None) == 1
            assert REFUSAL in second.errors
            assert second.lines == ["started"]
        assert (holder.end(signal.SIGKILL), holder.errors) == (-signal.SIGKILL, "")
        check_against_replay(path, tmp_path / "replayed", holder.acknowledged())


def test_a_stopped_process_still_holds_the_directory(tmp_path: Path) -> None:
    path = tmp_path / "home"
    with Child(str(path), "holder") as holder:
        holder.wait_for("acme/", "zoo/")
        holder.signal(signal.SIGSTOP)
        assert holder.stopped()
        with pytest.raises(LogInUseError, match=REFUSAL):
            Embedded(path)
        holder.signal(signal.SIGCONT)
        holder.wait_for("acme/", "zoo/")  # it goes on as if nothing had been
        holder.signal(signal.SIGSTOP)
        assert (holder.end(signal.SIGKILL), holder.errors) == (-signal.SIGKILL, "")
        check_against_replay(path, tmp_path / "replayed", holder.acknowledged())


def test_a_second_one_in_the_same_process_is_refused_until_the_first_is_closed(tmp_path: Path) -> None:
    with Embedded(tmp_path / "home"), pytest.raises(LogInUseError, match=r"open in this process already.*Store\.open"):
        Embedded(tmp_path / "home")
    Embedded(tmp_path / "home").close()
