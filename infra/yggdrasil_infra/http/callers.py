"""Who calls, and what the call may do."""

from dataclasses import dataclass
from typing import Final, Literal, Protocol

from yggdrasil_schemas.commands import Origin

Role = Literal["append", "read", "audit", "operate"]
ROLES: Final[tuple[Role, ...]] = ("append", "read", "audit", "operate")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the key's id and name, its tenant (None opens all), its roles, and who stands behind what it sends."""

    id: str
    name: str
    tenant: str | None
    roles: frozenset[Role]
    origin: Origin = "agent"

    def opens(self, tenant: str) -> bool:
        """Whether the key is for ``tenant``. The tenants that the system keeps for itself are for nobody."""
        return not tenant.startswith("_") and self.tenant in (None, tenant)


class Callers(Protocol):
    """Tells who calls."""

    def caller(self, authorization: str | None) -> Caller | None:
        """Return who calls with this header; None for nobody that is known."""
        ...


class Anyone:
    """Without keys whoever reaches the loopback address may do everything."""

    def caller(self, authorization: str | None) -> Caller | None:
        """Return the one caller that there is."""
        return Caller("loopback", "loopback", None, frozenset(ROLES))
