"""Where an output says of a memory that it did not use it, or that it does not hold: such a mention is no use.

The cues are English. A sentence has a bound, and so has what each pattern looks at: all of it is linear.
"""

import re
from bisect import bisect_right
from itertools import islice
from typing import Final

SENTENCE_CHARS: Final = 400
SENTENCES_MAX: Final = 400
"""So many sentences of an output are read."""

_NOT: Final = r"(?:\b(?:not|never|neither|nor|hardly|no longer)\b|n['\u2019]t\b)"
_THEN_NOT: Final = r"(?:\W{1,3}(?:not|never|neither|nor|hardly|no longer)\b|n['\u2019]t\b)"
_NOUN: Final = r"(?:notes?|records?|memor(?:y|ies)|entr(?:y|ies)|items?|sources?)"
_RECORD: Final = r"(?:notes?|records?|memor(?:y|ies)|entr(?:y|ies)|sources?)"
_WRONG: Final = (
    r"(?:wrong|false|outdated|out of date|stale|obsolete|superseded|mistaken|incorrect|useless|untrue|no use|no help)\b"
)
_LABEL: Final = r"\[m\d{1,4}(?:, ?m\d{1,4}){0,9}\]"
_SUBJECT: Final = rf"(?:{_LABEL}|\b(?:that|this|it|which|these|those|they|{_NOUN})\b|[\"'\u201d\u2019)])"
_OBJECT: Final = (
    rf"(?:{_LABEL}|\b(?:the|that|this|those|these|what) (?:\w+ ){{0,2}}?{_NOUN}\b|"
    r"\bwhat (?:was|is|had been|has been) (?:\w+ )?(?:noted|recorded|written|remembered|on record))"
)
_UNTOLD: Final = r"(?<!\bnot )(?<!\bnever )(?<!n['\u2019]t )"  # whoever is not to forget it is to use it
_DENIAL: Final = re.compile(
    # It has nothing to do with the matter.
    r"\b(?:irrelevant|unrelated|immaterial|inapplicable|off[- ]topic|beside the point|out of scope)\b"
    rf"|{_NOT}\W{{1,3}}(?:\w+\W{{1,3}})?(?:relevant|pertinent|related|applicable)\b"
    r"|\b(?:nothing|little) to do with\b|\bno (?:bearing|relevance)\b|\bof no (?:use|help)\b"
    # Whoever speaks did not use it.
    rf"|\bI\b(?:\W{{1,3}}\w+){{0,2}}?{_THEN_NOT}\W{{1,3}}(?:\w+\W{{1,3}}){{0,2}}?"
    r"(?:use|used|rely|relied|consider|considered|need|needed|follow|followed|draw|drew|trust|count|take|took)\b"
    rf"|\b(?:was|were){_THEN_NOT}\W{{1,3}}(?:\w+\W{{1,3}})?(?:used|needed|considered|relied|consulted|helpful|useful)\b"
    r"|\bwithout (?:using|relying)\b"
    # It does not hold, or does not help.
    rf"|{_SUBJECT}(?:\W{{1,3}}\w+){{1,2}}?{_THEN_NOT}\W{{1,3}}(?:\w+\W{{1,3}}){{0,2}}?"
    r"(?:apply|help|matter|hold|stand|answer|concern|count|true|correct|accurate|valid|useful|helpful|current|needed|"
    r"the case|about|the answer)\b"
    rf"|{_SUBJECT}\W{{1,3}}(?:no longer|hardly|never)\W{{1,3}}(?:applies|holds|stands|helps|counts|matters)\b"
    rf"|{_SUBJECT}\W{{1,3}}(?:is|was|are|were|seems?|looks?|appears?|to be)\W{{1,3}}(?:\w+\W{{1,3}}){{0,2}}?{_WRONG}"
    # It does not say it.
    rf"|\bnone of (?:(?:the|these|those|my|what) (?:\w+ ){{0,2}}?{_NOUN}\b|{_LABEL})"
    rf"|(?:{_LABEL}|\b(?:that|this|the|these|those) (?:\w+ )?{_RECORD}\b)\W{{1,3}}(?:do|does|did){_THEN_NOT}"
    r"\W{1,3}(?:\w+\W{1,3})?(?:say|mention|tell|contain|answer|cover|address)\b"
    r"|\b(?:concerns?|belongs? to|deals? with|(?:is|are) about) (?:another|a different|some other|something else)\b"
    # It is set aside.
    rf"|\b(?:{_UNTOLD}(?:ignor(?:e|ed|es|ing)|disregard(?:ed|s|ing)?|dismiss(?:ed|es|ing)?|forget|"
    r"discard(?:ed|s|ing)?|skip(?:ped|ping)?)|never mind|(?:no|little) (?:heed|attention|mind|regard) to|"
    r"distrust(?:ed|s)?|left out|leave out|leaving out|set aside|setting aside|put aside|go by|"
    r"contrary to|contradict(?:s|ed|ing)?|whatever|rather than|instead of|unlike|in spite of|despite)"
    rf"(?:\W{{1,3}}\w+)?\W{{1,3}}{_OBJECT}"
    rf"|{_UNTOLD}\b(?:ignore|disregard|forget|skip) (?:it|that|them|those|these)\b"
    rf"|\b(?:set|put|left|leave)\W{{1,3}}{_OBJECT}(?:\W{{1,3}}\w+){{0,2}}?\W{{1,3}}(?:aside|out|unused)\b",
    re.IGNORECASE,
)
_NOT_FROM: Final = re.compile(
    r"\b(?:not|never|nor|neither|without|none of)\b(?:\W+(?:on|from|in|by|of|to|with))?\W{0,9}\Z", re.IGNORECASE
)
_ANY_NOT: Final = re.compile(_NOT, re.IGNORECASE)
_WITHOUT: Final = re.compile(r"\bwithout\W{0,9}\Z", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"(?:which|(?:but |and )?(?:that|this|it)) (?:is|was|seems?|looks?|turned out)"
    rf"\W{{1,3}}(?:\w+\W{{1,3}}){{0,2}}?{_WRONG}",
    re.IGNORECASE,
)  # what a clause behind a label says of it
_TOPIC: Final = re.compile(r"\W{0,3}(?:as (?:for|to)|regarding|concerning|about)\W{0,3}", re.IGNORECASE)
_OTHERS: Final = re.compile(r"\[m\d{1,4}[^\[\]]{0,60}\]")
_BACKWARD: Final = re.compile(
    r"(?:that|this|it|which|these|those|they|both|the (?:former|latter)|the (?:note|record|memory) (?:is|was))\b",
    re.IGNORECASE,
)
_BACKWARD_WORDS: Final = 8  # a longer one is about something else
_ENDS: Final = re.compile(  # not behind Dr. and the like
    r"(?<=[.!?])(?<!\b[A-Z][a-z][.])(?<!\b[A-Z][.])(?<!\bMrs[.])\s|(?<=[.!?][\"'\u201d\u2019)\]])\s|\n"
    "|(?<=[\u3002\uff01\uff1f\u0964\u06d4])"
)
_ONE_BY_ONE: Final = 4  # so many mentions in one clause
_CLAUSE: Final = re.compile(
    r"[;:\n]|[.!?](?=\s|\Z)|,\s|\s(?:but|while|whereas|although|though|yet|and|so)\s", re.IGNORECASE
)


