"""How alike the notes of an answer are to the true ones, and the best that a ranking could have been cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

import numpy as np

from .case import SHAPES, Case

CUTS: Final = range(1, 11)
_THRESHOLDS: Final = 200  # scores between the least and the greatest that are tried as the least to be returned

Ranked = Sequence[tuple[str, float]]
"""The ids of notes, each with a score, the best first."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A case, and the ids of the notes that were returned for it; of these ``out`` neither stand nor are in scope."""

    case: Case
    found: frozenset[str]
    out: frozenset[str] = frozenset()

    @property
    def exact(self) -> bool:
        """Whether it is the true set."""
        return self.found == self.case.answers

    @property
    def precision(self) -> float:
        """The share of what was returned that is true, in [0, 1]; of nothing 1 if that is the answer, else 0."""
        return _share(self.found & self.case.answers, self.found, self.exact)

    @property
    def recall(self) -> float:
        """The share of what is true that was returned, in [0, 1]; where nothing is true, 1 if nothing was returned."""
        return _share(self.found & self.case.answers, self.case.answers, self.exact)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def figures(name: str, answers: Sequence[Answered]) -> dict[str, float]:
    """Return what came of all cases, and of each shape, in percent, under names that begin with ``name``."""
    found = {
        f"{name}, exact, percent": _percent([each.exact for each in answers]),
        f"{name}, precision, percent": _percent([each.precision for each in answers]),
        f"{name}, recall, percent": _percent([each.recall for each in answers]),
        f"{name}, F1, percent": _percent([each.f1 for each in answers]),
        f"{name}, answers with what does not stand or is out of scope, percent": _percent(
            [bool(each.out) for each in answers]
        ),
        f"{name}, notes in an answer": fmean(len(each.found) for each in answers),
    }
    for shape in SHAPES:
        of = [each for each in answers if each.case.shape == shape]
        if of:
            found[f"{name}, {shape}, exact, percent"] = _percent([each.exact for each in of])
            found[f"{name}, {shape}, F1, percent"] = _percent([each.f1 for each in of])
    return found


def best_cut(ranked: Sequence[tuple[Case, Ranked]], *, by_shape: bool, scores: bool) -> list[frozenset[str]]:
    """Return what each ranking gives when all are cut as is best in hindsight for the number of exact answers.

    That is one number of notes, from 1 to 10: one for all, or the best for each shape ``by_shape``. With ``scores``
    there is also one least score for all, the best of many, so that a search can return fewer, or nothing.
    """
    groups = SHAPES if by_shape else ("",)
    of = [[place for place, (case, _) in enumerate(ranked) if case.shape.startswith(group)] for group in groups]
    best: list[frozenset[str]] = []
    most = -1
    for least in _leasts(ranked) if scores else [-np.inf]:
        cut = [frozenset[str]()] * len(ranked)
        exact = 0
        for places in of:
            tried = [[_cut(ranked[place][1], k, least) for place in places] for k in CUTS]
            counts = [
                sum(found == ranked[place][0].answers for found, place in zip(each, places, strict=True))
                for each in tried
            ]
            chosen = int(np.argmax(counts))
            exact += counts[chosen]
            for place, found in zip(places, tried[chosen], strict=True):
                cut[place] = found
        if exact > most:
            best, most = cut, exact
    return best


def by_name(answers: Mapping[str, Sequence[Answered]]) -> dict[str, float]:
    """Return the share of exact answers of each search, in percent."""
    return {name: _percent([each.exact for each in of]) for name, of in answers.items()}


def _leasts(ranked: Sequence[tuple[Case, Ranked]]) -> list[float]:
    scores = [score for _, each in ranked for _, score in each[: CUTS[-1]]]
    return [-np.inf, *np.quantile(scores, np.linspace(0, 1, _THRESHOLDS)).tolist()] if scores else [-np.inf]


def _cut(ranked: Ranked, k: int, least: float) -> frozenset[str]:
    return frozenset(note for note, score in ranked[:k] if score >= least)


def _share(both: frozenset[str], whole: frozenset[str], empty: bool) -> float:
    return len(both) / len(whole) if whole else float(empty)


def _percent(shares: Sequence[float]) -> float:
    return 100.0 * fmean(shares) if shares else 0.0
