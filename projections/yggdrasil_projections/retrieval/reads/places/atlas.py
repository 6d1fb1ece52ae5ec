"""What an ask sees of links, joined: which claims are about a thing, and which paths lead from a place to others.

What the lens does not admit, what does not hold then and what stands no more is not there. Names that are joined are
one thing, as far as whoever joined them is trusted as much as whoever claims something.
"""

from collections import OrderedDict
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.laws.knowledge.predicates import definition_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Status

from ...asks import Where
from ...index.admission import Admission
from ...index.columns.documents import Array
from ...index.columns.links import ANCHORED, AT, ONEWAY, PATH, UNKNOWN, Columns
from ...index.held import Held
from ...index.vocabulary import FEATURE_TERM
from ...lens import DESK, STANDING
from .overlay import Overlay, costs_of

ANCHORS: Final = ("last_seen_at", AT)
"""The predicates that may say where a thing is by an anchor."""
_INVENTED: Final = 1 << 31  # from here on terms are invented for names that the lexicon does not have, nor will
_STATUSES: Final = max(Status) + 1
_OVERLAYS_KEPT: Final = 2
_RIVALS: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)

Rows = npt.NDArray[np.int32]


class Gate(NamedTuple):
    """What an ask sees of links: of what trust, of which moment, candidates too, and what is stale too."""

    trust_min: int = 0
    moment: int | None = None
    candidates: bool = False
    stale: bool = False


class Seen(NamedTuple):
    """The links that a gate admits, as they were in a turn: ``trust`` and ``number`` are those of their claims.

    ``rivals`` are the ends of all paths that may contradict one, admitted or not.
    """

    links: Columns
    trust: Array
    number: Array
    rivals: tuple[Array, Array]
    lexicon: list[str]
    terms: dict[str, int]
    words: dict[str, int]


class Edges(NamedTuple):
    """Paths by where they begin: those of node ``n`` are ``begin[n]`` until before ``begin[n + 1]``.

    ``target`` is where each leads, ``link`` its link. Where several lead from one node to another these stand together,
    the most trusted first, of these the youngest; ``unsure`` marks each of them, and all of which only its confidence
    tells whether it counts.
    """

    begin: npt.NDArray[np.int64]
    target: Rows
    link: Rows
    unsure: npt.NDArray[np.bool_]


