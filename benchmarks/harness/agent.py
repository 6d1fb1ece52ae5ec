"""The agent that acts: one program without a model, the same whatever its memory is.

It calls the tools of its plan in order. What memory shows is read line by line, in the same way for all: which tool it
is about, which remedies helped and which did not, and how many words it shares with the goal and the failure at hand.
So a remedy that stands for most is applied before the call, and after a failure remedies are tried in the order of
what was read of them, and then in that of the tool's manual. A call is a step, and so is a remedy that is applied.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from .world import Call, Task, Tool

BEGIN_TOKENS: Final = 800
"""So much is read before a task, and ``FAILED_TOKENS`` after a failure, at four characters to a token."""
FAILED_TOKENS: Final = 400
CHARS_PER_TOKEN: Final = 4
_WORD: Final = re.compile(r"[a-z][a-z-]{2,}")
_CLAUSE: Final = re.compile(r"[.;\n]")
_AGAINST: Final = ("in vain", "no use", "did not help", "no longer helps")
_FOR: Final = ("helped", "worked", "solved", "cured")
_STEM: Final = 6  # letters of a word by which it is compared
_FADE: Final = 8  # lines: what is shown further down counts less, half at this place
_PREPARED: Final = 1.0  # of what must stand for a remedy before it is applied unasked: about two lines of like tasks
_SMALL: Final = frozenset(
    [
        "the",
        "and",
        "that",
        "with",
        "for",
        "from",
        "was",
        "were",
        "what",
        "which",
        "when",
        "this",
        "there",
        "they",
        "are",
    ]
)


@dataclass(slots=True)
class Incident:
    """A failure that was met, what was tried in vain, and what helped, as far as the agent can tell."""

    tool: str
    message: str
    in_vain: list[str] = field(default_factory=list[str])
    helped: str | None = None


@dataclass(slots=True)
class Account:
    """What became of a task: its steps, whether it was done, and what was met."""

    task: Task
    steps: int = 0
    done: bool = False
    incidents: list[Incident] = field(default_factory=list[Incident])
    tokens: int = 0
    """What was read of memory."""


class Recollection(Protocol):
    """A memory as the agent has it: what is shown, best first, and what it is told."""

    def begin(self, task: Task) -> Sequence[str]:
        """Return texts for a task that begins."""
        ...

    def failed(self, task: Task, incident: Incident) -> Sequence[str]:
        """Return texts for a failure."""
        ...

    def settled(self, task: Task, incident: Incident) -> None:
        """Be told how a failure ended: what was tried in vain, and what helped if anything did."""
        ...

    def end(self, account: Account) -> None:
        """Be told what became of the task."""
        ...


def play(task: Task, tools: Mapping[str, Tool], memory: Recollection) -> Account:
    """Do a task with a memory; return what became of it. A task that is given up has taken all of its steps."""
    account = Account(task)
    shown = _within(memory.begin(task), BEGIN_TOKENS, account)
    for call in task.calls:
        votes = read(shown, call.tool, tools[call.tool].remedies, task.goal)
        if not _called(call, tools[call.tool], memory, account, prepared(votes)):
            break
    else:
        account.done = True
    account.steps = min(account.steps, task.limit)
    memory.end(account)
    return account


def _called(call: Call, tool: Tool, memory: Recollection, account: Account, ready: Sequence[str]) -> bool:
    """Call a tool until it passes; return whether it did within the steps of the task."""
    task, applied, turn = account.task, list(ready), 0
    account.steps += len(ready)
    met: Incident | None = None
    order: list[str] = []
    while account.steps < task.limit:
        account.steps += 1
        message = call.fails(applied, turn)
        turn += 1
        if met is not None:
            _judge(met, applied[-1], message)
            if message != met.message:
                memory.settled(task, met)
        if message is None:
            return True
        if met is None or met.message != message:
            met = Incident(call.tool, message, [each for each in ready if turn == 1])
            account.incidents.append(met)
            texts = _within(memory.failed(task, met), FAILED_TOKENS, account)
            votes = read(texts, call.tool, tool.remedies, task.goal, message)
            order = [each for each in ranked(votes, tool.remedies) if each not in applied]
        if not order:
            order = list(tool.remedies)  # all were tried: once more, since a failure may pass by itself
        applied.append(order.pop(0))
        account.steps += 1
    if met is not None and met.helped is None:
        memory.settled(task, met)
    return False


def _judge(met: Incident, tried: str, message: str | None) -> None:
    """Note whether what was tried last helped: so it seems where the message is another one, or none."""
    if message == met.message:
        met.in_vain.append(tried)
    else:
        met.helped = tried


def _within(texts: Sequence[str], tokens: int, account: Account) -> list[str]:
    """Return the lines of texts, whole ones, as far as the agent reads."""
    room, lines = tokens * CHARS_PER_TOKEN, list[str]()
    for line in (line for text in texts for line in text.splitlines() if line.strip()):
        if len(line) > room:
            break
        room -= len(line)
        lines.append(line)
    account.tokens += tokens - room // CHARS_PER_TOKEN
    return lines


def read(
    lines: Sequence[str], tool: str, remedies: Sequence[str], goal: str, message: str | None = None
) -> dict[str, float]:
    """Return by remedy what lines say for it at a tool, above zero, or against it.

    A line counts by its place, by the share of the goal's words that it has, and by that of the failure's message.
    """
    votes: dict[str, float] = {}
    named = re.compile(rf"(?<!\w){re.escape(tool.lower())}(?!\w)")
    wanted, failure = words(goal), words(message or "")
    for place, line in enumerate(lines):
        small = line.lower()
        if not named.search(small):
            continue
        has = words(line)
        like = 0.25 + len(wanted & has) / max(1, len(wanted)) + 2 * len(failure & has) / max(1, len(failure))
        weight = like * _FADE / (_FADE + place)
        for clause in _CLAUSE.split(small):
            sign = -1 if any(each in clause for each in _AGAINST) else 1 if any(each in clause for each in _FOR) else 0
            for remedy in remedies if sign else ():
                if remedy.lower() in clause:
                    votes[remedy] = votes.get(remedy, 0.0) + sign * weight
    return votes


def prepared(votes: Mapping[str, float]) -> list[str]:
    """Return what is applied before a call: the remedy that stands for most, if that is enough."""
    best = max(votes, key=lambda each: votes[each], default=None)
    for_any = sum(vote for vote in votes.values() if vote > 0)
    if best is None or votes[best] < _PREPARED or 2 * votes[best] < for_any:
        return []
    return [best]


def ranked(votes: Mapping[str, float], remedies: Sequence[str]) -> list[str]:
    """Return the remedies in the order in which they are tried; equal ones as the manual has them."""
    return sorted(remedies, key=lambda each: -votes.get(each, 0.0))


def words(text: str) -> set[str]:
    """Return the words of a text by which lines are compared."""
    return {each[:_STEM] for each in _WORD.findall(text.lower()) if each not in _SMALL}


def told(task: Task, incident: Incident) -> str:
    """Return an incident in a line, in one of four wordings: the same note whoever keeps it."""
    helped, vain = incident.helped, ", ".join(incident.in_vain)
    worked, useless = (
        ("{0} helped", "in vain: {0}"),
        ("what worked: {0}", "no use: {0}"),
        ("solved by: {0}", "these did not help: {0}"),
        ("{0} cured it", "tried in vain: {0}"),
    )[task.style % 4]
    what = (
        f"{task.goal}: {incident.tool} failed with '{incident.message}'",
        f"{incident.tool} said '{incident.message}' when the task was: {task.goal}",
        f"Trouble with {incident.tool}, '{incident.message}', at this: {task.goal}",
    )[task.style % 3]
    parts = [what, *([worked.format(helped)] if helped else []), *([useless.format(vain)] if vain else [])]
    return "; ".join(parts)
