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
_STEPS_MAX: Final = 300
_LOOK_EVERY: Final = 10
_WORTH: Final = 0.98  # what is better than the linear form by less than that stays it
_RATE: Final = 0.02
_FADES: Final = 1e-3  # of the network's weights, in place of the seed's dropout of 0.1, which draws lots
_WEIGHT_MAX: Final = 7.99  # 16 bits, of which ``ONE`` stands for 1
_FIRST, _SECOND = 0.9, 0.999  # of Adam (Kingma and Ba, 2015)
_TRAIN_SHARE: Final = 0.8
_PAIRS: Final = 0.01
_FOLDS: Final = (0.2, 0.4, 0.6, 0.8)  # where the parts end that are left out in turn
_FOLD_MIN: Final = 10  # samples


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
        """Return the first ``share`` in time of what they weigh, and the rest; a group is in one of them."""
        part = self.blocks(share)
        return self.taken(part == 0), self.taken(part == 1)

    def blocks(self, *shares: float) -> npt.NDArray[np.int64]:
        """Return of each sample in which part in time it is, which end at ``shares`` of what all of them weigh.

        By weight, and not by number: whoever weighs little fills no part alone, however much they report.
        """
        before = np.concatenate(([0.0], np.cumsum(self.weights)[:-1]))  # in time
        first = np.searchsorted(self.groups, self.groups)  # of its group; they ascend
        part: npt.NDArray[np.int64] = np.searchsorted(
            shares, before[first] / max(float(self.weights.sum()), 1e-12), "right"
        )
        return part


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

    It begins as the linear form, and learns for as many steps as are best for what is left out, of five parts in time
    each in turn. It stays the linear form where that is no better by two percent of log loss and by one of a hundred
    pairs of a used and an unused memory of one recall that stand the right way round, on the mean and in four of the
    five parts.
    """
    part = samples.blocks(*_FOLDS)
    losses: list[list[float]] = []
    watched: list[tuple[Samples, Values]] = []
    for fold in range(len(_FOLDS) + 1):
        left_out, others = samples.taken(part == fold), samples.taken(part != fold)
        if len(left_out.labels) < _FOLD_MIN or not 0.0 < float(others.labels.mean()) < 1.0:
            return Network.of(_encoded(_learnt(samples, None, 0)[0]))
        logits = _learnt(others, left_out)[1]
        watched.append((left_out, logits))
        losses.append([_loss(each, left_out) for each in logits])
    best = int(np.argmin(np.mean(losses, axis=0)))
    lost = np.array([[each[0], each[best]] for each in losses])
    right = np.array([[_in_order(logits[at], each) for at in (0, best)] for each, logits in watched])
    mostly = ((lost[:, 1] < lost[:, 0]) & (right[:, 1] >= right[:, 0])).sum() >= len(_FOLDS)
    worth = lost[:, 1].mean() <= _WORTH * lost[:, 0].mean() and right[:, 1].mean() >= right[:, 0].mean() + _PAIRS
    return Network.of(_encoded(_learnt(samples, None, best * _LOOK_EVERY if mostly and worth else 0)[0]))


def _in_order(logits: Values, samples: Samples) -> float:
    """Return which share of the pairs of a used and an unused one of a recall stand the right way round, by recall."""
    shares: list[float] = []
    for group in np.unique(samples.groups).tolist():
        own = samples.groups == group
        used, unused = logits[own & (samples.labels > 0.5)], logits[own & (samples.labels <= 0.5)]
        if len(used) and len(unused):
            apart = used[:, None] - unused[None, :]
            shares.append(float((apart > 0.0).mean() + 0.5 * (apart == 0.0).mean()))
    return sum(shares) / len(shares) if shares else 0.5


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
        gradient: Values = np.einsum("fn,n->f", wide, samples.weights * (chance - samples.labels)) + ridge * found
        curve: Values = np.einsum("fn,gn->fg", wide * (samples.weights * chance * (1.0 - chance)), wide) + np.diag(
            ridge
        )
        step = np.linalg.solve(curve, gradient).astype(np.float64)
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


def _learnt(samples: Samples, watched: Samples | None, steps: int = _STEPS_MAX) -> tuple[Values, Values]:
    """Return the network after ``steps``, and its logits of what is ``watched``, at the beginning and at every tenth.

    All products are sums of numpy's own loops: its library for matrices starts threads, which cost more than they bring
    here, and gives other last bits on other processors.
    """
    inputs, weights = _inputs(samples.features), samples.weights / max(samples.weights.sum(), 1e-12)
    found = _begun(samples)
    it, told = _parts(found), list[Values]()
    seen = inputs if watched is None else _inputs(watched.features)
    momentum, size = np.zeros_like(found), np.zeros_like(found)
    for step in range(steps + 1):
        if watched is not None and step % _LOOK_EVERY == 0:
            told.append(_forward(it, seen)[1])
        if step == steps:
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
    return found, np.array(told)


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
