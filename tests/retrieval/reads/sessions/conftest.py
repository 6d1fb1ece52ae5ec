"""One memory, as those have it who are trusted differently."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter


class Team(NamedTuple):
    """An agent, a user, an operator, and somebody whose word counts nothing until another looks at it."""

    agent: Memory[Any]
    user: Memory[Any]
    operator: Memory[Any]
    stranger: Memory[Any]


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    with Embedded(tmp_path / "data", partitions=1, sliced=True) as engine:
        who = [("planner", "agent", None), ("ines", "user", None), ("boss", "operator", None), ("web", "agent", 0)]
        yield Team(*(Memory(engine, Drafter("me/team", name, "test", origin, trust)) for name, origin, trust in who))
