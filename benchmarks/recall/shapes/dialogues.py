"""LoCoMo's conversations as shapes, and needles: notes among 5,000 lines of chat."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.importers.locomo import import_locomo

from ..locomo_questions import UNANSWERABLE, conversations
from .shape import Asked, Shape, Text

LINES: Final = 5_000
_WORDS_MIN: Final = 3
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")


def dialogues(data: Path) -> list[Shape]:
    """Read the conversations of a file of LoCoMo, a shape for each; what is found is counted by its share."""
    shapes: list[Shape] = []
    for conversation in conversations(data):
        places = {turn.dia_id: place for place, turn in enumerate(conversation.turns)}
        asked = [
            Asked(one.text, frozenset(places[evidence] for evidence in one.evidence))
            for one in conversation.answerable()
        ]
        asked += [Asked(one.text, frozenset()) for one in conversation.questions if one.category == UNANSWERABLE]
        texts = [Text(turn.said, turn.dia_id.split(":")[0]) for turn in conversation.turns]
        imported = partial(_imported, data, conversation.name)
        shapes.append(Shape("dialogues", texts, asked, shares=True, imported=imported))
    return shapes


def _imported(data: Path, sample: str, drafter: Drafter) -> Iterator[Draft]:
    return import_locomo(data, drafter, sample=sample).drafts


def needles(notes: Shape, chats: list[Shape]) -> Shape:
    """Strew the notes evenly among lines of chat; the notes' questions are asked."""
    lines = [
        (sentence, f"{number}-{text.session}")
        for number, chat in enumerate(chats)
        for text in chat.texts
        for sentence in _SENTENCE.split(text.text.partition(": ")[2])
        if len(sentence.split()) >= _WORDS_MIN
    ][:LINES]
    every = max(1, len(lines) // max(1, len(notes.texts)))
    texts: list[Text] = []
    places: list[int] = []
    for at, (sentence, session) in enumerate(lines):
        if at % every == 0 and len(places) < len(notes.texts):
            places.append(len(texts))
            texts.append(Text(notes.texts[len(places) - 1].text, session))
        texts.append(Text(sentence, session))
    asked = [Asked(one.text, frozenset(places[answer] for answer in one.answers)) for one in notes.asked]
    return Shape("needles", texts, asked)
