"""Whoever reads while a fork is copied beside it waits for nobody: what is copied is in the log, and not folded yet."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.running.turns import Turns
from yggdrasil_processors.past.ladder import NO_LADDER
from yggdrasil_producers.draft import Drafter

ME = "me/agent"
READS: dict[str, Callable[[Memory[Any]], object]] = {
    "digest": lambda memory: memory.digest(),
    "context": lambda memory: memory.get_context("deployed", k=5),
    "cases": lambda memory: memory.get_similar_cases("deployed"),
    "claims": lambda memory: memory.claims("deploy"),
    "overview": lambda memory: memory.overview(),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_takes_no_second_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """One that looked its partition up in its turn folded what had come, and waited for itself, as then all did."""
    with Embedded(tmp_path / "data", partitions=1, spacing=NO_LADDER) as engine:
        memory = Memory(engine, Drafter(ME, "me", "test"))
        memory.record_many([{"text": f"Deployed {number}", "features": ["deploy"]} for number in range(3)])
        record = engine.log.read(0, 1, 1)[0]
        assert record.key is not None and record.value is not None
        copy = record.key, record.value
        reading, folding = Turns.reading, Turns.folding
        inside: list[Turns] = []

        @contextmanager
        def copied(self: Turns) -> Generator[None]:
            with reading(self):
                engine.log.append(*copy)
                inside.append(self)
                try:
                    yield
                finally:
                    inside.remove(self)

        @contextmanager
        def alone(self: Turns) -> Generator[None]:
            assert self not in inside, "it would wait for itself"
            with folding(self):
                yield

        with monkeypatch.context() as during:
            during.setattr(Turns, "reading", copied)
            during.setattr(Turns, "folding", alone)
            READS[name](memory)
        assert engine.log.end_offset(0) > 3
