"""Days of two workers and two services: which alerts fire on each of them, and that no other one does."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.deployment.validators import INFRA, checked_by
from tests.size import turns

MINUTES = 24 * 60 + 1
FOLDED = 600.0  # records a minute
WORKERS = {"a": (0, 1), "b": (2, 3)}
SERVICES = ("x", "y")
WORKER, SERVICE = 'job="yggdrasil-worker", instance="{}"', 'job="yggdrasil-serve", instance="{}"'
Values = list[float | None]
EVERY = 2  # minutes between two scrapes


def rising(step: float, at: float = 0.0) -> Values:
    return [at + step * minute for minute in range(MINUTES)]


def level(value: float | None) -> Values:
    return [value] * MINUTES


class Day:
    """What is scraped on a day on which nothing happens, until something is made to happen."""

    def __init__(self) -> None:
        self.series: dict[str, Values] = {}
        for worker, partitions in WORKERS.items():
            self.process(WORKER.format(worker))
            self.worker(worker, "ready", level(1))
            self.worker(worker, "topic_partitions", level(4))
            self.worker(worker, "room_bytes", rising(-1e5, 40e9))
            self.worker(worker, "topic_unfit", level(0))
            self.worker(worker, "progress_timestamp_seconds", rising(60))
            self.worker(worker, "refusals_published_total", rising(0.1))
            self.worker(worker, 'rebalances_total{kind="revoked"}', level(0))
            for partition in partitions:
                self.owned(worker, partition)
        for service in SERVICES:
            self.process(SERVICE.format(service))
            for name, value in {"ready": 1, "stale": 0, "keys_failed": 0, "room_bytes": 40e9}.items():
                self.service(service, name, level(value))
            self.service(service, 'requests_total{route="/c", status="200"}', rising(300))
            self.service(service, 'requests_total{route="/readyz", status="200"}', rising(12))

    def process(self, of: str) -> None:
        self.series[f"up{{{of}}}"] = level(1)
        self.series[f"process_start_time_seconds{{{of}}}"] = level(0)

    def owned(self, worker: str, partition: int) -> None:
        of = f'{{partition="{partition}"}}'
        for name in ("halted", "lag_seconds", "rebuilding_records", "outbox_depth", "log_start_position"):
            self.worker(worker, f"{name}{of}", level(0))
        self.worker(worker, f"lag_records{of}", level(3))
        self.worker(worker, f"store_bytes{of}", rising(1e5, 2e9))
        self.worker(worker, f"applied_position{of}", rising(FOLDED, 1e6))
        self.worker(worker, f"records_folded_total{of}", rising(FOLDED))
        self.worker(worker, f"records_refolded_total{of}", level(0))
        hours = [float(minute // 60 * 3_600) for minute in range(MINUTES)]
        self.worker(worker, f"checkpoint_timestamp_seconds{of}", list(hours))
        self.worker(worker, f"checkpoint_position{of}", [1e6 + hour / 60 * FOLDED for hour in hours])

    def worker(self, worker: str, name: str, values: Values) -> None:
        self.series[labelled(f"yggdrasil_worker_{name}", WORKER.format(worker))] = values

    def service(self, service: str, name: str, values: Values) -> None:
        self.series[labelled(f"yggdrasil_service_{name}", SERVICE.format(service))] = values

    def change(self, found: str, begin: int, end: int, value: float | Callable[[int], float] | None) -> None:
        """Have all series whose name and labels contain ``found`` say ``value`` from one minute to another."""
        names = [name for name in self.series if all(part in name for part in found.split("&"))]
        assert names, found
        for name in names:
            self.series[name][begin:end] = [value(at) if callable(value) else value for at in range(begin, end)]

    def restart(self, of: str, begin: int, end: int) -> None:
        """Stop a process at a minute and start it at another one: what it counts begins at 0."""
        for name, values in self.series.items():
            if of not in name:
                continue
            if name.startswith("up{"):
                values[begin:end] = [0] * (end - begin)
                continue
            base = values[end] if "_total" in name else None
            values[begin:end] = [None] * (end - begin)
            if "start_time" in name:
                values[end:] = [end * 60.0] * (MINUTES - end)
            elif base is not None:
                values[end:] = [None if one is None else one - base for one in values[end:]]


def labelled(name: str, more: str) -> str:
    return f"{name[:-1]}, {more}}}" if name.endswith("}") else f"{name}{{{more}}}"


def written(values: Values) -> str:
    """Values as promtool reads them; a series that is no longer scraped goes stale, as Prometheus has it."""
    words, had = [], False
    for value in values[::EVERY]:
        words.append("stale" if value is None and had else "_" if value is None else f"{value:.0f}")
        had = value is not None
    return " ".join(words)


def quiet(day: Day) -> None:
    """Now and then a sender slips: each reason has its first refusal, and then few more."""
    for minute, reason in ((200, "unknown_event"), (700, "invalid_body")):
        refused = 'refused_total{partition="0", reason="' + reason + '"}'
        day.worker("a", refused, [None if at < minute else 1.0 + (at - minute) // 120 for at in range(MINUTES)])


def rebuild(day: Day) -> None:
    """Partition 0 is folded from the beginning after a disk was lost: a million records, in forty minutes."""
    day.restart(WORKER.format("a"), 600, 602)
    left = lambda at: max(0.0, 1.36e6 - 34_000 * (at - 602))  # noqa: E731
    day.change('ready{&worker", instance="a"', 602, 642, 0)
    for name in ("lag_records", "rebuilding_records"):
        day.change(f'{name}{{partition="0"', 602, 642, left)
    day.change('lag_seconds{partition="0"', 602, 642, lambda at: 60.0 * 1_500)
    day.change('applied_position{partition="0"', 602, 642, lambda at: 34_000.0 * (at - 602))
    day.change('records_folded_total{partition="0"', 602, 642, lambda at: 34_000.0 * (at - 602))
    day.change('records_folded_total{partition="0"', 642, MINUTES, lambda at: 1.36e6 + FOLDED * (at - 642))
    day.change('records_refolded_total{partition="0"', 602, 642, lambda at: 34_000.0 * (at - 602))
    day.change('records_refolded_total{partition="0"', 642, MINUTES, 1.36e6)
    day.change('checkpoint_&{partition="0"', 600, 661, None)


def deployment(day: Day) -> None:
    """One after the other is stopped, and started two minutes later; a worker is ready again after two more."""
    for number, of in enumerate([*map(WORKER.format, WORKERS), *map(SERVICE.format, SERVICES)]):
        begin = 600 + 5 * number
        day.restart(of, begin, begin + 2)
        day.change(f"ready{{&{of}", begin + 2, begin + 4, 0)


def scaled_down(day: Day) -> None:
    """Worker b leaves for good, and a has its partitions a minute later, from checkpoints."""
    day.change(WORKER.format("b"), 600, MINUTES, None)
    for partition in WORKERS["b"]:
        before = dict(day.series)
        day.owned("a", partition)
        for name in day.series.keys() - before.keys():
            day.change(name, 0, 601, None)
    day.worker("a", 'rebalances_total{kind="assigned"}', [2.0 if at < 601 else 4.0 for at in range(MINUTES)])


def rebalanced(day: Day) -> None:
    """A third worker comes and takes a partition of each, and goes again in the evening."""
    for begin, end in ((600, 601), (1_200, 1_201)):
        day.change('partition="1"&worker_applied', begin, end, None)
    day.change('revoked"&instance="a"', 600, MINUTES, 1)
    day.process(WORKER.format("c"))
    day.worker("c", "ready", [None if at < 600 else 1.0 for at in range(MINUTES)])
    day.owned("c", 1)
    day.change('partition="1"&instance="c"', 0, 601, None)
    day.change('partition="1"&instance="c"', 1_200, MINUTES, None)
    day.change('partition="1"&instance="a"', 600, 1_201, None)


def never_had(day: Day) -> None:
    """The topic has five partitions, and the workers were given four between them."""
    day.change("topic_partitions", 0, MINUTES, 5)


def dead(day: Day) -> None:
    """Worker b of fixed partitions dies and stays dead."""
    day.change(WORKER.format("b"), 600, MINUTES, None)
    day.change("up{" + WORKER.format("b"), 600, MINUTES, 0)


def brokers_away(day: Day) -> None:
    """For forty minutes no broker answers: lag is not told, nothing moves, and appends fail."""
    day.change("worker_ready", 600, 640, 0)
    day.change("worker_lag_", 600, 640, None)
    for name in ("applied_position", "records_folded_total"):
        for partition in range(4):
            before = day.series[next(n for n in day.series if name in n and f'partition="{partition}"' in n)]
            still = before[600]
            day.change(f'{name}{{partition="{partition}"', 600, 640, still)
    day.change("service_stale", 600, 640, 1)
    for service in SERVICES:
        failed = [None if at < 600 else 60.0 * (min(at, 640) - 599) for at in range(MINUTES)]
        day.service(service, 'requests_total{route="/c", status="503"}', failed)


def poisoned(day: Day) -> None:
    """A producer hashes wrongly, and stops at the first refusal; another sends for an hour what no memory takes."""
    wrong = 'refused_total{partition="2", reason="wrong_partition"}'
    day.worker("b", wrong, [None if at < 300 else 1.0 for at in range(MINUTES)])
    bodies = 'refused_total{partition="2", reason="invalid_body"}'
    day.worker("b", bodies, [None if at < 600 else 150.0 * (min(at, 660) - 599) for at in range(MINUTES)])


def keys_broken(day: Day) -> None:
    """The file of keys of x cannot be read for an hour, so that x refuses everybody."""
    day.change('keys_failed&instance="x"', 600, 660, lambda at: 60.0 * (at - 599))
    day.change('service_ready&instance="x"', 600, 660, 0)
    failed = [None if at < 600 else 300.0 * (min(at, 660) - 599) for at in range(MINUTES)]
    day.service("x", 'requests_total{route="other", status="503"}', failed)


def disks_fill(day: Day) -> None:
    """The disks of worker b and service y fill by 2 GB an hour; b rests then, and y takes nothing more."""
    filling = [max(-1e6, 30e9 - at * 33e6) for at in range(MINUTES)]
    full = next(at for at, left in enumerate(filling) if left < 0)
    for name in ('worker_room_bytes&instance="b"', 'service_room_bytes&instance="y"'):
        day.change(name, 0, MINUTES, lambda at: filling[at])
    day.change('worker_ready&instance="b"', full, MINUTES, 0)
    for partition in WORKERS["b"]:
        of = f'{{partition="{partition}"'
        day.change(f"lag_records{of}", full, MINUTES, None)
        for name in ("applied_position", "records_folded_total"):
            still = day.series[next(n for n in day.series if f"{name}{of}" in n)][full]
            day.change(f"{name}{of}", full, MINUTES, still)


def damaged(day: Day) -> None:
    """The nightly reading finds a flipped byte in a store of a, which halts the partition; the rest goes on."""
    found = 'yggdrasil_scrub_damage_total{what="store", partition="1", ' + WORKER.format("a") + "}"
    day.series[found] = [None if at < 180 else 1.0 for at in range(MINUTES)]
    day.change('worker_halted{partition="1"', 180, MINUTES, 1)
    day.change('worker_ready&instance="a"', 180, MINUTES, 0)


FIRES: dict[Callable[[Day], None], set[str]] = {
    quiet: set(),
    rebuild: {"NotReady", "LagOld"},
    deployment: set(),
    scaled_down: set(),
    rebalanced: set(),
    never_had: {"PartitionUnowned"},
    dead: {"WorkerDown", "PartitionUnowned"},
    brokers_away: {"NotReady", "ServiceStale", "ServiceErrors"},
    poisoned: {"WrongPartition", "RefusalsSurge"},
    keys_broken: {"KeysUnreadable", "ServiceNotReady", "ServiceErrors"},
    disks_fill: {"DiskFilling", "DiskLow", "NotReady", "ServiceDiskFilling", "ServiceDiskLow"},
    damaged: {"DamageFound", "PartitionHalted", "NotReady"},
}


@pytest.mark.parametrize("happens", turns((quiet, rebuild, never_had, keys_broken), tuple(FIRES)))
def test_a_day_fires_what_it_should_and_nothing_else(happens: Callable[[Day], None], tmp_path: Path) -> None:
    day = Day()
    happens(day)
    fired = "count by (alertname) (count_over_time(ALERTS{alertstate='firing'}[1d]))"
    expected = [{"labels": f'{{alertname="Yggdrasil{name}"}}', "value": 1} for name in sorted(FIRES[happens])]
    test = {
        "interval": f"{EVERY}m",
        "input_series": [{"series": name, "values": written(values)} for name, values in day.series.items()],
        "promql_expr_test": [{"expr": f"{fired} > bool 0", "eval_time": "24h", "exp_samples": expected}],
    }
    files = [str(INFRA / "observability" / name) for name in ("alerts.yml", "serve_alerts.yml", "think_alerts.yml")]
    path = tmp_path / "day.yml"
    path.write_text(yaml.safe_dump({"rule_files": files, "evaluation_interval": f"{EVERY}m", "tests": [test]}))
    checked_by("promtool", "test", "rules", path)
