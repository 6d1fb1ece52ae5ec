"""A world of random places for tests, and what it looks like to whoever reads its claims one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from yggdrasil import Memory, MemoryObject
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter

ID = "me/world"


class Three(NamedTuple):
    """One memory, as an operator, a user and an agent have it."""

    operator: Memory[Any]
    user: Memory[Any]
    agent: Memory[Any]


@contextmanager
def three(folder: Path) -> Iterator[Three]:
    with Embedded(folder / "data", partitions=1, sliced=True) as engine:
        yield Three(*(Memory(engine, Drafter(ID, who, "world", who)) for who in ("operator", "user", "agent")))


def path(memory: Memory[Any], begin: str, end: str, **qualifiers: object) -> str:
    """Say that a path leads from one place to another."""
    said = {name: str(value) for name, value in qualifiers.items()}
    return memory.assert_claim(f"place:{begin}", "path", f"place:{end}", qualifiers=said)


def wander(world: Three, rng: Random, places: int, paths: int) -> None:
    """Say random paths between places, by whoever, of few lengths, so that many ways cost the same."""
    for _ in range(paths):
        one, other = rng.sample(range(places), 2)
        said: dict[str, object] = {}
        if rng.random() < 0.9:
            said["ticks"] = rng.randrange(1, 6)
        if rng.random() < 0.4:
            said["length"] = rng.randrange(1, 9)
        if rng.random() < 0.3:
            said["lit"] = rng.choice(("yes", "no", "no"))
        if rng.random() < 0.3:
            said["risk"] = rng.randrange(0, 1_001)
        if rng.random() < 0.2:
            said["oneway"] = "yes"
        if rng.random() < 0.1:
            said["blocked"] = "yes"
        path(rng.choice(world), f"p{one:02}", f"p{other:02}", **said)


class Edge(NamedTuple):
    """A path in one direction, as a claim says it."""

    claim: MemoryObject
    rank: tuple[int, float, str]
    said: dict[str, str]

    def cost(self, weights: dict[str, int]) -> int | None:
        """What it costs in thousandths; None for what is blocked. ``weights`` are in thousandths."""
        if self.said.get("blocked") == "yes":
            return None
        ticks, length = self.said.get("ticks"), self.said.get("length")
        ticks, length = ticks or length or "1", length or ticks or "1"
        dark, risk = self.said.get("lit") == "no", int(self.said.get("risk", "0"))
        each = 1_000 * (weights["ticks"] + weights["dark"] * dark) + weights["risk"] * risk
        return int(ticks) * each // 1_000 + int(length) * weights["distance"]


def edges_of(memory: Memory[Any]) -> dict[tuple[str, str], Edge]:
    """The paths that count, by their ends, of what ``claims`` tells."""
    found: dict[tuple[str, str], Edge] = {}
    skip = 0
    while page := memory.claims(predicate="path", count=200, skip=skip).claims:
        skip += len(page)
        for memory_object in page:
            claim = memory_object.claim
            assert claim is not None and isinstance(claim.object, str)
            if claim.confidence < 0.5:
                continue
            edge = Edge(memory_object, (memory_object.trust, claim.confidence, memory_object.ref), claim.qualifiers)
            ends = [(claim.subject, claim.object)]
            if claim.qualifiers.get("oneway") != "yes":
                ends.append((claim.object, claim.subject))
            for pair in ends:
                if pair not in found or edge.rank > found[pair].rank:
                    found[pair] = edge
    return found
