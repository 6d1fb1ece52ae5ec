# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Connect to brokers of which one may hang: it takes connections, and says nothing."""

from collections import Counter
from typing import Any, Final

from kafka.net.compat import KafkaNetClient

_Client: Any = KafkaNetClient
_SETUP_MS: Final = 3_000  # for a connection to be made, and let in; a restarting broker is asked again
_BOOTSTRAP_MS: Final = 2_000  # the same for the first one, of which there have to be several within ten seconds


def connect(**options: Any) -> Any:
    """Return the client below a consumer, a producer or an admin of kafka-python, which each take it by name.

    kafka-python 3.0.12 gives all the time that it has for finding the cluster to the first broker that it happens to
    choose, and chooses anew each time as if it had asked none: with one of three that hangs, every third client found
    nobody. Here each broker has its turn.
    """
    client = _Client(**{**options, "socket_connection_setup_timeout_ms": _SETUP_MS})
    manager = client._manager
    connection, brokers = manager.get_connection, manager.cluster.bootstrap_brokers
    asked: Counter[Any] = Counter()

    def get_connection(node_id: Any, timeout_ms: float | None = None, **its: Any) -> Any:
        if timeout_ms is not None and manager.cluster.is_bootstrap(node_id):
            asked[node_id] += 1
            timeout_ms = min(timeout_ms, _BOOTSTRAP_MS)
        return connection(node_id, timeout_ms, **its)

    def next_brokers() -> list[Any]:
        """Return those that were asked least often, of which kafka-python chooses one."""
        named = brokers()
        least = min((asked[each.node_id] for each in named), default=0)
        return [each for each in named if asked[each.node_id] == least]

    manager.get_connection, manager.cluster.bootstrap_brokers = get_connection, next_brokers
    return client
