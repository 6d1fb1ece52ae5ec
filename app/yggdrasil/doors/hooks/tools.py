"""What a tool call touches: the files of an edit, the words of a command, the message and the files of a commit."""

import os
import re
import select
from contextlib import suppress
from itertools import islice
from typing import Any, Final, NamedTuple

from .redaction import HIDDEN, READ_CHARS_MAX, clean, is_private
from .service import Away, Deadline, listed, record

EDITING: Final = ("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch")
READING: Final = ("Read", "NotebookRead")
RUNNING: Final = ("Bash", "shell", "exec_command", "PowerShell")
FILES_MAX: Final = 20  # of one call
FEATURE_CHARS_MAX: Final = 128
_CHANGE_CHARS_MAX: Final = 300
_COMMAND_CHARS_MAX: Final = 300
_LINES_SHOWN_MAX: Final = 3
_GIT_BYTES_MAX: Final = 1 << 16
_END_CHARS_MAX: Final = 64
_WORDS_MAX: Final = 40  # of a command, that may be files
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
# Commands that only look: what they show is in the files, and a memory of them would be mostly of them.
_LOOKS: Final = re.compile(
    r"(?:cd|ls|pwd|cat|head|tail|wc|echo|printf|which|type|file|stat|du|df|date|sleep|true|env|printenv|set|tree|find|"
    r"grep|rg|ag|fd|sort|uniq|less|more|sed -n|awk|ps|whoami|"
    r"git(?: -C \S+)? (?:status|diff|log|show|branch|blame|rev-parse|remote|stash list))\b"
)
_SPLIT: Final = re.compile(r"&&|\|\||[;|\n]")
_COMMIT: Final = re.compile(r"\bgit(?:\s+-[cC]\s+\S+){0,8}\s+commit\b")
_FED: Final = re.compile(r"(?<!<)<<(?!<)-?[ \t]*(?:'([^'\n]{1,64})'|\"([^\"\n]{1,64})\"|\\?([^\s'\"<>|&;()\\]{1,64}))")
_END: Final = re.compile(r"[A-Z_]{2,}")  # a word that is the end of a document, where no line ends it
_FIRST_WORD: Final = re.compile(r"[ \t]*([A-Za-z_]\w{0,63})(?!\w)")
_MESSAGE: Final = re.compile(r"(?:^|\s)(?:-[a-zA-Z]*m|--message)[\s=]+(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S+)", re.DOTALL)
# The words by which the importer of git histories knows a fix, which cannot be imported here; a test compares them.
_REVERTING: Final = re.compile(r"(?i)^revert\b")
_MENDING: Final = re.compile(
    r"(?i)\b(?:fix(?:e[sd]|ing|up)?|bug\w*|hot-?fix(?:e[sd])?|regressions?|broken|crash\w*|faults?|repair\w*|mends?)\b"
)
_NOT_MENDING: Final = re.compile(
    r"(?i)^(?:feat(?:ure)?|add|docs?|tests?|refac(?:tor)?|perf|style|build|deps|ci|chore|release)"
    r"(?:\([^()]{0,80}\))?!?:|"
    r"\b(?:typos?|spelling|grammar|wording|docs?|documentation|readme|changelog|docstrings?|lint(?:ing)?|flake8|pep-?8|"
    r"code style)\b"
)
_PROGRAM: Final = re.compile(r"(?:\w+=\S+\s+)*(?:(?:sudo|time|uv run|poetry run|npx|pnpm|python3?\s+-m)\s+)*([\w./-]+)")


class Edit(NamedTuple):
    """A file of the project that was changed: its path from the root, and what changed, in a few lines."""

    path: str
    change: str


def within(root: str, folder: str, path: Any) -> str | None:
    """Return a path from the project's root, with slashes; None for what is outside, or in its git folder."""
    if not isinstance(path, str) or not path.strip():
        return None
    full = os.path.normpath(os.path.join(folder, path))
    for whole in (full, os.path.realpath(full)):
        for top in (root, os.path.realpath(root)):
            if whole.startswith(top + os.sep):
                found = whole[len(top) + 1 :].replace(os.sep, "/")
                return None if found.startswith(".git/") else found
    return None


