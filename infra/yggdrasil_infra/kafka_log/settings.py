"""How to reach Kafka: bootstrap servers, and whatever security options kafka-python understands."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from yggdrasil_schemas.problems import AWAY, ExitCode

from ..log import LogError
from ..paths import whole
from .connecting import connect

BOOTSTRAP_VARIABLE: Final = "KAFKA_BOOTSTRAP_SERVERS"
_BOOTSTRAP_MS: Final = 10_000  # a cluster that restarts is back within seconds; a wrong address should be said soon
_RECONNECT_MS: Final = 1_000  # the longest pause between two attempts; kafka-python would wait for half a minute
_PREFIX: Final = "YGGDRASIL_KAFKA_"
_BROKER: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?")  # the port may be 9092
_PORT_MAX: Final = 65_535
_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_SASL: Final[Sequence[str]] = ("sasl_mechanism", "sasl_plain_username", "sasl_plain_password")
_FILES: Final[Sequence[str]] = ("ssl_cafile", "ssl_certfile", "ssl_keyfile", "ssl_crlfile")
_TLS: Final[Sequence[str]] = (*_FILES, "ssl_password", "ssl_check_hostname")
_SECURITY: Final = frozenset({"security_protocol", *_SASL, *_TLS})
"""The options that are passed through to kafka-python under their own names."""


class SettingsError(LogError):
    """What was given to reach the brokers cannot be meant; nothing was sent."""

    kind = replace(AWAY, exit=ExitCode.USAGE, code="kafka_settings")


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """Where the brokers are and how to be let in. Passwords are not shown."""

    bootstrap_servers: str
    security: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def __post_init__(self) -> None:
        """Refuse what would be passed over, or fail without a reason: a password that is never asked for, for one.

        Raises SettingsError.
        """
        for broker in self.bootstrap_servers.split(","):
            found = _BROKER.fullmatch(broker.strip())
            if found is None or not 0 < int(found["port"] or 9092) <= _PORT_MAX:
                raise SettingsError(
                    f"{broker.strip()!r} names no broker; write HOST:PORT[,HOST:PORT], such as 127.0.0.1:9092"
                )
        if unknown := sorted(self.security.keys() - _SECURITY):
            raise SettingsError(f"unknown Kafka security options {unknown}; known are {sorted(_SECURITY)}")
        protocol = self.security.get("security_protocol", "PLAINTEXT")
        _one_of(protocol, _PROTOCOLS, "security_protocol")
        given = {name for name, value in self.security.items() if value}
        if protocol.startswith("SASL_"):
            _one_of(self.security.get("sasl_mechanism"), _MECHANISMS, "sasl_mechanism")
            if missing := [name for name in _SASL if name not in given]:
                raise SettingsError(f"security protocol {protocol} needs {_spelt(missing)}")
        elif idle := [name for name in _SASL if name in given]:
            raise SettingsError(f"security protocol {protocol} takes no {_spelt(idle)}; use SASL_SSL or leave it out")
        if not protocol.endswith("SSL") and (idle := [name for name in _TLS if name in given]):
            raise SettingsError(f"security protocol {protocol} encrypts nothing: {_spelt(idle)} would be passed over")
        _one_of(self.security.get("ssl_check_hostname", "true"), ("true", "false"), "ssl_check_hostname")
        files = {name: str(whole(self.security[name])) for name in _FILES if name in given}
        object.__setattr__(self, "security", {**self.security, **files})  # frozen, and clients are made at any time
        for name in files:
            if not os.access(self.security[name], os.R_OK):
                raise SettingsError(f"{_spelt([name])} names {self.security[name]}, which cannot be read")

    @staticmethod
    def from_environment(bootstrap_servers: str | None = None) -> "KafkaSettings":
        """Read ``KAFKA_BOOTSTRAP_SERVERS`` and ``YGGDRASIL_KAFKA_SECURITY_PROTOCOL`` and the like.

        Raises SettingsError when no server is named.
        """
        servers = bootstrap_servers or os.environ.get(BOOTSTRAP_VARIABLE)
        if not servers:
            raise SettingsError(f"no Kafka broker is named; set {BOOTSTRAP_VARIABLE}, for example to 127.0.0.1:9092")
        named = {name: os.environ.get(_PREFIX + name.upper()) for name in _SECURITY}
        return KafkaSettings(servers, {name: value for name, value in named.items() if value is not None})

    def options(self, client_id: str) -> dict[str, Any]:
        """Return the options that every client of kafka-python takes."""
        return {
            "bootstrap_servers": self.bootstrap_servers.split(","),
            "client_id": client_id,
            "kafka_client": connect,
            "bootstrap_timeout_ms": _BOOTSTRAP_MS,
            "reconnect_backoff_max_ms": _RECONNECT_MS,
            **self.security,
            "ssl_check_hostname": self.security.get("ssl_check_hostname") != "false",
        }


def _one_of(value: str | None, known: Sequence[str], name: str) -> None:
    if value not in known:
        raise SettingsError(f"{_spelt([name])} is one of {', '.join(known)}, not {value}")


def _spelt(names: Sequence[str]) -> str:
    """Return options as they are written in the environment; never their values."""
    return ", ".join(_PREFIX + name.upper() for name in names)
