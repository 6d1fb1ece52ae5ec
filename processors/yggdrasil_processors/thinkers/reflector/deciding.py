"""From what separates good from bad ends to small adjustments: what a case shows is to agree with how it goes on.

Who asks a memory for cases like his own sees how each of them ended by itself. Of a decision that reliably goes before
good ends the cases are raised. Of one that reliably goes before bad ends those are lowered that look good, and those
raised that warn. Each adjustment says why, with counts, and names episodes of both sides.
"""

from collections.abc import Sequence
from typing import Final

from yggdrasil_schemas.limits import ADJUSTED_MAX, EVIDENCE_MAX

from ..thinker import Decision
from .compared import Compared
from .comparing import Found, Gone
from .remembered import Path, Reflections, Step

DECISIONS_MAX: Final = 64
_SALIENCE: Final = 0.25
_PERMANENCE: Final = 0.25
_HALF_LIFE: Final = 1.1
"""As much as the default policy lets anybody move a node within a window."""
_EVIDENCE_OF_ONE_SIDE: Final = 7  # two sides, and a step on the trajectory itself
_SHADOWED_SAID_MAX: Final = 3


def decided(state: Reflections, found: Sequence[Found], gone: Sequence[Gone]) -> list[Decision]:
    """Return the adjustments that follow, at most 64, and remember in ``state`` which steps they move."""
    made: list[Decision] = []
    for lost in gone:
        made += _taken_back(state, lost)
    for each in found:
        made += _moved(state, each)
    return made[:DECISIONS_MAX]


def _moved(state: Reflections, found: Found) -> list[Decision]:
    of_rule: dict[str, list[tuple[str, Step]]] = {}
    for each in found.paths[::-1]:
        if found.feature not in each.at:
            continue
        id_ = each.path.members[each.at[found.feature]]
        step = state.steps[id_]
        rule = _rule(state, found, each, step)
        if rule is not None and not step.moved:
            of_rule.setdefault(rule, []).append((id_, step))
    made: list[Decision] = []
    for rule in sorted(of_rule):
        moved = sorted(of_rule[rule][:ADJUSTED_MAX], key=lambda entry: entry[1].seq)
        for _, step in moved:
            step.moved = _direction(rule)
        refs = [id_ for id_, _ in moved]
        made.append(_adjust(refs, _direction(rule), _evidence(found, refs), rule, _why(found, rule), found))
    edge = _edge(state, found)
    if edge is not None:
        evidence = _evidence(found, _latest(found))
        made.append(_adjust(edge, found.sign, evidence, "path", _why(found, "path"), found))
    return made


def _rule(state: Reflections, found: Found, each: Compared, step: Step) -> str | None:
    """Return why a step is to be moved: what it shows, and how it reliably goes on, say the same or the opposite."""
    own = bool(step.good + step.bad)
    good, bad = (step.good > 0, step.bad > 0) if own else _shown(state, each.path)
    if found.sign > 0:
        return "lift" if good and each.side > 0 else None
    if found.relative:  # nothing ended badly: what is less good than others is no trap
        return None
    if not good:
        return "warning" if bad else None
    if own:
        return "brittle"
    return "lucky" if each.side > 0 else "blame"


def _direction(rule: str) -> int:
    return 1 if rule in ("lift", "warning") else -1


def _shown(state: Reflections, path: Path) -> tuple[bool, bool]:
    """Return whether an episode holds something good and something bad, which its unjudged steps show with it."""
    steps = [state.steps[id_] for id_ in path.members if id_ in state.steps]
    return path.late > 0 or any(step.good for step in steps), path.late < 0 or any(step.bad for step in steps)


