"""What kind of change a commit says it is: a plain reading of its subject, the same in every release of Python."""

import re
from collections.abc import Iterable
from typing import Final

_CONVENTIONAL: Final = re.compile(r"([A-Za-z]{2,12})(?:\([^()]{0,80}\))?!?:")
_PREFIXES: Final = {
    "feat": "feature", "feature": "feature", "add": "feature", "fix": "fix", "bug": "fix", "bugfix": "fix",
    "hotfix": "fix", "doc": "docs", "docs": "docs", "test": "test", "tests": "test", "refactor": "refactor",
    "refac": "refactor", "perf": "performance", "style": "style", "build": "build", "deps": "build", "ci": "build",
    "chore": "chore", "release": "release", "revert": "revert",
}  # fmt: skip


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE | re.ASCII)


_RELEASE: Final = re.compile(
    r"(?:(?:prepare |bump |tag |cut |set )?(?:for )?(?:the )?(?:release|version)\b.{0,30}\d|v?\d+\.\d+(?:\.\d+)*$)",
    re.IGNORECASE | re.ASCII,
)
_PROSE: Final = re.compile(
    rb"\.(?:md|rst|adoc|tex)$|(?:^|/)(?:readme|changes|changelog|news|authors)(?:\.txt)?$", re.IGNORECASE
)
# In this order: mended prose is no mended fault, and a test for a fix belongs to the fix.
_BY_WORDS: Final = (
    ("docs", _words(r"typos?|spelling|grammar|wording|docs?|documentation|readme|changelog|docstrings?")),
    ("style", _words(r"lint(?:ing)?|flake8|pep-?8|code style|whitespaces? fix\w*|trailing whitespaces?")),
    (
        "fix",
        _words(r"fix(?:e[sd]|ing|up)?|bug\w*|hot-?fix(?:e[sd])?|regressions?|broken|crash\w*|faults?|repair\w*|mends?"),
    ),
    ("docs", _words(r"document\w*|comments?")),
    ("test", _words(r"tests?|testing|coverage")),
    (
        "refactor",
        _words(r"refactor\w*|renam\w*|clean ?-?up|cleanup|simplif\w*|mov(?:e[sd]?|ing)|extract\w*|reorgani\w*"),
    ),
    ("performance", _words(r"perf|performance|faster|speed\w*|optimi[sz]\w*")),
    ("build", _words(r"bump\w*|upgrad\w*|dependenc\w*|dependabot|pin(?:s|ned)?|ci|github actions|travis|makefile")),
    ("feature", _words(r"add(?:s|ed|ing)?|implement\w*|support\w*|introduc\w*|allow\w*|new|feature")),
)


def kind_of(subject: str, body: str, parents: int, paths: Iterable[bytes]) -> str:
    """Return fix, feature, docs, test, refactor, revert, release, merge, performance, style, build, chore or change.

    A commit with two parents or more is a merge, whatever it says. ``paths`` are the changed files: where the subject
    has no conventional prefix and they are all prose, the commit is about prose. ``change`` says nothing of itself.
    """
    if parents > 1:
        return "merge"
    if subject.startswith(("Revert ", "revert ", "revert:")) or _says_it_reverts(body):
        return "revert"
    if (prefix := _CONVENTIONAL.match(subject)) and (kind := _PREFIXES.get(prefix[1].lower())):
        return kind
    if _RELEASE.match(subject):
        return "release"
    changed = list(paths)
    if changed and all(_PROSE.search(path) for path in changed):
        return "docs"
    return next((kind for kind, words in _BY_WORDS if words.search(subject)), "change")


def _says_it_reverts(body: str) -> bool:
    """Tell whether the body says so of this commit; a squashed branch lists (``* ...``) what happened on the way."""
    return "This reverts commit " in body and not body.startswith("* ") and "\n* " not in body
