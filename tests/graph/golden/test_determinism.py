"""The same history gives the same digests in every process, and they are the golden ones."""

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.graph.golden.fixed_history import GOLDEN, fixed_history, results
from tests.graph.histories import MEMORIES
from tests.graph.world import World, live_edges, live_nodes
from tests.size import turns
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import BY_NUMBER
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, NodeKind, Status, is_feature

ROOT = Path(__file__).parents[3]
LOOKED_EVERY = turns(8, 1)  # accepted commands of a memory
HASH_SEEDS = turns([4_294_967_295], [*range(1, 10), 4_294_967_295])

RENEW = (
    "The fold no longer gives the digests in {golden}: the same log would be another memory. If a law was meant to "
    "change, and the release is before 1.0, run `python -m tests.graph.golden.fixed_history --write` and say in the "
    "commit why the digests changed. Otherwise the change is a bug, or needs a new rules version. (When `chain` "
    "differs too, it is the history in tests/graph/golden/fixed_history.py that has changed.)"
)


def golden() -> dict[str, str]:
    stored: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return stored


def started(hash_seed: int, *options: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, *options, "-m", "tests.graph.golden.fixed_history"]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("hash_seed", HASH_SEEDS)
def test_every_process_gives_the_same_digests(hash_seed: int) -> None:
    """With and without -O, side by side."""
    processes = [started(hash_seed), started(hash_seed, "-O")]
    for printed in [process.communicate(timeout=240)[0] for process in processes]:
        assert json.loads(printed) == golden(), RENEW.format(golden=GOLDEN.name)


def lived_through(graph: Graph) -> dict[str, set[Any]]:
    """What of a memory shows that a law took effect, and how often."""
    nodes, edges = live_nodes(graph), live_edges(graph)
    flagged = {flag: {n for n, node in nodes.items() if node.flags & flag.value} for flag in NodeFlag}
    kinds = {number: node.kind for number, node in nodes.items()}
    concepts = {number for number, kind in kinds.items() if kind == NodeKind.CONCEPT}
    return {
        "opening": flagged[NodeFlag.OPENING],
        "catastrophic": flagged[NodeFlag.CATASTROPHIC],
        "pinned": flagged[NodeFlag.PINNED],
        "conceptual": flagged[NodeFlag.CONCEPTUAL],
        "archived": flagged[NodeFlag.ARCHIVED],
        "principles": flagged[NodeFlag.PRINCIPLE],
        "vectored": flagged[NodeFlag.VECTORED],
        "vectors": {(n, *each) for n in flagged[NodeFlag.VECTORED] for each in graph.vectors(n).items()},
        "adjusted": {(n, graph.adjusted(nodes[n])) for n in flagged[NodeFlag.ADJUSTED]},
        "regarded": flagged[NodeFlag.REGARDED],
        "regards": {(n, *each) for n in flagged[NodeFlag.REGARDED] for each in graph.regards(nodes[n])},
        "roles": {(name, *role.perspectives) for name, role in graph.roles.items()},
        "stale": flagged[NodeFlag.STALE],
        "ruled": {(n, graph.ruling(nodes[n])) for n in flagged[NodeFlag.RULED]},
        **{status.name.lower(): {n for n, node in nodes.items() if node.status == status} for status in Status},
        "heirs": set(graph.changed_heirs),
        "consolidated": {(number, node.level) for number, node in nodes.items() if node.level},
        "steps": {key for key in edges if key[1] == EdgeKind.TRAJECTORY and is_feature(key[0])},
        "trajectories of episodes": {key for key in edges if key[1] == EdgeKind.TRAJECTORY and not is_feature(key[0])},
        "causes": {key for key in edges if key[1] == EdgeKind.CAUSAL and kinds[key[0]] == kinds[key[2]]},
        "noted": {each for session in graph.sessions.values() for each in session.desk},
        "foretold": {key for key in edges if key[1] == EdgeKind.CAUSAL and is_feature(key[0])},
        "absorbed": {key[2] for key in edges if key[0] in concepts and key[2] > key[0] and key[1] == EdgeKind.CONTAINS},
    }


def test_the_history_exercises_every_law() -> None:
    """Everything at least 20 times: commands, refusals of the log, and what became of the memories."""
    world, counted = World(), Counter[str]()
    seen: dict[str, dict[str, set[Any]]] = defaultdict(lambda: defaultdict(set))
    for record in fixed_history():
        before = {memory: graph.header.nodes for memory, graph in world.graphs.items()}
        answer = world.fold_record(record)
        if answer.refused is not None:
            counted[answer.refused.reason.code] += 1
        elif answer.duplicate:
            counted["duplicate"] += 1
        else:
            counted[orjson.loads(record.value or b"")["type"]] += 1
        if answer.memory in before and answer.seq:
            graph = world.graphs[answer.memory]
            counted["pruned"] += graph.header.nodes < before[answer.memory]
            if answer.seq % LOOKED_EVERY:
                continue
            for name, now in lived_through(graph).items():
                counted[f"no longer {name}"] += len(seen[answer.memory][name] - now)
                counted[name] += len(now - seen[answer.memory][name])
                seen[answer.memory][name] = now
    expected = set(BY_NUMBER.values()) | seen[MEMORIES[0]].keys()
    expected |= {"duplicate", "id_reused", "event_forgotten", "recall_forgotten", "members_forgotten", "node_forgotten"}
    expected |= {"cursor_stale", "cursor_ahead", "pruned", "no longer archived", "no longer conceptual"}
    expected |= {"not_a_principle", "no longer principles", "no longer vectored", "no longer vectors"}
    expected |= {"no longer stale", "no longer quarantined", "no longer rejected", "no longer contested"}
    expected |= {"no longer regarded", "no longer roles"}
    expected |= {"not_trusted", "not_corrigible", "node_protected", "session_not_open"}
    expected |= {"no longer adjusted", "not_allowed", "evidence_elsewhere"}
    assert {name for name in expected if counted[name] < 20} == set(), counted


def test_a_changed_record_gives_other_digests() -> None:
    """The golden digests can fail: one outcome that was good turned bad is another memory, and only that one."""

    def turn_bad(records: list[LogRecord]) -> None:
        good = b'"value":3.0'
        at = [n for n, each in enumerate(records) if good in (each.value or b"") and each.key == b"tenant/a"][10]
        records[at] = records[at]._replace(value=(records[at].value or b"").replace(good, b'"value":-3.0'))

    changed, expected = results(turn_bad), golden()
    assert {name for name in expected if changed[name] != expected[name]} == {"chain", "tenant/a"}
