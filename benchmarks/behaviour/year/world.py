"""The world of the year: what happens in it, event by event, and what is planted. All chance comes from the seed.

Work goes in sessions of 10 to 40 events. An event has one of five *kinds of work*, one or two of 300 *files* (a few
of which are everywhere), in themed sessions two or three of the four *features of a theme*, and now and then a *cause*,
which decides how the event turns out, with a *companion* that comes along in 70 % of the cause's events and in 2 % of
others.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

KINDS: Final = ("build", "review", "deploy", "support", "research")
FILES: Final = tuple(f"file-{number:03}" for number in range(300))
THEMES: Final = 12
THEME_FEATURES: Final = 4
GOOD_CAUSES: Final = 2
CAUSES: Final = 6
CAUSE_SHARE: Final = 0.05
FAILURE, SUCCESS, TRIUMPH = -3.0, 1.0, 5.0
JUDGED: Final = 0.35
DELAYS: Final = (0, 5, 30, 100)
_DELAY_WEIGHTS: Final = (40, 30, 20, 10)
_THEMED: Final = 0.6
_SYLLABLES: Final = tuple(a + b for a in "bdfgklmnprstvz" for b in "aeiou")
_WORDS: Final = 1_500


@dataclass(frozen=True, slots=True)
class Theme:
    """Things that occur together again and again; ``value`` is the sign of how it tends to end, 0 for by chance."""

    features: Sequence[str]
    value: int


@dataclass(frozen=True, slots=True)
class Happening:
    """One event of the work: what is said, its parts, its session, and how it turns out, so many events later.

    ``value`` is None for an event that is never judged.
    """

    text: str
    features: list[str]
    session: str
    theme: int | None
    value: float | None
    delay: int
    cause: str | None


@dataclass(slots=True)
class World:
    """What can happen. ``step`` is called once for each event, in order."""

    random: random.Random
    words: list[str] = field(init=False)
    themes: list[Theme] = field(init=False)
    causes: list[str] = field(init=False)
    companions: dict[str, str] = field(init=False)
    session: str = ""
    theme: int | None = None
    _left: int = 0
    _sessions: int = 0
    _weights: list[float] = field(init=False)

    def __post_init__(self) -> None:
        """Draw the words, the themes and the causes."""
        drawn: dict[str, None] = {}
        while len(drawn) < _WORDS + THEMES * THEME_FEATURES:
            drawn["".join(self.random.choices(_SYLLABLES, k=3))] = None
        names = list(drawn)
        self.words = names[:_WORDS]
        of_themes = names[_WORDS:]
        self.themes = [
            Theme(of_themes[at * THEME_FEATURES : (at + 1) * THEME_FEATURES], (-1, 0, 1)[at % 3])
            for at in range(THEMES)
        ]
        self.causes = [f"cause-{at}" for at in range(CAUSES)]
        self.companions = {cause: f"companion-{at}" for at, cause in enumerate(self.causes)}
        self._weights = list(accumulate(1 / (rank + 1) for rank in range(len(FILES))))

    @property
    def bad_causes(self) -> list[str]:
        """Those that make an event fail; the others make it a great success."""
        return self.causes[GOOD_CAUSES:]

    def said(self, count: int) -> str:
        """Return some words of everyday, a few of which are used far more than the rest."""
        return " ".join(self.words[min(int(self.random.paretovariate(0.6)), _WORDS) - 1] for _ in range(count))

    def triple(self) -> list[str]:
        """Return three words that are spoken now and then: what a fact is about."""
        return self.random.sample(self.words[100:1_000], 3)

    def files(self) -> list[str]:
        """Return one or two files, a few of which are everywhere."""
        return list(dict.fromkeys(self.random.choices(FILES, cum_weights=self._weights, k=2)))

    def turns(self) -> bool:
        """Whether the next event opens another session."""
        return self._left == 0

    def step(self, number: int) -> Happening:
        """Let the next event happen."""
        chance = self.random
        if self.turns():
            self._left = chance.randint(10, 40)
            self._sessions += 1
            self.session = f"session-{self._sessions:04}"
            self.theme = chance.randrange(THEMES) if chance.random() < _THEMED else None
        self._left -= 1
        cause = chance.choice(self.causes) if chance.random() < CAUSE_SHARE * CAUSES else None
        value = self._ends(cause) if chance.random() < JUDGED else None
        delay = chance.choices(DELAYS, _DELAY_WEIGHTS)[0]
        of_theme = [] if self.theme is None else list(self.themes[self.theme].features)
        text = " ".join([*chance.sample(of_theme, min(2, len(of_theme))), self.said(6), f"step {number}"])
        return Happening(text, self._features(cause, of_theme), self.session, self.theme, value, delay, cause)

    def _features(self, cause: str | None, of_theme: list[str]) -> list[str]:
        chance = self.random
        features = [chance.choice(KINDS), *chance.sample(of_theme, min(chance.randint(2, 3), len(of_theme)))]
        features += self.files()
        for other, companion in self.companions.items():
            if chance.random() < (0.7 if other == cause else 0.02):
                features.append(companion)
        if cause:
            features.append(cause)
        chance.shuffle(features)
        return features

    def _ends(self, cause: str | None) -> float:
        tendency = 0 if self.theme is None else self.themes[self.theme].value
        fails = {-1: 0.5, 0: 0.1, 1: 0.02}[tendency]
        good = False
        if cause:
            good = cause not in self.bad_causes
            fails = 0.02 if good else 0.9
        drawn = self.random.random()
        if drawn < fails:
            return FAILURE
        if drawn < fails + 0.03:
            return 0.0
        return TRIUMPH if good else SUCCESS
