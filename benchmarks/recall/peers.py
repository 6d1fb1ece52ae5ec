"""Peers to compare with: other memories, each in an environment of its own (``make peers`` installs them)."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np

from yggdrasil_infra.embedders import Embedder
from yggdrasil_schemas.commands.vectors import Vector

from ..measure import say

PYTHON: Final = Path(__file__).parent.parent.parent / ".venv-peers" / "bin" / "python"
SCRIPTS: Final = {name: Path(__file__).parent / f"peer_{name}.py" for name in ("mem0", "langgraph")}
_CHUNK: Final = 100
_SHOWN: Final = 2_000


def mem0_python() -> Path | None:
    """Return the Python that has mem0; None, and a word to people, when ``make peers`` was not run."""
    if PYTHON.exists():
        return PYTHON
    say("  mem0 is not measured: `make peers` installs it")
    return None


class _Peer:
    """A peer in a process of its own, which answers each line on its stdin by one; a context manager."""

    def __init__(self, name: str, python: Path) -> None:
        self._name = name
        self._last_words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [str(python), str(SCRIPTS[name])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._last_words,
            env={**os.environ, "MEM0_TELEMETRY": "false"},
        )

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=60)
        self._last_words.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tell(self, asked: dict[str, Any]) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(asked).encode() + b"\n")
        stdin.flush()
        answer = stdout.readline()
        if not answer:
            self._process.wait()
            self._last_words.seek(0)
            said = self._last_words.read().decode(errors="replace")[-_SHOWN:]
            raise RuntimeError(f"{self._name} ended (`make peers` installs what peers need): {said}")
        found: dict[str, Any] = json.loads(answer)
        return found


class Mem0(_Peer):
    """mem0, with vectors that are given to it and nothing inferred."""

    def __init__(self, python: Path) -> None:
        super().__init__("mem0", python)

    def add(self, texts: Sequence[str], model: Embedder) -> None:
        """Let it remember ``texts``; they are called by their places from then on."""
        self.add_made(texts, model.embed_documents(texts))

    def add_made(self, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Let it remember ``texts`` with the vectors that were made of them."""
        entries = [[text, _floats(vector)] for text, vector in zip(texts, vectors, strict=True)]
        for first in range(0, len(entries), _CHUNK):
            self._tell({"add": entries[first : first + _CHUNK], "from": first})

    def search(self, text: str, model: Embedder, k: int) -> tuple[list[int], float]:
        """Return the places of the ``k`` best, and the seconds that it took, the query's vector not counted."""
        return self.search_made(text, model.embed_query(text), k)

    def search_made(self, text: str, vector: Vector, k: int) -> tuple[list[int], float]:
        """Return the places of the ``k`` best for a query with its vector, and the seconds that it took."""
        answer = self._tell({"search": text, "vector": _floats(vector), "k": k})
        return answer["found"], answer["seconds"]


class Keyed(_Peer):
    """A peer of ``SCRIPTS`` that keeps texts under keys, one namespace for each memory, with the vectors we have."""

    def put(self, memory: str, key: str, text: str, model: Embedder) -> None:
        """Let it remember ``text`` under a key, in place of what it had there."""
        vector = _floats(model.embed_documents([text])[0])
        self._tell({"put": key, "of": memory, "text": text, "vector": vector})

    def delete(self, memory: str, key: str) -> None:
        """Let it forget what is under a key."""
        self._tell({"delete": key, "of": memory})

    def scored(self, memory: str, text: str, model: Embedder, k: int) -> list[tuple[str, float]]:
        """Return the keys of the ``k`` best of a memory, each with the peer's score, the best first."""
        asked = {"rank": text, "of": memory, "vector": _floats(model.embed_query(text)), "k": k}
        return [(key, score) for key, score in self._tell(asked)["ranked"]]


def _floats(vector: Vector) -> list[float]:
    values = np.frombuffer(vector.values, np.int8).astype(float)
    floats: list[float] = (values / np.sqrt(values @ values)).round(6).tolist()
    return floats
