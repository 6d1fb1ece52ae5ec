"""A thinker in the shadow: what it would decide goes to a report, beside what was decided, and nowhere else."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import orjson

from yggdrasil_infra.paths import whole
from yggdrasil_infra.private import open_private
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from ..thinker import Decision, Thinker
from .kept import ThoughtStore
from .ports import Memories
from .thinking import ASKED_MAX, PAGE, Progress, observed, told

StateT = TypeVar("StateT")
_SEEN: Final = {"episode": "commit_episode", "concept": "form_concept", "claim": "assert_claim"}
"""The decisions that can be seen in what happened, by the kind of node that they make."""


class Shadow(Generic[StateT]):
    """One thinker that only says what it would decide. Not for several threads at once.

    It is not shown what the one in office under the same name has decided: that is what it is compared with.
    """

    def __init__(self, thinker: Thinker[StateT], memories: Memories, store: ThoughtStore, report: Path) -> None:
        """Append to ``report``, a file of JSON lines, which is made."""
        self.thinker = thinker
        self._memories = memories
        self._store = store
        self._key = f"{thinker.name}/{thinker.version}/shadow"
        self._report = whole(report)

    def advance(self, memory: str, *, resting: bool = False) -> Progress:
        """Read the next page of a memory, and report what would follow from it. Raises as ``Thinking.advance``."""
        thought = self._store.load(self._key, memory, self.thinker.state)
        page = self._memories.happened(memory, since=thought.position, count=PAGE)
        lines: list[dict[str, Any]] = []
        for happening in page.happened:
            if happening.thinker == self.thinker.name:
                lines.append(_made(memory, happening))
                continue
            decisions = observed(self._key, self.thinker.observe, thought.state, happening)
            lines += [self._would(memory, happening.seq, decision) for decision in decisions]
        whole = page.position == page.as_of
        if whole and resting:
            decisions = observed(self._key, lambda state, _: self.thinker.rest(state), thought.state, None)
            lines += [self._would(memory, page.position, decision) for decision in decisions]
        for _ in range(ASKED_MAX):
            decisions = told(self._key, self.thinker, thought.state, self._memories, memory)
            if not decisions:
                break
            lines += [self._would(memory, page.position, decision) for decision in decisions]
        thought.position = max(thought.position, page.position)
        if lines:  # first: a line that is said twice counts once, and one that is lost would be a difference
            with open_private(self._report, "ab") as report:
                report.writelines(orjson.dumps(line) + b"\n" for line in lines)
        self._store.save(self._key, memory, thought)
        return Progress(len(page.happened), 0, whole, seq=page.as_of)

    def stands(self, memory: str) -> int | None:
        """Return the seq up to which a memory was read and kept; None where it was never asked."""
        return self._store.stands(self._key, memory)

    def keep(self) -> None:
        """Do nothing: each page was kept when it had been read."""

    def _would(self, memory: str, seq: int, decision: Decision) -> dict[str, Any]:
        about = _about(decision)
        why = decision.payload.get("why", decision.text or decision.payload.get("sentence"))
        line = {"by": f"shadow/{self.thinker.version}", "memory": memory, "seq": seq}
        return line | {"type": decision.type, "about": about, "why": why}


@dataclass(frozen=True, slots=True)
class Difference:
    """How a shadow compares with what was decided, for one type of decisions: how many are of both, and of one only.

    Of ``adjust``, ``dissolve_concept``, ``alias_entity``, ``relate``, ``judge`` and ``sleep`` only the shadow's are
    known: they leave no node behind; nor does a claim that confirms another.
    """

    type: str
    both: int
    only_shadow: int
    only_made: int


def difference(report: Path) -> list[Difference]:
    """Return how what would have been decided differs from what was, by type, out of the report of a shadow.

    Two decisions are the same when they are of the same type about the same things in the same memory.
    """
    would: set[tuple[str, ...]] = set()
    made: set[tuple[str, ...]] = set()
    with report.open("rb") as lines:
        for line in lines:
            said = orjson.loads(line)
            decided = (said["type"], said["memory"], *said["about"])
            (made if said["by"] == "made" else would).add(decided)
    both, only_shadow, only_made = (_by_type(which) for which in (would & made, would - made, made - would))
    types = sorted({*both, *only_shadow, *only_made})
    return [Difference(kind, both[kind], only_shadow[kind], only_made[kind]) for kind in types]


def _by_type(decided: Iterable[tuple[str, ...]]) -> Counter[str]:
    return Counter(each[0] for each in decided)


def _made(memory: str, happening: Happening) -> dict[str, Any]:
    line = {"by": "made", "memory": memory, "seq": happening.seq, "type": _SEEN[happening.kind]}
    said = happening.asserted
    about = sorted(happening.members) if said is None else [said.subject, said.predicate, str(said.object)]
    return line | {"about": about, "why": (happening.payload or {}).get("why", happening.text)}


def _about(decision: Decision) -> list[str]:
    """Return what a decision is about, so that two can be compared: in any order."""
    body = decision.body
    match decision.type:
        case "assert_claim":
            return [body["subject"], body["predicate"], str(decision.object)]
        case "alias_entity":
            return [body["name"], body["canonical"]]
        case "dissolve_concept":
            return [body["concept"]]
        case "relate":
            return [body["source"], body["relation"], body["target"]]
        case "judge":
            return sorted(f"{each['verdict']} {each['node']}" for each in body["items"])
        case _:
            of: Sequence[str] = (
                [*body.get("events", ()), *body.get("episodes", ())]
                or body.get("members")
                or body.get("trajectory")
                or ()
            )
            return sorted(of)
