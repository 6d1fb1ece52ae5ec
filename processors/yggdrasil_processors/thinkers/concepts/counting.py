"""How often features meet: counts over stretches of a session, of which there are only so many.

A stretch is up to 4 events of one session in a row. A feature counts where it begins: in a stretch in which it occurs
and in whose predecessor it did not. A pair counts where both begin and meet in an event. For features come in bursts (a
conversation stays with a subject for a while): counted by events, any two of a burst would seem to belong together; so
counted, those do that come up together again and again.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations
from typing import Final

FEATURES_MAX: Final = 512
PAIRS_MAX: Final = 4_096
PAIRED_MAX: Final = 16  # of an event's features, the first
STRETCH_EVENTS: Final = 4
OPEN_MAX: Final = 16  # stretches that are still growing, of as many sessions
HALVED_EVERY: Final = 1_024  # stretches: what was usual 4,000 events ago counts half of what is
_SESSIONS_KNOWN: Final = 1_024
_LEAST: Final = 0.5  # what counts for less is dropped
_KEPT: Final = 3, 4  # of the features, or pairs, once there are too many


@dataclass(slots=True)
class Count:
    """In how many stretches a feature, or a pair, began, and the number of the last of them."""

    times: float = 0.0
    last: int = 0


@dataclass(slots=True)
class Stretch:
    """The last events of a session, each as the numbers of its features; ``before`` is what the stretch before had."""

    touched: int = 0
    before: list[int] = field(default_factory=list[int])
    events: list[list[int]] = field(default_factory=list[list[int]])


@dataclass(slots=True)
class Counts:
    """What has been counted. Features have numbers that are never given again; a pair is called ``low,high``."""

    closed: int = 0
    stretches: float = 0.0
    numbered: int = 0
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    features: dict[str, Count] = field(default_factory=dict[str, Count])
    pairs: dict[str, Count] = field(default_factory=dict[str, Count])
    growing: dict[str, Stretch] = field(default_factory=dict[str, Stretch])


def take(counts: Counts, session: str, features: list[str], at: int) -> None:
    """Take in the features of the event number ``at`` of a session; when that ends a stretch, it is counted."""
    numbers = [_number(counts, name) for name in features[:PAIRED_MAX]]
    stretch = counts.growing.setdefault(session, Stretch())
    stretch.touched = at
    stretch.events.append(numbers)
    if len(stretch.events) >= STRETCH_EVENTS:
        counts.growing[session] = Stretch(at, _close(counts, session))
    if len(counts.growing) > OPEN_MAX:
        _close(counts, min(counts.growing, key=lambda name: counts.growing[name].touched))


@lru_cache(_SESSIONS_KNOWN)
def session_key(session: str) -> str:
    """Return a short name for a session, since theirs may be long."""
    return blake2b(session.encode(), digest_size=8).hexdigest()


def pair_key(one: int, other: int) -> str:
    """Return what a pair is called."""
    return f"{one},{other}" if one < other else f"{other},{one}"


def _number(counts: Counts, name: str) -> int:
    number = counts.numbers.get(name)
    if number is None:
        counts.numbered += 1
        number = counts.numbers[name] = counts.numbered
        counts.features[str(number)] = Count(0.0, counts.closed)
        if len(counts.features) > FEATURES_MAX:
            _forget_features(counts)
    return number


def _close(counts: Counts, session: str) -> list[int]:
    """Count a session's stretch; return what occurred in it."""
    stretch = counts.growing.pop(session)
    events = stretch.events
    counts.closed += 1
    counts.stretches += 1.0
    occurred = {number for event in events for number in event}
    begun = occurred.difference(stretch.before)
    met = {pair for event in events for pair in combinations(sorted(begun.intersection(event)), 2)}
    for number in sorted(begun):
        feature = counts.features.get(str(number))
        if feature is not None:  # it may have been forgotten since
            feature.times += 1.0
            feature.last = counts.closed
    for one, other in sorted(met):
        if str(one) in counts.features and str(other) in counts.features:
            pair = counts.pairs.setdefault(pair_key(one, other), Count())
            pair.times += 1.0
            pair.last = counts.closed
    if len(counts.pairs) > PAIRS_MAX:
        counts.pairs = _strongest(counts.pairs, PAIRS_MAX)
    if counts.closed % HALVED_EVERY == 0:
        _halve(counts)
    return sorted(occurred)


def _halve(counts: Counts) -> None:
    """Let what was count half: a halved count has the same bits everywhere."""
    counts.stretches /= 2.0
    for kept in (counts.features, counts.pairs):
        for count in kept.values():
            count.times /= 2.0
    counts.pairs = {key: count for key, count in counts.pairs.items() if count.times > _LEAST}
    held = {number for stretch in counts.growing.values() for event in stretch.events for number in event}
    _keep(counts, [key for key, count in counts.features.items() if count.times > _LEAST or int(key) in held])


def _forget_features(counts: Counts) -> None:
    """Forget the rarest quarter; of equals, what occurred longest ago."""
    _keep(counts, list(_strongest(counts.features, FEATURES_MAX)))


def _keep(counts: Counts, keys: list[str]) -> None:
    kept = set(keys)
    counts.features = {key: count for key, count in counts.features.items() if key in kept}
    counts.numbers = {name: number for name, number in counts.numbers.items() if str(number) in kept}
    counts.pairs = {key: count for key, count in counts.pairs.items() if kept.issuperset(key.split(","))}


def _strongest(counted: dict[str, Count], most: int) -> dict[str, Count]:
    """Return the most frequent three quarters of ``most``; of equals those that occurred last, then the newest.

    What has not been counted yet, since its stretch has not ended, is taken to have occurred once.
    """
    above, below = _KEPT

    def rank(key: str) -> tuple[float, int, list[int]]:
        count = counted[key]
        return -max(count.times, 1.0), -count.last, [-int(part) for part in key.split(",")]

    return {key: counted[key] for key in sorted(counted, key=rank)[: most * above // below]}
