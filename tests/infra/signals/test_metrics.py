"""What a worker says of itself, as a scraper reads it."""

import time
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from yggdrasil_infra.signals.metrics import REBALANCES, ServiceMetrics, WorkerMetrics
from yggdrasil_schemas.refusals import Refusal

ROOT = Path(__file__).parents[3]
Series = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scraped(metrics: WorkerMetrics) -> Series:
    families = text_string_to_metric_families(generate_latest(metrics.registry).decode())
    return {(one.name, frozenset(one.labels.items())): one.value for family in families for one in family.samples}


def of_partition(series: Series, partition: int) -> set[str]:
    return {name for name, labels in series if ("partition", str(partition)) in labels}


def test_every_name_is_ours_and_every_metric_is_explained() -> None:
    metrics = WorkerMetrics(CollectorRegistry())
    families = list(metrics.registry.collect())
    assert len(families) > 15
    for family in families:
        assert family.name.startswith("yggdrasil_worker_")
        assert family.documentation.endswith(".")


def test_an_attribute_is_named_as_its_metric() -> None:
    metrics = WorkerMetrics(CollectorRegistry())
    for family in metrics.registry.collect():
        assert hasattr(metrics, family.name.removeprefix("yggdrasil_worker_"))


def test_what_is_set_is_what_is_scraped() -> None:
    metrics = WorkerMetrics()
    metrics.records_folded.labels(3).inc(41)
    metrics.lag_records.labels(3).set(7)
    metrics.build.info({"version": "1.2.3", "schema": "1", "rules": "1"})
    series = scraped(metrics)
    assert series["yggdrasil_worker_records_folded_total", frozenset({("partition", "3")})] == 41
    assert series["yggdrasil_worker_lag_records", frozenset({("partition", "3")})] == 7
    build = frozenset({("version", "1.2.3"), ("schema", "1"), ("rules", "1")})
    assert series["yggdrasil_worker_build_info", build] == 1


def test_counters_begin_at_zero_but_for_reasons_which_begin_with_their_first_refusal() -> None:
    metrics = WorkerMetrics()
    metrics.begin(0)
    series = scraped(metrics)
    for name in ("records_folded", "records_refolded", "duplicates"):
        assert series[f"yggdrasil_worker_{name}_total", frozenset({("partition", "0")})] == 0
    assert not any(name == "yggdrasil_worker_refused_total" for name, _ in series)
    metrics.refused.labels(0, Refusal.TOO_DEEP.code).inc()
    assert [value for (name, _), value in scraped(metrics).items() if name == "yggdrasil_worker_refused_total"] == [1]
    for kind in REBALANCES:
        assert series["yggdrasil_worker_rebalances_total", frozenset({("kind", kind)})] == 0


def test_a_partition_that_goes_takes_its_gauges_along_and_leaves_its_counts() -> None:
    metrics = WorkerMetrics()
    gauges = [family.name for family in metrics.registry.collect() if family.type == "gauge"]
    for partition in (0, 1):
        metrics.begin(partition)
        for name in gauges:
            gauge = getattr(metrics, name.removeprefix("yggdrasil_worker_"), None)
            if gauge is not None and gauge._labelnames:
                gauge.labels(partition).set(1)
    metrics.records_folded.labels(1).inc(5)
    kept = of_partition(scraped(metrics), 0)
    assert len(kept) > 10
    metrics.forget(1)
    metrics.forget(7)  # never seen: there is nothing to withdraw
    series = scraped(metrics)
    assert of_partition(series, 0) == kept
    assert of_partition(series, 1) == {
        f"yggdrasil_worker_{name}_total" for name in ("records_folded", "records_refolded", "duplicates")
    }
    assert series["yggdrasil_worker_records_folded_total", frozenset({("partition", "1")})] == 5


def test_a_new_worker_has_just_made_progress() -> None:
    before = time.time()
    series = scraped(WorkerMetrics())
    assert before <= series["yggdrasil_worker_progress_timestamp_seconds", frozenset()] <= time.time()


def test_the_process_is_seen_too_and_two_workers_do_not_collide() -> None:
    first, second = WorkerMetrics(), WorkerMetrics()
    first.batch_records.observe(10)
    assert ("process_open_fds", frozenset()) in scraped(first)
    assert scraped(second)["yggdrasil_worker_batch_records_count", frozenset()] == 0


def test_the_service_names_its_metrics_as_the_worker_does() -> None:
    metrics = ServiceMetrics(CollectorRegistry())
    families = list(metrics.registry.collect())
    assert len(families) > 5
    told = (ROOT / "docs" / "service.md").read_text()
    for family in families:
        name = family.name.removeprefix("yggdrasil_service_")
        assert name != family.name
        assert hasattr(metrics, name)
        assert family.documentation.endswith(".")
        assert name in told
