"""Hooks in the settings of Claude Code and Codex: added beside whatever is there, and taken out again.

What hooks there are is said once, in ``hooks/hooks.json``. Ours are known by the script that they call, so a second
installation puts them in the place of the first one.
"""

import json
import os
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from stat import S_IMODE
from typing import Any, Final, Literal, cast

from yggdrasil_infra.paths import whole
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

from . import hook
from .service import listed, record

Agent = Literal["claude", "codex"]
SCRIPT: Final = Path(hook.__file__)
SHELL: Final = SCRIPT.with_name("hook.sh")
PLUGIN: Final = SCRIPT.parent
_EVENTS: Final = PLUGIN / "hooks" / "hooks.json"
_OURS: Final = "yggdrasil/doors/hooks/hook.py"
_WITHOUT: Final[Mapping[Agent, tuple[str, ...]]] = {"claude": (), "codex": ("PostToolUseFailure",)}
_FILE_MODE: Final = 0o600
_BYTES_MAX: Final = 4 << 20


class HooksError(YggdrasilError):
    """The settings of an agent cannot be used as they are; nothing was changed."""

    kind = local("hooks_settings", ExitCode.USAGE)


@dataclass(frozen=True, slots=True)
class Changed:
    """What was done: in which file, and the events that got, kept or lost a hook of ours."""

    file: Path
    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def settings_file(agent: Agent, project: Path | None, variables: Mapping[str, str]) -> Path:
    """Return the file of settings: the one of a project that is not shared, or else that of the user.

    Codex has one file in a project; keep it out of the repository, since the hooks name paths of this machine.
    """
    if agent == "codex":
        return (project / ".codex" if project else _home(variables, "CODEX_HOME", ".codex")) / "hooks.json"
    if project:
        return project / ".claude" / "settings.local.json"
    return _home(variables, "CLAUDE_CONFIG_DIR", ".claude") / "settings.json"


def command(python: str, program: str, data: str | None, memory: str | None) -> str:
    """Return the command line of a hook."""
    words = ["sh", str(SHELL), python, "-I", "-S", str(SCRIPT), "--program", program]
    words += ["--data", data] if data else []
    words += ["--memory", memory] if memory else []
    return shlex.join(words)


def install(agent: Agent, file: Path, line: str) -> Changed:
    """Let the events of ``agent`` call ``line``. Raises HooksError and OSError."""
    settings, hooks = _read(file)
    added: list[str] = []
    replaced: list[str] = []
    unchanged: list[str] = []
    for event, (group,) in _events(agent).items():
        wanted = {**group, "hooks": [{**group["hooks"][0], "command": line}]}
        groups = _groups(file, hooks, event)
        if wanted in groups and sum(map(_has_ours, groups)) == 1:
            unchanged.append(event)
            continue
        (replaced if any(map(_has_ours, groups)) else added).append(event)
        hooks[event] = [*_without(groups), wanted]
    if added or replaced:
        _write(file, {**settings, "hooks": hooks})
    return Changed(file, tuple(added), tuple(replaced), tuple(unchanged))


def remove(file: Path) -> Changed:
    """Take our hooks out, and the file if nothing else was in it. Raises HooksError and OSError."""
    settings, hooks = _read(file)
    removed = [event for event in hooks if any(map(_has_ours, _groups(file, hooks, event)))]
    for event in removed:
        left = _without(_groups(file, hooks, event))
        hooks = {**hooks, event: left} if left else {name: each for name, each in hooks.items() if name != event}
    if removed:
        settings = {**settings, "hooks": hooks} if hooks else {k: v for k, v in settings.items() if k != "hooks"}
        if settings or file.is_symlink():  # what a link leads to is somebody else's to remove
            _write(file, settings)
        else:
            file.unlink()
    return Changed(file, removed=tuple(removed))


def installed(file: Path) -> dict[str, str]:
    """Return the command lines of our hooks by event. Raises HooksError and OSError."""
    _, hooks = _read(file)
    found = {event: _lines(_groups(file, hooks, event)) for event in hooks}
    return {event: lines[0] for event, lines in found.items() if lines}


def _events(agent: Agent) -> dict[str, list[dict[str, Any]]]:
    found = json.loads(_EVENTS.read_text(encoding="utf-8"))["hooks"]
    return {event: groups for event, groups in found.items() if event not in _WITHOUT[agent]}


def _read(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings, and the hooks in them. Raises HooksError and OSError."""
    try:
        with file.open("rb") as opened:
            data = opened.read(_BYTES_MAX)
    except FileNotFoundError:
        return {}, {}
    try:
        settings: object = json.loads(data.decode()) if data.strip() else {}
        json.dumps(settings, allow_nan=False)  # what could not be written back is not begun with
    except (ValueError, RecursionError) as error:
        raise HooksError(f"{file} is no JSON ({error}): mend it, and give the command again") from error
    if not isinstance(settings, dict):
        raise HooksError(f"{file} holds no object, so hooks cannot be added: mend it, and give the command again")
    found = cast(dict[str, Any], settings)
    hooks = found.get("hooks", {})
    if not isinstance(hooks, dict):
        raise HooksError(f"hooks in {file} is no object: mend it, and give the command again")
    return found, dict(cast(dict[str, Any], hooks))


def _groups(file: Path, hooks: Mapping[str, Any], event: str) -> list[Any]:
    groups = hooks.get(event, [])
    if groups != [] and not listed(groups):
        raise HooksError(f"hooks.{event} in {file} is no list: mend it, and give the command again")
    return list(listed(groups))


def _is_ours(handler: Any) -> bool:
    line: object = record(handler).get("command")
    try:
        return isinstance(line, str) and any(word.endswith(_OURS) for word in shlex.split(line))
    except ValueError:  # quotes that do not end: not by us
        return False


def _handlers(group: Any) -> list[Any]:
    return listed(record(group).get("hooks"))


def _has_ours(group: Any) -> bool:
    return any(map(_is_ours, _handlers(group)))


def _lines(groups: list[Any]) -> list[str]:
    return [each["command"] for group in groups for each in _handlers(group) if _is_ours(each)]


def _without(groups: list[Any]) -> list[Any]:
    """Return groups without our hooks; one that had ours alone goes, and others stay as they are."""
    kept: list[Any] = []
    for group in groups:
        others = [each for each in _handlers(group) if not _is_ours(each)]
        if not _has_ours(group):
            kept.append(group)
        elif others:
            kept.append({**group, "hooks": others})
    return kept


def _write(file: Path, settings: dict[str, Any]) -> None:
    """Replace a file in one step: a link stays one, and who may read it, and whose it is, stays as it was."""
    target = file.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    before = target.stat() if target.exists() else None
    beside = target.with_name(f"{target.name}.{os.getpid()}")
    data = json.dumps(settings, indent=2).encode()
    with suppress(UnicodeEncodeError):  # half of a character stays escaped, and all with it
        data = json.dumps(settings, indent=2, ensure_ascii=False).encode()
    try:
        with open(beside, "wb", opener=partial(os.open, mode=_FILE_MODE)) as opened:
            opened.write(data + b"\n")
            if before is not None:
                with suppress(PermissionError):  # who is not the owner may not give it back
                    os.fchown(opened.fileno(), before.st_uid, before.st_gid)
                os.fchmod(opened.fileno(), S_IMODE(before.st_mode))
        beside.replace(target)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _home(variables: Mapping[str, str], variable: str, folder: str) -> Path:
    named = variables.get(variable)
    return whole(named) if named else whole("~") / folder
