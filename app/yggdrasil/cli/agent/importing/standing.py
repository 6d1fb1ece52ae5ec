"""What stands in a memory of what was imported before: in a directory, behind a service, or in a file of our own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from yggdrasil.engines.engine import ReadingEngine
    from yggdrasil_producers.again import Again, Standing, Version
    from yggdrasil_producers.draft import Draft, Drafter
    from yggdrasil_producers.importers import Import
    from yggdrasil_projections.retrieval.memories import MemoryObject

SYNC_HELP: Final = "Withdraw what was imported from it before, and is in it no longer."
AS_HELP: Final = "A name for this source, to tell it from others of its sort: two vaults, two accounts."
STATE_HELP: Final = "With --kafka: a file that keeps what was said, so that what has changed can be told."
_CALLED: Final = re.compile(r"[^:]{1,40}")
_FALLEN: Final = ("superseded", "rejected", "resolved", "quarantined")
_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class How:
    """How a source is imported again: its sort, whether what is gone is withdrawn, its name, and a file of our own."""

    sort: str
    sync: bool = False
    called: str | None = None
    state: Path | None = None

    def __post_init__(self) -> None:
        """Raise BadParameter for what is no name."""
        import typer

        if self.called is not None and (not _CALLED.fullmatch(self.called) or not self.called.isprintable()):
            raise typer.BadParameter("--as takes a name of 1 to 40 characters, without colons")

    def again(self, drafter: "Drafter", standing: "Standing | None", source: "Import") -> "Again":
        """Let ``source`` pass on what is to be said; return what does that, and counts."""
        from yggdrasil_producers.again import Again

        again = Again(drafter, standing, self.called)

        def passed_on(drafts: "Iterable[Draft]") -> "Generator[Draft, None, None]":
            yield from again.passed_on(drafts)
            if not self.sync:
                return
            if why := self._why_not(source):
                source.remarks += (f"--sync withdraws nothing: {why}",)
            else:
                yield from again.gone(self.sort)

        source.through(passed_on)
        return again

    @staticmethod
    def _why_not(source: "Import") -> str | None:
        """Return why it cannot be told what is gone; None where it can."""
        if not source.total:
            return "there is nothing in the source; is it the right one?"
        hidden = source.unread.hidden
        return f"what seems to be gone may be in what cannot be read ({hidden:,} above)" if hidden else None


class InMemory:
    """What stands in the memory that an engine holds. Of a memory that was not imported into nothing is asked."""

    def __init__(self, engine: "ReadingEngine", memory: str, source: str) -> None:
        self._engine = engine
        self._memory = memory
        self._source = source
        self._empty = next(self._said(1), None) is None

    def under(self, key: str) -> "list[Version]":
        """Return what was said under a key, the first first."""
        from yggdrasil_projections.retrieval.reads.knowledge.history import AskHistory

        if self._empty:
            return []
        return list(map(_version, self._engine.ask(self._memory, AskHistory(key=key)).memories))

    def called(self, command_id: str) -> "Version | None":
        """Return what a command has said; None of one that is not known."""
        from yggdrasil_projections.retrieval.errors import UnknownNodeError
        from yggdrasil_projections.retrieval.reads.knowledge.history import AskHistory

        if self._empty:
            return None
        try:
            found = self._engine.ask(self._memory, AskHistory(command_id)).memories
        except UnknownNodeError:
            return None
        return next((_version(each) for each in found if each.ref == command_id), None)

    def keyed(self, prefix: str) -> Iterator[tuple[str, str]]:
        """Yield the keys that begin with ``prefix`` of what stands of this source, each with the id under it."""
        for each in self._said(_PAGE):
            if each.keyed is not None and each.keyed.startswith(prefix) and each.status not in _FALLEN:
                yield each.keyed, each.ref

    def _said(self, count: int) -> "Iterator[MemoryObject]":
        from yggdrasil_projections.retrieval.asks import Where
        from yggdrasil_projections.retrieval.errors import UnknownMemoryError
        from yggdrasil_projections.retrieval.reads.experience.timeline import AskTimeline

        where, before = Where(sources=[self._source], kinds=["event"]), None
        while True:
            try:
                page = self._engine.ask(self._memory, AskTimeline(before=before, count=count, where=where))
            except UnknownMemoryError:
                return
            yield from page.memories
            before = page.before
            if before is None:
                return


def _version(each: "MemoryObject") -> "Version":
    from yggdrasil_producers.again import Version, says

    content = {"text": each.text, "payload": each.payload, "name": each.name, "aliases": each.aliases}
    fields: dict[str, Any] = {
        "content": content | {"rationale": each.rationale},
        "body": {"features": each.features, "note": each.note},
        "session": each.session,
    }
    return Version(each.ref, each.status not in _FALLEN, each.ruling.by if each.ruling else None, says(fields))


class InFile:
    """What was said by runs that wrote the same file, where a memory cannot be read.

    A line is the key, the id, what has withdrawn it (null where it stands), and what was said.
    """

    def __init__(self, path: Path) -> None:
        """Read the file, if it is there. Raises ImporterError for what is none of ours."""
        import orjson

        from yggdrasil_producers.again import Version
        from yggdrasil_producers.errors import ImporterError

        self.path = path
        self._known: dict[str, Version] = {}
        try:
            lines = path.read_bytes().splitlines() if path.exists() else []
            for line in lines:
                key, own, by, said = orjson.loads(line)
                self._known[str(key)] = Version(str(own), by is None, None if by is None else str(by), dict(said))
        except (ValueError, TypeError, OSError) as error:
            raise ImporterError(f"{path} is no file that an import has kept: {error}") from error

    def save(self, said: "dict[str, Version]") -> None:
        """Keep what was said as well, in one step."""
        import orjson

        from yggdrasil_infra.private import replace_private

        self._known |= said
        lines = (orjson.dumps([key, each.id, each.by, dict(each.said)]) + b"\n" for key, each in self._known.items())
        replace_private(self.path, b"".join(lines))

    def under(self, key: str) -> "list[Version]":
        """Return what was said last under a key."""
        found = self._known.get(key)
        return [] if found is None else [found]

    def called(self, command_id: str) -> "Version | None":
        """Return nothing: what was said before there was the file is not known."""
        del command_id
        return None

    def keyed(self, prefix: str) -> Iterator[tuple[str, str]]:
        """Yield the keys that begin with ``prefix`` of what stands, each with the id under it."""
        yield from ((key, each.id) for key, each in self._known.items() if each.stands and key.startswith(prefix))
