"""Golden logs: what was said stands in a file, and what it folds to must never change; and each of them can fail."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from tests.graph.golden.golden_logs import (
    COMMANDS,
    COMMANDS_LOG,
    IMPORTS,
    TENANT,
    command_results,
    import_results,
    said_records,
    stored_records,
)
from tests.graph.golden.said_logs import LOGS
from tests.graph.world import (
    World,
    live_accounts,
    live_acts,
    live_adjusted,
    live_claims,
    live_definitions,
    live_edges,
    live_features,
    live_names,
    live_nodes,
    live_parts,
    live_recalls,
    live_regards,
    live_relations,
    live_roles,
    live_rulings,
    live_sessions,
    live_vectors,
)
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.fold import Fold
from yggdrasil_projections.graph.laws.bounds.enforcement import enforce
from yggdrasil_projections.graph.rules import FIRST, LAWS_1, Known, Laws, Rules
from yggdrasil_projections.graph.store.digest import state_digest
from yggdrasil_projections.graph.store.families import (
    ACCOUNTS,
    ACTS,
    ADJUSTED,
    CLAIMS,
    EDGES,
    FEATURES,
    NAMES,
    NODES,
    PARTS,
    PREDICATES,
    RECALLS,
    REGARDS,
    RELATIONS,
    ROLES,
    RULINGS,
    SCORERS,
    SESSIONS,
    SNAPSHOTS,
    TAINTS,
    VECTORS,
)
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import LANGUAGES
from yggdrasil_schemas.commands import BY_NUMBER
from yggdrasil_schemas.graph.codec import (
    EDGE_KEY,
    NUMBER,
    encode_account,
    encode_adjusted,
    encode_edge,
    encode_node,
    encode_parts,
    encode_recall,
    encode_relation,
    encode_scorer,
    encode_session,
    encode_taint,
    encode_vector,
    vector_key,
)
from yggdrasil_schemas.graph.knowledge_codec import (
    encode_act,
    encode_claim,
    encode_definition,
    encode_names,
    encode_ruling,
)
from yggdrasil_schemas.graph.perspectives import encode_regards, encode_role
from yggdrasil_schemas.policy import CONSTANTS, DEFAULT, INTEGERS, Policy
from yggdrasil_schemas.refusals import Refused

ROOT: Final = Path(__file__).parents[3]
RENEW: Final = (
    "The fold no longer gives the digests in {golden}: these logs would be other memories. If that was meant, and the "
    "release is before 1.0, run `python -m tests.graph.golden.fixed_history --write` and say in the commit why."
)
PREFIX: Final = bytes(4)
RULES_AS_THEY_ARE: Final = True
_READ: Final = {
    "reads_recorded",
    "recall_features",
    "bias_candidates",
    *(name for name in CONSTANTS if name.startswith("search_")),
}  # by no law
_REFUSES: Final = {"scorer_adopt"}  # and nothing is refused in these logs; laws/decisions/test_scoring.py holds it
_BOUNDS: Final = {
    "nodes_max",
    "edges_max",
    "degree_max",
    "sessions_open_max",
    "session_idle_ticks",
    "buffer_events_max",
    "recalls_kept_max",
    "archived_max",
    "archive_rest_ticks",
    "capacity_weight_max",
    "capacity_weight_2",
    "capacity_weight_3",
    "capacity_weight_4",
    "capacity_weight_5",
    "protect_permanence",
    "protected_share",
    "agents_share",
    "foreign_share",
    "adjust_window_ticks",
}
"""Too large by default for a small log to reach; tests/graph/laws/test_bounds.py and others hold them when small."""


class Held:
    """A graph that lives in its working set alone, as a digest wants to see it: rows by family, in key order."""

    def __init__(self, graph: Graph) -> None:
        self.rows = {
            NODES: {NUMBER.pack(number): encode_node(node) for number, node in live_nodes(graph).items()},
            EDGES: {EDGE_KEY.pack(*key): encode_edge(edge) for key, edge in live_edges(graph).items()},
            FEATURES: {name.encode(): NUMBER.pack(number) for name, number in live_features(graph).items()},
            SESSIONS: {name.encode(): encode_session(session) for name, session in live_sessions(graph).items()},
            RECALLS: {NUMBER.pack(seq): encode_recall(recall) for seq, recall in live_recalls(graph).items()},
            VECTORS: {
                vector_key(number, model): encode_vector(*kept)
                for number, vectors in live_vectors(graph).items()
                for model, kept in vectors.items()
            },
            PARTS: {NUMBER.pack(number): encode_parts(parts) for number, parts in live_parts(graph).items()},
            ADJUSTED: {NUMBER.pack(number): encode_adjusted(each) for number, each in live_adjusted(graph).items()},
            RULINGS: {NUMBER.pack(number): encode_ruling(each) for number, each in live_rulings(graph).items()},
            CLAIMS: {NUMBER.pack(number): encode_claim(each) for number, each in live_claims(graph).items()},
            PREDICATES: {name.encode(): encode_definition(each) for name, each in live_definitions(graph).items()},
            NAMES: {name.encode(): encode_names(each) for name, each in live_names(graph).items()},
            RELATIONS: {EDGE_KEY.pack(*key): encode_relation(each) for key, each in live_relations(graph).items()},
            ACCOUNTS: {NUMBER.pack(seq): encode_account(each) for seq, each in live_accounts(graph).items()},
            ACTS: {NUMBER.pack(seq): encode_act(each) for seq, each in live_acts(graph).items()},
            ROLES: {name.encode(): encode_role(each) for name, each in live_roles(graph).items()},
            REGARDS: {NUMBER.pack(number): encode_regards(each) for number, each in live_regards(graph).items()},
            SCORERS: {NUMBER.pack(seq): encode_scorer(each) for seq, each in graph.scorers.items()},
            SNAPSHOTS: {name.encode(): NUMBER.pack(seq) for name, seq in graph.snapshots.items()},
            TAINTS: {place: encode_taint(each) for place, each in graph.taints.items()},
        }

    def walk(self, family: str, prefix: bytes) -> list[tuple[bytes, bytes]]:
        return [(prefix + key, row) for key, row in sorted(self.rows[family].items())]


def told(
    records: list[LogRecord], laws: Laws = LAWS_1, policy: Policy = DEFAULT, *, seen: bool = True
) -> dict[str, str]:
    """The digests of all memories under such laws; the policy itself is left out of them unless it is ``seen``."""
    world = World()
    world.fold = Fold(0, 1, world, FIRST, Known(LANGUAGES, {1: Rules(laws, enforce, policy)}))
    for record in records:
        world.fold_record(record)
    graphs = sorted(world.graphs.items())
    headers = {memory: graph.header if seen else replace(graph.header, policy=DEFAULT) for memory, graph in graphs}
    return {memory: state_digest(headers[memory], Held(graph), PREFIX) for memory, graph in graphs}


def golden(file: Path) -> dict[str, str]:
    stored: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return stored


def test_the_logs_of_commands_give_their_digests() -> None:
    assert command_results() == golden(COMMANDS), RENEW.format(golden=COMMANDS.name)


def test_a_store_is_not_needed_for_a_digest() -> None:
    assert told(stored_records()) == golden(COMMANDS), RENEW.format(golden=COMMANDS.name)


def test_what_is_stored_is_what_is_written_here() -> None:
    assert [each.value for each in stored_records()] == [each.value for each in said_records()], COMMANDS_LOG.name


def test_every_command_has_a_log_in_which_all_is_accepted() -> None:
    assert set(LOGS) == set(BY_NUMBER.values())
    world = World()
    spoken: dict[str, set[str]] = {}
    for record in stored_records():
        answer = world.fold_record(record)
        assert (answer.refused, answer.duplicate) == (None, False), record.value
        said = orjson.loads(record.value or b"")
        spoken.setdefault(said["memory"], set()).add(said["type"])
    assert all(type_ in spoken[f"{TENANT}/{type_}"] for type_ in LOGS)


def test_imports_give_their_digests() -> None:
    assert import_results() == golden(IMPORTS), RENEW.format(golden=IMPORTS.name)


def test_imports_give_their_digests_in_another_process() -> None:
    command = [sys.executable, "-m", "tests.graph.golden.golden_logs"]
    environment = os.environ | {"PYTHONHASHSEED": "4", "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
    printed = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, timeout=240).stdout
    assert json.loads(printed) == golden(IMPORTS)


def nothing(_graph: Graph, _command: Any, _seq: int, _record: bytes) -> Refused | None:
    """A law that accepts and does nothing."""
    return None


@pytest.mark.parametrize("kind", [kind for kind in BY_NUMBER.values() if kind != "record_read"])
def test_without_its_law_the_log_of_a_command_fails(kind: str) -> None:
    laws: Laws = {**LAWS_1, LANGUAGES[1].commands[kind]: nothing}
    memory = f"{TENANT}/{kind}"
    assert told(stored_records(), laws)[memory] != golden(COMMANDS)[memory]


@pytest.mark.parametrize("type_", LOGS)
def test_without_one_of_its_commands_a_log_fails(type_: str) -> None:
    """Whichever of its own kind it is."""
    memory = f"{TENANT}/{type_}"
    records = [each for each in stored_records() if each.key == memory.encode()]
    own = [each for each in records if orjson.loads(each.value or b"")["type"] == type_]
    for left_out in own:
        assert told([each for each in records if each is not left_out])[memory] != golden(COMMANDS)[memory]


@cache
def with_the_default() -> dict[str, str]:
    """What all logs come to as they stand, the policy left out: what every other one is compared with."""
    return told(stored_records(), seen=False)


def others(name: str) -> list[Policy]:
    """The default policy with one constant changed, once down and once up."""
    bounds, default = CONSTANTS[name], getattr(DEFAULT, name)
    least = 2 if name in INTEGERS else 0.1
    values = ((bounds.low + default) / 2, default + min(bounds.high - default, max(abs(default), least)) / 2)
    cast = round if name in INTEGERS else float
    changes: list[dict[str, Any]] = [{name: cast(value)} for value in values if cast(value) != default]
    return [replace(DEFAULT, **change) for change in changes]


@pytest.mark.parametrize("name", sorted(name for name in CONSTANTS if name not in _BOUNDS | _READ | _REFUSES))
def test_with_another_constant_some_log_fails(name: str) -> None:
    """By what it does, and not because a policy is a part of the digest."""
    records = stored_records()
    assert any(told(records, policy=policy, seen=False) != with_the_default() for policy in others(name))
