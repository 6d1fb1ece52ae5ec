"""LoCoMo's questions and what counts as found (Maharana et al., "Evaluating Very Long-Term Conversational Memory of
LLM Agents", 2024). The data is not part of this project; the benchmark takes the path of a copy.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any, Final

import orjson

from yggdrasil_projections.retrieval.ranking.selection import tokens_of
from yggdrasil_projections.retrieval.text.said import said

CATEGORIES: Final = {1: "multi_hop", 2: "temporal", 3: "open", 4: "single_hop"}
UNANSWERABLE: Final = 5
CUTS: Final = (5, 10, 25, 50)
BUDGETS: Final = (1_000, 2_000, 4_000)
_ID: Final = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that hold its answer, by ``dia_id``; there are none for an unanswerable one."""

    text: str
    category: int
    evidence: frozenset[str]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn by its ``dia_id``: its text alone, and with who says it and what is shown, as searches are given it."""

    dia_id: str
    text: str
    said: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: its turns in order, its speakers, and its questions."""

    name: str
    turns: list[Turn]
    speakers: list[str]
    questions: list[Question]

    def answerable(self) -> list[Question]:
        """Return the questions of categories 1 to 4 that keep evidence."""
        return [one for one in self.questions if one.category in CATEGORIES and one.evidence]


def conversations(path: Path) -> list[Conversation]:
    """Read a file of LoCoMo. Evidence that names several turns is split; what is no turn is dropped."""
    return [_conversation(sample) for sample in orjson.loads(path.read_bytes())]


def _conversation(sample: dict[str, Any]) -> Conversation:
    sessions = [(key, value) for key, value in sample["conversation"].items() if isinstance(value, list)]
    sessions.sort(key=lambda entry: int(entry[0].removeprefix("session_")))
    turns = [Turn(turn["dia_id"], turn["text"], _said(turn)) for _, session in sessions for turn in session]
    speakers = sorted({turn["speaker"] for _, session in sessions for turn in session})
    known = {turn.dia_id for turn in turns}
    questions = [
        Question(
            one["question"],
            one["category"],
            frozenset(_ids(one.get("evidence") or [])) & known,
            str(one.get("answer", "")),
        )
        for one in sample["qa"]
    ]
    return Conversation(sample["sample_id"], turns, speakers, questions)


def _said(turn: dict[str, Any]) -> str:
    shown = {"blip_caption": turn.get("blip_caption")}
    return said(turn["text"], [f"speaker:{turn['speaker']}"], shown) or turn["speaker"]


def _ids(evidence: Iterable[str]) -> list[str]:
    return [f"D{session}:{turn}" for entry in evidence for session, turn in _ID.findall(entry)]


@dataclass(slots=True)
class Recall:
    """The evidence that one way of searching has found: the mean over questions of found / evidence, in percent."""

    shares: dict[tuple[int, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    within: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, question: Question, found: Sequence[str]) -> None:
        """Count an answer: the turns that were found, best first."""
        for cut in CUTS:
            share = len(question.evidence.intersection(found[:cut])) / len(question.evidence)
            self.shares[question.category, cut].append(share)

    def add_within(self, question: Question, tokens_max: int, found: Sequence[str]) -> None:
        """Count what was found under a budget of tokens."""
        self.within[tokens_max].append(len(question.evidence.intersection(found)) / len(question.evidence))

    def at(self, cut: int, category: int | None = None) -> float:
        """Return the recall at ``cut``, of one category or of all."""
        return 100 * mean(
            share
            for (of, to), shares in self.shares.items()
            if to == cut and category in {None, of}
            for share in shares
        )

    def figures(self, name: str) -> dict[str, float]:
        """Return everything under names that begin with ``name``."""
        found = {f"{name}_at_{cut}": self.at(cut) for cut in CUTS}
        found |= {f"{name}_in_{tokens}_tokens": 100 * mean(shares) for tokens, shares in self.within.items()}
        known = {category for category, _ in self.shares}
        return found | {
            f"{name}_{called}_at_{cut}": self.at(cut, category)
            for category, called in CATEGORIES.items()
            if category in known
            for cut in CUTS
        }


def within(turns: Iterable[Turn], tokens_max: int) -> list[str]:
    """Return the leading ``turns`` that fit into a budget: how any search that has none of its own is cut."""
    left, found = tokens_max, list[str]()
    for turn in turns:
        left -= tokens_of(len(turn.text))
        if left < 0:
            break
        found.append(turn.dia_id)
    return found
