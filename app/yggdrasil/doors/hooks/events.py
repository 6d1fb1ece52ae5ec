"""What each event says to the memory: commands, made of the event and of what is kept of the session."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from . import results, tools
from .ids import derived, short
from .outbox import NOTE
from .recalling import ASKED, Recalled, used
from .redaction import TEXT_CHARS_MAX, clean
from .service import listed, record
from .session import State
from .settings import Settings

TESTS_FAILED, TESTS_PASSED, COMMAND_FAILED, MENDED = "tests_failed", "tests_passed", "command_failed", "mended"
VALUES: Final = {TESTS_FAILED: -2.0, TESTS_PASSED: 1.0, COMMAND_FAILED: -1.0, MENDED: -1.0}
_PASSED_AGAIN: Final = 2.0  # tests pass that failed before
_NOTED: Final = re.compile(r"\s*/(?:note|remember)(?![\w/-])[ \t:]*([\s\S]*)")
_NOTE_CHARS_MAX: Final = 8_000
_SESSION_CHARS_MAX: Final = 100
_PROMPT_CHARS_MAX: Final = 600
_GOAL_CHARS_MAX: Final = 300
_THING_CHARS_MAX: Final = 128
_MESSAGE_CHARS_MAX: Final = 800
_LINE_CHARS_MAX: Final = 120
_INFORMED_MAX: Final = 8
_FEATURES_MAX: Final = 20
_SHOWN_MAX: Final = 8


class Said:
    """What came of an event: the commands that it says, in order."""

    def __init__(self, settings: Settings, session: str, key: str) -> None:
        """``key`` names the event within its session, and ids follow from it."""
        self.settings = settings
        self.session = session
        self.key = key
        self.commands: list[dict[str, Any]] = []

    def event(
        self, part: str, text: str, features: Sequence[str], *, chars_max: int = TEXT_CHARS_MAX, **body: Any
    ) -> str:
        """Record that something happened; return its id."""
        found = {"features": list(dict.fromkeys(features))[:_FEATURES_MAX], **{k: v for k, v in body.items() if v}}
        return self._add("record_event", part, found, clean(text, chars_max))

    def outcome(self, part: str, event: str, kind: str, text: str, **body: Any) -> None:
        """Log how an event turned out."""
        found = {"event": event, "value": VALUES[kind], "kind": kind, **{k: v for k, v in body.items() if v}}
        self._add("log_outcome", part, found, clean(text))

    def use(self, recall: str, refs: list[str], result: str, *, by_labels: bool = False) -> None:
        """Report what was used of a recall; ``by_labels``: what is cited says so, and nothing else."""
        method = {"method": "labels"} if by_labels else {}
        self._add("report_use", recall, {"recall": recall, "used": refs, "result": result, **method}, None)

    def notes(self, state: State, **notes: str) -> None:
        """Put notes on the session's desk, each in place of the last of its name; an empty one says no to that."""
        for name, text in notes.items():
            said = clean(text)
            if said == state.desk.get(name, ""):
                continue
            state.desk[name] = said
            thing = f"session:{self.session}"[:_THING_CHARS_MAX]
            value: dict[str, Any] = {"text": said} if said else {"flag": False}
            body = {"claim_class": "desk", "subject": thing, "predicate": name, "object": value}
            self._add("assert_claim", name, body, None)

    def _add(self, kind: str, part: str, body: dict[str, Any], text: str | None) -> str:
        own = derived(self.settings.source, "hooks", self.settings.memory, self.session, self.key, kind, part)
        command: dict[str, Any] = {"type": kind, "id": own, "session": self.session, "body": body}
        if text is not None:
            command["content"] = {"text": text}
        self.commands.append(command)
        return own


Given = dict[str, Any]
Handler = Callable[[Given, State, Said, Recalled, dict[str, str]], None]


def session_of(given: Given) -> str:
    """Return the name of the memory's session: that of the agent's."""
    return clean(str(given.get("session_id") or "unknown"), _SESSION_CHARS_MAX)


def key_of(given: Given, state: State) -> str:
    """Return what names an event within its session, the same each time that it is sent.

    Where the agent's program gives it no id, it is what was said in which turn: the same prompt twice in one turn is
    one.
    """
    name = str(given.get("hook_event_name"))
    own = given.get("tool_use_id")
    if name == "UserPromptSubmit":
        own = given.get("prompt_id") or given.get("turn_id")
    if own:
        return f"{name} {own}"
    said = (str(given.get(part) or "") for part in ("prompt", "last_assistant_message", "tool_input", "trigger"))
    return f"{name} {state.turn} {state.did if name == 'PreCompact' else ''} {short(*said)}"


