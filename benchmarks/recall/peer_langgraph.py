"""langgraph's ``InMemoryStore`` as a peer, as ``peer_mem0`` is: driven over pipes, given the vectors that we have.

Each line on stdin is a JSON object. ``{"put": key, "of": name, "text": text, "vector": [floats]}`` puts a text under a
key, ``{"delete": key, "of": name}`` deletes it, and ``{"rank": text, "of": name, "vector": [floats], "k": k}`` answers
``{"ranked": [[key, score], ...]}``, the best first.
"""

import json
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Answer lines until there are no more."""
    known: dict[str, list[float]] = {}
    store: Any = None
    kept = import_module("langgraph.store.memory")  # in the peer's environment only
    for line in sys.stdin:
        asked = json.loads(line)
        if store is None:
            index = {"dims": len(asked["vector"]), "embed": lambda texts: [known[text] for text in texts]}
            store = kept.InMemoryStore(index=index | {"fields": ["text"]})
        sys.stdout.write(json.dumps(_answer(store, known, asked)) + "\n")
        sys.stdout.flush()


def _answer(store: Any, known: dict[str, list[float]], asked: dict[str, Any]) -> dict[str, Any]:
    where = (asked["of"],)
    if "rank" in asked:
        known[asked["rank"]] = asked["vector"]
        found = store.search(where, query=asked["rank"], limit=asked["k"])
        return {"ranked": [[item.key, item.score] for item in found]}
    if "delete" in asked:
        store.delete(where, asked["delete"])
        return {"deleted": asked["delete"]}
    known[asked["text"]] = asked["vector"]
    store.put(where, asked["put"], {"text": asked["text"]})
    return {"put": asked["put"]}


if __name__ == "__main__":
    main()
