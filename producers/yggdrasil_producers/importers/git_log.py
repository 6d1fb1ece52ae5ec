"""Read a git repository through the ``git`` program: commits oldest first, streaming, and release tags.

What is read depends on the commits alone: not on the user's or the repository's configuration, attributes, replaced
objects, checked-out files or the network. Otherwise two clones would tell two stories about one commit.
"""

import os
import re
import subprocess
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from ..errors import ImporterError
from .features import plain

_CHUNK_BYTES: Final = 1 << 16
_FIELDS: Final = ("%H", "%P", "%an", "%ad", "%ct", "%s", "%b")
_LOG: Final = (
    "log", "-z", "--topo-order", "--reverse", "--format=tformat:" + "%x00".join(_FIELDS) + "%x00", "--numstat",
    # Only exact renames: how alike two files are is a heuristic of the git release, and bodies must never depend on it.
    "-M100%", "--no-relative", "--no-ext-diff", "--no-textconv", "--diff-algorithm=myers", "--ignore-submodules=none",
    "--diff-merges=off", "--no-show-signature", "--no-notes", "--no-mailmap", "--no-follow", "--no-color",
    "--encoding=UTF-8", "--date=raw", "-O" + os.devnull,
)  # fmt: skip
_KEPT: Final = re.compile(r"GIT_(?:CONFIG|CEILING_DIRECTORIES|EXEC_PATH)")  # who runs us, not what is read
_STAT: Final = re.compile(rb"\n?(\d+|-)\t(\d+|-)\t(.*)", re.DOTALL)
_RAW_DATE: Final = re.compile(r"(-?\d{1,15}) ([+-])(\d{2})(\d{2})")
# A name that ends in numbers with dots, or is "v" and a number; a release candidate is no release yet.
_VERSION: Final = re.compile(
    r"(?:^|[-_/@A-Za-z])(?:\d+(?:[._]\d+)+|(?<=^v)\d+)(?:[.-]?(?:final|post\d*|stable|lts))?$", re.I
)
_EARLY: Final = re.compile(
    r"\d[._-]?(?:a|b|c|rc|alpha|beta|dev|pre|preview|m|nightly|snapshot)[._-]?\d*(?:\.\d+)*$", re.I
)


@dataclass(frozen=True, slots=True)
class Change:
    """One changed file: its path, lines added plus deleted (1 if binary), and its old path if it was only renamed."""

    path: bytes
    lines: int
    old: bytes | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit as it stands for ever. A merge has no changes: they are those of the commits that it joins."""

    sha: str
    parents: tuple[str, ...]
    author: bytes
    authored: str | None
    committed_s: int
    subject: bytes
    body: bytes
    changes: tuple[Change, ...]


class Repository:
    """A repository at ``path`` (its root, a folder in it, or a bare one); raises ImporterError if there is none."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise ImporterError(
                f"expected the folder of a git repository, and {self.path} is no folder: check the path"
            )
        try:
            found = _run(("-C", str(self.path)), "rev-parse", "--absolute-git-dir")
            shared = _run(("-C", str(self.path)), "rev-parse", "--git-common-dir")
        except ImporterError as error:
            raise ImporterError(
                f"expected a git repository at {self.path}: give the path of one, or make one with 'git init' ({error})"
            ) from error
        # Git runs inside its own folder, as in a bare repository: there it finds no attributes of checked-out files,
        # which could declare a file binary in one clone and not in another.
        self._folder = os.fsdecode(found.removesuffix(b"\n"))
        self._shared = self.path / os.fsdecode(shared.removesuffix(b"\n"))
        self._environment = _environment()
        self._environment |= {"GIT_ATTR_SOURCE": self._git("hash-object", "-t", "tree", "--stdin").decode().strip()}

    @cached_property
    def boundary(self) -> frozenset[str]:
        """Commits of a shallow clone whose parents are missing, so that nobody can say what they changed."""
        file = self._shared / "shallow"
        return frozenset(file.read_text(encoding="ascii").split()) if file.is_file() else frozenset()

    def resolve(self, rev: str) -> str | None:
        """Return the id of the commit that ``rev`` names, or None for ``HEAD`` in a repository without commits."""
        try:
            return self._git("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}").decode().strip()
        except ImporterError as error:
            refs = self._git("for-each-ref", "--count=5", "--format=%(refname:short)").decode(errors="replace").split()
            if rev == "HEAD" and not refs:
                return None
            known = f"one of {', '.join(refs)}" if refs else "there are none yet"
            raise ImporterError(f"expected a branch, a tag or a commit, and {rev!r} names none: {known}") from error

    def count(self, tip: str, commits_max: int | None) -> int:
        """Return how many commits ``commits`` will give."""
        chosen = ("rev-list", "--topo-order", *_limit(commits_max))
        if not self.boundary:
            return int(self._git(*chosen, "--count", tip))
        return sum(sha not in self.boundary for sha in self._git(*chosen, tip).decode().split())

    def unknown(self, tip: str, commits_max: int | None) -> int:
        """Return how many of the newest ``commits_max`` commits are left out, since nobody knows what they changed."""
        if not self.boundary:
            return 0
        chosen = self._git("rev-list", "--topo-order", *_limit(commits_max), tip).decode().split()
        return sum(sha in self.boundary for sha in chosen)

    def tags(self) -> dict[str, list[str]]:
        """Return the names of release tags, in order, by the commit that they mark. Pre-releases are left out."""
        names: dict[str, list[str]] = {}
        wanted = "--format=%(objectname)%00%(*objectname)%00%(refname:strip=2)"
        for line in self._git("for-each-ref", "--sort=refname", wanted, "refs/tags").splitlines():
            direct, peeled, name = line.split(b"\0")
            text = plain(name)
            if _VERSION.search(text) and not _EARLY.search(text):
                names.setdefault((peeled or direct).decode(), []).append(text)
        return names

    def commits(self, tip: str, commits_max: int | None) -> Generator[Commit, None, None]:
        """Yield the newest ``commits_max`` ancestors of ``tip`` (None: all), oldest first, parents before children."""
        command = _command("-C", self._folder, "--git-dir=.", "--bare", *_LOG, *_limit(commits_max), tip, "--")
        with TemporaryFile() as complaints:
            try:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints, env=self._environment
                )
            except FileNotFoundError as error:
                raise _git_is_missing() from error
            complete: Commit | None = None
            with process:
                try:
                    if process.stdout is None:
                        raise RuntimeError("the pipe that was just asked for is missing")
                    for commit in _parse(_tokens(process.stdout)):
                        if complete is not None:
                            yield complete
                        complete = None if commit.sha in self.boundary else commit
                except BaseException:
                    process.kill()
                    raise
            if process.returncode:
                complaints.seek(0)
                raise _failed("log", complaints.read())
            # Only now: when git breaks off, it may have told one half of the last commit, under the id of the whole.
            if complete is not None:
                yield complete

    def _git(self, *arguments: str) -> bytes:
        return _run(("-C", self._folder, "--git-dir=.", "--bare"), *arguments, env=self._environment)


