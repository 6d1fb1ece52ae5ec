"""What is found of the evidence that LoCoMo's questions need, turn by turn, beside what simpler searches find.

Everything is asked of ``Memory.get_context``, as an agent would: one memory for each conversation, imported with
``yggdrasil import locomo``'s importer, with and without vectors of an offline embedder. Beside it, over the same words
and the same vectors: BM25 alone, vectors alone, their reciprocal-rank fusion, and mem0 without inference.
"""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

from yggdrasil_infra.embedders import Embedder

from ..measure import Bar, Report, Size, say
from .embedding import Cached, embedder
from .locomo_memory import Remembered, remembered
from .locomo_questions import BUDGETS, CUTS, Conversation, Question, Recall, conversations, within
from .peers import Mem0, mem0_python
from .plain import searches

UNTIMED: Final = True

BAR: Final = 80.0
BAR_MULTI_HOP: Final = 50.0
_K: Final = max(CUTS)

Search = Callable[[Question], Iterable[int]]
"""Gives the places of turns, best first."""


def run(size: Size, scratch: Path, data: Path) -> Report:
    """Ask every question of categories 1 to 4 of every conversation in ``data``; a quick run takes the first."""
    asked = conversations(data)[: size.pick(1, 1, 1_000)]
    found: dict[str, Recall] = {}
    report = Report("locomo")
    with embedder() as model:
        cached = Cached(model)
        for conversation in asked:
            say(f"  {conversation.name}: {len(conversation.turns)} turns, {len(conversation.answerable())} questions")
            with remembered(scratch, data, conversation) as memory:
                _ask(memory, conversation, found.setdefault("yggdrasil_without_vectors", Recall()))
                memory.embed(cached)
                _ask(memory, conversation, found.setdefault("yggdrasil", Recall()))
            for name, search in _simpler(conversation, cached).items():
                _rank(conversation, search, found.setdefault(name, Recall()))
            _peer(conversation, cached, found)
    report.figures = {"conversations": len(asked), "questions": sum(len(one.answerable()) for one in asked)}
    for name, recall in found.items():
        report.figures |= recall.figures(name)
    ours = found["yggdrasil"]
    report.bars = [
        Bar("evidence recall at 10, percent", ours.at(10), BAR),
        Bar("evidence recall at 10 of multi-hop questions, percent", ours.at(10, 1), BAR_MULTI_HOP),
    ]
    return report


def _ask(memory: Remembered, conversation: Conversation, recall: Recall) -> None:
    for question in conversation.answerable():
        recall.add(question, memory.found(question.text))
        for tokens_max in BUDGETS:
            recall.add_within(question, tokens_max, memory.found(question.text, tokens_max))


def _rank(conversation: Conversation, search: Search, recall: Recall) -> None:
    for question in conversation.answerable():
        turns = [conversation.turns[place] for place in search(question)][:_K]
        recall.add(question, [turn.dia_id for turn in turns])
        for tokens_max in BUDGETS:
            recall.add_within(question, tokens_max, within(turns, tokens_max))


def _simpler(conversation: Conversation, model: Embedder) -> dict[str, Search]:
    """Return the simpler searches by name."""
    found = searches([turn.said for turn in conversation.turns], model)
    return {name: partial(_searched, search) for name, search in found.items()}


def _searched(search: Callable[[str], Iterable[int]], question: Question) -> Iterable[int]:
    return search(question.text)


def _peer(conversation: Conversation, model: Embedder, found: dict[str, Recall]) -> None:
    python = mem0_python()
    if python is None:
        return
    with Mem0(python) as peer:
        peer.add([turn.said for turn in conversation.turns], model)
        recall = found.setdefault("mem0", Recall())
        _rank(conversation, lambda question: peer.search(question.text, model, _K)[0], recall)
