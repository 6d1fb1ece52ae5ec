"""Lives of memories for tests of the search: the fold's random histories, with something to search for in them."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from tests.graph.commands import Said, policy
from tests.graph.histories import said
from tests.graph.hosts import BUDGET
from tests.graph.list_log import ListLog
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin, View
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.asks import Ask, QueryVector, Where
from yggdrasil_projections.retrieval.index.held import Held
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER, TOKENIZERS

WORDS = (
    "deploy", "friday", "outage", "router", "lost", "packets", "lunch", "soup", "meeting", "may", "2023", "retry",
    "payment", "ann", "bob", "disk", "full",
)  # fmt: skip
NAMES = ("router", "ruoter", "rule of retry", "Payment Law", "Outages", "lunch", "Bob Lee", "Annette Meeting")
MODELS = ("small", "large")
DIMENSION = 6
DAY_MS, BEGIN_MS, DAYS = 86_400_000, 1_680_000_000_000, 115
ROOMY = policy(
    "roomy",
    nodes_max=90,
    sessions_open_max=4,
    edges_max=400,
    degree_max=32,
    archived_max=30,
    search_refusal=0.0,
    search_gap=-1.0,
)


def sentence(rng: Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randrange(9))) + rng.choice(("", "?", "."))


def values(rng: Random) -> bytes:
    return bytes(rng.randrange(-127, 128) & 0xFF for _ in range(DIMENSION))


def vector(rng: Random) -> dict[str, object]:
    data = b64encode(values(rng)).decode()
    made: dict[str, object] = {"model": rng.choice(MODELS), "dimension": DIMENSION, "data": data}
    pieces = Random(f"pieces{data}")
    if pieces.random() < 0.4:
        made["pieces"] = [
            {"begin": 9 * at, "end": 9 * at + 9, "data": b64encode(values(pieces)).decode()}
            for at in range(pieces.randrange(1, 5))
        ]
    return made


def noted(rng: Random) -> dict[str, object]:
    """What some notes are called beside their text, such that other notes have these names, or some misspelt, too."""
    if rng.random() < 0.7:
        return {}
    called = [rng.choice(NAMES) for _ in range(rng.randrange(1, 4))]
    return {"name": called[0], "aliases": sorted(set(called[1:])), "rationale": sentence(rng)}


def spoken(seed: int) -> Said:
    """A command of the fold's histories that says something, about somebody, on some day."""
    rng = Random(f"spoken{seed}")
    built = said(seed, names=128)
    if built.type == "attach_vector":
        return replace(built, content={"vector": vector(rng)})
    if built.type not in ("record_event", "log_outcome", "commit_episode", "form_concept"):
        return built
    content: dict[str, object] = {"text": sentence(rng)}
    if rng.random() < 0.5:
        content["vector"] = vector(rng)
    if rng.random() < 0.2:
        content["payload"] = {"caption": "a picture of the " + sentence(rng), "sha": "a94a8fe5ccb19ba6"}
    if built.type == "record_event" and rng.random() < 0.7:
        speaker = rng.choice(("speaker:Ann", "speaker:Bob Lee", "service:checkout"))
        built = replace(built, body=built.body | {"features": [speaker, *built.body["features"][:8]]})
    content |= noted(Random(f"noted{seed}"))
    changed = {"at": BEGIN_MS + rng.randrange(10**10), "source": rng.choice(("test", "test", "desk", "door"))}
    if built.type == "record_event":
        changed["origin"] = rng.choice(("agent", "agent", "user"))
        note = Random(f"sort{seed}").choice((None, None, None, "fact", "decision", "open_question", "utterance"))
        built = replace(built, body=built.body | ({"note": note} if note else {}))
    return replace(built, content=content, changed=built.changed | changed)


def life(seed: int, count: int, memory: str = "tenant/a") -> list[LogRecord]:
    rng = Random(f"life{seed}")
    built = [ROOMY, *(spoken(rng.randrange(10**9)) for _ in range(count))]
    return [each.record(offset, memory) for offset, each in enumerate(built)]


def filters(rng: Random) -> Where:
    """A filter with one to three conditions, some of whose values nothing has."""
    features = [f"f{number}" for number in range(40)] + ["speaker:Ann", "outcome:kind1", "outcome:outcome", "nothing"]
    known: dict[str, Sequence[str]] = {
        "features_any": features,
        "features_all": ["speaker:Ann", "speaker:Bob Lee", "outcome:kind1"],
        "sessions": [f"s{number}" for number in range(7)],
        "kinds": ["event", "outcome", "episode", "concept", "claim"],
        "sources": ["test", "desk", "door", "nobody"],
        "origins": ["agent", "user", "tool", "operator"],
        "statuses": ["active", "contested", "quarantined", "superseded", "rejected", "resolved"],
        "notes": ["fact", "decision", "open_question", "warning", "utterance"],
    }
    given: dict[str, Any] = {}
    for name in rng.sample([*known, "since", "until", "trust_min", "history"], rng.randint(1, 3)):
        if name == "history":
            given[name] = True
        elif name == "trust_min":
            given[name] = rng.choice((1, 1, 2))
        elif name in known:
            of = known[name]
            given[name] = rng.sample(of, rng.randint(1, 1 if name == "features_all" else len(of) * 2 // 3))
        else:
            early, late = (0, DAYS // 2) if name == "since" else (DAYS // 2, DAYS)
            given[name] = BEGIN_MS + rng.randint(early, late) * DAY_MS
    return Where(**given)


def asks(rng: Random, memory: str = "tenant/a") -> Ask:
    names = rng.choice(("", "Ann", "Bob Lee's", "checkout"))
    question = f"{sentence(rng)} {names} {rng.choice(('', 'April 2023', '5 May'))}"
    of = QueryVector(rng.choice(MODELS), values(rng)) if rng.random() < 0.7 else None
    asked = Ask(memory, question, rng.choice((1, 5, 50)), rng.choice((None, 20, 200)), of)
    return replace(asked, where=filters(rng)) if rng.random() < 0.3 else asked


@contextmanager
def living(path: Path, *views: View) -> Iterator[tuple[ListLog, Projector]]:
    """A log that can be extended, and a projector whose store tells ``views`` of every commit."""
    log = ListLog()
    with GraphStore(path, Pin("topic-1", 1, 0), BUDGET, views=views) as store:
        projector = Projector(log, store)
        try:
            yield log, projector
        finally:
            projector.close()


def anew(graph: Graph, tokenizer: str = TOKENIZER.name) -> MemoryIndex:
    index = MemoryIndex(graph.header.memory, Held(tokenizer=TOKENIZERS[tokenizer]))
    index.catch_up(graph)
    return index
