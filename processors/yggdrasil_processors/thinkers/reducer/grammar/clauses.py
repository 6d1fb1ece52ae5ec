"""What a sentence says: a subject, a verb of the table, and its value; clause by clause."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..sentences import SENTENCE_CHARS_MAX
from . import phrases
from .changes import Found, headlined, located, reached, transferred
from .doubts import doubted, is_statement
from .names import words
from .said import Said
from .subjects import About, Subject, as_many, subject_of, whole
from .tokens import Token, tokens_of
from .value import Value
from .values import OF_ATTRIBUTES, value_of
from .verbs import ADVERBS, FIRST, VERBS, WORDS_MAX, Verb

SUBJECT_WORDS_MAX: Final = 9
_OPENERS: Final = words(
    "um uh er hmm right so and but so because since although though whereas while as plus also that cos cuz well "
    "anyway basically fyi yes yeah oh hi hello hey ok okay now today btw update note then luckily fortunately "
    "honestly frankly personally sadly unfortunately interestingly surprisingly obviously clearly importantly "
    "additionally ultimately incidentally accordingly meanwhile however"
)
_LEADING: Final = words("since because as although though while whereas")
_FRONTED_SUBJECT_MAX: Final = 6
_FRONTED: Final = words("since as of on from in by at starting")
_OWNED_WORDS_MAX: Final = 4
_FINITE: Final = words("is are was were has have had 's does did will would can could")
_RELATIVE: Final = words("which who that")
_SUBORDINATE: Final = words(
    "and but so because since although though whereas while as plus that which who fyi note update where know "
    "noticed learned learnt realised realized confirmed remember out"
)


_NOTED: Final = (Verb("attribute", "any", "attribute"),)
"""A colon stands for "is" behind an attribute: "Deadline for the report: Friday"."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A verb where it stands: its words from ``begin`` to ``end``, and what they may say."""

    begin: int
    end: int
    verbs: tuple[Verb, ...]


def statements(sentence: str, about: About, it: Subject | None = None) -> Iterator[tuple[Said, Subject]]:
    """Yield what a sentence, as ``spelt``, says, with whom each speaks of.

    ``it`` is what the sentence before was about: of that alone "it", "he" and "she" speak. One of more than 300
    characters says nothing.
    """
    if len(sentence) > SENTENCE_CHARS_MAX or not is_statement(sentence):
        return
    tokens = tokens_of(sentence)
    verbs = list(_verbs(tokens))
    carried = it
    done = 0
    for begin in _starts(tokens):
        if begin < done or _joins_names(tokens, begin, verbs):
            continue
        found = _clause(sentence, tokens, begin, verbs, about, carried)
        if found is None:
            carried = _pending(sentence, tokens, begin, about) or carried
            continue
        subject, said, end = found
        done = end if said else done
        for one in said:
            yield one, subject
        carried = subject


def _joins_names(tokens: Sequence[Token], begin: int, verbs: Sequence[_Found]) -> bool:
    """Return whether an "and" before a clause joins it to a name: "ham and eggs are" is one clause."""
    return begin > 1 and tokens[begin - 1].low in {"and", "or"} and not any(found.begin < begin for found in verbs)


