"""Concepts from noise: which features become concepts, when there is nothing to be understood, and when there is?

Sessions of ten events, each with four features of a pool of 40. Six forms. Nothing but noise: *even* (all features
alike), *uneven* (some often, as words are), *long* (even, four times as many sessions), *judged by lot* (a third of the
events turn out at +3 or -3, whatever they hold). And *themes*: in half of the sessions one of five themes is at work,
three features of its own that are in all events of the session, beside two of the pool. Two themes mostly fail (-3),
two mostly succeed (+3), half of their events are judged; of the fifth nothing is told, but its events are recalled and
used with success. A fifth of the other events turn out at +3 or -3 by lot. *Themes, long* is four times as long.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from yggdrasil_schemas.graph.records import NodeFlag

from ..life import InMemory, Life

NOISE: Final = ("even", "uneven", "long", "judged by lot")
THEMES: Final = ("themes", "themes, long")
_LONG: Final = ("long", "themes, long")
SESSIONS: Final = 60
POOL: Final = tuple(f"f{number}" for number in range(40))
_EVENTS: Final = 10
_FEATURES: Final = 4
_EVEN: Final = list(accumulate(1.0 for _ in POOL))
_UNEVEN: Final = list(accumulate(1 / (rank + 1) for rank in range(len(POOL))))
_SIZE: Final = 3.0
_TENDENCIES: Final = (-1, -1, 1, 1, 0)  # how each theme ends; the last is used, and nothing is told of how it ends
_THEMES: Final = tuple(tuple(f"theme-{at}-{part}" for part in range(3)) for at in range(len(_TENDENCIES)))


@dataclass(slots=True)
class Found:
    """Which features are concepts at the end: of the pool, which is noise, and of each theme."""

    noise: set[str] = field(default_factory=set[str])
    themes: list[set[str]] = field(default_factory=list[set[str]])

    @property
    def theme_features(self) -> float:
        """The share of the features of themes that are concepts."""
        return sum(len(theme) for theme in self.themes) / sum(len(theme) for theme in _THEMES)

    @property
    def themes_found(self) -> float:
        """The share of the themes of which most features are concepts."""
        return sum(2 * len(each) > len(theme) for each, theme in zip(self.themes, _THEMES, strict=True)) / len(_THEMES)

    @property
    def used_theme(self) -> float:
        """The share of the features of the theme that is only used that are concepts."""
        return len(self.themes[-1]) / len(_THEMES[-1])


def live(seed: int, form: str, sessions: int = SESSIONS, policy: Mapping[str, int | float] | None = None) -> Found:
    """Return what one life of so many sessions has shown (four times as many in a long form)."""
    life = Life(seed, InMemory(), policy)
    chance = life.random
    for number in range(sessions * (4 if form in _LONG else 1)):
        theme = chance.randrange(len(_THEMES)) if form in THEMES and chance.random() < 0.5 else None
        _session(life, form, f"session-{number}", theme)
    return Found(_concepts(life, POOL), [_concepts(life, theme) for theme in _THEMES])


def _session(life: Life, form: str, name: str, theme: int | None) -> None:
    """Let one session happen; its events are judged, or recalled and used, once it is over."""
    chance = life.random
    own = () if theme is None else _THEMES[theme]
    count = 2 if own else _FEATURES
    events = [life.event([*own, *_drawn(life, form, count)], name) for _ in range(_EVENTS)]
    share = 1 / 3 if form == "judged by lot" else 0.2 if form in THEMES else 0.0
    if theme is not None:
        share = 0.5 if _TENDENCIES[theme] else 0.0
    for said in events:
        if chance.random() < share:
            tendency = _TENDENCIES[theme] if theme is not None else 0
            good = chance.random() < (0.5 + 0.4 * tendency)
            life.outcome(said, _SIZE if good else -_SIZE, "success" if good else "failure")
    if theme is not None and not _TENDENCIES[theme]:
        for said in events[::2]:
            life.use(life.recall([said.id]), [said.id], success=True)


def _drawn(life: Life, form: str, count: int) -> list[str]:
    drawn: dict[str, None] = {}
    while len(drawn) < count:
        drawn[life.random.choices(POOL, cum_weights=_UNEVEN if form == "uneven" else _EVEN)[0]] = None
    return list(drawn)


def _concepts(life: Life, names: tuple[str, ...]) -> set[str]:
    return {name for name in names if (node := life.feature(name)) and node.flags & NodeFlag.CONCEPTUAL}
