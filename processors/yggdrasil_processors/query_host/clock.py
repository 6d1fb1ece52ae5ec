"""Whether the brokers take records of this machine's time: a host whose clock is wrong reads, and appends nothing.

Nothing else would tell the brokers' time: they are not asked for it, and a record that is sent to find out would stay.
"""

import logging
from time import monotonic, time
from typing import Final

from yggdrasil_infra.log import LogError

_LOGGER: Final = logging.getLogger("yggdrasil.query")
_SET_S: Final = 1.0  # a clock that is corrected for a drift moves by less meanwhile than one that is set


class Clock:
    """What the brokers said of the time of what was appended last. Any thread tells, and any thread asks."""

    def __init__(self) -> None:
        self._wrong: tuple[str, float] | None = None  # why, and where the clock stood then beside one that is not set

    def refused(self, error: LogError) -> None:
        """Note that a record was not taken, if that was for its time."""
        if error.rejection is None or not error.rejection.clock:
            return
        if self._wrong is None:
            _LOGGER.critical("nothing is appended here until the clock is set: %s", error)
        self._wrong = f"{error.rejection.why}, and nothing is appended here. {error.rejection.remedy}", _offset_s()

    def taken(self) -> None:
        """Note that a record was taken."""
        if self._wrong is not None:
            _LOGGER.warning("the brokers take what is appended here again")
        self._wrong = None

    def why(self) -> str | None:
        """Return why nothing can be appended, or None; once the clock is set it is for the next record to tell."""
        wrong = self._wrong
        if wrong is None or abs(_offset_s() - wrong[1]) > _SET_S:
            return None
        return wrong[0]


def _offset_s() -> float:
    return time() - monotonic()
