# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Find out whether a broker lets us in, and why not. kafka-python itself only says that it could not bootstrap."""

import threading
from time import monotonic
from typing import Any, Final

from kafka.net.compat import KafkaNetClient

from ..log import LogError
from .settings import KafkaSettings

_WAIT_S: Final = 10.0  # a cluster that restarts is back within seconds; a wrong address should be said soon
_REFUSAL_S: Final = 2.0  # and so should a wrong password, yet a broker that is about to stop closes connections too
_PAUSE_S: Final = 0.25
_ANSWER_S: Final = 5.0
_LOOK_MS: Final = 50


def reach(settings: KafkaSettings, wait_s: float = _WAIT_S) -> None:
    """Return once any of the brokers has answered. Raises LogError, with the reason, when none does in time."""
    began = monotonic()
    while True:
        reasons = _try_each(settings)
        if not reasons:
            return
        refused = any(_is_refusal(reason) for reason in reasons)
        if monotonic() - began > min(wait_s, _REFUSAL_S if refused else wait_s):
            told = "; ".join(dict.fromkeys(_in_words(reason, settings) for reason in reasons))
            raise LogError(f"no Kafka broker answers at {settings.bootstrap_servers}: {told}")
        threading.Event().wait(_PAUSE_S)  # nothing tells when a broker is back


def _try_each(settings: KafkaSettings) -> list[str]:
    """Ask all named brokers at once. Return nothing as soon as one answers, or else why each does not."""
    client: Any = KafkaNetClient(**settings.options("yggdrasil-first"))
    try:
        request = client.cluster.metadata_request()
        asked = [client.send(broker.node_id, request) for broker in client.cluster.bootstrap_brokers()]
        until = monotonic() + _ANSWER_S
        while not all(each.is_done for each in asked) and monotonic() < until:
            client.poll(timeout_ms=_LOOK_MS)
            if any(each.succeeded() for each in asked):
                return []
        return [str(each.exception or f"no answer within {_ANSWER_S:g} s") for each in asked if not each.succeeded()]
    finally:
        client.close()


def _is_refusal(reason: str) -> bool:
    return any(words in reason for words in ("disconnected", "Handshake failed", "SSL", "Sasl"))


def _in_words(reason: str, settings: KafkaSettings) -> str:
    protocol = settings.security.get("security_protocol", "PLAINTEXT")
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return (
            f"its certificate is not trusted ({reason}); name the one of its authority in YGGDRASIL_KAFKA_SSL_CAFILE, "
            "and brokers by a name that the certificate is for"
        )
    if "Handshake failed" in reason or (protocol == "PLAINTEXT" and "disconnected" in reason):
        return f"it does not speak {protocol} at this port ({reason}); see YGGDRASIL_KAFKA_SECURITY_PROTOCOL"
    if _is_refusal(reason):
        # The broker says why and hangs up; kafka-python does not read the first when the second has come as well.
        ours = (
            "SASL_PLAIN_USERNAME, _PASSWORD and SASL_MECHANISM" if "SASL" in protocol else "SSL_CERTFILE and _KEYFILE"
        )
        return (
            f"it hung up while we signed in ({reason}); check YGGDRASIL_KAFKA_{ours}, and whether it speaks {protocol} "
            "at this port"
        )
    return reason
