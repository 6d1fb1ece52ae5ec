"""What is named like a part of a route, in a directory and over HTTP: it is read by its name all the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.memories import USUAL, subject
from yggdrasil import Memory
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
    for word in WORDS:
        for name in (f"a/{word}", f"{word}/a", f"{word}/{word}"):
            other = Memory(memory.engine, Drafter(name, "agent", "yggdrasil-embedded"))
            ref = other.record_event("Deployed on a Friday", features=["deploy"])
            assert other.get_context("Deployed on a Friday?").refs == [ref]
            assert [each.ref for each in other.timeline().memories] == [ref]
            assert other.describe("feature:deploy").memory.ref == "feature:deploy"
