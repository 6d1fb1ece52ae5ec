"""What stands before a verb: a person, a thing by its name, what somebody has, or an attribute of something."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

from yggdrasil_schemas.names import name_in_words

from .names import CAPITALISED, SYSTEM_NOUNS, is_no_name, person, speaker, system, words
from .phrases import DETERMINERS, PREPOSITIONS
from .tokens import Token, slice_of
from .verbs import ADVERBS

THING_WORDS_MAX: Final = 6
NAME_CHARS_MAX: Final = 80
"""Of a thing: a longer name is a sentence."""
PARTICLES: Final = words("de da di do dos la le van von der del al bin")
_TITLES: Final = words("dr prof mr mrs ms")
_NO_NOUN: Final = words(
    "i you he she it we they me him her us them who whom whose which what that this these those there here and or "
    "but so if because since while when where as than then is are am was were be been being do does did has have "
    "had will would can could should may might must shall not no nor yes told said asked thinks thought says 's "
    "'re 'm 've 'll 'd n't to everyone everybody someone somebody anyone nobody nothing something anything "
    "everything none um uh er mm hmm mean know cause cuz bc"
)
_VAGUE_HEADS: Final = words(
    "thing things one ones way ways idea ideas problem problems issue issues question questions point points part "
    "parts rest other others people guys time times day days weather reason case fact matter kind sort bit lot "
    "whole same latter former best worst good bad new old first last next second half truth result answer place "
    "stuff"
)
_DIGRESSIVE: Final = words(
    "old new whole entire first second same other actual wrong only next last previous another big small "
    "following relevant affected remote local latter former future usual average typical respective latest "
    "current"
)
RELATIVES: Final = words(
    "mother father mom dad mum sister brother wife husband son daughter partner boyfriend girlfriend friend boss "
    "manager ex uncle aunt cousin roommate grandma grandpa grandmother grandfather kid kids parents family fiance "
    "colleague"
)
_GROUPS: Final = words("team group company department office family class")
_SORTS: Final = frozenset(SYSTEM_NOUNS.split("|"))


@dataclass(frozen=True, slots=True)
class Subject:
    """Of whom or what is spoken: its name as a feature; ``sort`` is "person" or "thing".

    ``attribute`` is what of it is meant, as in "Ana's phone"; ``many`` says whether there are several, ``met``
    whether it is known from elsewhere, and ``speaks`` whether it is called "I".
    """

    name: str
    sort: str
    attribute: str = ""
    many: bool = False
    met: bool = True
    speaks: bool = False


@dataclass(frozen=True, slots=True)
class About:
    """What is known where a sentence is said: the ``features`` of its event, and the names that were met before."""

    features: Sequence[str]
    known: Container[str]


def subject_of(sentence: str, tokens: Sequence[Token], about: About, *, first: bool) -> Subject | None:
    """Return what some words name as a subject; None where they name nothing that can be told apart.

    ``first``: they begin the sentence, so that the capital letter of the first says nothing.
    """
    if tokens and tokens[0].low.rstrip(".") in _TITLES:
        tokens = [token for token in tokens[1:] if token.low != "."]
    if not 0 < len(tokens) <= 2 * THING_WORDS_MAX or any(token.is_mark for token in tokens):
        return None
    if len(tokens) == 1 and tokens[0].text == "I":
        who = speaker(about.features)
        return None if who is None else Subject(who, "person", speaks=True)
    if tokens[0].low == "my":
        who = speaker(about.features)
        return None if who is None else _owned(sentence, who, "person", tokens[1:])
    owner = next((place for place, token in enumerate(tokens) if token.low == "'s"), 0)
    if owner:
        whose = subject_of(sentence, tokens[:owner], about, first=first)
        return (
            None if whose is None or whose.attribute else _owned(sentence, whose.name, whose.sort, tokens[owner + 1 :])
        )
    return _named(sentence, tokens, about, first=first) or _described(sentence, tokens, about, first=first)


def _owned(sentence: str, owner: str, sort: str, tokens: Sequence[Token]) -> Subject | None:
    """Return an attribute of a person or thing: "phone", "favourite colour"."""
    said = [token for token in tokens if token.low not in {"new", "current", "own", "actual", "latest"}]
    if not 0 < len(said) <= 4 or not _is_noun(said) or said[-1].low in _VAGUE_HEADS:
        return None
    return Subject(owner, sort, slice_of(sentence, said), many=_is_many(said))


def _named(sentence: str, tokens: Sequence[Token], about: About, *, first: bool) -> Subject | None:
    """Return a person or thing by its name."""
    text = slice_of(sentence, tokens)
    known = system(text, about.features)
    if known is not None and not text.lower().startswith("the "):
        return Subject(known, "person" if known.startswith(_PERSONAL) else "thing")
    if len(tokens) > 5 or not all(CAPITALISED.fullmatch(token.text) or token.low in PARTICLES for token in tokens):
        return None
    if tokens[0].low in PARTICLES or (is_no_name(text) and not (len(tokens) > 1 and not first)):
        return None
    who = person(text, about.features)
    low = text.casefold()
    if who is not None and (who in about.known or not who.startswith("person:")):
        return Subject(who, "person")
    if (thing := f"thing:{low}") in about.known:
        return Subject(thing, "thing")
    told = len(tokens) > 1 or text.isupper() or not text.isalpha()
    return None if who is None else Subject(who, "name", met=told)


_PERSONAL: Final = ("person:", "user:", "customer:", "contact:")


def _described(sentence: str, tokens: Sequence[Token], about: About, *, first: bool) -> Subject | None:
    """Return a thing by what it is called: "the staging database", "pay.py", "the deadline for the report"."""
    article = tokens[0].low in {"the", "our", "all"}
    said = tokens[1:] if article else tokens
    link = next((place for place, token in enumerate(said) if token.low in {"of", "for"}), 0)
    noted = first and len(tokens) > 1 and tokens[0].is_capital
    if (article or noted) and link and (rest := _attribute(sentence, said, link, about)) is not None:
        return rest
    if not 0 < len(said) <= THING_WORDS_MAX or not _is_noun(said) or said[-1].low in _VAGUE_HEADS | RELATIVES:
        return None
    if (len(said) == 1 and said[0].low in _SORTS | _GROUPS) or said[0].low in _DIGRESSIVE:
        return None
    many = _is_many(said)
    if not article and not (_is_identifier(said[0].text) or (first and many and len(said) <= 3 and _plain(said[1:]))):
        return None
    name = thing_named(slice_of(sentence, said), about.features)
    return None if name is None else Subject(name, "thing", many=many)


def as_many(subject: Subject) -> Subject:
    """Return a name that begins a sentence and was never met as several things, where it may be: "Invoices are due"."""
    name = name_in_words(subject.name)
    if subject.sort != "name" or not name.endswith("s") or " " in name:
        return subject
    return Subject(f"thing:{name}", "thing", many=True)


def whole(subject: Subject) -> Subject | None:
    """Return what somebody has as a thing by itself: "Ana's laptop"; None for "Ana's sister"."""
    if not subject.attribute:
        return subject
    if subject.attribute.casefold().split()[-1] in RELATIVES:
        return None
    owner = name_in_words(subject.name)
    return Subject(f"thing:{owner}'s {subject.attribute.casefold()}"[:NAME_CHARS_MAX], "thing", many=subject.many)


def _attribute(sentence: str, said: Sequence[Token], link: int, about: About) -> Subject | None:
    """Return an attribute of something: "the deadline for the report"."""
    noun, of = said[:link], said[link + 1 :]
    if not of or len(noun) > 3 or not _is_noun(noun) or noun[-1].low in _VAGUE_HEADS:
        return None
    whole = subject_of(sentence, of, about, first=False)
    if whole is None and of[0].low not in DETERMINERS and _is_noun(of) and len(of) <= THING_WORDS_MAX:
        name = thing_named(slice_of(sentence, of), about.features)
        whole = None if name is None else Subject(name, "thing")
    if whole is None or whole.attribute:
        return None
    return Subject(whole.name, whole.sort, slice_of(sentence, noun), many=_is_many(noun))


def thing_named(text: str, features: Sequence[str]) -> str | None:
    """Return a thing as a subject: a feature of its name, a system by its sort, or else ``thing:`` and the name."""
    plain = " ".join(text.split()).casefold()
    for article in ("the ", "our ", "a ", "an "):
        plain = plain.removeprefix(article)
    if not plain or len(plain) > NAME_CHARS_MAX or not plain.isprintable():
        return None
    known = system(plain, features) or (system(f"the {plain}", features) if plain.count(" ") == 1 else None)
    return known or f"thing:{plain}"


def _is_noun(said: Sequence[Token]) -> bool:
    """Return whether words may be a noun: none of them is a pronoun, a verb of help, or goes on with something else."""
    return all(
        token.low not in _NO_NOUN and token.low not in DETERMINERS
        and (token.low not in PREPOSITIONS or (0 < place < len(said) - 1 and token.low in {"of", "in", "on", "for"}))
        and token.low not in ADVERBS
        for place, token in enumerate(said)
    )  # fmt: skip


def _is_many(said: Sequence[Token]) -> bool:
    head = next((place for place, token in enumerate(said) if token.low in PREPOSITIONS), len(said)) - 1
    low = said[max(head, 0)].low
    return (low.endswith("s") and not low.endswith(("ss", "us", "is")) and not said[max(head, 0)].is_capital) or (
        low.endswith("s") and head == 0 and len(low) > 4 and not low.endswith(("ss", "us", "is"))
    )


def _is_identifier(word: str) -> bool:
    """Return whether a word is a name as programs have them: "pay.py", "checkout-api", "OPS-12"."""
    return any(mark in word[1:-1] for mark in "-_./") and any(each.isalpha() for each in word) and "'" not in word


def _plain(said: Sequence[Token]) -> bool:
    return all(not token.is_capital for token in said)
