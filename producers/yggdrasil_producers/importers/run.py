"""One run of an importer: what there is to do, and the drafts that do it."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from yggdrasil_schemas.errors import InvalidCommandError

from ..draft import Draft

UNREAD_KEPT: Final = 1_000
_KEPT_OF_REASON: Final = 200  # so that what there is plenty of leaves room for the rest
_SHOWN_CHARS: Final = 60


Seen = Callable[[int], object]
"""What is told how many bytes were read."""


def unseen(_: int) -> None:
    """Take no notice of how many bytes were read."""


class NotUnderstoodError(ValueError):
    """What stands in a source is not what is expected. The message says what is; ``reason`` what sort of thing came."""

    reason = "not what is expected"

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason or self.reason


@dataclass(slots=True)
class Unread:
    """What of a source was passed over: how much, counted by reason, and the first places of each with why.

    At most 1,000 places are kept, and of one reason 200. ``thing`` is what is counted, in the singular. ``hidden`` is
    how much of it may hold what was imported before: as long as it cannot be read, nobody knows what is gone.
    """

    thing: str = "line"
    reasons: Counter[str] = field(default_factory=Counter[str])
    places: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """Where, the reason, and why in more words."""

    hidden: int = 0
    file: str | None = None
    """The file whose lines the places are, where it is one."""

    @property
    def count(self) -> int:
        """How much was passed over."""
        return self.reasons.total()

    def add(self, place: str, reason: str, why: str | None = None, *, hides: bool = False) -> None:
        """Note what stands at ``place``; without a ``why`` the reason says it all. ``hides``: it counts as hidden."""
        self.reasons[reason] += 1
        self.hidden += hides
        if len(self.places) < UNREAD_KEPT and self.reasons[reason] <= _KEPT_OF_REASON:
            self.places.append((place, reason, why or reason))

    @contextmanager
    def noting(self, place: str) -> Generator[None, None, None]:
        """Note what is not understood within, and what the language of commands does not allow, instead of raising."""
        try:
            yield
        except NotUnderstoodError as error:
            self.add(place, error.reason, str(error), hides=True)
        except RecursionError:
            self.add(place, "nested too deeply", hides=True)
        except InvalidCommandError as error:
            self.add(place, "beyond what a command may hold", error.detail, hides=True)


def shown(value: Any) -> str:
    """Return what came, short enough for a message."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "..."


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
    remarks: tuple[str, ...] = ()
    """What else is to be known of how the source was read."""
    done: int = 0
    drafts: Generator[Draft, None, None] = field(init=False, repr=False)

    @staticmethod
    def of(steps: Callable[[Unread, Seen], Iterable[Iterable[Draft]]], seen: Seen, thing: str = "part") -> "Import":
        """Return the import of ``steps``, which are walked once now, to count them and to know what is passed over.

        ``seen`` hears how many bytes the first walk reads.
        """
        unread = Unread(thing)
        total = sum(1 for _ in steps(unread, seen))
        return Import(total, steps(Unread(thing), unseen), unread)

    def __post_init__(self) -> None:
        self.drafts = self._walk()

    def through(self, passed_on: Callable[[Iterable[Draft]], Generator[Draft, None, None]]) -> None:
        """Let what comes of the drafts be taken in their place."""
        self.drafts = passed_on(self.drafts)

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
