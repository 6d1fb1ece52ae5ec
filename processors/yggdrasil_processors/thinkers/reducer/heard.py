"""What a model found to be said in an event: only what stands in the event's own text is a claim."""

import re
from collections.abc import Sequence
from typing import Final

from yggdrasil_schemas.commands.experience import KIND_PREFIX

from ..thinker import Heard
from .grammar.names import person, speaker, system, thing
from .grammar.said import Said
from .grammar.subjects import thing_named
from .lessons import LESSON, RECOVERY, WARNING
from .sentences import SENTENCE_CHARS_MAX

SPEAKER: Final = "speaker"
"""How a model calls whoever speaks."""
_SUBJECT: Final = re.compile(r"([a-z][a-z0-9_-]{0,30}):(\S.{0,90})")
_PREDICATE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_NUMBER: Final = re.compile(r"0|-?[1-9]\d{0,14}")
_OBJECT_CHARS_MAX: Final = 200
SHARE_MIN: Final = 0.6
"""How much of a value's words must stand in the sentence: a model may say "the fifth of May" in other words."""
_WORD: Final = re.compile(r"[^\W_]+")
_LESSONS: Final = frozenset({LESSON, WARNING, RECOVERY})


def as_said(heard: Heard, text: str, features: Sequence[str], topic: str) -> Said | None:
    """Return what was heard as a claim; None where it has not the form of one, or its words are not in the text.

    Its sentence must stand in the text word for word. Of its value six words of ten must stand in that sentence, and
    all of the name that it is said of. A lesson is about the ``topic`` of the session.
    """
    if heard.sentence not in text or not 0 < len(heard.sentence) <= SENTENCE_CHARS_MAX or "?" in heard.sentence:
        return None
    value = " ".join(heard.object.split())
    if not (0 < len(value) <= _OBJECT_CHARS_MAX and value.isprintable() and _share(value, heard.sentence) >= SHARE_MIN):
        return None
    if heard.predicate in _LESSONS:
        return Said(topic, heard.predicate, value, sort="lesson")
    subject = _subject(heard.subject, heard.sentence, features)
    if subject is None or _PREDICATE.fullmatch(heard.predicate) is None or value == subject:
        return None
    return Said(subject, heard.predicate, int(value) if _NUMBER.fullmatch(value) else thing(value, features))


def _share(value: str, sentence: str) -> float:
    """Return how much of the words of a value stands in a sentence, in [0, 1]."""
    wanted, there = _WORD.findall(value.casefold()), frozenset(_WORD.findall(sentence.casefold()))
    return sum(word in there for word in wanted) / len(wanted) if wanted else 0.0


def _subject(given: str, sentence: str, features: Sequence[str]) -> str | None:
    """Return a subject that a model named, where its name stands in the sentence, or it is who speaks there."""
    if given == SPEAKER:
        return speaker(features) if re.search(r"\b(?:I|[Mm]y|[Mm]e)\b", sentence) else None
    found = _SUBJECT.fullmatch(given)
    if found is None or not given.isprintable() or not _stands(found[2], sentence):
        return None
    kind, name = found.groups()
    if given.startswith(KIND_PREFIX):
        return None
    if kind == "person":
        return person(name, features)
    return thing_named(name, features) if kind == "thing" else system(name, features) or f"{kind}:{name.casefold()}"


def _stands(words: str, sentence: str) -> bool:
    """Return whether words stand in a sentence as a whole, in whatever case."""
    return re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", sentence.casefold()) is not None
