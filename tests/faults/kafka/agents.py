"""A process that appends to a topic from several threads until SIGTERM, whatever becomes of the brokers meanwhile.

``python -m tests.faults.kafka.agents ADDRESSES TOPIC SEED PROFILE`` writes a line ``sent COMMAND-ID`` before it hands a
command over, and ``MEMORY COMMAND-ID`` once it is acknowledged. What was not acknowledged is sent again until it is.
"""

import logging
import os
import signal
import sys
import threading
from collections import deque
from itertools import count
from random import Random
from typing import cast

from tests.faults.local.load import AT, FEATURES, MEMORIES, POLICIES, SESSIONS, WORDS, say
from tests.size import turns
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.log import LogError
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_schemas.ids import derived_id
from yggdrasil_schemas.topics import Profile

THREADS = 4
PAUSE_S = turns(0.04, 0.01)  # between two turns of a thread: two cores are shared with the brokers
KINDS = {"event": 40, "outcome": 18, "policy": 6, "attest": 6, "many": 6, "again": 12}


class Agent:
    """One thread's commands to all memories, which follow from ``seed``."""

    def __init__(self, log: KafkaLog, seed: str) -> None:
        self._log = log
        self._seed = seed
        self._rng = Random(seed)
        self._drafters = {memory: Drafter(memory, "agents", seed) for memory in MEMORIES}
        self._events: dict[str, deque[str]] = {memory: deque(maxlen=30) for memory in MEMORIES}
        self._sent: deque[Draft] = deque(maxlen=50)
        self._numbers = count()

    def act(self) -> None:
        """Append what comes next, and return once it is acknowledged."""
        memory = self._rng.choice(MEMORIES)
        (kind,) = self._rng.choices(list(KINDS), list(KINDS.values()))
        match kind:
            case "outcome" if self._events[memory]:
                self._append([self._outcome(memory)])
            case "policy":
                changes = self._rng.choice(POLICIES)
                self._append([self._drafters[memory].draft("set_policy", {"changes": changes}, stamp=self._stamp())])
            case "attest":
                self._append([self._drafters[memory].draft("attest", {}, stamp=self._stamp())])
            case "many":
                self._append([self._event(self._rng.choice(MEMORIES)) for _ in range(self._rng.randrange(2, 20))])
            case "again" if self._sent:
                self._append([self._rng.choice(self._sent)])
            case _:
                self._append([self._event(memory)])

    def _append(self, drafts: list[Draft]) -> None:
        while True:
            for draft in drafts:
                say(f"sent {draft.id}")
            try:
                if len(drafts) == 1:
                    self._log.append(drafts[0].key, drafts[0].value)
                else:
                    self._log.append_many((draft.key, draft.value) for draft in drafts)
                break
            except LogError as error:
                say(f"failed {error}")
        for draft in drafts:
            say(f"{draft.memory} {draft.id}")
        self._sent.extend(drafts)

    def _event(self, memory: str) -> Draft:
        rng = self._rng
        text = " ".join(rng.choices(WORDS, k=rng.choice((3, 8, 200))))
        features = rng.sample(FEATURES, rng.randrange(6))
        draft = self._drafters[memory].record_event(
            text, features=features, session=rng.choice(SESSIONS), stamp=self._stamp()
        )
        self._events[memory].append(draft.id)
        return draft

    def _outcome(self, memory: str) -> Draft:
        value = self._rng.uniform(-10, 10)
        return self._drafters[memory].log_outcome(
            self._rng.choice(self._events[memory]), value, catastrophic=value < -9, stamp=self._stamp()
        )

    def _stamp(self) -> Stamp:
        return Stamp(derived_id("agents", self._seed, str(next(self._numbers))), AT)


def main(addresses: str, topic: str, seed: str, profile: str) -> None:
    logging.disable()  # kafka-python tells at length of every connection that is refused
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())

    def work(number: int) -> None:
        try:
            agent = Agent(log, f"{seed}-{number}")
            while not stop.wait(PAUSE_S):
                agent.act()
        except BaseException as error:
            say(f"broken {error!r}")
            os._exit(1)

    with KafkaLog(KafkaSettings(addresses), topic, cast(Profile, profile)) as log:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
