"""Where an output says of a memory that it did not use it, or that it does not hold: such a mention is no use.

The cues are English. A sentence has a bound, and so has what each pattern looks at: all of it is linear.
"""

import re
from itertools import islice
from typing import Final

SENTENCE_CHARS: Final = 400
SENTENCES_MAX: Final = 400
"""So many sentences of an output are read."""

_NOT: Final = r"(?:\b(?:not|never|neither|nor|hardly|no longer)\b|n['\u2019]t\b)"
_THEN_NOT: Final = r"(?:\W{1,3}(?:not|never|neither|nor|hardly|no longer)\b|n['\u2019]t\b)"
_NOUN: Final = r"(?:notes?|records?|memor(?:y|ies)|entr(?:y|ies)|items?|sources?)"
_LABEL: Final = r"\[m\d{1,4}(?:, ?m\d{1,4}){0,9}\]"
_SUBJECT: Final = rf"(?:{_LABEL}|\b(?:that|this|it|which|these|those|they|{_NOUN})\b|[\"'\u201d\u2019)])"
_OBJECT: Final = (
    rf"(?:{_LABEL}|\b(?:the|that|this|those|these|what) (?:\w+ ){{0,2}}?{_NOUN}\b|"
    r"\bwhat (?:was|is|had been|has been) (?:\w+ )?(?:noted|recorded|written|remembered|on record))"
)
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
    rf"|{_SUBJECT}\W{{1,3}}(?:is|was|are|were|seems?|looks?|appears?)\W{{1,3}}(?:\w+\W{{1,3}}){{0,2}}?"
    r"(?:wrong|false|outdated|out of date|stale|obsolete|superseded|mistaken|incorrect|useless|untrue|no use|no help)\b"
    r"|\b(?:concerns?|belongs? to|deals? with|(?:is|are) about) (?:another|a different|some other|something else)\b"
    # It is set aside.
    r"|\b(?:ignor(?:e|ed|es|ing)|disregard(?:ed|s|ing)?|dismiss(?:ed|es|ing)?|discard(?:ed|s|ing)?|skip(?:ped|ping)?|"
    r"forget|never mind|(?:no|little) (?:heed|attention|mind|regard) to|"
    r"distrust(?:ed|s)?|left out|leave out|leaving out|set aside|setting aside|put aside|go by|"
    r"contrary to|contradict(?:s|ed|ing)?|whatever|rather than|instead of|unlike|in spite of|despite)"
    rf"(?:\W{{1,3}}\w+)?\W{{1,3}}{_OBJECT}"
    r"|\b(?:ignore|disregard|forget|skip) (?:it|that|them|those|these)\b"
    rf"|\b(?:set|put|left|leave)\W{{1,3}}{_OBJECT}(?:\W{{1,3}}\w+){{0,2}}?\W{{1,3}}(?:aside|out|unused)\b",
    re.IGNORECASE,
)
_NOT_FROM: Final = re.compile(
    r"\b(?:not|never|nor|neither|without)\b(?:\W+(?:on|from|in|by|of|to|with))?\W{0,9}\Z", re.IGNORECASE
)
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


def denies_label(text: str, begin: int, end: int) -> bool:
    """Return whether the clause around labels, at ``begin`` to ``end`` of a sentence, says that they were not used.

    Where that only names them, as in ``As for [m2], ignore it``, the next one belongs to it. Other labels say nothing.
    """
    before, behind = _OTHERS.sub(_filled, text[:begin]), _OTHERS.sub(_filled, text[end:])
    starts = [match.end() for match in _CLAUSE.finditer(before)]
    before = before[starts[-1] if starts else 0 :]
    stop = _CLAUSE.search(behind)
    if stop is not None and _TOPIC.fullmatch(before):
        stop = _CLAUSE.search(behind, stop.end())
    after = behind[: stop.start() if stop else len(behind)]
    return _NOT_FROM.search(before) is not None or denied(f"{before}[m0]{after}")


def _filled(match: re.Match[str]) -> str:
    return "x" * len(match[0])
