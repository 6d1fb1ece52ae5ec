"""One run of an import into a directory: appended and folded with a bar, its vectors made beside."""

import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..screen import Screen, counted

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.embedding import Embedding
    from yggdrasil_producers.draft import Draft
    from yggdrasil_producers.importers import Import
    from yggdrasil_projections.graph.fold import Answer


@dataclass(slots=True)
class Imported:
    """What became of an import: its source's units, and its commands by what the fold said of them."""

    units: int
    new: int = 0
    known: int = 0
    refused: dict[str, int] = field(default_factory=dict[str, int])
    seconds: float = 0.0

    @property
    def sentence(self) -> str:
        """The result in one line."""
        refused = ", ".join(f"{count} refused ({reason})" for reason, count in sorted(self.refused.items()))
        if not self.units:
            return "nothing to import"
        if not self.new and not refused:
            return f"nothing changed: all {counted(self.known, 'command')} were known already"
        parts = [counted(self.new, "new command"), f"{self.known:,} already known", refused or "none refused"]
        return f"{', '.join(parts)} ({self.seconds:.1f} s)"


def run_import(
    screen: Screen, engine: "Embedded", source: "Import", unit: str, embedding: "Embedding | None" = None
) -> Imported:
    """Append and fold everything that ``source`` has, with a bar that counts its units as they are folded.

    With ``embedding`` the vectors of what comes next are made meanwhile. Interrupting it is safe: what was appended
    stays, and the next run goes on from there.
    """
    from contextlib import closing

    result = Imported(source.total)
    refused: Counter[str] = Counter()
    begun = time.monotonic()
    before: deque[int] = deque()  # of each draft that is drawn and not answered, how many units were complete before it

    def drawn() -> "Iterator[Draft]":
        for draft in source.drafts:
            before.append(source.done)
            yield draft

    with (
        closing(source),
        screen.progress(f"Importing {unit}s", source.total) as advance,
        closing(_answers(engine, drawn(), embedding)) as answers,
    ):
        shown = 0
        for answer in answers:
            if answer.refused is not None:
                refused[answer.refused.reason.code] += 1
            elif answer.duplicate:
                result.known += 1
            else:
                result.new += 1
            done = before.popleft()
            if done != shown:
                advance(done - shown)
                shown = done
        advance(source.done - shown)
    result.refused = dict(refused)
    result.seconds = time.monotonic() - begun
    return result


def _answers(
    engine: "Embedded", drafts: "Iterator[Draft]", embedding: "Embedding | None"
) -> "Generator[Answer, None, None]":
    if embedding is None:
        for _, answer in engine.submit_many(drafts):
            yield answer
        return
    from contextlib import closing

    from yggdrasil.engines.beside import completed_beside

    with closing(completed_beside(embedding, engine, drafts)) as batches:
        for batch in batches:
            for _, answer in engine.submit_many(batch):
                yield answer
