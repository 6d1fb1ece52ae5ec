"""The topics of the system and what each must be, so that the log can be the memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Profile = Literal["production", "development"]
"""``production`` wants replication 3 and min ISR 2; ``development`` takes one broker and must be asked for."""

COMMANDS: Final = "yggdrasil.commands"
REFUSED: Final = "yggdrasil.refused"
PARTITIONS: Final = 16
_COMMANDS_SUFFIX: Final = ".commands"
_REFUSED_SUFFIX: Final = ".refused"

MESSAGE_BYTES_MIN: Final = 1_048_588
"""What a topic must accept: Kafka's default, which has room for the largest record of ours and its batch."""
_COMMON: Final = {
    "unclean.leader.election.enable": "false",
    "message.timestamp.type": "CreateTime",
    # The brokers unpack what a producer has packed: any reader then needs no codec, and a megabyte is never a gigabyte.
    "compression.type": "uncompressed",
}
SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    # It is the memory: nothing may ever leave it.
    COMMANDS: {**_COMMON, "cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"},
    # Reasons and positions; what it says can be had from the log again.
    REFUSED: {**_COMMON, "cleanup.policy": "delete", "retention.ms": "2592000000"},
}


@dataclass(frozen=True, slots=True)
class Durability:
    """How many brokers hold a record, and how many must before it is acknowledged."""

    replicas: int
    in_sync_min: int


DURABILITY: Final[Mapping[Profile, Durability]] = {"production": Durability(3, 2), "development": Durability(1, 1)}


def settings_for(topic: str) -> Mapping[str, str]:
    """Return the settings that ``topic`` must have: one that is not for refusals is a commands topic."""
    return SETTINGS[REFUSED if is_refused(topic) else COMMANDS]


def is_refused(topic: str) -> bool:
    """Whether ``topic`` is one for refusals, by its name."""
    return topic.endswith(_REFUSED_SUFFIX)


def refused_topic(commands: str) -> str:
    """Return where the refusals of a commands topic go: those of ``acme.commands`` to ``acme.refused``."""
    return commands.removesuffix(_COMMANDS_SUFFIX) + _REFUSED_SUFFIX
