"""What a report of use teaches: which of the memories that were returned were used, and how much that weighs."""

from base64 import b64decode
from binascii import Error
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

import numpy as np

from yggdrasil_projections.retrieval.ranking.scoring.features import FEATURES, NAMES
from yggdrasil_projections.retrieval.ranking.scoring.scorers import ONE, Features
from yggdrasil_projections.retrieval.reads.operations.reported import Reported
from yggdrasil_schemas.limits import RETURNED_MAX

from .fitting import Samples

UNUSED_PER_USED: Final = 2
"""So many that were not used are taken for each that was (003, section 3.5, negatives)."""
NAMES_EVERYTHING: Final = 0.8
"""Who names more than this share of all that they were given says little by it ..."""
WEIGHS_LITTLE: Final = 0.1
"""... and weighs so much."""
WEIGHTS: Final[Mapping[str, float]] = {"success": 1.0, "unknown": 1.0, "failure": 0.5}
"""By how a task went (003, section 3.5: 1.0 on success, 0.5 on failure)."""
SAMPLES_MAX: Final = 2_000
"""So many take some seconds on a busy machine, and a thinker may take ten."""
OTHERS_MIN: Final = 20
"""From so many reports of others on nobody weighs more than all others together."""
_PER_MILLE: Final = 1_000
_RARE_MAX: Final = 5.0  # what was chosen by a small chance weighs by its inverse, but no more than so much


@dataclass(slots=True)
class Lesson:
    """A report as a trainer remembers it: JSON values alone.

    ``by`` stands for who reported, ``rows`` are the features of the memories that were found, in base64, and ``used``
    the places among these that are named. ``chances`` are theirs, in thousandths, where chance chose.
    """

    id: str
    by: str
    result: str
    rows: str
    used: list[int]
    chances: list[int] = field(default_factory=list[int])


def lesson_of(report: Reported) -> Lesson | None:
    """Return what is to be learnt from a report; None where it has no features of this version."""
    if report.features != FEATURES or not 0 <= report.after < RETURNED_MAX:
        return None
    rows = features_in(report.rows)
    if rows is None or len(rows) != report.returned - report.after:
        return None
    used = [place - report.after for place in report.used if place >= report.after]
    chances = [_chance(each) for each in report.chances] if len(report.chances) == len(rows) else []
    return Lesson(report.id, report.by, report.result, report.rows, used, chances)


def _chance(said: int) -> int:
    """Return a chance in thousandths; what is none says nothing, and so is sure."""
    return said if 0 < said <= _PER_MILLE else _PER_MILLE


def latest(lessons: Sequence[Lesson], most: int) -> list[Lesson]:
    """Return at most so many reports, in their order: of whoever has reported most the oldest go.

    So nobody pushes out what others have reported by reporting much.
    """
    count = Counter(each.by for each in lessons)
    gone: dict[str, int] = {}
    for _ in range(len(lessons) - most):
        by = max(sorted(count), key=lambda each: count[each])
        count[by] -= 1
        gone[by] = gone.get(by, 0) + 1
    kept: list[Lesson] = []
    for each in lessons:
        if gone.get(each.by, 0):
            gone[each.by] -= 1
        else:
            kept.append(each)
    return kept


def features_in(rows: str) -> Features | None:
    """Return features of base64, shape (memories, 9); None for what is none, or out of bounds."""
    try:
        data = b64decode(rows, validate=True)
    except (Error, ValueError):
        return None
    if len(data) % (2 * len(NAMES)) or not 0 < len(data) <= 2 * len(NAMES) * RETURNED_MAX:
        return None
    found: Features = np.frombuffer(data, "<i2").astype(np.int64).reshape(-1, len(NAMES))
    return found if int(found.min()) >= 0 and int(found.max()) <= ONE else None


def shares(lessons: Sequence[Lesson]) -> dict[str, float]:
    """Return which share of all that they were given each reporter names."""
    named, given = defaultdict[str, int](int), defaultdict[str, int](int)
    for each in lessons:
        rows = features_in(each.rows)
        named[each.by] += len(each.used)
        given[each.by] += 0 if rows is None else len(rows)
    return {by: named[by] / max(1, given[by]) for by in sorted(named)}


def reporter_weights(lessons: Sequence[Lesson]) -> dict[str, float]:
    """Return how much each reporter weighs."""
    return {by: WEIGHS_LITTLE if share > NAMES_EVERYTHING else 1.0 for by, share in shares(lessons).items()}


def samples_of(lessons: Sequence[Lesson], *, every: bool = False) -> Samples:
    """Return the samples of reports, which are in order of time; ``every`` memory that was not used, or few.

    Of few it is the latest where there are more than ``SAMPLES_MAX``, and none of those who name everything before
    others'.
    """
    weights = reporter_weights(lessons)
    features, labels, weighed, groups = list[Features](), list[float](), list[float](), list[int]()
    for group, each in enumerate(lessons):
        rows = features_in(each.rows)
        if rows is None:
            continue
        used = sorted({place for place in each.used if place < len(rows)})
        unused = [place for place in range(len(rows)) if place not in used]
        if not every:
            unused = sorted(unused, key=lambda place: _drawn(each.id, place))[: UNUSED_PER_USED * len(used)]
        weight = weights[each.by] * WEIGHTS.get(each.result, 0.0)
        for place in (*used, *unused):
            features.append(rows[place])
            labels.append(float(place in used))
            chance = _chance(each.chances[place]) / _PER_MILLE if place < len(each.chances) else 1.0
            weighed.append(weight * min(_RARE_MAX, 1.0 / chance))
            groups.append(group)
    table = np.array(features, np.int64).reshape(-1, len(NAMES))
    found = Samples(table, np.array(labels), np.array(weighed), np.array(groups, np.int64))
    little = np.array([weights[lessons[group].by] < 1.0 for group in groups], np.bool_)
    first = np.lexsort((-np.arange(len(labels)), little))[
        : None if every else SAMPLES_MAX
    ]  # the latest, those who name everything last
    kept = np.zeros(len(labels), np.bool_)
    kept[first] = True
    return _capped(lessons, found.taken(kept), weights)


def _capped(lessons: Sequence[Lesson], samples: Samples, weights: Mapping[str, float]) -> Samples:
    """Return samples of which no reporter's weigh more than all others' together.

    Others are those who do not name everything, once they have named something in ``OTHERS_MIN`` reports: before that,
    and where one alone has reported, there is nothing to measure anybody by.
    """
    names = sorted(weights)
    groups: list[int] = samples.groups.tolist()
    by = np.array([names.index(lessons[group].by) for group in groups], np.int64)
    own = [float(samples.weights[by == at].sum()) for at in range(len(names))]
    named = [len(np.unique(samples.groups[(by == at) & (samples.labels > 0.5)])) for at in range(len(names))]
    capped = samples.weights.copy()
    for at in range(len(names)):
        others = [other for other, name in enumerate(names) if other != at and weights[name] >= 1.0]
        most = sum(own[other] for other in others)
        if own[at] > most and sum(named[other] for other in others) >= OTHERS_MIN:
            capped[by == at] *= most / own[at]
    return samples._replace(weights=capped)


def _drawn(report: str, place: int) -> bytes:
    """Return a lot that is the same whoever draws it."""
    return blake2b(f"{report}/{place}".encode(), digest_size=8).digest()
