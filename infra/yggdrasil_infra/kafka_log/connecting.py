# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Connect to brokers of which one may hang: it takes connections, and says nothing."""

from typing import Any, Final

from kafka.net.compat import KafkaNetClient

_Client: Any = KafkaNetClient
_SETUP_MS: Final = 3_000  # for a connection to be made, and let in; a restarting broker is asked again
_BOOTSTRAP_MS: Final = 2_000  # the same for the first one, of which there have to be several within ten seconds


def connect(**options: Any) -> Any:
    """Return the client below a consumer, a producer or an admin of kafka-python, which each take it by name.

    kafka-python 3.0.12 gives all the time that it has for finding the cluster to the first broker that it happens to
    choose: with one of three that hangs, every third client found nobody.
    """
    client = _Client(**{**options, "socket_connection_setup_timeout_ms": _SETUP_MS})
    manager = client._manager
    connection = manager.get_connection

    def get_connection(node_id: Any, timeout_ms: float | None = None, **its: Any) -> Any:
        if timeout_ms is not None and manager.cluster.is_bootstrap(node_id):
            timeout_ms = min(timeout_ms, _BOOTSTRAP_MS)
        return connection(node_id, timeout_ms, **its)

    manager.get_connection = get_connection
    return client
