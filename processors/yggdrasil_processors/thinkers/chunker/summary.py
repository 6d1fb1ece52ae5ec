"""What an episode says of itself: the most telling of its events, in their order, word for word."""

from collections.abc import Callable, Sequence
from typing import Final

from .state import Held

Summarise = Callable[[list[str]], str]
"""Makes a summary of the texts of an episode's events, in order: the slot for a model."""
EXTRACTIVE: Final = "extractive/1"
SUMMARY_CHARS_MAX: Final = 400
SHOWN_BYTES_MAX: Final = 200
_SENTENCES_MAX: Final = 3
_LEAP: Final = " \u2026 "
_WORTH_OF_OUTCOME: Final = 0.1
_ENDS: Final = (". ", "! ", "? ", "\u3002", "\uff01", "\uff1f")


def shown(text: str | None) -> str:
    """Return the beginning of a text that is kept for summaries: one line of at most 200 bytes, whole sentences if it
    has any.
    """
    line = " ".join((text or "")[: 2 * SHOWN_BYTES_MAX].split())
    if not line.isprintable():
        line = "".join(filter(str.isprintable, line))
    cut = line.encode("utf-8", "ignore")[:SHOWN_BYTES_MAX].decode("utf-8", "ignore")
    if len(cut) == len(line):
        return cut
    end = max(cut.rfind(mark) + 1 for mark in _ENDS)
    if end >= len(cut) // 3:
        return cut[:end].strip()
    space = cut.rfind(" ")
    return (cut[:space] if space > 0 else cut).rstrip() + "\u2026"


def summary(events: Sequence[Held]) -> str:
    """Return at most three of the texts of an episode, in order, in at most 400 characters; empty where none has any.

    The first is the most central one: whose terms weigh most in this memory and are shared with most of the others. An
    outcome counts for it. Each of the others is the one that adds most to what the ones before it have said.
    """
    shared: dict[int, int] = {}
    weights: dict[int, int] = {}
    for event in events:
        for term, weight in zip(event.terms, event.weights, strict=True):
            shared[term] = shared.get(term, 0) + 1
            weights[term] = weight
    worth = {term: weights[term] * (times if times > 1 else 0.5) for term, times in shared.items()}
    chosen: list[int] = []
    said: set[int] = set()
    left = SUMMARY_CHARS_MAX
    for _ in range(_SENTENCES_MAX):
        rest = [at for at, event in enumerate(events) if event.shown and at not in chosen and len(event.shown) <= left]
        if not rest:
            break
        values = {at: _value(events[at], worth, said) for at in rest}
        found = max(rest, key=lambda at: (values[at], -at))
        if chosen and values[found] <= 0:
            break
        chosen.append(found)
        said.update(events[found].terms)
        left -= len(events[found].shown) + len(_LEAP)
    return _LEAP.join(events[at].shown for at in sorted(chosen))


def _value(event: Held, worth: dict[int, float], said: set[int]) -> float:
    value = 0.0
    for term in event.terms:
        if term not in said:
            value += worth[term]
    return value / (len(event.terms) + 4) * (1.0 + _WORTH_OF_OUTCOME * abs(event.value))
