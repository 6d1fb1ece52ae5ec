"""Import a git history: each commit an event, and what became of it as outcomes.

**Sessions.** A linear order of a history has no branches left, and neighbours in it need not have to do with each
other. The nearest thing to a working session that it keeps is *one author's month* (of the committer's date, UTC):
the temporal chain then joins what one person did in a row, and the credit that flows 5 events back along it stays in
one line of work. It also follows from the commit alone. Few authors are active at once, so the fold's 64 open
sessions suffice.

**Sameness.** Ids and bytes follow from the commit (and for an outcome, from the judging commit or the tag's name).
The first commits of a shallow clone are left out, because what they changed cannot be known there.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from yggdrasil_schemas.limits import FEATURES_MAX, NAME_CHARS_MAX, TIME_MS_MAX

from ..draft import Draft, Drafter
from ..errors import ImporterError
from ..stamps import Stamp
from .features import cut, feature, plain, prose
from .git_history import RELEASED, VALUES, History, Verdict
from .git_kinds import kind_of
from .git_log import Commit, Repository
from .run import Import

_FILES_MAX: Final = 20
_FOLDERS_MAX: Final = FEATURES_MAX - _FILES_MAX - 2  # two are left for kind and author
_FOLDER_LEVELS: Final = 2  # deeper ones say little more than their files
_SUBJECT_CHARS_MAX: Final = 1_000
_BODY_CHARS_MAX: Final = 2_000  # the reasons stand at the beginning; test logs and sign-offs come after
_BODY_BYTES_READ_MAX: Final = 65_536  # names of blamed commits are looked for in as much of the body
_AUTHOR_CHARS_MAX: Final = 100
_SHA_CHARS_SHOWN: Final = 12
_SHALLOW: Final = (
    "this is a shallow clone, so what came before its first commits is not imported: `git fetch --unshallow` brings "
    "it, and the same import then takes it in"
)


def import_git(path: str | Path, drafter: Drafter, *, commits_max: int | None = None, rev: str = "HEAD") -> Import:
    """Import the history of ``rev`` from the git repository at ``path``: its newest ``commits_max`` commits, or all.

    ``total`` counts commits. Drafts come oldest commit first: its ``record_event``, then the ``log_outcome`` of those
    that it reverts (value -3), mends (-1) or releases (+0.5). An empty repository gives nothing. Raises ImporterError
    for a path that is no repository, a ``rev`` that names no commit, a shallow clone with nothing to tell, and when
    git is missing or fails.
    """
    if commits_max is not None and commits_max < 0:
        raise ImporterError(f"expected commits_max of 0 or more, and got {commits_max}")
    repository = Repository(path)
    tip = repository.resolve(rev)
    if tip is None:
        return Import(0, ())
    total = repository.count(tip, commits_max)
    if not total and repository.boundary and commits_max != 0:
        raise ImporterError(
            f"the repository at {path} is a shallow clone without one commit whose changes are known: "
            "run 'git fetch --unshallow' in it"
        )
    left_out = repository.unknown(tip, commits_max)
    return Import(total, _steps(repository, tip, commits_max, drafter), remarks=(_SHALLOW,) if left_out else ())


def _steps(repository: Repository, tip: str, commits_max: int | None, drafter: Drafter) -> Iterator[Iterator[Draft]]:
    history = History()
    tags = repository.tags()
    with closing(repository.commits(tip, commits_max)) as commits:
        for commit in commits:
            yield _drafts(commit, history, tags.get(commit.sha, []), drafter)


def _drafts(commit: Commit, history: History, tags: list[str], drafter: Drafter) -> Iterator[Draft]:
    """Yield the commit's event, then its verdicts on others, then those of the releases that it is."""
    subject = plain(commit.subject)
    body = prose(commit.body[:_BODY_BYTES_READ_MAX]).strip()
    author = cut(plain(commit.author).strip(), _AUTHOR_CHARS_MAX) or "unknown"
    kind = kind_of(subject, body, len(commit.parents), (change.path for change in commit.changes))
    at = min(max(commit.committed_s * 1000, 0), TIME_MS_MAX)
    session = _session(author, at)
    payload: dict[str, Any] = {"sha": commit.sha, "author": author, "files": len(commit.changes)}
    if commit.authored:
        payload["authored"] = commit.authored
    if body:
        payload["body"] = cut(body, _BODY_CHARS_MAX)
    shown = cut(subject, _SUBJECT_CHARS_MAX) or "(no message)"
    yield drafter.record_event(
        shown,
        features=_features(commit, kind),
        payload=payload,
        session=session,
        stamp=Stamp(_event_id(drafter, commit.sha), at),
    )
    for verdict in history.add(commit, kind, session, subject, body):
        yield _outcome(verdict, f"{verdict.kind} by {commit.sha[:_SHA_CHARS_SHOWN]}: {shown}", drafter, at)
    for tag in tags:
        for verdict in history.release(commit.sha, tag):
            yield _outcome(verdict, f"{RELEASED} in {tag}", drafter, at)


def _outcome(verdict: Verdict, text: str, drafter: Drafter, at: int) -> Draft:
    return drafter.log_outcome(
        _event_id(drafter, verdict.sha),
        VALUES[verdict.kind],
        kind=verdict.kind,
        text=text,
        session=verdict.session,
        stamp=Stamp(drafter.derived_id("git", verdict.kind, verdict.sha, verdict.by), at),
    )


def _event_id(drafter: Drafter, sha: str) -> str:
    """A commit's id names its content and its whole past, so nothing about the repository needs to be added."""
    return drafter.derived_id("git", "commit", sha)


def _session(author: str, at: int) -> str:
    try:
        month = datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m")
    except (ValueError, OverflowError, OSError):
        month = "undated"  # beyond the year 9999
    return cut(f"{month} {author}", NAME_CHARS_MAX)


def _features(commit: Commit, kind: str) -> list[str]:
    """At most 32, the most telling first, because the fold pairs the first 8: files by change, folders, kind, author.

    A file that was only moved comes after those that were changed, and its old path last, so that its past is linked.
    """
    lines: dict[bytes, int] = {}
    folders: dict[bytes, int] = {}
    for change in commit.changes:
        lines[change.path] = change.lines
        if change.old is not None:
            lines[change.old] = -1
        above = change.path.split(b"/")[:-1][:_FOLDER_LEVELS]
        if above:
            folder = b"/".join(above)
            folders[folder] = folders.get(folder, 0) + change.lines
    names = [feature("file", path) for path in _most_changed(lines)[:_FILES_MAX]]
    names += [feature("dir", folder) for folder in _most_changed(folders)[:_FOLDERS_MAX]]
    names.append(f"kind:{kind}")
    if author := commit.author.strip():
        names.append(feature("author", author))
    return list(dict.fromkeys(names))


def _most_changed(lines: dict[bytes, int]) -> list[bytes]:
    return sorted(lines, key=lambda path: (-lines[path], path))
