"""What usually comes next: the episodes that are like a situation, what followed on them, and how that ended.

Nothing is predicted but what has happened before, and every share says of how many. It is no recall.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Final, NamedTuple

from yggdrasil_projections.graph.arithmetic import log2
from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import is_feature
from yggdrasil_schemas.names import composed
from yggdrasil_schemas.problems import UNKNOWN_NODE

from ...asks import check_count, check_named
from ...errors import InvalidAskError
from ...found import Answered
from ...index.index import MemoryIndex
from ...lens import narrowed
from ...memories import outcomes_of
from ...query import Read, Source, Timed
from ..learning.foretold import named
from .episodes import Reading, Step, content_in, episode_called, episode_numbers, follow, standing, step
from .likeness import Likeness, Situation
from .working_memory import buffered

LOOKED_AT_MAX: Final = 2_000
"""The latest episodes, which a situation is compared with."""
SIMILAR_MAX: Final = 50
SIMILAR: Final = 10
ALIKE_MIN: Final = 0.1
_NEXT_MAX: Final = 8
_TERMS_MAX: Final = 256  # words of a situation that are compared


@dataclass(frozen=True, slots=True)
class Ended:
    """How something ended: the mean ``value`` of its outcomes, None without any, and how many were good and bad."""

    value: float | None
    good: int
    bad: int


@dataclass(frozen=True, slots=True)
class Similar:
    """An episode that is like the situation: ``likeness`` in (0, 1], and the features ``in_common``, the rarest first.

    ``next`` is what came after it on its trajectory, None when nothing has yet, and ``next_ended`` how that ended.
    """

    episode: Step
    likeness: float
    in_common: list[str]
    ended: Ended
    next: Step | None
    next_ended: Ended


@dataclass(frozen=True, slots=True)
class ComesNext:
    """A feature of what came next after similar episodes.

    ``share``, in (0, 1], is that of the similar episodes on which one with this feature followed, each counted by its
    likeness; ``times`` counts them. ``usual`` is the share of all episodes that have the feature anyway. ``ended`` is
    how those that followed ended: the mean value of each, counted by likeness, and all their outcomes.
    """

    feature: str
    share: float
    times: int
    usual: float
    ended: Ended


@dataclass(frozen=True, slots=True)
class WhatNext(Answered):
    """What usually comes next. ``similar`` are the most similar episodes, the most alike first.

    ``episode`` or ``session`` is what was asked of, if it was one of them, and ``features`` are those by which it was
    compared, with ``looked_at`` episodes, the latest. ``followed`` counts the similar ones on which anything has
    followed: every share in ``next`` is of these. ``next`` are features of what followed, the most telling first: those
    that come more often there than anywhere. ``ended`` is how all that followed ended.
    """

    episode: str | None
    session: str | None
    features: list[str]
    looked_at: int
    similar: list[Similar]
    followed: int
    next: list[ComesNext]
    ended: Ended
    as_of: int


class _Of(NamedTuple):
    """What is asked of: its numbers and words, which episode or session it is, and the features' names."""

    situation: Situation
    episode: str | None = None
    session: str | None = None
    number: int = 0  # the episode's own, which is not compared with itself


class _Followed(NamedTuple):
    """One of the similar episodes, and what followed on it, if anything."""

    number: int
    likeness: float
    next: int | None
    ended: Ended


@dataclass(frozen=True, slots=True)
class AskNext(Timed[WhatNext]):
    """Return what usually comes next: episodes like this, what followed on them, how likely, and how that ended.

    The situation is given in words and by its ``features``, or it is that of an ``episode``, or of an open
    ``session`` (what is in its buffer, or else its last episode). Without any of them it is what goes on in the
    session that was touched last. At most ``count`` (1 to 50) of the most similar episodes are looked at, among the
    latest 2,000. It is no recall. Raises UnknownNodeError and InvalidAskError.
    """

    text: str | None = None
    _: KW_ONLY
    features: Sequence[str] = ()
    episode: str | None = None
    session: str | None = None
    count: int = SIMILAR

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", check_named(self.text or "", self.features))
        situation = bool(self.words.strip() or self.features)
        if situation + (self.episode is not None) + (self.session is not None) > 1:
            raise InvalidAskError("give a situation (text, features), or an episode, or a session: one of the three")
        check_count("count", self.count, SIMILAR_MAX)

    @property
    def words(self) -> str:
        """The situation in words, empty for none."""
        return self.text or ""

    def read(self, source: Source, /) -> WhatNext:
        """Answer it."""
        with source.indexed() as (graph, index):
            return what_next(graph, index, self)


def what_next(graph: Graph, index: MemoryIndex, asked: AskNext) -> WhatNext:
    """Return what usually comes next. Raises UnknownNodeError, and InvalidAskError for what cannot be meant."""
    of = _of(graph, index, asked)
    numbers = [number for number in episode_numbers(graph, standing=True)[: LOOKED_AT_MAX + 1] if number != of.number]
    numbers = numbers[:LOOKED_AT_MAX]
    shown = index.shown(deep=True, where=narrowed(None, trust_min_of(graph)))
    likeness = Likeness(graph, shown, numbers, of.situation)
    alike = [number for number in numbers if likeness.alike[number] >= ALIKE_MIN]
    alike = sorted(alike, key=lambda number: (-likeness.alike[number], -number))[: asked.count]
    found = [_followed(graph, number, likeness.alike[number]) for number in alike]
    reading, present = Reading(), frozenset(of.situation.features)
    similar = [_similar(graph, each, likeness, present, reading) for each in found]
    led = [each for each in found if each.next is not None]
    return WhatNext(
        of.episode,
        of.session,
        _names(graph, of.situation.features),
        len(numbers),
        similar,
        len(led),
        _next(graph, led, likeness),
        _together(led),
        graph.header.seq,
    )


