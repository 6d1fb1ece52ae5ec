"""The nightly narrative: when a day has ended, an episode over the episodes of that day."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, ClassVar, Final

from yggdrasil_projections.retrieval.answers import Described
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.described import AskDescribed
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_schemas.limits import EPISODE_EVENTS_MAX

from .chunker.state import ChunkerState, Held
from .chunker.summary import EXTRACTIVE, shown, summary
from .chunker.terms import terms_of, weigh
from .thinker import Decision, Thinker

DAY_MS: Final = 86_400_000
EPOCH: Final = date(1970, 1, 1)
NARRATED: Final = "narrator"
"""The session of narratives: none that is open, so that what comes next in those of the day is as it was."""
EPISODES_MIN: Final = 2
LATER_EVENTS: Final = 16
"""A day has ended when so many events of later days have come since its last episode: the chunker may be behind."""
DAYS_MAX: Final = 16
UNDATED_MAX: Final = 512
_ASKED_MAX: Final = 32


@dataclass(slots=True)
class Undated:
    """An episode of which the day is not known yet, and the first of its events, by which it will be."""

    held: Held
    member: str


@dataclass(slots=True)
class Day:
    """The episodes of a day, and how many events of later days came since the last of them."""

    episodes: list[Held] = field(default_factory=list[Held])
    later: int = 0


@dataclass(slots=True)
class Days:
    """``days`` are those of which something was not narrated yet, by the number of days since 1970, as a text.

    ``words`` counts what is usual in the memory's episodes, as the chunker counts it of events.
    """

    days: dict[str, Day] = field(default_factory=dict[str, Day])
    undated: dict[str, Undated] = field(default_factory=dict[str, Undated])
    words: ChunkerState = field(default_factory=ChunkerState)
    resting: bool = False


class Narrator(Thinker[Days]):
    """Commits, for each day (UTC, by ``at``) of which there are two episodes or more, an episode of these.

    A day has ended with the sixteenth event of later days, or when the memory rests. What comes of a day that was told
    already is told under the same date. At most 64 episodes, the latest, are of one narrative. What strangers say ends
    no day, and an episode of it is in none.
    """

    name: ClassVar[str] = "narrator"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event", "commit_episode"})
    follows: ClassVar[frozenset[str]] = frozenset({"chunker"})
    state = Days

    def observe(self, state: Days, happening: Happening) -> Sequence[Decision]:
        """Note an episode, and what comes after a day."""
        if happening.thinker == self.name:
            return ()
        state.resting = False
        if happening.kind == "event":
            if not happening.trust:
                return ()
            today = happening.at // DAY_MS
            for day, told in state.days.items():
                told.later += int(day) < today
            return _ended(state)
        if happening.kind == "episode" and happening.members:
            terms = terms_of(replace(happening, payload=None))
            held = Held(happening.id, happening.seq, terms, weigh(state.words, terms), shown(happening.text))
            state.undated[happening.id] = Undated(held, happening.members[0])
            while len(state.undated) > UNDATED_MAX:
                del state.undated[next(iter(state.undated))]
        return ()

    def asks(self, state: Days, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        """Ask of which day the next episodes are, that of their first event; and how far they are trusted."""
        del memory, again
        undated = list(state.undated.items())[:_ASKED_MAX]
        return [AskDescribed(ref) for episode, each in undated for ref in (each.member, episode)]

    def answered(self, state: Days, answers: Sequence[Any]) -> Sequence[Decision]:
        """Put episodes to their days; narrate those that have ended, once all are known."""
        for episode, first, whole in zip(list(state.undated), answers[::2], answers[1::2], strict=False):
            undated = state.undated.pop(episode)
            at = first.memory.at if isinstance(first, Described) else None
            if at is not None and isinstance(whole, Described) and whole.memory.trust:
                _put(state, at // DAY_MS, undated.held)
        return () if state.undated else _ended(state)

    def rest(self, state: Days) -> Sequence[Decision]:
        """Narrate all days, since nothing has happened for a while."""
        state.resting = True
        return () if state.undated else _ended(state)


def _put(state: Days, day: int, episode: Held) -> None:
    told = state.days.setdefault(str(day), Day())
    told.episodes = [*told.episodes, episode][-EPISODE_EVENTS_MAX:]
    told.later = 0


def _ended(state: Days) -> list[Decision]:
    """Return the narratives of days that have ended, and let go of these."""
    many = len(state.days) - DAYS_MAX
    found: list[Decision] = []
    for place, day in enumerate(sorted(state.days, key=int)):
        told = state.days[day]
        if not (state.resting or told.later >= LATER_EVENTS or place < many):
            continue
        if len(told.episodes) >= EPISODES_MIN:
            found.append(_narrated(int(day), told.episodes))
            del state.days[day]
        elif not state.resting:  # one alone is no day; while a memory rests, the day may go on
            del state.days[day]
    return found


def _date(day: int) -> str:
    """Return the date of a day, or its number where no calendar of ours goes."""
    try:
        return (EPOCH + timedelta(days=day)).isoformat()
    except OverflowError:
        return f"day {day}"


def _narrated(day: int, episodes: list[Held]) -> Decision:
    named = _date(day)
    text = f"{named}: {said}" if (said := summary(episodes)) else named
    why = f"The day {named} has ended, with {len(episodes)} episodes."
    span = [episodes[0].seq, episodes[-1].seq]
    payload = {"trigger": "day", "why": why, "day": named, "summary": EXTRACTIVE, "span": span}
    body: dict[str, object] = {"events": [], "episodes": [each.id for each in episodes]}
    return Decision("commit_episode", body, text, payload, NARRATED)
