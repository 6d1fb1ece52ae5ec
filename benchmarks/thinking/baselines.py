"""What else could find boundaries: a fixed length, the longest pauses, and TextTiling as it was published.

Each is given the events of one session. The first two are told how many boundaries there are, which nobody knows.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from statistics import mean, pstdev
from typing import Final

from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER

from .stream import Stream

_SEQUENCE_WORDS: Final = 20
_BLOCK: Final = 10
Segment = Callable[[Sequence[Happening], int], list[int]]


def fixed(events: Sequence[Happening], boundaries: int) -> list[int]:
    """Cut into pieces of the true mean length."""
    length = len(events) / (boundaries + 1)
    return [round(length * number) for number in range(1, boundaries + 1)]


def pauses(events: Sequence[Happening], boundaries: int) -> list[int]:
    """Cut at the longest gaps in time, as many as there are boundaries; none where no time passes."""
    gaps = {at: events[at].at - events[at - 1].at for at in range(1, len(events))}
    longest = sorted((at for at in gaps if gaps[at] > 0), key=lambda at: (-gaps[at], at))
    return sorted(longest[:boundaries])


def texttiling(events: Sequence[Happening], boundaries: int) -> list[int]:
    """Cut where blocks of words are least alike (Hearst, 1997): sequences of 20 words, blocks of 10 sequences, depth
    above mean - deviation / 2, each cut moved to the nearest event.
    """
    del boundaries
    words: list[str] = []
    begins: list[int] = []
    for event in events:
        begins.append(len(words))
        words += [*event.features, *map(TOKENIZER.counted_as, TOKENIZER.split(event.text or ""))]
    sequences = [
        Counter(filter(None, words[at : at + _SEQUENCE_WORDS]))
        for at in range(0, len(words) - _SEQUENCE_WORDS + 1, _SEQUENCE_WORDS)
    ]
    alike = [_alike(sequences, gap) for gap in range(1, len(sequences))]
    smooth = [mean(alike[max(0, at - 1) : at + 2]) for at in range(len(alike))]
    depths = [_depth(smooth, at) for at in range(len(smooth))]
    if not depths:
        return []
    limit = mean(depths) - pstdev(depths) / 2
    found: set[int] = set()
    for at, depth in enumerate(depths):
        if depth > limit and depth == max(depths[max(0, at - 1) : at + 2]):
            word = (at + 1) * _SEQUENCE_WORDS
            found.add(min(range(len(begins)), key=lambda event: (abs(begins[event] - word), event)))
    return sorted(found - {0})


def _alike(sequences: list[Counter[str]], gap: int) -> float:
    reach = min(_BLOCK, gap, len(sequences) - gap)
    left: Counter[str] = sum(sequences[gap - reach : gap], Counter())
    right: Counter[str] = sum(sequences[gap : gap + reach], Counter())
    size = sqrt(sum(times**2 for times in left.values()) * sum(times**2 for times in right.values()))
    return sum(times * right[word] for word, times in left.items()) / size if size else 0.0


def _depth(alike: list[float], at: int) -> float:
    left = right = at
    while left > 0 and alike[left - 1] >= alike[left]:
        left -= 1
    while right < len(alike) - 1 and alike[right + 1] >= alike[right]:
        right += 1
    return alike[left] + alike[right] - 2 * alike[at]


BASELINES: Final[dict[str, Segment]] = {"fixed": fixed, "pauses": pauses, "texttiling": texttiling}


def segmented(stream: Stream, segment: Segment) -> set[str]:
    """Return with which events something else begins, by a baseline, session by session."""
    sessions: dict[str, list[Happening]] = {}
    for event in stream.events:
        sessions.setdefault(event.session, []).append(event)
    return {
        events[at].id
        for events in sessions.values()
        for at in segment(events, sum(event.id in stream.starts for event in events))
    }
