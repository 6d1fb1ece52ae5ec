"""``python -m tests.thinkers.digestion.living DIR SEED``: tells of sessions, with digestion beside, until it is killed."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from yggdrasil import Store

NAMES = ("Ana", "Ben", "Carl", "Dora", "Emil", "Fay")
PLACES = ("Rome", "Oslo", "Bonn", "Bern", "Graz", "Linz")
FIRMS = ("Acme Corporation", "Hill Limited", "North Partners")
THINKERS = "digestion"


def session(chance: random.Random) -> Iterator[tuple[str, list[str]]]:
    """The events of a session: text and features."""
    for _ in range(chance.randrange(2, 6)):
        who = chance.choice(NAMES)
        said = chance.choice((
            f"{who} lives in {chance.choice(PLACES)}.",
            f"{who} works for {chance.choice(FIRMS)}.",
            f"The staging database is owned by {who}.",
            f"The billing service listens on port {chance.randrange(8000, 8004)}.",
            f"{who} came in late and left early.",
        ))  # fmt: skip
        yield said, [f"person:{who.lower()}"]


def main(place: Path, seed: int) -> None:
    """Tell of sessions for ever."""
    chance = random.Random(seed)
    with Store.open(place, embedder="off", thinkers=THINKERS) as store:
        for number in range(10_000):
            teller = store.memory("me/agent", source=chance.choice(NAMES[:3]))
            name = f"{seed}-{number}"
            for text, features in session(chance):
                teller.record_event(text, features=features, session=name)
            close = {"features": [f"session:{name}"], "boundary": "close"}
            teller.say("record_event", close, content={"text": "It is over"}, session=name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
