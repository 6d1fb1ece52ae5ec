"""A fixed history of 3,000 commands of all kinds under small caps: ``python -m tests.graph.fixed_history`` folds it.

Prints the digest of every memory and the chain of the log as JSON. With ``--write`` it also stores them as the golden
digests, which is allowed while the release is before 1.0 and says in the commit why they changed.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from yggdrasil_infra.log import LogRecord

from tests.graph.commands import Said, event, outcome, recall, use
from tests.graph.histories import MEMORIES, TINY, record
from tests.graph.hosts import digests, projecting
from tests.graph.list_log import ListLog

COMMANDS: Final = 3_000
SEED: Final = 20_261_121
GOLDEN: Final = Path(__file__).parent.parent / "golden" / "fold-rules-1.json"


def fixed_history() -> list[LogRecord]:
    """Three memories that live as agents do, each command about something recent, with any kind of noise between."""
    rng = Random(SEED)
    records = [TINY.record(offset, memory) for offset, memory in enumerate(MEMORIES)]
    lived: dict[str, list[str]] = {memory: ["nothing yet"] for memory in MEMORIES}
    asked: dict[str, list[str]] = {memory: ["nothing yet"] for memory in MEMORIES}
    while len(records) < COMMANDS:
        offset, memory = len(records), rng.choice(MEMORIES)
        if rng.random() < 0.2:
            records.append(record(rng.getrandbits(32), offset))
            continue
        said = _lived(rng, f"command {offset}", lived[memory][-12:], asked[memory][-4:])
        records.append(said.record(offset, memory))
        if said.type in ("record_event", "record_recall"):
            (lived if said.type == "record_event" else asked)[memory].append(said.name)
    return records


def _lived(rng: Random, name: str, lived: list[str], asked: list[str]) -> Said:
    """A command about what was said in its memory lately."""
    kind = rng.choices(("event", "outcome", "recall", "use"), (50, 20, 15, 15))[0]
    features = [f"f{n}" for n in rng.sample(range(40), 10)]
    if kind == "event":
        return event(name, *features[: rng.choice((0, 1, 2, 4, 10))], session=f"s{rng.randrange(6)}")
    if kind == "outcome":
        value = rng.choice((-10.0, -1.5, 0.0, 0.5, 3.0, 10.0))
        disaster = value < 0 and rng.random() < 0.3
        return outcome(name, rng.choice(lived), value, kind=f"kind{rng.randrange(4)}", catastrophic=disaster)
    if kind == "recall":
        return recall(name, "feature:f0", *(f"feature:{feature}" for feature in features), *lived[-2:])
    result = rng.choice(("success", "failure", "unknown"))
    return use(name, rng.choice(asked), "feature:f0", result=result, helpful=rng.random() < 0.5)


def results(change: Callable[[list[LogRecord]], None] = lambda _: None) -> dict[str, str]:
    """Fold the history, after ``change``, and return what it must be compared by."""
    records = fixed_history()
    change(records)
    with TemporaryDirectory() as folder, projecting(ListLog(records), Path(folder) / "store", 500) as projector:
        projector.catch_up()
        return digests(projector.store) | {"chain": projector.store.state.chain.hex()}


def main(arguments: list[str]) -> None:
    text = json.dumps(results(), indent=2, sort_keys=True) + "\n"
    sys.stdout.write(text)
    if "--write" in arguments:
        GOLDEN.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
