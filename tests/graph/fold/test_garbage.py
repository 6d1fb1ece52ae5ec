"""Folding makes no garbage that only the collector finds: so a host need not let it run meanwhile."""

import gc
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.graph.histories import history
from tests.graph.hosts import projecting
from tests.graph.list_log import ListLog

ROOT = Path(__file__).parents[3]


def cycles() -> int:
    """How many objects only the collector finds after some hundred commands."""
    with TemporaryDirectory() as folder, projecting(ListLog(history(range(600))), Path(folder) / "store", 500) as it:
        it.advance(100)
        gc.collect()
        gc.disable()
        while it.advance(100):
            pass
        return gc.collect()


def test_a_fold_makes_no_cycles() -> None:
    """In a process of its own: here, threads of other tests may be making theirs."""
    program = "from tests.graph.fold.test_garbage import cycles; print(cycles())"
    assert subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True, timeout=240) == "0\n"
