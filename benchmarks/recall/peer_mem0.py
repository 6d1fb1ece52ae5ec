"""mem0 as a peer: run by a Python of its own (``make peers``), driven over pipes, given the vectors that we have.

Each line on stdin is a JSON object. ``{"add": [[text, [floats]], ...], "from": 0}`` answers ``{"added": n}``;
``{"search": text, "vector": [floats], "k": k}`` answers ``{"found": [place, ...], "seconds": s}``, the places being
those of what was added. It needs nothing of this project, so that neither's dependencies bend the other's.

``{"put": key, "of": user, "text": text, "vector": [floats]}`` remembers under a key or updates what is there,
``{"delete": key, "of": user}`` deletes it, and ``{"rank": text, "of": user, "vector": [floats], "k": k}`` answers
``{"ranked": [[key, score], ...]}``, the best first.
"""

import json
import os
import sys
import tempfile
from time import perf_counter
from typing import Any

os.environ["MEM0_TELEMETRY"] = "false"
os.environ.setdefault("OPENAI_API_KEY", "none")  # wanted on construction, never used: nothing is inferred

_USER = "one"


class _Given:
    """An embedder that looks up what it was told; mem0 strips what is asked."""

    def __init__(self, config: Any) -> None:
        self.config = config
        self.known: dict[str, list[float]] = {}
        self.ids: dict[tuple[str, str], str] = {}
        self.keys: dict[str, str] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the vector that came with ``text``."""
        return self.known[text.strip()]

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        """Return the vectors that came with ``texts``."""
        return [self.known[text.strip()] for text in texts]


def main() -> None:
    """Answer lines until there are no more."""
    memory: Any = None
    given: _Given | None = None
    with tempfile.TemporaryDirectory(prefix="yggdrasil-peer-") as scratch:
        os.environ["MEM0_DIR"] = scratch  # else it leaves a folder at home; read on import
        from mem0 import Memory  # type: ignore[import-not-found]  # noqa: PLC0415 - in the peer's environment only

        for line in sys.stdin:
            asked = json.loads(line)
            if memory is None:
                dimension = len(asked["add"][0][1] if "add" in asked else asked["vector"])
                store = {"collection_name": "all", "path": f"{scratch}/vectors", "embedding_model_dims": dimension}
                memory = Memory.from_config(
                    {
                        "vector_store": {"provider": "qdrant", "config": store | {"on_disk": True}},
                        "history_db_path": f"{scratch}/history.db",
                    }
                )
                given = memory.embedding_model = _Given(memory.embedding_model.config)
            answer = _answer(memory, given, asked)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def _answer(memory: Any, given: Any, asked: dict[str, Any]) -> dict[str, Any]:
    if "of" in asked:
        return _keyed(memory, given, asked)
    if "add" in asked:
        for place, (text, vector) in enumerate(asked["add"], asked["from"]):
            given.known[text.strip()] = vector
            memory.add(text, user_id=_USER, metadata={"place": place}, infer=False)
        return {"added": len(asked["add"])}
    given.known[asked["search"].strip()] = asked["vector"]
    start = perf_counter()
    found = memory.search(asked["search"], filters={"user_id": _USER}, top_k=asked["k"], threshold=0.0)
    took = perf_counter() - start
    return {"found": [entry["metadata"]["place"] for entry in found["results"]], "seconds": took}


def _keyed(memory: Any, given: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Keep and rank what has a key; mem0's own ids are remembered beside it."""
    user = asked["of"]
    if "rank" in asked:
        given.known[asked["rank"].strip()] = asked["vector"]
        found = memory.search(asked["rank"], filters={"user_id": user}, top_k=asked["k"], threshold=0.0)
        return {"ranked": [[given.keys[entry["id"]], entry["score"]] for entry in found["results"]]}
    key = asked.get("put", asked.get("delete"))
    id_ = given.ids.get((user, key))
    if "delete" in asked:
        memory.delete(given.ids.pop((user, key)))
        return {"deleted": key}
    given.known[asked["text"].strip()] = asked["vector"]
    if id_ is not None:
        memory.update(id_, text=asked["text"])
        return {"put": key}
    id_ = memory.add(asked["text"], user_id=user, infer=False)["results"][0]["id"]
    given.ids[user, key], given.keys[id_] = id_, key
    return {"put": key}


if __name__ == "__main__":
    main()
