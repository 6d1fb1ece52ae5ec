"""Who stands behind a command, where that decides what it may do: the envelope's ``origin``, which is stamped."""

from hashlib import blake2b
from typing import Final

from yggdrasil_schemas.commands import Envelope
from yggdrasil_schemas.commands.envelope import TIERS
from yggdrasil_schemas.graph.records import WHO_BYTES
from yggdrasil_schemas.ids import key_in
from yggdrasil_schemas.refusals import Refusal, Refused

WITNESS: Final = 2
"""From this trust on somebody may declare, approve, and be taken for who they say they are: that of a user."""
_PERSONS: Final = ("user", "operator")


def may_declare(command: Envelope) -> bool:
    """Whether a command can make something permanent: whoever is trusted as a user is, so no agent and no thinker."""
    return trust_of(command) >= WITNESS


def is_operator(command: Envelope) -> bool:
    """Whether an operator speaks, who is trusted at least as a user is."""
    return command.origin == "operator" and trust_of(command) >= WITNESS


def is_person(command: Envelope) -> bool:
    """Whether a person speaks, a user or an operator, who is trusted at least as a user is."""
    return command.origin in _PERSONS and trust_of(command) >= WITNESS


def refuse_unless_operator(command: Envelope) -> Refused | None:
    """Return the refusal of what only an operator may say."""
    return None if is_operator(command) else Refused(Refusal.NOT_ALLOWED)


def trust_of(command: Envelope) -> int:
    """Return how far what a command says is trusted, 0 to 4: as its origin is, and at most as it is stamped.

    What is measured is trusted more than what somebody says, and that more than what is concluded (001, decision
    outcome: measured, reasoned, witnessed).
    """
    return trust_in(command.origin, command.trust)


def trust_in(origin: str, stamped: int | None) -> int:
    """Return how far an origin is trusted: as its tier says, and at most as it is ``stamped``."""
    tier = TIERS[origin]
    return tier if stamped is None or stamped > tier else stamped


def voice_of(command: Envelope) -> str:
    """Return whoever says something: the key with which it came, or else the source."""
    key = key_in(command.process)
    return f"source\0{command.source}" if key is None else f"key\0{key}"


def who(command: Envelope) -> bytes:
    """Return 8 bytes that stand for whoever says something."""
    return blake2b(voice_of(command).encode(), digest_size=WHO_BYTES, person=b"yggdrasil-who").digest()
