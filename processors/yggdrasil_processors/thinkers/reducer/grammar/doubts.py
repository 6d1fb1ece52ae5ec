"""Which words take away that a sentence holds: it asks, denies, supposes, reports, plans or makes up.

Where such a word stands matters. One inside a clause takes that clause. One before it takes all that follows, where it
governs: "Ben says", "if". One behind it takes it where it speaks of all of it: "..., I think".
"""

import re
from collections.abc import Sequence
from typing import Final

from .tokens import Token

_DENIED: Final = (
    "not n't never no nobody none nor neither without hardly barely cannot nothing rarely seldom except instead "
    "wrong false untrue myth stopped quit longer"
)
_SUPPOSED: Final = (
    "if unless whether would could might may maybe perhaps possibly probably likely supposedly suppose supposing "
    "imagine assume assuming assumed wish hope hoping hopefully should seem seems seemed apparently allegedly "
    "presumably rumour rumor guess guessing suspect doubt unsure almost nearly think thinking thinks thought "
    "believe believes believed consider considering considered pretend hypothetically somehow practically "
    "basically virtually or either 'd can ought"
)
_REPORTED: Final = (
    "said say says saying told tell tells telling claim claims claimed heard hear hears according ask asks asked "
    "asking report reports reported reportedly mention mentions mentioned wrote writes insist insists insisted "
    "announced quote swears swore joke joking jokes kidding lied lying lol haha jk sarcastic suggests suggested "
    "argues argued proposes proposed wonders wondered wondering asks"
)
_MADE_UP: Final = (
    "novel story stories movie film dream dreamt dreamed fiction quiz example protagonist template placeholder "
    "dummy fake hypothetical scenario imagine pretend say were"
)
_DUE: Final = (
    "will 'll shall gonna going want wants wanted intend intends intended eventually someday soon planning planned"
)
_PAST: Final = (
    "used formerly previously was were had former originally initially temporarily briefly until till unlike "
    "sometimes did been being"
)


def _words(*lists: str) -> frozenset[str]:
    return frozenset(word for each in lists for word in each.split())


_NOUNS: Final = _words("claim claims report reports quote jokes wish hope rumour rumor doubt guess dream")
"""What is mostly a noun inside a clause, such as "the report is due"."""
INSIDE: Final = _words(_DENIED, _SUPPOSED, _REPORTED, _DUE, _PAST) - _NOUNS
"""What takes a clause in which it stands."""
_MODAL: Final = _words("or can ought should would could may might 'd ask asks asked asking thinking considering")
BEFORE: Final = _words(_SUPPOSED, _REPORTED, _MADE_UP, "question unlike before used") - _MODAL
"""What takes all that follows it in a sentence."""
NEAR: Final = _words(
    "untrue myth false wrong n't not never nobody no will want would could may might thinking considering"
)
"""What takes what follows it up to a mark, or to a word that begins another clause."""
BEHIND: Final = _words(
    "if unless think guess believe supposedly apparently allegedly according heard said says told maybe perhaps "
    "probably hope suppose unsure sure certain until till kidding joking jk lol"
)
"""What takes what stands before it, up to a word that begins another clause."""
_JOINS: Final = _words("and but so because since although though which where while who ; : - (")
_BREAKS: Final = _words("and but so , ; : - ( )")
_NOT_SAID: Final = re.compile(r"[?\u201c\u201d\u201e\u00ab\u00bb|<>{}\[\]*\"]|^\s*[#>]|(?:^|\s)['\u2018]|/s\b|…|\.\.")
_MAY: Final = "May"  # the month


def is_statement(sentence: str) -> bool:
    """Return whether a sentence, as ``spelt``, is neither a question nor a quotation, nor a piece of markup."""
    return _NOT_SAID.search(sentence) is None


def doubted(tokens: Sequence[Token], clause: tuple[int, int], verb: tuple[int, int]) -> bool:
    """Return whether words before a clause, in it or behind it take away what it says; its own verb does not."""
    begin, end = clause
    inside = [
        token
        for place, token in enumerate(tokens[begin:end], begin)
        if not verb[0] <= place < verb[1] or token.low.endswith("ly")
    ]
    near = _last(tokens[:begin], _BREAKS)
    behind = tokens[end : _first(tokens, end)]
    return _any(tokens[:begin], BEFORE) or _any(near, NEAR) or _any(behind, BEHIND) or _any(inside, INSIDE)


def _first(tokens: Sequence[Token], begin: int) -> int:
    """Return where the first word is from a place on that begins another clause; at the end if none does."""
    return next((place for place in range(begin, len(tokens)) if tokens[place].low in _JOINS), len(tokens))


def _last(tokens: Sequence[Token], breaks: frozenset[str]) -> Sequence[Token]:
    """Return the last words before a clause that stand together, without the word or mark just before it."""
    begin = next((place for place in range(len(tokens) - 2, -1, -1) if tokens[place].low in breaks), -1)
    return tokens[begin + 1 :]


def _any(tokens: Sequence[Token], words: frozenset[str]) -> bool:
    return any(token.low in words and token.text != _MAY for token in tokens)
