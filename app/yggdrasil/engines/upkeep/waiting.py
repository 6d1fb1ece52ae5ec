"""Which memories wait for vectors: what was said to them was appended without, since whoever said it would not wait.

The texts themselves wait in the memories, where they are found by their words; here stand no more than the memories'
names, in a file too, so that the next process goes on where this one was killed.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from time import monotonic
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from yggdrasil_infra.private import replace_private
from yggdrasil_schemas.ids import tenant_of

FILE: Final = "waiting.json"
_MEMORIES_MAX: Final = 4_096
_OF_TENANT_MAX: Final = 256  # memories, so that no tenant takes all places
_TEXTS_OF_TENANT_MAX: Final = 100_000  # an hour or two of one core; whoever says more waits for the vectors of that
_QUIET_S: Final = 1.0  # after the last text, so that texts and vectors do not slow each other down
_QUIET_S_MAX: Final = 10.0  # in all
_FILE_BYTES_MAX: Final = 1 << 22
_LOGGER: Final = logging.getLogger("yggdrasil.serve")


class _Kept(BaseModel):
    """The file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    memories: list[str]


@dataclass(slots=True)
class _Entry:
    """One memory: how many texts it waits for at most, since and until when they came, and how many appends go on.

    ``version`` moves on with each append.
    """

    texts: int = 0
    since: float = 0.0
    last: float = 0.0
    appending: int = 0
    version: int = 0


class Waiting:
    """The memories that wait, by tenant; bounded. For any thread.

    A memory stands in the file before anything is appended to it, and until a pass over it has found nothing more.
    """

    def __init__(self, file: Path | None = None) -> None:
        """Go on with the memories in ``file``, if it is there; without it nothing outlives the process."""
        self._file = file
        self._lock = Lock()
        self._entries: dict[str, _Entry] = {memory: _Entry() for memory in self._read()}
        self.news = Event()
        """Is set whenever something has come."""

    def takes(self, memory: str, texts: int) -> bool:
        """Return whether so many texts may come without vectors: their tenant has not too much that waits already."""
        tenant = tenant_of(memory)
        with self._lock:
            if memory not in self._entries:
                tenants = Counter(map(tenant_of, self._entries))
                if len(self._entries) >= _MEMORIES_MAX or tenants[tenant] >= _OF_TENANT_MAX:
                    return False
            waiting = sum(entry.texts for name, entry in self._entries.items() if tenant_of(name) == tenant)
            return waiting + texts <= _TEXTS_OF_TENANT_MAX

    @contextmanager
    def appending(self, memory: str, texts: int) -> Generator[None]:
        """Note a memory, durably, while so many texts are appended to it; until that has ended it stays noted."""
        with self._lock:
            new = memory not in self._entries
            entry = self._entries.setdefault(memory, _Entry(since=monotonic()))
            entry.appending += 1
            entry.version += 1
            entry.texts += texts
            entry.last = monotonic()
            if new:
                self._write()
        try:
            yield
        finally:
            with self._lock:
                entry.appending -= 1
                entry.version += 1
                entry.last = monotonic()
            self.news.set()

    def due(self) -> list[str]:
        """Return the memories whose turn it is, sorted; not those to which more is coming just now."""
        now = monotonic()
        with self._lock:
            return sorted(
                memory
                for memory, entry in self._entries.items()
                if now - entry.last >= _QUIET_S or now - entry.since >= _QUIET_S_MAX
            )

    def begun(self, memory: str) -> int | None:
        """Return what ``done`` is to be told after a pass over a memory that begins now; None: it will not be enough.

        That is so while something is being appended.
        """
        with self._lock:
            entry = self._entries.get(memory)
            return None if entry is None or entry.appending else entry.version

    def attached(self, memory: str, texts: int) -> None:
        """Note that so many texts of a memory have their vectors by now."""
        with self._lock:
            entry = self._entries.get(memory)
            if entry is not None:
                entry.texts = max(0, entry.texts - texts)

    def done(self, memory: str, begun: int | None) -> None:
        """Let a memory wait no more, after a pass that has found nothing more, unless something has come since."""
        with self._lock:
            entry = self._entries.get(memory)
            if entry is not None and begun is not None and entry.version == begun and not entry.appending:
                del self._entries[memory]
                self._write()

    def memories(self) -> list[str]:
        """Return all that wait."""
        with self._lock:
            return list(self._entries)

    def _read(self) -> list[str]:
        if self._file is None:
            return []
        try:
            with self._file.open("rb") as file:
                kept = _Kept.model_validate_json(file.read(_FILE_BYTES_MAX))
        except FileNotFoundError:
            return []
        except (ValidationError, OSError) as error:
            _LOGGER.warning(
                "%s cannot be read (%s): what waits for vectors gets them once its memory is asked",
                self._file.name,
                type(error).__name__,
            )
            return []
        return kept.memories[:_MEMORIES_MAX]

    def _write(self) -> None:
        """Replace the file, so that nobody reads half of it, and have it on the disk before anything is appended."""
        if self._file is None:
            return
        try:
            replace_private(self._file, _Kept(memories=list(self._entries)).model_dump_json().encode())
        except OSError as error:
            _LOGGER.warning("what waits for vectors cannot be kept: %s", error.strerror)
