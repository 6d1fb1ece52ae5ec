"""An engine in a directory that serves others: it is looked at, and once it has failed its process had better end."""

from collections.abc import Callable
from typing import Final

from yggdrasil_infra.running.periodic import Periodic
from yggdrasil_schemas.errors import YggdrasilError

from ..embedded import Embedded

_EVERY_S: Final = 0.5  # each look reads two attributes of each partition
_FAILED: Final = "a write has failed, and nothing is taken any more: the process ends and has to be started again"


class Watched(Periodic):
    """Looks at ``engine`` from a thread of its own while the context is open."""

    def __init__(self, engine: Embedded, on_failure: Callable[[Exception], None]) -> None:
        """``on_failure`` is called once, on that thread, with what has failed."""
        super().__init__("engine-watch", self._look, _EVERY_S)
        self._engine = engine
        self._on_failure = on_failure

    def failed(self) -> str | None:
        """Return in a sentence without paths that the engine has failed, or None; it waits for nothing."""
        return None if self._failure() is None else _FAILED

    def ready(self) -> str | None:
        """Return in a sentence without paths that the engine has failed or that something is damaged, or None."""
        only_read = None if self._engine.only_read is None else str(self._engine.only_read)
        return self.failed() or self._engine.hosting.damage.told() or only_read

    def _failure(self) -> YggdrasilError | None:
        try:
            self._engine.check()
        except YggdrasilError as error:
            return error
        return None

    def _look(self) -> float | None:
        if (error := self._failure()) is not None:
            self._on_failure(error)
            return None
        return _EVERY_S
