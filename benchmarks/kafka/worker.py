"""``yggdrasil worker`` that tells what it does when: ``python -m benchmarks.kafka.worker ARGUMENTS``.

The command line, its process and everything in it are the real ones. A clock stands around the two calls that open a
partition and that fold into it, and each call is told as one line of JSON on standard output, with times in seconds of
the monotonic clock, which is the same in every process of a machine. Before it folds its first record the worker says
that it waits, and does so for a line on standard input: then several can begin at once.
"""

import sys
from collections.abc import Callable, Sequence
from time import monotonic, process_time
from typing import Any

import orjson

from yggdrasil.cli import main
from yggdrasil_infra.log import LogRecord
from yggdrasil_processors.graph_worker.opening import Opening
from yggdrasil_processors.graph_worker.partition import OwnedPartition


def _tell(what: str, owned: OwnedPartition, start: float, cpu: float) -> None:
    said = {
        "what": what,
        "partition": owned.number,
        "position": owned.position,
        "start": start,
        "end": monotonic(),
        "cpu": process_time() - cpu,
        "cpu_start": cpu,
    }
    _write(said)


def _write(said: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()


def _put_clocks() -> None:
    """Put the clocks around what a worker does."""
    open_plainly, fold_plainly = Opening.open, OwnedPartition.fold
    begun: list[bool] = []

    def open_(opening: Opening, *given: Any) -> OwnedPartition:
        start, cpu = monotonic(), process_time()
        owned = open_plainly(opening, *given)
        _tell("opened", owned, start, cpu)
        return owned

    def fold(owned: OwnedPartition, records: Sequence[LogRecord], beat: Callable[[], None]) -> None:
        if not begun:
            begun.append(True)
            _write({"what": "waiting"})
            sys.stdin.readline()
        start, cpu = monotonic(), process_time()
        fold_plainly(owned, records, beat)
        _tell("folded", owned, start, cpu)

    setattr(Opening, "open", open_)  # noqa: B010
    setattr(OwnedPartition, "fold", fold)  # noqa: B010


if __name__ == "__main__":
    _put_clocks()
    sys.exit(main(["worker", *sys.argv[1:]]))
