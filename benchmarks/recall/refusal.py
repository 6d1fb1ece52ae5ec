"""Whether a memory says *nothing* when it should, and only then.

Asked of each conversation of LoCoMo: its own questions; its unanswerable ones (category 5, which mostly ask about one
person what is known of the other); every question of another conversation, as it is and with the names replaced by
those of the memory's own speakers. Names are the trap: most of what tells a foreign question apart is that its names
were never heard, and people do not ask that way. The curves are drawn into ``benchmarks/results/refusal.png``;
docs/recall.md says what is seen in them, and why the thresholds are where they are.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np

from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_schemas.policy import Policy

from ..measure import Bar, Report, Size, say
from . import refusal_pictures as pictures
from .embedding import Cached, embedder
from .locomo_memory import Remembered, remembered
from .locomo_questions import CATEGORIES, UNANSWERABLE, Conversation, conversations

UNTIMED: Final = True

RESULTS: Final = Path(__file__).parents[1] / "results"
BAR_FOREIGN: Final = 0.80
BAR_OWN: Final = 0.06
OWN, UNKNOWN, FOREIGN, RENAMED = "own", "unanswerable", "foreign", "foreign_renamed"
WAYS: Final = ("with_vectors", "without_vectors")
_GIVEN_UP: Final = (0.03, 0.05, 0.10)  # shares of own questions refused at which the others are compared


class Asked(NamedTuple):
    """A question and what came of it; ``category`` is LoCoMo's."""

    category: int
    confidence: float
    gap: float
    refused: bool


Found = dict[str, list[Asked]]
"""What was asked, by the kind of question."""


def run(size: Size, scratch: Path, data: Path) -> Report:
    """Ask every conversation in ``data``; a quick run takes two of them."""
    said = conversations(data)[: size.pick(2, 2, 1_000)]
    found: dict[str, Found] = {way: defaultdict(list) for way in WAYS}
    with embedder() as model:
        cached = Cached(model)
        for place, conversation in enumerate(said):
            questions = list(_questions(conversation, said[(place + 1) % len(said)]))
            say(f"  {conversation.name}: {len(questions)} questions")
            with remembered(scratch, data, conversation) as memory:
                _ask(memory, questions, found["without_vectors"])
                memory.embed(cached)
                _ask(memory, questions, found["with_vectors"])
    images = scratch if size is Size.TINY else RESULTS
    images.mkdir(exist_ok=True)
    pictures.draw(images / "refusal.png", found)
    report = Report("refusal")
    policy = Policy()
    report.figures = {
        "threshold_confidence": policy.search_refusal,
        "threshold_gap": policy.search_gap,
        **{f"questions_{kind}": len(asked) for kind, asked in found[WAYS[0]].items()},
    }
    for way in WAYS:
        report.figures |= _figures(way, found[way])
    dense = found["with_vectors"]
    report.bars = [
        Bar("foreign questions refused, share", _refused(dense[FOREIGN]), BAR_FOREIGN),
        Bar("own questions refused, share", _refused(dense[OWN]), BAR_OWN, at_most=True),
    ]
    return report


def _questions(conversation: Conversation, other: Conversation) -> Iterator[tuple[str, int, str]]:
    """Yield questions with their kind and category."""
    for question in conversation.questions:
        yield UNKNOWN if question.category == UNANSWERABLE else OWN, question.category, question.text
    for question in other.answerable():
        yield FOREIGN, question.category, question.text
        yield RENAMED, question.category, _renamed(question.text, other.speakers, conversation.speakers)


def _renamed(text: str, names: Sequence[str], others: Sequence[str]) -> str:
    for name, other in zip(names, others, strict=False):
        text = re.sub(rf"\b{re.escape(name)}\b", other, text)
    return text


def _ask(memory: Remembered, questions: Sequence[tuple[str, int, str]], found: Found) -> None:
    for kind, category, text in questions:
        answer = memory.context(text)
        found[kind].append(Asked(category, answer.confidence, answer.gap, _is_nothing(answer)))


def _is_nothing(answer: Context) -> bool:
    return answer.nothing is not None


def _figures(way: str, found: Found) -> dict[str, float]:
    figures = {f"{way}_{kind}_refused": _refused(asked) for kind, asked in found.items()}
    policy = Policy()
    for kind, asked in found.items():
        unsure = [each.confidence < policy.search_refusal for each in asked]
        figures[f"{way}_{kind}_refused_as_unknown"] = fmean(unsure)
    for category, name in CATEGORIES.items():
        of = [each for each in found[OWN] if each.category == category]
        if of:
            figures[f"{way}_{OWN}_{name}_refused"] = _refused(of)
    for signal in ("confidence", "gap"):
        own = np.sort([getattr(each, signal) for each in found[OWN]])
        for kind in (UNKNOWN, FOREIGN, RENAMED):
            values = np.array([getattr(each, signal) for each in found[kind]])
            figures[f"{way}_{kind}_{signal}_area"] = _area(own, values)
            for share in _GIVEN_UP:
                caught = float((values < own[int(share * len(own))]).mean())
                figures[f"{way}_{kind}_refused_by_{signal}_at_{share:.0%}_of_own".replace("%", "_percent")] = caught
    return figures


def _refused(asked: Sequence[Asked]) -> float:
    return fmean(each.refused for each in asked)


def _area(own: np.ndarray, others: np.ndarray) -> float:
    """Return the chance that one of ``own`` is higher than one of ``others``: the area under the curve."""
    below, not_above = np.searchsorted(own, others, "right"), np.searchsorted(own, others, "left")
    return float((len(own) - (below + not_above) / 2).mean() / len(own))
