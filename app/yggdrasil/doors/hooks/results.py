"""What a command came to: its exit code, and what the programs that test say at their ends."""

import re
from typing import Final, NamedTuple, cast

from .redaction import clean
from .service import record

_LOOKED_CHARS_MAX: Final = 40_000  # the last of an output: programs that test say at the end how it went
_LINES_MAX: Final = 6
_LINE_CHARS_MAX: Final = 160
_EXIT: Final = re.compile(r"(?im)^[^\w\n]*(?:exit code:?|process exited with code|exited with)[ \t]+(-?\d{1,3})\b")
_CODES: Final = ("exit_code", "exitCode", "returncode", "code")
_COUNT: Final = r"(\d{1,7})"
# For each program: how its last word reads; every group counts what failed.
_SUMMARIES: Final = tuple(
    (name, re.compile(pattern, re.MULTILINE))
    for name, pattern in (
        ("pytest", r"^=*\s?((?:\d+ (?:failed|passed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun)"
                   r"(?:, )?)+) in [\d.]+m?s"),
        ("jest", r"^[ \t]*(Tests:?[ \t]+(?:\d+ [A-Za-z]+(?:, | \| )?)+)"),
        ("cargo", r"^(test result: \w+\. \d+ passed; \d+ failed)"),
        ("go", r"^((?:--- FAIL: \S+|FAIL\t\S+|ok  \t\S+|FAIL$|PASS$))"),
        ("unittest", r"^((?:OK|FAILED)(?: \([\w=, ]+\))?)$"),
        ("make", r"^(make(?:\[\d+\])?: \*\*\* .+)$"),
    )
)  # fmt: skip
_FAILED: Final = re.compile(rf"\b{_COUNT} (?:failed|errors?|failures?)\b|(?:failures|errors)=([1-9]\d*)")
_FAIL_WORD: Final = re.compile(r"--- FAIL|^FAIL|FAILED|\*\*\*")
_TELLING: Final = re.compile(
    r"(?i)\b(?:failed|failure|fail:|error|errors|exception|panic(?:ked)?|fatal|assert\w*|undefined|not found|cannot|"
    r"no such|denied|expected)\b|^E\s|✕|✗|●|Traceback"
)

# What git says where it does nothing: a commit that was none would otherwise be one, where nobody says an exit code.
_GIT_FAILED: Final = re.compile(r"(?m)^(?:fatal: |error: pathspec |no(?:thing|thing added| changes added) to commit)")


class Result(NamedTuple):
    """How a command ended.

    ``code`` is None where nobody said it; ``failed`` then is what its output says, or None. ``tests`` names the program
    that tested, and ``summary`` is its last word. ``lines`` are the most telling ones of what failed.
    """

    code: int | None
    failed: bool | None
    tests: str | None = None
    summary: str = ""
    lines: tuple[str, ...] = ()


def of_success(response: object) -> Result:
    """Return what came of a command that the agent's program does not say has failed.

    ``response`` is what the tool gave: an object with ``stdout`` and ``stderr`` (Claude Code, where such a command has
    ended with 0), or a text (Codex, which tells no exit code unless the text does).
    """
    if isinstance(response, dict):
        given = record(cast(object, response))
        stdout, stderr = (str(given.get(name) or "") for name in ("stdout", "stderr"))
        code = next((given[name] for name in _CODES if isinstance(given.get(name), int)), None)
        if code is None and ("stdout" in given or "stderr" in given):
            code = None if given.get("interrupted") else 0
        return read(f"{stdout}\n{stderr}", code)
    text = response if isinstance(response, str) else ""
    said = _EXIT.search(text[:_LOOKED_CHARS_MAX])
    return read(text, int(said[1]) if said else None)


def of_failure(error: str) -> Result:
    """Return what came of a command that failed: Claude Code begins its error with ``Exit code 1``."""
    said = _EXIT.match(error)
    return read(error[said.end() :] if said else error, int(said[1]) if said else None, failed=True)


def read(output: str, code: int | None, *, failed: bool | None = None) -> Result:
    """Return what an output says. A test program's own word stands above an exit code of 0, which may be a pipe's."""
    output = output[-_LOOKED_CHARS_MAX:]
    if failed is None:
        failed = code != 0 if code is not None else True if _GIT_FAILED.search(output) else None
    tests, summary = None, ""
    for name, pattern in _SUMMARIES:
        found = pattern.findall(output)
        if found:
            tests, summary = name, _worst(found)
            failed = bool(failed) or _says_failed(summary)
            break
    lines = _telling(output, summary) if failed else ()
    return Result(code, failed, tests, clean(summary, _LINE_CHARS_MAX), lines)


def _worst(said: list[str]) -> str:
    """Return the last summary that tells of a failure, or else the last."""
    return next((one for one in reversed(said) if _says_failed(one)), said[-1]).strip()


def _says_failed(summary: str) -> bool:
    counts = _FAILED.findall(summary)
    if counts:
        return any(int(one or other) for one, other in counts)
    return _FAIL_WORD.search(summary) is not None


def _telling(output: str, summary: str) -> tuple[str, ...]:
    """Return the lines that say what failed, without the summary, or else the last ones."""
    lines = [line.strip() for line in output.splitlines() if line.strip(" =-_")]
    lines = [line for line in lines if not summary or summary not in line]
    telling = [line for line in lines if _TELLING.search(line)] or lines[-2:]
    return tuple(clean(line, _LINE_CHARS_MAX) for line in dict.fromkeys(telling[-_LINES_MAX:]))
