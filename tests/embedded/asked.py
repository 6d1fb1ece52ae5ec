"""The life of an agent that asks much: with outcomes, use, sleep and forgetting in between."""

import random
from typing import Any

from tests.retrieval.lives import anew
from yggdrasil import Memory, Where
from yggdrasil.engines.recalls import record_recall
from yggdrasil.memory import CommandRefusedError
from yggdrasil_projections.retrieval.asks import Ask, Speaker
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, RANKERS
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext

WORDS = ["deploy", "rollback", "friday", "outage", "database", "index", "cache", "login", "invoice", "refund", "queue"]
BEFORE = [name for name in RANKERS if name != RANKER]


def filters(chance: random.Random) -> Where | None:
    """A filter, one time in three; some of them admit nothing."""
    found = (
        lambda: Where(sessions=chance.sample([f"session-{number}" for number in range(6)], 2)),
        lambda: Where(features_any=chance.sample(WORDS, 3), kinds=["event"]),
        lambda: Where(features_all=["deploy"], origins=["agent", "user"]),
        lambda: Where(kinds=["outcome"], since=chance.choice([0, 1_760_000_000_000]), sources=["agent"]),
        lambda: Where(features_all=["outcome:outcome"], until="2100-01-01"),
    )
    return chance.choice(found)() if chance.random() < 0.33 else None


def question(chance: random.Random) -> str:
    """Words, or a question: of several clauses, beside small talk, for a list, or about a time."""
    some = " ".join(chance.choices(WORDS, k=3))
    other = " ".join(chance.choices(WORDS, k=2))
    asked = (
        some,
        f"What of {some}, and where is {other}?",
        f"It rained all day. I had soup. What about {some}? And who has the {other}?",
        f"How many {some} were there?",
        f"What was the state of the queue in {chance.randrange(2019, 2027)}?",
        f"Which {other}s were there last week?",
        f"Summarize the discussion on {some}",
    )
    return chance.choice(asked)


def live(memory: Memory[Any], chance: random.Random, recalls: int) -> None:
    """Live until so many recalls are recorded: half of them ask for similar cases, and one in eight an old ranker."""
    events: list[str] = []
    asked = 0
    while asked < recalls:
        roll = chance.random()
        session = f"session-{chance.randrange(5)}"
        if roll < 0.35 or not events:
            text = " ".join(chance.choices(WORDS, k=6)) + chance.choice([".", "?"])
            features = chance.sample(WORDS, 2)
            events.append(memory.record_event(text, features=features, session=session))
        elif roll < 0.45:
            try:
                memory.log_outcome(chance.choice(events[-20:]), chance.choice([-3, -1, 2, 5]), text="so it went")
            except CommandRefusedError as error:
                if error.reason != "event_forgotten":
                    raise
        elif roll < 0.47:
            memory.sleep()
        elif roll < 0.5:
            value, year = chance.choice(WORDS), chance.randrange(2020, 2026)
            memory.assert_claim(
                "service:queue", "state", value, text=f"The queue is {value}", valid_from=f"{year}-01-01"
            )
        elif roll < 0.72:
            tokens = chance.choice([None, 40, 200])
            query, deep = question(chance), chance.random() < 0.2
            k, where, least = chance.randint(1, 12), filters(chance), chance.choice([None, None, 0.0, 0.5, 1.0])
            asked += 1
            if chance.random() < 0.25:
                asked_then = Ask(memory.id, query, k, tokens, None, deep, (), where, least)
                answered_as_before(memory, asked_then, chance.choice(BEFORE))
                continue
            wanted = chance.choice([k, None])
            found = memory.get_context(query, k=wanted, tokens_max=tokens, min_confidence=least, deep=deep, where=where)
            assert found.recorded
            if found.refs and found.recall_id and chance.random() < 0.5:
                memory.report_use(found.recall_id, found.refs[:2], result="success")
        else:
            query, deep = " ".join(chance.choices(WORDS, k=3)), chance.random() < 0.2
            memory.get_similar_cases(query, k=chance.randint(1, 5), deep=deep, where=filters(chance))
            asked += 1


def answered_as_before(memory: Memory[Any], ask: Ask, ranker: str) -> None:
    """Answer by a ranker that came before today's, and record that as a release of then did."""
    with memory.engine.reading_of(memory.id) as (graph, partition):
        answer = search_context(graph, anew(graph, RANKERS[ranker].tokenizer), ask, partition, ranker)
    speaker = Speaker("agent", "test", "agent")
    assert record_recall(memory.engine.submit_recall, AskContext(ask, "asking"), answer, speaker).recorded
