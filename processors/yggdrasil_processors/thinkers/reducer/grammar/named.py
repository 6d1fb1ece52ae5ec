"""Values that are names: of places, organisations, people, and what somebody looks after."""

import re
from collections.abc import Sequence
from typing import Final

from . import phrases
from .names import is_no_name, person, thing, words
from .subjects import About, Subject, subject_of
from .tokens import Token, slice_of
from .value import INANIMATE, Value, entity, goes_on, whole
from .verbs import Verb

_MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_NO_SPOT: Final = words(
    "progress fire risk time order place charge danger trouble use beta review general particular fact practice "
    "theory addition shape love debt hand sync schedule track board hold sale vacation holiday leave top point "
    "ease odds home work school fault stake play question doubt touch need effect favor demand bed reach control"
)


def place(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return a place by its name."""
    found = phrases.place_named(sentence, tokens, begin)
    if found is None or goes_on(tokens, found[1]) or not whole(tokens, found[1]):
        return None
    return Value(verb.predicate, [entity(found[0], about)], found[1])


def read_spot(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return where a thing is."""
    return spot(sentence, tokens, begin, about)


def spot(sentence: str, tokens: Sequence[Token], begin: int, about: About) -> Value | None:
    """Return where a thing is: "on the third floor", without the "in" of "in Oslo"."""
    before = tokens[begin - 1].low
    if tokens[begin].low in _NO_SPOT or tokens[begin].low.endswith("ing"):
        return None
    if phrases.time(sentence, tokens, begin) is not None or phrases.amount(sentence, tokens, begin) is not None:
        return None
    found = phrases.place_named(sentence, tokens, begin)
    if found is None or not whole(tokens, found[1]):
        found = phrases.noun(sentence, tokens, begin)
    if found is None or tokens[begin].low in {"my", "our"} or _is_bare(tokens[begin], found[0]):
        return None
    named = (
        found[0]
        if before in {"in", "at", "to"}
        else f"{_preposition(tokens, begin)} {slice_of(sentence, tokens[begin : found[1]])}"
    )
    return Value("located_in", [entity(named, about)], found[1])


def _is_bare(token: Token, said: str) -> bool:
    """Return whether a place is one word in small letters without an article, such as the "danger" of "in danger"."""
    return token.text == said and said[0].islower() and not any(mark in said for mark in "-_./0123456789")


def _preposition(tokens: Sequence[Token], begin: int) -> str:
    """Return the preposition before a place."""
    said = [tokens[begin - 1].low]
    if said[0] in {"to", "of"}:
        said = [
            token.low for token in tokens[max(0, begin - 3) : begin] if token.low in {"next", "to", "on", "top", "of"}
        ]
    return " ".join(said)


def organisation(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return an organisation by its name."""
    found = phrases.organisation(sentence, tokens, begin)
    if found is None or is_no_name(found[0]) or goes_on(tokens, found[1]) or not whole(tokens, found[1]):
        return None
    if found[1] < len(tokens) and tokens[found[1]].low == "on":
        return None
    return Value(verb.predicate, [entity(found[0], about)], found[1])


def owner(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return a person or a team."""
    if tokens[begin].text == "me":
        who = subject_of(sentence, [Token("I", "i", 0, 0)], about, first=False)
        return None if who is None else Value(verb.predicate, [who.name], begin + 1)
    end = phrases.phrase_end(tokens, begin)
    team = tokens[begin].low == "the" or (begin + 1 < end and tokens[end - 1].low in {"team", "squad", "group"})
    if team and tokens[end - 1].low in {"team", "squad", "group", "department", "committee"}:
        return Value(
            verb.predicate, [thing(slice_of(sentence, tokens[begin:end]).removeprefix("the "), about.features)], end
        )
    found = phrases.organisation(sentence, tokens, begin)
    if found is None or tokens[begin].low == "the":
        return None
    who_ = person(found[0], about.features)
    return None if who_ is None else Value(verb.predicate, [who_], found[1])


def named_person(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return a person by the name."""
    found = phrases.organisation(sentence, tokens, begin)
    who = None if found is None else person(found[0], about.features)
    return None if found is None or who is None else Value(verb.predicate, [who], found[1])


def owned(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what somebody looks after, as the subject: "Mia owns the billing service" is about the service."""
    if subject.sort == INANIMATE and not subject.name.endswith("team"):
        return None
    end = phrases.phrase_end(tokens, begin, phrases.ENDS | phrases.PREPOSITIONS)
    said = subject_of(sentence, tokens[begin:end], about, first=False) if end > begin else None
    if said is None or said.attribute or said.sort == "person":
        return None
    owner = subject.name if subject.sort != INANIMATE else subject.name.partition(":")[2]
    name = said.name if said.sort == "thing" else f"thing:{said.name.partition(':')[2]}"
    return Value("owner", [owner], end, subject=name)


def birth(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return where or when somebody was born."""
    if found := phrases.time(sentence, tokens, begin):
        return Value("birthday", [birthday(found[0])], found[1])
    return place(sentence, tokens, begin, verb, subject, about)


def birthday(said: str) -> str:
    """Return a date in one form: "1990-05-03", or "3 May" without the year."""
    digits = [int(each) for each in re.findall(r"\d+", said)]
    named = [word[:3] for word in said.casefold().replace(",", " ").split() if word.isalpha()]
    month = next((at for at, name in enumerate(_MONTHS, 1) if name[:3] in named), 0)
    if not month or not digits or not 1 <= digits[0] <= 31:
        return said
    if len(digits) > 1 and digits[1] > 999:
        return f"{digits[1]:04}-{month:02}-{digits[0]:02}"
    return f"{digits[0]} {_MONTHS[month - 1].capitalize()}"
