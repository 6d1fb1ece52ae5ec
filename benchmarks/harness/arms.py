"""The memories that the agent is given. All are told the same lines; they differ in how they keep and find them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from yggdrasil import Memory, Where
from yggdrasil.sessions import Session
from yggdrasil_infra.embedders import Embedder
from yggdrasil_producers.sessions import ITEMS_MAX
from yggdrasil_projections.retrieval.answers import Context

from ..recall.plain import searches
from .agent import BEGIN_TOKENS, FAILED_TOKENS, Account, Incident, read, told
from .world import Task

_GREPPED: Final = re.compile(r"[a-z0-9][a-z0-9-]{2,}")
_LESSONS: Final = Where(kinds=["claim"])
"""What sessions have left for others, and not what they did."""
PLACES_MAX: Final = 50
"""So many memories an answer may hold: as many as it can, since the budget is one of tokens."""
_STOP: Final = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "from",
        "that",
        "this",
        "what",
        "which",
        "was",
        "were",
        "has",
        "have",
        "had",
        "its",
        "into",
        "out",
        "not",
        "are",
        "they",
        "them",
        "there",
        "where",
        "when",
        "who",
        "how",
        "did",
        "does",
        "but",
        "all",
        "any",
        "our",
        "own",
    ]
)


class Nothing:
    """No memory: the manual alone."""

    def begin(self, task: Task) -> Sequence[str]:
        """Return nothing."""
        return ()

    def failed(self, task: Task, incident: Incident) -> Sequence[str]:
        """Return nothing."""
        return ()

    def settled(self, task: Task, incident: Incident) -> None:
        """Keep nothing."""

    def end(self, account: Account) -> None:
        """Keep nothing."""


class Notes(Nothing):
    """A file of notes, a line for each failure, and grep: lines with most of the words first, the newest of those.

    Words are taken without their plural and without those that say nothing, and are found within others as grep does.
    A line in which a remedy helps no longer is as new as it was written, so it comes before those that it corrects.
    """

    def __init__(self, file: Path) -> None:
        """Keep notes in ``file``."""
        self._file = file
        file.touch()

    def begin(self, task: Task) -> Sequence[str]:
        """Return the lines that have words of the goal, or a tool of the plan."""
        return self.found(asked(task))

    def failed(self, task: Task, incident: Incident) -> Sequence[str]:
        """Return the lines that have words of the failure, its tool, and the goal."""
        return self.found(asked_of(task, incident))

    def end(self, account: Account) -> None:
        """Write a line for each failure."""
        with self._file.open("a", encoding="utf-8") as notes:
            notes.writelines(f"{told(account.task, incident)}\n" for incident in account.incidents)

    def found(self, query: str) -> list[str]:
        """Return the lines of the file that have words of a query, best first."""
        lines = self._file.read_text(encoding="utf-8").splitlines()[::-1]
        wanted = {word.rstrip("s") for word in _GREPPED.findall(query.lower()) if word not in _STOP}
        counts = [sum(word in line.lower() for word in wanted) for line in lines]
        order = sorted((place for place, count in enumerate(counts) if count), key=lambda place: -counts[place])
        return [lines[place] for place in order]


class RankedNotes(Notes):
    """The same file, searched by the textbook's BM25 in place of grep; of equal lines the newest first."""

    def found(self, query: str) -> list[str]:
        """Return the lines of the file that BM25 finds."""
        lines = self._file.read_text(encoding="utf-8").splitlines()[::-1]
        return [lines[place] for place in searches(lines, None)["bm25"](query)] if lines else []


class FusedNotes(RankedNotes):
    """The same file, searched by BM25 and the vectors of the model that our memory has, in reciprocal-rank fusion."""

    def __init__(self, file: Path, model: Embedder) -> None:
        """Keep notes in ``file``; ``model`` makes vectors of them, and remains the caller's to close."""
        super().__init__(file)
        self._model = model

    def found(self, query: str) -> list[str]:
        """Return the lines of the file, by words and vectors."""
        lines = self._file.read_text(encoding="utf-8").splitlines()[::-1]
        return [lines[place] for place in searches(lines, self._model)["fusion"](query)] if lines else []


class Hindsight(Nothing):
    """A memory that knows the hidden rules, as far as the agent has met them: no memory can do better than this."""

    def __init__(self) -> None:
        """Begin with nothing met."""
        self._met: set[tuple[str, str]] = set()

    def begin(self, task: Task) -> Sequence[str]:
        """Return, of what will fail, the remedies that have helped with that tool before."""
        return [
            f"{task.goal}: {call.tool} failed; {remedy} helped"
            for call in task.calls
            for _, remedy in call.needs
            if (call.tool, remedy) in self._met
        ]

    def failed(self, task: Task, incident: Incident) -> Sequence[str]:
        """Return the same."""
        return self.begin(task)

    def settled(self, task: Task, incident: Incident) -> None:
        """Keep what helped."""
        if incident.helped is not None:
            self._met.add((incident.tool, incident.helped))


