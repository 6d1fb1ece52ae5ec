"""What makes one number of nine: the seed's linear form, and the network that a trainer fits (003, section 3.5).

Whole numbers only, and no exponential: a sigmoid is monotone, so that the order of its arguments, the logits, is the
order of the scores, and a score of at least 0.4 is a logit of at least -0.405465. So they are the same everywhere.
"""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.limits import SCORER_WEIGHTS

Features = npt.NDArray[np.int64]
"""A row of nine numbers in [0, 4,096] for each candidate: shape (candidates, 9)."""
Logits = npt.NDArray[np.int64]

NETWORK: Final = "mlp/1"
"""What the network is called in the name of a ranker."""
ONE: Final = 4_096
"""What stands for 1, of a feature and of a weight."""
LOGIT_ONE: Final = ONE * ONE
"""What stands for 1, of a logit."""
ENOUGH: Final = -6_802_575
"""The logit of a score of 0.4, -0.405465 (003, section 3.5, threshold), rounded up."""
INPUTS: Final = 9
HIDDEN: Final = 16
_SIMILARITY: Final = 0
_STRENGTH: Final = 1
_RECENCY: Final = 4
_SHIFT: Final = 12  # ONE is a power of two, and a shift rounds down whatever the sign is
_DIGEST_BYTES: Final = 6


def linear(features: Features) -> Logits:
    """Return the seed's linear score of each row, in [0, 4,096].

    0.40 similarity, 0.40 strength, 0.20 recency (003, section 3.5, ScorerWithFallback), rounded down.
    """
    scores: Logits = (2 * features[:, _SIMILARITY] + 2 * features[:, _STRENGTH] + features[:, _RECENCY]) // 5
    return scores


@dataclass(frozen=True, slots=True)
class Linear:
    """A weight for each feature, and one more for all: logits on the scale of the network's."""

    weights: tuple[int, ...]
    bias: int

    def logits(self, features: Features) -> Logits:
        """Return the logit of each row; ``LOGIT_ONE`` stands for 1."""
        found: Logits = features @ np.array(self.weights, np.int64) + self.bias * ONE
        return found


@dataclass(frozen=True, slots=True)
class Network:
    """9 inputs, 16 hidden units that are cut at 0, one output: 177 weights of 16 bits, of which ``ONE`` stands for 1.

    In their order: those of the hidden units, nine for each; the biases of these; those of the output; its bias. Sums
    stay below 2^45, so that 64 bits hold them.
    """

    encoded: bytes
    first: npt.NDArray[np.int64] = field(compare=False, repr=False)
    first_bias: npt.NDArray[np.int64] = field(compare=False, repr=False)
    second: npt.NDArray[np.int64] = field(compare=False, repr=False)
    second_bias: int = field(compare=False, repr=False)

    @classmethod
    def of(cls, encoded: bytes) -> "Network":
        """Return the network of 354 bytes, the lowest byte of each weight first. Raises ValueError for another size."""
        if len(encoded) != 2 * SCORER_WEIGHTS:
            raise ValueError(f"a network has {2 * SCORER_WEIGHTS} bytes, and not {len(encoded)}")
        weights = np.frombuffer(encoded, "<i2").astype(np.int64)
        first, first_bias, second, bias = np.split(weights, np.cumsum((INPUTS * HIDDEN, HIDDEN, HIDDEN)))
        return cls(encoded, first.reshape(HIDDEN, INPUTS), first_bias, second, int(bias[0]))

    def logits(self, features: Features) -> Logits:
        """Return the logit of each row; ``LOGIT_ONE`` stands for 1."""
        hidden = np.maximum((features @ self.first.T + self.first_bias * ONE) >> _SHIFT, 0)
        found: Logits = hidden @ self.second + self.second_bias * ONE
        return found

    def logit(self, row: Sequence[int]) -> int:
        """Return the logit of one row, in whole numbers of Python: what ``logits`` is compared with."""
        total = self.second_bias * ONE
        for weights, bias, out in zip(self.first.tolist(), self.first_bias.tolist(), self.second.tolist(), strict=True):
            unit = bias * ONE + sum(weight * each for weight, each in zip(weights, row, strict=True))
            total += out * max(unit >> _SHIFT, 0)
        return total

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that stand for the weights."""
        return digest_of(self.encoded)


@lru_cache(maxsize=64)
def network_in(weights: str) -> Network:
    """Return the network of weights as a command has them, in base64."""
    return Network.of(b64decode(weights))


def digest_of(encoded: bytes) -> str:
    """Return twelve hexadecimal digits that stand for weights."""
    return blake2b(encoded, digest_size=_DIGEST_BYTES, person=b"yggdrasil-mlp").hexdigest()
