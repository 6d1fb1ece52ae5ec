"""How long an acknowledged append takes: one after the other, and from eight threads at once."""

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Final

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_producers.draft import Draft

from .topic import PROFILE, Filled

THREADS: Final = 8


def figures(filled: Filled, appends: int) -> dict[str, float]:
    """Measure ``appends`` single appends in each way; the brokers' answer to each is waited for."""
    found: dict[str, float] = {"append_threads": THREADS}
    for name, threads in (("append", 1), ("append_from_threads", THREADS)):
        taken, together = _measured(filled, appends, threads)
        found[f"{name}_p50_ms"] = taken[len(taken) // 2] * 1e3
        found[f"{name}_p99_ms"] = taken[len(taken) * 99 // 100] * 1e3
        found[f"{name}_records_per_s"] = appends / together
    return found


def _measured(filled: Filled, appends: int, threads: int) -> tuple[list[float], float]:
    """Return the seconds of each append, shortest first, and of all together."""
    said = filled.say(appends)
    with KafkaLog(filled.settings, filled.name, PROFILE) as log, ThreadPoolExecutor(threads) as pool:

        def append(draft: Draft) -> float:
            start = perf_counter()
            log.append(draft.key, draft.value)
            return perf_counter() - start

        append(filled.say(1)[0])  # connects
        start = perf_counter()
        taken = sorted(pool.map(append, said))
        return taken, perf_counter() - start