def _of(graph: Graph, index: MemoryIndex, asked: AskNext) -> _Of:
    """Return what is asked of, as it can be compared."""
    split = index.tokenizer.terms
    if asked.words.strip() or asked.features:
        names = named(graph, index.feature_names, asked.words, asked.features)
        known = [number for number in map(graph.feature, names) if number is not None]
        return _Of(Situation(known, split(asked.words)[:_TERMS_MAX]))
    if asked.episode is not None:
        return _of_episode(graph, index, episode_called(graph, asked.episode).number)
    return _of_session(graph, index, asked.session)


def _of_episode(graph: Graph, index: MemoryIndex, number: int, session: str | None = None) -> _Of:
    record = Reading().fields(graph, number)
    text: str = content_in(record).get("text") or ""
    situation = Situation(list(graph.parts(number).carriers), index.tokenizer.terms(text)[:_TERMS_MAX])
    return _Of(situation, record["id"], session, number)


def _of_session(graph: Graph, index: MemoryIndex, name: str | None) -> _Of:
    """Return what goes on in a session: what is in its buffer, or else the last episode that it has had."""
    sessions = graph.sessions
    if name is None:
        if not sessions:
            raise InvalidAskError("no session is open: give a situation, or an episode")
        name = max(sessions, key=lambda each: (sessions[each].touched, each))
    name = composed(name)
    session = sessions.get(name)
    if session is None:
        raise InvalidAskError(f"no session {name!r} is open: give a situation, or an episode")
    events = buffered(graph, session, Reading())
    if not events and session.episode and standing(graph, [session.episode]):
        return _of_episode(graph, index, session.episode, name)
    features: dict[str, int] = {}
    for event in events:
        for feature in dict.fromkeys(event.features):
            features[feature] = features.get(feature, 0) + 1
    # As many as an episode of these events would be made of, and the same ones.
    numbers = [(-times, number) for each, times in features.items() if (number := graph.feature(each)) is not None]
    known = [number for _, number in sorted(numbers)[: graph.header.policy.features_paired_max]]
    terms = [term for event in events for term in index.tokenizer.terms(event.text or "")]
    return _Of(Situation(known, list(dict.fromkeys(terms))[:_TERMS_MAX]), None, name)


def _followed(graph: Graph, number: int, likeness: float) -> _Followed:
    following = standing(graph, follow(graph, number))
    if not following:
        return _Followed(number, likeness, None, Ended(None, 0, 0))
    return _Followed(number, likeness, following[0], _ended(graph, following[0]))


def _ended(graph: Graph, number: int) -> Ended:
    values = [outcome.value for outcome in outcomes_of(graph, graph.expect(number))]
    mean = _sum(values) / len(values) if values else None
    return Ended(mean, sum(value > 0 for value in values), sum(value < 0 for value in values))


def _together(led: Sequence[_Followed]) -> Ended:
    """Return how what followed ended: the mean of the values by likeness, and all outcomes."""
    judged = [(each.likeness, each.ended.value) for each in led if each.ended.value is not None]
    weight = _sum(likeness for likeness, _ in judged)
    value = _sum(likeness * value for likeness, value in judged) / weight if judged else None
    return Ended(value, sum(each.ended.good for each in led), sum(each.ended.bad for each in led))


def _next(graph: Graph, led: Sequence[_Followed], likeness: Likeness) -> list[ComesNext]:
    """Return the features of what followed, the most telling first: a share counts by how unusual it is."""
    total = _sum(each.likeness for each in led)
    having: dict[int, list[_Followed]] = {}
    for each in led:
        if each.next is not None:
            parts = graph.parts(each.next).carriers
            for part in dict.fromkeys(parts):
                having.setdefault(part, []).append(each)
    told: list[tuple[float, int, ComesNext]] = []
    for part, those in having.items():
        if is_feature(part) and graph.node(part) is not None:
            share = _sum(each.likeness for each in those) / total
            usual = likeness.usual(part)
            gain = share * log2(share / usual) if usual else share
            told.append((-gain, part, ComesNext(graph.feature_name(part), share, len(those), usual, _together(those))))
    told.sort(key=lambda each: each[:2])
    return [each for _, _, each in told[:_NEXT_MAX]]


def _similar(graph: Graph, each: _Followed, likeness: Likeness, present: frozenset[int], reading: Reading) -> Similar:
    common = [part for part in likeness.parts(each.number) if part in present]
    common.sort(key=lambda part: (-likeness.weight(part), part))
    following = None if each.next is None else step(graph, each.next, reading)
    ended = _ended(graph, each.number)
    episode = step(graph, each.number, reading)
    return Similar(episode, each.likeness, _names(graph, common), ended, following, each.ended)


def _names(graph: Graph, parts: Iterable[int]) -> list[str]:
    return [graph.feature_name(part) for part in parts if is_feature(part) and graph.node(part) is not None]


def _sum(values: Iterable[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


WHAT_NEXT: Final = Read(
    "what_next",
    AskNext,
    WhatNext,
    "POST /what-next",
    "What usually comes next",
    """Return episodes like a situation, what followed on them, how likely, and how that ended.

The situation is given by `text` and `features`, or it is that of an `episode` or of a `session`; without any of
these it is what goes on in the session that was touched last. Shares are of the similar ones that were
`followed`, each counted by its likeness.""",
    (UNKNOWN_NODE,),
    example={"features": ["deploy", "friday"]},
)
