"""The worker on Apache Kafka, against a plain loop on the same topic; how soon appends, reads and takeovers are done.

The broker is one of the benchmark's own, on loopback: it shares the machine's cores with all that is measured. A worker
is clocked from the first record that it folds to its last durable batch, and the time in which it opens stores is left
out; the plain loop from the first records that it is handed to its last write.
"""

from pathlib import Path
from typing import Final

from tests.kafka.node import KafkaNode, free_port
from yggdrasil_infra.kafka_log.settings import KafkaSettings

from ..measure import Bar, Report, Size, median_ratio
from . import append as kafka_append
from . import served as kafka_served
from . import takeover as kafka_takeover
from .runs import Spent, folded, read_by_agent, read_plainly
from .topic import AGENTS, Filled

BAR: Final = 0.25
COMMANDS_PER_AGENT_AND_MINUTE: Final = 15  # while no worker runs: 57,600 commands of 64 agents in an hour
SESSION_TIMEOUT_S: Final = 6.0  # what a worker has unless it is told otherwise


def run(size: Size, scratch: Path) -> Report:
    """Start a broker, and measure one thing after the other, each on a topic of its own."""
    report = Report("kafka")
    with KafkaNode(scratch / "broker", free_port()) as node:
        settings = KafkaSettings(node.address)
        filled = Filled(settings, "bench.commands")
        store = _read(report, filled, scratch, size)
        _catch_up(report, filled, store, size.pick(2, 300, 3_600))
        appended = Filled(settings, "append.commands")
        report.figures |= kafka_append.figures(appended, size.pick(20, 500, 4_000))
        report.figures |= kafka_served.figures(
            Filled(settings, "served.commands"), scratch / "served", size.pick(3, 60, 300)
        )
        taken_over = Filled(settings, "takeover.commands")
        taken_over.fill(size.pick(100, 1_600, 16_000))
        timeout_s = 1.0 if size is Size.TINY else SESSION_TIMEOUT_S
        report.figures |= kafka_takeover.figures(taken_over, scratch, timeout_s, group_restart=size is Size.FULL)
    return report


def _read(report: Report, filled: Filled, scratch: Path, size: Size) -> Path:
    """Let everybody in turn read all of a topic; return a directory whose stores stand at its end."""
    records = size.pick(400, 15_000, 60_000)  # some 100,000 fill what a worker keeps in memory by default
    by_agent = size.pick(100, 8_000, 40_000)
    appending = filled.fill(records)
    everything = range(len(filled.ends))
    half = len(everything) // 2
    plain: list[Spent] = []
    alone: list[Spent] = []
    pair: list[Spent] = []
    store = scratch
    for turn in range(size.pick(1, 2, 5)):
        plain.append(read_plainly(filled, scratch / f"plain-{turn}"))
        store = scratch / f"alone-{turn}"
        alone.append(folded(filled, {store: everything}))
        halves = {scratch / f"pair-{turn}-0": everything[:half], scratch / f"pair-{turn}-1": everything[half:]}
        if size is Size.FULL or not turn:
            pair.append(folded(filled, halves))
    batched = read_plainly(filled, scratch / "batched", "many")
    agent = read_by_agent(filled, by_agent, scratch / "agent")
    report.figures = {
        "records": records,
        "partitions": len(everything),
        "agents": AGENTS,
        "append_many_records_per_s": records / appending,
        "worker_records_per_s": records / min(_wall(alone)),
        "worker_cpu_us_per_record": min(one.cpu for one in alone) / records * 1e6,
        "worker_ms_to_open_a_store": min(one.opening for one in alone) * 1e3,
        "plain_loop_records_per_s": records / min(_wall(plain)),
        "plain_loop_cpu_us_per_record": min(one.cpu for one in plain) / records * 1e6,
        "plain_loop_in_batches_records_per_s": records / batched.wall,
        "plain_loop_in_batches_time_per_worker_time": batched.wall / min(_wall(alone)),
        "plain_loop_cpu_per_worker_cpu": min(one.cpu for one in plain) / min(one.cpu for one in alone),
        "faust_agent_that_does_nothing_records_per_s": by_agent / agent.wall,
        "faust_agent_that_does_nothing_cpu_us_per_record": agent.cpu / by_agent * 1e6,
        "two_workers_records_per_s": records / min(_wall(pair)),
        "two_workers_times_one": median_ratio(_wall(alone[: len(pair)]), _wall(pair)),
    }
    ratio = median_ratio(_wall(plain), _wall(alone))
    report.bars = [Bar("time of a plain loop that validates and stores / time of a worker", ratio, BAR)]
    return store


def _catch_up(report: Report, filled: Filled, store: Path, backlog_s: int) -> None:
    """Append what agents say in ``backlog_s`` while no worker runs, and let one go on from its stores."""
    records = max(1, AGENTS * COMMANDS_PER_AGENT_AND_MINUTE * backlog_s // 60)
    filled.fill(records)
    spent = folded(filled, {store: range(len(filled.ends))})
    report.figures |= {
        "backlog_seconds_of_log": backlog_s,
        "backlog_records": records,
        "catch_up_records_per_s": records / spent.wall,
        "catch_up_seconds_of_log_per_s": backlog_s / spent.wall,
    }


def _wall(runs: list[Spent]) -> list[float]:
    return [one.wall for one in runs]
