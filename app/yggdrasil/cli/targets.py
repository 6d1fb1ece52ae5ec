"""Where an agent's memory is: in a directory, or behind a service that a command names by ``--service``.

Every command of an agent takes the same three options. They are declared here, once, and given to commands by their
class; what was typed comes to a command as the one value ``place``.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from .exits import CommandLineError, ExitCode
from .options import DIR_DEFAULT, MEMORY_DEFAULT, SERVICE_KEY, typed
from .screen import Screen, clean

if TYPE_CHECKING:
    from yggdrasil.engines.remote import Remote
    from yggdrasil_infra.http.callers import CallerAnswer
    from yggdrasil_schemas.commands import Role

VARIABLE: Final = "YGGDRASIL_KEY"
"""Where a key is looked for that is not given as a file."""
SOURCE: Final = "cli"
"""The source under which the command line speaks where no key says another."""
_KEY_BYTES_MAX: Final = 4_096
_KEY: Final = "yggdrasil.key_file"
_RATE: Final = "yggdrasil.rate"
_AS_OF: Final = "yggdrasil.as_of"


@dataclass(frozen=True, slots=True)
class AtService:
    """A service and the key to it. ``rate`` is how many commands of an import a second are sent at most; 0: any."""

    url: str
    key: str | None
    rate: float = 0.0


@dataclass(frozen=True, slots=True)
class Target:
    """A directory, unless a ``service`` was named; what reads may be put to the memory ``as_of`` a moment."""

    directory: Path
    service: AtService | None = None
    as_of: str | None = None

    def __str__(self) -> str:
        return str(self.directory if self.service is None else self.service.url)


def _noted(name: str) -> Any:
    def note(context: typer.Context, value: Any) -> None:
        if value is not None:
            context.meta[name] = value

    return note


def _service_options(
    service: Annotated[
        str | None,
        typer.Option(
            "--service",
            metavar="URL",
            help=f"The memory is behind this service, and not in a directory; {VARIABLE} has the key.",
            callback=_noted(SERVICE_KEY),
            is_eager=True,
            expose_value=False,
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key-file",
            metavar="FILE",
            help="The key to the service is in this file, as `yggdrasil key new` printed it.",
            callback=_noted(_KEY),
            is_eager=True,
            expose_value=False,
        ),
    ] = None,
) -> None:
    """Declare what every command of an agent takes."""


def _import_options(
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            min=0,
            metavar="N",
            help="With --service: at most N commands a second; 0, unless given, is as fast as the service takes them.",
            callback=_noted(_RATE),
            is_eager=True,
            expose_value=False,
        ),
    ] = None,
) -> None:
    """Declare what imports take as well."""


def _past_options(
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="MOMENT",
            help="The memory as it stood then: a seq, a receipt such as 3-1250, a date (its end), or a time.",
            callback=_noted(_AS_OF),
            is_eager=True,
            expose_value=False,
        ),
    ] = None,
) -> None:
    """Declare what a command that only reads takes as well."""


def _parameters(function: Any) -> list[Any]:
    app = typer.Typer(add_completion=False)
    app.command()(function)
    return [each for each in typer.main.get_command(app).params if each.name != "help"]


_OPTIONS: Final = _parameters(_service_options)
_IMPORT_OPTIONS: Final = _parameters(_import_options)
_PAST_OPTIONS: Final = _parameters(_past_options)
_NOT_THERE: Final = {
    "place": ("--dir", "the memory is either in a directory or behind the service"),
    "directory": ("DIR", "the memory is either in a directory or behind the service"),
    "kafka": ("--kafka", "the log is either on these brokers or behind the service"),
    "embedder": ("--embedder", "the service makes the vectors there, with an embedder of its own"),
    "origin": (
        "--origin",
        "the service stamps who speaks, as the key says: give a key of that origin (`yggdrasil key new --origin`)",
    ),
}


def _check(context: Any) -> None:
    """Raise BadParameter for options that cannot be meant together."""
    if SERVICE_KEY not in context.meta:
        for name, option in ((_KEY, "--key-file"), (_RATE, "--rate")):
            if name in context.meta:
                message = "it goes with --service, which names the service"
                raise typer.BadParameter(message, context, param_hint=f"'{option}'")
        return
    check_service(context, context.meta[SERVICE_KEY])
    for name, (option, why) in _NOT_THERE.items():
        if typed(context, name):
            raise typer.BadParameter(f"it does not go with --service: {why}", context, param_hint=f"'{option}'")


def check_service(context: Any, url: str) -> None:
    """Raise BadParameter for what is no URL of a service."""
    from yggdrasil.engines.service_client import no_address

    if (message := no_address(url)) is not None:
        raise typer.BadParameter(message, context, param_hint="'--service'")


def _with(settings: dict[str, Any], options: list[Any]) -> dict[str, Any]:
    return {**settings, "params": [*(settings.get("params") or []), *options]}


class OfAgent(TyperCommand):
    """A command of an agent, whose memory may be behind a service."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **_with(settings, _OPTIONS))

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless its options cannot be meant together. Raises BadParameter."""
        _check(ctx)
        return super().invoke(ctx)


class OfReader(OfAgent):
    """A command of an agent that only reads, and may be put to the memory as it stood."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **_with(settings, _PAST_OPTIONS))