def prompted(given: Given, state: State, said: Said, recalled: Recalled, commits: dict[str, str]) -> None:
    """A turn begins: what was asked for is what the session is about until it ends."""
    del commits
    noted = _NOTED.match(str(given.get("prompt") or ""))
    if noted:  # no goal of the session: it is to be kept, and that is all
        text = clean(noted[1], _NOTE_CHARS_MAX)
        if text:
            said.event("note", text, [NOTE], chars_max=_NOTE_CHARS_MAX)
        return
    state.did, state.touched = 0, []
    state.prompt = clean(str(given.get("prompt") or ""), _PROMPT_CHARS_MAX)
    state.recalls += [{**each, "by": "prompt"} for each in recalled.recalls]
    if state.prompt:
        informed = [each["id"] for each in recalled.recalls]
        features, begins = ["prompt", f"goal:{short(said.session)}"], not state.opened
        if begins:
            state.goal, state.who = state.prompt, _who(given, said.settings)
            features += state.who
        boundary = "open" if begins else None
        text = f"{ASKED}{state.prompt}"
        state.prompt_event = said.event("prompt", text, features, informed_by=informed, boundary=boundary)
        state.opened = state.opened or state.prompt_event


def looked(given: Given, state: State, said: Said, recalled: Recalled, commits: dict[str, str]) -> None:
    """A file is about to be changed: its lessons were told, and are told once in a session."""
    del said, recalled, commits
    state.looked += [str(path) for path in listed(given.get("paths"))]


def done(given: Given, state: State, said: Said, recalled: Recalled, commits: dict[str, str]) -> None:
    """A tool was used: files changed or read, or a command run, with what came of it."""
    looked(given, state, said, recalled, commits)
    tool, sent = str(given.get("tool_name") or ""), record(given.get("tool_input"))
    failed = given.get("hook_event_name") == "PostToolUseFailure"
    if given.get("is_interrupt"):
        return  # the user's doing, which says nothing of the command
    folder = str(given.get("cwd") or said.settings.root)
    if tool in tools.EDITING:
        _edited(tools.edits(said.settings.root, folder, tool, sent), tool, failed, state, said)
    elif tool in tools.READING and not failed:
        path = tools.read_path(said.settings.root, folder, sent)
        if path and path not in state.read:
            state.read.append(path)
            said.event("read", f"Read {path}", [tools.feature("file", path), f"tool:{tool}"])
    elif tool in tools.RUNNING:
        error = str(given.get("error") or "")
        result = results.of_failure(error) if failed else results.of_success(given.get("tool_response"))
        _ran(
            tools.command_of(sent), result, state, said, commits, [str(path) for path in listed(given.get("committed"))]
        )


def compacting(given: Given, state: State, said: Said, recalled: Recalled, commits: dict[str, str]) -> None:
    """The agent is about to forget: what is open is put on its desk, where it finds it when it goes on."""
    del given, recalled, commits
    said.notes(state, intent=state.prompt, **_open(state))


def stopped(given: Given, state: State, said: Said, recalled: Recalled, commits: dict[str, str]) -> None:
    """A turn has ended: what was recalled is reported with the result, and what was done is summed up."""
    del recalled, commits
    result = "failure" if state.failing else "success" if state.tested else "unknown"
    answer = str(given.get("last_assistant_message") or "")
    for recall in state.recalls:
        cites = recall.get("by") == "prompt"
        refs = used(recall, state.touched, answer, cites=cites)
        by_labels = bool(refs) and refs == used(recall, [], answer, cites=cites)
        said.use(recall["id"], refs, result if refs else "unknown", by_labels=by_labels)
    state.recalls = []
    state.turn += 1
    if not state.did or not state.prompt:
        return
    text = _came_to(f"Turn: {state.prompt[:_GOAL_CHARS_MAX]}", state.touched, state)
    done = [] if state.failing else [f"done:{short(said.session)}"]
    caused = [state.prompt_event] if state.prompt_event else []
    said.event("summary", text, ["summary", *done, *_files(state.touched)], caused_by=caused)
    now = {"intent": state.prompt if state.failing else "", **_open(state)}
    said.notes(state, progress=text, **{name: each for name, each in now.items() if name in state.desk})
    state.did = 0


def ended(given: Given, state: State, said: Said, recalled: Recalled, commits: dict[str, str]) -> None:
    """The agent ends, and its session with it: what it came to is said in a sentence."""
    stopped(given, state, said, recalled, commits)
    if not state.opened:
        return  # nothing was asked in it
    text = _came_to(f"Session: {state.goal[:_GOAL_CHARS_MAX]}", state.changed, state)
    text += f". Uncommitted: {_named(list(state.uncommitted))}" if state.uncommitted else ""
    # One that is resumed is opened again, and then its end is another one.
    said.event(f"end {state.opened}", text, [*state.who, *_files(state.changed)], boundary="close")


def _edited(edits: list[tools.Edit], tool: str, failed: bool, state: State, said: Said) -> None:
    for place, edit in enumerate(edits):
        features = [tools.feature("file", edit.path), f"tool:{tool}"]
        if failed:
            said.event(f"failed {place}", f"An edit of {edit.path} did not go through", features)
            continue
        event = said.event(
            f"edit {place}", f"Changed {edit.path}\n{edit.change}", features, informed_by=_informing(state)
        )
        state.edits.append([event, edit.path])
        state.touched = _last(edit.path, state.touched)
        state.changed = _last(edit.path, state.changed)
        state.uncommitted.pop(edit.path, None)
        state.uncommitted[edit.path] = event
        state.did += 1