def sentences_of(output: str) -> list[str]:
    """Return the sentences of an output, the first 400 of them, each of at most 400 characters.

    A colon ends none: what is quoted behind it belongs to who says what of it.
    """
    found: list[str] = []
    for said in islice(_ENDS.split(output), SENTENCES_MAX):
        text = said.strip()
        found += [text[at : at + SENTENCE_CHARS] for at in range(0, len(text), SENTENCE_CHARS)]
    return found[:SENTENCES_MAX]


def denied(sentence: str) -> bool:
    """Return whether a sentence says of something that it was not used, or does not hold."""
    return _DENIAL.search(sentence) is not None


def told(found: list[str]) -> list[str]:
    """Return the sentences that say something by themselves: not one that denies, nor what it looks back at.

    ``The note says nine. That is out of date.`` tells nothing.
    """
    kept: list[str] = []
    for sentence in found:
        if not denied(sentence):
            kept.append(sentence)
        elif kept and _BACKWARD.match(sentence) and len(sentence.split()) <= _BACKWARD_WORDS:
            kept.pop()
    return kept


class Labelled:
    """A sentence with labels, and which of them it says were not used. Other labels say nothing of one."""

    def __init__(self, sentence: str) -> None:
        self._text = _OTHERS.sub(_filled, sentence)
        self._ends = [match.end() for match in _CLAUSE.finditer(self._text)]
        self._seen = dict[tuple[int, int], int]()
        self._denied = dict[tuple[int, int], bool]()

    def denies(self, begin: int, end: int) -> bool:
        """Return whether the clause around labels, at ``begin`` to ``end``, says that they were not used.

        Where that only names them, as in ``As for [m2], ignore it``, the next one belongs to it. Of a clause with many
        labels the first four are looked at one by one, and for the rest one verdict holds: so all of it is linear.
        """
        at = bisect_right(self._ends, begin)
        start = self._ends[at - 1] if at else 0
        if begin and self._text[begin - 1] in ".!?":
            start = begin
        before = self._text[start:begin]
        stop = _CLAUSE.search(self._text, end)
        if stop is not None and _TOPIC.fullmatch(before):
            stop = _CLAUSE.search(self._text, stop.end())
        clause = (start, stop.start() if stop else len(self._text))
        self._seen[clause] = self._seen.get(clause, 0) + 1
        if self._seen[clause] > _ONE_BY_ONE:
            if clause not in self._denied:
                self._denied[clause] = denied(self._text[slice(*clause)])
            return self._denied[clause]
        if stop is not None and _ASIDE.match(self._text, stop.end() - len(stop[0].lstrip(" ,;"))):
            return True
        if _NOT_FROM.search(before):
            without = _WITHOUT.search(before)
            return without is None or _ANY_NOT.search(before, 0, without.start()) is None  # not without is with
        return denied(f"{before}[m0]{self._text[end : clause[1]]}")


def _filled(match: re.Match[str]) -> str:
    return "x" * len(match[0])
