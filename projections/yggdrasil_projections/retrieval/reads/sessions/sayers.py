"""Who knows what: whose word stands of a thing, and how what they said turned out."""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from yggdrasil_projections.graph.lensed import trust_min_of, unlensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeKind
from yggdrasil_schemas.limits import FEATURE_CHARS_MAX, NAME_CHARS_MAX
from yggdrasil_schemas.names import composed

from ...asks import check_count, check_text
from ...errors import InvalidAskError
from ...found import Answered
from ...index.admission import told
from ...index.index import MemoryIndex
from ...index.vocabulary import FEATURE_TERM
from ...lens import narrowed
from ...memories import reference_of
from ...parameters import COUNT, COUNT_MAX, Count
from ...query import Query, Read, Source
from .registered import AGENT

_AGENTS_LOOKED_AT: Final = 256  # of what was said last, for the agents that are features of it
_AGENT_TERM: Final = FEATURE_TERM + AGENT
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sayer:
    """Who has said something of a thing, a source with its ``origin``, or a feature such as ``agent:planner``.

    A feature has no origin, since whoever speaks chose it. ``said`` counts their events and claims that stand, ``good``
    and ``bad`` the outcomes that these had a part in. ``latest`` is the reference of the last one, said at ``at`` (Unix
    ms); ``trust``, 0 to 4, is how far that one is trusted.
    """

    name: str
    origin: str | None
    said: int
    good: int
    bad: int
    latest: str
    at: int
    trust: int


@dataclass(frozen=True, slots=True)
class Sayers(Answered):
    """Who has said most of a thing, the first first: of equals who said so last. ``left_out`` counts the others."""

    about: str = ""
    sayers: list[Sayer] = field(default_factory=list[Sayer])
    left_out: int = 0
    as_of: int = 0


class _Said(NamedTuple):
    """What one has said: how much, what good and bad came of it, and the last: its node, its time and its trust."""

    name: str
    origin: str | None
    said: int
    good: int
    bad: int
    number: int
    at: int
    trust: int


def said_of(graph: Graph, index: MemoryIndex, about: str) -> list[_Said]:
    """Return who has said something that stands of a thing, by any of its names, who said most first."""
    columns = index.documents.columns
    wanted = told(index.held, narrowed(None, trust_min_of(graph)), None)
    wanted &= (columns.kind == NodeKind.EVENT) | (columns.kind == NodeKind.CLAIM)
    known = (index.postings.number.get(FEATURE_TERM + name) for name in graph.called(about))
    terms = [term for term in known if term is not None]
    of_it = np.zeros(len(wanted), np.bool_)
    if terms:
        of_it[index.postings.rows_of(terms)] = True
    rows = np.flatnonzero(wanted & of_it)
    if not len(rows):
        return []
    table = unlensed(graph).node_table()
    places = np.searchsorted(table.keys.astype(np.int64), columns.number[rows])
    good, bad = (table.rows[name][places].astype(np.int64) for name in ("good", "bad"))
    speakers, of = np.unique(columns.speaker[rows], return_inverse=True)
    named = {number: speaker for speaker, number in index.held.speakers.items()}  # any order: by number
    found = [
        _said(index, *named[speaker], rows, good, bad, np.flatnonzero(of == at))
        for at, speaker in enumerate(speakers.tolist())
    ]
    found += [_said(index, name, None, rows, good, bad, at) for name, at in _agents(index, rows)]
    return sorted(found, key=lambda each: (-each.said, -each.number, each.name, each.origin or ""))


def _said(
    index: MemoryIndex, name: str, origin: str | None, rows: Numbers, good: Numbers, bad: Numbers, at: Numbers
) -> _Said:
    columns, last = index.documents.columns, rows[at[-1]]
    given = int(good[at].sum()), int(bad[at].sum()), int(columns.number[last]), int(columns.at[last])
    return _Said(name, origin, len(at), *given, int(columns.trust[last]))


def _agents(index: MemoryIndex, rows: Numbers) -> Iterable[tuple[str, Numbers]]:
    """Yield the agents that are features of the latest of some documents, each with its places among these."""
    lexicon: Sequence[str] = index.postings.lexicon
    found: dict[str, list[int]] = {}
    begin = max(0, len(rows) - _AGENTS_LOOKED_AT)
    for at, row in enumerate(rows[begin:].tolist(), begin):
        terms, _ = index.postings.terms_of(row)
        numbers: list[int] = terms.tolist()
        for term in numbers:
            if lexicon[term].startswith(_AGENT_TERM):
                found.setdefault(lexicon[term].removeprefix(FEATURE_TERM), []).append(at)
    for name, places in found.items():
        yield name, np.array(places, np.int64)


@dataclass(frozen=True, slots=True)
class AskSayers(Query[Sayers]):
    """Return who has said most of what stands of a thing: who knows of it, and how what they said turned out.

    ``about`` is a feature, or a thing by any of its names. They are sources, and the agents (``agent:NAME``) that are
    features of the latest 256 of it. Raises InvalidAskError.
    """

    about: Annotated[str, Field(min_length=1, max_length=FEATURE_CHARS_MAX)]
    _: KW_ONLY
    count: Count = COUNT

    def __post_init__(self) -> None:
        if not 1 <= len(check_text("about", self.about)) <= NAME_CHARS_MAX:
            raise InvalidAskError(f"about is a feature of 1 to {NAME_CHARS_MAX} characters, such as service:checkout")
        check_count("count", self.count, COUNT_MAX)

    def read(self, source: Source, /) -> Sayers:
        """Answer it."""
        about = composed(self.about)
        with source.found(lambda graph, index: said_of(graph, index, about)) as (graph, found):
            shown = [
                Sayer(*each[:5], reference_of(graph, each.number), each.at, each.trust) for each in found[: self.count]
            ]
            return Sayers(about, shown, len(found) - len(shown), graph.header.seq)


SAYERS: Final = Read(
    "sayers",
    AskSayers,
    Sayers,
    "GET /sayers",
    "Who knows of a thing",
    """Return who has said most of what stands of a feature or a thing, with how what they said turned out.

They are sources, and agents that are features of what was said.""",
    example={"about": "deploy"},
)
