"""What the oracle remembers, and its arithmetic: decimals of 50 digits."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from math import inf
from types import SimpleNamespace
from typing import Any, Final

from yggdrasil_schemas.policy import Policy

DIGITS: Final = Context(prec=50)
ZERO: Final = Decimal(0)
ONE: Final = Decimal(1)
LN2: Final = Decimal("0.6931471805599453094172321214581765680755001343602552541206800094933936")
EDGE_KINDS: Final = ("temporal", "causal", "associative", "trajectory", "contains")  # in the order of their numbers
RELATIONS: Final = (
    "supports",
    "contradicts",
    "supersedes",
    "refines",
    "depends_on",
    "example_of",
    "part_of",
    "leads_to",
    "answers",
    "applies_to",
    "related",
)
KIND_NUMBERS: Final = (
    {kind: number for number, kind in enumerate(EDGE_KINDS, 1)}
    | {"evidence": 6}
    | {relation: number for number, relation in enumerate(RELATIONS, 16)}
)
PROTECTING: Final = frozenset(("catastrophic", "pinned"))
FALLEN: Final = frozenset(("quarantined", "superseded", "rejected"))
GONE_AFTER: Final = 2_000  # half-lives, after which nothing is left

Name = str  # the id of the command that made a node, or "feature:..."


@dataclass(eq=False, slots=True)
class Node:
    """A node; what was pruned stays an object that is not ``live``, so that no newer one is taken for it."""

    name: Name
    kind: str
    seq: int
    ordinal: int
    touched: int
    source: str = ""  # who said it
    process: str = ""
    salience: Decimal = ZERO
    half_life: Decimal = ONE
    each_tick: Decimal = ONE  # what salience is multiplied by at every tick, by its half-life
    stability: Decimal = ONE
    permanence: Decimal = ZERO
    impact: Decimal = ZERO
    valence: Decimal = ZERO
    usage: int = 0
    candidates: int = 0
    recalled_at: int = -1
    used_at: int = -1
    served: int = 0
    mentions: int = 1
    heeded: int = 0  # occurrences in what is trusted 1 or more
    witnessed: int = 0  # or 2 or more
    good: int = 0
    bad: int = 0
    level: int = 0
    pinned_at: Decimal = ZERO  # the permanence that its pin gives
    kinds: set[str] = field(default_factory=set[str])
    marks: set[int] = field(default_factory=set[int])
    flags: set[str] = field(default_factory=set[str])
    latest: "Node | None" = None
    concept: "Node | None" = None
    follower: "Node | None" = None  # the leading feature of the event after the last one that this one led
    heir: "Node | None" = None
    parts: list["Node"] = field(default_factory=list["Node"])  # what it was made of; some may have been pruned since
    informed: list["Recall"] = field(default_factory=list["Recall"])
    vectors: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])  # seq and trust, by model
    spent: "Spent | None" = None  # on adjustments
    regards: dict[bytes, "Regard"] = field(default_factory=dict[bytes, "Regard"])  # by key of the perspective
    live: bool = True
    swayed: set[str] = field(default_factory=set[str])  # which of valence and impact have ever been changed
    status: str = "active"
    trust: int = 4
    ruling: "Ruling | None" = None
    was: str = "active"  # the status before it was judged, or gave way
    claim: "Claim | None" = None
    remembered: bool = True  # by its slot, when it is rejected

    @property
    def number(self) -> int:
        """Older nodes have lower numbers; a command's own node comes before its new features."""
        return self.seq * 64 + self.ordinal

    @property
    def protected(self) -> bool:
        """Whether a flag protects it."""
        return not self.flags.isdisjoint(PROTECTING)

    @property
    def fallen(self) -> bool:
        """Whether it stands no more, or not yet, and was not settled."""
        return self.status in FALLEN

    @property
    def out(self) -> bool:
        """Whether it was judged, or gave way; what is in quarantine for want of trust waits."""
        judged = self.ruling is not None and self.ruling.reason != ""
        return self.status in ("superseded", "rejected", "resolved") or (self.status == "quarantined" and judged)

    @property
    def slot(self) -> bytes:
        """The slot that it has, whether or not it is in it; empty when it has none."""
        return self.ruling.slot if self.ruling else b""

    @property
    def authority(self) -> int:
        """The trust that it takes to change whether it stands."""
        return max(self.trust, self.ruling.trust if self.ruling else 0)


