"""Fitting: the linear form and the network, to features of what was used and of what was not.

In floats and with a fixed seed, so that the same samples give the same weights on one machine; on another a last bit
may differ. That does no harm: what is decided is recorded, and what is judged and kept are the whole numbers.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.retrieval.ranking.scoring.scorers import (
    HIDDEN,
    INPUTS,
    LOGIT_ONE,
    ONE,
    Features,
    Linear,
    Logits,
    Network,
)
from yggdrasil_schemas.limits import SCORER_WEIGHTS

Values = npt.NDArray[np.float64]

_SEED: Final = 3_009
_NEWTON_STEPS: Final = 25
_RIDGE: Final = 1.0  # of the linear form: as if each weight had been seen at 0 once
_STEPS_MAX: Final = 400
_LOOK_EVERY: Final = 10
_PATIENCE: Final = 80  # steps without a better one, after which it is over
_RATE: Final = 0.02
_FADES: Final = 1e-3  # of the network's weights, in place of the seed's dropout of 0.1, which draws lots
_WEIGHT_MAX: Final = 7.99  # 16 bits, of which ``ONE`` stands for 1
_FIRST, _SECOND = 0.9, 0.999  # of Adam (Kingma and Ba, 2015)
_TRAIN_SHARE: Final = 0.8
_ENOUGH_TO_LOOK: Final = 20  # samples that are held back to see when to stop


class Samples(NamedTuple):
    """Features of memories (a row of nine each), whether each was used (1.0 or 0.0), how much it weighs, and its group.

    Samples of one recall have one number in ``group``, and groups ascend in time.
    """

    features: Features
    labels: Values
    weights: Values
    groups: npt.NDArray[np.int64]

    def taken(self, which: npt.NDArray[np.bool_]) -> "Samples":
        """Return some of them."""
        return Samples(self.features[which], self.labels[which], self.weights[which], self.groups[which])

    def parted(self, share: float = _TRAIN_SHARE) -> tuple["Samples", "Samples"]:
        """Return the first ``share`` of their groups in time, and the rest."""
        groups = np.unique(self.groups)
        if not len(groups):
            return self, self
        at = groups[min(len(groups) - 1, int(len(groups) * share))]
        return self.taken(self.groups < at), self.taken(self.groups >= at)


class _Parts(NamedTuple):
    """Views of all 177 weights in floats: first (16, 9), its biases (16), second (16), and its bias (1)."""

    first: Values
    first_bias: Values
    second: Values
    second_bias: Values


def _parts(flat: Values) -> _Parts:
    first, first_bias, second, second_bias = np.split(flat, np.cumsum((INPUTS * HIDDEN, HIDDEN, HIDDEN)))
    return _Parts(first.reshape(HIDDEN, INPUTS), first_bias, second, second_bias)


def _encoded(flat: Values) -> bytes:
    """Return the whole numbers, 354 bytes."""
    return np.clip(np.rint(flat * ONE), -32_768, 32_767).astype("<i2").tobytes()


def fit_linear(samples: Samples) -> Linear:
    """Return the linear form with the least log loss, in whole numbers: Newton's steps with a ridge."""
    weights = _newton(samples)
    return Linear(tuple(int(each) for each in np.rint(weights[:-1] * ONE)), int(np.rint(weights[-1] * ONE)))


def fit_network(samples: Samples) -> Network:
    """Return the network that is fitted to samples, in whole numbers.

    It begins as the linear form, and learns for as many steps as were best for the last fifth of them.
    """
    earlier, later = samples.parted()
    steps = 0
    if len(later.labels) >= _ENOUGH_TO_LOOK and 0.0 < float(earlier.labels.mean()) < 1.0:
        steps = _learnt(earlier, later)[1]
    return Network.of(_encoded(_learnt(samples, None, steps)[0]))


def log_loss(logits: Logits, samples: Samples) -> float:
    """Return the weighted mean log loss of logits on the scale of the scorers."""
    return _loss(logits / LOGIT_ONE, samples)


def _loss(logits: Values, samples: Samples) -> float:
    losses = np.logaddexp(0.0, np.where(samples.labels > 0.5, -logits, logits))
    return float((losses * samples.weights).sum() / max(samples.weights.sum(), 1e-12))


