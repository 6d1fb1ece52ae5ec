"""One run of an import: appended to a topic, sent to a service, or folded in a directory and then given vectors.

In a directory the texts come first, so that they can be found by their words at once, and then their vectors, batch by
batch. Meanwhile others use the directory through a socket of this process, as they would a service.
"""

import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...options import OnKafka
from ...screen import Screen, clean, counted
from .standing import How, InMemory

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.embedding import Embedding
    from yggdrasil.engines.engine import ReadingEngine
    from yggdrasil.engines.remote import Remote
    from yggdrasil_producers.again import Again
    from yggdrasil_producers.draft import Draft, Drafter
    from yggdrasil_producers.importers import Import
    from yggdrasil_projections.graph.fold import Answer
    from yggdrasil_schemas.errors import YggdrasilError


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
class Vectors:
    """How many texts were given a vector, in which time, how many have none yet, and the error that left them so.

    ``later``: it is a service that makes them, by and by.
    """

    attached: int = 0
    missing: int = 0
    seconds: float = 0.0
    error: "YggdrasilError | None" = None
    later: bool = False

    @property
    def document(self) -> dict[str, Any]:
        """The result for machines."""
        told = {"attached": self.attached, "missing": self.missing, "seconds": round(self.seconds, 3)}
        return told if self.error is None else {**told, "error": str(self.error)}

    @property
    def sentence(self) -> str:
        """What follows on the line of an import; nothing where there was nothing to do."""
        if self.attached:
            return f"; {counted(self.attached, 'text')} given a vector ({self.seconds:.1f} s)"
        if self.later and self.missing:
            return (
                f"; {counted(self.missing, 'text')} found by words, until the service has made the vectors "
                "(`yggdrasil read overview vectors=true` says how many there are)"
            )
        return ""


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
    memories: list[str] = field(default_factory=list[str])
    vectors: Vectors | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The result for machines."""
        seconds = round(self.seconds, 3)
        told = {"new": self.new, "changed": self.changed, "known": self.known, "withdrawn": self.withdrawn}
        vectors = {} if self.vectors is None else {"vectors": self.vectors.document}
        return {**told, "refused": self.refused, "seconds": seconds} | vectors

    @property
    def sentence(self) -> str:
        """The result in one line."""
        refused = ", ".join(f"{count} refused ({reason})" for reason, count in sorted(self.refused.items()))
        vectors = "" if self.vectors is None else self.vectors.sentence
        if not self.units:
            return "nothing to import"
        if not self.new and not refused:
            return f"nothing changed: all {counted(self.known, 'command')} were known already{vectors}"
        parts = [counted(self.new, "new command"), f"{self.known:,} already known", refused or "none refused"]
        parts[1:1] = [f"{self.changed:,} of them for what has changed"] if self.changed else []
        parts[1:1] = [f"{self.withdrawn:,} to withdraw what is gone"] if self.withdrawn else []
        return f"{', '.join(parts)} ({self.seconds:.1f} s){vectors}"


def run_import(
    screen: Screen,
    engine: "ReadingEngine",
    source: "Import",
    unit: str,
    *,
    rate: float = 0.0,
    again: "Again | None" = None,
) -> Imported:
    """Append and fold everything that ``source`` has, with a bar that counts its units as they are folded.

    No vector is made here. Above 0, ``rate`` is how many commands a second are drawn at most. Interrupting it is safe:
    what was appended stays, and the next run goes on from there.
    """
    from contextlib import closing

    result = Imported(source.total)
    refused: Counter[str] = Counter()
    memories: dict[str, None] = {}
    begun = time.monotonic()
    before: deque[int] = deque()  # of each draft that is drawn and not answered, how many units were complete before it

    def drawn() -> "Iterator[Draft]":
        for count, draft in enumerate(source.drafts):
            if rate:
                time.sleep(max(0.0, begun + count / rate - time.monotonic()))
            before.append(source.done)
            memories[draft.memory] = None
            yield draft

    with (
        closing(source),
        screen.progress(f"Importing {unit}s", source.total) as advance,
        closing(_answers(engine, drawn())) as answers,
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
    result.refused, result.memories = dict(refused), list(memories)
    if again is not None:
        result.known += again.counts.of["known"]
        result.changed, result.withdrawn = again.counts.of["changed"], again.counts.of["withdrawn"]
    result.seconds = time.monotonic() - begun
    return result


def fold_import(
    screen: Screen, place: InDirectory, source: "Import", unit: str, drafter: "Drafter", how: How | None
) -> Imported:
    """Append and fold everything that ``source`` has into a directory, made if it is not there, and give it vectors.

    Others can use the directory meanwhile. Where a service has it, this goes through that one, which makes the vectors.
    """
    from contextlib import ExitStack, closing

    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.own_log import briefly
    from yggdrasil.opening import opened

    from ...completing import Shared
    from ...opening import catch_up, heard, usable

    usable(place.directory)
    with ExitStack() as stack:
        stack.enter_context(heard(screen))
        with briefly():
            engine, vectors = opened(place.directory, None, place.embedder)
        stack.enter_context(closing(engine))
        embedding = vectors.embedding
        if embedding is not None:
            stack.enter_context(closing(embedding))
        catch_up(screen, engine)
        if isinstance(engine, Embedded):
            stack.enter_context(Shared(engine, embedding))
        standing = InMemory(engine, drafter.memory, drafter.source) if how is not None else None
        again = how.again(drafter, standing, source) if how is not None else None
        imported = run_import(screen, engine, source, unit, again=again)
        if embedding is not None and isinstance(engine, Embedded) and embedding.current.provider != "supplied":
            imported.vectors = _with_vectors(screen, engine, imported.memories, embedding)
        elif not isinstance(engine, Embedded):
            imported.vectors = _to_come(engine, imported.memories)
    return imported


def _with_vectors(screen: Screen, engine: "Embedded", memories: "Sequence[str]", embedding: "Embedding") -> Vectors:
    """Give the texts of ``memories`` vectors, as far as the embedder goes."""
    from ...completing import give_vectors

    found, begun = Vectors(), time.monotonic()
    for memory in memories:
        given = give_vectors(screen, engine, memory, embedding)
        found.attached += given.attached
        found.missing += given.texts - given.covered
        found.error = found.error or given.error
    found.seconds = time.monotonic() - begun
    return found


def _to_come(engine: "Remote", memories: "Sequence[str]") -> Vectors | None:
    """Return how many texts of ``memories`` the service has yet to give vectors; None where that cannot be told."""
    from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview
    from yggdrasil_schemas.errors import YggdrasilError

    found = Vectors(later=True)
    for memory in memories:
        try:
            told = engine.ask(memory, AskOverview(vectors=True)).overview.vectors
        except YggdrasilError:  # the key may only append, or the texts are not folded yet
            return None
        if told is None or told.model is None:
            return None
        found.missing += told.texts - told.covered
    return found


def send_import(
    screen: Screen, remote: "Remote", source: "Import", unit: str, rate: float, again: "Again | None" = None
) -> Imported:
    """Send everything that ``source`` has to a service, a hundred commands in each request, at most ``rate`` a second.

    No more than one request's worth is held here. While the service says that it is busy, it is waited for. It makes
    the vectors afterwards.
    """
    imported = run_import(screen, remote, source, unit, rate=rate, again=again)
    imported.vectors = _to_come(remote, imported.memories)
    return imported


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


def _answers(engine: "ReadingEngine", drafts: "Iterator[Draft]") -> "Generator[Answer, None, None]":
    from contextlib import closing

    from yggdrasil.engines.beside import as_before

    with closing(as_before(engine, drafts)) as batches:
        for batch in batches:
            for _, answer in engine.submit_many(batch, texts_first=True):
                yield answer
