"""What the log of a process says of one record: where it stands, which command it is, and whose request sent it."""

import logging
from time import monotonic
from typing import Final

from yggdrasil_infra.log import LogRecord
from yggdrasil_schemas.codec import named

_LOGGER: Final = logging.getLogger("yggdrasil.worker")
_LINES_MAX: Final = 20  # in so many seconds: a producer that sends what no memory takes would fill a disk with lines
_LINES_S: Final = 10.0


def told_of(record: LogRecord) -> dict[str, object]:
    """Return a record as fields of a line; never what is in it, nor of whose memory it is."""
    command_id = named(record.value)["command_id"]
    return {
        "partition": record.partition,
        "offset": record.offset,
        **({} if command_id is None else {"command": command_id}),
        **({} if record.trace is None else record.trace.told()),
    }


class Refusals:
    """Writes a line for each record that was refused, and of a flood of them some. Of one thread."""

    def __init__(self) -> None:
        self._begun = 0.0
        self._lines = 0
        self._untold = 0

    def tell(self, record: LogRecord, reason: str) -> None:
        """Tell of a record that was refused for ``reason``."""
        now = monotonic()
        if now - self._begun > _LINES_S:
            self._begun, self._lines = now, 0
        if self._lines >= _LINES_MAX:
            self._untold += 1
            return
        self._lines += 1
        more = {"untold": self._untold} if self._untold else {}
        self._untold = 0
        _LOGGER.warning("record refused: %s", reason, extra=told_of(record) | more)
