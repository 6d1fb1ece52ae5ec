"""Who stands behind a command, where that decides what it may do: the envelope's ``origin``, which is stamped."""

from typing import Final

from yggdrasil_schemas.commands import Envelope
from yggdrasil_schemas.refusals import Refusal, Refused

_WITNESSES: Final = ("tool", "user", "operator")


def may_declare(command: Envelope) -> bool:
    """Whether a command can make something permanent: tools, people and operators can, agents and thinkers cannot."""
    return command.origin in _WITNESSES


def refuse_unless_operator(command: Envelope) -> Refused | None:
    """Return the refusal of what only an operator may say."""
    return None if command.origin == "operator" else Refused(Refusal.NOT_ALLOWED)
