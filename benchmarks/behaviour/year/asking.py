"""What is asked at the end of the year: is what was planted still found, and what did the memory make of the rest?

None of it is recorded, so that the order of the questions does not matter.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import log
from statistics import fmean, median
from typing import Any, Final

from .living import Agent, Planted
from .world import DELAYS, FILES, KINDS

CODA: Final = 200
_SAMPLE: Final = 4_000
_WATCHED: Final = 200
_LASTING: Final = 5.0  # permanence from which on the law of bounds protects a node


def found(agent: Agent) -> dict[str, float | None]:
    """Return all figures of what is known at the end; None where this release has no such read."""
    features = _features(agent)
    return {
        **_planted(agent),
        **_landed(agent),
        **_concepts(agent, features),
        **_causes(agent, features),
        **_foretold(agent),
        **_permanence(agent, features),
        **_half_lives(agent),
    }


def _planted(agent: Agent) -> dict[str, float | None]:
    figures: dict[str, float | None] = {}
    for kind in ("told once", "told lately", "used", "catastrophe", "pair"):
        planted = [each for each in agent.notes.planted if each.kind == kind and each.ref]
        places = [_place(agent, each) for each in planted]
        name = {"pair": "pairs: the note that is right", "catastrophe": "catastrophes"}.get(kind, f"facts {kind}")
        figures[f"{name}: still there, archived or not"] = _share(agent.described(each.ref) for each in planted)
        figures[f"{name}: first in get_context"] = _share(place == 0 for place in places)
        figures[f"{name}: among the first three"] = _share(0 <= place < 3 for place in places)
        if kind == "pair":
            others = [_place(agent, Planted(each.words, kind, each.other)) for each in planted]
            ahead = (mine >= 0 and (mine < other or other < 0) for mine, other in zip(places, others, strict=True))
            figures["pairs: right before what misleads"] = _share(ahead)
            figures["pairs: uses of what misleads, of 6"] = _mean(float(each.misled) for each in planted)
        figures[f"{name}: found with deep=True"] = _deep(agent, planted)
    mixed = [each for each in agent.notes.planted if each.kind == "mixed" and each.ref in agent.notes.judged]
    figures["mixed cases: in similar_cases at all"] = _cases(agent, mixed, both=False)
    figures["mixed cases: with both ends in similar_cases"] = _cases(agent, mixed, both=True)
    figures["mixed cases: with both ends, with deep=True"] = _cases(agent, mixed, both=True, deep=True)
    return figures


def _place(agent: Agent, planted: Planted) -> int:
    """Return the place of what is asked for in the answer, 0 for the first; -1 when it is not in it."""
    refs = agent.memory.get_context(planted.question, k=10, record=False).refs
    return refs.index(planted.ref) if planted.ref in refs else -1


def _deep(agent: Agent, planted: Sequence[Planted]) -> float | None:
    """Return how much is found when what is archived may be found too; None where that cannot be asked for."""
    ask: Any = agent.memory.get_context
    try:
        return _share(each.ref in ask(each.question, k=10, record=False, deep=True).refs for each in planted)
    except TypeError:
        return None


def _cases(agent: Agent, planted: Sequence[Planted], *, both: bool, **deep: bool) -> float | None:
    """Return how much of what ended both ways stands among the cases, or on both sides; None as ``_deep`` does."""
    ask: Any = agent.memory.get_similar_cases
    shown: list[bool] = []
    for each in planted:
        try:
            answer = ask(each.question, k=5, record=False, **deep)
        except TypeError:
            return None
        sides = [each.ref in {case.found.memory.ref for case in cases} for cases in (answer.good, answer.bad)]
        shown.append(all(sides) if both else any(sides))
    return _share(shown)


def _landed(agent: Agent) -> dict[str, float | None]:
    landed = agent.notes.landed
    figures: dict[str, float | None] = {
        f"outcomes told {delay} events later that all features of the event learn from": _share(landed[delay])
        for delay in DELAYS
    }
    figures["outcomes that all features of the event learn from"] = _share(chain(*landed.values()))
    figures["features of judged events that learn"] = _share(agent.notes.parts)
    figures["outcomes refused"] = float(sum(agent.notes.refused.values()))
    return figures


def _features(agent: Agent) -> dict[str, Any]:
    """Return all features of the work that are still there, by name."""
    world = agent.world
    of_themes = [name for theme in world.themes for name in theme.features]
    names = [*KINDS, *FILES, *of_themes, *world.causes, *world.companions.values()]
    described = {name: agent.described(f"feature:{name}") for name in names}
    return {name: node for name, node in described.items() if node is not None}


def _concepts(agent: Agent, features: Mapping[str, Any]) -> dict[str, float | None]:
    world = agent.world
    conceptual = {name for name, node in features.items() if node.conceptual}
    themes = {name for theme in world.themes for name in theme.features}
    planted = themes | set(world.causes)
    return {
        "conceptual features": float(len(conceptual)),
        "conceptual features: share that is planted": _share(name in planted for name in sorted(conceptual)),
        "conceptual, of the 48 features of themes": float(len(conceptual & themes)),
        "conceptual, of the 6 causes": float(len(conceptual & set(world.causes))),
        "conceptual, of the 5 kinds of work": float(len(conceptual & set(KINDS))),
        "conceptual, of the 6 companions": float(len(conceptual & set(world.companions.values()))),
        "conceptual, of the 300 files (noise)": float(len(conceptual & set(FILES))),
    }


def _causes(agent: Agent, features: Mapping[str, Any]) -> dict[str, float | None]:
    """Return how the causes stand among all features by valence, and what is said of them and of their company."""
    world = agent.world
    order = sorted(features, key=lambda name: (features[name].valence, name))
    bad = world.bad_causes
    good = [cause for cause in world.causes if cause not in bad]
    company = [world.companions[cause] for cause in bad]
    return {
        "causes of failure among as many lowest by valence": _share(name in order[: len(bad)] for name in bad),
        "causes of success among as many highest by valence": _share(name in order[-len(good) :] for name in good),
        "lowest by valence is a cause of failure": float(order[0] in bad) if order else None,
        "valence of the causes of failure, mean": _mean(features[name].valence for name in bad if name in features),
        "valence of their companions, mean": _mean(features[name].valence for name in company if name in features),
    }


def _foretold(agent: Agent) -> dict[str, float | None]:
    """Return how often something bad is foretold of a cause of failure that a question names, and of its companion."""
    world = agent.world
    company = [world.companions[cause] for cause in world.bad_causes]
    return {
        "causes of failure that are foretold to end badly": _share_or_none(
            _warned(agent, it) for it in world.bad_causes
        ),
        "their companions, foretold to end as badly": _share_or_none(_warned(agent, it) for it in company),
    }


def _warned(agent: Agent, feature: str) -> bool | None:
    """Return whether an answer to a question that names a feature foretells -1 or less; None where none foretells."""
    answer: Any = agent.memory.get_context(f"{feature} {agent.world.said(2)}", record=False)
    foretold = getattr(answer, "foretold", None)
    return None if foretold is None else any(it.feature == feature and it.valence <= -1.0 for it in foretold)


def _permanence(agent: Agent, features: Mapping[str, Any]) -> dict[str, float | None]:
    events = agent.notes.events
    sample = agent.random.sample(events, min(_SAMPLE, len(events)))
    nodes = [node for ref in sample if (node := agent.described(ref)) is not None]
    shown = sorted(node.permanence for node in nodes)
    of_causes = [features[name].permanence for name in agent.world.causes if name in features]
    of_files = [features[name].permanence for name in FILES if name in features]
    return {
        **_by_age(agent),
        "events of the work still there": len(nodes) / len(sample),
        "of these archived": _share(node.archived for node in nodes),
        "of these protected, as the reads say": _share(node.protected for node in nodes),
        "of these with permanence of 5 or more": _share(value >= _LASTING for value in shown),
        "permanence of these events, median": _at(shown, 0.5),
        "permanence of these events, 90th percentile": _at(shown, 0.9),
        "permanence of these events, 99th percentile": _at(shown, 0.99),
        "permanence of causes, median": median(of_causes) if of_causes else None,
        "permanence of files, median": median(of_files) if of_files else None,
    }


def _by_age(agent: Agent) -> dict[str, float | None]:
    """Return how much is left of what was never judged nor used, by age in events."""
    notes, figures = agent.notes, dict[str, float | None]()
    for young, old in ((0, 1_000), (1_000, 3_000), (3_000, 10_000), (10_000, 60_000)):
        of_age = notes.events[-old : len(notes.events) - young]
        trivial = [ref for ref in of_age if ref not in notes.judged and ref not in notes.used]
        sample = agent.random.sample(trivial, min(len(trivial), _WATCHED))
        name = f"never judged nor used, {young:,} to {old:,} events old: still there"
        figures[name] = _share(agent.described(ref) for ref in sample)
    return figures


def _half_lives(agent: Agent) -> dict[str, float | None]:
    """Return half-lives of the latest events of each kind, as 200 more events of other features show them."""
    notes = agent.notes
    kinds = {
        "never judged": [ref for ref in notes.events if ref not in notes.judged and ref not in notes.used],
        "succeeded": [ref for ref in notes.events if notes.judged.get(ref, 0.0) > 0],
        "failed": [ref for ref in notes.events if notes.judged.get(ref, 0.0) < 0],
        "used": [ref for ref in notes.events if ref in notes.used],
    }
    watched = {kind: refs[-_WATCHED:] for kind, refs in kinds.items()}
    before = {ref: agent.described(ref) for refs in watched.values() for ref in refs}
    for number in range(CODA):
        agent.memory.record_event(f"coda {number}", features=[f"coda-{number % 7}"], session="coda")
    figures: dict[str, float | None] = {}
    for kind, refs in watched.items():
        lives = [life for ref in refs if (life := _half_life(before[ref], agent.described(ref))) is not None]
        figures[f"half-life of events, {kind}: median, events"] = median(lives) if lives else None
    return figures


def _half_life(before: Any, after: Any) -> float | None:
    if before is None or after is None or not 1e-9 < after.salience < before.salience:
        return None
    return CODA * log(2.0) / log(before.salience / after.salience)


def _share(values: Iterable[object]) -> float | None:
    return _mean(float(bool(value)) for value in values)


def _share_or_none(values: Iterable[bool | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _share(known)


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


def _at(values: Sequence[float], share: float) -> float | None:
    return values[min(len(values) - 1, int(share * len(values)))] if values else None