def edits(root: str, folder: str, tool: str, given: dict[str, Any]) -> list[Edit]:
    """Return the files that a tool call changes, at most 20."""
    if tool == "apply_patch":
        patch = next((given[name] for name in ("command", "input", "patch") if isinstance(given.get(name), str)), "")
        found = [(match[1].strip(), match.end()) for match in islice(_PATCHED.finditer(patch), FILES_MAX)]
        ends = [patch.find("\n*** ", begin) for _, begin in found]
        each = [
            (path, _patched(patch[begin : end if end >= 0 else None]))
            for (path, begin), end in zip(found, ends, strict=True)
        ]
    else:
        each = [(given.get("file_path") or given.get("notebook_path"), _changed(tool, given))]
    paths = [(within(root, folder, path), change) for path, change in each]
    return [Edit(path, "" if is_private(path) else clean(change, _CHANGE_CHARS_MAX)) for path, change in paths if path]


def touched(root: str, folder: str, tool: object, given: dict[str, Any]) -> list[str]:
    """Return the paths of the files that a tool call is about to change."""
    return [edit.path for edit in edits(root, folder, str(tool), given)] if tool in EDITING else []


def looked_at(root: str, folder: str, tool: object, given: dict[str, Any]) -> list[str]:
    """Return the paths of the files that a tool call has shown: one that reads, or a command that only looks."""
    if tool in READING:
        path = read_path(root, folder, given)
        return [path] if path else []
    command = command_of(given) if tool in RUNNING else ""
    if not command or not only_looks(command):
        return []
    words = [word.strip("'\"") for word in command.split()[:_WORDS_MAX]]
    files = [word for word in words if os.path.isfile(os.path.join(folder, word))]
    paths = [within(root, folder, file) for file in files]
    return [path for path in dict.fromkeys(paths) if path]


def read_path(root: str, folder: str, given: dict[str, Any]) -> str | None:
    """Return the file that is read, from the project's root."""
    return within(root, folder, given.get("file_path") or given.get("notebook_path"))


def command_of(given: dict[str, Any]) -> str:
    """Return the command line of a call."""
    for name in ("command", "cmd"):
        said = given.get(name)
        if isinstance(said, str):
            return said
        if listed(said):
            return " ".join(map(str, listed(said)))
    return ""


def shown(command: str) -> str:
    """Return a command as it is recorded: on one line, without secrets and without what is fed into it."""
    kept, _ = _without_documents(command)
    return clean(" ".join(kept.split()), _COMMAND_CHARS_MAX)


def _parts(command: str) -> list[str]:
    return [part for each in _SPLIT.split(command) if (part := each.strip())]


def _without_documents(command: str) -> tuple[str, list[str]]:
    """Return a command without what is fed into it from lines below (``<<EOF``), and that, in order."""
    lines = command.split("\n")
    ends: dict[str, list[int]] = {}
    for at in range(len(lines) - 1, -1, -1):  # so that the next end is the last of its list
        for word in {_first_word(lines[at]), lines[at].strip()[: _END_CHARS_MAX + 1]} - {""}:
            ends.setdefault(word, []).append(at)
    kept: list[str] = []
    documents: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        for match in _FED.finditer(line):
            word = match[1] or match[2] or match[3]
            waiting = ends.get(word, [])
            while waiting and waiting[-1] < at:
                waiting.pop()
            if waiting:
                end = waiting.pop()
                documents.append("\n".join(lines[at:end]))
                line += lines[end].strip().removeprefix(word)
                at = end + 1
            elif _END.fullmatch(word):
                documents.append("\n".join(lines[at:]))
                at = len(lines)
        kept.append(line)
    return "\n".join(kept), documents


def _first_word(line: str) -> str:
    found = _FIRST_WORD.match(line)
    return found[1] if found else ""


def only_looks(command: str) -> bool:
    """Whether every part of a command does no more than to show something."""
    parts = _parts(command)
    return all(_LOOKS.match(part) for part in parts) and ">" not in command


