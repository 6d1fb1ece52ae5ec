"""What separates the paths that ended well from those that ended badly, beyond chance.

Paths are compared that began alike, or that are alike as a whole. A feature is a candidate when some of them have it
and some have not, before they end. It is *found* when Fisher's exact test says that chance would hardly divide the ends
so: the level 0.05 is divided by twice the number of candidates, and by k (k + 1) at the k-th look, which adds up to no
more than 0.05 over the whole life of a memory, however often it is looked at. And it must be reliable: Wilson's
interval of the share of its paths that ended so lies above a half, and the mean of all that came of them agrees.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from .chance import Interval, fisher, wilson
from .compared import Compared, compared
from .remembered import FINDINGS_MAX, Finding, Reflections, end_of, in_order

LEVEL: Final = 0.05
"""How likely it is that reflection ever finds something in a memory where there is nothing to find."""
_HELD: Final = 0.01  # of what was found before, divided by the number of candidates alone
_OPENING: Final = 0.5  # Jaccard index of the features of the first steps
_WHOLE: Final = 0.3  # ... and of those of whole paths
_ANCHORS_MAX: Final = 4
_CANDIDATES_MAX: Final = 64
_SIDE_MIN: Final = 3  # paths with a feature, and without it; that ended well, and badly
_SEQUEL_MAX: Final = 3  # episodes that follow
_SAME: Final = 0.8  # share of the paths that have both features or neither
_SINCE_MIN: Final = 8
_ALL: Final = "*"
_NAME_CHARS_MAX: Final = 256  # of what paths have in common: a state is bounded


@dataclass(frozen=True)
class Found:
    """A feature that separates: ``ended`` of ``of`` paths with it ended so, and ``others`` of ``of_others`` without.

    ``sign`` is +1 where it goes before good ends. ``place`` is its mean step on the path, and ``distance`` how many
    steps that is before the last. ``shadowed`` stand later, and only follow from it. ``relative``: all ends had the
    same sign, and are compared with their mean. ``known``: it was found before. ``sequel``: the ends are those of later
    episodes. ``paths`` are all that were compared.
    """

    feature: str
    key: str
    sign: int
    ended: int
    of: int
    others: int
    of_others: int
    chance: float
    level: float
    place: float
    distance: float
    relative: bool
    known: bool
    sequel: bool
    paths: list[Compared]
    shadowed: list[str] = field(default_factory=list[str])

    @property
    def interval(self) -> Interval:
        """Wilson's interval of the share of paths with it that ended so."""
        return wilson(self.ended, self.of)


@dataclass(frozen=True)
class Gone:
    """What was found once and does not hold: of ``of`` paths with the feature since then ``ended`` ended so."""

    feature: str
    key: str
    sign: int
    ended: int
    of: int
    paths: list[Compared]


@dataclass(frozen=True)
class _Group:
    """Similar paths with their sides. ``name`` is of the beginning they have in common, or of all together.

    ``good`` of them ended well; ``times`` and ``good_times`` say of how many of all, and of those, a feature is.
    """

    name: str
    paths: list[Compared]
    relative: bool
    sequel: bool
    good: int
    times: Counter[str]
    good_times: Counter[str]
    candidates: list[str]


def compare(state: Reflections) -> tuple[list[Found], list[Gone]]:
    """Return what separates good from bad ends in the neighbourhood of the latest episodes, and what no longer does.

    Counts as a look when there is anything to compare, and remembers in ``state`` what was found.
    """
    groups = _groups(state)
    tests = 2 * sum(len(group.candidates) for group in groups)
    if not tests:
        return [], []
    state.looks += 1
    strict = LEVEL / (tests * state.looks * (state.looks + 1))
    gone = {lost.key: lost for group in groups for lost in _lost(state, group)}
    for key in gone:
        del state.findings[key]
    found: dict[tuple[str, str], Found] = {}
    for group in groups:  # how it ended in the end goes before how it ended at first, a context before all of them
        for each in _separating(state, group, strict, tests):
            if group.name != _ALL or all(feature != each.feature for feature, _ in found):
                found.setdefault((each.feature, group.name), each)
    return list(found.values()), list(gone.values())


def _groups(state: Reflections) -> list[_Group]:
    """Return the groups around the latest episodes: by what came after them, then by how they ended themselves."""
    paths = in_order(state)
    after = {path.before: id_ for id_, path in paths if path.before in state.paths}
    ends = {id_: end_of(state, path) for id_, path in paths}
    sequels = {id_: _sequel(id_, after, ends) for id_, _ in paths}
    groups: list[_Group] = []
    for sequel, values in ((True, sequels), (False, ends)):
        known = [
            compared(state, id_, path, values[id_], ends[id_] + sequels[id_], whole=sequel)
            for id_, path in paths
            if values[id_]
        ]
        groups += _around(known, sequel=sequel)
    groups.sort(key=lambda group: (not group.sequel, group.name == _ALL))
    return [group for group in groups if group.candidates]


def _around(known: Sequence[Compared], *, sequel: bool) -> list[_Group]:
    """Return groups of paths that began as one of the latest did, or are like it as a whole: at most nine."""
    groups: list[_Group] = []
    taken: set[str] = set()
    openings = {each.stands.opening for each in known}
    for anchor in known[::-1]:
        if anchor.id in taken:
            continue
        opening, features = anchor.stands.opening, anchor.stands.features
        begun = {other: _jaccard(other, opening) >= _OPENING for other in openings}
        alike = [each for each in known if begun[each.stands.opening]]
        whole = [each for each in known if _jaccard(each.stands.features, features) >= _WHOLE]
        taken.update(each.id for each in (anchor, *alike))
        groups.append(_sided(", ".join(sorted(opening))[:_NAME_CHARS_MAX], alike, sequel=sequel))
        if len(whole) != len(alike) and not any(len(group.paths) == len(whole) for group in groups):
            groups.append(_sided(_ALL, whole, sequel=sequel))
        if len(groups) >= 2 * _ANCHORS_MAX:
            break
    return groups


