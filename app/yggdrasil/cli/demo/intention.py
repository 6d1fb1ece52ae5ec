"""What the demo's agent is about to do, derived from the history that was imported."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from yggdrasil_projections.retrieval.reads.operations.overview import Lesson, strongest_features, strongest_pairs

from ..screen import clean

if TYPE_CHECKING:
    from yggdrasil_projections.graph.working_set import Graph

FILE: Final = "file:"
_SUBJECT_CHARS_MAX: Final = 80
_PAIRS_LOOKED_AT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Intention:
    """What the agent asks before it acts, what it then does, and the features of that."""

    question: str
    action: str
    features: list[str]


def intention_from(graph: "Graph", worst: Lesson | None) -> Intention:
    """Return the intention to repeat what failed worst, or else to change the strongest file.

    The question holds few words beside its subject, since all words are searched for.
    """
    if worst is not None and worst.event_text:
        said = clean(worst.event_text, _SUBJECT_CHARS_MAX)
        files = [name for name in worst.features if name.startswith(FILE)]
        action = f"The demo's agent thought twice, as this had been {clean(worst.kind)} before: {said}"
        return Intention(f"Should we do this: {said}?", action, ["kind:decision", *files][:8])
    for file in strongest_features(graph, FILE, 1):
        name, other = _path(file.name), _partner(graph, file.name)
        question = f"What should I do with {name}?"
        if other is None:
            return Intention(question, f"The demo's agent changed {name}, with care", [file.name])
        action = f"The demo's agent changed {name} and with it {_path(other)}, as the two go together"
        return Intention(question, action, [file.name, other])
    return Intention("What should we do?", "The demo's agent went on, with care", ["kind:decision"])


def _partner(graph: "Graph", feature: str) -> str | None:
    """Return what is associated with ``feature`` most strongly."""
    for pair in strongest_pairs(graph, FILE, _PAIRS_LOOKED_AT):
        if feature in (pair.first, pair.second):
            return pair.second if pair.first == feature else pair.first
    return None


def _path(feature: str) -> str:
    return clean(feature.removeprefix(FILE))
