"""Whether an answer is exactly the notes that answer a question: 200 cases written by hand before anything was tuned.

Eight memories (a help desk, an engineer's notes, a family, a game, an office; German, Spanish, Japanese) are told what
changes, what is withdrawn and settled, and what has other names, and then asked: forty cases each whose answer is what
stands *now*, what is in a *scope*, what is called by an *alias*, *several* things at once, and *nothing*. An answer is
exact when it is the true set of notes, at default settings. Beside it: words, vectors and their fusion, mem0 and
langgraph's store, each with the cut that is best in hindsight for all cases, and once more with the best for each shape
(``asking`` says what each is given). 146 more cases, in six memories of 10 to 60 notes, are by another hand.
"""

from pathlib import Path
from typing import Final

from yggdrasil_infra.embedders import Embedder

from ...measure import Bar, Report, Size, say
from ..embedding import Cached, offline
from ..peers import SCRIPTS, Keyed, mem0_python
from .asking import BY_SHAPE, OURS, kept, ours, plain
from .case import ANOTHER_HAND, Told, all_told
from .measures import Answered, by_name, figures

UNTIMED: Final = True

GOAL: Final = 90.0


def run(size: Size, scratch: Path) -> Report:
    """Put all cases to all searches; a quick run takes one model and no peers, a tiny one two memories and words."""
    report = Report("exact")
    memories = all_told()[: size.pick(1, 100, 100)]
    others = all_told(ANOTHER_HAND)[: size.pick(1, 100, 100)]
    with offline() as models:
        for model in (None, *(Cached(model) for model in models[: size.pick(0, 1, 2)])):
            name = "words" if model is None else model.model
            say(f"  {sum(len(told.cases) for told in memories)} cases, {name}")
            answers = _asked(memories, scratch / name, model, mem0_python() if size is Size.FULL else None)
            for search, of in answers.items():
                report.figures |= figures(f"{name}, {search}", of)
            report.bars += _bars(name, answers)
            for search, of in _asked(others, scratch / f"{name}-others", model, None).items():
                report.figures |= figures(f"{name}, another hand, {search}", of)
            for search, of in ours(memories, scratch / f"{name}-mixed", model, mixed=True).items():
                report.figures |= figures(f"{name}, half a user's and half an agent's, {search}", of)
    return report


def _asked(
    memories: list[Told], scratch: Path, model: Embedder | None, python: Path | None
) -> dict[str, list[Answered]]:
    answers = ours(memories, scratch, model) | plain(memories, model)
    if model is not None and python is not None:
        for name in SCRIPTS:
            with Keyed(name, python) as peer:
                answers |= kept(memories, name, peer, model)
    return answers


def _bars(name: str, answers: dict[str, list[Answered]]) -> list[Bar]:
    exact = by_name(answers)
    others = {other: share for other, share in exact.items() if not other.startswith(OURS) and BY_SHAPE not in other}
    best = max(others, key=lambda other: others[other])
    out = sum(bool(each.out) for each in answers[OURS])
    return [
        Bar(f"{name}: exact answers, percent", exact[OURS], GOAL),
        Bar(f"{name}: points of exact answers ahead of the best other ({best})", exact[OURS] - others[best], 0.0),
        Bar(f"{name}: answers with what does not stand or is out of scope", out, 0, at_most=True),
    ]
