"""What is otherwise in a memory at one moment than at another: a pure function of its graphs.

Memories are compared by number, all at once over their scalars, and only what differs is read. Claims may change where
their scalars do not, so each of those that are there at both moments is looked at. It is linear in the memory.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.laws.bounds.rank import node_rank, permanence_array, salience_array
from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, live_or_heir
from yggdrasil_projections.graph.lensed import unlensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.records import NOBODY, Node, NodeFlag, NodeKind, Ruling, Status, seq_of
from yggdrasil_schemas.ids import id_text

from ...claimed import claim_in, content_shown
from ...found import Foretold
from ...lens import STANDING
from ...memories import PAGE_BYTES, content_of, features_of, judged_by, reference_of, teller_of
from ...records import fields_in
from ..learning.foretold import foretold_by

Why = Literal["superseded", "rejected", "resolved", "quarantined", "archived", "forgotten"]
"""Why a memory fell. What is forgotten is no longer there."""
LESSONS_MAX: Final = 200
"""Features that are looked at for what they foretell: those first whose valence has changed most."""
DIGITS: Final = 3
"""So many digits behind the point figures are rounded to, and a change that is less is none."""
_LEAST: Final = 0.5 * 10.0**-DIGITS
_WHYS: Final[tuple[Why, ...]] = ("superseded", "rejected", "resolved", "quarantined", "archived", "forgotten")
_OUT: Final[dict[int, Why]] = {
    int(Status.SUPERSEDED): "superseded",
    int(Status.REJECTED): "rejected",
    int(Status.RESOLVED): "resolved",
    int(Status.QUARANTINED): "quarantined",
}
_STATUSES: Final = {int(status): status.name.lower() for status in Status}
_KINDS: Final = {int(kind): kind.name.lower() for kind in NodeKind}
_ARCHIVED: Final = int(NodeFlag.ARCHIVED)
_STALE: Final = int(NodeFlag.STALE)
_FEATURE: Final = int(NodeKind.FEATURE)
_CLAIM: Final = int(NodeKind.CLAIM)
_OUTCOME: Final = int(NodeKind.OUTCOME)

Numbers = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StateThen:
    """How a memory stood at one of the two moments: its status, what it said, and of a claim its value and validity.

    ``value`` is the object of a claim as it is shown, and of an outcome its value, in [-10, 10]. A claim held from
    ``valid_from`` until before ``valid_to``, in Unix ms, None where that is not known. ``text`` is None where there is
    none, or where it is sealed.
    """

    status: str
    archived: bool
    stale: bool
    text: str | None
    value: str | bool | float | None
    valid_from: int | None
    valid_to: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A memory that is otherwise at the second moment than at the first, and how it stood at both.

    ``before`` is None for what was not there yet, ``after`` for what is there no longer. ``at`` is when it happened, in
    Unix ms. ``why`` says of what fell why it did. ``by`` is the id of the command that gave it its status, ``reason``
    what that said, and ``instead`` the reference of what stands in its place, or contains what is forgotten.
    """

    ref: str
    kind: str
    seq: int
    at: int
    session: str
    said_by: str
    before: StateThen | None
    after: StateThen | None
    why: Why | None = None
    by: str | None = None
    reason: str | None = None
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong a memory was: ``rank``, by which the weakest are forgotten first, and two parts of it."""

    rank: float
    salience: float
    permanence: float


@dataclass(frozen=True, slots=True)
class Grown:
    """A memory, or a feature, that is stronger or weaker than it was; figures are rounded to thousandths."""

    ref: str
    kind: str
    text: str | None
    before: Strength
    after: Strength


@dataclass(frozen=True, slots=True)
class ForetoldOtherwise:
    """A feature that foretells something else than before; None where it foretold, or foretells, nothing."""

    feature: str
    before: Foretold | None
    after: Foretold | None


class Wanted(NamedTuple):
    """What is looked at: that of one source, of one session, and with one feature, each if it is given."""

    source: str | None = None
    session: str | None = None
    feature: str | None = None

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self == Wanted()

    def admits(self, graph: Graph, number: int) -> bool:
        """Whether a live node, which is no feature, is looked at. An outcome has the features of what it judges."""
        if self.everything:
            return True
        record = fields_in(content_of(graph, number))
        if self.source is not None and record["source"] != self.source:
            return False
        if self.session is not None and record.get("session", SESSION_DEFAULT) != self.session:
            return False
        return self.feature is None or self.feature in _features(graph, graph.expect(number), record)


class Differences(NamedTuple):
    """What differs, and how many of each kind, or for each reason, there are in all."""

    learnt: list[Difference]
    fell: list[Difference]
    changed: list[Difference]
    grew: list[Grown]
    faded: list[Grown]
    foretold: list[ForetoldOtherwise]
    learnt_kinds: dict[str, int]
    fell_whys: dict[str, int]
    changed_count: int
    grew_count: int
    faded_count: int
    foretold_count: int


class _Side:
    """A graph with its nodes in arrays: numbers that ascend, scalars, and the rank of each."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        table, header = graph.node_table(), graph.header
        self.numbers: Numbers = table.keys.astype(np.uint64)
        self.rows = table.rows
        self.rank = node_rank(header.policy, self.rows, header.tick)
        self.said: npt.NDArray[np.bool_] = self.rows["kind"] != _FEATURE

    def strongest(self, places: Places) -> list[int]:
        """Return the numbers at some places, those of the highest rank first, of equals the latest."""
        found: list[int] = self.numbers[places[np.lexsort((-places, -self.rank[places]))]].tolist()
        return found

    def foretelling(self) -> npt.NDArray[np.bool_]:
        """Return which nodes are features that outcomes have judged."""
        judged: npt.NDArray[np.bool_] = self.rows["good"].astype(np.int64) + self.rows["bad"] > 0
        return ~self.said & judged

    def strength(self, place: int) -> Strength:
        """Return how strong the node at a place is."""
        row, header = self.rows[place : place + 1], self.graph.header
        salience = float(salience_array(row, header.tick)[0])
        permanence = float(permanence_array(header.policy, row, header.tick)[0])
        return Strength(*(round(each, DIGITS) for each in (float(self.rank[place]), salience, permanence)))


