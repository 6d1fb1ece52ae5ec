"""Doors: what other programs already speak, over the facade, so that an agent that exists can remember.

One file or folder for each; an extra of the same name brings the library that it plugs into. A door is thin: it turns
what its framework says into calls of ``Memory``, and the answers into what the framework expects. Nothing else knows
them. Room for the next framework.
"""

from types import TracebackType
from typing import Final

_INSTALL: Final = "pip install 'yggdrasil-substrate[%s]' brings it"


class needing:
    """Around a door's imports: whoever has not installed the extra is told which one it is."""

    def __init__(self, extra: str) -> None:
        self._extra = extra

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ModuleNotFoundError):
            error.add_note(_INSTALL % self._extra)
