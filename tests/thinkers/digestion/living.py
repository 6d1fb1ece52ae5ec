"""``python -m tests.thinkers.digestion.living DIR SEED``: tells of sessions and digests them, until it is killed."""

import random
import sys
from pathlib import Path
from threading import Event
from typing import Any

from yggdrasil import Memory, Store

NAMES = ("Ana", "Ben", "Carl", "Dora", "Emil", "Fay")
PLACES = ("Rome", "Oslo", "Bonn", "Bern", "Graz", "Linz")
RETRIES = ("exponential backoff", "exponential backoffs", "exponential backoff and jitter", "3 attempts", "4 attempts")
FIRMS = ("Acme Corporation", "Hill Limited", "North Partners")
THINKERS = "digestion"
PAUSE_S = 0.2


def _sentence(chance: random.Random) -> tuple[str, list[str]]:
    """What an event says, and its features."""
    who = chance.choice(NAMES)
    said = chance.choice((
        f"{who} lives in {chance.choice(PLACES)}.",
        f"{who} works for {chance.choice(FIRMS)}.",
        f"The staging database is owned by {who}.",
        f"The billing service listens on port {chance.randrange(8000, 8004)}.",
        f"{who} came in late and left early.",
    ))  # fmt: skip
    return said, [f"person:{who.lower()}"]


def tell(memory: Memory[Any], chance: random.Random, name: str) -> None:
    """Tell of a session that ends; some of what it learnt it claims itself, now and then in other words than before."""
    for _ in range(chance.randrange(2, 6)):
        text, features = _sentence(chance)
        event = memory.record_event(text, features=features, session=name)
        if chance.random() < 0.3:
            service, value = f"service:{chance.choice(PLACES).lower()}", chance.choice(RETRIES)
            memory.assert_claim(service, "retries_with", value, evidence=[event])
    close = {"features": [f"session:{name}"], "boundary": "close"}
    memory.say("record_event", close, content={"text": "It is over"}, session=name)


def main(place: Path, seed: int) -> None:
    """Tell of sessions for ever, at a pace at which those who digest them keep up: else a kill would meet none."""
    chance = random.Random(seed)
    with Store.open(place, embedder="off", thinkers=THINKERS) as store:
        for number in range(10_000):
            teller = store.memory("me/agent", source=chance.choice(NAMES[:3]))
            tell(teller, chance, f"{seed}-{number}")
            if not number:
                sys.stdout.write("begun\n")
                sys.stdout.flush()
            Event().wait(chance.random() * PAUSE_S)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