def differing(before: Graph, after: Graph, wanted: Wanted, count: int) -> Differences:
    """Return what differs between an earlier graph of a memory and a later one: at most ``count`` of each.

    What was learnt and what changed comes by how strong it is after, what fell by why and how strong it was. Where
    texts are long there are fewer.
    """
    old, new = _Side(before), _Side(after)
    _, at_old, at_new = np.intersect1d(old.numbers, new.numbers, assume_unique=True, return_indices=True)
    pages = _Pages(count)
    added = np.flatnonzero(~np.isin(new.numbers, old.numbers, assume_unique=True) & new.said)
    learnt = [number for number in new.strongest(added) if wanted.admits(after, number)]
    altered = list(_altered(old, new, at_old, at_new))
    fallen: dict[int, Why] = {number: why for number in altered if (why := _why(before, after, number)) is not None}
    changed = sorted(set(altered) - fallen.keys())
    gone = np.flatnonzero(~np.isin(old.numbers, new.numbers, assume_unique=True) & old.said)
    forgotten: Why = "forgotten"
    fallen |= dict.fromkeys(old.numbers[gone].tolist(), forgotten)
    places = np.searchsorted(old.numbers, np.array(sorted(fallen), np.uint64))
    fell = [number for number in old.strongest(places) if wanted.admits(before, number)]
    fell.sort(key=lambda number: _WHYS.index(fallen[number]))  # and those of one reason stay as they were
    places = np.searchsorted(new.numbers, np.array(changed, np.uint64))
    changed = [number for number in new.strongest(places) if wanted.admits(after, number)]
    grew, faded = _moved(old, new, at_old, at_new, wanted)
    lessons, more = _lessons(old, new, at_old, at_new, wanted)
    kinds: Counter[int] = Counter(new.rows["kind"][np.searchsorted(new.numbers, np.array(learnt, np.uint64))].tolist())
    whys = Counter(fallen[number] for number in fell)
    return Differences(
        pages.of(learnt, lambda number: _difference(before, after, number)),
        pages.of(fell, lambda number: _difference(before, after, number, fallen[number])),
        pages.of(changed, lambda number: _difference(before, after, number)),
        [_grown(old, new, *each) for each in grew[:count]],
        [_grown(old, new, *each) for each in faded[:count]],
        lessons[:count],
        dict(sorted((_KINDS[kind], times) for kind, times in kinds.items())),
        {why: whys[why] for why in _WHYS if why in whys},
        len(changed),
        len(grew),
        len(faded),
        len(lessons) + more,
    )


