"""``python -m tests.faults.local.checkpoints HOME ROOT`` folds and takes checkpoints until it is killed."""

import os
import sys
from pathlib import Path
from typing import Final

from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import projecting
from tests.graph.list_log import ListLog
from yggdrasil_projections.graph.checkpoint.taking import take
from yggdrasil_projections.graph.store.store import Pin

HISTORY: Final = fixed_history(1_200)
PIN: Final = Pin("topic-1", 1, 0)
_RECORDS: Final = 3  # between two checkpoints: few, so that most kills come while one is taken


def main(home: Path, root: Path) -> None:
    with projecting(ListLog(HISTORY), home) as projector:
        while projector.advance(_RECORDS):
            position = take(projector.store, root).manifest.position
            os.write(1, b"taken %d\n" % position)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
