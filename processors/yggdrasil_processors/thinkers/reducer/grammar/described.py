"""Values that are described: things, what somebody has or likes, what somebody is."""

from collections.abc import Sequence
from typing import Final

from . import phrases
from .names import NO_ALLERGY, words
from .subjects import About, Subject
from .tokens import Token, slice_of
from .value import EVALUATED, INANIMATE, Value, entity, goes_on_after_comma, is_object, predicate_of, tellable
from .verbs import ADVERBS, FIRST, Verb

_NO_ROLE: Final = words(
    "bit lot fan mess joke lie shame pity pleasure must problem issue question good great nice bad big huge "
    "little real true such matter piece part way thing kind sort type case reason idea point chance risk pain "
    "dream delight blast best worst only same first last one next other whole right wrong start beginning end "
    "result rest goal plan key perfect amazing beautiful lovely wonderful very really pretty super few couple "
    "while cool interesting fun better person place time day week year month example challenge change step hit "
    "steal bargain treat difference most more bunch guy girl man woman thick one older sucker name choice classic"
)
_ROLE_STOPS: Final = words("at for in of with on")
_JOINED: Final = frozenset({"of", "for"})


def described_thing(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return a thing that is described: "a golden retriever"."""
    found = phrases.noun(sentence, tokens, begin)
    if found is None or phrases.is_time(tokens[begin : found[1]]) or not tellable(found[0]):
        return None
    return Value(verb.predicate, [entity(found[0], about)], found[1])


def listed_things(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return the things of a list, each a value: "Redis, Kafka and Postgres"."""
    found = phrases.listed(sentence, tokens, begin)
    if found is not None and found[1] < len(tokens) and tokens[found[1]].low == "and" and _names(tokens, found[1] + 1):
        return None
    if found is None or not all(map(tellable, found[0])):
        return None
    return Value(verb.predicate, [entity(one, about) for one in found[0]], found[1])


def _names(tokens: Sequence[Token], begin: int) -> bool:
    """Return whether what follows an "and" is more of a list, and no clause of its own."""
    if begin >= len(tokens) or tokens[begin].is_mark:
        return False
    return tokens[begin].low not in FIRST | phrases.ENDS | phrases.DETERMINERS | ADVERBS


def counted(
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
    if (
        found is None
        or len(found[0].split()) > phrases.PHRASE_WORDS_MAX
        or not tellable(found[0].split()[-1])
        or found[0].split()[0].casefold() in _NO_ROLE
    ):
        return None
    if phrases.is_time(tokens[begin : found[1]]) or (number is not None and " " not in found[0]) or len(found[0]) < 2:
        return None
    return None if goes_on_after_comma(tokens, found[1]) else Value(verb.predicate, [found[0]], found[1])


def _sized(sentence: str, tokens: Sequence[Token], begin: int) -> Value | None:
    """Return an attribute with its size: "a limit of 200 requests"."""
    end = phrases.phrase_end(tokens, begin, phrases.ENDS | phrases.PREPOSITIONS)
    if not 1 < end - begin <= 4 or end + 1 >= len(tokens) or tokens[end].low != "of":
        return None
    size = phrases.amount(sentence, tokens, end + 1)
    return (
        None if size is None else Value(predicate_of(slice_of(sentence, tokens[begin + 1 : end])), [size[0]], size[1])
    )


def activity(
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
    if found is None or not tellable(found[0]) or is_object(tokens, found[1]):
        return None
    alone = " " not in found[0] and not found[0][0].isupper()
    if alone and (
        tokens[begin].low == "the"
        or (found[0].endswith("ing") and tokens[found[1] : found[1] + 1] and tokens[found[1]].low == "and")
    ):
        return None
    said = found[0] if found[0][:1] != "I" or len(found[0]) > 1 else ""
    return Value(verb.predicate, [said], found[1])


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


def role(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what somebody or something is: "a nurse", "freshman at Stanford University"."""
    first = begin + (tokens[begin].low in {"a", "an", "the"})
    if verb.predicate == "is_a" and tokens[begin - 1].low == "the" and subject.sort == INANIMATE:
        return None
    end = phrases.phrase_end(tokens, first, phrases.ENDS | (phrases.PREPOSITIONS - _ROLE_STOPS))
    said = tokens[first:end]
    if (
        not 0 < len(said) <= phrases.PHRASE_WORDS_MAX
        or any(token.low in _NO_ROLE for token in said[:3])
        or said[-1].low in _NO_ROLE
    ):
        return None
    if (subject.sort == INANIMATE and any(token.low in EVALUATED for token in said)) or goes_on_after_comma(
        tokens, end
    ):
        return None
    if end < len(tokens) and tokens[end].low == "-" and tokens[end].end - tokens[end].start == 1 and len(said) == 1:
        return None
    if said[-1].low in phrases.PREPOSITIONS or said[0].low.endswith("ing") or phrases.NUMBER.fullmatch(said[0].low):
        return None
    return Value(verb.predicate, [slice_of(sentence, said)], end) if tellable(slice_of(sentence, said)) else None


def allergen(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what somebody is allergic to."""
    found = phrases.noun(sentence, tokens, begin)
    if (
        found is None
        or found[0].casefold().split()[0] in NO_ALLERGY
        or (found[1] < len(tokens) and tokens[found[1]].low in {"who", "that"})
    ):
        return None
    return Value(verb.predicate, [found[0].casefold()], found[1])


def described_text(
    sentence: str, tokens: Sequence[Token], begin: int, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return what something is called."""
    found = phrases.noun(sentence, tokens, begin)
    return None if found is None else Value(verb.predicate, [found[0]], found[1])