class _Pages:
    """Describes what is told: so many at most, and fewer where texts are long."""

    def __init__(self, count: int) -> None:
        self._count = count

    def of(self, numbers: Sequence[int], describe: Callable[[int], Difference]) -> list[Difference]:
        """Return the first of them."""
        found: list[Difference] = []
        told_chars = 0
        for number in numbers[: self._count]:
            if told_chars >= PAGE_BYTES:
                break
            found.append(describe(number))
            told_chars += sum(len(each.text or "") for each in (found[-1].before, found[-1].after) if each is not None)
        return found


def _altered(old: _Side, new: _Side, at_old: Places, at_new: Places) -> Iterator[int]:
    """Yield the numbers of what is there at both moments and stands, says, or holds otherwise."""
    had, has, said = old.rows[at_old], new.rows[at_new], new.said[at_new]
    otherwise = had["status"] != has["status"]
    otherwise |= (had["flags"] ^ has["flags"]) & (_ARCHIVED | _STALE) != 0
    yield from new.numbers[at_new[said & otherwise]].tolist()
    trusted, claims = had["trust"] != has["trust"], has["kind"] == _CLAIM
    before, after = unlensed(old.graph), unlensed(new.graph)
    for number, by_trust in zip(
        new.numbers[at_new[claims & ~otherwise]].tolist(), trusted[claims & ~otherwise].tolist(), strict=True
    ):
        if (by_trust or _says(before, number) != _says(after, number)) and _state(old.graph, number) != _state(
            new.graph, number
        ):
            yield number


def _says(graph: Graph, number: int) -> tuple[object, ...]:
    """Return what of a claim may change while its status does not, but for who says so."""
    claim = graph.claim(graph.expect(number))
    return () if claim is None else (claim.begins, min(claim.ends, claim.closed), claim.named)


def _why(before: Graph, after: Graph, number: int) -> Why | None:
    """Return why what is there at both moments fell between them; None for what did not."""
    was, now = before.expect(number), after.expect(number)
    if now.status in _OUT and now.status != was.status:
        return _OUT[now.status]
    return "archived" if now.flags & ~was.flags & _ARCHIVED else None


def _difference(before: Graph, after: Graph, number: int, why: Why | None = None) -> Difference:
    was, now = before.node(number), after.node(number)
    graph, node = (after, now) if now is not None else (before, before.expect(number))
    record = fields_in(content_of(graph, number))
    by, reason, instead = _ruled(before, after, was, now)
    if why == "forgotten" and (heir := live_or_heir(after, number)) is not None:
        instead = reference_of(after, heir.number)
    return Difference(
        record["id"],
        _KINDS[node.kind],
        seq_of(number),
        record["at"],
        record.get("session", SESSION_DEFAULT),
        teller_of(graph, node, record),
        None if was is None else _state(before, number),
        None if now is None else _state(after, number),
        why,
        by,
        reason,
        instead,
    )


def _ruled(
    before: Graph, after: Graph, was: Node | None, now: Node | None
) -> tuple[str | None, str | None, str | None]:
    """Return which command ruled on what is still there, its reason, and what stands instead; None of one before."""
    ruling = Ruling() if now is None else after.ruling(now)
    if ruling.by == NOBODY or (was is not None and before.ruling(was).by == ruling.by):
        return None, None, None
    live = ruling.instead > 0 and after.node(ruling.instead) is not None
    return id_text(ruling.by), ruling.reason or None, reference_of(after, ruling.instead) if live else None


