"""Configurations that led to episodes before: what kinds of features stand at both sides of a place.

A pattern does not confirm itself. Where it alone has ended an episode, that counts as a place without an end: so it
goes on for a while without other reasons, the longer the more often they were there, and then no more.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from .state import ChunkerState, Pattern

PATTERNS_MAX: Final = 512
ENDED_MIN: Final = 8
RELIABLE: Final = 0.8
"""The share of the places with a signature at which an episode has ended, from so many on."""
_KINDS_MAX: Final = 4
_CHARS_MAX: Final = 96
_VALUES: Final = ("act:", "action:", "step:", "kind:", "type:", "phase:", "tool:", "role:", "status:", "state:")
"""Kinds of few values: of these the value counts as well."""


def kinds_of(features: Sequence[str]) -> str:
    """Return what kinds of features an event has, with the value where there are few: ``act:close+file``."""
    found: dict[str, None] = {}
    for feature in features:
        found[feature if feature.startswith(_VALUES) else feature.partition(":")[0]] = None
        if len(found) >= _KINDS_MAX:
            break
    return "+".join(sorted(found))[:_CHARS_MAX]


def signature(before: str, after: str) -> str:
    """Return the signature of a place from the kinds at both sides; empty where there are none."""
    return f"{before} | {after}" if before and after else ""


def reliable(state: ChunkerState, found: str) -> Pattern | None:
    """Return what is known of a signature if episodes have reliably ended there."""
    pattern = state.patterns.get(found) if found else None
    if pattern is None or pattern.ended < ENDED_MIN or pattern.ended < RELIABLE * pattern.places:
        return None
    return pattern


def learn(state: ChunkerState, found: str, *, ended: bool) -> None:
    """Count a place with a signature; of too many, the one that was not seen for longest is forgotten.

    They stand in the order in which they were seen last.
    """
    if not found:
        return
    pattern = state.patterns.pop(found, None)
    if pattern is None:
        if len(state.patterns) >= PATTERNS_MAX:
            del state.patterns[_longest_ago(state)]
        pattern = Pattern()
    state.patterns[found] = pattern
    pattern.seen = state.tick
    pattern.places += 1
    pattern.ended += ended


def _longest_ago(state: ChunkerState) -> str:
    """Return the signature that was not seen for longest; of those that were seen at once, the first by name."""
    seen = next(iter(state.patterns.values())).seen
    return min(takewhile(lambda name: state.patterns[name].seen == seen, state.patterns))
