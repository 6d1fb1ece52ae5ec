"""The clauses of a question, and which of them ask.

A question often comes with something else: a greeting, three sentences of small talk, another question. What asks is
asked by itself as well as with all the rest. A clause with a pronoun is given the names before it, or stays with what
stands before it. One pass, in time linear in the text; what is beyond the bounds is asked as a whole alone.
"""

import re
from typing import Final

from .understood import CHARS_MAX, CLAUSE_CHARS_MAX, CLAUSES_MAX
from .words import (
    ASKS_RUN,
    AUXILIARIES,
    BEFORE,
    CONJUNCTIONS,
    INTERROGATIVES,
    MEANING,
    PRONOUNS,
    PRONOUNS_RUN,
    TELLING,
    TELLING_RUN,
)

_SENTENCES_MAX: Final = 256
_NAMES_MAX: Final = 4
_OWN_WORDS: Final = 2  # a clause with fewer, beside those of the lists, is about what stands before it
_CUTS_MAX: Final = 8
_LOOKED_AT: Final = 200  # characters, of which the first words say whether a clause asks
_PREFIX_WORDS: Final = 5  # of so few before what asks, it is a part of the question: "In March, what did Ana buy?"
_MARKS: Final = "?\uff1f\u061f"
_RUN: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\u0e00-\u0e7f"
_SENTENCE_END: Final = re.compile(
    r"(?<![?!\u061f])[?!\u061f]+[\"'\u201d\u2019)]?(?=\s|\Z)|[\uff1f\uff01\u3002]+[\u201d\u2019\uff09\u300d]?"
    r"|(?<=[^\W\d_]{2})[.\u2026]+(?=\s|\Z)"
    r"|(?<=\d)\.(?= [A-Z\u00c0-\u00de\u0410-\u042f])|\n|[;\uff1b](?=\s)"
)
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|no|nr|bzw|inc|jr|sr|sra|approx|dept))$", re.IGNORECASE
)
_JOINED: Final = re.compile(
    rf"(?: ?[,;:\u2014\u2013] ?| )(?:{'|'.join(CONJUNCTIONS)}) | ?[,:\u2014\u2013] | - ", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_ASKS_RUN: Final = re.compile(ASKS_RUN)
_TELLING_RUN: Final = re.compile(TELLING_RUN)
_TELLING: Final = tuple(f"{phrase} " for phrase in TELLING)
_PRONOUN_RUN: Final = re.compile(PRONOUNS_RUN)
_IN_RUN: Final = re.compile(f"[{_RUN}]")
_LEADS: Final = re.compile(rf"(?:{MEANING})[^:\uff1a]{{0,60}}[:\uff1a] ?", re.IGNORECASE)
_FRAME: Final = re.compile(  # what is asked for is said of what stands behind it
    r"(?:(?:please|can you|could you) )?"
    r"(?:(?:summari[sz]e|describe|explain|recap|outline|tell me about|give (?:me )?an? (?:overview|summary))"
    r" (?:\w+ ){0,4}?(?:of|on|about|regarding|around|concerning|when)"
    r"|what (?:did|do|does|was|were) .{2,40}? (?:think|say|said|discuss|discussed|mention|suggest|talk)"
    r" (?:of|on|about|regarding|when)"
    r"|(?:fasse|beschreibe|erkläre) (?:\w+ ){0,4}?(?:über|zu|von)"
    r"|was (?:hat|haben|sagt|sagte|meint|meinte|denkt) .{2,40}? (?:über|zu)"
    r"|(?:résume|décris|explique)[sz]? (?:\w+ ){0,4}?(?:sur|de)"
    r"|qu(?:'a|'ont|e pense|e dit) .{2,40}? (?:de|sur)"
    r"|(?:resume|describe|explica) (?:\w+ ){0,4}?(?:sobre|de)"
    r"|qué (?:dijo|dijeron|piensa|pensó|dice) .{2,40}? (?:sobre|de))"
    r" (?P<about>\S.+)",
    re.IGNORECASE,
)
_OTHERWISE: Final = re.compile(
    "^(?:另外|还有|還有|以及|此外|对了|顺便(?:问一下)?|それと|また|あと|그리고)[\uff0c,、]? ?"
)


def clauses(text: str) -> list[str]:
    """Return the clauses of a text that ask, in order, at most three; none if that is all of it, or nothing asks."""
    if len(text) > CHARS_MAX:
        return []
    text = "\n".join(" ".join(line.split()) for line in text.splitlines())  # so that each pattern is linear
    said = sentences(text)
    marked = [at for at, sentence in enumerate(said) if _asks(sentence)] or [
        at for at, sentence in enumerate(said) if _begins_asking(sentence)
    ]
    found: list[str] = []
    for at in marked:
        sentence = said[at - 1] if at else ""
        for before, clause in _parts(said[at]):
            found.append(_whole(clause, before or sentence))
    whole = _plain(text)
    kept = [clause for clause in dict.fromkeys(found) if clause and _plain(clause) != whole]
    return kept[-CLAUSES_MAX:]


def about(text: str) -> str | None:
    """Return what a request is about that says how it is to be told: of "summarize the talk on rent", the rent.

    None for any other. Where nothing answers the whole, that may.
    """
    framed = _FRAME.fullmatch(" ".join(text.split())) if len(text) <= CLAUSE_CHARS_MAX else None
    return None if framed is None else framed["about"]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with its marks, at most 256."""
    found: list[str] = []
    begin = 0
    for match in _SENTENCE_END.finditer(text):
        if match[0].startswith(".") and _ABBREVIATED.search(text, max(begin, match.start() - 8), match.start()):
            continue
        if sentence := text[begin : match.end()].strip():
            found.append(sentence)
        begin = match.end()
        if len(found) == _SENTENCES_MAX:
            return found
    if rest := text[begin:].strip():
        found.append(rest)
    return found


def _asks(sentence: str) -> bool:
    """Whether a sentence asks or tells to tell, by its mark or its words."""
    if sentence.rstrip("\"'\u201d\u2019)\uff09\u300d ").endswith(tuple(_MARKS)):
        return True
    if _TELLING_RUN.search(sentence):
        return True
    return _first_words(sentence).startswith(_TELLING)


def _first_words(clause: str) -> str:
    """Return the first words of a clause in lower case, without the conjunctions and prepositions before them."""
    words = [
        match[0].lower().replace("\u2019", "'") for match, _ in zip(_WORD.finditer(clause), range(12), strict=False)
    ]
    while len(words) > 1 and words[0] in BEFORE and words[0] not in INTERROGATIVES:
        words.pop(0)
    return " ".join(words)


def _begins_asking(clause: str) -> bool:
    """Whether a clause begins with a word that asks."""
    if _IN_RUN.search(clause):
        return bool(_ASKS_RUN.search(clause) or _TELLING_RUN.search(clause))
    begin = _first_words(clause)
    return begin.partition(" ")[0] in INTERROGATIVES or begin.startswith(_TELLING)


def _begins_with_auxiliary(clause: str) -> bool:
    return _first_words(clause).partition(" ")[0] in AUXILIARIES


def _parts(sentence: str) -> list[tuple[str, str]]:
    """Return the clauses of a sentence that ask, each with what of it stands before: itself, if it is one."""
    sentence = _OTHERWISE.sub("", sentence)
    leads = _LEADS.search(sentence)
    if leads and leads.end() < len(sentence):
        sentence = sentence[leads.end() :]
    if _IN_RUN.search(sentence):
        return [("", sentence)]
    cuts = [(0, 0)]
    for match in _JOINED.finditer(sentence):
        if len(cuts) > _CUTS_MAX:
            break
        rest = sentence[match.end() : match.end() + _LOOKED_AT]
        conjoined = match[0].strip(" ,;:\u2014\u2013-").lower() in CONJUNCTIONS
        asks = _begins_asking(rest) or (conjoined and _begins_with_auxiliary(rest))
        before = sentence[cuts[-1][1] : match.start()]
        if asks and (conjoined or not _begins_asking(before)) and not (_begins_asking(before) and _says_little(before)):
            cuts.append(match.span())
    ends = [*cuts[1:], (len(sentence), 0)]
    parts = [sentence[begin:end].strip(" ,;:\u2014\u2013-") for (_, begin), (end, _) in zip(cuts, ends, strict=True)]
    asking = list(zip(["", *parts], parts, strict=False))
    if len(parts) > 1 and not (_begins_asking(parts[0]) or _begins_with_auxiliary(parts[0])):
        asking.pop(0)
        if len(_WORD.findall(parts[0])) < _PREFIX_WORDS:
            asking[0] = ("", f"{parts[0]}, {parts[1]}")
    return asking


def _whole(clause: str, before: str) -> str:
    """Return a clause that can be asked by itself: one with a pronoun with the names before it, or all before it."""
    clause = clause[:CLAUSE_CHARS_MAX]
    if not before or not (_has_pronoun(clause) or _says_little(clause)):
        return clause
    names = _names(before) if _has_pronoun(clause) else []
    if names:
        return f"{' '.join(names[:_NAMES_MAX])}: {clause}"
    whole = f"{before} {clause}"
    return whole if len(whole) <= CLAUSE_CHARS_MAX else clause


def _has_pronoun(clause: str) -> bool:
    if _names(clause):
        return False
    if _IN_RUN.search(clause):
        return bool(_PRONOUN_RUN.search(clause))
    return not PRONOUNS.isdisjoint(word.lower() for word in _WORD.findall(clause))


def _says_little(clause: str) -> bool:
    """Whether a clause has hardly a word of its own: "and when?"."""
    if _IN_RUN.search(clause):
        return len(clause) < 5
    words = {word.lower() for word in _WORD.findall(clause)}
    return len(words - INTERROGATIVES - AUXILIARIES - BEFORE - PRONOUNS) < _OWN_WORDS


def _names(clause: str) -> list[str]:
    """Return the words of a clause that are written as names are: with a capital, and not at its beginning."""
    found = list(_WORD.finditer(clause))
    return list(
        dict.fromkeys(
            match[0].removesuffix("'s").removesuffix("\u2019s")
            for match in found[1:]
            if match[0][0].isupper() and match[0] not in ("I", "I'm", "I'd", "I've", "I'll") and len(match[0]) > 1
        )
    )


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))
