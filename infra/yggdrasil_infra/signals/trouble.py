"""What the clients of Kafka say while brokers restart, folded: a line when it begins, and one when it is over.

kafka-python and aiokafka say many times a second, in a dozen ways, that a connection is gone and tried again. They mend
that by themselves. So whoever runs a process reads once that there is trouble and what is done about it, every ten
minutes that it goes on, and in the end how often what was said. What somebody has to mend (who may log in, and what he
may read) is written in the client's words, each kind once.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable
from threading import Lock, Timer
from time import monotonic
from typing import Final

QUIET_S: Final = 15.0
"""After so long without a word it is over."""
GOES_ON_S: Final = 600.0
"""So often it is said that it goes on."""
_KINDS_MAX: Final = 50
_SHOWN_MAX: Final = 3
_CHARS_MAX: Final = 200
_LOGGER: Final = logging.getLogger("yggdrasil.kafka")
_BEGINS: Final = (
    "the client of Kafka has met trouble with the brokers, and tries again by itself; nothing is lost. What it says "
    "from now on is counted, and told when it is over. The first of it: %s"
)
_SLOW: Final = (
    "kafka.net.selector"  # says that a task took a tenth of a second: the machine is busy, and no broker away
)
_TO_BE_MENDED: Final = re.compile("authenti|authori|sasl|ssl|certificate", re.IGNORECASE)


class Folded(logging.Filter):
    """Lets the first record of a disturbance through, in our words, and counts the others. For any thread."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Nothing has been said yet."""
        super().__init__()
        self._clock = clock
        self._lock = Lock()
        self._said: Counter[str] = Counter()  # by kind: the message before its arguments
        self._shown: dict[str, str] = {}
        self._begun = self._last = self._told = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a disturbance begins with this record, which then says so."""
        if record.name == _SLOW:
            return False
        kind, words = str(record.msg)[:_CHARS_MAX], _words(record)
        with self._lock:
            is_new = kind not in self._said
            self._last = self._clock()
            begins = not self._said
            if is_new and len(self._said) >= _KINDS_MAX:
                kind = "(other)"
            self._said[kind] += 1
            self._shown.setdefault(kind, words)
            if begins:
                self._begun = self._told = self._last
        if begins:
            self._look_later(QUIET_S)
        elif not (is_new and _TO_BE_MENDED.search(words)):
            return False
        record.msg, record.args, record.exc_info = _BEGINS if begins else "%s", (words,), None
        return True

    def settle(self) -> float | None:
        """Say that it is over, if it is, or that it goes on, if it is time; return when to look again, in seconds."""
        with self._lock:
            now = self._clock()
            quiet_s = now - self._last
            over = quiet_s >= QUIET_S
            if not over and now - self._told < GOES_ON_S:
                return QUIET_S - quiet_s
            self._told = now
            seconds, times, kinds = self._last - self._begun, self._said.total(), len(self._said)
            most = [f"{self._shown[kind]} ({count} times)" for kind, count in self._said.most_common(_SHOWN_MAX)]
            if over:
                self._said.clear()
                self._shown.clear()
        told = "still meets trouble (its last word is %.0f s old). In %.0f s it has"
        if over:
            told = "has said nothing more for %.0f s: it is well again. In %.0f s it had"
        said = f"{told % (quiet_s, seconds)} said {times} things of {kinds} kinds, most often: {'; '.join(most)}"
        _LOGGER.log(logging.INFO if over else logging.WARNING, "the client of Kafka %s", said)
        return None if over else QUIET_S

    def _look_later(self, after_s: float) -> None:
        timer = Timer(after_s, self._look)
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        again_s = self.settle()
        if again_s is not None:
            self._look_later(max(again_s, 0.1))


def _words(record: logging.LogRecord) -> str:
    """Return what a record says, with its error's own words and without the lines of a library."""
    error = record.exc_info[1] if record.exc_info else None
    said = record.getMessage() if error is None else f"{record.getMessage()}: {error!r}"
    return " ".join(said.split())[:_CHARS_MAX]
