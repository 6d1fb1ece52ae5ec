"""What the benchmarks feed: seeded commands shaped like an agent's life, the same bytes on every machine.

Events draw their features from one topic at a time, as the files of one change or the people of one meeting occur
together; topics are popular by Zipf's law. One command in ten is an outcome, one in thirty a recall, half of which
are followed by a report of use.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Final

from yggdrasil_infra.log import LogRecord
from yggdrasil_producers.claims import Claimed
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_projections.retrieval.reads.learning.context import VERSIONS
from yggdrasil_schemas.ids import uuid7

_START_MS: Final = 1_700_000_000_000
_OUTCOME_SHARE: Final = 0.10
_RECALL_SHARE: Final = 0.035
_VALUES: Final = (-6.0, -3.0, -1.0, 0.0, 1.0, 2.0, 4.0)
_KINDS: Final = ("tests", "review", "deploy", "user", "incident")
_RECENT: Final = 20  # outcomes and recalls are about one of so many last events
_SESSION_COMMANDS: Final = 50  # then another of the open sessions goes on
_SESSIONS: Final = 10
_PREDICATES: Final = ("status", "owner", "likes", "part_of")  # of two of them a thing has one value
_VALUES_EACH: Final = 4
_SOURCES: Final = ("agent", "planner", "watcher")
_CONCLUDED: Final = 1 / 3


@dataclass(frozen=True, slots=True)
class Shape:
    """How a workload is made. ``correlated`` draws the features of an event from one topic.

    ``claims`` is the share of commands that are claims: of one of the things that events are about, mostly one of the
    values that it may have, half of them by predicates of which it has one, a third concluded from a recent event.
    """

    topics: int = 200
    features_per_topic: int = 10
    features: int = 4
    correlated: bool = True
    claims: float = 0.0


def drafts(shape: Shape, seed: int = 1, memory: str = "bench/agent") -> Iterator[Draft]:
    """Yield commands without end."""
    speaker = _Speaker(shape, seed, memory)
    while True:
        yield from speaker.next()


def records(commands: Iterator[Draft], count: int, start: int = 0) -> list[LogRecord]:
    """Return the next ``count`` commands as the records of a log with one partition, from offset ``start`` on."""
    return [
        LogRecord(0, offset, draft.key, draft.value, _START_MS)
        for offset, draft in enumerate(islice(commands, count), start)
    ]


class _Speaker:
    """One agent: what it has said decides what it may refer to."""

    def __init__(self, shape: Shape, seed: int, memory: str) -> None:
        self._shape = shape
        self._random = random.Random(seed)
        self._drafter = Drafter(memory, "agent", "benchmark")
        self._said = 0
        self._events: list[str] = []
        self._recall: str | None = None
        self._names = [f"f{number}" for number in range(shape.topics * shape.features_per_topic)]
        choices = shape.topics if shape.correlated else len(self._names)
        self._choices = range(choices)
        self._zipf = list(accumulate(1 / (rank + 1) for rank in range(choices)))

    def next(self) -> list[Draft]:
        """Return the next command, or a recall and the report that follows it."""
        roll = self._random.random()
        if self._events and roll < _OUTCOME_SHARE:
            return [self._outcome()]
        if self._events and roll < _OUTCOME_SHARE + _RECALL_SHARE:
            return self._recalled()
        if self._events and roll < _OUTCOME_SHARE + _RECALL_SHARE + self._shape.claims:
            return [self._claim()]
        return [self._event()]

    def _claim(self) -> Draft:
        pick = self._random
        (thing,) = self._features()[:1]
        claimed: Claimed = {"evidence": [pick.choice(self._events)]} if pick.random() < _CONCLUDED else {}
        value = f"value:{thing}-{pick.randrange(_VALUES_EACH)}"
        predicate = pick.choice(_PREDICATES)
        drafter = replace(self._drafter, source=pick.choice(_SOURCES))
        return drafter.assert_claim(thing, predicate, value, claimed=claimed, stamp=self._stamp())

    def _event(self) -> Draft:
        informed_by = [self._recall] if self._recall else []
        self._recall = None
        draft = self._drafter.record_event(
            f"step {self._said} of the work, told in about as many words as an agent's note usually has, or a few more",
            features=self._features(),
            session=self._session(),
            informed_by=informed_by,
            stamp=self._stamp(),
        )
        self._events.append(draft.id)
        del self._events[:-_RECENT]
        return draft

    def _features(self) -> list[str]:
        shape, pick = self._shape, self._random
        if shape.correlated:
            (topic,) = pick.choices(self._choices, cum_weights=self._zipf)
            first = topic * shape.features_per_topic
            return pick.sample(self._names[first : first + shape.features_per_topic], shape.features)
        found: dict[str, None] = {}
        while len(found) < shape.features:
            found[self._names[pick.choices(self._choices, cum_weights=self._zipf)[0]]] = None
        return list(found)

    def _outcome(self) -> Draft:
        value = self._random.choice(_VALUES)
        return self._drafter.log_outcome(
            self._random.choice(self._events),
            value,
            kind=self._random.choice(_KINDS),
            catastrophic=value < 0 and self._random.random() < 0.05,
            origin="tool",
            text="and this is how it turned out",
            session=self._session(),
            stamp=self._stamp(),
        )

    def _recalled(self) -> list[Draft]:
        chosen = self._random.sample(self._events, min(5, len(self._events)))
        refs = [*chosen, *(f"feature:{name}" for name in self._features())]
        body = {"purpose": "context", "as_of": 0, "returned": refs, "parameters": {"k": len(refs)}, **VERSIONS}
        text = {"text": "what do we know about this?"}
        recall = self._drafter.draft("record_recall", body, text, self._session(), self._stamp())
        self._recall = recall.id
        if self._random.random() < 0.5:
            return [recall]
        used = {"recall": recall.id, "used": chosen[:2], "result": "success", "helpful": True}
        return [recall, self._drafter.draft("report_use", used, None, self._session(), self._stamp())]

    def _session(self) -> str:
        return f"session-{self._said // _SESSION_COMMANDS % _SESSIONS}"

    def _stamp(self) -> Stamp:
        self._said += 1
        at = _START_MS + self._said
        return Stamp(uuid7(at, self._random.randbytes(10)), at)
