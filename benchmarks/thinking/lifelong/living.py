"""A memory that lives a long life: it is told, thinks, is asked, and says how full it is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

import numpy as np

from yggdrasil import Memory, Store
from yggdrasil.thinking.once import PLACE
from yggdrasil_producers.draft import Draft, Drafter

from .life import MEMORY, Fact

_FIRST: Final = 5
"""Among so many memories of an answer a fact has to be."""
_TASK: Final = "What is there to know before somebody mends the index of project 3?"


@dataclass(slots=True)
class Spent:
    """Seconds, one for each stretch of the life: to take commands in, to think about them, and for a question.

    The first two are of the processor, since what else the machine does, above all to its disk, meets now one and now
    the other.
    """

    telling: list[float] = field(default_factory=list[float])
    thinking: list[float] = field(default_factory=list[float])
    asking: list[float] = field(default_factory=list[float])


class Living:
    """One memory in a store of its own; a context manager."""

    def __init__(self, path: Path, *, thinks: bool, nodes_max: int | None) -> None:
        """Let it hold so many nodes, as many as the default policy says if not given."""
        self.thinks = thinks
        self.spent = Spent()
        self.decided: dict[str, int] = {}
        self.thoughts_bytes = 0
        """The most that what thinkers keep has taken on the disk."""
        self._path = path
        self._store = Store.open(path, partitions=1, embedder="off")
        self.memory: Memory = self._store.memory(MEMORY)
        if nodes_max is not None:
            caps = {"nodes_max": nodes_max, "edges_max": 5 * nodes_max, "sessions_open_max": min(64, nodes_max // 10)}
            self._submit([Drafter(MEMORY, "agent", "benchmark", "operator").draft("set_policy", {"changes": caps})])

    def __enter__(self) -> "Living":
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def live(self, drafts: Sequence[Draft]) -> None:
        """Take in what happens, and think about it, if this one thinks.

        In one that does not, it is the fold alone that counts: what is appended is folded afterwards.
        """
        begin = process_time()
        if self.thinks:
            self._submit(drafts)
        else:
            self._store.engine.log.append_many((draft.key, draft.value) for draft in drafts)
            begin = process_time()
            self._store.engine.catch_up()
        told = process_time()
        self.spent.telling.append(told - begin)
        if self.thinks:
            self._think(rest=False)
        self.spent.thinking.append(process_time() - told)
        begin = perf_counter()
        self.memory.get_context(_TASK, record=False)
        self.spent.asking.append(perf_counter() - begin)
        self.memory.working_memory()
        self.memory.what_next(_TASK)

    def rest(self) -> None:
        """Let thinkers conclude what is open."""
        if self.thinks:
            self._think(rest=True)

    def use(self, facts: Sequence[Fact]) -> None:
        """Ask for facts, and report that what was found was used."""
        for fact in facts:
            context = self.memory.get_context(fact.question, k=_FIRST)
            used = [found.memory.ref for found in context.found if fact.said in (found.memory.text or "")]
            if used:
                self.memory.report_use(context, used[:1], result="success", helpful=True)

    def finds(self, fact: Fact) -> bool:
        """Return whether a fact is among the first of an answer, in its own words; nothing is recorded."""
        context = self.memory.get_context(fact.question, k=_FIRST, record=False)
        return any(fact.said in (found.memory.text or "") for found in context.found)

    def fullness(self) -> dict[str, float]:
        """Return how full each bound is, as a share of it."""
        graph = self._store.engine.graph(MEMORY)
        policy = graph.header.policy
        keys = graph.edge_table().keys
        degrees = np.unique(np.concatenate((keys["source"], keys["target"])), return_counts=True)[1]
        return {
            "nodes": graph.header.nodes / policy.nodes_max,
            "edges": graph.header.edges / policy.edges_max,
            "degree": int(degrees.max(initial=0)) / policy.degree_max,
            "sessions": len(graph.sessions) / policy.sessions_open_max,
        }

    @property
    def index_bytes(self) -> int:
        """About how many bytes the index takes in memory."""
        return int(self._store.engine.view.nbytes)

    def _submit(self, drafts: Sequence[Draft]) -> None:
        for draft, answer in self._store.engine.submit_many(drafts):
            if answer.refused is not None:
                raise ValueError(f"{draft.id}: {answer.refused}")

    def _think(self, *, rest: bool) -> None:
        for done in self._store.think(rest=rest):
            if done.stopped is not None:
                raise ValueError(done.stopped)
            self.decided[done.thinker] = self.decided.get(done.thinker, 0) + done.decided
        kept = sum(file.stat().st_size for file in (self._path / PLACE).iterdir())
        self.thoughts_bytes = max(self.thoughts_bytes, kept)
