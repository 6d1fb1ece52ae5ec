"""A quarantine, whatever holds the memory: what somebody said is read through an engine, and judged through it."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, Final, Protocol

from yggdrasil_processors.auditing.quarantine import (
    READINGS,
    Part,
    Plan,
    Stands,
    Step,
    alone,
    back,
    of_selection,
    parts_in,
    plan,
    steps,
    under_way,
)
from yggdrasil_processors.auditing.tracing import Report, Trace, Who
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_projections.retrieval.errors import NotReadyError
from yggdrasil_projections.retrieval.reads.operations.said import SAID_MAX, AskSaid, PartVerdict, Said
from yggdrasil_projections.retrieval.reads.operations.standing import AskStanding, StandingCommand
from yggdrasil_schemas.limits import JUDGED_MAX

from ..engines.engine import ReadingEngine

_ROUNDS_MAX: Final = 3  # of looking whether anything on the list stands again, since something else is out
_BEHIND_S: Final = 30.0  # a service of several hosts may have asked one that is behind
_LOOK_S: Final = 0.2
Advance = Callable[[int], object]
Watched = Callable[[str, int], AbstractContextManager[Advance]]
"""Called with what is done and how much of it there is: what to tell of each part of it."""


class Reader(Protocol):
    """What takes notice of what the log says."""

    def add(self, commands: Iterable[Said]) -> None:
        """Take notice of the commands that come next."""
        ...


def _unwatched(_what: str, _total: int) -> AbstractContextManager[Advance]:
    return nullcontext(lambda _units: None)


@dataclass(slots=True)
class Done:
    """What was planned and what became of it: ``refused`` is what the memory did not take, by reference, and why.

    ``last`` is the last part that an interrupted run has left. ``judged`` counts items, in ``commands``.
    """

    plan: Plan = field(default_factory=lambda: Plan([], []))
    last: Part | None = None
    judged: int = 0
    commands: list[str] = field(default_factory=list[str])
    refused: dict[str, str] = field(default_factory=dict[str, str])


class Quarantine:
    """All that somebody said to a memory, and the verdicts that take it out of answers and bring it back.

    It asks ``said`` and ``standing``, and says ``judge`` in the name of the ``drafter``, whose origin is an operator.
    Raises what the engine raises. What was said until then stays, and the same again goes on with the rest.
    """

    def __init__(self, engine: ReadingEngine, drafter: Drafter, watched: Watched = _unwatched) -> None:
        self.engine, self.drafter, self.memory = engine, drafter, drafter.memory
        self.altered = 0
        """How many records of the log are not what was folded; what they say is left out."""
        self._watched = watched
        self._parts: list[Part] = []
        self._seq = 0  # as far as is known: what is asked after that has folded it

    def add(self, commands: Iterable[Said]) -> None:
        """Take notice of the parts of quarantines among what the log says."""
        self._parts += parts_in(commands)

    def trace(self, who: Who) -> Trace:
        """Return what somebody said and what came of it, as the log has it now."""
        found = Trace(who)
        self._read(found, self)
        return found

    def parts(self) -> list[Part]:
        """Return all parts of quarantines that the log has."""
        self._read(self)
        return self._parts

    def report(self, ref: str) -> Report | None:
        """Return which answers the memory that the command ``ref`` made was in; None where it made none."""
        one = self._stands([ref]).get(ref)
        if one is None:
            return None
        found = Report({ref} if one.node is None else {ref, one.node.id})
        self._read(found)
        return found

    def done(self, selection: dict[str, Any], found: Trace, *, release: bool, say: bool, reason: str) -> Done:
        """Plan a quarantine of what was ``found``, or its release, and with ``say`` append it, part by part.

        ``selection`` says whose words they are, in a few words: with it a release finds what to bring back. ``reason``
        is shown wherever the verdicts are.
        """
        done = Done()
        meant = [*found.said, *(found.derived if selection["derived"] else ())]
        for turn in range(_ROUNDS_MAX):
            taken, released = of_selection(self._parts, selection)
            if release:
                planned, of_run = back(taken, self._stands(it.ref for part in taken for it in part.items)), released
            else:
                stands = self._stands(each.id for each in meant if each.type not in READINGS)
                planned, of_run = plan(meant, stands), [] if released else taken
            if not turn:
                done.plan, done.last = planned, of_run[-1] if under_way(of_run) else None
            items = [item for item in planned.items if item.ref not in done.refused]
            if not say or not items:
                break
            verdict: PartVerdict = "release" if release else "quarantine"
            begun = self._seq, of_run[-1].part if under_way(of_run) else 0
            self._say(steps(self.memory, self.drafter.source, selection, verdict, items, reason, begun), done)
        return done

    def _read(self, *readers: Reader) -> None:
        self._parts, self.altered = [], 0
        page = self.engine.ask(self.memory, AskSaid(count=SAID_MAX))
        end, position = page.end, 0
        with self._watched("Reading the log", end) as advance:
            while True:
                for reader in readers:
                    reader.add(page.said)
                advance(page.position - position)
                position, self._seq = page.position, max(self._seq, page.as_of)
                self.altered += page.altered
                if position >= end:
                    return
                page = self.engine.ask(self.memory, AskSaid(position=position, count=SAID_MAX))

    def _stands(self, commands: Iterable[str]) -> Stands:
        """Return how commands stand, by id, once what was read and said before is folded there."""
        ids, found = list(dict.fromkeys(commands)), dict[str, StandingCommand]()
        with self._watched("Looking how it stands", len(ids)) as advance:
            for at in range(0, len(ids), JUDGED_MAX):
                some = ids[at : at + JUDGED_MAX]
                found |= {each.id: each for each in self._asked(AskStanding(some))}
                advance(len(some))
        return found

    def _asked(self, query: AskStanding) -> list[StandingCommand]:
        until = monotonic() + _BEHIND_S
        while (answer := self.engine.ask(self.memory, query)).as_of < self._seq:
            if monotonic() > until:
                told = f"{self.memory} stands at seq {answer.as_of} on this host, and at {self._seq} on another"
                raise NotReadyError(f"{told}; give the same command again when that has caught up")
            sleep(_LOOK_S)
        self._seq = answer.as_of
        return answer.commands

    def _say(self, parts: Sequence[Step], done: Done) -> None:
        """Append parts in their order. What refuses one is told of its items one by one, and the rest goes on."""
        with self._watched("Saying so (parts)", len(parts)) as advance:
            for part in parts:
                if self._refusal(part, done) is not None:
                    for one in alone(self.memory, self.drafter.source, part):
                        if (refusal := self._refusal(one, done)) is not None:
                            done.refused[one.body["items"][0]["node"]] = refusal
                advance(1)

    def _refusal(self, step: Step, done: Done) -> str | None:
        """Append a step, and return why it was refused; None when it was taken."""
        answer = self.engine.submit(self.drafter.draft("judge", step.body, step.content, stamp=Stamp(step.id)))
        if answer.refused is not None:
            return answer.refused.reason.code
        self._seq = max(self._seq, answer.seq)
        self._parts.append(step.part._replace(seq=answer.seq))
        done.judged += len(step.body["items"])
        done.commands.append(step.id)
        return None
