"""What comes next: predicted by what a memory foretells, by a first-order Markov chain, and by what is most frequent.

Predict, then learn, event by event, on real histories: which folders the next commit of a session changes (the commits
of this repository), who speaks next and of what (conversations of LoCoMo, with ``--data``). All are told the same
events and asked for a ranking; where one has nothing to say, the most frequent follow. A hit at 1 (3) is a first
(one of the first three) of the ranking that comes true; the reciprocal rank is that of the first that does.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Final, Protocol

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter

from ..measure import Bar, Report, Size, say
from ..recall.locomo_questions import conversations
from .histories import MEMORY, Step, commits, folder_of, speaker_of, topic_of, topics, turns

UNTIMED: Final = True

ROOT: Final = Path(__file__).parents[2]
LEARNING: Final = 20  # steps at the beginning that nobody is asked about
DOUBT: Final = 4.0
BAR: Final = 1.0
Symbol = Callable[[str], str | None]
Scores = dict[str, float]


class Predictor(Protocol):
    """Says what comes after an event, and learns what did."""

    def expected(self, features: list[str]) -> Scores:
        """Return how likely each symbol is after an event with ``features``, in any measure; none for the unknown."""
        ...

    def learn(self, step: Step, before: list[str] | None) -> None:
        """Take in an event, and the features of the one before it in its session."""
        ...


class Frequent:
    """What has come most often."""

    def __init__(self, symbol: Symbol) -> None:
        self._symbol = symbol
        self._counts: Scores = defaultdict(float)

    def expected(self, features: list[str]) -> Scores:
        """Return how often each has come."""
        del features
        return dict(self._counts)

    def learn(self, step: Step, before: list[str] | None) -> None:
        """Count."""
        del before
        for symbol in _symbols(step.features, self._symbol):
            self._counts[symbol] += 1.0


class Markov:
    """What has come most often after each symbol: the mean share over those that there are.

    With ``features`` it is after each feature, whatever that stands for, and a share is of four steps more, so that a
    feature that has seldom been followed by anything counts less: it then knows what a memory is told.
    """

    def __init__(self, symbol: Symbol, *, features: bool = False) -> None:
        self._symbol = symbol
        self._context: Symbol = str if features else symbol
        self._doubt = DOUBT if features else 0.0
        self._steps: Scores = defaultdict(float)
        self._counts: dict[str, Scores] = defaultdict(lambda: defaultdict(float))

    def expected(self, features: list[str]) -> Scores:
        """Return the mean share of each."""
        found: Scores = defaultdict(float)
        for former in _symbols(features, self._context):
            for symbol, count in self._counts.get(former, {}).items():
                found[symbol] += count / (self._steps[former] + self._doubt)
        return dict(found)

    def learn(self, step: Step, before: list[str] | None) -> None:
        """Count what came after each."""
        for former in _symbols(before or [], self._context):
            self._steps[former] += 1.0
            for symbol in _symbols(step.features, self._symbol):
                self._counts[former][symbol] += 1.0


class Foretelling:
    """What a memory that has recorded the events says has usually followed their features."""

    def __init__(self, symbol: Symbol, engine: Embedded) -> None:
        self._symbol = symbol
        self._engine = engine
        self._memory = Memory(engine, Drafter(MEMORY, "benchmark", "benchmark"))

    def expected(self, features: list[str]) -> Scores:
        """Return the sum of the shares of each."""
        found: Scores = defaultdict(float)
        for follows in self._memory.foretell(features=features).followed_by if features else ():
            symbol = self._symbol(follows.next)
            if symbol is not None:
                found[symbol] += follows.share
        return dict(found)

    def learn(self, step: Step, before: list[str] | None) -> None:
        """Record the event."""
        del before
        self._engine.submit(step.draft)


@dataclass(slots=True)
class Found:
    """How well one predictor did."""

    ranks: list[int] = field(default_factory=list[int])
    silent: int = 0

    def figures(self, name: str) -> dict[str, float]:
        """Return hits in percent, the mean reciprocal rank, and how often it had nothing to say."""
        return {
            f"{name}: hit at 1, percent": 100.0 * fmean(rank <= 1 for rank in self.ranks),
            f"{name}: hit at 3, percent": 100.0 * fmean(rank <= 3 for rank in self.ranks),
            f"{name}: reciprocal rank": self.reciprocal,
            f"{name}: silent, percent": 100.0 * self.silent / len(self.ranks),
        }

    @property
    def reciprocal(self) -> float:
        """The mean reciprocal rank."""
        return fmean(1.0 / rank for rank in self.ranks)


def run(size: Size, scratch: Path, data: Path | None = None) -> Report:
    """Follow each history once; a quick run takes a part."""
    report = Report("next")
    lived: list[tuple[str, Symbol, list[list[Step]]]] = []
    lived.append(("folders", folder_of, [list(commits(ROOT, size.pick(60, 400, 10_000)))]))
    if data is not None:
        asked = conversations(data)[: size.pick(1, 1, 1_000)]
        lived.append(("speakers", speaker_of, [list(turns(data, one)) for one in asked]))
        lived.append(("topics", topic_of, [list(topics(data, one)) for one in asked]))
    for name, symbol, streams in lived:
        found = followed(symbol, streams, scratch / name)
        report.figures[f"{name}: steps"] = len(found["memory"].ranks)
        say(f"  {name}: {sum(map(len, streams))} events")
        for who, each in found.items():
            report.figures |= each.figures(f"{name}, {who}")
        ratio = found["memory"].reciprocal / found["Markov"].reciprocal
        report.bars.append(Bar(f"{name}: reciprocal rank of the memory over Markov's", ratio, BAR))
    return report


def followed(symbol: Symbol, streams: Iterable[list[Step]], scratch: Path) -> dict[str, Found]:
    """Predict every step of every stream, and learn it; each stream is a memory of its own."""
    found: dict[str, Found] = defaultdict(Found)
    for place, stream in enumerate(streams):
        with Embedded(scratch / str(place), partitions=1) as engine:
            frequent = Frequent(symbol)
            predictors: dict[str, Predictor] = {
                "most frequent": frequent,
                "Markov": Markov(symbol),
                "Markov of features": Markov(symbol, features=True),
                "memory": Foretelling(symbol, engine),
            }
            before: dict[str, list[str]] = {}
            for number, step in enumerate(stream):
                former, coming = before.get(step.session), set(_symbols(step.features, symbol))
                if former is not None and coming and number >= LEARNING:
                    usual = frequent.expected(former)
                    for name, predictor in predictors.items():
                        _ask(predictor.expected(former), usual, coming, found[name])
                for predictor in predictors.values():
                    predictor.learn(step, former)
                before[step.session] = step.features
    return found


def _ask(expected: Scores, usual: Scores, coming: set[str], found: Found) -> None:
    ranked = sorted({**usual, **expected}, key=lambda each: (-expected.get(each, 0.0), -usual.get(each, 0.0), each))
    place = next((place for place, each in enumerate(ranked, 1) if each in coming), len(ranked) + 1)
    found.ranks.append(place)
    found.silent += not expected


def _symbols(features: Iterable[str], symbol: Symbol) -> list[str]:
    """Return what some features stand for, each once."""
    return list(dict.fromkeys(each for feature in features if (each := symbol(feature)) is not None))
