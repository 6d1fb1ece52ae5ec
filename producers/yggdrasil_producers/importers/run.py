"""One run of an importer: what there is to do, and the drafts that do it."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field

from ..draft import Draft


@dataclass(slots=True)
class Import:
    """A source that is being imported.

    ``total`` counts the source's own units (commits, lines, turns) and is known at once; ``done`` counts those whose
    drafts have all been taken. A unit may give several drafts (a commit and the outcomes that it explains), so a
    progress bar shows ``done`` of ``total`` and never counts drafts. ``drafts`` can be walked once; it raises
    ImporterError when the source breaks off. ``close`` stops early and lets go of the source.
    """

    total: int
    steps: Iterable[Iterable[Draft]] = field(repr=False)
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
