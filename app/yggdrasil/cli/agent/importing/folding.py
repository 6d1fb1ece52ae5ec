"""One run of an import: appended to a topic, sent to a service, or folded in a directory with its vectors beside."""

import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...options import OnKafka
from ...screen import Screen, clean, counted
from .standing import How, InMemory

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from yggdrasil.engines.embedding import Embedding
    from yggdrasil.engines.engine import ReadingEngine
    from yggdrasil.engines.remote import Remote
    from yggdrasil_producers.again import Again
    from yggdrasil_producers.draft import Draft, Drafter
    from yggdrasil_producers.importers import Import
    from yggdrasil_projections.graph.fold import Answer


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of an import into a topic: how many commands the brokers have acknowledged."""

    appended: int
    seconds: float

    def sentence(self, place: OnKafka) -> str:
        """The result in one line."""
        if not self.appended:
            return "nothing to import"
        appended = f"{counted(self.appended, 'command')} appended to {clean(place)} ({self.seconds:.1f} s)"
        return f"{appended}. Workers fold them, and know by its id what was imported before."


@dataclass(frozen=True, slots=True)
class InDirectory:
    """A log in a directory, and the setting of the embedder that its texts are to get vectors by, if one was typed."""

    directory: Path
    embedder: str | None


@dataclass(slots=True)
class Imported:
    """What became of an import: its source's units, and its commands by what the fold said of them."""

    units: int
    new: int = 0
    known: int = 0
    changed: int = 0
    withdrawn: int = 0
    refused: dict[str, int] = field(default_factory=dict[str, int])
    seconds: float = 0.0

    @property
    def document(self) -> dict[str, Any]:
        """The result for machines."""
        seconds = round(self.seconds, 3)
        told = {"new": self.new, "changed": self.changed, "known": self.known, "withdrawn": self.withdrawn}
        return {**told, "refused": self.refused, "seconds": seconds}

    @property
    def sentence(self) -> str:
        """The result in one line."""
        refused = ", ".join(f"{count} refused ({reason})" for reason, count in sorted(self.refused.items()))
        if not self.units:
            return "nothing to import"
        if not self.new and not refused:
            return f"nothing changed: all {counted(self.known, 'command')} were known already"
        parts = [counted(self.new, "new command"), f"{self.known:,} already known", refused or "none refused"]
        parts[1:1] = [f"{self.changed:,} of them for what has changed"] if self.changed else []
        parts[1:1] = [f"{self.withdrawn:,} to withdraw what is gone"] if self.withdrawn else []
        return f"{', '.join(parts)} ({self.seconds:.1f} s)"


def run_import(
    screen: Screen,
    engine: "ReadingEngine",
    source: "Import",
    unit: str,
    embedding: "Embedding | None" = None,
    *,
    rate: float = 0.0,
    again: "Again | None" = None,
) -> Imported:
    """Append and fold everything that ``source`` has, with a bar that counts its units as they are folded.

    With ``embedding`` the vectors of what comes next are made meanwhile. Above 0, ``rate`` is how many commands a
    second are drawn at most. Interrupting it is safe: what was appended
    stays, and the next run goes on from there.
    """
    from contextlib import closing

    result = Imported(source.total)
    refused: Counter[str] = Counter()
    begun = time.monotonic()
    before: deque[int] = deque()  # of each draft that is drawn and not answered, how many units were complete before it

    def drawn() -> "Iterator[Draft]":
        for count, draft in enumerate(source.drafts):
            if rate:
                time.sleep(max(0.0, begun + count / rate - time.monotonic()))
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
    if again is not None:
        result.known += again.counts.of["known"]
        result.changed, result.withdrawn = again.counts.of["changed"], again.counts.of["withdrawn"]
    result.seconds = time.monotonic() - begun
    return result


def fold_import(
    screen: Screen, place: InDirectory, source: "Import", unit: str, drafter: "Drafter", how: How | None
) -> Imported:
    """Append and fold everything that ``source`` has into a directory, made if it is not there."""
    from contextlib import ExitStack, closing

    from yggdrasil.opening import opened

    from ...opening import catch_up, heard, usable

    usable(place.directory)
    with ExitStack() as stack:
        stack.enter_context(heard(screen))
        engine, vectors = opened(place.directory, None, place.embedder)
        stack.enter_context(closing(engine))
        if vectors.embedding is not None:
            stack.enter_context(closing(vectors.embedding))
        catch_up(screen, engine)
        standing = InMemory(engine, drafter.memory, drafter.source) if how is not None else None
        again = how.again(drafter, standing, source) if how is not None else None
        return run_import(screen, engine, source, unit, vectors.embedding, again=again)


def send_import(
    screen: Screen, remote: "Remote", source: "Import", unit: str, rate: float, again: "Again | None" = None
) -> Imported:
    """Send everything that ``source`` has to a service, a hundred commands in each request, at most ``rate`` a second.

    No more than one request's worth is held here. While the service says that it is busy, it is waited for.
    """
    return run_import(screen, remote, source, unit, rate=rate, again=again)


def append_import(screen: Screen, place: OnKafka, source: "Import", unit: str) -> Appended:
    """Append everything that ``source`` has, with a bar that counts its units as they are acknowledged."""
    from contextlib import closing

    from yggdrasil.engines.published import Published

    begun = time.monotonic()
    commands = shown = 0
    with (
        closing(source),
        closing(Published(place.settings, place.topic, place.profile)) as engine,
        screen.progress(f"Appending {unit}s", source.total) as advance,
    ):
        for _ in engine.submit_many(source.drafts):
            commands += 1
            if source.done != shown:
                advance(source.done - shown)
                shown = source.done
    return Appended(commands, round(time.monotonic() - begun, 3))


def _answers(
    engine: "ReadingEngine", drafts: "Iterator[Draft]", embedding: "Embedding | None"
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
