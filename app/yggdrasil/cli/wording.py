"""Errors in the words of the command line: which option or argument is wrong, and what it takes."""

import re
from typing import Any, Final

from typer import BadParameter
from typer.exceptions import TyperException

from yggdrasil_schemas import limits
from yggdrasil_schemas.errors import InvalidCommandError

_NAME: Final = f"1 to {limits.NAME_CHARS_MAX} characters on one line"
_OPTIONS: Final = {
    "memory": f"--memory takes {limits.MEMORY_FORM}",
    "session": f"--session takes {_NAME}",
    "body.event": "the event is given by its full id, as `yggdrasil record` printed it",
    "body.features": f"--feature may be given {limits.FEATURES_MAX} times, each with another name of 1 to "
    f"{limits.FEATURE_CHARS_MAX} characters on one line",
    "content.name": f"--name takes {_NAME}",
    "content.aliases": f"--alias may be given {limits.NOTE_ALIASES_MAX} times, each with another name of {_NAME}",
    "body.informed_by": f"--informed-by may be given {limits.INFORMED_BY_MAX} times, each with the recall id that "
    "`yggdrasil context` or `yggdrasil cases` printed",
    "body.caused_by": f"--caused-by may be given {limits.CAUSED_BY_MAX} times, each with an earlier event's full id",
    "body.trajectory": f"--step may be given {limits.TRAJECTORY_MAX} times, each with another earlier event's full id",
    "body.node": "the memory is given by its full id, or as feature:NAME",
    "body.items.node": "it is given by its full id, as what recorded or found it printed it",
    "body.source": "the first is given by its full id, or as feature:NAME",
    "body.target": "the second is given by its full id, or as feature:NAME",
    "body.scorer": "the scorer is given by its full id, as `yggdrasil scorers` lists it",
    "body.note": "--note takes one of the kinds that `yggdrasil record --help` names",
    "body.kind": f"--kind takes {_NAME}",
    "body.subject": f"a subject is a thing, named by 1 to {limits.FEATURE_CHARS_MAX} characters on one line",
    "body.predicate": f"a predicate is named by 1 to {limits.PREDICATE_CHARS_MAX} characters on one line",
    "body.claim_class": "--sort takes fact, lesson or rule",
    "body.cardinality": "--cardinality takes one, one_per_object or many",
    "body.resolution": "--resolution takes confidence, recency or human",
    "body.authority": "--authority takes agent, user, tool, import, thinker or operator",
    "body.relation": "a relation is supports, contradicts, supersedes, refines, depends_on, example_of, part_of, "
    "leads_to, answers, applies_to or related",
    "body.valid_to": "--until has to lie after --from",
    "body.evidence": f"--evidence may be given {limits.EVIDENCE_MAX} times, each with another full id",
    "body.supersedes": "--supersedes takes the full id of what it holds instead of",
    "body.catastrophic": "--catastrophic goes with a value below 0",
}
_REFUSED: Final = {
    "unknown_event": "this memory has no event with the id that was given: give it in full, as `yggdrasil record` or "
    "`yggdrasil context` printed it",
}
_NOT_THROUGH: Final = (
    "it works on a directory or a topic itself. Run it where that is, and name it (--dir, or --kafka if it has that). "
    "Through a service go the commands of agents, and imports"
)
_INSTEAD: Final = {"yggdrasil stats": "; of one memory `yggdrasil read overview --service URL` says it"}
_LISTENS: Final = ("--port", "--host", "--bind", "--listen", "--address", "--addr", "-p")
"""How others call what is ``--http HOST:PORT`` here."""
_FIELD: Final = re.compile(r"[a-z_]+(?:\.(?:[a-z_]+|\d+))*")
_PLACE: Final = re.compile(r"\.\d+")
_IN_USE: Final = (
    "another process has the directory open, and only one may write there. Wait until it has ended, or name another "
    "directory with --dir; `yggdrasil replay` can run beside it."
)


def explained(error: Exception) -> str:
    """Return what an expected error means to whoever typed the command."""
    from yggdrasil_infra.log import LogInUseError
    from yggdrasil_infra.rocks.database import StorageInUseError
    from yggdrasil_infra.signals.probes import ProbesError

    if isinstance(error, LogInUseError | StorageInUseError):
        return _in_use(error)
    if isinstance(error, ProbesError):
        return f"{str(error).removesuffix('.')} (--http HOST:PORT, or --http off)."
    if isinstance(error, InvalidCommandError):
        field = _FIELD.match(error.detail)
        option = _OPTIONS.get(_PLACE.sub("", field[0])) if field else None
        return f"{error.reason}: {option}" if option else str(error)
    if (reason := getattr(error, "reason", None)) in _REFUSED:
        return f"{reason}: {_REFUSED[reason]}"
    return str(error)


def _in_use(error: Exception) -> str:
    """Return who has the directory, as far as that is known, and what to do."""
    from pathlib import Path

    from yggdrasil_infra.http.errors import UntrustedSocketError
    from yggdrasil_infra.http.wire.socket_file import find
    from yggdrasil_infra.locks import is_brief
    from yggdrasil_infra.log import LogInUseError

    directory = error.directory if isinstance(error, LogInUseError) else None
    try:
        found = None if directory is None else find(Path(directory))
    except UntrustedSocketError as untrusted:
        return str(untrusted)
    if found is None:
        return _IN_USE
    if directory is not None and is_brief(Path(directory)):  # as completing.Shared says of it
        return (
            f"a command of {found.process}, such as `import` or `embed`, holds {directory} until it is done, and this "
            "needs the directory itself: wait until it has ended, and give this command again. `yggdrasil replay` can "
            "run beside it."
        )
    end = f"end it with `kill {found.pid}`" if found.pid else "end it"
    return (
        f"the service of {found.process} holds {directory}, and this needs the directory itself: {end}, which finishes "
        "what is under way, and start it again afterwards. `yggdrasil replay` can run beside it."
    )


def usage(error: TyperException) -> str:
    """Return what was wrong with what was typed, and where help is."""
    if isinstance(error, BadParameter):
        error.message = _value(error)
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    if getattr(error, "option_name", None) in {"--service", "--key-file"}:
        instead = _INSTEAD.get(context.command_path, "")
        return f"`{context.command_path}` cannot be done through a service: {_NOT_THROUGH}{instead}"
    wanted = getattr(error, "option_name", None)
    http = next((each for each in context.command.params if "--http" in each.opts), None)
    if wanted in _LISTENS and http is not None:
        there = f"where it listens is one option here, --http HOST:PORT, such as --http {http.default}"
        message = f"No such option: {wanted}; {there}"
    return f"{message}{'' if message.endswith(('.', '?', '!')) else '.'} See `{context.command_path} --help`."


def _value(error: BadParameter) -> str:
    """Return what was wrong with a value: typer has it checked by pydantic, which has words of its own."""
    found: Any = error.__cause__
    if not hasattr(found, "errors") or (first := found.errors(include_url=False)[0])["type"] == "value_error":
        return error.message
    from yggdrasil_schemas.commands.wording import wording

    return wording(first)