def program(command: str) -> str:
    """Return the name of the program that matters in a command: of its last part that does not only look."""
    parts = _parts(command)
    for part in reversed(parts):
        found = _PROGRAM.match(part)
        if found and not _LOOKS.match(part) and HIDDEN not in found[1]:
            return found[1].rsplit("/", 1)[-1][:40]
    return ""


def commit_message(command: str) -> str | None:
    """Return the message that a ``git commit`` is given on its command line; None where there is none."""
    found = _COMMIT.search(command)
    if found is None:
        return None
    rest = command[found.end() :]
    _, documents = _without_documents(rest)
    if documents:
        return documents[0].strip() or None
    said = [match.strip("\"'").replace('\\"', '"') for match in _MESSAGE.findall(rest)]
    return "\n\n".join(said).strip() or None


def committed(root: str, message: str, deadline: Deadline) -> list[str]:
    """Return the files of the last commit in the repository at ``root``, if its message is that one; else none.

    git has half of the time that is left: what is not sent goes with a later event, but git is asked only now. Nothing
    of the repository's configuration is run: no pager, no external diff.
    """
    command = ["git", "-C", root, "--no-pager", "show", "--no-ext-diff", "--name-only", "--format=%s", "-z", "HEAD"]
    subject, *paths = _said(command, deadline).split("\0")
    if not subject or subject != " ".join(message.partition("\n\n")[0].split()):
        return []
    return [path for path in (each.strip("\n") for each in paths) if path][:FILES_MAX]


def mends(message: str) -> bool:
    """Whether the first line of a commit's message says that it mends something, and no prose or style."""
    first = message.partition("\n")[0]
    says_so = _MENDING.search(first) is not None and _NOT_MENDING.search(first) is None
    return says_so or _REVERTING.match(first) is not None


def feature(kind: str, name: str) -> str:
    """Return the name of a feature, such as ``file:src/x.py``; of a long one the end, which tells more."""
    room = FEATURE_CHARS_MAX - len(kind) - 1
    flat = " ".join(clean(name, 4 * room).split()) or "unknown"
    return f"{kind}:{flat if len(flat) <= room else '…' + flat[1 - room :]}"


def _changed(tool: str, given: dict[str, Any]) -> str:
    first = record(next(iter(listed(given.get("edits"))), given)) if tool == "MultiEdit" else given
    old = str(first.get("old_string") or "")
    new = str(first.get("new_string") or first.get("new_source") or first.get("content") or "")
    if not old:
        return f"{len(new.splitlines())} lines written"
    # What is the same on both sides is left out, and it may be what says that the rest is a key: so first it is hidden.
    gone, come = (clean(text, READ_CHARS_MAX).splitlines() for text in (old, new))
    before, after = set(gone), set(come)
    lines = [f"- {line.strip()}" for line in gone if line not in after and line.strip()][:_LINES_SHOWN_MAX]
    lines += [f"+ {line.strip()}" for line in come if line not in before and line.strip()][:_LINES_SHOWN_MAX]
    return "\n".join(lines)


def _patched(part: str) -> str:
    lines = [line for line in part.splitlines() if line[:1] in ("+", "-") and line[1:].strip()]
    return "\n".join(f"{line[0]} {line[1:].strip()}" for line in lines[: 2 * _LINES_SHOWN_MAX])


def _said(command: list[str], deadline: Deadline) -> str:
    """Return what a program prints in time; nothing where it takes longer, or is not there."""
    reading, writing = os.pipe()
    quiet = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in (0, 2)]
    try:
        process = os.posix_spawnp(
            command[0], command, os.environ, file_actions=[*quiet, (os.POSIX_SPAWN_DUP2, writing, 1)]
        )
    except OSError:
        os.close(reading)
        return ""
    finally:
        os.close(writing)
    taken = bytearray()
    with suppress(Away):
        until = Deadline.within(deadline.left_s() / 2)
        while len(taken) < _GIT_BYTES_MAX and select.select([reading], [], [], until.left_s())[0]:
            more = os.read(reading, _GIT_BYTES_MAX)
            if not more:
                os.close(reading)
                os.waitpid(process, 0)
                return taken.decode("utf-8", "replace")
            taken += more
    os.close(reading)  # git ends by that as soon as it prints
    return ""
