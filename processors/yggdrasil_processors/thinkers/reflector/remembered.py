"""What reflection remembers of a memory: the last episodes as paths of steps, and how each of them ended."""

from dataclasses import dataclass, field
from typing import Final

from yggdrasil_projections.retrieval.reads.experience.happened import Happening

PATHS_MAX: Final = 512
STEPS_MAX: Final = 8_192
MEMBERS_MAX: Final = 16_384
"""Of all paths together: an event may be in several episodes."""
NAMES_CHARS_MAX: Final = 250_000
"""Of the features of all steps together, so that a state stays below 4 MiB whatever they are called."""
FINDINGS_MAX: Final = 256
_FEATURES_MAX: Final = 8  # of a step: those that the fold associates with each other


@dataclass
class Step:
    """An event: its first features, and how it was judged itself (``good``, ``bad``: how often; ``own``: the sum).

    ``moved`` is +1 or -1 when reflection has raised or lowered it, so that it does so once.
    """

    seq: int
    features: list[str]
    own: float = 0.0
    good: int = 0
    bad: int = 0
    last: float = 0.0
    moved: int = 0


@dataclass(eq=False)
class Path:
    """An episode: its events in order, what was said of it as a whole (``late``), and the episode before it."""

    seq: int
    session: str
    members: list[str]
    late: float = 0.0
    before: str = ""


@dataclass
class Finding:
    """What was found of a feature among similar episodes: ``sign`` +1 good or -1 bad, at ``seq``."""

    sign: int
    seq: int


@dataclass
class Reflections:
    """What is remembered: by id of event, of episode, and by what was compared; bounded by the constants above."""

    steps: dict[str, Step] = field(default_factory=dict[str, Step])
    paths: dict[str, Path] = field(default_factory=dict[str, Path])
    latest: dict[str, str] = field(default_factory=dict[str, str])
    findings: dict[str, Finding] = field(default_factory=dict[str, Finding])
    since: int = 0
    """Episodes since the last reflection."""
    looks: int = 0
    """How often there was something to compare: each look makes a chance finding likelier, and asks for more."""
    chars: int = 0
    members: int = 0
    seq: int = 0


def take_in(state: Reflections, happening: Happening) -> bool:
    """Remember one thing that happened; return whether it was an episode."""
    state.seq = happening.seq
    if happening.kind == "event":
        features = happening.features[:_FEATURES_MAX]
        state.steps[happening.id] = Step(happening.seq, features)
        state.chars += sum(map(len, features))
        _bound_steps(state)
    elif happening.kind == "outcome" and happening.of is not None:
        _judge(state, happening.of, happening.value)
    elif happening.kind == "episode":
        _add(state, happening)
        return True
    return False


def end_of(state: Reflections, path: Path) -> float:
    """Return how an episode ended: as it was judged as a whole, and as the last of its steps that was judged.

    0 when nothing was said, or when both say the opposite with the same force.
    """
    for id_ in reversed(path.members):
        step = state.steps.get(id_)
        if step is not None and step.good + step.bad:
            return path.late + step.last
    return path.late


def in_order(state: Reflections) -> list[tuple[str, Path]]:
    """Return the episodes, the oldest first."""
    return sorted(state.paths.items(), key=lambda entry: entry[1].seq)


def _judge(state: Reflections, of: str, value: float) -> None:
    step, path = state.steps.get(of), state.paths.get(of)
    if step is not None and value:
        step.own += value
        step.last = value
        step.good += value > 0
        step.bad += value < 0
    if path is not None:
        path.late += value


def _add(state: Reflections, happening: Happening) -> None:
    known = [id_ for id_ in happening.members if id_ in state.steps]
    if not known:
        return
    known.sort(key=lambda id_: state.steps[id_].seq)
    session = happening.session
    path = Path(happening.seq, session, known, before=state.latest.get(session, ""))
    state.paths[happening.id] = path
    state.latest[session] = happening.id
    state.members += len(known)
    while len(state.paths) > PATHS_MAX or state.members > MEMBERS_MAX:
        oldest = min(state.paths, key=lambda id_: state.paths[id_].seq)
        _forget(state, oldest)


def _forget(state: Reflections, episode: str) -> None:
    path = state.paths.pop(episode)
    state.members -= len(path.members)
    if state.latest.get(path.session) == episode:
        del state.latest[path.session]


def _bound_steps(state: Reflections) -> None:
    while len(state.steps) > STEPS_MAX or state.chars > NAMES_CHARS_MAX:
        # The oldest are dropped by the sixteenth, so that a full state is looked through rarely.
        oldest = sorted(state.steps, key=lambda id_: state.steps[id_].seq)[: max(1, len(state.steps) // 16)]
        for id_ in oldest:
            state.chars -= sum(map(len, state.steps.pop(id_).features))
        gone = set(oldest)
        for episode in [id_ for id_, path in state.paths.items() if gone.intersection(path.members)]:
            _forget(state, episode)  # half a path would be compared as if the rest had not happened
