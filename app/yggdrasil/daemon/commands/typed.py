"""What was typed, as far as it says where a command may run: beside a daemon, or where the directory itself is free."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from yggdrasil_infra.paths import at_home

DIR_DEFAULT: Final = ".yggdrasil"
QUICK: Final = frozenset(
    {
        "record", "outcome", "context", "cases", "foretell", "explain", "fact", "correct", "history", "contradictions",
        "rulings", "neighbours", "episodes", "working-memory", "session", "role", "desk", "decisions", "knows",
        "recoveries", "map", "bias", "drift", "diff", "read", "say", "stats", "pin", "lift", "retire",
    }
)  # fmt: skip
"""Commands that answer through a daemon as they do where the directory is open."""
OWNS: Final = frozenset(
    {
        "adopt", "checkpoint", "digestion", "embed", "enable-version", "export", "import", "past", "quarantine",
        "rebuild", "report", "restore", "scorers", "serve", "sleep", "think",
    }
)  # fmt: skip
"""Commands that take a directory for themselves, or say more where they have it. All others run beside its holder."""
_ELSEWHERE: Final = ("--service", "--kafka")
_DIR: Final = "--dir"
_EMBEDDER: Final = "--embedder"


def is_quick(words: Sequence[str]) -> bool:
    """Whether what was typed may run beside a daemon."""
    return bool(words) and words[0] in QUICK and not any(_has(words, each) for each in (*_ELSEWHERE, _EMBEDDER))


def is_owner(words: Sequence[str]) -> bool:
    """Whether what was typed needs the directory itself: a command that has it alone, or another embedder for it."""
    if not words or any(_has(words, each) for each in _ELSEWHERE):
        return False
    return words[0] in OWNS or (words[0] in QUICK and _has(words, _EMBEDDER))


def directory_of(words: Sequence[str]) -> Path:
    """Return the directory that a quick command is about, as far as can be told without reading its options as it does.

    Whoever runs it reads them, so that a wrong guess costs time alone.
    """
    said = os.environ.get("YGGDRASIL_DIR") or DIR_DEFAULT
    for place, word in enumerate(_options(words)):
        if word == _DIR and place + 1 < len(words):
            said = words[place + 1]
        elif word.startswith(f"{_DIR}="):
            said = word.partition("=")[2]
    return Path(at_home(said))


def directories_in(words: Sequence[str]) -> Iterator[Path]:
    """Yield every directory that what was typed may be about: the one meant by default, and each that is named."""
    said = {os.environ.get("YGGDRASIL_DIR") or DIR_DEFAULT, *words, *(word.partition("=")[2] for word in words)}
    for each in said - {""}:
        try:
            path = Path(at_home(each))
            if path.is_dir():
                yield path
        except (OSError, ValueError):  # a text that is no path
            continue


def is_help(words: Sequence[str]) -> bool:
    """Whether what was typed only asks how a command is used: that needs no directory."""
    return any(word in {"--help", "-h"} for word in _options(words))


def has_json(words: Sequence[str]) -> bool:
    """Whether the answer is to be JSON, and so what is said of a failure."""
    return "--json" in _options(words)


def _has(words: Sequence[str], option: str) -> bool:
    return any(word == option or word.startswith(f"{option}=") for word in _options(words))


def _options(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index("--")] if "--" in words else words
