"""Who may say what: a closed table of command types by role. What is not in it nobody may say over HTTP."""

from collections.abc import Mapping
from typing import Any, Final, cast

from yggdrasil_infra.http.callers import Caller, Role
from yggdrasil_infra.http.problems import FORBIDDEN, ProblemError
from yggdrasil_schemas.commands import COMMANDS, Origin

SPOKEN_BY: Final[Mapping[str, tuple[Role, ...]]] = {
    "record_event": ("append",),
    "log_outcome": ("append",),
    "report_use": ("append",),
    "attach_vector": ("append",),
    "commit_episode": ("operate",),
    "form_concept": ("operate",),
    "dissolve_concept": ("operate",),
    "adjust": ("operate",),
    "sleep": ("operate",),
    "pin": ("operate",),
    "lift_catastrophe": ("operate",),
    "retire_thinker": ("operate",),
    "set_policy": ("operate",),
    "attest": ("operate", "audit"),
}
"""The roles of which one is needed. A recall is recorded by the service that answered, and versions are enabled where
the log is, so neither is here."""
NOBODY_S: Final = frozenset({"record_recall", "enable_version"})
OFFERED: Final = tuple(kind for kind in SPOKEN_BY if kind in COMMANDS)
"""What can be said in this release."""


def check_may_say(caller: Caller, kind: str) -> None:
    """Raise ProblemError (403) unless the caller may say ``kind``, which is a command."""
    roles = SPOKEN_BY.get(kind, ())
    if not caller.roles.intersection(roles):
        needed = f"takes a key with the role {' or '.join(roles)}" if roles else "is not said over HTTP"
        raise ProblemError(FORBIDDEN, f"{kind} {needed}")


def origin_of(caller: Caller, kind: str, body: object) -> Origin:
    """Return who stands behind a command: never what it says of itself."""
    if "append" in SPOKEN_BY[kind]:
        return caller.origin
    decided = isinstance(body, dict) and cast(dict[str, Any], body).get("thinker") is not None
    return "thinker" if decided else "operator"
