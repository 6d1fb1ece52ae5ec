"""Who calls, and what the call may do."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal, Protocol, cast, get_args
from urllib.parse import quote, unquote

from starlette.datastructures import Headers

from yggdrasil_schemas.commands import Origin, Role
from yggdrasil_schemas.commands.forks import FORK
from yggdrasil_schemas.ids import key_in, keyed_process
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.problems import FORBIDDEN

from .problems import BAD_REQUEST, ProblemError

ROLES: Final[tuple[Role, ...]] = get_args(Role)
Grant = Literal["query_archive"]
GRANTS: Final[tuple[Grant, ...]] = ("query_archive",)
ALL_AGENTS: Final = "*"
LOOPBACK: Final = "loopback"
OWNER: Final = "owner"
SOURCE, PROGRAM, ORIGIN = "yggdrasil-source", "yggdrasil-program", "yggdrasil-origin"
"""The headers in which an owner says in whose name a request is sent; see ``Owner``. Texts are percent-encoded."""
_NAME: Final = re.compile(rf"[^\x00-\x1f\x7f-\x9f]{{1,{NAME_CHARS_MAX}}}")
_RECORD: Final = "yggdrasil-record"
UNRECORDED: Final[Mapping[str, str]] = {_RECORD: "false"}
"""The header with which a client asks without a trace. A service from before there was one passes over it."""

_WILD: Final = re.compile(r"[*?[]")
_OF_FORKS: Final[frozenset[Role]] = frozenset({"operate", "audit"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the key's id and name, its tenant (None opens all), its roles, and who stands behind what it sends.

    ``agents`` is the pattern of the agents that it opens within a tenant, and ``trust`` how far it is trusted at most,
    where that is less than its origin is. ``grants`` are tools that it was granted beyond its roles. Nothing that is
    trusted less than ``trust_min``, its lens, is in what it is answered. Of an owner ``program`` is the process, and
    ``stated`` whether the origin is what the request says.
    """

    id: str
    name: str
    tenant: str | None
    roles: frozenset[Role]
    origin: Origin = "agent"
    agents: str = ALL_AGENTS
    trust: int | None = None
    grants: frozenset[Grant] = frozenset()
    trust_min: int = 0
    program: str | None = None
    stated: bool = False

    def opens(self, tenant: str, agent: str) -> bool:
        """Whether the key is for a memory. The tenants that the system keeps for itself are for nobody.

        A fork is what a memory was, so it is for those who operate or audit, and for keys whose pattern names forks.
        """
        within = not tenant.startswith("_") and self.tenant in (None, tenant) and fnmatchcase(agent, self.agents)
        return within and (FORK not in agent or FORK in self.agents or not self.roles.isdisjoint(_OF_FORKS))

    @property
    def prefix(self) -> str:
        """What the names of all memories that the key opens begin with."""
        return "" if self.tenant is None else f"{self.tenant}/{_WILD.split(self.agents, 1)[0]}"

    @property
    def only(self) -> str | None:
        """The one memory that the key opens; None where it opens several."""
        several = self.tenant is None or _WILD.search(self.agents) is not None
        return None if several else f"{self.tenant}/{self.agents}"

    @property
    def process(self) -> str:
        """What is stamped as the process of all that comes with this key: the service, and the key's id."""
        return self.program or keyed_process(self.id)

    @property
    def keyless(self) -> bool:
        """Whether no key was asked for, so that whoever gets there may do everything."""
        return self.id in {LOOPBACK, OWNER}

    @property
    def owns(self) -> bool:
        """Whether the caller owns the directory, and could as well open it."""
        return self.id == OWNER


