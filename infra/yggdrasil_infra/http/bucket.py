"""A bucket of tokens: how often something may happen in the long run, and how much of it at once."""

from time import monotonic


class Bucket:
    """It fills at ``rate`` tokens per second up to ``burst``, and is full at first. For one thread at a time."""

    __slots__ = ("_at", "_burst", "_left", "_rate")

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._left, self._at = burst, monotonic()

    def take(self, tokens: float = 1.0) -> float:
        """Take tokens, which may be more than there are, if there is one at least: return 0, or else in how many s."""
        now = monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1.0:
            return (1.0 - self._left) / self._rate
        self._left -= tokens
        return 0.0
