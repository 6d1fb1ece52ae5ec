"""What a value is, and what says something by itself: what all sorts of values have in common."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from . import phrases
from .names import thing, words
from .subjects import About, Subject
from .tokens import Token
from .verbs import ADVERBS, Verb

VALUE_CHARS_MAX: Final = 100
_ATTRIBUTES: Final = {
    "e-mail": "email", "e-mail address": "email", "email address": "email", "mail": "email", "phone number": "phone",
    "telephone": "phone", "mobile number": "phone", "mobile": "phone", "cell": "phone", "cell number": "phone",
    "mobile phone": "phone", "cell phone": "phone", "telephone number": "phone", "number": "phone",
    "deadline": "due", "due date": "due", "cost": "price", "home": "lives_in",
    "employer": "works_for", "maintainer": "owner", "location": "located_in", "favourite": "favorite",
}  # fmt: skip
EVALUATED: Final = words(
    "great good bad nice fine amazing awesome okay ok perfect terrible horrible beautiful lovely gorgeous "
    "delicious fun funny interesting boring important true clear ready sure happy sad tired busy available easy "
    "hard difficult different similar same possible worth fantastic cute well-known popular famous classic unique "
    "wonderful favorite favourite incredible older newer overall general skilled exciting quite trivial huge big "
    "small long short high low fast slow new old cool hot cold"
)
_SPANS: Final = words("two three four five six a an some several many almost these full-time")
_OBJECTS: Final = words("when that if how it you him her them me us what who this these those")
INANIMATE: Final = "thing"


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


def predicate_of(attribute: str) -> str:
    """Return the predicate that an attribute's name stands for: "phone number" is ``phone``."""
    plain = " ".join(attribute.casefold().replace("favourite", "favorite").split())
    return _ATTRIBUTES.get(plain, re.sub(r"[^a-z0-9]+", "_", plain).strip("_"))[:64]


def entity(said: str | int, about: About) -> str | int:
    """Return a value as a thing of the event, where it has a feature of that name."""
    return thing(said, about.features) if isinstance(said, str) else said


def whole(tokens: Sequence[Token], end: int) -> bool:
    """Return whether a name ends where it does: at a mark, or before a word that goes on with something else."""
    return end >= len(tokens) or tokens[end].is_mark or tokens[end].low in phrases.ENDS | phrases.PREPOSITIONS | _SPANS


def goes_on(tokens: Sequence[Token], joint: int) -> bool:
    """Return whether another name follows: "Rome and Paris"."""
    return (
        joint + 1 < len(tokens)
        and tokens[joint].low in {"and", "or"}
        and tokens[joint + 1].is_capital
        and tokens[joint + 1].text != "I"
    )


def tellable(said: str) -> bool:
    """Return whether a phrase says something by itself: it has a letter or a digit, and is not one of judging."""
    low = said.casefold().split()
    return any(each.isalnum() for each in said) and low[0] not in EVALUATED and low[-1] not in EVALUATED


def goes_on_after_comma(tokens: Sequence[Token], end: int) -> bool:
    """Return whether a comma stands between two words of judging: "a light, healthy snack"."""
    return (
        end + 1 < len(tokens)
        and tokens[end].low == ","
        and not tokens[end - 1].low.endswith("s")
        and (
            tokens[end + 1].low not in phrases.ENDS | phrases.PREPOSITIONS | ADVERBS and not tokens[end + 1].is_capital
        )
    )


def is_object(tokens: Sequence[Token], end: int) -> bool:
    """Return whether a word follows that the phrase cannot be understood without: "to play it"."""
    return end < len(tokens) and tokens[end].low in _OBJECTS


def ended(tokens: Sequence[Token], end: int) -> bool:
    """Return whether a phrase ends at a place."""
    return end >= len(tokens) or tokens[end].is_mark or tokens[end].low in phrases.ENDS