class Contexts(Nothing):
    """Our memory by ``record_event``, ``log_outcome`` and ``get_context`` alone."""

    def __init__(self, memory: Memory[Any]) -> None:
        """Keep what is told in ``memory``."""
        self._memory = memory
        self._begun = False

    def begin(self, task: Task) -> Sequence[str]:
        """Return what ``get_context`` finds for goal and plan."""
        return self._found(asked(task), BEGIN_TOKENS)

    def failed(self, task: Task, incident: Incident) -> Sequence[str]:
        """Return what ``get_context`` finds for failure and goal."""
        return self._found(asked_of(task, incident), FAILED_TOKENS)

    def end(self, account: Account) -> None:
        """Record each failure as an event of the task's session, and what came of it as its outcome."""
        session = f"task {account.task.number}"
        for incident in account.incidents:
            features = [f"tool:{incident.tool}", f"workflow:{account.task.kind.workflow}"]
            event = self._memory.record_event(told(account.task, incident), features=features, session=session)
            self._memory.log_outcome(event, 3 if incident.helped else -3, kind="recovery", session=session)
            self._begun = True

    def _found(self, query: str, tokens: int) -> list[str]:
        if not self._begun:  # a memory of which nothing was recorded is not there to be asked
            return []
        return [
            each.memory.text or "" for each in self._memory.get_context(query, k=PLACES_MAX, tokens_max=tokens).found
        ]


def asked(task: Task) -> str:
    """Return what is asked before a task: its goal, and the tools of its plan."""
    return f"{task.goal} ({', '.join(task.tools)})"


def asked_of(task: Task, incident: Incident) -> str:
    """Return what is asked after a failure: its message, the tool, and the goal."""
    return f"{incident.tool} failed with '{incident.message}': {task.goal}"


class Sessions(Nothing):
    """Our memory by sessions: each task is one, which is told what stands, and ends with what helped and what did not.

    A failure is an event with an outcome of the kind ``failure:tool``. What was shown of a failure is reported as used:
    what named the remedy that was tried first, with success or failure as that went.
    """

    def __init__(self, memory: Memory[Any]) -> None:
        """Keep what is told in ``memory``."""
        self._memory = memory
        self._session: Session | None = None
        self._shown: Context | None = None
        self._evidence: list[str] = []

    def begin(self, task: Task) -> Sequence[str]:
        """Open the session of the task, and return what its context says."""
        self._evidence = []
        self._session = self._memory.session(
            workflow=task.kind.workflow,
            task=f"T-{task.number}",
            agent="worker",
            goal=task.goal,
            touches=[f"tool:{tool}" for tool in task.tools],
        )
        shown = self._open.context(asked(task), tokens_max=BEGIN_TOKENS)
        return [each.text or "" for each in shown.remembered]

    def failed(self, task: Task, incident: Incident) -> Sequence[str]:
        """Record the failure, and return what is found for it."""
        event = self._open.record_event(
            f"{incident.tool} failed with '{incident.message}'", features=[f"tool:{incident.tool}"]
        )
        self._open.log_outcome(event, -3, kind="failure:tool")
        self._evidence.append(event)
        self._shown = self._open.get_context(
            asked_of(task, incident), k=PLACES_MAX, tokens_max=FAILED_TOKENS, where=_LESSONS
        )
        return [each.memory.text or "" for each in self._shown.found]

    def settled(self, task: Task, incident: Incident) -> None:
        """Report which of what was shown was used: what names the remedy that was tried first, and how that went."""
        tried = [*incident.in_vain, *([incident.helped] if incident.helped else [])]
        if self._shown is None or self._shown.recall_id is None or not tried:
            return
        votes = {each.memory.ref: each.memory.text or "" for each in self._shown.found}
        used = [
            ref for ref, text in votes.items() if read([text], incident.tool, tried[:1], task.goal).get(tried[0], 0) > 0
        ]
        if used:
            well = incident.helped == tried[0]
            self._memory.report_use(self._shown, used, result="success" if well else "failure")
        self._shown = None

    def end(self, account: Account) -> None:
        """End the session with a recovery for each failure, and how the task turned out."""
        recoveries = [
            {
                "failure": "tool",
                "about": f"tool:{incident.tool}",
                "text": told(account.task, incident),
                "evidence": [event],
            }
            for incident, event in zip(account.incidents, self._evidence, strict=True)
        ]
        self._open.end(recoveries=recoveries[-ITEMS_MAX:], outcome=3 if account.done else -3)

    @property
    def _open(self) -> Session:
        assert self._session is not None
        return self._session