def _starts(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield where a clause may begin: at the beginning, behind a mark, and behind a word that joins clauses."""
    for place in range(len(tokens)):
        if place == 0 or tokens[place - 1].is_mark or tokens[place - 1].low in _SUBORDINATE:
            begin = place
            while begin < len(tokens) and (tokens[begin].low in _OPENERS | ADVERBS or tokens[begin].low == ","):
                begin += 1
            begin = _after_time(tokens, begin)
            if begin < len(tokens):
                yield begin


def _after_time(tokens: Sequence[Token], begin: int) -> int:
    """Return where a clause begins behind a time that stands before it: "Since May I work there"."""
    first = begin
    while first < len(tokens) and tokens[first].low in _FRONTED:
        first += 1
    timed = phrases.timed(tokens[first:])
    end = first + timed if timed else begin
    return end + (begin < end < len(tokens) and tokens[end].low == ",")


def _verbs(tokens: Sequence[Token]) -> Iterator[_Found]:
    """Yield the verbs of a sentence where they stand, the longest wording at each place."""
    for begin, token in enumerate(tokens):
        if token.low in FIRST:
            yield from _verb_at(tokens, begin)
        elif token.low == ":" and begin + 1 < len(tokens):
            yield _Found(begin, begin + 1, _NOTED)


def _verb_at(tokens: Sequence[Token], begin: int) -> Iterator[_Found]:
    """Yield the wordings that begin at a place, the longest first; adverbs between their words are passed over."""
    said: list[str] = []
    found: list[_Found] = []
    for place in range(begin, min(begin + WORDS_MAX + 2, len(tokens))):
        if said and (
            tokens[place].low in ADVERBS or (tokens[place].low.endswith("ly") and not tokens[place].is_capital)
        ):
            continue
        said.append(tokens[place].low)
        if verbs := VERBS.get(tuple(said)):
            end = place + 1
            while end < len(tokens) and tokens[end].low in ADVERBS:
                end += 1
            found.append(_Found(begin, end, verbs))
        if len(said) == WORDS_MAX:
            break
    yield from reversed(found)


def _clause(
    sentence: str, tokens: Sequence[Token], begin: int, verbs: Sequence[_Found], about: About, carried: Subject | None
) -> Found | None:
    """Return what the clause that begins at a place says, of whom, and where it ends; it may say nothing."""
    spoken: Subject | None = None
    for found in verbs:
        if not begin <= found.begin <= begin + SUBJECT_WORDS_MAX:
            continue
        if tokens[found.begin].low == "'s" and _owns(tokens, found.end):
            continue
        before = list(tokens[begin : found.begin])
        while before and before[-1].low in ADVERBS:
            before.pop()
        subject, at = _of(sentence, tokens, begin, before, about, carried), begin
        if subject is None:
            subject, at = _behind_fronted(sentence, tokens, begin, before, about)
        if subject is None:
            continue
        spoken = spoken or subject
        for verb in found.verbs:
            meant = subject if verb.sort in OF_ATTRIBUTES else whole(subject)
            if verb.number == "many" and begin == 0 and meant is not None:
                meant = as_many(meant)
            if meant is None:
                continue
            value = _agreed(sentence, tokens, found, verb, meant, about)
            if value is None or doubted(tokens, (at, value.end), (found.begin, found.end)):
                continue
            name = value.subject or _name(meant, verb)
            said = [Said(name, value.predicate, each, value.qualifiers) for each in value.objects]
            if all(one.object != one.subject for one in said):
                return subject, said, value.end
    moved = transferred(sentence, tokens, begin, about) or located(sentence, tokens, begin, about)
    moved = moved or reached(sentence, tokens, begin, about) or headlined(sentence, tokens, begin, about)
    return moved or (None if spoken is None else (spoken, [], begin))


def _behind_fronted(
    sentence: str, tokens: Sequence[Token], begin: int, before: Sequence[Token], about: About
) -> tuple[Subject | None, int]:
    """Return the subject behind words that stand before a clause, and where it begins: "By now the cache ..."."""
    leads = tokens[begin].low in phrases.PREPOSITIONS | {"as"} or (begin > 0 and tokens[begin - 1].low in _LEADING)
    if leads and before:
        for size in range(min(len(before) - 1, _FRONTED_SUBJECT_MAX), 0, -1):
            head = before[-size]
            named = before[-1].is_capital and not before[-1].text.isupper() and not head.is_capital
            if (head.is_capital or head.low in {"the", "our", "my"}) and not named:
                found = subject_of(sentence, before[-size:], about, first=False)
                if found is not None:
                    return found, begin + len(before) - size
    return None, begin


def _owns(tokens: Sequence[Token], begin: int) -> bool:
    """Return whether what follows an "'s" is owned, since a verb comes behind it: "Ana's phone is"."""
    for token in tokens[begin : begin + _OWNED_WORDS_MAX]:
        if token.is_mark:
            return False
        if token.low in _FINITE:
            return True
    return False


def _of(
    sentence: str, tokens: Sequence[Token], begin: int, before: list[Token], about: About, carried: Subject | None
) -> Subject | None:
    """Return the subject that words before a verb name, or what they go on about."""
    if not before or (len(before) == 1 and before[0].low in _RELATIVE):
        return _antecedent(sentence, tokens, begin, about) or carried
    if len(before) == 1 and carried is not None and not carried.attribute:
        if before[0].low == "it" and carried.sort == "thing":
            return carried
        if before[0].low in {"he", "she"} and carried.sort in {"person", "name"}:
            return carried
    return subject_of(sentence, before, about, first=begin == 0)


def _antecedent(sentence: str, tokens: Sequence[Token], begin: int, about: About) -> Subject | None:
    """Return what stands before "who" or "which": the longest of the words before that name something."""
    end = begin
    if tokens[begin].low not in _RELATIVE and begin and tokens[begin - 1].low in _RELATIVE:
        end = begin - 1
    if tokens[end].low not in _RELATIVE:
        return None
    if end and tokens[end - 1].low in {",", "(", "-"}:
        end -= 1
    for size in range(min(SUBJECT_WORDS_MAX, end), 0, -1):
        found = subject_of(sentence, tokens[end - size : end], about, first=end == size)
        if found is not None:
            return None if found.attribute else found
    return None


def _pending(sentence: str, tokens: Sequence[Token], begin: int, about: About) -> Subject | None:
    """Return what stands alone before a mark, and what follows speaks of: "Mia, who leads sales, ..."."""
    end = begin
    while end < len(tokens) and not tokens[end].is_mark and end - begin <= SUBJECT_WORDS_MAX:
        end += 1
    if end >= len(tokens) or tokens[end].low not in {",", "(", "-"}:
        return None
    return subject_of(sentence, tokens[begin:end], about, first=begin == 0)


def _agreed(
    sentence: str, tokens: Sequence[Token], found: _Found, verb: Verb, subject: Subject, about: About
) -> Value | None:
    """Return the value behind a verb, if that may be said of the subject in this form."""
    if not subject.attribute and {verb.of, subject.sort} == {"person", "thing"}:
        return None
    if subject.attribute and verb.of == "person":
        return None
    if not subject.met and (
        verb.known or (verb.of == "any" and verb.sort != "owned" and subject.sort == "name" and not subject.attribute)
    ):
        return None
    speaks = subject.speaks
    if (verb.number == "I" and not speaks) or (speaks and verb.number == "one" and tokens[found.begin].low != "'s"):
        return None
    if not speaks and ((verb.number == "many") != subject.many) and verb.number in {"one", "many"}:
        return None
    return value_of(sentence, tokens, found.end, verb, subject, about)


def _name(subject: Subject, verb: Verb) -> str:
    """Return a subject's name: one that was never met is a person where only persons do that, and else a thing."""
    if subject.sort == "name" and (verb.of == "thing" or verb.predicate == "is_a"):
        return f"thing:{subject.name.partition(':')[2]}"
    return subject.name
