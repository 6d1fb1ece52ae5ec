"""What a memory answers: structured objects with their scores, their places in the log and their lineage."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .memories import MemoryObject


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command stands: in its memory's history and in the log."""

    seq: int
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Scores:
    """Why a memory was returned, and why there. All but ``priority`` lie in [0, 1].

    ``lexical`` and ``vector`` compare it with the query (0 where there is nothing to compare), ``spread`` is what came
    to it from other hits over the graph and from its neighbours in time, ``relevance`` fuses the three and decides
    whether it is a candidate at all, and ``priority`` orders the candidates.
    """

    lexical: float
    vector: float
    spread: float
    relevance: float
    priority: float


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
class Found:
    """A memory, why it was returned, where it stands, where it comes from, and how many tokens its text takes."""

    memory: MemoryObject
    scores: Scores
    place: Place
    lineage: Lineage
    tokens: int


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
    outcomes that it had a part in, ``kinds`` are the kinds of outcome that it has come to mean, the strongest first,
    and ``outcomes`` the ids of the latest few behind it, as far as they are remembered.
    """

    feature: str
    valence: float
    sureness: float
    good: int
    bad: int
    kinds: list[KindForetold] = field(default_factory=list[KindForetold])
    outcomes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Follows:
    """What has usually followed a feature: the leading feature of the event after it, in its session.

    ``share`` is that of this step among all that have become a trajectory from there, ``usage`` counts how often it was
    taken, and ``weight`` is what is left of it at this tick. A step that was not taken twice in a row is none.
    """

    feature: str
    next: str
    share: float
    usage: int
    weight: float


@dataclass(frozen=True, slots=True)
class Foretelling:
    """The answer to ``foretell``: what the features of a situation foretell, and what usually follows them.

    ``features`` are those of them that the memory knows: the ones that were given, then those that the text names.
    """

    text: str
    features: list[str]
    foretold: list[Foretold]
    followed_by: list[Follows]
    as_of: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why there is no answer: the confidence that was reached, what the memory's policy asks for, what was nearest.

    ``nearest`` holds references of at most three memories; none of them is an answer.
    """

    reason: str
    confidence: float
    threshold: float
    nearest: list[str]


@dataclass(frozen=True, slots=True)
class Context:
    """The answer to ``get_context``: memories, the seq that it was read at, and the recall that records it.

    ``found`` is in order of ``scores.priority``, the greatest first; of two alike the older comes first.
    ``principles`` are returned whatever was asked, before everything else. ``nothing`` is set when the memory refuses
    to guess; ``found`` is empty then. ``confidence``, in [0, 1], says how sure it is that the memory knows of what was
    asked at all, and ``gap``, in [-1, 1], is negative when what is asked about whom the question names is better known
    of others; the policy's ``search_refusal`` and ``search_gap`` say from where on they are too low. ``versions`` names
    ranker, tokenizer, index and the model of the vectors.
    ``foretold`` is what the features that the question names, or that were given with it, have come to mean.
    ``recall_id`` is None and ``recorded`` false when no record was asked for, or when it could not be appended.
    """

    query: str
    found: list[Found]
    as_of: int
    principles: list[Found] = field(default_factory=list[Found])
    foretold: list[Foretold] = field(default_factory=list[Foretold])
    nothing: Nothing | None = None
    confidence: float = 0.0
    gap: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    recall_id: str | None = None
    recorded: bool = False

    @property
    def refs(self) -> list[str]:
        """The references of all that was returned, principles first, in order."""
        return [entry.memory.ref for entry in (*self.principles, *self.found)]

    @property
    def tokens(self) -> int:
        """How many tokens the text of all that was returned takes."""
        return sum(entry.tokens for entry in (*self.principles, *self.found))


@dataclass(frozen=True, slots=True)
class Case:
    """A situation like the one that was asked about: what was done then, what followed in its session, how it ended.

    ``value`` in [-10, 10] is the outcome that weighs most of those on its side, good or bad. When none of these is
    remembered any more (``remembered`` false), it is the mean of what was said of it, in which the newest counts most,
    and 0 where that says the opposite. A ``mixed`` one ended well and badly: it stands among the good cases and among
    the bad ones.
    """

    found: Found
    value: float
    followed_by: list[MemoryObject]
    mixed: bool = False
    remembered: bool = True


@dataclass(frozen=True, slots=True)
class Floor:
    """What makes a situation similar, by itself: a score ``lexical`` of at least this, or such a score ``vector``.

    ``vector`` is None when no vectors were compared. A relevance that comes from its session, from its neighbours or
    over the graph is not enough.
    """

    lexical: float
    vector: float | None = None

    def under(self, scores: Scores) -> bool:
        """Return whether something with these scores is not similar."""
        return scores.lexical < self.lexical and (self.vector is None or scores.vector < self.vector)


@dataclass(frozen=True, slots=True)
class SimilarCases:
    """The answer to ``get_similar_cases``: what ended well and what ended badly, apart.

    Both are in order of ``scores.priority``, as a context is: a strong one may stand before one that is more alike.
    What ended both ways is in both, marked ``mixed``. ``floor`` says from where on a situation counts as similar, and
    ``below`` how many that have ended, and are relevant in some way, are left out for not being so. ``foretold`` says
    what the features that the question names, or that were given with it, have come to mean.
    """

    query: str
    good: list[Case]
    bad: list[Case]
    as_of: int
    nothing: Nothing | None = None
    floor: Floor | None = None
    below: int = 0
    foretold: list[Foretold] = field(default_factory=list[Foretold])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    recall_id: str | None = None
    recorded: bool = False

    @property
    def refs(self) -> list[str]:
        """The references of all cases, each once: the good ones, then the bad ones."""
        return list(dict.fromkeys(case.found.memory.ref for case in (*self.good, *self.bad)))


@dataclass(frozen=True, slots=True)
class Described:
    """One memory by its reference, as it is now, and the place of the command that made it (None for a feature)."""

    memory: MemoryObject
    place: Place | None
    as_of: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What an edge leads to. ``direction`` is "out" or "in".

    ``weight`` and ``permanence`` are the edge's own, and what is left of them at this tick.
    """

    ref: str
    node_kind: str
    edge_kind: str
    direction: str
    weight: float
    permanence: float
    usage: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The strongest edges of one memory, by ``weight``, strongest first; ``degree`` counts all that there are."""

    ref: str
    degree: int
    neighbours: list[Neighbour]
    as_of: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Events and episodes in order, the latest first; ``before`` asks for what came earlier, None at the beginning."""

    memories: list[MemoryObject]
    before: int | None
    as_of: int


@dataclass(frozen=True, slots=True)
class Became:
    """What became of a command: accepted at ``place``, or refused (``seq`` 0 in it) with a reason and a sentence."""

    id: str
    accepted: bool
    place: Place
    reason: str | None
    detail: str | None
    as_of: int
