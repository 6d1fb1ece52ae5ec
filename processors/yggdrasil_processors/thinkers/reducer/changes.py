"""What somebody did to a thing, so that it is another way now: "we moved the retro from Tuesday to Thursday"."""

from collections.abc import Sequence
from typing import Final

from .doubts import doubted
from .names import CAPITALISED, words
from .phrases import noun, phrase_end
from .said import Said
from .subjects import About, Subject, subject_of
from .tokens import Token
from .values import changed
from .verbs import MOVING

Found = tuple[Subject, list[Said], int]
"""Of whom is spoken, what is said, and where the words end."""
_DOERS: Final = words("we i they")
_HELPERS: Final = words("have 've had just also finally already recently now then has")
_WORDS_MAX: Final = 8
_REPLACED: Final = "replaced"


def transferred(sentence: str, tokens: Sequence[Token], begin: int, about: About) -> Found | None:
    """Return what the clause at a place says that somebody did to a thing; None where it says no such thing."""
    verb = _verb(tokens, begin)
    if verb is None:
        return None
    until = words("from to with by") if tokens[verb].low != _REPLACED else words("with by")
    end = phrase_end(tokens, verb + 1, until)
    if end >= len(tokens) or not 0 < end - verb - 1 <= _WORDS_MAX or tokens[end].is_mark:
        return None
    subject = subject_of(sentence, tokens[verb + 1 : end], about, first=False)
    if subject is None or subject.sort == "person" and not subject.attribute:
        return None
    if subject.sort == "name":
        subject = Subject(f"thing:{subject.name.partition(':')[2]}", "thing")
    return _replaced(sentence, tokens, begin, verb, end, subject) if tokens[verb].low == _REPLACED else _to(
        sentence, tokens, begin, verb, end, subject, about
    )


def _verb(tokens: Sequence[Token], begin: int) -> int | None:
    """Return where the verb is, if somebody does something there that changes a thing."""
    place = begin
    while place < min(begin + 3, len(tokens)) and CAPITALISED.fullmatch(tokens[place].text) and tokens[place].low != "i":
        place += 1
        if tokens[place - 1].low in _DOERS:
            break
    if place == begin and tokens[begin].low in _DOERS:
        place += 1
    if place == begin:
        return None
    while place < len(tokens) and tokens[place].low in _HELPERS:
        place += 1
    moving = place < len(tokens) and (tokens[place].low in MOVING or tokens[place].low == _REPLACED)
    return place if moving and (tokens[place].low.endswith("ed") or tokens[place].low in {"set", "cut"}) else None


def _to(
    sentence: str, tokens: Sequence[Token], begin: int, verb: int, end: int, subject: Subject, about: About
) -> Found | None:
    place = end
    while place < min(end + _WORDS_MAX, len(tokens)) and tokens[place].low != "to" and not tokens[place].is_mark:
        place += 1
    if place + 1 >= len(tokens) or tokens[place].low != "to":
        return None
    value = changed(sentence, tokens, place + 1, tokens[verb].low, subject, about)
    if value is None or doubted(tokens, (begin, value.end), (verb, verb + 1)):
        return None
    return subject, [Said(subject.name, value.predicate, one) for one in value.objects], value.end


def _replaced(
    sentence: str, tokens: Sequence[Token], begin: int, verb: int, end: int, subject: Subject
) -> Found | None:
    value = noun(sentence, tokens, end + 1)
    if value is None or doubted(tokens, (begin, value[1]), (verb, verb + 1)):
        return None
    return subject, [Said(subject.name, "replaced_by", value[0])], value[1]
