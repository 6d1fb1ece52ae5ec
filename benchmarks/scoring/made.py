"""The scorer world: what is really needed is reported, a trainer thinks, and what was left out is asked."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_processors.thinkers.trainer import Trained, Trainer
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.stamps import Stamp

from .recalls import Recall, ask, fitted, ndcg, recalled
from .worlds import Topic, World, told

_MEMORY: Final = "scoring/world"
_TAUGHT: Final = 2 / 3
"""So many of the topics are asked and reported; the others are left out."""


@contextmanager
def world_told(world: World, seed: int, scratch: Path) -> Generator[tuple[Memory, list[Topic]]]:
    """Make a memory of a world."""
    with Embedded(scratch, partitions=1) as engine:
        drafter = Drafter(_MEMORY, "benchmark", "benchmark")
        topics = told(engine, drafter, world, seed)
        yield Memory(engine, drafter), topics


def taught(memory: Memory, topics: Sequence[Topic]) -> list[Recall]:
    """Ask for topics, and report what was needed of what was returned, under the same ids each time."""
    found: list[Recall] = []
    drafter = Drafter(memory.id, "benchmark", "benchmark")
    for number, topic in enumerate(topics):
        context = ask(memory, topic.question, record=True)
        recall = recalled(context, topic.needed.__contains__)
        if recall is None or context.recall_id is None:
            continue
        found.append(recall)
        used = [ref for ref in context.refs if ref in topic.needed]
        stamp = Stamp(drafter.derived_id("scoring", "report", str(number)))
        body = {"recall": context.recall_id, "used": used, "result": "success"}
        memory.resend(drafter.draft("report_use", body, stamp=stamp))
    return found


def tested(memory: Memory, topics: Sequence[Topic]) -> list[Recall]:
    """Ask for topics without a trace."""
    asked = (recalled(ask(memory, topic.question), topic.needed.__contains__) for topic in topics)
    return [each for each in asked if each is not None]


def figures(world: World, seed: int, scratch: Path) -> dict[str, float]:
    """Return nDCG at ten of what was left out: as served before, by both forms, and as served after the adoption."""
    with world_told(world, seed, scratch) as (memory, topics):
        at = int(len(topics) * _TAUGHT)
        lessons = taught(memory, topics[:at])
        left_out = tested(memory, topics[at:])
        both = fitted(lessons)
        found = {
            "before": ndcg(left_out, None),
            "linear": ndcg(left_out, both.linear.logits),
            "network": ndcg(left_out, both.network.logits),
        }
        body = proposed(memory)
        found["proposed"] = float(body is not None)
        if body is not None:
            memory.adopt_scorer(memory.say("adopt_scorer", body | {"active": False}))
            found["after"] = ndcg(tested(memory, topics[at:]), None)
        return found


def proposed(memory: Memory) -> dict[str, object] | None:
    """Return the body of what a trainer proposes of all that was reported; None where it proposes nothing."""
    trainer, state = Trainer(), Trained()
    while True:
        queries = trainer.asks(state, memory.id, again=state.position > 0)
        decisions = trainer.answered(state, [memory.ask(query) for query in queries]) if queries else ()
        if decisions or not queries:
            return dict(decisions[0].body) if decisions else None