class Atlas:
    """Links of nodes: things by number, in no order that means anything. ``subject`` and ``object`` are nodes."""

    def __init__(self, seen: Seen, graph: Graph) -> None:
        """Join what was seen by the names of ``graph``, which has the same lens and stands at the same position."""
        self.links, self.trust, self.number, self.words = seen.links, seen.trust, seen.number, seen.words
        self._lexicon = seen.lexicon
        self._terms = seen.terms
        joined = _Joined(seen, graph)
        subject, other = joined.of(self.links.subject, self.trust), joined.of(self.links.object, self.trust)
        self._called = joined.called
        self._term_of = joined.terms
        self.nodes: Array = np.unique(np.concatenate((subject, other[other != UNKNOWN])))
        self.subject = np.searchsorted(self.nodes, subject).astype(np.int32)
        self.object = np.where(other == UNKNOWN, UNKNOWN, np.searchsorted(self.nodes, other)).astype(np.int32)
        self._out = _grouped(self.subject, len(self.nodes))
        self._in = _grouped(self.object, len(self.nodes))
        self.edges = self._edges(seen, joined, graph)
        self.on_paths: npt.NDArray[np.bool_] = self.edges.begin[1:] > self.edges.begin[:-1]
        self.on_paths[self.edges.target] = True
        unsure = np.zeros(len(self.nodes), np.uint8)
        unsure[np.searchsorted(self.edges.begin, np.flatnonzero(self.edges.unsure), side="right") - 1] = 1
        self.unsure = unsure.tobytes()
        """Of each node whether some of its edges are unsure."""
        self._costs: OrderedDict[Overlay, npt.NDArray[np.int64]] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes, with the costs of a few overlays."""
        arrays = [*self.links, self.trust, self.number, self.nodes, self.subject, self.object, *self.edges]
        arrays += [*self._out, *self._in]
        return sum(int(array.nbytes) for array in arrays) + _OVERLAYS_KEPT * 8 * len(self.edges.target)

    def costs(self, overlay: Overlay) -> npt.NDArray[np.int64]:
        """Return what each edge costs, in thousandths; those of the last two overlays are kept."""
        found = self._costs.get(overlay)
        if found is None:
            found = self._costs[overlay] = costs_of(self.links.taken(self.edges.link), overlay)
            while len(self._costs) > _OVERLAYS_KEPT:
                self._costs.popitem(last=False)
        return found

    def named(self, word: str) -> int:
        """Return the number of a predicate, a realm or a type; one that nothing has where nobody said it."""
        return self.words.get(word, len(self.words) + 1)

    def name(self, node: int) -> str:
        """Return the name of a node."""
        term = int(self.nodes[node])
        return self._called.get(term) or self._lexicon[term][len(FEATURE_TERM) :]

    def nodes_of(self, name: str, known: str) -> list[int]:
        """Return the nodes of a thing, by a name and then by the one under which it is ``known``.

        There are two where what is claimed of the name is trusted more than what joins it to the other.
        """
        terms = [self._terms.get(FEATURE_TERM + each, UNKNOWN) for each in (name, known)]
        found: list[int] = []
        for term in dict.fromkeys([*terms, self._term_of.get(known, UNKNOWN)]):
            at = int(np.searchsorted(self.nodes, term))
            if term != UNKNOWN and at < len(self.nodes) and self.nodes[at] == term:
                found.append(at)
        return found

    def about(self, node: int) -> list[int]:
        """Return the links of which a node is the subject, in order of number."""
        order, begin = self._out
        found: list[int] = order[begin[node] : begin[node + 1]].tolist()
        return found

    def leading_to(self, node: int) -> list[int]:
        """Return the links of which a node is the object, in order of number."""
        order, begin = self._in
        found: list[int] = order[begin[node] : begin[node + 1]].tolist()
        return found

    def saying(self, *predicates: str) -> npt.NDArray[np.bool_]:
        """Return which links say one of some predicates."""
        return np.isin(self.links.predicate, [self.named(each) for each in predicates])

    def anchored(self) -> npt.NDArray[np.int64]:
        """Return the links that say where a thing is, or was last."""
        return np.flatnonzero((self.links.flags & ANCHORED != 0) & self.saying(*ANCHORS))

    def _edges(self, seen: Seen, joined: "_Joined", graph: Graph) -> Edges:
        links, definition = self.links, definition_of(graph, PATH)
        both = definition.symmetric
        paths = np.flatnonzero((links.predicate == self.named(PATH)) & (self.object != UNKNOWN))
        paths = paths[self.subject[paths] != self.object[paths]]
        back = paths[links.flags[paths] & ONEWAY == 0] if both else paths[:0]
        link = np.concatenate((paths, back))
        begin = np.concatenate((self.subject[paths], self.object[back]))
        target = np.concatenate((self.object[paths], self.subject[back]))
        number, trust = self.number[link], self.trust[link].astype(np.int64)
        order = np.lexsort((-number, -trust, target, begin))
        link, begin, target, trust = link[order], begin[order], target[order], trust[order]
        doubted = np.full(len(link), definition.perish_ticks > 0)
        if not definition.perish_ticks:
            doubted = joined.contradicted(seen, self.nodes, begin, target)
        first = np.ones(len(link), np.bool_)
        first[1:] = (begin[1:] != begin[:-1]) | (target[1:] != target[:-1])
        group = np.cumsum(first) - 1
        leads = np.flatnonzero(first)
        as_trusted = np.bincount(group[trust == trust[leads][group]], minlength=len(leads))
        several = (as_trusted > 1) | doubted[leads]
        kept = first | several[group]
        begins = np.searchsorted(begin[kept], np.arange(len(self.nodes) + 1))
        return Edges(begins, target[kept].astype(np.int32), link[kept].astype(np.int32), several[group][kept])


class _Joined:
    """Which terms are one: each name that was given to a thing is that under which it is known."""

    def __init__(self, seen: Seen, graph: Graph) -> None:
        self.called: dict[int, str] = {}
        self.terms: dict[str, int] = {}  # those of things that are known under a name which nothing is claimed of
        joins: list[tuple[int, int, int]] = []
        for name in graph.source.named() if graph.header.aliases else ():
            names = graph.names(name)
            if name != names.canonical or not names.aliases:
                continue
            known = seen.terms.get(FEATURE_TERM + name)
            if known is None:
                known = _INVENTED + len(self.called)
                self.called[known] = name
                self.terms[name] = known
            for alias, trust in names.aliases:
                term = seen.terms.get(FEATURE_TERM + alias)
                if term is not None:
                    joins.append((term, known, trust))
        table = np.array(sorted(joins), np.int64).reshape(-1, 3)
        self._from, self._to, self._trust = table[:, 0], table[:, 1], table[:, 2]

    def of(self, terms: Array, trust: Array | None) -> Array:
        """Return the terms under which things are known; with ``trust`` those that are joined by enough of it."""
        found = terms.astype(np.int64)
        if len(self._from):
            at = np.minimum(np.searchsorted(self._from, found), len(self._from) - 1)
            joined = self._from[at] == found
            if trust is not None:
                joined &= trust <= self._trust[at]
            found[joined] = self._to[at[joined]]
        return found

    def contradicted(self, seen: Seen, nodes: Array, begin: Array, target: Array) -> npt.NDArray[np.bool_]:
        """Return which edges may have rivals: what else is said of a path between the same things."""
        ends = [self.of(each, None) for each in seen.rivals]
        pairs, counts = np.unique(_pairs(*ends), return_counts=True)
        many = pairs[counts > 1]
        if not len(many):
            return np.zeros(len(begin), np.bool_)
        own = _pairs(self.of(nodes[begin], None), self.of(nodes[target], None))
        at = np.minimum(np.searchsorted(many, own), len(many) - 1)
        found: npt.NDArray[np.bool_] = many[at] == own
        return found


def seen_of(held: Held, gate: Gate) -> Seen:
    """Return what a gate admits of the links of an index."""
    links, columns = held.links.columns, held.documents.columns
    table = np.zeros(_STATUSES, np.bool_)
    table[list(_RIVALS)] = True
    alive = columns.alive & (columns.note != DESK)
    rivals = np.flatnonzero(
        (links.predicate == held.links.words.get(PATH, -2)) & (alive & table[columns.status])[links.row]
    )
    wanted = [*STANDING, Status.CANDIDATE] if gate.candidates else [*STANDING]
    table[:] = False
    table[wanted] = True
    stands = alive & table[columns.status] & (columns.trust >= gate.trust_min)
    if not gate.stale:
        stands &= ~columns.stale
    where = Where(valid_at=gate.moment, trust_min=gate.trust_min)
    stands = Admission(held, where).held_then(stands)
    places = np.flatnonzero(stands[links.row])
    taken = links.taken(places)
    ends = links.subject[rivals], links.object[rivals]
    number = columns.number[taken.row]
    postings = held.postings
    return Seen(taken, columns.trust[taken.row], number, ends, postings.lexicon, postings.number, held.links.words)


def state_of(held: Held) -> tuple[int, ...]:
    """Return what changes whenever links do, or what is seen of them."""
    return held.documents.marked, len(held.links), held.links.touched


def _pairs(one: Array, other: Array) -> Array:
    """Return a number for each unordered pair of terms."""
    return np.minimum(one, other) << 32 | np.maximum(one, other)


def _grouped(of: Array, count: int) -> tuple[Rows, npt.NDArray[np.int64]]:
    """Return the places of an array by its values, and where those of each value begin; without those below 0."""
    order = np.argsort(of, kind="stable").astype(np.int32)
    return order, np.searchsorted(of[order], np.arange(count + 1))
