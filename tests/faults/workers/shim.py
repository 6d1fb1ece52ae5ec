"""The command line with one fault in it: ``python -m tests.faults.workers.shim STEP WHEN NTH worker ...``.

The ``NTH`` time that ``STEP`` is taken, the process is killed right ``before`` or ``after`` it, the kernel refuses what
is written during it (``full``), or it never ends (``hang``). ``release VERSION _`` instead makes this a release that
knows schema and rules up to ``VERSION``, and ``slow SECONDS _`` one that folds 20 records a turn and waits for so long.
"""

import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from threading import Event
from typing import Any

from yggdrasil_schemas import limits

Step = tuple[type[object], str, Callable[[Any], bool]]


def steps() -> dict[str, Step]:
    """Everything that a worker makes durable, in the order in which a refused record meets it."""
    from yggdrasil_infra.kafka_log.consumer import PartitionConsumer
    from yggdrasil_infra.kafka_log.sender import KafkaSender
    from yggdrasil_infra.rocks.database import Rocks
    from yggdrasil_projections.graph.store.store import GraphStore

    return {
        "write": (Rocks, "write", lambda rocks: rocks.path.parent.name == "graph"),
        "fold": (GraphStore, "commit", lambda _: True),
        "publish": (KafkaSender, "send", lambda _: True),
        "delete": (GraphStore, "delete_from_outbox", lambda _: True),
        "group": (PartitionConsumer, "commit", lambda _: True),
    }


def fault_at(step: str, when: str, nth: int) -> None:
    from tests.faults.local.load import no_space

    owner, name, concerns = steps()[step]
    original = getattr(owner, name)
    times = count(1)

    def faulty(self: object, *args: object, **kwargs: object) -> object:
        if not (concerns(self) and next(times) == nth):
            return original(self, *args, **kwargs)
        match when:
            case "full":
                with no_space():
                    return original(self, *args, **kwargs)
            case "hang":
                Event().wait()
            case "before":
                os.kill(os.getpid(), signal.SIGKILL)
        done = original(self, *args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(owner, name, faulty)


def dawdle(seconds: float) -> None:
    """Fold little at a time, so that others can look on."""
    from yggdrasil_processors.graph_worker import worker
    from yggdrasil_projections.graph.store.store import GraphStore

    worker._POLL_RECORDS_MAX = 20  # type: ignore[misc]
    commit = GraphStore.commit

    def slow(self: GraphStore, *args: Any) -> None:
        Event().wait(seconds)
        commit(self, *args)

    GraphStore.commit = slow  # type: ignore[assignment, method-assign]


def know(version: int) -> None:
    """Let every version up to ``version`` be known: each is what the first one is."""
    limits.SCHEMA_VERSION = limits.RULES_VERSION = version  # type: ignore[misc]  # before anybody asks for it
    from yggdrasil_projections.graph.rules import RULES
    from yggdrasil_schemas.codec import LANGUAGES

    for number in range(2, version + 1):
        RULES[number], LANGUAGES[number] = RULES[1], LANGUAGES[1]


def main(step: str, when: str, nth: str, *arguments: str) -> int:
    if step == "release":
        know(int(when))
    elif step == "slow":
        dawdle(float(when))
    else:
        fault_at(step, when, int(nth))
    from yggdrasil.cli import main as run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
