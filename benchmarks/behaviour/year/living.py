"""The agent that lives the year: it tells what happens, is told late how things went, asks, uses, sleeps.

What is planted beside the work: *facts*, told once (some lately) or used three times; *pairs* of notes that say the
same, of which the younger misleads whoever uses it; *catastrophes*; and *mixed cases*, events that end well, and then
badly.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from yggdrasil import Memory
from yggdrasil_schemas.errors import YggdrasilError

from .clock import Clock
from .world import Happening, World

CATASTROPHES: Final = (2, 10, 30, 50, 80)  # percent of the life before each
_ASKED_EVERY: Final = 40
_SLEEP_EVERY: Final = 1_000
_CHECKED: Final = 3  # of so many outcomes one is looked at: where it landed
_FACTS: Final = {"told once": 60, "used": 40}
_LATELY: Final = 20  # facts told once in the last 1,000 events
_USES: Final = (50, 500, 3_000)  # events until a fact of the second kind is used, and used again
_PAIRS: Final = 20
_PAIR_ASKED: Final = 6
_MIXED: Final = 30


@dataclass(slots=True)
class Planted:
    """Something that is told at one place of the life and asked for at its end."""

    words: list[str]
    kind: str
    ref: str = ""
    other: str = ""  # of a pair: the note that misleads
    misled: int = 0  # how often that one was used

    @property
    def question(self) -> str:
        """What is asked for it."""
        return " ".join(self.words)


@dataclass(slots=True)
class Notes:
    """What the agent knows of its own life, for the questions at the end."""

    planted: list[Planted] = field(default_factory=list[Planted])
    events: list[str] = field(default_factory=list[str])
    judged: dict[str, float] = field(default_factory=dict[str, float])  # the last outcome of an event, by its id
    used: set[str] = field(default_factory=set[str])
    landed: dict[int, list[bool]] = field(default_factory=lambda: defaultdict(list))  # by delay
    parts: list[bool] = field(default_factory=list[bool])  # of all features of those events: which learned
    refused: dict[str, int] = field(default_factory=lambda: defaultdict(int))


class Agent:
    """One agent, its memory, and its year of ``events`` events."""

    def __init__(self, memory: Memory, operator: Memory, seed: int, events: int) -> None:
        """``operator`` is the same memory, spoken to by whoever may declare a catastrophe."""
        self.memory = memory
        self._operator = operator
        self.random = Random(seed)
        self.world = World(self.random)
        self.clock = Clock()
        self.notes = Notes()
        self._events = events
        self._due: dict[int, list[Callable[[], None]]] = defaultdict(list)
        self._of_session: list[str] = []
        self._informed: list[str] = []
        self._outcomes = 0
        self._plan()

    def live(self, tell: Callable[[int], None]) -> None:
        """Live the year; ``tell`` hears how many events have happened."""
        for number in range(self._events):
            for due in self._due.pop(number, []):
                due()
            if self.world.turns():
                self._end_of_session()
            self._work(number, self.world.step(number))
            if number % _ASKED_EVERY == _ASKED_EVERY - 1:
                self._ask_of_work()
            if number % _SLEEP_EVERY == _SLEEP_EVERY - 1:
                self.clock.did("sleep", self.memory.sleep)
                tell(number + 1)

    def _plan(self) -> None:
        """Put what is planted into the calendar."""
        chance, last = self.random, self._events
        for kind, count in _FACTS.items():
            for at in range(count):
                self._plant(last * (at + 1) // (count + 4), Planted(self.world.triple(), kind))
        for at in range(_LATELY):
            self._plant(max(0, last - 50 * (at + 1)), Planted(self.world.triple(), "told lately"))
        for at in range(_PAIRS):
            self._plant(last * (at + 1) // (2 * _PAIRS), Planted(self.world.triple(), "pair"))
        for at in range(_MIXED):
            self._plant(last * (at + 1) // (_MIXED + 2), Planted(self.world.triple(), "mixed"))
        for percent in CATASTROPHES:
            self._plant(last * percent // 100, Planted(chance.sample(self.world.words[1_000:], 3), "catastrophe"))

    def _plant(self, when: int, planted: Planted) -> None:
        self.notes.planted.append(planted)
        self._due[when].append(lambda: self._tell(when, planted))

    def _tell(self, when: int, planted: Planted) -> None:
        """Tell of what is planted, and put what will come of it into the calendar."""
        later = self._due
        number = self.random.randrange(10_000)
        if planted.kind == "catastrophe":
            planted.ref = self._event(f"{planted.question} lost for good", [f"rare-{planted.words[0]}"])
            self._catastrophe(planted.ref)
            return
        features = ["note", *self.world.files()]
        planted.ref = self._event(f"{planted.question} {self.world.said(2)} {number}", features)
        if planted.kind == "used":
            for after in _USES:
                later[when + after].append(lambda: self._use(planted))
        elif planted.kind == "pair":
            planted.other = self._event(f"{planted.question} {self.world.said(2)} {number + 1}", features)
            for turn in range(_PAIR_ASKED):
                later[when + 20 + 300 * turn].append(lambda: self._choose(planted))
        elif planted.kind == "mixed":
            later[when + 3].append(lambda: self._judge(planted.ref, 4.0, [], 3))
            later[when + 200].append(lambda: self._judge(planted.ref, -4.0, [], 200))

    def _event(self, text: str, features: list[str]) -> str:
        def work() -> str:
            return self.memory.record_event(text, features=features, session=self.world.session or "session-0000")

        return self.clock.did("event", work)

    def _work(self, number: int, it: Happening) -> None:
        informed, self._informed = self._informed, []

        def work() -> str:
            return self.memory.record_event(it.text, features=it.features, session=it.session, informed_by=informed)

        event = self.clock.did("event", work)
        self.notes.events.append(event)
        if it.theme is not None:
            self._of_session.append(event)
        value = it.value
        if value is not None:
            if it.delay == 0:
                self._judge(event, value, it.features, 0)
            else:
                self._due[number + it.delay].append(lambda: self._judge(event, value, it.features, it.delay))

    def _judge(self, event: str, value: float, features: list[str], delay: int) -> None:
        """Tell how an event turned out; of one in three look where it lands."""
        kind = "failure" if value < 0 else "success" if value > 0 else "no-change"
        self._outcomes += 1
        looked = bool(value) and bool(features) and self._outcomes % _CHECKED == 0
        before = [self.lessons(name) for name in features] if looked else []
        try:
            self.clock.did("outcome", lambda: self.memory.log_outcome(event, value, kind=kind))
        except YggdrasilError as error:
            self.notes.refused[str(error).split(":", maxsplit=1)[0]] += 1
        self.notes.judged[event] = value
        if looked:
            learned = [self.lessons(name) > count for name, count in zip(features, before, strict=True)]
            self.notes.landed[delay].append(all(learned))
            self.notes.parts += learned

    def lessons(self, feature: str) -> int:
        """Return of how many outcomes a feature has learned."""
        found = self.described(f"feature:{feature}")
        return found.good + found.bad if found else -1

    def described(self, ref: str) -> Any:
        """Return what a reference is now, or None when it is gone."""
        try:
            return self.memory.describe(ref).memory
        except YggdrasilError:
            return None

    def _catastrophe(self, event: str) -> None:
        def work() -> str:
            return self._operator.log_outcome(event, -10.0, kind="catastrophe", catastrophic=True)

        self.clock.did("outcome", work)

    def _ask(self, question: str) -> tuple[str | None, list[str]]:
        answer = self.clock.did("context", lambda: self.memory.get_context(question, k=5))
        return answer.recall_id, answer.refs

    def _report(self, recall: str | None, used: str, *, success: bool) -> None:
        if recall is None:
            return

        def work() -> str:
            return self.memory.report_use(recall, [used], result="success" if success else "failure", helpful=success)

        self.clock.did("use", work)
        self.notes.used.add(used)

    def _ask_of_work(self) -> None:
        """Ask what is known of the theme at hand, use what comes first, and act on it."""
        theme = self.world.theme
        said = (
            self.world.said(3) if theme is None else " ".join(self.random.sample(self.world.themes[theme].features, 2))
        )
        recall, refs = self._ask(said)
        if refs and recall is not None:
            self._report(recall, refs[0], success=self.random.random() < 0.8)
            self._informed = [recall]

    def _use(self, fact: Planted) -> None:
        recall, refs = self._ask(fact.question)
        if fact.ref in refs:
            self._report(recall, fact.ref, success=True)

    def _choose(self, pair: Planted) -> None:
        """Use that of two notes which comes first; when it misleads, ask again and use the other."""
        recall, refs = self._ask(pair.question)
        first = next((ref for ref in refs if ref in (pair.ref, pair.other)), None)
        if first is None:
            return
        self._report(recall, first, success=first == pair.ref)
        if first == pair.other:
            pair.misled += 1
            recall, refs = self._ask(pair.question)
            if pair.ref in refs:
                self._report(recall, pair.ref, success=True)

    def _end_of_session(self) -> None:
        """Make an episode of half of the sessions that had a theme, and judge a quarter of those."""
        events, self._of_session = self._of_session, []
        if len(events) < 2 or self.random.random() < 0.5:
            return
        session = self.world.session
        said = self.world.said(4)
        episode = self.clock.did("episode", lambda: self.memory.commit_episode(events, text=said, session=session))
        if self.random.random() < 0.25:
            self._judge(episode, 2.0, [], 0)