@dataclass(frozen=True, eq=False, slots=True)
class Ruling:
    """Why a node has its status: the command that gave it, if any, how far that is trusted, what stands instead."""

    slot: bytes
    by: Name
    trust: int
    instead: Node | None
    reason: str = ""
    self_approved: bool = False  # whoever approved it is the only one who says so


@dataclass(frozen=True, slots=True)
class Line:
    """Who says that a claim holds, whom they have it from, how far that is trusted, its weight, since when, its seq."""

    who: bytes
    root: bytes
    trust: int
    weight: int
    begins: float
    seq: int


@dataclass(eq=False, slots=True)
class Claim:
    """What a claim says. Moments are whole, or infinite where they are not known."""

    sort: str
    predicate: str
    value: bytes
    begins: float
    ends: float
    confirmed: int
    lines: list[Line]
    closed: float = inf
    named: tuple[str, str] = ("", "")
    before: Node | None = None
    seen: int = 0
    sighted: int = 0

    @property
    def until(self) -> float:
        """Before which moment it holds."""
        return min(self.ends, self.closed)


@dataclass(frozen=True, slots=True)
class Thing:
    """The name under which something is known, and the others with trust and seq of each who gave them."""

    canonical: str
    said: dict[str, list[tuple[int, int]]] = field(default_factory=dict[str, list[tuple[int, int]]])

    @property
    def aliases(self) -> dict[str, int]:
        """The others, each with the most trust with which it was given."""
        return {name: max(said)[0] for name, said in self.said.items()}

    def link(self, one: str, other: str) -> int:
        """How far it is trusted that two of its names are of one thing."""
        return 4 if one == other else min(self.aliases.get(name, 4) for name in (one, other))

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [self.canonical, *self.aliases]


@dataclass(frozen=True, slots=True)
class Perspective:
    """What an agent of a role cares about."""

    key: bytes
    name: str
    keywords: tuple[str, ...]


@dataclass(eq=False, slots=True)
class Regard:
    """How strong a node is under a perspective, at the present tick; ``touched`` is when it was given its half-life."""

    trust: int
    touched: int
    value: Decimal
    half_life: Decimal
    uses: int

    def pass_to(self, tick: int) -> None:
        """One tick passes."""
        gone = tick - self.touched >= GONE_AFTER * self.half_life
        self.value = ZERO if gone else self.value * halved(1, self.half_life)


@dataclass(eq=False, slots=True)
class Spent:
    """What adjustments have moved a node by since ``begun``, in whichever direction."""

    begun: int
    salience: Decimal = ZERO
    permanence: Decimal = ZERO
    factor: Decimal = ONE


@dataclass(eq=False, slots=True)
class Edge:
    """An edge, which fades like a node."""

    touched: int
    weight: Decimal
    half_life: Decimal = ONE
    each_tick: Decimal = ONE
    permanence: Decimal = ZERO
    usage: int = 0
    made: int = 0  # the seq of the command
    trust: int = 4  # the most with which it was made


EdgeKey = tuple[Node, str, Node]


@dataclass(eq=False, slots=True)
class Session:
    """An open session."""

    mark: int
    last: Node | None = None
    leading: Node | None = None
    episode: Node | None = None
    touched: int = 0
    trust: int = 0  # the most with which anything was recorded in it
    buffer: list[Node] = field(default_factory=list[Node])
    opened: Node | None = None  # the event that registered it
    heard: int = 0  # the tick at which something was recorded, or noted, in it last
    ended: bool = False
    desk: list[Node] = field(default_factory=list[Node])


