"""A process that appends through the facade: `record TEXT` and `resend` on stdin, one line of JSON for each on stdout.

A process of its own, because kafka-python leaves sockets open when a broker has gone.
"""

import json
import sys
from typing import Any

from yggdrasil import Memory
from yggdrasil.engines.published import UnacknowledgedError
from yggdrasil_infra.kafka_log.sender import KafkaSender
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_producers.draft import Draft

DELIVERY_S = 3.0  # in place of half a minute


def main(address: str, topic: str) -> None:
    given_back: list[Draft] = []
    with Memory.connect(address, memory="me/agent", topic=topic, profile="development") as memory:
        memory.engine.log._sender = KafkaSender(KafkaSettings(address), DELIVERY_S)
        for line in sys.stdin:
            said: dict[str, Any]
            try:
                if line.startswith("record "):
                    said = {"id": memory.record_event(line.removeprefix("record ").strip())}
                else:
                    said = {"ids": [memory.resend(draft) for draft in given_back]}
            except UnacknowledgedError as error:
                given_back.append(error.draft)
                said = {"given_back": error.draft.id, "uncertain": error.uncertain, "message": str(error)}
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()


main(*sys.argv[1:])
