"""The same history gives the same digests in every process, and they are the golden ones."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from yggdrasil_infra.log import LogRecord

from tests.graph.fixed_history import GOLDEN, fixed_history, results
from tests.graph.world import World

ROOT = Path(__file__).parent.parent.parent
HASH_SEEDS = [*range(1, 10), 4_294_967_295]

RENEW = (
    "The fold no longer gives the digests in {golden}: the same log would be another memory. If a law was meant to "
    "change, and the release is before 1.0, run `python -m tests.graph.fixed_history --write` and say in the commit "
    "why the digests changed. Otherwise the change is a bug, or needs a new rules version. (When `chain` differs too, "
    "it is the history in tests/graph/fixed_history.py that has changed.)"
)


def golden() -> dict[str, str]:
    stored: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return stored


def started(hash_seed: int, *options: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, *options, "-m", "tests.graph.fixed_history"]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("hash_seed", HASH_SEEDS)
def test_every_process_gives_the_same_digests(hash_seed: int) -> None:
    """With and without -O, side by side."""
    processes = [started(hash_seed), started(hash_seed, "-O")]
    for printed in [process.communicate(timeout=120)[0] for process in processes]:
        assert json.loads(printed) == golden(), RENEW.format(golden=GOLDEN.name)


def test_the_history_exercises_every_law() -> None:
    world, counted = World(), Counter[str]()
    for record in fixed_history():
        before = {memory: graph.header.nodes for memory, graph in world.graphs.items()}
        answer = world.fold_record(record)
        if answer.refused is not None:
            counted[answer.refused.reason.code] += 1
        elif answer.duplicate:
            counted["duplicate"] += 1
        else:
            counted[orjson.loads(record.value or b"")["type"]] += 1
        if answer.memory in before:
            counted["pruned"] += world.graphs[answer.memory].header.nodes < before[answer.memory]
    assert {name: count for name, count in counted.items() if count >= 20}.keys() >= {
        "record_event",
        "log_outcome",
        "record_recall",
        "report_use",
        "set_policy",
        "attest",
        "duplicate",
        "id_reused",
        "event_forgotten",
        "recall_forgotten",
        "pruned",
    }, counted


def test_a_changed_record_gives_other_digests() -> None:
    """The golden digests can fail: one outcome that was good turned bad is another memory, and only that one."""

    def turn_bad(records: list[LogRecord]) -> None:
        good = b'"value":3.0'
        at = next(n for n, each in enumerate(records) if good in (each.value or b"") and each.key == b"tenant/a")
        records[at] = replace(records[at], value=(records[at].value or b"").replace(good, b'"value":-3.0'))

    changed, expected = results(turn_bad), golden()
    assert {name for name in expected if changed[name] != expected[name]} == {"chain", "tenant/a"}