@dataclass(eq=False, slots=True)
class Recall:
    """What a recall returned, with salience and permanence as they were."""

    seq: int
    as_of: int
    returned: list[tuple[Node, Decimal, Decimal]]
    reported: int = 0  # the seq of the report
    used: list[Node] = field(default_factory=list[Node])
    who: bytes = b""
    trust: int = 4
    least: int = 4  # of the trust of what was returned
    under: list[bytes] = field(default_factory=list[bytes])  # the keys of the perspectives


@dataclass(eq=False, slots=True)
class Gift:
    """What one node was given: what it had before, and what it has more since."""

    node: Node
    before: tuple[Decimal, ...]
    more: tuple[Decimal, ...] = ()
    told: Decimal = ZERO  # the weight of the edge by which it foretells
    regards: list[Decimal] = field(default_factory=list[Decimal])  # under each perspective of the account


@dataclass(eq=False, slots=True)
class Account:
    """What an outcome, or a report of use, gave."""

    tick: int
    sign: int
    kind: Node | None
    gifts: list[Gift]
    out: bool = False
    moved: int = 0  # the seq of what gave it, took it back, or gave it again
    under: list[bytes] = field(default_factory=list[bytes])  # the keys of the perspectives
    edges: list[tuple[EdgeKey, Decimal, Decimal]] = field(default_factory=list[tuple[EdgeKey, Decimal, Decimal]])
    """Between what was used: the weight that each was given, and by what its half-life was multiplied."""


@dataclass(eq=False, slots=True)
class Scorer:
    """A scorer that was proposed, with its trust; ``adopted`` is the seq of what let it count, 0 where it does not."""

    seq: int
    trust: int
    samples: int
    adopted: int = 0


@dataclass(eq=False, slots=True)
class Act:
    """What a command did beside its node: ``what`` and ``kept`` are as its kind has it."""

    trust: int
    what: Any
    status: str = "active"
    ruled: int = 0
    kept: Any = None
    by: Name = ""  # the verdict
    taken: Name = ""  # the verdict that took it out, while it is put back
    reason: str = ""


def exact(number: float) -> Decimal:
    """The decimal that the shortest way of writing ``number`` stands for: 0.1 is a tenth."""
    return Decimal(repr(number))


def constants(policy: Policy) -> SimpleNamespace:
    """The constants of a policy: counts as they are, everything else as decimals."""
    values = {name: getattr(policy, name) for name in policy.__slots__}
    return SimpleNamespace(
        **{name: value if isinstance(value, int) else exact(value) for name, value in values.items()}
    )


def within(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    """``value``, or the bound that it passes."""
    return max(low, min(high, value))


@lru_cache(maxsize=1 << 16)  # an exponential of 50 digits takes longer than all else here
def halved(ticks: int, half_life: Decimal) -> Decimal:
    """What is left of 1 after so many ticks: ``2^-(ticks / half_life)``."""
    if ticks >= GONE_AFTER * half_life:
        return ZERO
    with localcontext(DIGITS):
        return (-LN2 * ticks / half_life).exp()


def decimal(number: Fraction) -> Decimal:
    """A fraction with 50 digits."""
    return Decimal(number.numerator) / Decimal(number.denominator)


def sign(number: Decimal) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)


def session_mark(session: str) -> int:
    """Which of the 64 bits a session marks things with."""
    return blake2b(session.encode(), digest_size=1).digest()[0] & 63


def numbers(key: EdgeKey) -> tuple[int, int, int]:
    """The numbers of source, kind and target, by which edges sort."""
    return key[0].number, KIND_NUMBERS[key[1]], key[2].number


def by_number(nodes: Iterable[Node]) -> list[Node]:
    """Oldest first."""
    return sorted(nodes, key=lambda node: node.number)
