"""What may happen many times a second is said once a minute, with how often it happened."""

import logging
from time import monotonic
from typing import Final

_EVERY_S: Final = 60.0
_SENTENCES_MAX: Final = 100


class Tally:
    """Counts events by their sentence, and warns of them at the first and then at most once a minute. Of one thread."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._counts: dict[str, int] = {}
        self._said: dict[str, float] = {}

    def add(self, sentence: str, error: BaseException | None = None) -> None:
        """Count an event; ``error`` is logged with it if it is said now.

        Sentences are of a closed set: a number or a name in one would make it another one.
        """
        if sentence not in self._counts and len(self._counts) >= _SENTENCES_MAX:
            return
        self._counts[sentence] = self._counts.get(sentence, 0) + 1
        if sentence not in self._said:
            self._say(sentence, monotonic(), error)

    def sweep(self, now: float) -> None:
        """Say what has come together since it was last said."""
        for sentence, count in self._counts.items():
            if count and now - self._said[sentence] >= _EVERY_S:
                self._say(sentence, now)

    def _say(self, sentence: str, now: float, error: BaseException | None = None) -> None:
        self._logger.warning("%s", sentence, extra={"times": self._counts[sentence]}, exc_info=error)
        self._counts[sentence] = 0
        self._said[sentence] = now
