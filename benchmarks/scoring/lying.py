"""Reporters who lie, and the feedback loop: simulated on features alone, with the trainer's own samples and fitting.

A reporter who names all that they were given would teach that everything is needed. And what is never shown is never
reported: a scorer that was fitted while good but unseen memories stood far behind keeps them there, unless chance
shows some of them now and then, and the trainer weighs these by how rarely they are shown (inverse propensity).
"""

import random
from base64 import b64encode
from typing import Final

import numpy as np

from yggdrasil_processors.thinkers.trainer.fitting import fit_network
from yggdrasil_processors.thinkers.trainer.samples import Lesson, reporter_weights, samples_of
from yggdrasil_projections.retrieval.ranking.scoring.scorers import ONE, Features, Network

from .recalls import Recall, ndcg

_MEMORIES: Final = 30
_SHOWN: Final = 10
_BY_CHANCE: Final = 5
_ROUNDS: Final = 4
_LIES: Final = 0.4
_LIAR: Final = "liar"


def poisoned(seed: int, recalls: int) -> dict[str, float]:
    """Return nDCG at ten of what is left out, fitted to true reports, to them with lies, and to both by weight.

    Two of five reports are of one who names everything.
    """
    chance = np.random.default_rng(seed)
    train, test = _asked(chance, recalls), _asked(chance, recalls)
    told = [each.lesson(f"true {at}") for at, each in enumerate(train)]
    lies = [_lie(each, at) for at, each in enumerate(train[: int(len(train) * _LIES)])]
    mixed = [*told, *lies]
    unweighed = [Lesson(each.id, "agent", each.result, each.rows, each.used) for each in mixed]
    whole = samples_of(unweighed)
    flat = whole._replace(weights=np.ones_like(whole.weights))
    return {
        "true": ndcg(test, fit_network(samples_of(told)).logits),
        "unweighed": ndcg(test, fit_network(flat).logits),
        "weighed": ndcg(test, fit_network(samples_of(mixed)).logits),
        "weight": reporter_weights(mixed)[_LIAR],
    }


def loop(seed: int, recalls: int, *, by_chance: bool) -> tuple[float, float]:
    """Return the mean rank of good memories that nobody has ever used, before and after some rounds of learning.

    Only what is shown can be reported: the first ten, and with chance five of those behind them.
    """
    chance, lots = np.random.default_rng(seed), random.Random(seed)
    first = [each.lesson(f"before {at}") for at, each in enumerate(_asked(chance, recalls, unseen=False))]
    network = fit_network(samples_of(first))
    begun, lessons = _rank(network, chance), list(first)
    for round_ in range(_ROUNDS):
        for at, each in enumerate(_asked(chance, recalls)):
            lessons.append(_shown(each, network, lots, f"{round_} {at}", by_chance=by_chance))
        network = fit_network(samples_of(lessons[-4 * recalls :]))
    return begun, _rank(network, chance)


def _asked(chance: np.random.Generator, count: int, *, unseen: bool = True) -> list[Recall]:
    """Draw recalls: needed is what was used often, and what is unseen, which has no uses and little strength."""
    found: list[Recall] = []
    for _ in range(count):
        rows = chance.integers(0, ONE + 1, (_MEMORIES, 9))
        rows[:, 7:] = 0
        rows[:, 2] = rows[:, 1]
        new = np.arange(_MEMORIES) < 3  # as they would come: no uses, no strength, and recent
        rows[new, 1:4] = chance.integers(0, ONE // 16, (3, 3))
        rows[new, 4] = chance.integers(ONE - ONE // 8, ONE + 1, 3)
        often = ~new & (rows[:, 3] > ONE * 3 // 4) & (rows[:, 1] > ONE // 4)
        found.append(Recall(rows, often | (new if unseen else np.zeros_like(new))))
    return found


def _shown(recall: Recall, network: Network, lots: random.Random, name: str, *, by_chance: bool) -> Lesson:
    order = np.argsort(-network.logits(recall.rows), kind="stable").tolist()
    places, behind = order[:_SHOWN], order[_SHOWN:]
    drawn = lots.sample(behind, _BY_CHANCE) if by_chance else []
    shown = np.array([*places, *drawn])
    chances = [1_000] * len(places) + [1_000 * _BY_CHANCE // len(behind)] * len(drawn)
    lesson = Recall(recall.rows[shown], recall.needed[shown]).lesson(name)
    lesson.chances = chances
    return lesson


def _rank(network: Network, chance: np.random.Generator) -> float:
    ranks: list[float] = []
    for each in _asked(chance, 50):
        order = np.argsort(-network.logits(each.rows), kind="stable").tolist()
        ranks += [order.index(place) + 1 for place in range(3)]
    return float(np.mean(ranks))


def _lie(recall: Recall, at: int) -> Lesson:
    rows: Features = recall.rows
    return Lesson(
        f"lie {at}", _LIAR, "success", b64encode(rows.astype("<i2").tobytes()).decode(), list(range(len(rows)))
    )
