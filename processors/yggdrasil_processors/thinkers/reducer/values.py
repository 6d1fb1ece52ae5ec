"""The value of a verb: what it may be, by the verb's sort, and the predicate that an attribute's name stands for."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from . import phrases
from .names import NO_ALLERGY, is_no_name, person, thing, words
from .subjects import RELATIVES, About, Subject, subject_of, thing_named
from .tokens import Token, slice_of
from .verbs import ADVERBS, FIRST, Verb

VALUE_CHARS_MAX: Final = 100
_MONEY: Final = re.compile(r"[$€£¥]|\b(?:euros?|dollars?|pounds?|bucks|cents?|francs?|yen|eur|usd|gbp|chf)\b")
EMAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_MONTHS: Final = "january february march april may june july august september october november december".split()
_ATTRIBUTES: Final = {
    "e-mail": "email", "e-mail address": "email", "email address": "email", "mail": "email", "phone number": "phone",
    "telephone": "phone", "mobile number": "phone", "mobile": "phone", "cell": "phone", "cell number": "phone",
    "mobile phone": "phone", "cell phone": "phone", "telephone number": "phone", "number": "phone", "deadline": "due", "due date": "due", "cost": "price", "home": "lives_in",
    "employer": "works_for", "maintainer": "owner", "location": "located_in", "favourite": "favorite",
}  # fmt: skip
_NAMING: Final = words(
    "name favorite favourite color colour job role title hobby nickname major language type format region zone timezone "
    "plan default brand model address capital purpose focus diet tool framework editor password profession sport size "
    "status priority branch version license encoding mode protocol stack codename allergy passion dream"
)
"""Attributes of which the value is a word by itself, in small letters; of others that is most often a judgement."""
_EVALUATED: Final = words(
    "great good bad nice fine amazing awesome okay ok perfect terrible horrible beautiful lovely gorgeous delicious fun "
    "funny interesting boring important true clear ready sure happy sad tired busy available easy hard difficult "
    "different similar same possible worth fantastic cute well-known popular famous classic unique wonderful favorite favourite incredible "
    "older newer overall general skilled exciting quite trivial huge big small long short high low fast slow new old cool hot cold"
)
_NO_ROLE: Final = words(
    "bit lot fan mess joke lie shame pity pleasure must problem issue question good great nice bad big huge little real "
    "true such matter piece part way thing kind sort type case reason idea point chance risk pain dream delight blast "
    "best worst only same first last one next other whole right wrong start beginning end result rest goal plan key "
    "perfect amazing beautiful lovely wonderful very really pretty super few couple while cool interesting fun better "
    "person place time day week year month example challenge change step hit steal bargain treat difference most more bunch guy girl man woman thick one older sucker name choice classic"
)
_ROLE_STOPS: Final = words("at for in of with on")
_NO_SPOT: Final = words(
    "progress fire risk time order place charge danger trouble use beta review general particular fact practice theory "
    "addition shape love debt hand sync schedule track board hold sale vacation holiday leave top point ease odds "
    "home work school fault stake play question doubt touch need effect favor demand bed reach control"
)
_SPANS: Final = words("two three four five six a an some several many almost these full-time")
_TAKES_BACK: Final = words("or either times only then part-time")
_JOINED: Final = frozenset({"of", "for"})
_OBJECTS: Final = words("when that if how it you him her them me us what who this these those")
_INANIMATE: Final = "thing"


@dataclass(frozen=True, slots=True)
class Value:
    """What is said: the ``objects``, each a claim of its own, and where the words end.

    ``subject`` is another than that of the sentence where the verb turns round who is spoken of.
    """

    predicate: str
    objects: Sequence[str | int]
    end: int
    subject: str | None = None
    qualifiers: dict[str, str] = field(default_factory=dict[str, str])


Read = Callable[[str, Sequence[Token], int, Verb, Subject, About], Value | None]


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


def predicate_of(attribute: str) -> str:
    """Return the predicate that an attribute's name stands for: "phone number" is ``phone``."""
    plain = " ".join(attribute.casefold().replace("favourite", "favorite").split())
    return _ATTRIBUTES.get(plain, re.sub(r"[^a-z0-9]+", "_", plain).strip("_"))[:64]


