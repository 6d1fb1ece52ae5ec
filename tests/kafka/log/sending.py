"""A process that sends, in several threads, until SIGTERM: kafka-python leaves sockets open when no broker answers.

``python -m tests.kafka.log.sending ADDRESS TOPIC`` writes a line per record: ``acknowledged VALUE PARTITION OFFSET``,
or ``refused VALUE`` when it was certainly not written, or ``uncertain VALUE``; and at last ``most RECORDS BYTES``, how
much was ever under way at a time.
"""

import argparse
import logging
import os
import signal
import threading
from itertools import count

from yggdrasil_infra.kafka_log.sender import Delivery, DeliveryError, KafkaSender
from yggdrasil_infra.kafka_log.settings import KafkaSettings

PARTITIONS = 4
ROUND = 20  # records that a thread sends before it asks for their results


class Work:
    """What the threads share."""

    def __init__(self, sender: KafkaSender, topic: str, size: int) -> None:
        self._sender = sender
        self._topic = topic
        self._size = size
        self._most = 0
        self.stop = threading.Event()

    def run(self, thread: int) -> None:
        for first in count(0, ROUND):
            if self.stop.is_set():
                return
            under_way: list[tuple[str, Delivery]] = []
            for number in range(first, first + ROUND):
                name = f"{thread}:{number}"
                try:
                    value = name.encode().ljust(self._size)
                    under_way.append((name, self._sender.send(self._topic, thread % PARTITIONS, b"k", value)))
                except DeliveryError as error:
                    self._failed(name, error)
                self._most = max(self._most, self._sender.under_way)
            for name, delivery in under_way:
                try:
                    receipt = delivery.result()
                except DeliveryError as error:
                    self._failed(name, error)
                else:
                    say(f"acknowledged {name} {receipt.partition} {receipt.offset}")

    def _failed(self, name: str, error: DeliveryError) -> None:
        say(f"{'uncertain' if error.uncertain else 'refused'} {name} {error}")

    def most(self) -> str:
        return f"most {self._most} {self._most * self._size}"


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("topic")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--delivery-s", type=float, default=30.0)
    parser.add_argument("--records-max", type=int, default=1_000)
    parser.add_argument("--bytes-max", type=int, default=32 << 20)
    parser.add_argument("--size", type=int, default=100)
    given = parser.parse_args()
    logging.disable()  # kafka-python tells at length of every connection that is refused
    sender = KafkaSender(KafkaSettings(given.address), given.delivery_s, given.records_max, given.bytes_max)
    work = Work(sender, given.topic, given.size)
    signal.signal(signal.SIGTERM, lambda *_: work.stop.set())
    threads = [threading.Thread(target=work.run, args=(number,)) for number in range(given.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sender.close()
    say(work.most())


if __name__ == "__main__":
    main()
