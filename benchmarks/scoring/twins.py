"""The same memory, and the same answers by a scorer, in another process: of the wheel, or of the checkout.

``python -m benchmarks.scoring.twins``: one line of JSON, with the form of the laws, a digest, and what was returned.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import orjson

from yggdrasil.form import laws
from yggdrasil_schemas.limits import SCORER_WEIGHTS

from .made import world_told
from .recalls import ask
from .worlds import World

_SEED: Final = 7
_WORLD: Final = World("twins", "together", 8, 16, 0.0)


def told() -> bytes:
    """Tell a memory of a world, adopt a scorer of drawn weights, ask, and return what came of it."""
    weights = np.random.default_rng(_SEED).integers(-8_000, 8_000, SCORER_WEIGHTS).astype("<i2").tobytes()
    with TemporaryDirectory() as scratch, world_told(_WORLD, _SEED, Path(scratch)) as (memory, topics):
        before = [ask(memory, topic.question).refs for topic in topics]
        memory.propose_scorer(weights, samples=1_000, metric=400, baseline=500, active=True)
        answers = [ask(memory, topic.question) for topic in topics]
        after = [answer.refs for answer in answers]
        rows = [entry.scores.features for answer in answers for entry in answer.found]
        ranker = answers[0].versions["ranker"]
        said = {"before": before, "after": after, "rows": rows, "ranker": ranker, "moved": before != after}
        return orjson.dumps({"laws": laws()} | said)


if __name__ == "__main__":
    sys.stdout.buffer.write(told() + b"\n")
