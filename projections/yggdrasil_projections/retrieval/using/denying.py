"""Where an output says of a memory that it did not use it, or that it does not hold: such a mention is no use.

The cues are English. Each pattern looks at most at so many characters behind a word, so all of it is linear.
"""

import re
from typing import Final

from ..text.passages import sentences

SENTENCE_CHARS: Final = 400
SENTENCES_MAX: Final = 400
"""So many sentences of an output are read."""

_USED: Final = (
    r"(?:us(?:e|ed|ing|eful)|rel(?:y|ied|ying|evant)|appl(?:y|ies|ied|icable)|need(?:ed)?|help(?:s|ed|ful)?|consider(?:ed)?|"
    r"follow(?:ed|ing)?|draw(?:n|ing)?|drew|count(?:ed)?|trust(?:ed)?|matter(?:s|ed)?|bear(?:s|ing)?|concern(?:s|ed)?|"
    r"hold(?:s)?|stand(?:s)?|true|correct|accurate|valid|relate(?:s|d)?|answer(?:s|ed)?|pertinent|contribut(?:e|es|ed)|"
    r"t(?:ake|ook|aken)(?: it| them| this| that)? into account|play(?:s|ed)? (?:no|a|any) (?:part|role)|about this|"
    r"the case)"
)
_NOT: Final = r"(?:\b(?:not|never|neither|nor|no longer|cannot|hardly|nothing|none|without)\b|n['\u2019]t\b)"
_DENIAL: Final = re.compile(
    rf"{_NOT}(?:\W+\w+){{0,4}}?\W+{_USED}\b"
    r"|\b(?:ignor(?:e|ed|es|ing)|disregard(?:ed|s|ing)?|irrelevant|unrelated|inapplicable|immaterial|obsolete|outdated|"
    r"superseded|mistaken|incorrect|discard(?:ed|s|ing)?|dismiss(?:ed|es|ing)?|useless|off[- ]topic|untrue)\b"
    r"|\b(?:set|put|left|leave|leaving|setting|putting) (?:\w+ ){0,3}?(?:aside|out|unused)\b"
    r"|\bout of date\b|\bno (?:use|help|bearing|relevance|part|role|longer)\b|\bbeside the point\b"
    r"|\b(?:is|was|are|were) (?:plainly |simply |clearly |just )?(?:wrong|false|stale)\b"
    r"|\b(?:nothing|little) to do with\b|\b(?:contrary to|contradict(?:s|ed|ing)?|in spite of|despite)\b"
    r"|\b(?:rather than|instead of|unlike)\W+(?:\w+\W+){0,3}?(?=\[m)"
    r"|\b(?:something|somewhere|someone|a) (?:else|different matter)\b",
    re.IGNORECASE,
)
_NOT_FROM: Final = re.compile(
    r"\b(?:not|never|nor|neither|without)\b(?:\W+(?:on|from|in|by|of|to|with))?\W{0,9}\Z", re.IGNORECASE
)
_CLAUSE: Final = re.compile(
    r"(?:[;:\n]|[.!?](?=\s|\Z)|,\s|\s(?:but|while|whereas|although|though|yet|and|so)\s)"
    r"(?!\s?(?:and |or |nor )?\[m\d)",  # a list of labels is one clause
    re.IGNORECASE,
)
_BACKWARD: Final = re.compile(
    r"(?:that|this|it|which|they|those|these|both|the (?:former|latter|note|record|memory))\b", re.IGNORECASE
)


def sentences_of(output: str) -> list[str]:
    """Return the sentences of an output, the first 400 of them, each of at most 400 characters."""
    return [output[begin:end] for begin, end in sentences(output, SENTENCE_CHARS)[:SENTENCES_MAX]]


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
        elif kept and _BACKWARD.match(sentence):
            kept.pop()
    return kept


def denies_label(text: str, begin: int, end: int) -> bool:
    """Return whether the clause around a label, at ``begin`` to ``end`` of a sentence, says that it was not used."""
    before = text[:begin]
    starts = [match.end() for match in _CLAUSE.finditer(before)]
    start = starts[-1] if starts else 0
    stop = _CLAUSE.search(text, end)
    after = text[end : stop.start() if stop else len(text)]
    return _NOT_FROM.search(before[start:]) is not None or denied(f"{before[start:]}{text[begin:end]}{after}")
