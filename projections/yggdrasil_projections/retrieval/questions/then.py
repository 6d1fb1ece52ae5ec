"""Which time of the past a question is about, so that claims are answered as of then.

Most times in a question are not what it is about: whoever was born in 1990 lives somewhere now. So the time has to be
the only one, and to stand in the clause that asks, or by itself; and nothing may say that the present is meant. Where
that is in doubt, the present is.
"""

import re
from typing import Final, NamedTuple

from .understood import Time
from .words import AUXILIARIES, INTERROGATIVES

_NOW: Final = re.compile(
    r"(?<![^\W_])(?:now|nowadays|currently|presently|at present|today|jetzt|derzeit|aktuell|zurzeit|heute|actuellement"
    r"|maintenant|aujourd'hui|ahora|actualmente|hoy)(?![^\W_])|\u73b0\u5728|\u76ee\u524d|\u4eca|\ud604\uc7ac",
    re.IGNORECASE,
)
_PRESENT: Final = frozenset(
    ["does", "do", "is", "are", "can", "will", "am", "ist", "sind", "wird", "est", "sont", "son"]
)
_PARTS: Final = re.compile(r"[,;:()\u2014\uff0c\uff1b\uff1a\uff08\uff09]|[.!?\u3002\uff1f\uff01](?=\s|\Z)| - ")
_OTHER: Final = re.compile(r"(?<![^\W_])(?:who|that|which|born|joined|since|from|for)(?![^\W_])", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_RUN: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_TIME: Final = "\x00"  # stands for the time, which may have a comma of its own
_SHORT: Final = 3  # words beside a time that stands by itself: "back in 2024,"


class Span(NamedTuple):
    """From when, in Unix ms, if it begins, until when."""

    since: int | None
    until: int


def spoken_of(text: str, times: tuple[Time, ...], at_ms: int) -> Span | None:
    """Return the span of the past that a question is certainly about at a moment, in Unix ms; None where it is not."""
    if len(times) != 1 or not times[0].certain:
        return None
    (time,) = times
    if time.until is None or time.until >= at_ms or _NOW.search(text):
        return None
    said = " ".join(text.split()).replace(time.text, _TIME)
    parts = [part.strip() for part in _PARTS.split(said)]
    own = next((part for part in parts if _TIME in part), None)
    if own is None or not _asks_of_then(own, parts):
        return None
    return Span(time.since, time.until)


def _asks_of_then(own: str, parts: list[str]) -> bool:
    """Whether the part of a question with the time asks, in no present tense, or is nothing but the time."""
    rest = own.replace(_TIME, " ")
    if _RUN.search(rest):
        return True
    words = [word.lower() for word in _WORD.findall(rest)]
    asking = next((part for part in parts if _begins(part)), None)
    if asking is None:
        return False
    if own != asking:
        return len(words) < _SHORT and not _OTHER.search(rest) and not _in_present(asking)
    return not _in_present(own) and not _OTHER.search(" ".join(words[1:]))


def _begins(part: str) -> bool:
    words = [word.lower() for word in _WORD.findall(part)[:4]]
    return bool(words) and (any(word in INTERROGATIVES for word in words) or words[0] in AUXILIARIES)


def _in_present(part: str) -> bool:
    return not _PRESENT.isdisjoint(word.lower() for word in _WORD.findall(part))
