"""How what a thinker has decided reaches the log: planned under ids that are the same everywhere, and sent together."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.reads.experience.happened import Happening, OpenDecision
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.ids import sourced_id
from yggdrasil_schemas.refusals import Refusal, Refused

from ..thinker import Decision
from .kept import Plan, Thought
from .ports import Memories, Part

_LOGGER: Final = logging.getLogger("yggdrasil.thinkers")
_AGAIN_MAX: Final = 8
_REFUSED_MAX: Final = 5  # lines on the parts of one decision
_ANY_OF: Final = 200  # of a memory's first happenings one is an event
_ELSEWHERE: Final = frozenset({Refusal.CURSOR_STALE, Refusal.CURSOR_AHEAD, Refusal.PART_STALE, Refusal.ID_REUSED})


class UnspeakableError(Exception):
    """A thinker has decided what no command may say."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Whose name is in a thinker's ids: ``source`` is what the commands are sent as, which owns their ids."""

    source: str
    thinker: str
    version: str

    def command_id(self, memory: str, since: int, cursor: tuple[int, int], part: str) -> str:
        """Return the id of a part of the decision from ``cursor[0]`` to ``cursor[1]``: the same wherever it is made."""
        said = (self.thinker, self.version, memory, str(since), str(cursor[0]), str(cursor[1]), part)
        return sourced_id(self.source, "decision", *said)

    def stamp(self, cursor: tuple[int, int], parts: int) -> dict[str, Any]:
        """Return what all parts of that decision say of who decides."""
        return {
            "name": self.thinker,
            "version": self.version,
            "cursor_from": cursor[0],
            "cursor_to": cursor[1],
            "parts": parts,
        }


class Sending:
    """Plans what one thinker decides, and sends it."""

    def __init__(self, memories: Memories, signature: Signature) -> None:
        self._memories = memories
        self._signature = signature

    def plan(
        self, memory: str, thought: Thought[Any], decisions: Sequence[Decision], happening: Happening | None
    ) -> None:
        """Plan decisions up to the position of ``thought``, which follow from ``happening``."""
        cursor = (thought.reached, thought.position)
        stamp = self._signature.stamp(cursor, len(decisions))
        parts: list[Part] = []
        for place, decision in enumerate(decisions):
            command_id = self._signature.command_id(memory, thought.since, cursor, str(place))
            body = {**decision.body, "thinker": {**stamp, "part": place}}
            said = (decision.text, dict(decision.payload), decision.session, decision.object)
            parts.append(Part(command_id, decision.type, body, *said))
        thought.plans.append(Plan(*cursor, parts, None if happening is None else _standing([happening])))

    def send(self, memory: str, thought: Thought[Any], note: Callable[[], object]) -> int | None:
        """Send what is planned, as many plans at once as can be, and forget it; return how many parts were taken.

        ``note`` is called whenever the plans are others than before. None: the log has gone another way than this
        thinker's own state. Raises UnspeakableError.
        """
        taken = 0
        while thought.plans:
            together = _together(thought.plans)
            answers = iter(self._decide(memory, [part for plan in together for part in plan.parts]))
            for plan in together:
                refused = {place: said for place in range(len(plan.parts)) if (said := next(answers).refused)}
                reasons = {said.reason for said in refused.values()}
                if reasons & _ELSEWHERE and not self._is_burnt(memory, thought, plan, reasons):
                    return None
                if not reasons & _ELSEWHERE:
                    del thought.plans[0]
                self._tell(plan, refused)
                if len(refused) == len(plan.parts):
                    self._plan_again(memory, thought)
                    break
                for place in refused:
                    self._fill(memory, plan.parts[place], thought.since, plan.standing)
                taken += len(plan.parts) - len(refused)
                thought.cursor = plan.cursor_to
            note()
        return taken

    def complete(self, memory: str, cursor: int, found: OpenDecision) -> None:
        """Complete a decision that another has begun at ``cursor``, and left, by changes of nothing."""
        stamp = self._signature.stamp((cursor, found.cursor_to), found.parts)
        for place in found.missing:
            self._fill(memory, Part("", "adjust", {"thinker": {**stamp, "part": place}}, None, {}, None), 0, None)

    def _tell(self, plan: Plan, refused: Mapping[int, Refused]) -> None:
        """Write one line on a decision: its first command, how many there are, and those that were refused."""
        of = {"thinker": self._signature.thinker, "command": plan.parts[0].id, "commands": len(plan.parts)}
        if len(refused) < len(plan.parts):
            _LOGGER.info("decided", extra=of)
        for place in sorted(refused)[:_REFUSED_MAX]:
            said = refused[place].reason.code
            _LOGGER.warning("a part was refused: %s", said, extra=of | {"command": plan.parts[place].id})

    def _decide(self, memory: str, parts: Sequence[Part]) -> list[Answer]:
        try:
            return self._memories.decide(memory, parts)
        except InvalidCommandError as error:
            raise UnspeakableError(str(error)) from error

    def _is_burnt(self, memory: str, thought: Thought[Any], plan: Plan, reasons: set[Refusal]) -> bool:
        """Return whether a plan comes too late by what is said of its ids, and not by where the cursor is.

        So it is where it was sent together with one before it that was refused as a whole: it did not begin at the
        cursor then, and the same ids are always answered as they were.
        """
        if reasons != {Refusal.CURSOR_STALE} or plan.again >= _AGAIN_MAX:
            return False
        page = self._memories.happened(memory, since=thought.position, count=1)
        thinker = self._signature.thinker
        return page.cursors.get(thinker, 0) == plan.cursor_from and thinker not in page.open

    def _plan_again(self, memory: str, thought: Thought[Any]) -> None:
        """Let the first plan, if there is any, begin at the cursor, under other ids than before."""
        if not thought.plans:
            return
        plan = thought.plans[0]
        again = plan.again + 1 if plan.cursor_from == thought.cursor else 0
        cursor = (thought.cursor, plan.cursor_to)
        stamp = self._signature.stamp(cursor, len(plan.parts))
        parts: list[Part] = []
        for place, part in enumerate(plan.parts):
            named = f"{place} again {again}" if again else str(place)
            command_id = self._signature.command_id(memory, thought.since, cursor, named)
            parts.append(replace(part, id=command_id, body={**part.body, "thinker": {**stamp, "part": place}}))
        thought.plans[0] = Plan(*cursor, parts, plan.standing, again)

    def _fill(self, memory: str, part: Part, since: int, standing: str | None) -> None:
        """Let a change of nothing take the place of a part that was refused, so that the decision becomes whole."""
        thinker = part.body["thinker"]
        event = standing or _standing(self._memories.happened(memory, since=0, count=_ANY_OF).happened)
        if event is None:
            return
        cursor = (thinker["cursor_from"], thinker["cursor_to"])
        command_id = self._signature.command_id(memory, since, cursor, f"{thinker['part']} instead {event}")
        body = {"trajectory": [event], "evidence": [event], "thinker": thinker}
        why = {"why": "A part of this decision was refused. This one changes nothing, and makes the decision whole."}
        self._decide(memory, [Part(command_id, "adjust", body, None, why, None)])


def _together(plans: Sequence[Plan]) -> list[Plan]:
    """Return the first plans that can be sent at once: up to one in parts, of which some may have to be replaced."""
    found: list[Plan] = []
    for plan in plans:
        found.append(plan)
        if len(plan.parts) > 1:
            break
    return found


def _standing(happened: Iterable[Happening]) -> str | None:
    """Return the first event or episode among what happened, or one that is judged there."""
    for happening in happened:
        if happening.kind == "outcome":
            return happening.of
        return happening.id
    return None
