"""What changed between two moments of a memory, and which of its answers are other ones: ``memory.diff(a, b)``."""

from collections.abc import Set
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Final, cast

import numpy as np
from pydantic import Field

from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX
from yggdrasil_projections.graph.lensed import hidden_of, lensed, trust_min_of, unlensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.wire import Name
from yggdrasil_schemas.names import composed

from ...asks import check_text
from ...errors import InvalidAskError
from ...found import OfAMoment
from ...parameters import SessionNamed
from ...past.moment import WRITTEN, WRITTEN_CHARS_MAX, AsOf
from ...query import OnTheWire, Query, Read, Source, sent_of
from .answering import AnswerOtherwise, asked_again, questions_between
from .differing import Difference, Differences, ForetoldOtherwise, Grown, Wanted, differing

COUNT: Final = 20
"""So many of each are told unless something else is asked for."""
COUNT_MAX: Final = 1_000
QUESTIONS: Final = 10
"""So many questions are asked again unless something else is asked for."""
QUESTIONS_MAX: Final = 50
_MomentSent = Annotated[str, Field(min_length=1, max_length=WRITTEN_CHARS_MAX)]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many more there are of each than are told.

    Of ``foretold`` features that nobody has looked at are among them. ``answers`` counts questions that could not be
    asked again: they are sealed, or go on from another answer.
    """

    learnt: int = 0
    fell: int = 0
    changed: int = 0
    grew: int = 0
    faded: int = 0
    foretold: int = 0
    answers: int = 0


@dataclass(frozen=True, slots=True)
class Diff(OfAMoment):
    """What is otherwise in a memory at the seq ``as_of`` than it was at ``since``, the log's time then in ``since_ms``.

    ``learnt`` is what is new, the strongest first, and ``learnt_kinds`` how many there are of each kind. ``fell`` is
    what was superseded, rejected, resolved, put in quarantine, archived or forgotten, in this order, and ``fell_whys``
    how many there are of each. ``changed`` is what has another status, text, value or validity, or hangs on what no
    longer stands. Whatever is learnt, fell or changed is in one of the three, and in no two. ``grew`` and ``faded``
    have what moved most first. ``foretold`` are features that foretell another valence, or other kinds of outcomes.
    ``answers`` are the latest of the questions that were asked in between of which the answer is another one, and
    ``asked`` is how many were asked again. ``left_out`` counts what is not told.
    """

    memory: str
    since: int
    since_ms: int
    as_of: int
    learnt: list[Difference] = field(default_factory=list[Difference])
    fell: list[Difference] = field(default_factory=list[Difference])
    changed: list[Difference] = field(default_factory=list[Difference])
    grew: list[Grown] = field(default_factory=list[Grown])
    faded: list[Grown] = field(default_factory=list[Grown])
    foretold: list[ForetoldOtherwise] = field(default_factory=list[ForetoldOtherwise])
    answers: list[AnswerOtherwise] = field(default_factory=list[AnswerOtherwise])
    learnt_kinds: dict[str, int] = field(default_factory=dict[str, int])
    fell_whys: dict[str, int] = field(default_factory=dict[str, int])
    asked: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)


@dataclass(frozen=True, slots=True)
class AskDiff(Query[Diff]):
    """Return what changed since the moment ``a``: what was learnt, what fell and why, and which answers are others.

    Of a past it is what changed until then. With ``source``, ``session`` or ``feature`` only what is of it is told;
    features foretell for all sources and sessions. There are at most ``count`` of each, and ``questions`` of those that
    were asked in between are asked again. What is in quarantine today is in no diff. It is no recall.

    Raises NoSuchMomentError, BeingBuiltError, and InvalidAskError where ``a`` is after what it is compared with.
    """

    a: Annotated[AsOf, OnTheWire(_MomentSent), Field(alias="from", description=f"Since when: {WRITTEN}.")]
    _: KW_ONLY
    source: Name | None = None
    session: SessionNamed | None = None
    feature: Annotated[Name | None, Field(description="With this feature, by its name.")] = None
    count: Annotated[int, Field(ge=1, le=COUNT_MAX)] = COUNT
    questions: Annotated[int, Field(ge=0, le=QUESTIONS_MAX)] = QUESTIONS

    def __post_init__(self) -> None:
        """Raise InvalidAskError for what cannot be meant."""
        object.__setattr__(self, "a", AsOf.of(cast("object", self.a)))
        for name, least, most in (("count", 1, COUNT_MAX), ("questions", 0, QUESTIONS_MAX)):
            given: object = getattr(self, name)
            if type(given) is not int or not least <= given <= most:
                raise InvalidAskError(f"{name} must lie between {least} and {most}, not {str(given)[:40]}")
        for name in ("source", "session", "feature"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, composed(check_text(name, getattr(self, name))))

    def read(self, source: Source, /) -> Diff:
        """Answer it, outside of any turn but for the questions, each of which has its own."""
        feature = None if self.feature is None else self.feature.removeprefix(FEATURE_PREFIX)
        wanted = Wanted(self.source, self.session, feature)
        with source.standing(self.a) as earlier:
            with earlier.frozen() as old, source.frozen() as new:
                since, as_of = old.header.seq, new.header.seq
                if since > as_of:
                    said = f"{self.a.written} is seq {since}, which comes after seq {as_of}"
                    raise InvalidAskError(f"{said}: swap them, the earlier moment comes first")
                fallen = source.in_quarantine()
                withheld = _there(fallen, old, new)
                hidden = fallen | hidden_of(old) | hidden_of(new)
                before, after = _hiding(old, hidden), _hiding(new, hidden)
                found = differing(before, after, wanted, self.count)
                asked = questions_between(earlier, source, after, since, wanted, self.questions)
            answers = asked_again(earlier, source, asked, hidden)
            since_ms = earlier.now_ms()
        return Diff(
            source.memory,
            since,
            since_ms,
            as_of,
            found.learnt,
            found.fell,
            found.changed,
            found.grew,
            found.faded,
            found.foretold,
            answers.otherwise,
            found.learnt_kinds,
            found.fell_whys,
            len(asked) - answers.failed,
            _left_out(found, answers.failed),
            withheld=withheld,
        )

    def sent(self) -> dict[str, Any]:
        """Return what is sent of it over HTTP."""
        return sent_of(self) | {"from": self.a.written}


def _hiding(graph: Graph, hidden: Set[int]) -> Graph:
    """Return a graph in which some nodes are not there either."""
    return lensed(unlensed(graph), trust_min_of(graph), hidden)


def _there(numbers: Set[int], *graphs: Graph) -> int:
    """Return how many nodes are there at one moment at least."""
    wanted = np.array(sorted(numbers), np.uint64)
    there = np.zeros(len(wanted), np.bool_)
    for graph in graphs if numbers else ():
        there |= np.isin(wanted, unlensed(graph).node_table().keys.astype(np.uint64))
    return int(there.sum())


def _left_out(found: Differences, answers: int) -> LeftOut:
    return LeftOut(
        sum(found.learnt_kinds.values()) - len(found.learnt),
        sum(found.fell_whys.values()) - len(found.fell),
        found.changed_count - len(found.changed),
        found.grew_count - len(found.grew),
        found.faded_count - len(found.faded),
        found.foretold_count - len(found.foretold),
        answers,
    )


DIFF: Final = Read(
    "diff",
    AskDiff,
    Diff,
    "GET /diff",
    "What changed between two moments",
    """Return what changed since the moment `from`, until now or until `as_of`: what was learnt, what fell and why, what
changed, grew and faded, which features foretell something else, and which answers are other ones.

The questions that were asked in between are asked again at both moments. It is no recall, and is never recorded.""",
    recorded="never",
    example={"a": 3},
    moments=("from",),
)
