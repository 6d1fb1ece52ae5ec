"""A repository's history as an agent's work: what was asked, which files were changed and how, what was committed."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from yggdrasil_producers.importers.git_kinds import kind_of
from yggdrasil_producers.importers.git_log import Repository

FILES_MAX: Final = 12
"""A commit of more files is a sweep, in which no agent would look each of them up."""
_LINES_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class Change:
    """A file that a commit changed: what was there before and after, as far as it is shown to a tool."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, as a session that ends with it. ``mends``: its kind is a fix, by the importer's rule."""

    sha: str
    subject: str
    message: str
    mends: bool
    changes: tuple[Change, ...]


def commits(path: Path, count: int) -> list[Commit]:
    """Return the newest ``count`` commits that are no merge and no sweep, oldest first."""
    repository = Repository(path)
    tip = repository.resolve("HEAD")
    found: list[Commit] = []
    for each in repository.commits(tip, None) if tip else ():
        paths = [change.path.decode(errors="replace") for change in each.changes if change.lines]
        if len(each.parents) > 1 or not 0 < len(paths) <= FILES_MAX:
            continue
        subject, body = each.subject.decode(errors="replace"), each.body.decode(errors="replace").strip()
        kind = kind_of(subject, body, len(each.parents), (change.path for change in each.changes))
        changes = tuple(Change(path, "", "") for path in paths)
        message = f"{subject}\n\n{body}" if body else subject
        found.append(Commit(each.sha, subject, message, kind in {"fix", "revert"}, changes))
    return [_with_lines(path, commit) for commit in found[-count:]]


def _with_lines(path: Path, commit: Commit) -> Commit:
    """Return a commit with the first lines that it changed in each file."""
    command = [
        "git",
        "-C",
        str(path),
        "show",
        "--format=",
        "-U0",
        "--no-renames",
        "--no-color",
        "--no-ext-diff",
        commit.sha,
    ]
    shown = subprocess.run(command, capture_output=True, check=True).stdout.decode(errors="replace")
    gone: dict[str, list[str]] = {}
    come: dict[str, list[str]] = {}
    at = ""
    for line in shown.split("\n"):
        if line.startswith("diff --git "):
            at = line.rpartition(" b/")[2]
        elif line.startswith(("---", "+++")):
            continue
        elif line[:1] in ("-", "+"):
            lines = (gone if line[0] == "-" else come).setdefault(at, [])
            if len(lines) < _LINES_MAX:
                lines.append(line[1:])
    changes = tuple(
        Change(each.path, "\n".join(gone.get(each.path, [])), "\n".join(come.get(each.path, [])))
        for each in commit.changes
    )
    return Commit(commit.sha, commit.subject, commit.message, commit.mends, changes)
