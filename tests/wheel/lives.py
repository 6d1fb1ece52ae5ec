"""Random lives, folded: ``python -m tests.wheel.lives COUNT`` prints the digests, and what the fold was read from."""

import json
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from tests.graph.histories import history
from tests.graph.hosts import folded
from tests.graph.open_rules import open_rules
from yggdrasil_projections.graph import fold

_RECORDS: Final = 600


def lives(count: int) -> list[dict[str, str]]:
    """Return the digests of ``count`` lives, each with its own batches and a cache that may be too small for it."""
    found: list[dict[str, str]] = []
    for life in range(count):
        rng = Random(life)
        records = history(range(life * _RECORDS, (life + 1) * _RECORDS), rng.choice((32, 64, 128)))
        with TemporaryDirectory() as folder:
            found.append(folded(records, Path(folder), rng.choice((1, 7, 100, 500)), rng.choice((10, 1_000_000))))
    return found


if __name__ == "__main__":
    with open_rules():
        sys.stdout.write(json.dumps({"fold": fold.__file__, "digests": lives(int(sys.argv[1]))}))
