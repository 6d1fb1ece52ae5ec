"""What a model found to be said in an event: only what stands in the event's own text is a claim."""

import re
from collections.abc import Sequence
from typing import Final

from yggdrasil_schemas.commands.experience import KIND_PREFIX

from ..thinker import Heard
from .patterns import Said
from .plain import SENTENCE_CHARS_MAX
from .subjects import person, speaker, system, thing

SPEAKER: Final = "speaker"
"""How a model calls whoever speaks."""
_SUBJECT: Final = re.compile(r"([a-z][a-z0-9_-]{0,30}):(\S.{0,90})")
_PREDICATE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_NUMBER: Final = re.compile(r"0|-?[1-9]\d{0,14}")
_OBJECT_CHARS_MAX: Final = 200


def as_said(heard: Heard, text: str, features: Sequence[str]) -> Said | None:
    """Return what was heard as a claim; None where its sentence is not in the text, or its names not in that."""
    if heard.sentence not in text or not 0 < len(heard.sentence) <= SENTENCE_CHARS_MAX or "?" in heard.sentence:
        return None
    subject = _subject(heard.subject, heard.sentence, features)
    value = " ".join(heard.object.split())
    if subject is None or _PREDICATE.fullmatch(heard.predicate) is None or not 0 < len(value) <= _OBJECT_CHARS_MAX:
        return None
    if not (value.isprintable() and _stands(value, heard.sentence)) or value == subject:
        return None
    return Said(subject, heard.predicate, int(value) if _NUMBER.fullmatch(value) else thing(value, features))


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
    return system(name, features) or f"{kind}:{name.casefold()}"


def _stands(words: str, sentence: str) -> bool:
    """Return whether words stand in a sentence as a whole, in whatever case."""
    return re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", sentence.casefold()) is not None
