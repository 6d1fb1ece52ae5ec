"""The value of a verb, read as the verb's sort says: amounts, times, attributes, changes, and all the others."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from . import phrases
from .described import activity, allergen, counted, described_text, described_thing, listed_things, role
from .named import birth, birthday, named_person, organisation, owned, owner, place, read_spot
from .names import words
from .subjects import RELATIVES, About, Subject
from .tokens import Token
from .value import INANIMATE, VALUE_CHARS_MAX, Read, Value, ended, entity, predicate_of, tellable
from .verbs import Verb

_MONEY: Final = re.compile(r"[$€£¥]|\b(?:euros?|dollars?|pounds?|bucks|cents?|francs?|yen|eur|usd|gbp|chf)\b")
EMAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_NAMING: Final = words(
    "name favorite favourite color colour job role title hobby nickname major language type format region zone "
    "timezone plan default brand model address capital purpose focus diet tool framework editor password "
    "profession sport size status priority branch version license encoding mode protocol stack codename allergy "
    "passion dream"
)
"""Attributes of which the value is a word by itself, in small letters; of others that is most often a judgement."""
_TAKES_BACK: Final = words("or either times only then part-time")


def value_of(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what stands behind a verb, read as its sort says; None where it is no such value."""
    if begin >= len(tokens) or (verb.sort == "attribute" and not subject.attribute):
        return None
    found = _READ[verb.sort](sentence, tokens, begin, verb, subject, about)
    if found is None or any(not str(one) or len(str(one)) > VALUE_CHARS_MAX for one in found.objects):
        return None
    if found.end < len(tokens) and tokens[found.end].low in _TAKES_BACK:
        return None
    if found.end + 1 < len(tokens) and tokens[found.end].low == "," and tokens[found.end + 1].low == "then":
        return None
    return found


def _plainly(read: Callable[[str, Sequence[Token], int], tuple[str | int, int] | None]) -> Read:
    def value(
        sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
    ) -> Value | None:
        found = read(sentence, tokens, begin)
        return None if found is None else Value(verb.predicate, [entity(found[0], about)], found[1])

    return value


def _amount(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return how much something is: money is its price, whatever the verb."""
    found = phrases.amount(sentence, tokens, begin)
    if found is None:
        return None
    return Value("price" if _MONEY.search(found[0].casefold()) else verb.predicate, [found[0]], found[1])


def _timed(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return when something happens again and again: "every Friday at 9:00", "daily"."""
    if tokens[begin].low in {"daily", "weekly", "monthly", "hourly", "nightly", "yearly", "quarterly"}:
        return Value(verb.predicate, [tokens[begin].low], begin + 1)
    every = tokens[begin - 1].low == "every" or tokens[begin].low == "every"
    found = phrases.time(sentence, tokens, begin) if every else None
    return None if found is None else Value(verb.predicate, [f"every {found[0]}"], found[1])


def _attribute(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what an attribute of a person or thing is: "Ana's phone is 555 0100"."""
    predicate = predicate_of(subject.attribute)
    head = subject.attribute.casefold().split()[-1]
    if not predicate:
        return None
    if head in {"email", "e-mail", "mail", "address"} and (mail := EMAIL.fullmatch(tokens[begin].text)):
        return Value("email", [mail[0].casefold()], begin + 1) if ended(tokens, begin + 1) else None
    if predicate in {"email"}:
        return None
    if head in RELATIVES or predicate in {"owner", "lead", "contact", "assignee"}:
        found = owner(sentence, tokens, begin, verb, subject, about)
        return None if found is None else replace(found, predicate=predicate)
    moment = phrases.time(sentence, tokens, begin)
    if moment is not None:
        if tokens[begin].low in {"around", "about"}:
            return None
        return Value(predicate, [birthday(moment[0]) if predicate == "birthday" else moment[0]], moment[1])
    if predicate == "birthday":
        return None
    size = phrases.amount(sentence, tokens, begin)
    named = size or phrases.place_named(sentence, tokens, begin) or phrases.noun(sentence, tokens, begin, whole=True)
    if named is None or not tellable(named[0]):
        return None
    plain = size is None and not tokens[begin].is_capital and tokens[begin].low not in {"a", "an", "the"}
    if plain and not (_NAMING & set(subject.attribute.casefold().split()) or any(each.isdigit() for each in named[0])):
        return None
    return Value(predicate, [entity(named[0], about)], named[1])


def _changed(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return to what something changed; what it was before is behind "from"."""
    if subject.sort != INANIMATE and not subject.attribute:
        return None
    wording = tokens[begin - 2].low if begin > 1 else ""
    if verb.sort == "changed_from":
        begin = next((at + 1 for at in range(begin, min(begin + 8, len(tokens))) if tokens[at].low == "to"), 0)
        if not 0 < begin < len(tokens):
            return None
    return changed(sentence, tokens, begin, wording, subject, about)


def changed(
    sentence: str, tokens: Sequence[Token], begin: int, wording: str, subject: Subject, about: About
) -> Value | None:
    """Return what something is after a change, by what sort of value that is."""
    own = predicate_of(subject.attribute) if subject.attribute else ""
    for read, predicate in ((phrases.time, "when"), (phrases.version, "version"), (phrases.amount, "value")):
        if found := read(sentence, tokens, begin):
            return Value(own or predicate, [found[0]], found[1])
    found = phrases.place_named(sentence, tokens, begin) or phrases.noun(sentence, tokens, begin)
    if found is None or not tellable(found[0]):
        return None
    predicate = {"moved": "located_in", "renamed": "named", "switched": "uses", "migrated": "uses"}.get(
        wording, "value"
    )
    return Value(own or predicate, [entity(found[0], about)], found[1])


_READ: Final[Mapping[str, Read]] = {
    "place": place, "spot": read_spot, "org": organisation, "owner": owner, "owned": owned, "person": named_person,
    "thing": described_thing, "things": listed_things, "counted": counted, "activity": activity, "role": role,
    "allergen": allergen, "text": described_text, "birth": birth, "timed": _timed, "attribute": _attribute,
    "changed": _changed, "changed_from": _changed,
    "amount": _amount, "measured": _plainly(phrases.amount), "time": _plainly(phrases.time),
    "port": _plainly(lambda _, tokens, begin: phrases.port(tokens, begin)),
    "version": _plainly(phrases.version), "state": _plainly(phrases.state),
}  # fmt: skip
OF_ATTRIBUTES: Final = frozenset({"attribute", "changed", "changed_from"})
"""The sorts that may speak of an attribute; others speak of all of what has it as a thing by itself."""
