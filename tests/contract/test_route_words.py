"""What is named like a part of a route, in a directory and over HTTP: it is read by its name all the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.memories import USUAL, subject
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_producers.draft import Drafter

WORDS = (
    "neighbours", "dependents", "lineage", "context", "claims", "nodes", "entities", "episodes", "events", "commands",
    "batch", "timeline", "history", "stats", "digest", "actions", "working-memory", "similar-cases",
)  # fmt: skip


@pytest.fixture(params=[each for each in USUAL if each != "kafka"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def test_things_that_are_named_like_a_part_of_a_route(memory: Memory[Any]) -> None:
    for word in WORDS:
        for name in (f"a/{word}", word, f"{word}/", f"/{word}", f"a//{word}", f"a%2F{word}", f"{word}/lineage"):
            event = memory.record_event(f"Work on {name}", features=[name, "work"])
            ref = f"feature:{name}"
            assert memory.describe(ref).memory.ref == ref
            around = memory.neighbourhood(ref)
            assert around.ref == ref and event in {each.ref for each in around.neighbours}
            assert memory.dependents(event).ref == event
    for name in ("a/lineage", "lineage/", "a/b/neighbours"):
        claim = memory.assert_claim(f"place:{name}", "lies_in", "city:oslo")
        assert [each.ref for each in memory.entity(f"place:{name}").claims] == [claim]
        assert memory.lineage(claim).claim.ref == claim


def test_memories_that_are_named_like_a_part_of_a_route(memory: Memory[Any]) -> None:
    tenant = memory.id.partition("/")[0]
    for word in WORDS:
        check(memory.engine, f"{tenant}/{word}")


def test_tenants_that_are_named_like_a_part_of_a_route(tmp_path: Path) -> None:
    with Embedded(tmp_path, sliced=True) as engine, Serving(engine, Service(("127.0.0.1", 0), rate=0)) as serving:
        for word in WORDS:
            with Memory.connect(serving.url, memory=f"{word}/{word}") as remote:
                check(remote.engine, remote.id)


def check(engine: Any, name: str) -> None:
    memory = Memory(engine, Drafter(name, "agent", "yggdrasil-embedded"))
    ref = memory.record_event("Deployed on a Friday", features=["deploy"])
    assert memory.get_context("Deployed on a Friday?").refs == [ref]
    assert [each.ref for each in memory.timeline().memories] == [ref]
    assert memory.describe("feature:deploy").memory.ref == "feature:deploy"
