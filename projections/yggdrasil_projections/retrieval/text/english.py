"""The tokenizer ``english/1``, which answered for ``hybrid/1``: stop words, irregular forms and stems, in any language.

It is kept as it is, so that those answers can be proved. Its lists are those of ``unicode/1`` too.
"""

import re
from typing import Final

from .stem import stem

NAME: Final = "english/1"
_WORD: Final = re.compile("[^\\W_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\\W_]+)*")
_KNOWN_MAX: Final = 200_000  # words, some 30 MB; what is written by people has fewer
_QUOTE: Final = "\N{RIGHT SINGLE QUOTATION MARK}"
# Words that say how a sentence is put and not what it is about.
_STOP_WORDS: Final = """
a an the and or but if of to in on at by for with from as into about than then so that this these those it its
is are was were be been being am do does did doing done have has had having will would can could should shall
may might must not no nor i me my mine we us our ours you your yours he him his he she her hers they them
their theirs who whom whose which what when where why how there here just also too very some any all both each
such own same other more most
"""
# Forms that no rule of spelling leads back to their word.
_IRREGULAR_FORMS: Final = """
went:go gone:go bought:buy made:make met:meet got:get gotten:get took:take taken:take gave:give given:give saw:see
seen:see ran:run won:win wrote:write written:write told:tell said:say felt:feel found:find began:begin begun:begin
became:become came:come knew:know known:know thought:think brought:bring taught:teach kept:keep left:leave lost:lose
sold:sell sent:send spent:spend built:build drew:draw drawn:draw drove:drive driven:drive ate:eat eaten:eat fell:fall
flew:fly flown:fly grew:grow grown:grow heard:hear held:hold hid:hide led:lead meant:mean paid:pay rode:ride
ridden:ride sang:sing sung:sing sat:sit slept:sleep spoke:speak spoken:speak stood:stand swam:swim threw:throw
thrown:throw understood:understand woke:wake wore:wear worn:wear chose:choose chosen:choose caught:catch broke:break
broken:break children:child kids:kid men:man women:woman feet:foot mice:mouse people:person better:good best:good
worse:bad worst:bad
"""
STOP: Final = frozenset(_STOP_WORDS.split())
IRREGULAR: Final = {form: word for form, _, word in (pair.partition(":") for pair in _IRREGULAR_FORMS.split())}


class _Known(dict[str, str]):
    """What each word counts as, empty for one that says nothing; bounded."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _KNOWN_MAX:
            self.clear()
        term = self[word] = _term(word)
        return term


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order, without the possessive ending."""
    return [word.replace(_QUOTE, "'").removesuffix("'s") for word in _WORD.findall(text.lower())]


def split(text: str) -> list[str]:
    """Return the words of a text in lower case, in order, as ``counted_as`` takes them."""
    found: list[str] = _WORD.findall(text.lower())
    return found


def counted_as(word: str) -> str:
    """Return what a word counts as, empty for one that says nothing."""
    return _KNOWN[word]


def _term(word: str) -> str:
    plain = word.replace(_QUOTE, "'").removesuffix("'s")
    return "" if plain in STOP else stem(IRREGULAR.get(plain, plain))


_KNOWN: Final = _Known()
