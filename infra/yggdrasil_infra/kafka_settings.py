"""How to reach Kafka: bootstrap servers, and whatever security options kafka-python understands."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .log import LogError

BOOTSTRAP_VARIABLE: Final = "KAFKA_BOOTSTRAP_SERVERS"
_BOOTSTRAP_MS: Final = 10_000  # a cluster that restarts is back within seconds; a wrong address should be said soon
_RECONNECT_MS: Final = 1_000  # the longest pause between two attempts; kafka-python would wait for half a minute
_PREFIX: Final = "YGGDRASIL_KAFKA_"
_SECURITY: Final = frozenset(
    {
        "security_protocol",
        "sasl_mechanism",
        "sasl_plain_username",
        "sasl_plain_password",
        "ssl_cafile",
        "ssl_certfile",
        "ssl_keyfile",
        "ssl_password",
        "ssl_crlfile",
        "ssl_ciphers",
    }
)
"""The options that are passed through to kafka-python under their own names."""


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """Where the brokers are and how to be let in. Passwords are not shown."""

    bootstrap_servers: str
    security: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def __post_init__(self) -> None:
        """Refuse an option that is not a security option: a misspelt one would silently connect in clear."""
        if unknown := sorted(self.security.keys() - _SECURITY):
            raise LogError(f"unknown Kafka security options {unknown}; known are {sorted(_SECURITY)}")

    @staticmethod
    def from_environment(bootstrap_servers: str | None = None) -> "KafkaSettings":
        """Read ``KAFKA_BOOTSTRAP_SERVERS`` and ``YGGDRASIL_KAFKA_SECURITY_PROTOCOL`` and the like.

        Raises LogError when no server is named.
        """
        servers = bootstrap_servers or os.environ.get(BOOTSTRAP_VARIABLE)
        if not servers:
            raise LogError(f"no Kafka broker is named; set {BOOTSTRAP_VARIABLE}, for example to 127.0.0.1:9092")
        named = {name: os.environ.get(_PREFIX + name.upper()) for name in _SECURITY}
        return KafkaSettings(servers, {name: value for name, value in named.items() if value is not None})

    def options(self, client_id: str) -> dict[str, Any]:
        """Return the options that every client of kafka-python takes."""
        return {
            "bootstrap_servers": self.bootstrap_servers.split(","),
            "client_id": client_id,
            "bootstrap_timeout_ms": _BOOTSTRAP_MS,
            "reconnect_backoff_max_ms": _RECONNECT_MS,
            **self.security,
        }
