"""A conversation of LoCoMo as a memory: imported, embedded and asked as anybody would do it."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding, reembed
from yggdrasil_infra.embedders import Embedder
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.importers.locomo import import_locomo
from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_schemas.limits import RETURNED_MAX

from .locomo_questions import Conversation


class Remembered:
    """One conversation that is remembered. Nothing that is asked is recorded, so that no question helps another."""

    def __init__(self, engine: Embedded, name: str) -> None:
        self._engine = engine
        self._drafter = Drafter(f"locomo/{name}", "benchmark", "benchmark")
        self._memory = Memory(engine, self._drafter)

    def embed(self, model: Embedder) -> None:
        """Give every turn a vector; what is asked from now on gets one too."""
        reembed(self._engine, self._drafter.memory, model)
        self._memory = Memory(self._engine, self._drafter, embedding=Embedding(model))

    def context(self, question: str, tokens_max: int | None = None) -> Context:
        """Return the answer to a question: as many memories as can be had."""
        return self._memory.get_context(question, k=RETURNED_MAX, tokens_max=tokens_max, record=False)

    def found(self, question: str, tokens_max: int | None = None) -> list[str]:
        """Return the ``dia_id`` of the turns in the answer to a question, best first."""
        return [(one.memory.payload or {})["dia_id"] for one in self.context(question, tokens_max).found]


@contextmanager
def remembered(scratch: Path, data: Path, conversation: Conversation) -> Generator[Remembered]:
    """Make a memory of one conversation in ``data``, without vectors as yet."""
    with Embedded(scratch / conversation.name, partitions=1) as engine:
        made = Remembered(engine, conversation.name)
        drafter = Drafter(f"locomo/{conversation.name}", "benchmark", "benchmark")
        for _ in engine.submit_many(import_locomo(data, drafter, sample=conversation.name).drafts):
            pass
        yield made