def _edge(state: Reflections, found: Found) -> list[str] | None:
    """Return the step from what usually leads to a decision to the decision, when it has just been found."""
    if found.known or (found.sign < 0 and found.relative):
        return None
    before: dict[str, int] = {}
    for each in found.paths:
        place = each.at.get(found.feature, 0)
        if not place or state.steps[each.path.members[place]].features[0] != found.feature:
            continue
        earlier = state.steps[each.path.members[place - 1]].features
        if earlier and earlier[0] != found.feature:
            before[earlier[0]] = before.get(earlier[0], 0) + 1
    if not before:
        return None
    usual = min(before, key=lambda feature: (-before[feature], feature))
    return [f"feature:{usual}", f"feature:{found.feature}"]


def _latest(found: Found) -> list[str]:
    """Return the latest step with the feature."""
    latest = next(each for each in reversed(found.paths) if found.feature in each.at)
    return [latest.path.members[latest.at[found.feature]]]


def _taken_back(state: Reflections, lost: Gone) -> list[Decision]:
    having = [each for each in lost.paths if lost.feature in each.at]
    moved = [
        (id_, state.steps[id_])
        for each in having
        if state.steps[id_ := each.path.members[each.at[lost.feature]]].moved == lost.sign
    ][-ADJUSTED_MAX:]
    if not moved:
        return []
    refs = [id_ for id_, _ in moved]
    for _, step in moved:
        step.moved = 0
    how = "well" if lost.sign > 0 else "badly"
    counts = f"since then {lost.ended} of {lost.of} such episodes did"
    why = f"{lost.feature} was found before what ended {how}, and does not hold: {counts}."
    evidence = [refs[-1], *[each.id for each in having[-EVIDENCE_MAX + 1 :]]]
    body = _body(refs, -lost.sign, evidence)
    payload = {"rule": "superficial", "why": why, "feature": lost.feature, "ended": lost.ended, "of": lost.of}
    return [Decision("adjust", body, why, payload)]


def _evidence(found: Found, refs: Sequence[str]) -> list[str]:
    """Return a step of the trajectory, and the latest episodes that had the feature and that had not."""
    having = [each.id for each in found.paths if found.feature in each.at][-_EVIDENCE_OF_ONE_SIDE:]
    without = [each.id for each in found.paths if found.feature not in each.at][-_EVIDENCE_OF_ONE_SIDE:]
    return [refs[-1], *having, *without]


def _adjust(refs: list[str], direction: int, evidence: list[str], rule: str, why: str, found: Found) -> Decision:
    low, high = found.interval
    payload = {
        "rule": rule,
        "why": why,
        "feature": found.feature,
        "with": [found.ended, found.of],
        "without": [found.others, found.of_others],
        "interval": [round(low, 4), round(high, 4)],
        "chance": float(f"{found.chance:.3g}"),
        "level": float(f"{found.level:.3g}"),
    }
    return Decision("adjust", _body(refs, direction, evidence), why, payload)


def _body(refs: list[str], direction: int, evidence: list[str]) -> dict[str, object]:
    return {
        "trajectory": refs,
        "salience": direction * _SALIENCE,
        "permanence": direction * _PERMANENCE,
        "half_life": _HALF_LIFE if direction > 0 else 1.0 / _HALF_LIFE,
        "evidence": evidence,
    }


def _why(found: Found, rule: str) -> str:
    end = (
        ("better than the mean" if found.sign > 0 else "worse than the mean")
        if found.relative
        else ("well" if found.sign > 0 else "badly")
    )
    when = " in the end" if found.sequel else ""
    counts = (
        f"{found.ended} of {found.of} episodes with {found.feature} ended {end}{when}, "
        f"and {found.others} of {found.of_others} similar ones without it"
    )
    meaning = {
        "lift": "it reliably goes before that",
        "warning": "its cases warn of that",
        "brittle": "it looks good at first",
        "lucky": "what ended well with it was luck",
        "blame": f"the cause lies here, {found.distance:.0f} steps before the end",
        "path": "the way to it is moved with it",
    }[rule]
    said = ", ".join(found.shadowed[:_SHADOWED_SAID_MAX])
    later = f" ({said} only follows from it)" if said else ""
    return f"{counts}: {meaning}{later}."
