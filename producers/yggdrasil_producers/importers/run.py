"""One run of an importer: what there is to do, and the drafts that do it."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Final

from ..draft import Draft

UNREAD_KEPT: Final = 1_000


@dataclass(slots=True)
class Unread:
    """What of a source could not be understood: how many lines, and of the first 1,000 the number and why."""

    count: int = 0
    lines: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def add(self, number: int, why: str) -> None:
        """Note a line, counted from 1."""
        self.count += 1
        if len(self.lines) < UNREAD_KEPT:
            self.lines.append((number, why))


@dataclass(slots=True)
class Import:
    """A source that is being imported.

    ``total`` counts the source's own units (commits, lines, turns) and is known at once; ``done`` counts those whose
    drafts have all been taken. A unit may give several drafts (a commit and the outcomes that it explains), so a
    progress bar shows ``done`` of ``total`` and never counts drafts. ``drafts`` can be walked once; it raises
    ImporterError when the source breaks off. ``close`` stops early and lets go of the source. ``unread`` is what was
    passed over, where a source may have some.
    """

    total: int
    steps: Iterable[Iterable[Draft]] = field(repr=False)
    unread: Unread = field(default_factory=Unread)
    done: int = 0
    drafts: Generator[Draft, None, None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.drafts = self._walk()

    def close(self) -> None:
        """Stop: no more drafts come. Harmless after the last one."""
        self.drafts.close()
        close = getattr(self.steps, "close", None)  # a generator of steps holds the source; a tuple holds nothing
        if close is not None:
            close()

    def _walk(self) -> Generator[Draft, None, None]:
        for step in self.steps:
            yield from step
            self.done += 1