def _sequel(id_: str, after: Mapping[str, str], ends: Mapping[str, float]) -> float:
    """Return the end that weighs most among the next episodes of the session; 0 when none of them has ended."""
    most = 0.0
    for _ in range(_SEQUEL_MAX):
        if id_ not in after:
            break
        id_ = after[id_]
        most = ends[id_] if abs(ends[id_]) > abs(most) else most
    return most


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    either = len(one) + len(other) - both
    return both / either if either else 0.0


def _sided(name: str, alike: Sequence[Compared], *, sequel: bool) -> _Group:
    good = sum(each.end > 0 for each in alike)
    relative = min(good, len(alike) - good) < _SIDE_MIN
    middle = sum(each.end for each in alike) / max(1, len(alike)) if relative else 0.0  # none, if without features
    sided = [each._replace(side=1 if each.end > middle else -1) for each in alike if each.end != middle]
    well = [each for each in sided if each.side > 0]
    times, good_times = _times(sided), _times(well)
    some: list[str] = []
    if min(len(well), len(sided) - len(well)) >= _SIDE_MIN:
        some = [feature for feature, count in times.items() if _SIDE_MIN <= count <= len(sided) - _SIDE_MIN]
    half = len(sided) / 2
    some.sort(key=lambda feature: (abs(times[feature] - half), feature))
    return _Group(name, sided, relative, sequel, len(well), times, good_times, some[:_CANDIDATES_MAX])


def _times(paths: Sequence[Compared]) -> Counter[str]:
    """Return on how many of the paths each feature stands."""
    return Counter(chain.from_iterable(each.stands.features for each in paths))


def _separating(state: Reflections, group: _Group, strict: float, tests: int) -> list[Found]:
    """Return what separates the paths of a group, the earliest first.

    What stands later and says the same is shadowed by it.
    """
    separating: list[Found] = []
    for feature in group.candidates:
        found = _tested(state, group, feature, strict, tests)
        if found is not None:
            separating.append(found)
    separating.sort(key=lambda each: (each.place, each.feature))
    first: list[Found] = []
    for each in separating:
        earlier = next((known for known in first if _same(group, known, each)), None)
        if earlier is None:
            first.append(each)
            state.findings.setdefault(each.key, _finding(each, state.seq))
        else:
            earlier.shadowed.append(each.feature)
    while len(state.findings) > FINDINGS_MAX:
        del state.findings[min(state.findings, key=lambda key: (state.findings[key].seq, key))]
    return first


def _tested(state: Reflections, group: _Group, feature: str, strict: float, tests: int) -> Found | None:
    of, good = group.times[feature], group.good_times[feature]
    others, good_others = len(group.paths) - of, group.good - good
    sign = 1 if good * others > good_others * of else -1
    ended, elsewhere = (good, good_others) if sign > 0 else (of - good, others - good_others)
    if wilson(ended, of).low <= 0.5:
        return None
    key = f"{group.name}|{feature}|{'sequel' if group.sequel else 'end'}"
    known = key in state.findings and state.findings[key].sign == sign
    level = _HELD / tests if known else strict
    chance = fisher(ended, of, elsewhere, others)
    if chance > level or not _worth(group, feature, sign):
        return None
    having = [each for each in group.paths if feature in each.at]
    place = sum(each.at[feature] for each in having) / len(having)
    distance = sum(len(each.path.members) - 1 - each.at[feature] for each in having) / len(having)
    counts = ended, of, elsewhere, others, chance, level, place, distance
    return Found(feature, key, sign, *counts, group.relative, known, group.sequel, group.paths)


def _worth(group: _Group, feature: str, sign: int) -> bool:
    """Return whether all that came of the paths with a feature says the same as how often they ended so.

    A rare great success may be worth many small failures, and what ends badly later may have been worth it.
    """
    having = [each.total for each in group.paths if feature in each.at]
    others = [each.total for each in group.paths if feature not in each.at]
    mean = sum(having) / len(having)
    return sign * (mean - sum(others) / len(others)) > 0 and (group.relative or sign * mean > 0)


def _same(group: _Group, earlier: Found, later: Found) -> bool:
    """Return whether ``later`` says no more than ``earlier``: it is on the same paths, or for an opposite sign on the
    others. Of two on one step neither is the earlier, unless they are on the same paths exactly.
    """
    together = sum((earlier.feature in each.at) == (later.feature in each.at) for each in group.paths)
    if earlier.sign != later.sign:
        together = len(group.paths) - together
    if later.place - earlier.place < 0.5:
        return earlier.sign == later.sign and together == len(group.paths)
    return together >= _SAME * len(group.paths)


def _finding(found: Found, seq: int) -> Finding:
    return Finding(found.sign, seq)


def _lost(state: Reflections, group: _Group) -> list[Gone]:
    """Return what was found in a group, and is refuted by what has ended since."""
    lost: list[Gone] = []
    mark = "sequel" if group.sequel else "end"
    for feature in group.candidates:
        key = f"{group.name}|{feature}|{mark}"
        finding = state.findings.get(key)
        if finding is None:
            continue
        since = [each for each in group.paths if each.path.seq > finding.seq and feature in each.at]
        ended = sum(each.side == finding.sign for each in since)
        if len(since) >= _SINCE_MIN and wilson(ended, len(since)).high < 0.5:
            lost.append(Gone(feature, key, finding.sign, ended, len(since), group.paths))
    return lost