def _newton(samples: Samples) -> Values:
    """Return nine weights and a bias."""
    inputs = _inputs(samples.features)
    wide = np.vstack((inputs, np.ones((1, inputs.shape[1]))))
    ridge = np.array([_RIDGE] * INPUTS + [1e-3])
    found = np.zeros(INPUTS + 1)
    for _ in range(_NEWTON_STEPS):
        chance = _sigmoid(np.einsum("fn,f->n", wide, found))
        gradient = np.einsum("fn,n->f", wide, samples.weights * (chance - samples.labels)) + ridge * found
        curve = np.einsum("fn,gn->fg", wide * (samples.weights * chance * (1.0 - chance)), wide)
        step: Values = np.linalg.solve(curve + np.diag(ridge), gradient)
        found = np.clip(found - step, -_WEIGHT_MAX, _WEIGHT_MAX)
    return found


def _begun(samples: Samples) -> Values:
    """Return the network that says what the linear form says, with units beside it that say nothing yet.

    A unit has what is above 0 of that form, another what is below.
    """
    rng = np.random.default_rng(_SEED)
    linear, found = _newton(samples), np.zeros(SCORER_WEIGHTS)
    it = _parts(found)
    it.first[:] = rng.normal(0.0, 1.0, (HIDDEN, INPUTS))
    it.first_bias[:] = rng.uniform(-1.0, 0.5, HIDDEN)
    it.first[:2], it.first_bias[:2] = (linear[:-1], -linear[:-1]), (linear[-1], -linear[-1])
    it.second[:2] = 1.0, -1.0
    return found


def _learnt(samples: Samples, watched: Samples | None, steps: int = _STEPS_MAX) -> tuple[Values, int]:
    """Return the network after ``steps``, and after how many it was best for what is ``watched``.

    All products are sums of numpy's own loops: its library for matrices starts threads, which cost more than they bring
    here, and gives other last bits on other processors.
    """
    inputs, weights = _inputs(samples.features), samples.weights / max(samples.weights.sum(), 1e-12)
    found = _begun(samples)
    it, best, least = _parts(found), 0, 0.0
    seen = inputs if watched is None else _inputs(watched.features)
    momentum, size = np.zeros_like(found), np.zeros_like(found)
    for step in range(steps + 1):
        if watched is not None and step % _LOOK_EVERY == 0:
            loss = _loss(_forward(it, seen)[1], watched)
            best, least = (step, loss) if not step or loss < least else (best, least)
        if step == steps or (watched is not None and step - best >= _PATIENCE):
            break
        hidden, logits = _forward(it, inputs)
        error = weights * (_sigmoid(logits) - samples.labels)
        back = it.second[:, None] * error * (hidden > 0.0)
        first = np.einsum("hn,fn->hf", back, inputs).ravel()
        second = np.einsum("hn,n->h", hidden, error)
        gradient = np.concatenate((first, back.sum(axis=1), second, [error.sum()]))
        momentum = _FIRST * momentum + (1.0 - _FIRST) * gradient
        size = _SECOND * size + (1.0 - _SECOND) * gradient * gradient
        mean, spread = momentum / (1.0 - _FIRST ** (step + 1)), size / (1.0 - _SECOND ** (step + 1))
        found -= _RATE * (mean / (np.sqrt(spread) + 1e-8) + _FADES * found)
        np.clip(found, -_WEIGHT_MAX, _WEIGHT_MAX, out=found)
    return found, best


def _forward(it: _Parts, inputs: Values) -> tuple[Values, Values]:
    hidden: Values = np.maximum(np.einsum("fn,hf->hn", inputs, it.first) + it.first_bias[:, None], 0.0)
    logits: Values = np.einsum("hn,h->n", hidden, it.second) + it.second_bias[0]
    return hidden, logits


def _inputs(features: Features) -> Values:
    """Return features in [0, 1], shape (9, samples)."""
    return np.ascontiguousarray(features.T / float(ONE))


def _sigmoid(logits: Values) -> Values:
    found: Values = 1.0 / (1.0 + np.exp(-np.clip(logits, -50.0, 50.0)))
    return found