def _state(graph: Graph, number: int) -> StateThen:
    """Return how a live node stands."""
    node = graph.expect(number)
    record, kept = fields_in(content_of(graph, number)), graph.claim(node)
    claim = None if kept is None else claim_in(kept, record)
    return StateThen(
        _STATUSES[node.status],
        bool(node.flags & _ARCHIVED),
        bool(node.flags & _STALE),
        content_shown(node, record, claim).get("text"),
        float(record["body"]["value"]) if node.kind == _OUTCOME else None if claim is None else claim.object,
        None if claim is None else claim.valid_from,
        None if claim is None else claim.valid_to,
    )


def _features(graph: Graph, node: Node, record: dict[str, Any]) -> list[str]:
    if node.kind != _OUTCOME:
        return features_of(graph, node, record)
    judged = judged_by(graph, node.number)
    return [] if judged is None else features_of(graph, judged, fields_in(content_of(graph, judged.number)))


def _moved(
    old: _Side, new: _Side, at_old: Places, at_new: Places, wanted: Wanted
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the places of what stands at both moments and grew, and of what faded, what moved most first.

    Features are of nobody alone: they are among them where everything is looked at.
    """
    stands = np.isin(old.rows["status"][at_old], STANDING) & np.isin(new.rows["status"][at_new], STANDING)
    stands &= new.said[at_new] | wanted.everything
    moved: Floats = np.where(stands, new.rank[at_new] - old.rank[at_old], 0.0)
    order = np.lexsort((at_new, -np.abs(moved)))
    order = order[np.abs(moved[order]) >= _LEAST]

    def of(sign: int) -> list[tuple[int, int]]:
        chosen = order[moved[order] * sign > 0]
        pairs = zip(at_old[chosen].tolist(), at_new[chosen].tolist(), strict=True)
        return [each for each in pairs if wanted.admits(new.graph, int(new.numbers[each[1]]))]

    return of(1), of(-1)


def _grown(old: _Side, new: _Side, at_old: int, at_new: int) -> Grown:
    graph, number = new.graph, int(new.numbers[at_new])
    node, strengths = graph.expect(number), (old.strength(at_old), new.strength(at_new))
    if node.kind == _FEATURE:
        name = graph.feature_name(number)
        return Grown(FEATURE_PREFIX + name, _KINDS[node.kind], name, *strengths)
    return Grown(reference_of(graph, number), _KINDS[node.kind], _state(graph, number).text, *strengths)


def _lessons(
    old: _Side, new: _Side, at_old: Places, at_new: Places, wanted: Wanted
) -> tuple[list[ForetoldOtherwise], int]:
    """Return which features foretell something else, and how many more may: those are not looked at.

    Features are of no source and of no session.
    """
    if wanted.source is not None or wanted.session is not None:
        return [], 0
    had, has = old.foretelling(), new.foretelling()
    was: dict[int, tuple[float, int, int]] = _judged(old, had)
    now: dict[int, tuple[float, int, int]] = _judged(new, has)
    numbers = [number for number in sorted(was.keys() | now.keys()) if was.get(number) != now.get(number)]
    if wanted.feature is not None:
        meant = {old.graph.feature(wanted.feature), new.graph.feature(wanted.feature)}
        numbers = [number for number in numbers if number in meant]
    nothing = (0.0, 0, 0)
    numbers.sort(key=lambda each: -abs(now.get(each, nothing)[0] - was.get(each, nothing)[0]))
    looked_at = numbers[:LESSONS_MAX]
    names = dict.fromkeys((new if number in now else old).graph.feature_name(number) for number in looked_at)
    pairs = ((name, foretold_by(old.graph, name), foretold_by(new.graph, name)) for name in names)
    found = [ForetoldOtherwise(*each) for each in pairs if _teaches(each[1]) != _teaches(each[2])]
    return found, len(numbers) - len(looked_at)


def _judged(side: _Side, which: npt.NDArray[np.bool_]) -> dict[int, tuple[float, int, int]]:
    rows = side.rows[which]
    figures = (rows[name].tolist() for name in ("valence", "good", "bad"))
    return dict(zip(side.numbers[which].tolist(), zip(*figures, strict=True), strict=True))


def _teaches(foretold: Foretold | None) -> tuple[float, frozenset[str]] | None:
    """Return what is foretold, without how often and how surely."""
    if foretold is None:
        return None
    return round(foretold.valence, DIGITS), frozenset(each.kind for each in foretold.kinds)
