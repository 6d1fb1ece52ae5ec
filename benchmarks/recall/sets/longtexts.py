"""Whether long texts are found by their parts, and whether what is shown of them has the answer.

The sets of ``--data``: one whose turns are long as it is, and others with twenty turns joined to one text, which then
is about many things; but for those that are short even so. Counted is the share of the evidence among three, with the
vectors of pieces and without, beside plain searches. And where all words of an answer stand in a turn that is its
evidence, and its text is among ten, how often what is shown of that text has them. Words of the question are none of
the answer's.
"""

from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Final

from yggdrasil import Found
from yggdrasil_infra.embedders import Embedder
from yggdrasil_projections.retrieval.text.passages import LONG_CHARS
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER

from ...measure import Bar, Report, Size, say
from ..embedding import Cached, offline
from ..plain import searches
from .asking import K, opened
from .data import Question, Remembered, Set, Turn, sets

UNTIMED: Final = True

TOGETHER: Final = 20
AT: Final = 3
TOKENS_SHARE: Final = 0.25
ANSWERS_SHOWN: Final = 95.0
_LONG_SHARE: Final = 0.25  # of so many long turns a set is one of long texts
_QUICK: Final = 12


@dataclass(slots=True)
class Counts:
    """Shares of the evidence among three, tokens shown and of whole texts, and whether answers are shown."""

    shares: list[float] = field(default_factory=list[float])
    tokens: list[int] = field(default_factory=list[int])
    whole: list[int] = field(default_factory=list[int])
    answers: list[bool] = field(default_factory=list[bool])


def run(size: Size, scratch: Path, data: Path) -> Report:
    """Ask the questions of every set in ``data`` that has speakers; a quick run asks some of each."""
    report = Report("longtexts")
    ahead: list[float] = []
    answers: list[bool] = []
    with offline() as models:
        model = Cached(models[0])
        for one in sets(data):
            asked = one if size is Size.FULL else one.part(size.pick(2, _QUICK, 0))
            if not _is_long(asked):
                asked = Set(f"{one.name}, joined", [joined(memory) for memory in asked.memories])
            if not _is_long(asked) and size is not Size.TINY:
                continue
            say(f"  {asked.name}: {len(asked.memories)} memories, {asked.questions} questions, {model.model}")
            with_pieces = _asked(asked, scratch, model, pieces=True)
            without = _asked(asked, scratch, model, pieces=False)
            plain = _plain(asked, model)
            ahead.append(mean(with_pieces.shares) - mean(without.shares))
            answers += with_pieces.answers
            report.figures |= {
                f"{asked.name} at {AT}": mean(with_pieces.shares),
                f"{asked.name} at {AT} without pieces": mean(without.shares),
                f"{asked.name} at {AT} best plain": plain,
                f"{asked.name} tokens": mean(with_pieces.tokens),
                f"{asked.name} tokens of whole texts": mean(with_pieces.whole),
                f"{asked.name} answers in a text": len(with_pieces.answers),
            }
            if with_pieces.answers:
                report.figures[f"{asked.name} answers shown, percent"] = 100.0 * mean(with_pieces.answers)
            share = mean(with_pieces.tokens) / mean(with_pieces.whole)
            report.bars.append(Bar(f"{asked.name}: of the tokens of whole texts", share, TOKENS_SHARE, at_most=True))
    report.bars.append(Bar("points that pieces bring, on the mean of the sets", mean(ahead), 0.0))
    if answers:
        report.bars.append(
            Bar("answers that are shown where they stand, percent", 100.0 * mean(answers), ANSWERS_SHOWN)
        )
    return report


def _is_long(one: Set) -> bool:
    long = [len(turn.text) > LONG_CHARS for memory in one.memories for turn in memory.turns]
    return sum(long) >= _LONG_SHARE * len(long) > 0.0


def joined(memory: Remembered) -> Remembered:
    """Return a memory with twenty turns in a text, whose questions have these texts as evidence."""
    turns: list[Turn] = []
    for begin in range(0, len(memory.turns), TOGETHER):
        said = memory.turns[begin : begin + TOGETHER]
        turns.append(Turn("\n".join(turn.said for turn in said), said[0].at, f"{begin}"))
    questions = [
        Question(one.text, one.kind, frozenset(at // TOGETHER for at in one.evidence), one.answer, _told(memory, one))
        for one in memory.questions
    ]
    return Remembered(memory.name, turns, questions)


def _told(memory: Remembered, question: Question) -> tuple[tuple[int, str], ...]:
    return tuple((at // TOGETHER, memory.turns[at].text) for at in sorted(question.evidence))


def _asked(one: Set, scratch: Path, model: Embedder, *, pieces: bool) -> Counts:
    counts = Counts()
    name = scratch / f"{one.name}-{pieces}"
    with opened(name, one, model, pieces=pieces) as memories:
        for memory, held in zip(one.memories, memories, strict=True):
            for question in memory.questions:
                found = held.get_context(question.text, k=K, record=False).found
                places = [each.place.seq - 1 for each in found]
                counts.shares.append(100.0 * len(question.evidence & set(places[:AT])) / len(question.evidence))
                counts.tokens.append(sum(each.tokens for each in found))
                counts.whole.append(sum(-(-len(memory.turns[place].text) // 4) for place in places))
                counts.answers += _shown(memory, question, dict(zip(places, found, strict=True)))
    return counts


def _shown(memory: Remembered, question: Question, found: dict[int, Found]) -> list[bool]:
    """Return of each long text that was found and holds the answer whether what is shown of it has its words."""
    words = _words(question.answer) - _words(question.text)
    told = question.told or tuple((at, memory.turns[at].text) for at in sorted(question.evidence))
    return [
        words <= _words(found[place].memory.text or "")
        for place, text in told
        if words and place in found and found[place].excerpt is not None and words <= _words(text)
    ]


def _words(text: str) -> set[str]:
    return {TOKENIZER.counted_as(word) for word in TOKENIZER.split(text)}


def _plain(one: Set, model: Embedder) -> float:
    """Return the best of the plain searches, as a share among three."""
    found: dict[str, list[float]] = {}
    for memory in one.memories:
        for name, search in searches([turn.said for turn in memory.turns], model).items():
            for question in memory.questions:
                places = [int(place) for place in search(question.text)[:AT]]
                share = 100.0 * len(question.evidence.intersection(places)) / len(question.evidence)
                found.setdefault(name, []).append(share)
    return max(map(mean, found.values()))
