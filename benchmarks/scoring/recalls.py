"""Recalls as a trainer sees them: nine features of all that was returned, in the order served, and what was needed."""

import math
from base64 import b64encode
from collections.abc import Callable, Sequence
from statistics import mean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil import Memory
from yggdrasil_processors.thinkers.trainer.fitting import fit_linear, fit_network
from yggdrasil_processors.thinkers.trainer.samples import Lesson, samples_of
from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_projections.retrieval.ranking.scoring.scorers import Features, Linear, Network
from yggdrasil_schemas.limits import RETURNED_MAX

CUT = 10
Score = Callable[[Features], npt.NDArray[np.int64]]


class Recall(NamedTuple):
    """What one question returned, in the order served: features (n, 9), and whether each was needed."""

    rows: Features
    needed: npt.NDArray[np.bool_]
    by: str = "agent"

    def lesson(self, name: str) -> Lesson:
        """Return the report of it, by whoever tells the truth."""
        used = np.flatnonzero(self.needed).tolist()
        return Lesson(name, self.by, "success", b64encode(self.rows.astype("<i2").tobytes()).decode(), used)


class Fitted(NamedTuple):
    """Both forms, fitted to the same reports."""

    network: Network
    linear: Linear


def ask(memory: Memory, question: str, *, record: bool = False) -> Context:
    """Return all that may be an answer, as stage two has it: at most fifty."""
    return memory.get_context(question, k=RETURNED_MAX, record=record)


def recalled(context: Context, needed: Callable[[str], bool]) -> Recall | None:
    """Return an answer as a trainer sees it; None where nothing was found. ``needed`` is told references."""
    if not context.found:
        return None
    rows = np.array([entry.scores.features for entry in context.found], np.int64)
    return Recall(rows, np.array([needed(entry.memory.ref) for entry in context.found]))


def fitted(recalls: Sequence[Recall], name: str = "recall") -> Fitted:
    """Return both forms, fitted to recalls as the trainer fits them."""
    samples = samples_of([each.lesson(f"{name} {number}") for number, each in enumerate(recalls)])
    return Fitted(fit_network(samples), fit_linear(samples))


def tells(recall: Recall) -> bool:
    """Return whether an order of a recall can be right or wrong: something was needed, and something was not."""
    return bool(recall.needed.any() and not recall.needed.all())


def ndcg(recalls: Sequence[Recall], score: Score | None) -> float:
    """Return the mean nDCG at ten, in percent, of an order by ``score``, or of the order served.

    Of those recalls alone in which something was needed and something was not: all others say nothing of an order.
    """
    found: list[float] = []
    for each in filter(tells, recalls):
        order = np.arange(len(each.rows)) if score is None else np.argsort(-score(each.rows), kind="stable")
        gained = _gain(each.needed[order].tolist())
        found.append(gained / _gain(sorted(each.needed.tolist(), reverse=True)))
    return 100.0 * mean(found) if found else 0.0


def _gain(needed: Sequence[bool]) -> float:
    return sum(1.0 / math.log2(place + 2) for place, each in enumerate(needed[:CUT]) if each)
