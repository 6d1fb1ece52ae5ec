"""What later commits say about earlier ones: reverted, mended, released.

Each verdict follows from the judging commit and its ancestors, never from neighbours in the linear order, so it stays
the same when other branches are merged later. Memory: about half a kilobyte per commit, for the whole history.
"""

import heapq
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from .git_log import Commit

MEND_WINDOW_COMMITS: Final = 20  # later than that, a mend says more about the age of a file than about its last change
RELEASED_MAX: Final = 500  # a release after years would otherwise drown every other lesson
_NAMED_MAX: Final = 8  # commits that one message can blame
_TELLING_FILES_MAX: Final = 100  # whoever touches more files than this has changed them all and broken none

REVERTED, MENDED, RELEASED = "reverted", "mended", "released"
VALUES: Final = {REVERTED: -3.0, MENDED: -1.0, RELEASED: 0.5}  # a release says little of each commit in it

_REVERTS: Final = re.compile(r"This reverts commit ([0-9a-f]{7,64})\b")
_REVERTED_SUBJECT: Final = re.compile(r'[Rr]evert:? "(.+)"')
_FIXES: Final = re.compile(r"^Fixes: ?([0-9a-f]{7,64})\b", re.MULTILINE | re.IGNORECASE | re.ASCII)
# Kinds whose touch of a file is no likely cause of what is mended there next.
_BLAMELESS: Final = frozenset({"fix", "revert", "release", "merge", "docs", "style"})
# Files that everybody touches, so that meeting in them means nothing.
_SHARED: Final = re.compile(
    rb"(?:^|/)(?:changelog|changes|news|history|authors|contributors|release[-_]notes|readme|version|__version__)"
    rb"[^/]{0,8}$|\.lock$|(?:^|/)package-lock\.json$|(?:^|/)go\.sum$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``kind`` befell the commit ``sha`` of ``session``; ``by`` is the judging commit's id or the release's tag."""

    sha: str
    session: str
    kind: str
    by: str


@dataclass(slots=True)
class _Node:
    sha: str
    parents: tuple[str, ...]
    time_s: int
    kind: str
    session: str
    paths: frozenset[bytes]
    renames: tuple[tuple[bytes, bytes], ...]
    released: bool = False


class History:
    """The commits so far, each given after its parents."""

    def __init__(self) -> None:
        self._nodes: dict[str, _Node] = {}
        self._by_prefix: dict[str, tuple[str, ...]] = {}
        self._by_subject: dict[str, str] = {}

    def add(self, commit: Commit, kind: str, session: str, subject: str, body: str) -> list[Verdict]:
        """Take in a commit and return its verdicts on earlier ones: at most 8, each commit at most once."""
        node = _Node(
            commit.sha, commit.parents, commit.committed_s, kind, session, _touched(commit),
            tuple((change.old, change.path) for change in commit.changes if change.old is not None),
        )  # fmt: skip
        judged: list[_Node] = []
        if kind == "revert":
            judged = self._reverted(subject, body)
        elif kind != "merge":  # what a merge quotes was said by the commits that it joins
            judged = self._named(_FIXES.findall(body))
            if kind == "fix" and not judged:
                judged = self._lately_broken(node)
        self._remember(node, subject)
        verdict = REVERTED if kind == "revert" else MENDED
        return [Verdict(one.sha, one.session, verdict, commit.sha) for one in judged]

    def release(self, sha: str, tag: str) -> Iterator[Verdict]:
        """Yield a verdict for the 500 newest commits that ``tag``, at ``sha``, contains and no earlier release does."""
        fresh: list[_Node] = []
        for node in self._ancestors([sha], unreleased=True):
            node.released = True
            if len(fresh) < RELEASED_MAX:
                fresh.append(node)
        return (Verdict(node.sha, node.session, RELEASED, tag) for node in reversed(fresh))

    def _remember(self, node: _Node, subject: str) -> None:
        self._nodes[node.sha] = node
        short = node.sha[:7]
        self._by_prefix[short] = (*self._by_prefix.get(short, ()), node.sha)
        self._by_subject[subject] = node.sha

    def _reverted(self, subject: str, body: str) -> list[_Node]:
        named = self._named(_REVERTS.findall(body))
        if named or _REVERTS.search(body):
            return named
        quoted = _REVERTED_SUBJECT.match(subject)
        sha = self._by_subject.get(quoted[1]) if quoted else None
        return [self._nodes[sha]] if sha else []

    def _named(self, prefixes: Iterable[str]) -> list[_Node]:
        """Return the commits that abbreviated ids name without doubt."""
        found: dict[str, _Node] = {}
        for prefix in islice(prefixes, _NAMED_MAX):
            wanted = prefix.lower()
            matching = [sha for sha in self._by_prefix.get(wanted[:7], ()) if sha.startswith(wanted)]
            if len(matching) == 1:
                found[matching[0]] = self._nodes[matching[0]]
        return list(found.values())

    def _lately_broken(self, mend: _Node) -> list[_Node]:
        """Return the newest of the last 20 ancestors that touched a mended file and was no mend itself."""
        sought = {path for path in mend.paths if not _SHARED.search(path)}
        if not sought:
            return []
        for node in islice(self._ancestors(mend.parents), MEND_WINDOW_COMMITS):
            if node.kind not in _BLAMELESS and not sought.isdisjoint(node.paths):
                return [node]
            sought.update(old for old, new in node.renames if new in sought)
        return []

    def _ancestors(self, shas: Iterable[str], unreleased: bool = False) -> Iterator[_Node]:
        """Yield ``shas`` and their ancestors, newest first; with ``unreleased``, stop at those that are released."""
        queue: list[tuple[int, str]] = []
        seen: set[str] = set()
        more = tuple(shas)
        while True:
            for sha in more:
                node = self._nodes.get(sha)
                if node and sha not in seen and not (unreleased and node.released):
                    seen.add(sha)
                    heapq.heappush(queue, (-node.time_s, sha))
            if not queue:
                return
            node = self._nodes[heapq.heappop(queue)[1]]
            yield node
            more = node.parents


def _touched(commit: Commit) -> frozenset[bytes]:
    paths = frozenset(change.path for change in commit.changes if change.lines)
    return paths if len(paths) <= _TELLING_FILES_MAX else frozenset()
