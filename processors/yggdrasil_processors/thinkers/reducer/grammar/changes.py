"""What somebody did to a thing, so that it is another way now: "we moved the retro from Tuesday to Thursday"."""

from collections.abc import Sequence
from typing import Final

from .doubts import doubted
from .named import spot
from .names import CAPITALISED, words
from .phrases import ENDS, amount, noun, phrase_end, state
from .said import Said
from .subjects import About, Subject, subject_of
from .tokens import Token
from .values import EMAIL, changed
from .verbs import MOVING, PLACES

Found = tuple[Subject, list[Said], int]
"""Of whom is spoken, what is said, and where the words end."""
_DOERS: Final = words("we i they")
_HELPERS: Final = words("have 've had just also finally already recently now then has")
_WORDS_MAX: Final = 8
_PUTTING: Final = words("put left placed stored hung parked hid filed saved stashed")
_PAST: Final = words("set cut put left hung hid")
_REACHING: Final = words("reach call contact email mail text ping phone")
_ASKING: Final = words("you can could please just best we or may always")
_BY: Final = words("at on under via by")
_DENYING: Final = words("n't not never if")
_DIGITS_MIN: Final = 6
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
    if subject is None or (subject.sort == "person" and not subject.attribute):
        return None
    if subject.sort == "name":
        subject = Subject(f"thing:{subject.name.partition(':')[2]}", "thing")
    return (
        _replaced(sentence, tokens, begin, verb, end, subject)
        if tokens[verb].low == _REPLACED
        else _to(sentence, tokens, begin, verb, end, subject, about)
    )


def located(sentence: str, tokens: Sequence[Token], begin: int, about: About) -> Found | None:
    """Return where somebody put a thing: "I left the spare key in the drawer"."""
    verb = _verb(tokens, begin, _PUTTING)
    if verb is None:
        return None
    end = phrase_end(tokens, verb + 1, frozenset(PLACES) | ENDS)
    if end + 1 >= len(tokens) or tokens[end].low not in PLACES or not 0 < end - verb - 1 <= _WORDS_MAX:
        return None
    subject = subject_of(sentence, tokens[verb + 1 : end], about, first=False)
    if subject is None or subject.sort != "thing" or subject.attribute:
        return None
    value = spot(sentence, tokens, end + 1, about)
    if value is None or doubted(tokens, (begin, value.end), (verb, verb + 1)):
        return None
    return subject, [Said(subject.name, "located_in", one) for one in value.objects], value.end


def reached(sentence: str, tokens: Sequence[Token], begin: int, about: About) -> Found | None:
    """Return how somebody is reached: "you can reach Ana on 555 0100"."""
    verb = next((at for at in range(begin, min(begin + 4, len(tokens))) if tokens[at].low in _REACHING), None)
    if verb is None or verb + 2 >= len(tokens) or any(token.low not in _ASKING for token in tokens[begin:verb]):
        return None
    end = phrase_end(tokens, verb + 1, _BY)
    if end + 1 >= len(tokens) or tokens[end].low not in _BY or any(token.low in _DENYING for token in tokens[:begin]):
        return None
    who = [Token("I", "i", 0, 0)] if tokens[verb + 1].low == "me" else tokens[verb + 1 : end]
    subject = subject_of(sentence, who, about, first=False)
    if subject is None or subject.sort == "thing" or subject.attribute:
        return None
    if EMAIL.fullmatch(tokens[end + 1].text):
        return subject, [Said(subject.name, "email", tokens[end + 1].low)], end + 2
    number = amount(sentence, tokens, end + 1)
    if number is None or sum(each.isdigit() for each in number[0]) < _DIGITS_MIN:
        return None
    return subject, [Said(subject.name, "phone", number[0])], number[1]


def headlined(sentence: str, tokens: Sequence[Token], begin: int, about: About) -> Found | None:
    """Return the state of a thing where a headline leaves out the verb: "Search cluster degraded, we look into it"."""
    for place in range(begin + 1, min(begin + _WORDS_MAX, len(tokens))):
        if tokens[place].is_mark:
            return None
        found = state(sentence, tokens, place)
        if found is None or (found[1] < len(tokens) and not tokens[found[1]].is_mark):
            continue
        said = subject_of(sentence, [Token("the", "the", 0, 0), *tokens[begin:place]], about, first=False)
        if said is None or said.attribute or said.name.startswith("thing:") or said.sort != "thing":
            return None
        if doubted(tokens, (begin, found[1]), (place, place)):
            return None
        return said, [Said(said.name, "status", found[0])], found[1]
    return None


def _verb(tokens: Sequence[Token], begin: int, verbs: frozenset[str] = MOVING | {"replaced"}) -> int | None:
    """Return where the verb is, if somebody does something there to a thing."""
    place = begin
    while place < min(begin + 3, len(tokens)) and _may_be_name(tokens[place], verbs):
        place += 1
        if tokens[place - 1].low in _DOERS:
            break
    if place == begin and tokens[begin].low in _DOERS:
        place += 1
    if place == begin and not tokens[begin].low.endswith("ed"):  # notes leave out who did it
        return None
    while place < len(tokens) and tokens[place].low in _HELPERS:
        place += 1
    done = place < len(tokens) and tokens[place].low in verbs
    return place if done and (tokens[place].low.endswith("ed") or tokens[place].low in _PAST) else None


def _may_be_name(token: Token, verbs: frozenset[str]) -> bool:
    return CAPITALISED.fullmatch(token.text) is not None and token.low != "i" and token.low not in verbs


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
