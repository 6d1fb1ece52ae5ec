"""Forks that were begun here and have not ended: the beginning of one looks like a whole one of an earlier moment.

It is noted beside the log and not in it, since what were written into a fork would part it from the original. So it is
this host's own knowledge: another one of the same topic tells no unfinished fork from a finished one.
"""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from yggdrasil_infra.log import LogError
from yggdrasil_infra.private import make_directory, replace_private
from yggdrasil_projections.retrieval.past.forks import ForkThereError

_FILE: Final = "forks.json"
_KEPT_MAX: Final = 1_000  # those that were begun longest ago are forgotten first
_LOGGER: Final = logging.getLogger("yggdrasil.past")


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid")

    topic: str
    forks: dict[str, Annotated[int, Field(ge=0)]]


class Attempts:
    """Up to which seq forks are to be that were begun here, kept below ``directory``. For any thread."""

    def __init__(self, directory: Path) -> None:
        """Read nothing yet, and make nothing: most hosts never fork."""
        self._file = directory / _FILE
        self._lock = Lock()

    @contextmanager
    def begun(self, topic: str, memory: str, seq: int) -> Generator[None]:
        """Note that ``memory`` is being made, up to ``seq``, for as long as the context is open, or until it is made.

        What is there already, and is another one, is left as it was noted. Raises LogError where nothing can be noted.
        """
        before = self.of(topic, memory)
        self._note(topic, memory, seq)
        try:
            yield
        except ForkThereError:
            self._note(topic, memory, before)
            raise
        self._note(topic, memory, None)

    def of(self, topic: str, memory: str) -> int | None:
        """Return up to which seq a fork is to be that was begun here and has not ended, or None."""
        with self._lock:
            return self._read(topic).get(memory)

    def _note(self, topic: str, memory: str, seq: int | None) -> None:
        with self._lock:
            forks = self._read(topic)
            forks.pop(memory, None)
            if seq is not None:
                forks[memory] = seq
            kept = _Kept(topic=topic, forks=dict(list(forks.items())[-_KEPT_MAX:]))
            try:
                make_directory(self._file.parent)
                replace_private(self._file, kept.model_dump_json().encode())
            except OSError as error:
                raise LogError(f"which forks are being made cannot be kept in {_FILE}: {error.strerror}") from error

    def _read(self, topic: str) -> dict[str, int]:
        try:
            kept = _Kept.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            _LOGGER.warning("which forks were begun cannot be read from %s: %s", _FILE, type(error).__name__)
            return {}
        return kept.forks if kept.topic == topic else {}