def _parse(tokens: Iterator[bytes]) -> Iterator[Commit]:
    """Yield commits from the fields that NUL bytes end; what is cut off in the middle is left out."""
    token = next(tokens, None)
    while token is not None:
        fields = [token, *islice(tokens, len(_FIELDS))]
        if len(fields) <= len(_FIELDS):
            return
        sha, parents, author, authored, committed, subject, body, _ = fields  # the last is what ends a message
        changes: list[Change] = []
        token = next(tokens, None)
        while token is not None and (stat := _STAT.fullmatch(token)):
            # A rename has an empty path here; the old one and the new one follow.
            path, old = (stat[3], None) if stat[3] else (next(tokens, b""), next(tokens, b""))[::-1]
            lines = 1 if stat[1] == b"-" else int(stat[1]) + int(stat[2])
            changes.append(Change(path, lines, old))
            token = next(tokens, None)
        yield Commit(
            sha.decode(), tuple(parents.decode().split()), author, _iso(authored.decode("ascii", "replace")),
            int(committed or b"0"), subject, body, tuple(changes),
        )  # fmt: skip


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in iter(lambda: stream.read(_CHUNK_BYTES), b""):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _iso(raw: str) -> str | None:
    """ISO 8601 from git's raw date. Git's own ISO dates changed between releases (``Z``, ``+00:00``)."""
    match = _RAW_DATE.fullmatch(raw)
    if not match:
        return None
    offset = timedelta(hours=int(match[3]), minutes=int(match[4])) * (-1 if match[2] == "-" else 1)
    try:
        return datetime.fromtimestamp(int(match[1]), timezone(offset)).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _limit(commits_max: int | None) -> tuple[str, ...]:
    return () if commits_max is None else (f"--max-count={commits_max}",)


def _command(*arguments: str) -> list[str]:
    quiet = ("-c", "advice.graftFileDeprecated=false")  # we name an empty graft file, and git advises against it
    return ["git", "--no-pager", "--no-replace-objects", "-c", f"core.attributesFile={os.devnull}", *quiet, *arguments]


def _environment() -> dict[str, str]:
    """Ours without GIT_* (a hook that calls us has them set for another repository), and with no way to a network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _KEPT.match(name)}
    return kept | {
        "LC_ALL": "C",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _run(where: tuple[str, ...], *arguments: str, env: dict[str, str] | None = None) -> bytes:
    command = _command(*where, *arguments)
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=env or _environment()
        )
    except FileNotFoundError as error:
        raise _git_is_missing() from error
    if done.returncode:
        raise _failed(arguments[0], done.stderr)
    return done.stdout


def _failed(what: str, complaints: bytes) -> ImporterError:
    said = _last_lines(complaints)
    hint = ""
    if "promisor" in said or "not allowed" in said:
        hint = ". This looks like a partial clone: fetch the missing objects with 'git fetch --refetch --no-filter'"
    return ImporterError(f"git {what} failed: {said}{hint}")


def _last_lines(complaints: bytes) -> str:
    """Join what ended git, or else the last lines that it wrote."""
    lines = [plain(line) for line in complaints.splitlines()]
    ends = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return "; ".join((ends or lines)[-3:]) or "it gave no reason"


def _git_is_missing() -> ImporterError:
    return ImporterError("expected the program 'git' and found none: install git and see that it is on the PATH")
