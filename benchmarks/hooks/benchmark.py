"""How often the right earlier lesson stood in the context before the same file was touched again, through the hooks.

Each commit of a repository is a session of a coding agent: it is asked for the commit's subject, looks each file up,
changes it, and commits. A commit that mends (by the importer's rule) is a lesson about its files. When one of them is
touched again later, the right lesson is the last one about it; it stood in the context when its subject was in what
the hooks gave the agent by then. Beside it: the latest commits, and the latest lessons, as many as fit the hooks'
whole budget, in the same words; and the prompt alone. Who shows the latest lessons is told which commits are lessons,
and where they all fit has every one of them. The service finds by words, without a model.
``--repository`` names another repository than this one.
"""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from yggdrasil.doors.hooks.installing import SCRIPT, SHELL
from yggdrasil.doors.hooks.recalling import FILE_TOKENS, PROMPT_TOKENS, START_TOKENS
from yggdrasil.doors.hooks.redaction import clean
from yggdrasil.doors.hooks.settings import Settings

from ..latency.served import Served
from ..measure import Bar, Report, Size, interleaved, median_ratio, say, seconds
from .history import Commit, commits
from .sessions import Given, Player

_CHECKOUT: Final = Path(__file__).parents[2]
_BUDGET_CHARS: Final = 4 * (START_TOKENS + PROMPT_TOKENS + FILE_TOKENS)
_SAID_CHARS: Final = 40  # of a subject by which it is known again: the rest may be cut
_FAR: Final = 30  # sessions since the lesson, beyond which it is of another week
_RATIO_MAX: Final = 10.0
_WAYS: Final = ("hooks", "hooks_when_read", "hooks_at_the_prompt", "latest_lessons", "latest_commits", "prompt_alone")


@dataclass
class Counted:
    """How often the right lesson was there, by who looked for it, of how many times that it was wanted."""

    wanted: int = 0
    found: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_WAYS, 0))

    def add(self, found: dict[str, bool]) -> None:
        """Count one time."""
        self.wanted += 1
        for way, there in found.items():
            self.found[way] += there

    def share(self, way: str) -> float:
        """Return how often it was there, in per cent."""
        return 100 * self.found[way] / max(1, self.wanted)


def run(size: Size, scratch: Path, repository: Path | None = None) -> Report:
    """Play the last 900 commits; a quick run the last 90."""
    report = Report("hooks")
    history = commits(repository or _CHECKOUT, size.pick(8, 90, 900))
    with Served(scratch / "data") as served:
        settings = Settings(str(scratch), "me/week", "/project", served.url)
        player = Player(settings)
        every, far, chars = Counted(), Counted(), [0, 0]
        lessons: dict[str, int] = {}
        for number, commit in enumerate(history):
            given = player.play(commit)
            for change in commit.changes:
                chars = [chars[0] + len(given.before[change.path]), chars[1] + 1]
                if (last := lessons.get(change.path)) is not None:
                    found = _found(history, number, last, given, change.path)
                    every.add(found)
                    if number - last > _FAR:
                        far.add(found)
            if commit.mends:
                lessons |= {change.path: number for change in commit.changes}
        _tell(report, every, "")
        _tell(report, far, f"_after_{_FAR}_sessions")
        report.figures["sessions"] = len(history)
        report.figures["tokens_in_context_mean"] = chars[0] / 4 / max(1, chars[1])
        _latency(report, scratch, served.url, size.pick(2, 9, 25))
    for beside in ("latest_lessons", "latest_commits"):
        ahead = every.share("hooks") - every.share(beside)
        report.bars.append(Bar(f"points ahead of the {beside.replace('_', ' ')} within the budget", ahead, 0.0))
    return report


def _found(history: list[Commit], number: int, last: int, given: Given, path: str) -> dict[str, bool]:
    """Return who had the lesson of session ``last`` in the context before session ``number`` touched ``path``."""
    wanted = _known(history[last])
    before = history[:number]
    texts = {
        "hooks": given.before[path],
        "hooks_when_read": given.read[path],
        "hooks_at_the_prompt": given.begun,
        "latest_lessons": _latest([one for one in before if one.mends]),
        "latest_commits": _latest(before),
        "prompt_alone": history[number].subject,
    }
    return {way: wanted in _flat(text) for way, text in texts.items()}


def _latest(told: list[Commit]) -> str:
    """Return the latest commits that fit the budget, in the words of the hooks."""
    texts: list[str] = []
    room = _BUDGET_CHARS
    for commit in reversed(told):
        text = clean(f"Committed: {commit.message}\nFiles: {', '.join(change.path for change in commit.changes)}")
        room -= len(text) + 1
        if room < 0:
            break
        texts.append(text)
    return "\n".join(texts)


def _known(commit: Commit) -> str:
    return _flat(clean(commit.subject))[:_SAID_CHARS]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _tell(report: Report, counted: Counted, suffix: str) -> None:
    report.figures[f"times_a_lesson_was_wanted{suffix}"] = counted.wanted
    for way in _WAYS:
        report.figures[f"{way}_found_per_cent{suffix}"] = counted.share(way)
    say(f"  {counted.wanted} times wanted{suffix}: " + ", ".join(f"{way} {counted.share(way):.1f}" for way in _WAYS))


def _latency(report: Report, scratch: Path, url: str, rounds: int) -> None:
    """Measure a hook as agents start it, through the shell, against an interpreter that does nothing, in turn."""
    sent = {"file_path": "/project/a.py", "old_string": "a", "new_string": "b"}
    edit: dict[str, Any] = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": sent}
    prompt: dict[str, Any] = {"hook_event_name": "UserPromptSubmit", "prompt": "Why does it fail?"}
    python = [sys.executable, "-I", "-S"]
    hook = ["sh", str(SHELL), *python, str(SCRIPT)]

    def started(words: list[str], given: dict[str, Any] | None = None) -> float:
        variables = {"YGGDRASIL_DIR": str(scratch), "YGGDRASIL_SERVICE": url, "YGGDRASIL_MEMORY": "me/week"}
        sent = orjson.dumps({"session_id": "timed", "cwd": "/project", **given}) if given else b""
        return seconds(lambda: subprocess.run(words, input=sent, env=variables, stdout=-3, check=True))

    nothing, edits, prompts = interleaved(
        rounds,
        lambda: started([*python, "-c", ""]),
        lambda: started(hook, given={**edit, "tool_use_id": str(len(report.figures))}),
        lambda: started(hook, given=prompt),
    )
    report.figures["interpreter_ms_median"] = 1e3 * sorted(nothing)[len(nothing) // 2]
    report.figures["edit_hook_ms_median"] = 1e3 * sorted(edits)[len(edits) // 2]
    report.figures["prompt_hook_ms_median"] = 1e3 * sorted(prompts)[len(prompts) // 2]
    report.figures["edit_hook_over_interpreter"] = median_ratio(edits, nothing)
    ratio = median_ratio(prompts, nothing)
    report.figures["prompt_hook_over_interpreter"] = ratio
    report.bars.append(Bar("a prompt's hook over the interpreter's own start", ratio, _RATIO_MAX, at_most=True))
