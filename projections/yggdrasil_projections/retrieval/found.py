"""What answers are made of: a memory that was found with its evidence, what is foretold, and why there is nothing."""

from dataclasses import dataclass, field
from typing import Literal

from yggdrasil_infra.clock import now_ms

from .memories import MemoryObject

Measure = Literal["confidence", "gap", "relevance"]
"""What a memory refuses by when it is too low; see ``Nothing``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfAMoment:
    """Of every answer: whether it is of the past, when that was, and how many nodes of the memory are withheld from it.

    ``past_ms`` is the log's time then, in Unix ms. Withheld is what has been taken into quarantine since. None of these
    enters into whether answers are equal.
    """

    past: bool = field(default=False, compare=False)
    past_ms: int | None = field(default=None, compare=False)
    withheld: int = field(default=0, compare=False)

    @property
    def now_ms(self) -> int:
        """The moment from which whoever reads it looks back, in Unix ms: the present, or that of a past."""
        return now_ms() if self.past_ms is None else self.past_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(OfAMoment):
    """Of every answer that may be recorded as a read: whether it was, and the id of that ``record_read``.

    A memory's policy says which reads are recorded (``reads_recorded``). Neither enters into whether answers are equal.
    """

    recorded: bool = field(default=False, compare=False)
    read_id: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command stands: in its memory's history and in the log."""

    seq: int
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Scores:
    """Why a memory was returned, and why there. The first four lie in [0, 1].

    ``lexical`` and ``vector`` compare it with the query (0 where there is nothing to compare), ``spread`` is what came
    to it from other hits over the graph and from its neighbours in time, ``relevance`` fuses the three and decides
    whether it is a candidate at all, and ``priority`` orders the candidates. ``named`` are its features that the
    question names, each ``kind:value`` with all words of the value among those of the question, and then its name and
    its aliases that it names. ``features`` are the nine numbers in [0, 4,096] by which a scorer ranks it
    (docs/scorer.md), empty where nobody wants them.
    """

    lexical: float
    vector: float
    spread: float
    relevance: float
    priority: float
    named: list[str] = field(default_factory=list[str])
    features: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where a memory comes from, by ids of commands.

    Who said it (``origin``, ``source``), what is said to have caused it, the recalls that informed it, and ``via``: the
    hits over which the search came to it, when it does not match the query itself.
    """

    origin: str
    source: str
    caused_by: list[str] = field(default_factory=list[str])
    informed_by: list[str] = field(default_factory=list[str])
    via: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a long text: how many ``chars`` the whole has, and the ``spans`` of it that stand in ``text``.

    A span is where it begins and where it ends, in characters (Unicode code points) of the whole.
    """

    chars: int
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """By which lot a memory is in an answer: the ``rank`` that it had, from 1, and its ``chance``, of 4,096."""

    rank: int
    chance: int


@dataclass(frozen=True, slots=True)
class Found:
    """A memory, why it was returned, where it stands, where it comes from, and how many tokens its text takes.

    ``uncertain``: it is no answer, and only the nearest that there is (see ``Nothing``). It is the latest of those that
    say the same: ``repeats`` counts the others, and ``since`` is when the earliest of all said it, in Unix ms, None
    where there is no other. ``excerpt``: its text is long and shown in part, with an ellipsis for what is left out;
    None of one that is whole. The whole is there with ``full``, or by its reference. ``drawn``: chance has added it to
    what is sure; None of what is.
    """

    memory: MemoryObject
    scores: Scores
    place: Place
    lineage: Lineage
    tokens: int
    uncertain: bool = False
    repeats: int = 0
    since: int | None = None
    excerpt: Excerpt | None = None
    drawn: Drawn | None = None


@dataclass(frozen=True, slots=True)
class More:
    """What else is near enough to be an answer, and was not returned: for want of places, or of tokens.

    There are ``count`` more, each of which says something else; unless ``exact``, at least so many, for not all that
    may be relevant was looked at. ``cursor``, given as ``more`` with the same question, brings the next ones. It is
    None where it would bring none: nothing of the answer fitted into the budget, or a thousand have been told.
    """

    count: int
    exact: bool
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Mentioned:
    """How many memories there are of what a question names, and which is the earliest and which the latest.

    ``of`` is a feature, a name or an alias. Of ``count`` memories some may only have all of its words, where it is not
    ``exact``. ``first`` and ``last`` are references, by when it happened. The read ``mentions`` has them all.
    """

    of: str
    count: int
    exact: bool
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two or more that cannot all be true: what stands, None where nothing does, and its rivals, the first first.

    What stands was said by somebody who is trusted more, or is pinned: that is the rule by which it does.
    """

    stands: MemoryObject | None
    rivals: list[MemoryObject]


@dataclass(frozen=True, slots=True)
class KindForetold:
    """A kind of outcome that a feature has come to mean; ``weight`` is what is left of that at this tick."""

    kind: str
    weight: float


@dataclass(frozen=True, slots=True)
class Foretold:
    """What a feature of the situation foretells.

    ``valence``, in [-10, 10], is the outcome that its presence predicts; ``sureness``, in [0, 1], how sure its sign is:
    how many more judgements agree with it than not, by their number and four more. ``good`` and ``bad`` count the
    outcomes that it had a part in, ``events`` how often it occurred, and ``base_rate``, in [0, 1], how many outcomes of
    the sign that it foretells each event without it has, 1 at most. ``kinds`` are the kinds of outcome that it has come
    to mean, the strongest first, and ``outcomes`` the ids of the latest few behind it, as far as they are remembered.
    """

    feature: str
    valence: float
    sureness: float
    good: int
    bad: int
    kinds: list[KindForetold] = field(default_factory=list[KindForetold])
    outcomes: list[str] = field(default_factory=list[str])
    events: int = 0
    base_rate: float = 0.0


@dataclass(frozen=True, slots=True)
class Follows:
    """What has usually followed a feature: what the event after it, in its session, had.

    ``usage`` counts how often that was so after the last 32 events with the feature that were not the last of their
    session, or as often as a trajectory between leading features has counted. ``share`` is how often of all times and
    four more: what was seen once is not sure. ``weight`` is what is left of the trajectory at this tick, 0 without one.
    """

    feature: str
    next: str
    share: float
    usage: int
    weight: float


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why there is no answer: what was too low, and what was nearest.

    ``acted`` names what the memory refused by: the ``confidence`` that it knows of what was asked at all, the ``gap``
    to what is known of others, or the ``relevance`` of the nearest. ``value`` is what was reached, and is below
    ``threshold``: ``min_confidence`` where it was given, or else what the memory's policy asks for. ``confidence`` is
    the same whatever acted.

    ``nearest`` holds at most three memories, the most relevant first, each marked ``uncertain``, and within the budget
    of tokens if there is one. None of them is an answer, so none is recorded as returned, or can be reported as used.
    ``filtered``: the question was put to a part of the memory, so what a filter hides may yet be an answer.
    """

    reason: str
    acted: Measure
    value: float
    threshold: float
    confidence: float
    nearest: list[Found]
    filtered: bool = False
