"""What makes one number of nine: the seed's linear form, and the network that a trainer fits (003, section 3.5).

Whole numbers only, and no exponential: a sigmoid is monotone, so that the order of its arguments, the logits, is the
order of the scores, and a score of at least 0.4 is a logit of at least -0.405465. So they are the same everywhere.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from .features import Features

Scores = npt.NDArray[np.int64]
_SIMILARITY: Final = 0
_STRENGTH: Final = 1
_RECENCY: Final = 4


def linear(features: Features) -> Scores:
    """Return the seed's linear score of each row, in [0, 4,096].

    0.40 similarity, 0.40 strength, 0.20 recency (003, section 3.5, ScorerWithFallback), rounded down.
    """
    scores: Scores = (2 * features[:, _SIMILARITY] + 2 * features[:, _STRENGTH] + features[:, _RECENCY]) // 5
    return scores
