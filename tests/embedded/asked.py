"""The life of an agent that asks much: with outcomes, use, sleep and forgetting in between."""

import random
from typing import Any

from yggdrasil import Memory
from yggdrasil.memory import CommandRefusedError

WORDS = ["deploy", "rollback", "friday", "outage", "database", "index", "cache", "login", "invoice", "refund", "queue"]


def live(memory: Memory[Any], chance: random.Random, recalls: int) -> None:
    """Live until so many recalls are recorded: half of them ask for similar cases."""
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
        elif roll < 0.72:
            tokens = chance.choice([None, 40, 200])
            query, deep = " ".join(chance.choices(WORDS, k=3)), chance.random() < 0.2
            least = chance.choice([None, None, 0.0, 0.5, 1.0])
            found = memory.get_context(
                query, k=chance.randint(1, 12), tokens_max=tokens, min_confidence=least, deep=deep
            )
            assert found.recorded
            asked += 1
            if found.refs and found.recall_id and chance.random() < 0.5:
                memory.report_use(found.recall_id, found.refs[:2], result="success")
        else:
            query, deep = " ".join(chance.choices(WORDS, k=3)), chance.random() < 0.2
            memory.get_similar_cases(query, k=chance.randint(1, 5), deep=deep)
            asked += 1
