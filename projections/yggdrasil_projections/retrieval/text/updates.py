"""Whether a text says that something is otherwise than it was: by closed lists of words of eight languages."""

import re
from typing import Final

from .unicode import has_digit

_WORDS: Final = (
    "now, nowadays, currently, no longer, not any more, not anymore, anymore, instead, instead of, since then"
    ", as of, from now on, moved, moved to, moves to, switched, switched to, changed, changed to, replaced, renamed"
    ", correction, corrected, actually, updated, turns out, used to, quit, stopped, gave up, swapped, sold"
    ", rescheduled, postponed, brought forward, new"
    ", jetzt, nun, inzwischen, mittlerweile, nicht mehr, kein mehr, keine mehr, statt, anstatt, stattdessen, ab sofort"
    ", umgezogen, zieht um, gewechselt, geändert, ersetzt, korrektur, korrigiert, aktualisiert, doch nicht, verschoben"
    ", neu, neue, neuer, neues, neuen"
    ", maintenant, désormais, dorénavant, n'est plus, ne plus, plus du tout, au lieu de, à la place, déménagé, changé"
    ", remplacé, correction, corrigé, finalement, reporté, nouveau, nouvelle, nouvel"
    ", ahora, ya no, en vez de, en lugar de, a partir de ahora, desde ahora, se mudó, mudado, cambió, cambiado"
    ", cambiamos, reemplazado, corrección, corregido, al final, en realidad, aplazado, nuevo, nueva"
    ", adesso, ora, non più, invece, cambiato, nu, niet meer, teraz, już nie, agora, já não, não mais"
    ", теперь, сейчас, больше не, вместо, переехал, переехала, şimdi, art\u0131k"
)
_RUN: Final = (
    "现在|現在|如今|不再|改为|改成|改了|换成|换了|搬到|搬家|更新|更正|今は|もう|引っ越|変わ|変更"
    "|지금은|이제|더 이상|바뀌|옮겼"
)
_SAID: Final = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(re.escape(each) for each in _WORDS.split(', '))})(?![^\W_])|{_RUN}", re.IGNORECASE
)
_NO_LONGER: Final = re.compile(
    r"(?<![^\W_])(?:n'\w{1,12}|ne \w{1,12}) plus(?![^\W_])|(?<![^\W_])nicht \w{1,20} mehr(?![^\W_])", re.IGNORECASE
)
_CHARS_MAX: Final = 1_000


def updates(text: str) -> bool:
    """Return whether the beginning of a text says that something has changed."""
    said = text[:_CHARS_MAX]
    return bool(_SAID.search(said) or _NO_LONGER.search(said))


def apart_from_numbers(words: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return which words of a text are figures, and the others."""
    figures = frozenset(word for word in words if has_digit(word))
    return figures, frozenset(words) - figures
