"""The unigram tokeniser of SentencePiece (Kudo 2018) as XLM-R has it: the likeliest pieces of each word."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_SPACES: Final = re.compile(" +")
_MARK: Final = "\N{LOWER ONE EIGHTH BLOCK}"  # stands for the space before a word, and begins its first piece
_UNKNOWN_BELOW: Final = 10.0  # SentencePiece: what no piece covers is so much less likely than the unlikeliest piece
_WORDS_KEPT: Final = 20_000


@dataclass(frozen=True, slots=True)
class Marks:
    """The numbers of the pieces that stand for no text."""

    begin: int
    end: int
    padding: int
    unknown: int


class Unigram:
    """Cuts texts into the pieces of one vocabulary. Any number of threads may use it at a time."""

    def __init__(
        self, pieces: Sequence[str], scores: Sequence[float], marks: Marks, normalised: Mapping[int, str]
    ) -> None:
        """Use ``pieces`` with their ``scores`` (natural logarithms); ``normalised`` is what a character stands for."""
        without = {marks.begin, marks.end, marks.padding, marks.unknown}
        self._numbers = {piece: number for number, piece in enumerate(pieces) if number not in without}
        self._scores = scores
        self._marks = marks
        self._normalised = normalised
        self._longest = max(map(len, self._numbers))
        self._unknown_score = min(scores) - _UNKNOWN_BELOW
        self._word = lru_cache(_WORDS_KEPT)(self._pieces)

    def tokenise(self, text: str, tokens_max: int) -> list[int]:
        """Return the numbers of the pieces of ``text``, between both marks; what is beyond ``tokens_max`` is cut."""
        room = tokens_max - 2
        clean = unicodedata.normalize("NFC", text).translate(self._normalised)
        found: list[int] = []
        for word in _SPACES.sub(" ", clean).strip(" ").split(" "):
            if len(found) >= room:
                break
            found += self._word(_MARK + word[: room * self._longest])  # no piece begins beyond that
        return [self._marks.begin, *found[:room], self._marks.end]

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Return the likeliest pieces of a word (Viterbi 1967); of two as likely, the one that begins first."""
        size = len(word)
        best = [0.0, *[-math.inf] * size]  # the likelihood of what ends at each place
        last: list[tuple[int, int]] = [(0, 0)] * (size + 1)  # its last piece, and where that begins
        for begin in range(size):
            for end in range(begin + 1, min(size, begin + self._longest) + 1):
                number = self._numbers.get(word[begin:end])
                if number is not None and best[begin] + self._scores[number] > best[end]:
                    best[end] = best[begin] + self._scores[number]
                    last[end] = number, begin
            if best[begin] + self._unknown_score > best[begin + 1]:
                best[begin + 1] = best[begin] + self._unknown_score
                last[begin + 1] = self._marks.unknown, begin
        found: list[int] = []
        while size:
            number, size = last[size]
            found.append(number)
        return tuple(reversed(found))