@dataclass(frozen=True, slots=True)
class CallerAnswer:
    """Who a key is, as the service says it: under which ``name`` and ``origin`` it speaks, what it opens and may do.

    ``tenant`` is null for a key of all, ``agents`` the pattern of what it opens there, and ``memory`` the one that it
    opens where that is only one. ``trust`` is how far it is trusted at most, null as far as its origin is. Nothing that
    is trusted less than ``trust_min`` is in what it is answered. ``keyless`` says that no key was asked for.
    """

    name: str
    tenant: str | None
    agents: str
    memory: str | None
    roles: list[Role]
    origin: Origin
    trust: int | None
    grants: list[Grant]
    trust_min: int
    keyless: bool

    @staticmethod
    def of(caller: Caller) -> "CallerAnswer":
        """Return what is said of a caller."""
        roles: list[Role] = [role for role in ROLES if role in caller.roles]
        return CallerAnswer(
            caller.name,
            caller.tenant,
            caller.agents,
            caller.only,
            roles,
            caller.origin,
            caller.trust,
            sorted(caller.grants),
            caller.trust_min,
            caller.keyless,
        )


class Callers(Protocol):
    """Tells who calls."""

    def caller(self, headers: Headers) -> Caller | None:
        """Return who calls with these headers; None for nobody that is known. Raises ProblemError."""
        ...


class Anyone:
    """Without keys whoever reaches the loopback address may do everything, but for pages of strangers.

    A page in a browser on this machine may have a name of its own led to the loopback address, so that the browser
    takes us for the server of that page (DNS rebinding). The name that it asked for is in the header Host. Or it asks
    us by our own name, and then the browser says where the page is from.
    """

    def caller(self, headers: Headers) -> Caller | None:
        """Return the one caller that there is. Raises ProblemError (403) for a name that is not this machine's own."""
        host = headers.get("host", "")
        if not _is_loopback(host):
            raise ProblemError(FORBIDDEN, "without keys only requests to localhost and loopback addresses are answered")
        origin = headers.get("origin")
        foreign = origin is not None and not _is_loopback(origin.partition("://")[2])
        if foreign or headers.get("sec-fetch-site", "").lower() == "cross-site":
            raise ProblemError(
                FORBIDDEN,
                "without keys no page of another site is answered",
                remedy="Ask from a page of this machine, or serve with --keys and send a key.",
            )
        return Caller(LOOPBACK, LOOPBACK, None, frozenset(ROLES))


class Owner:
    """Through the socket beside the log comes whoever may open the directory itself, and could say anything there.

    So no key is asked for, and a request may say in whose name it is sent: the headers hold the source, the program and
    the origin that are stamped on what it appends, as a program stamps them that has the directory open. No page of a
    browser gets here, so the header Host says nothing.
    """

    def caller(self, headers: Headers) -> Caller:
        """Return the owner. Raises ProblemError (400) for a name or an origin that is none."""
        source, program = _name(headers, SOURCE, "agent"), _name(headers, PROGRAM, "yggdrasil-socket")
        if key_in(program) is not None:
            raise ProblemError(BAD_REQUEST, f"{PROGRAM} is not what the service stamps on what comes with a key")
        origin = headers.get(ORIGIN)
        if origin is not None and origin not in get_args(Origin):
            raise ProblemError(BAD_REQUEST, f"{ORIGIN} takes {', '.join(get_args(Origin))}")
        said = cast(Origin, origin or "agent")
        return Caller(OWNER, source, None, frozenset(ROLES), said, program=program, stated=origin is not None)


def spoken(source: str, program: str, origin: str) -> dict[str, str]:
    """Return the headers that say in whose name a request to an owner's socket is sent."""
    return {SOURCE: quote(source, safe=""), PROGRAM: quote(program, safe=""), ORIGIN: origin}


def _name(headers: Headers, header: str, default: str) -> str:
    said = headers.get(header)
    if said is None:
        return default
    name = unquote(said, errors="replace")
    if not _NAME.fullmatch(name):
        raise ProblemError(BAD_REQUEST, f"{header} takes 1 to {NAME_CHARS_MAX} characters on one line, percent-encoded")
    return name


def _is_loopback(host: str) -> bool:
    """Whether ``host``, a Host header, names this machine itself."""
    name = host.rpartition("]")[0].removeprefix("[") if host.startswith("[") else host.partition(":")[0]
    try:
        return name.lower() == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def leaves_no_trace(headers: Mapping[str, str]) -> bool:
    """Return whether a request says that nothing of it is to be recorded."""
    return headers.get(_RECORD) == "false"
