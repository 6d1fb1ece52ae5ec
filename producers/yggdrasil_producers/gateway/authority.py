"""Who may say what: each command names the roles for it. One that names none nobody may say over HTTP."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from yggdrasil_infra.http.callers import Caller
from yggdrasil_infra.http.problems import ProblemError
from yggdrasil_schemas.commands import COMMANDS, AttachVector, Origin, Role
from yggdrasil_schemas.commands.experience import GUARDRAIL_VIOLATION
from yggdrasil_schemas.ids import is_derived, is_of
from yggdrasil_schemas.names import composed
from yggdrasil_schemas.problems import FORBIDDEN, UNKNOWN_NODE

from .appends import Appends

_FEATURE: Final = "feature:"
SPOKEN_BY: Final[Mapping[str, tuple[Role, ...]]] = {
    name: model.roles for name, model in COMMANDS.items() if model.roles
}
"""The roles of which one is needed. A recall is recorded by the service that answered, and versions are enabled where
the log is, so neither is here."""
EMBEDS: Final = AttachVector.as_operator
"""The roles of which one is needed to attach a vector to what another key wrote."""
_WITNESSES: Final = ("tool", "user", "operator")


def check_may_say(caller: Caller, kind: str) -> None:
    """Raise ProblemError (403) unless the caller may say ``kind``, which is a command."""
    roles = SPOKEN_BY.get(kind, ())
    if not caller.roles.intersection(roles):
        needed = f"takes a key with the role {' or '.join(roles)}" if roles else "is not said over HTTP"
        raise ProblemError(FORBIDDEN, f"{kind} {needed}")


def origin_of(caller: Caller, kind: str, body: object) -> Origin:
    """Return who stands behind a command: never what it says of itself, but for an owner's own word."""
    if caller.stated:
        return caller.origin
    decided = isinstance(body, dict) and cast(dict[str, Any], body).get("thinker") is not None
    trusted = COMMANDS[kind].as_operator
    if "append" in SPOKEN_BY[kind] and (caller.keyless or not caller.roles.intersection(trusted)):
        return "thinker" if decided else caller.origin
    return "thinker" if decided else "operator"


def check_may_mean(caller: Caller, kind: str, body: Mapping[str, Any], ceilings: Mapping[str, int]) -> None:
    """Raise ProblemError (403) for a well-formed command that would do what the caller or this host may not.

    A guardrail's violation is never forgotten soon, so it takes a witness; that a catastrophe does is a law. What a
    thinker decides moves how far it has read, so it takes whoever runs the thinkers. What a memory may take of the host
    is the business of whoever runs it: ``ceilings`` are the greatest values of a policy.
    """
    if body.get("thinker") is not None and "operate" not in caller.roles:
        raise ProblemError(
            FORBIDDEN,
            f"{kind} with a thinker moves how far that thinker has read, which takes a key with the role operate",
            remedy="Leave the thinker out: the command then is the word of this key.",
        )
    protects = kind == "log_outcome" and body.get("kind") == GUARDRAIL_VIOLATION
    if protects and caller.origin not in _WITNESSES and not caller.keyless:
        raise ProblemError(
            FORBIDDEN,
            f"an outcome of the kind {GUARDRAIL_VIOLATION} protects its memory, which takes a key with the origin tool "
            f"or user, and this one has the origin {caller.origin}",
            remedy="Let the guardrail report it with a key of its own; see `yggdrasil key new --origin tool`.",
        )
    if kind == "set_policy" and not caller.owns:
        for name, value in body["changes"].items():
            if name in ceilings and value > ceilings[name]:
                raise ProblemError(
                    FORBIDDEN,
                    f"{name} may be at most {ceilings[name]} on this host",
                    remedy="Ask whoever runs the service to raise it; see `yggdrasil serve --ceiling`.",
                )


def check_may_name(caller: Caller, command_id: str) -> None:
    """Raise ProblemError (403) for a derived id that is not of the key's own name.

    An id is taken once. Whoever can work out the id that another one's import will have could take it first, and the
    import would be refused, or be answered as a repetition of what it never said.
    """
    source = composed(caller.name)
    if is_derived(command_id) and not is_of(source, command_id) and not caller.keyless:
        raise ProblemError(
            FORBIDDEN,
            f"id: {command_id} is derived, and not from {source}, which is the name of this key and its source",
            remedy="Derive it with yggdrasil_schemas.ids.sourced_id(SOURCE, ...), or send a UUIDv7.",
        )


def check_may_attach(caller: Caller, memory: str, nodes: Sequence[str], appends: Appends) -> None:
    """Raise ProblemError unless the caller may attach vectors to ``nodes``: to what its own key wrote (403), or to any.

    Where a node is found by meaning decides which questions it answers. What is not folded here yet is unknown (404):
    it cannot be said who wrote it. Raises LogError.
    """
    if not nodes or caller.roles.intersection(EMBEDS):
        return
    needed = f"takes the key that wrote the node, or one with the role {' or '.join(EMBEDS)}"
    for node in nodes:
        if node.startswith(_FEATURE):
            raise ProblemError(FORBIDDEN, f"attach_vector to {node[:80]} {needed}; a feature is of all who name it")
    processes = appends.writers(memory, nodes)
    for node in nodes:
        if node not in processes:
            raise ProblemError(
                UNKNOWN_NODE,
                f"attach_vector: {node} is not folded here, so it is not known who wrote it",
                remedy="Wait until its command is folded, and send this again; or send the vector with that command.",
            )
        if processes[node] != caller.process:
            raise ProblemError(FORBIDDEN, f"attach_vector to {node} {needed}")
