"""What the clients of Kafka say while brokers restart, folded: a line when it begins, and one when it is over.

kafka-python and aiokafka say many times a second, in a dozen ways, that a connection is gone and tried again. They mend
that by themselves. So whoever runs a process reads once that there is trouble and what is done about it, every ten
minutes that it goes on, and in the end how often what was said. What somebody has to mend (who may log in, and what he
may read) is written in the client's words, each kind once. So is a crash, after which nothing is tried again.
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
_READ_MAX: Final = 2_000  # of which the error stands at the end: a topic's name before it has up to 249
_LOGGER: Final = logging.getLogger("yggdrasil.kafka")
_BEGINS: Final = (
    "the client of Kafka has met trouble with the brokers, and tries again by itself; nothing is lost. What it says "
    "from now on is counted, and told when it is over. The first of it: %s"
)
_SLOW: Final = (
    "kafka.net.selector"  # says that a task took a tenth of a second: the machine is busy, and no broker away
)
_TO_BE_MENDED: Final = re.compile("authenti|authori|sasl|ssl|certificate", re.IGNORECASE)
# With TLS the names of connections, and of what ends them when a broker goes, have these letters too.
_OF_TLS: Final = re.compile(
    r"<\w+|SSL(?:EOF|ZeroReturn)Error|\[SSL: UNEXPECTED_EOF\w*\]|TLS/SSL connection has been closed|\(_ssl\.c:\d+\)"
)
# A record that a broker has refused for ever: who sent it is told so, with the remedy, and nothing is tried again.
_REFUSED: Final = re.compile(
    "(?:InvalidTimestamp|InvalidRecord|MessageSizeTooLarge|RecordListTooLarge)Error|one more more invalid records"
)
# How aiokafka and what Faust is made of say that a part of them, or the process, ends: of each part around it, too.
_CRASHED: Final = re.compile(
    r"\]: (?:Crashed reason=|Error: )%r|We experienced a crash!|^Unexpected error in \w+ routine"
)


class Folded(logging.Filter):
    """Lets the first record of a disturbance through, in our words, and counts the others. For any thread."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Nothing has been said yet."""
        super().__init__()
        self._clock = clock
        self._lock = Lock()
        self._said: Counter[str] = Counter()  # by kind: the message before its arguments
        self._shown: dict[str, str] = {}
        self._to_mend: set[tuple[str, str]] = set()  # what was told in its words, by kind and by what it is about
        self._crashes: dict[str, float] = {}  # by error: when it was told
        self._opened = False  # whether it was said that there is trouble that mends itself
        self._begun = self._last = self._told = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether this record is to be written, in our words: it begins a disturbance, or is to be mended."""
        words = _words(record)
        if record.name == _SLOW or _REFUSED.search(words):
            return False
        if _CRASHED.search(str(record.msg)):
            return self._is_news(repr(record.exc_info[1] if record.exc_info else words)[:_CHARS_MAX])
        with self._lock:
            told = self._note(str(record.msg)[:_CHARS_MAX], words)
        if told is None:
            return False
        record.msg, record.args, record.exc_info = told, (words[:_CHARS_MAX],), None
        return True

    def _is_news(self, error: str) -> bool:
        """Whether nothing has crashed by this error for a while."""
        with self._lock:
            now = self._clock()
            told = self._crashes.get(error)
            if told is not None and now - told < GOES_ON_S:
                return False
            if len(self._crashes) >= _KINDS_MAX:
                self._crashes.clear()
            self._crashes[error] = now
            return True

    def _note(self, kind: str, words: str) -> str | None:
        """Count what was said; return how it is to be told, or None. The lock is held."""
        self._last = self._clock()
        if not self._said:
            self._begun = self._told = self._last
            self._look_later(QUIET_S)
        about = _TO_BE_MENDED.search(_OF_TLS.sub("", words))
        # Not by the kind alone: "Connection failed: %s" is said of a broker that is away and of a login that is wrong.
        mend = None if about is None else (kind, about[0].lower())
        if kind not in self._said and len(self._said) >= _KINDS_MAX:
            kind = "(other)"
        self._said[kind] += 1
        self._shown.setdefault(kind, words[:_CHARS_MAX])
        if mend is None:
            begins, self._opened = not self._opened, True
            return _BEGINS if begins else None
        if mend in self._to_mend or len(self._to_mend) >= _KINDS_MAX:
            return None
        self._to_mend.add(mend)
        return "%s"

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
                self._to_mend.clear()
                self._opened = False
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
    return " ".join(said[:_READ_MAX].split())