def _ran(
    command: str, result: results.Result, state: State, said: Said, commits: dict[str, str], in_git: list[str]
) -> None:
    message = tools.commit_message(command)
    if message and not result.failed:
        _committed(message, in_git or list(state.uncommitted), state, said, commits)
        return
    if not command or (tools.only_looks(command) and not result.failed and not result.tests):
        return
    state.did += 1
    ended = f"exit {result.code}" if result.code is not None else "failed" if result.failed else "ended"
    told = (f"Ran `{tools.shown(command)}`: {ended}", result.summary, *result.lines)
    text = "\n".join(part for part in told if part)
    features = ["command", tools.feature("command", tools.program(command) or "shell")]
    files = [tools.feature("file", path) for _, path in state.edits[-_SHOWN_MAX:]]
    if result.tests:
        threat = short(said.session, "tests")
        features += [f"tests:{result.tests}", f"{'threat' if result.failed else 'done'}:{threat}", *files]
        caused = [event for event, _ in reversed(state.edits)][:_INFORMED_MAX]
        event = said.event("run", text, features, caused_by=caused)
        _judged(command, result, event, state, said)
        return
    event = said.event("run", text, features, informed_by=_informing(state))
    if result.failed:
        said.outcome("failed", event, COMMAND_FAILED, f"{ended}: {' | '.join(result.lines[-2:])}")


def _judged(command: str, result: results.Result, event: str, state: State, said: Said) -> None:
    """Credit what tests said to the edits since the last tests, the latest first; without any, to the run."""
    kind = TESTS_FAILED if result.failed else TESTS_PASSED
    text = f"{result.summary} ({result.tests})"
    if result.failed:
        text += f": {' | '.join(result.lines[-2:])}"
    elif state.failing:
        text += f". Failed before: {state.failing}"
    edits = [one for one, _ in reversed(state.edits)]
    body: dict[str, Any] = {"trajectory": edits[1:]}
    if kind == TESTS_PASSED and state.failing:
        body["value"] = _PASSED_AGAIN
    if edits:
        said.outcome("tests", edits[0], kind, text, **body)
    elif kind == TESTS_FAILED and not state.failing:
        said.outcome("tests", event, kind, text)
    state.edits = []
    state.failing = clean(f"{tools.shown(command)}: {result.summary}", _LINE_CHARS_MAX * 2) if result.failed else ""
    state.tested = result.summary


def _committed(message: str, files: list[str], state: State, said: Said, commits: dict[str, str]) -> None:
    """A commit is the latest word on its files; one that mends is an outcome of what was committed before."""
    features = ["commit", *(["kind:fix"] if tools.mends(message) else [])]
    features += [tools.feature("file", path) for path in reversed(files)]
    text = f"Committed: {clean(message, _MESSAGE_CHARS_MAX)}"
    if files:
        text += f"\nFiles: {_named(files)}"
    edits = [state.uncommitted.pop(path) for path in reversed(files) if path in state.uncommitted]
    caused = list(dict.fromkeys(edits))[:_INFORMED_MAX]
    event = said.event("commit", text, features, caused_by=caused, informed_by=_informing(state))
    if tools.mends(message):
        first = clean(message.partition("\n")[0], _LINE_CHARS_MAX * 2)
        for place, earlier in enumerate(dict.fromkeys(commits[path] for path in files if path in commits)):
            said.outcome(f"mended {place}", earlier, MENDED, f"Mended later: {first}")
    for path in files:
        commits.pop(path, None)
        commits[path] = event
    state.did += 1


def _who(given: Given, settings: Settings) -> list[str]:
    """Return the features of who works on what. Only Codex numbers its turns."""
    agent = "codex" if given.get("turn_id") else "claude"
    return [f"agent:{agent}", tools.feature("workflow", settings.project)]


def _open(state: State) -> dict[str, str]:
    """Return what is not finished, by the names of notes; empty what is."""
    return {"uncommitted": _named(list(state.uncommitted)), "failing": state.failing}


def _came_to(about: str, changed: list[str], state: State) -> str:
    parts = [about]
    parts += [f"Changed {_named(changed)}"] if changed else []
    parts += [f"Tests: {state.failing or state.tested}"] if state.tested or state.failing else []
    return ". ".join(parts)


def _files(paths: list[str]) -> list[str]:
    return [tools.feature("file", path) for path in paths[-_SHOWN_MAX:]]


def _last(path: str, paths: list[str]) -> list[str]:
    return [*(each for each in paths if each != path), path]


def _informing(state: State) -> list[str]:
    return [each["id"] for each in state.recalls[-_INFORMED_MAX:]]


def _named(paths: list[str]) -> str:
    shown = ", ".join(paths[-_SHOWN_MAX:])
    return shown if len(paths) <= _SHOWN_MAX else f"{shown} and {len(paths) - _SHOWN_MAX} more"


HANDLERS: Final[dict[str, Handler]] = {
    "UserPromptSubmit": prompted,
    "PreToolUse": looked,
    "PostToolUse": done,
    "PostToolUseFailure": done,
    "PreCompact": compacting,
    "Stop": stopped,
    "SessionEnd": ended,
}