class OfImport(OfAgent):
    """A command that imports."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **_with(settings, _IMPORT_OPTIONS))


class OfAgents(TyperGroup):
    """A command of an agent that has commands below it, and does something without them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**_with(_with(settings, _OPTIONS), _PAST_OPTIONS))

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless its options cannot be meant together. Raises BadParameter."""
        _check(ctx)
        return super().invoke(ctx)


def placed(context: typer.Context, place: Target) -> Target:
    """Return the service in place of the directory, if one was named. Raises BadParameter for a file without a key."""
    as_of: str | None = context.meta.get(_AS_OF)
    if SERVICE_KEY not in context.meta:
        return replace(place, as_of=as_of)
    file: Path | None = context.meta.get(_KEY)
    from os import environ

    key = environ.get(VARIABLE) if file is None else key_in(file)
    service = AtService(context.meta[SERVICE_KEY], key or None, context.meta.get(_RATE, 0.0))
    return Target(place.directory, service, as_of)


def key_in(file: Path) -> str:
    """Return the key that stands in a file; that others can read it is said on stderr.

    Raises BadParameter, also where others could write to it: what is said would go in under a key of theirs.
    """
    from os import fstat

    from yggdrasil.engines.service_client import plain_key
    from yggdrasil_infra.private import read_by_others

    try:
        with file.open("rb") as opened:
            found = fstat(opened.fileno())
            key = plain_key(opened.read(_KEY_BYTES_MAX).decode("utf-8-sig", "replace"))
    except OSError as error:
        message = f"{clean(file)} cannot be read: {error.strerror}"
        raise typer.BadParameter(message, param_hint="'--key-file'") from error
    if S_ISREG(found.st_mode) and found.st_mode & 0o022:
        message = (
            f"{clean(file)} can be written to by others, who could put another key there: chmod go-w {clean(file)}"
        )
        raise typer.BadParameter(message, param_hint="'--key-file'")
    if S_ISREG(found.st_mode) and (said := read_by_others(file, found)):
        Screen().warn(clean(said))
    if key is None or key.startswith("{"):
        message = f"{clean(file)} holds no key: it takes one line, as `yggdrasil key new` printed it"
        raise typer.BadParameter(message, param_hint="'--key-file'")
    return key


def _of(given: str | Target) -> Target:
    if isinstance(given, Target):
        return given  # what stands by default is one already
    from yggdrasil_infra.paths import at_home

    return Target(Path(at_home(given)))


HERE: Final = Target(DIR_DEFAULT)
Where = Annotated[
    Target,
    typer.Option(
        "--dir",
        envvar="YGGDRASIL_DIR",
        metavar="DIR",
        parser=_of,
        callback=placed,
        help="Where the log and its memories are kept.",
    ),
]


@contextmanager
def at_service(service: AtService, patience_s: float | None = None) -> "Generator[Remote, None, None]":
    """Open a service."""
    from contextlib import closing

    from yggdrasil.engines.remote import Remote

    with closing(Remote(service.url, service.key, patience_s=patience_s)) as remote:
        yield remote


def memory_at(remote: "Remote", memory: str) -> str:
    """Return the memory of a service that is meant by what was typed, if anything was.

    A name without a tenant is in that of the key, and nothing at all is the one memory that the key opens. Raises
    CommandLineError, and what the service raises.
    """
    return memory if "/" in memory else memory_of(remote.caller(), memory)


def memory_of(caller: "CallerAnswer", memory: str) -> str:
    """Return as ``memory_at`` does, for a caller that is known."""
    if "/" in memory:
        return memory
    if memory and caller.tenant is not None:
        return f"{caller.tenant}/{memory}"
    if caller.keyless and not memory:
        return MEMORY_DEFAULT
    if not memory and caller.memory is not None:
        return caller.memory
    form = "TENANT/AGENT" if caller.tenant is None else f"{caller.tenant}/AGENT"
    said = f"the key {clean(caller.name)} opens {caller.tenant or 'any tenant'}/{caller.agents}"
    raise CommandLineError(
        ExitCode.USAGE, "no_memory_named", f"{said}, so say whose memory is meant: --memory {form} or YGGDRASIL_MEMORY"
    )


def check_may(caller: "CallerAnswer", role: "Role", memory: str) -> None:
    """Raise CommandLineError where the key has not the role, or does not open the memory."""
    tenant, _, agent = memory.partition("/")
    name = clean(caller.name)
    if role not in caller.roles:
        raise CommandLineError(
            ExitCode.USAGE,
            "may_not",
            f"the key {name} has the role {', '.join(caller.roles)}, and this takes {role}: make another with "
            f"`yggdrasil key new --role {role}`",
        )
    if caller.tenant not in {None, tenant} or not fnmatchcase(agent, caller.agents):
        opens = f"{caller.tenant or '*'}/{caller.agents}"
        raise CommandLineError(
            ExitCode.USAGE,
            "not_this_memory",
            f"the key {name} opens {clean(opens)}, and not {clean(memory)}: name another --memory, or use another key",
        )