def _plainly(read: Callable[[str, Sequence[Token], int], tuple[str | int, int] | None]) -> Read:
    def value(
        sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
    ) -> Value | None:
        found = read(sentence, tokens, begin)
        return None if found is None else Value(verb.predicate, [_entity(found[0], about)], found[1])

    return value


def _entity(said: str | int, about: About) -> str | int:
    return thing(said, about.features) if isinstance(said, str) else said


def _place(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    found = phrases.place_named(sentence, tokens, begin)
    if found is None or _goes_on(tokens, found[1]) or not _whole(tokens, found[1]):
        return None
    return Value(verb.predicate, [_entity(found[0], about)], found[1])


def _whole(tokens: Sequence[Token], end: int) -> bool:
    """Return whether a name ends where it does: at a mark, or before a word that goes on with something else."""
    return end >= len(tokens) or tokens[end].is_mark or tokens[end].low in phrases.ENDS | phrases.PREPOSITIONS | _SPANS


def _goes_on(tokens: Sequence[Token], joint: int) -> bool:
    """Return whether another name follows: "Rome and Paris"."""
    return joint + 1 < len(tokens) and tokens[joint].low in {"and", "or"} and tokens[joint + 1].is_capital and tokens[joint + 1].text != "I"


def _spot(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    return spot(sentence, tokens, begin, about)


def spot(sentence: str, tokens: Sequence[Token], begin: int, about: About) -> Value | None:
    """Return where a thing is: "on the third floor", without the "in" of "in Oslo"."""
    before = tokens[begin - 1].low
    if tokens[begin].low in _NO_SPOT or tokens[begin].low.endswith("ing"):
        return None
    if phrases.time(sentence, tokens, begin) is not None or phrases.amount(sentence, tokens, begin) is not None:
        return None
    found = phrases.place_named(sentence, tokens, begin)
    if found is None or not _whole(tokens, found[1]):
        found = phrases.noun(sentence, tokens, begin)
    if found is None or tokens[begin].low in {"my", "our"} or (len(found[0].split()) == 1 and not found[0][0].isupper() and tokens[begin].low == found[0]
                         and not any(mark in found[0] for mark in "-_./0123456789")):  # fmt: skip
        return None
    named = found[0] if before in {"in", "at", "to"} else f"{_preposition(tokens, begin)} {slice_of(sentence, tokens[begin:found[1]])}"
    return Value("located_in", [_entity(named, about)], found[1])


def _preposition(tokens: Sequence[Token], begin: int) -> str:
    """Return the preposition before a place."""
    said = [tokens[begin - 1].low]
    if said[0] in {"to", "of"}:
        said = [token.low for token in tokens[max(0, begin - 3) : begin] if token.low in {"next", "to", "on", "top", "of"}]
    return " ".join(said)


def _organisation(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    found = phrases.organisation(sentence, tokens, begin)
    if found is None or is_no_name(found[0]) or _goes_on(tokens, found[1]) or not _whole(tokens, found[1]):
        return None
    if found[1] < len(tokens) and tokens[found[1]].low == "on":
        return None
    return Value(verb.predicate, [_entity(found[0], about)], found[1])


def _owner(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return a person or a team."""
    if tokens[begin].text == "me":
        who = subject_of(sentence, [Token("I", "i", 0, 0)], about, first=False)
        return None if who is None else Value(verb.predicate, [who.name], begin + 1)
    end = phrases.phrase_end(tokens, begin)
    team = tokens[begin].low == "the" or (begin + 1 < end and tokens[end - 1].low in {"team", "squad", "group"})
    if team and tokens[end - 1].low in {"team", "squad", "group", "department", "committee"}:
        return Value(verb.predicate, [thing(slice_of(sentence, tokens[begin:end]).removeprefix("the "), about.features)], end)
    found = phrases.organisation(sentence, tokens, begin)
    if found is None or tokens[begin].low == "the":
        return None
    who_ = person(found[0], about.features)
    return None if who_ is None else Value(verb.predicate, [who_], found[1])


def _person(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    found = phrases.organisation(sentence, tokens, begin)
    who = None if found is None else person(found[0], about.features)
    return None if found is None or who is None else Value(verb.predicate, [who], found[1])


def _owned(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what somebody looks after, as the subject: "Mia owns the billing service" is about the service."""
    if subject.sort == _INANIMATE and not subject.name.endswith("team"):
        return None
    end = phrases.phrase_end(tokens, begin, phrases.ENDS | phrases.PREPOSITIONS)
    said = subject_of(sentence, tokens[begin:end], about, first=False) if end > begin else None
    if said is None or said.attribute or said.sort == "person":
        return None
    owner = subject.name if subject.sort != _INANIMATE else subject.name.partition(":")[2]
    name = said.name if said.sort == "thing" else f"thing:{said.name.partition(':')[2]}"
    return Value("owner", [owner], end, subject=name)


def _thing(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    found = phrases.noun(sentence, tokens, begin)
    if found is None or phrases.is_time(tokens[begin : found[1]]) or not _tellable(found[0]):
        return None
    return Value(verb.predicate, [_entity(found[0], about)], found[1])


def _things(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    found = phrases.listed(sentence, tokens, begin)
    if found is not None and found[1] < len(tokens) and tokens[found[1]].low == "and" and _names(tokens, found[1] + 1):
        return None
    if found is None or not all(map(_tellable, found[0])):
        return None
    return Value(verb.predicate, [_entity(one, about) for one in found[0]], found[1])


def _names(tokens: Sequence[Token], begin: int) -> bool:
    """Return whether what follows an "and" is more of a list, and no clause of its own."""
    if begin >= len(tokens) or tokens[begin].is_mark:
        return False
    return tokens[begin].low not in FIRST | phrases.ENDS | phrases.DETERMINERS | ADVERBS


def _tellable(said: str) -> bool:
    """Return whether a phrase says something by itself: it has a letter or a digit, and is not one of judging."""
    low = said.casefold().split()
    return any(each.isalnum() for each in said) and low[0] not in _EVALUATED and low[-1] not in _EVALUATED


def _counted(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what somebody has, with how many: "two dogs", "a cat"."""
    number = phrases.amount(sentence, tokens, begin)
    if number is None and tokens[begin].low not in {"a", "an", "my", "our"}:
        return None
    found = number or phrases.noun(sentence, tokens, begin, joined=_JOINED)
    if number is not None and number[1] < len(tokens) and tokens[number[1]].low == "of":
        end = phrases.phrase_end(tokens, number[1])
        found = (slice_of(sentence, tokens[begin:end]), end)
    if number is None and (sized := _sized(sentence, tokens, begin)) is not None:
        return sized
    if found is None or len(found[0].split()) > phrases.PHRASE_WORDS_MAX or not _tellable(found[0].split()[-1]) or found[0].split()[0].casefold() in _NO_ROLE:
        return None
    if phrases.is_time(tokens[begin : found[1]]) or (number is not None and " " not in found[0]) or len(found[0]) < 2:
        return None
    return None if _goes_on_after_comma(tokens, found[1]) else Value(verb.predicate, [found[0]], found[1])


def _sized(sentence: str, tokens: Sequence[Token], begin: int) -> Value | None:
    """Return an attribute with its size: "a limit of 200 requests"."""
    end = phrases.phrase_end(tokens, begin, phrases.ENDS | phrases.PREPOSITIONS)
    if not 1 < end - begin <= 4 or end + 1 >= len(tokens) or tokens[end].low != "of":
        return None
    size = phrases.amount(sentence, tokens, end + 1)
    return None if size is None else Value(predicate_of(slice_of(sentence, tokens[begin + 1 : end])), [size[0]], size[1])


def _goes_on_after_comma(tokens: Sequence[Token], end: int) -> bool:
    """Return whether a comma stands between two words of judging: "a light, healthy snack"."""
    return end + 1 < len(tokens) and tokens[end].low == "," and not tokens[end - 1].low.endswith("s") and (
        tokens[end + 1].low not in phrases.ENDS | phrases.PREPOSITIONS | ADVERBS and not tokens[end + 1].is_capital
    )


def _activity(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what somebody likes, and over what, where that is said."""
    end = phrases.phrase_end(tokens, begin)
    pair = _over(tokens, begin)
    if pair is not None and tokens[begin - 1].low == "to":
        return None
    if pair is not None:
        left, right, end = pair
        first, second = phrases.choice(sentence, tokens[begin:left]), phrases.choice(sentence, tokens[right:end])
        if verb.predicate == "dislikes" or first is None or second is None or not _alike(first, second):
            return None
        return Value("prefers_over", [first], end, qualifiers={"over": second})
    if any(token.low == "over" for token in tokens[begin:end]):
        return None
    found = phrases.noun(sentence, tokens, begin, whole=True)
    if found is None or not _tellable(found[0]) or _is_object(tokens, found[1]):
        return None
    alone = " " not in found[0] and not found[0][0].isupper()
    if alone and (tokens[begin].low == "the" or (found[0].endswith("ing") and tokens[found[1] : found[1] + 1] and tokens[found[1]].low == "and")):
        return None
    said = found[0] if found[0][:1] != "I" or len(found[0]) > 1 else ""
    return Value(verb.predicate, [said], found[1])


def _is_object(tokens: Sequence[Token], end: int) -> bool:
    """Return whether a word follows that the phrase cannot be understood without: "to play it"."""
    return end < len(tokens) and tokens[end].low in _OBJECTS


def _over(tokens: Sequence[Token], begin: int) -> tuple[int, int, int] | None:
    """Return where the first side of a choice ends, where the second begins, and where that ends."""
    for place in range(begin + 1, min(begin + phrases.PHRASE_WORDS_MAX, len(tokens))):
        if tokens[place].is_mark:
            return None
        right = 0
        if tokens[place].low == "over":
            right = place + 1
        elif tokens[place].low in {"more", "better"} and place + 1 < len(tokens) and tokens[place + 1].low == "than":
            right = place + 2
        if right:
            left = place - 1 if tokens[place - 1].low in {"much", "far", "way"} else place
            left = place - 2 if [token.low for token in tokens[place - 2 : place]] == ["a", "lot"] else left
            return left, right, phrases.phrase_end(tokens, right, phrases.ENDS | {"in", "at", "for", "on"})
    return None


def _alike(value: str, over: str) -> bool:
    """Return whether a choice is between two of a sort: "walking over bridges" is none."""
    return " " in value or not value.endswith("ing") or over.split(maxsplit=1)[0].endswith("ing")


def _role(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what somebody or something is: "a nurse", "freshman at Stanford University"."""
    first = begin + (tokens[begin].low in {"a", "an", "the"})
    if verb.predicate == "is_a" and tokens[begin - 1].low == "the" and subject.sort == _INANIMATE:
        return None
    end = phrases.phrase_end(tokens, first, phrases.ENDS | (phrases.PREPOSITIONS - _ROLE_STOPS))
    said = tokens[first:end]
    if not 0 < len(said) <= phrases.PHRASE_WORDS_MAX or any(token.low in _NO_ROLE for token in said[:3]) or said[-1].low in _NO_ROLE:
        return None
    if subject.sort == _INANIMATE and any(token.low in _EVALUATED for token in said) or _goes_on_after_comma(tokens, end):
        return None
    if end < len(tokens) and tokens[end].low == "-" and tokens[end].end - tokens[end].start == 1 and len(said) == 1:
        return None
    if said[-1].low in phrases.PREPOSITIONS or said[0].low.endswith("ing") or phrases.NUMBER.fullmatch(said[0].low):
        return None
    return Value(verb.predicate, [slice_of(sentence, said)], end) if _tellable(slice_of(sentence, said)) else None


def _allergen(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    found = phrases.noun(sentence, tokens, begin)
    if found is None or found[0].casefold().split()[0] in NO_ALLERGY or (found[1] < len(tokens) and tokens[found[1]].low in {"who", "that"}):
        return None
    return Value(verb.predicate, [found[0].casefold()], found[1])


def _text(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    found = phrases.noun(sentence, tokens, begin)
    return None if found is None else Value(verb.predicate, [found[0]], found[1])


def _birth(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    if found := phrases.time(sentence, tokens, begin):
        return Value("birthday", [birthday(found[0])], found[1])
    return _place(sentence, tokens, begin, verb, subject, about)


def birthday(said: str) -> str:
    """Return a date in one form: "1990-05-03", or "3 May" without the year."""
    digits = [int(each) for each in re.findall(r"\d+", said)]
    month = next((at for at, name in enumerate(_MONTHS, 1) if re.search(rf"\b{name[:3]}", said.casefold())), 0)
    if not month or not digits or not 1 <= digits[0] <= 31:
        return said
    if len(digits) > 1 and digits[1] > 999:
        return f"{digits[1]:04}-{month:02}-{digits[0]:02}"
    return f"{digits[0]} {_MONTHS[month - 1].capitalize()}"


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
        return Value("email", [mail[0].casefold()], begin + 1) if _ended(tokens, begin + 1) else None
    if predicate in {"email"}:
        return None
    if head in RELATIVES or predicate in {"owner", "lead", "contact", "assignee"}:
        found = _owner(sentence, tokens, begin, verb, subject, about)
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
    if named is None or not _tellable(named[0]):
        return None
    plain = size is None and not tokens[begin].is_capital and tokens[begin].low not in {"a", "an", "the"}
    if plain and not (_NAMING & set(subject.attribute.casefold().split()) or any(each.isdigit() for each in named[0])):
        return None
    return Value(predicate, [_entity(named[0], about)], named[1])


def _ended(tokens: Sequence[Token], end: int) -> bool:
    return end >= len(tokens) or tokens[end].is_mark or tokens[end].low in phrases.ENDS


def _changed(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return to what something changed; what it was before is behind "from"."""
    if subject.sort != _INANIMATE and not subject.attribute:
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
    if found is None or not _tellable(found[0]):
        return None
    predicate = {"moved": "located_in", "renamed": "named", "switched": "uses", "migrated": "uses"}.get(wording, "value")
    return Value(own or predicate, [_entity(found[0], about)], found[1])


_READ: Final[Mapping[str, Read]] = {
    "place": _place, "spot": _spot, "org": _organisation, "owner": _owner, "owned": _owned, "person": _person,
    "thing": _thing, "things": _things, "counted": _counted, "activity": _activity, "role": _role,
    "allergen": _allergen, "text": _text, "birth": _birth, "timed": _timed, "attribute": _attribute,
    "changed": _changed, "changed_from": _changed,
    "amount": _amount, "measured": _plainly(phrases.amount), "time": _plainly(phrases.time),
    "port": _plainly(lambda _, tokens, begin: phrases.port(tokens, begin)),
    "version": _plainly(phrases.version), "state": _plainly(phrases.state),
}  # fmt: skip
OF_ATTRIBUTES: Final = frozenset({"attribute", "changed", "changed_from"})
"""The sorts that may speak of an attribute; others speak of all of what has it as a thing by itself."""
