"""What happens in a long life: tasks in sessions that take turns, talk, floods, and facts to be asked for later.

A task is some steps towards a goal, each with a tool, a person and a thing of its project; some steps are judged, and
most tasks at their end. Those in which a review is skipped look good at once, and mostly end badly. Now and then
somebody talks instead. What is hostile comes in bursts: features that are never seen again, one text all over, and long
texts that say nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_schemas.ids import uuid7

MEMORY: Final = "bench/life"
_BEGIN_MS: Final = 1_700_000_000_000
_SESSIONS: Final = 6
_TASKS_OF_SESSION: Final = 8
_PROJECTS: Final = 40
_HOSTILE_EVERY: Final = 4_000  # events
_HOSTILE_EVENTS: Final = 80
_FLOOD_FEATURES: Final = 32
_CHAT_SHARE: Final = 0.15
_STEP_JUDGED: Final = 0.1
_TASK_JUDGED: Final = 0.9
_SKIPS: Final = 0.3
_TOOLS: Final = ("read", "shell", "ask", "edit", "search", "wait", "compare", "ticket", "retry")
_PEOPLE: Final = (
    "ana", "ben", "carla", "dmitri", "elif", "femke", "goran", "hana", "ivan", "jun", "karim", "lena", "mika", "nora",
    "omar", "pia", "quentin", "rosa", "sven", "tala",
)  # fmt: skip
_STEPS: Final = (
    "Read what was written about the {thing} of {project} before touching anything",
    "Ran the checks for the {thing} of {project}: {count} findings, most of them old ones",
    "Asked {person} who had changed the {thing} of {project} last, and what it was for",
    "Changed {count} lines of the {thing} in {project} so that the {other} is left alone",
    "Searched the log of {project} for the {thing}, {count} hits and nothing after midnight",
    "Waited for the pipeline of {project}, attempt {count}, while {person} looked at the {other}",
    "Compared two ways to keep the {thing} of {project} in step with its {other}",
    "Opened ticket {count} about the {thing} of {project}, and told {person} about it",
    "Tried the {thing} of {project} again, with a timeout of {count} seconds this time",
)
_GOALS: Final = ("mend", "release", "review", "migrate", "look into")
_SAID: Final = (
    "I have not slept well, the {thing} kept me busy all night long",
    "Shall we have lunch with {person} later? The place at the corner has soup again",
    "{person} told me that {project} may be late, what do you think about that?",
    "My sister visits us next week, we want to see the {thing} in the old town",
    "No, I think it is number {count}, but you had better ask {person} about it",
    "That is good to hear. The weather should be fine, so let us walk there",
)
_THINGS: Final = (
    "index", "parser", "queue", "schema", "cache", "invoice", "report", "badge", "mail", "form", "table", "backup",
    "router", "clock", "ledger", "export", "import", "banner", "camera", "sensor", "printer", "licence", "budget",
    "calendar", "archive", "gateway", "label", "menu", "password", "survey", "ticket", "voucher",
)  # fmt: skip
_PLACES: Final = ("blue cupboard", "cellar", "second drawer", "glass cabinet", "locker by the stairs", "red folder")
_SYLLABLES: Final = ("ka", "lo", "mi", "ru", "ten", "vos", "bel", "dra", "fin", "gor", "hul", "jas", "nev", "pol")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is said once, ``said``, and asked for later. ``kind`` is what became of it.

    "said" and no more; "judged" to matter, at once; or "used" by whoever asks for it from time to time.
    """

    said: str
    question: str
    kind: str


