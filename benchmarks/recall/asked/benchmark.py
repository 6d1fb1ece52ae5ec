"""Whether a question is answered in the shapes that people ask it in, in four languages, on generated memories.

Some 40 notes, spread over three years, and a question: of one *day*, which no note names (the one of that day is
first); in the midst of small talk, *chatter* (its note is first); of two *clauses* (both notes are among the first
four); for a whole *list* (nine tenths of it are in the answer); of what was *updated* (what holds is there, and what it
replaced is not before it). The templates are of several writers, a file each, and none of them saw what became of his.
"""

from pathlib import Path
from statistics import mean
from typing import Final

from ...measure import Bar, Report, Size, say
from ..embedding import Cached, offline
from .asking import Outcome, asked
from .made import LANGUAGES, SHAPES, made, read

UNTIMED: Final = True

DATA: Final = Path(__file__).parent / "data"
GOAL: Final = 90.0


def run(size: Size, scratch: Path) -> Report:
    """Ask 25 cases for each writer, shape and language; a quick run asks two of each, a tiny one one."""
    report = Report("asked")
    with offline() as models:
        model = Cached(models[0])
        for path in sorted(DATA.glob("*.jsonl")):
            cases = made(read(path), path.stem, size.pick(1, 2, 25))
            say(f"  {path.stem}: {len(cases)} cases, {model.model}")
            _tell(report, path.stem, asked(cases, scratch / path.stem, model))
    return report


def _tell(report: Report, writer: str, outcomes: list[Outcome]) -> None:
    for shape in SHAPES:
        of_shape = [one for one in outcomes if one.case.shape == shape]
        for language in LANGUAGES:
            rights = [one.right for one in of_shape if one.case.language == language]
            if rights:
                report.figures[f"{writer} {shape} {language}, percent right"] = 100.0 * mean(rights)
        if of_shape:
            report.figures[f"{writer} {shape}, percent right"] = 100.0 * mean(one.right for one in of_shape)
    right = 100.0 * mean(one.right for one in outcomes)
    report.bars.append(Bar(f"{writer}: percent right of all shapes", right, GOAL))
