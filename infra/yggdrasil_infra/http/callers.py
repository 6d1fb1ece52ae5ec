"""Who calls, and what the call may do."""

import ipaddress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal, Protocol

from starlette.datastructures import Headers

from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.ids import keyed_process

from .problems import FORBIDDEN, ProblemError

Role = Literal["append", "read", "audit", "operate", "embed"]
ROLES: Final[tuple[Role, ...]] = ("append", "read", "audit", "operate", "embed")
ALL_AGENTS: Final = "*"
LOOPBACK: Final = "loopback"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the key's id and name, its tenant (None opens all), its roles, and who stands behind what it sends.

    ``agents`` is the pattern of the agents that it opens within a tenant, and ``trust`` how far it is trusted at most,
    where that is less than its origin is.
    """

    id: str
    name: str
    tenant: str | None
    roles: frozenset[Role]
    origin: Origin = "agent"
    agents: str = ALL_AGENTS
    trust: int | None = None

    def opens(self, tenant: str, agent: str) -> bool:
        """Whether the key is for a memory. The tenants that the system keeps for itself are for nobody."""
        return not tenant.startswith("_") and self.tenant in (None, tenant) and fnmatchcase(agent, self.agents)

    @property
    def process(self) -> str:
        """What is stamped as the process of all that comes with this key: the service, and the key's id."""
        return keyed_process(self.id)

    @property
    def keyless(self) -> bool:
        """Whether the service has no keys, so that whoever reaches it may do everything."""
        return self.id == LOOPBACK


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


def _is_loopback(host: str) -> bool:
    """Whether ``host``, a Host header, names this machine itself."""
    name = host.rpartition("]")[0].removeprefix("[") if host.startswith("[") else host.partition(":")[0]
    try:
        return name.lower() == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
