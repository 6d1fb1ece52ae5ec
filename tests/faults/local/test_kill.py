"""kill -9 at any moment: what was acknowledged is there, and the state is that of a clean replay.

A killed process loses what it had not yet handed to the kernel. That a write is handed further, to the disk, is shown
by counting syncs (tests/infra/test_rocks.py), since no test can cut the power.
"""

import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from tests.faults.local.load import PARTITIONS, STEPS
from tests.faults.local.oracle import Acknowledged, Child, check_against_replay, check_identities
from tests.size import turns
from yggdrasil_infra.local_log.files import database
from yggdrasil_infra.local_log.log import LocalLog

SEED = 20_260
LANES = turns(2, 10)  # directories, two at a time; each is killed again and again, so that recoveries stack
KILLS = turns(5, 10)  # in each of them
OPENING_S = 0.12  # about what opening and catching up take here: some kills come before the first acknowledgement
WORK = 80  # new commands to wait for, at most: on a busy machine time says little of how many there were
WORKING_S = 0.05
MOMENTS = [("before", 1), ("after", 23), ("after", 1), ("before", 23), ("before", 2), ("after", 2)]  # of a step


def kill_once(path: Path, seed: str, rng: Random, before: Acknowledged) -> Acknowledged:
    """Start a process on ``path``, kill it at a random moment, and return what it had acknowledged.

    Mostly that is once it has acknowledged some commands that no process ``before`` did, however long they take.
    """
    with Child(str(path), seed) as child:
        if rng.random() < 0.3:
            child.wait_for("started")
            time.sleep(rng.uniform(0, OPENING_S))  # not to wait for anything: this is the random moment
        else:
            news = rng.randrange(1, WORK)
            while len(child.acknowledged() - before) < news:
                child.wait_for("acme/", "zoo/")
            time.sleep(rng.uniform(0, WORKING_S))
        assert (child.end(signal.SIGKILL), child.errors) == (-signal.SIGKILL, ""), f"seed {seed}"
        return child.acknowledged()


def killed_again_and_again(path: Path, lane: int) -> int:
    """Return how many commands were acknowledged in all.

    The checks open copies, since opening repairs: so the next process, and not the check, finds what the kill left.
    Every second process uses the seed of the one before it, and so sends many of its commands once more.
    """
    rng, acknowledged = Random(f"{SEED}-{lane}"), Acknowledged()
    path.mkdir()  # the first kill may come before the process has made it
    for kill in range(KILLS):
        seed = f"{SEED}-{lane}-{kill // 2}"
        acknowledged |= kill_once(path, seed, rng, acknowledged)
        copy = shutil.copytree(path, path.with_name(f"{path.name}-{kill}"))
        try:
            if kill % 5 == 4:
                check_against_replay(copy, copy / "replayed", acknowledged)
            else:
                check_identities(copy, acknowledged)
        except BaseException as error:
            error.add_note(f"after kill {kill} of lane {lane}, seed {seed}")
            raise
        shutil.rmtree(copy)
    return len(acknowledged)


@pytest.mark.parametrize("lane", range(0, LANES, 2))
def test_kills_at_random_moments(tmp_path: Path, lane: int) -> None:
    with ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(lambda number: killed_again_and_again(tmp_path / str(number), number), (lane, lane + 1)))
    assert min(counts) > 5 * KILLS, "too little was under way when the kills came"


@pytest.mark.parametrize(("when", "nth"), turns(MOMENTS[:2], MOMENTS))
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_beside_a_durable_step(tmp_path: Path, step: str, when: str, nth: int) -> None:
    path, seed = tmp_path / "home", f"{step}-{when}-{nth}"
    with Child(str(path), seed, "--fault", step, when, str(nth)) as child:
        assert (child.end(None), child.errors) == (-signal.SIGKILL, "")
        acknowledged = child.acknowledged()
    assert acknowledged or nth < 23, "at the 23rd time, some commands had been answered"
    check_against_replay(path, tmp_path / "replayed", acknowledged)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Acknowledged]:
    """A directory in which some time was spent, and what was acknowledged in it."""
    path = tmp_path_factory.mktemp("worked") / "home"
    with Child(str(path), "worked", "--turns", str(turns(100, 250))) as child:
        assert (child.end(None), child.errors) == (0, "")
        return path, child.acknowledged()


@pytest.mark.parametrize("when", turns(["before"], ["before", "after"]))
@pytest.mark.parametrize("step", turns(["commit"], ["commit", "attestation"]))
def test_kills_while_a_lost_store_is_folded_again(
    tmp_path: Path, worked: tuple[Path, Acknowledged], step: str, when: str
) -> None:
    path = tmp_path / "home"
    shutil.copytree(worked[0], path)
    shutil.rmtree(path / "graph")
    for nth in (1, 2, 5):  # on what the one before left
        with Child(str(path), "again", "--turns", "0", "--fault", step, when, str(nth)) as child:
            assert (child.end(None), child.errors, child.lines) == (-signal.SIGKILL, "", ["started"])
    check_against_replay(path, tmp_path / "replayed", worked[1])


@pytest.mark.parametrize(
    "left", [(), ("IDENTITY",), ("IDENTITY", "MANIFEST-000001"), ("MANIFEST-000001", "000001.dbtmp")]
)
def test_a_log_whose_creation_was_cut_short_is_created(tmp_path: Path, left: tuple[str, ...]) -> None:
    """RocksDB makes its first MANIFEST before CURRENT; a kill between the two left a log that refused to open."""
    records = database(tmp_path / "log")
    records.mkdir(parents=True)
    for name in left:
        (records / name).write_bytes(b"cut")
    with LocalLog.create_or_open(tmp_path / "log", PARTITIONS) as log:
        assert log.append(b"acme/ana", b"first").offset == 0
