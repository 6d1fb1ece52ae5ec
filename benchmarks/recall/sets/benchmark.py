"""Whether answers hold on data that nobody here wrote, set by set: beside plain searches of the same words and vectors.

A set is a folder of ``--data`` (``data`` says what is in it). What counts is the share of a question's evidence among
ten, with the half width of its 95 % interval, and the questions that are refused although the memory has the evidence.
The plain searches are BM25 over our words, the cosines of the same vectors, and their reciprocal-rank fusion (k = 60).
"""

from pathlib import Path
from statistics import mean
from typing import Final

from ...measure import Bar, Report, Size, say
from ..embedding import Cached, offline
from .asking import asked
from .data import sets

UNTIMED: Final = True

PLAIN: Final = ("bm25", "vectors", "fusion")
BEHIND: Final = 1.0
REFUSED: Final = 5.0
_QUICK: Final = 15  # questions of each set


def run(size: Size, scratch: Path, data: Path) -> Report:
    """Ask the questions of every set in ``data``; a quick run asks some of each."""
    report = Report("sets")
    found = sets(data)
    if size is not Size.FULL:
        found = [one.part(size.pick(3, _QUICK, 0)) for one in found]
    ahead: list[float] = []
    with offline() as models:
        model = Cached(models[0])
        for one in found:
            say(f"  {one.name}: {len(one.memories)} memories, {one.questions} questions, {model.model}")
            answers = asked(one, scratch / one.name, model)
            ours = answers["yggdrasil"]
            best = max(PLAIN, key=lambda name: answers[name].at_10)
            ahead.append(ours.at_10 - answers[best].at_10)
            refused = 100.0 * mean(ours.refused)
            for name, of in answers.items():
                report.figures[f"{one.name} {name} at 10"] = of.at_10
            report.figures |= {
                f"{one.name} questions": one.questions,
                f"{one.name} plus or minus": ours.interval,
                f"{one.name} refused, percent": refused,
                f"{one.name} tokens": mean(ours.tokens),
                f"{one.name} tokens without k": mean(answers["yggdrasil_without_k"].tokens),
            }
            report.figures |= {f"{one.name} {kind} at 10": mean(of) for kind, of in sorted(ours.kinds.items())}
            report.bars += [
                Bar(f"{one.name}: points behind the best plain search ({best})", -ahead[-1], BEHIND, at_most=True),
                Bar(f"{one.name}: own questions refused, percent", refused, REFUSED, at_most=True),
            ]
    report.bars.append(Bar("points ahead of the best plain search, on the mean of the sets", mean(ahead), 0.0))
    return report
