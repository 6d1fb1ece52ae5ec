"""Folding makes no garbage that only the collector finds: so a host need not let it run meanwhile."""

import gc
from pathlib import Path

from .histories import history
from .hosts import projecting
from .list_log import ListLog


def test_a_fold_makes_no_cycles(tmp_path: Path) -> None:
    log = ListLog(history(range(600)))
    with projecting(log, tmp_path / "store", 500) as projector:
        projector.advance(100)
        gc.collect()
        gc.disable()
        try:
            while projector.advance(100):
                pass
            assert not gc.collect()
        finally:
            gc.enable()