class Life:
    """A life of so many events, by its seed."""

    def __init__(self, events: int, seed: int = 1, memory: str = MEMORY, facts: int = 20) -> None:
        """Plant ``facts`` of each kind in the first fiftieth of the life, and as many in its middle."""
        self.early: list[Fact] = []
        self.middle: list[Fact] = []
        self._events = events
        self._facts = facts
        self._lots = Random(seed)
        self._ids = Random(seed + 1)
        self._drafter = Drafter(memory, "agent", "benchmark")
        self._at = _BEGIN_MS
        self._told = 0  # events
        self._stamped = 0

    def drafts(self) -> Iterator[Draft]:
        """Yield all that happens, in order; what is planted by then is in ``early`` and ``middle``."""
        running = [self._session(number) for number in range(_SESSIONS)]
        every = max(1, self._events // (50 * 3 * self._facts))
        next_hostile = min(_HOSTILE_EVERY, self._events // 2)
        middle = self._events // 2
        while self._told < self._events:
            yield from next(running[self._lots.randrange(_SESSIONS)])
            for planted, begin in ((self.early, 0), (self.middle, middle)):
                if len(planted) < 3 * self._facts and self._told >= begin + every * (len(planted) + 1):
                    yield from self._plant(planted)
            if self._told >= next_hostile:
                next_hostile += _HOSTILE_EVERY
                yield from self._hostile(next_hostile // _HOSTILE_EVERY % 3)

    def _session(self, number: int) -> Iterator[list[Draft]]:
        """Yield what happens in one seat, turn by turn: session after session."""
        count = 0
        while True:
            name = f"seat-{number}-{count}"
            count += 1
            for _ in range(_TASKS_OF_SESSION):
                yield from self._chat(name) if self._lots.random() < _CHAT_SHARE else self._task(name)

    def _task(self, session: str) -> Iterator[list[Draft]]:
        lots = self._lots
        project = _zipf(lots, _PROJECTS)
        things = [_THINGS[(project * 5 + each) % len(_THINGS)] for each in range(6)]
        people = [_PEOPLE[(project * 3 + each) % len(_PEOPLE)] for each in range(3)]
        goal = lots.choice(_GOALS)
        skips = lots.random() < _SKIPS
        steps = lots.randint(6, 36)
        last = ""
        for step in range(steps):
            tool = lots.randrange(len(_TOOLS))
            thing, other = lots.sample(things, 2)
            person = lots.choice(people)
            text = _STEPS[tool].format(
                thing=thing, other=other, project=f"project {project}", person=person, count=lots.randint(2, 99)
            )
            features = [f"tool:{_TOOLS[tool]}", f"project:{project}", f"file:{project}/{thing}", f"person:{person}"]
            if step == 0:
                text, features = f"Began to {goal} the {thing} of project {project} with {person}", [f"goal:{goal}"]
            if skips and step == 1:
                features.insert(0, "act:skip-review")
            drafts = [self._event(text, features, session)]
            last = drafts[0].id
            if skips and step == 1:
                drafts.append(self._outcome(last, 2.0, "step", session))
            elif lots.random() < _STEP_JUDGED:
                drafts.append(self._outcome(last, lots.choice((-1.0, 0.5, 1.0, 1.5)), "step", session))
            yield drafts
        if lots.random() < _TASK_JUDGED:
            bad = lots.random() < (0.85 if skips else 0.15)
            yield [self._outcome(last, lots.choice((-7.0, -4.0) if bad else (3.0, 5.0, 8.0)), "task", session)]

    def _chat(self, session: str) -> Iterator[list[Draft]]:
        lots = self._lots
        one, other = lots.sample(_PEOPLE, 2)
        for turn in range(lots.randint(6, 24)):
            said = lots.choice(_SAID).format(
                thing=lots.choice(_THINGS), person=lots.choice(_PEOPLE), project=f"project {_zipf(lots, _PROJECTS)}",
                count=lots.randint(2, 99),
            )  # fmt: skip
            greeting = "Good morning! " if turn == 0 else ""
            yield [self._event(greeting + said, [f"speaker:{other if turn % 2 else one}"], session)]

    def _plant(self, planted: list[Fact]) -> Iterator[Draft]:
        lots = self._lots
        name = "".join(lots.choices(_SYLLABLES, k=3)).capitalize() + str(self._told)
        thing = lots.choice(_THINGS)
        session = f"seat-{lots.randrange(_SESSIONS)}-facts"
        text = f"The spare key to the {thing} of {name} lies in the {lots.choice(_PLACES)}"
        event = self._event(text, [f"owner:{name}"], session)
        fact = Fact(text, f"Where is the spare key to the {thing} of {name}?", _KINDS[len(planted) % len(_KINDS)])
        planted.append(fact)
        yield event
        if fact.kind == "judged":
            yield self._outcome(event.id, lots.choice((-9.0, 8.0)), "audit", session)

    def _hostile(self, kind: int) -> Iterator[Draft]:
        lots = self._lots
        session = f"flood-{self._told}"
        for number in range(_HOSTILE_EVENTS):
            text, features = "The same thing happened again, and nobody knows why it did", ["alarm"]
            if kind == 0:
                features = [f"noise:{self._told}-{each}" for each in range(_FLOOD_FEATURES)]
            elif kind == 1:
                text = " ".join(lots.choice(_THINGS) + lots.choice(_SYLLABLES) for _ in range(200))
                features = [f"babble:{number}"]
            yield self._event(text, features, session)

    def _event(self, text: str, features: list[str], session: str) -> Draft:
        self._told += 1
        self._at += self._lots.randint(5, 90) * 1_000
        return self._drafter.record_event(text, features=features, session=session, stamp=self._stamp())

    def _outcome(self, event: str, value: float, kind: str, session: str) -> Draft:
        return self._drafter.log_outcome(event, value, kind=kind, session=session, stamp=self._stamp())

    def _stamp(self) -> Stamp:
        self._stamped += 1
        return Stamp(uuid7(_BEGIN_MS + self._stamped, self._ids.randbytes(10)), self._at)


_KINDS: Final = ("said", "judged", "used")


def _zipf(lots: Random, choices: int) -> int:
    """Return a number below ``choices``, the low ones far more often."""
    return min(choices - 1, int((choices + 1) ** lots.random()) - 1)
