"""Who calls, by the keys of a file, which is read again when it changes.

It fails closed: while the file cannot be read, or others could change it, nobody is let in, for a key may have been
revoked in it. A single look that fails is passed over, so that a slip of an editor locks nobody out.
"""

import hmac
import logging
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

from starlette.datastructures import Headers

from yggdrasil_schemas.problems import NOT_READY

from ...clock import now_ms
from ...paths import whole
from ...running.periodic import Periodic
from ..callers import Caller
from ..errors import KeysError
from ..problems import UNAUTHENTICATED, ProblemError
from .keyfile import PREFIX, Entry, hashed, read, stamp_of

LOOK_EVERY_S: Final = 1.0
"""One look at the file per second: that soon a revoked key is shut out."""
_UNSEEN_S_MAX: Final = 10.0  # when nobody has looked for so long, nobody knows who is revoked
_CHARS_MAX: Final = 200  # of a header; ours have 69 with the word Bearer
_LOGGER: Final = logging.getLogger("yggdrasil.keys")
_NO_HASH: Final = bytes(32)


class Keys(Periodic):
    """The keys of a file. For any thread; as a context it looks at the file by itself, so that no request waits."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises KeysError when there is no key in it, or when others could write to it.

        That others can read it is a warning in the log.
        """
        super().__init__("keys", self._look, LOOK_EVERY_S)
        path = self._path = whole(path)
        self._lock = Lock()
        self._looked = monotonic()
        self._seen: tuple[int, ...] | None = stamp_of(path)
        self._failures = 0  # looks in a row
        self._failed: str | None = None  # why the last look failed
        self._told: str | None = None  # what was last said of that, once and not every second
        self._known = {entry.id: entry for entry in read(path, _LOGGER.warning).keys}
        if not self._known:
            raise KeysError(
                f"{path} holds no key, so nobody could be let in; make one with "
                f"`yggdrasil key new --keys {path} --tenant TENANT --role ROLE`"
            )

    def caller(self, headers: Headers) -> Caller | None:
        """Return who calls with the header ``Bearer ygg_ID_SECRET``; None for nobody that is known.

        Raises ProblemError for a key that has expired (401), and for every one while the file is closed (503).
        """
        if self.failure() is not None:
            raise ProblemError(NOT_READY, "who may come in is not known just now", retry_after_s=LOOK_EVERY_S)
        scheme, _, key = headers.get("authorization", "")[:_CHARS_MAX].partition(" ")
        parts = key.strip().split("_", 2)
        if scheme.lower() != "bearer" or len(parts) != 3 or parts[0] != PREFIX:
            return None
        entry = self._known.get(parts[1])
        kept = bytes.fromhex(entry.blake2b) if entry else _NO_HASH
        matches = hmac.compare_digest(kept, hashed(parts[2]))  # also for an unknown id, which then takes as long
        if entry is None or not matches:
            return None
        if entry.expires_ms is not None and now_ms() >= entry.expires_ms:
            raise _expired(entry)
        return entry.caller

    def failure(self) -> str | None:
        """Return why nobody is let in, in one sentence; None while the keys are known."""
        if self._failures > 1:
            return f"nobody is let in: {self._failed}"
        if monotonic() - self._looked > _UNSEEN_S_MAX:
            return (
                "nobody is let in: the file of keys has not been looked at for too long; see the log, and start again"
            )
        return None

    def failures(self) -> int:
        """Return how many looks in a row have failed: from the second on nobody is let in."""
        return self._failures

    def expire(self) -> None:
        """Have the next look read the file, changed or not. Waits for nothing, so a signal's handler may do it."""
        self._seen = self._told = None

    def look(self) -> None:
        """Read the file again if it has changed. Why it cannot be read is logged once; the next look tries again.

        After the second look in a row that failed nobody is let in, until one succeeds.
        """
        with self._lock:
            stamp = stamp_of(self._path)
            if stamp is None or stamp != self._seen or self._failures:
                try:
                    entries = read(self._path).keys
                except (KeysError, OSError) as error:
                    self._fail(str(error))
                    return
                self._known = {entry.id: entry for entry in entries}
                self._seen, self._failures, self._failed, self._told = stamp, 0, None, None
                _LOGGER.info("read %d keys", len(self._known), extra={"file": str(self._path)})
            self._looked = monotonic()

    def _look(self) -> float:
        self.look()
        return LOOK_EVERY_S

    def _fail(self, reason: str) -> None:
        self._looked = monotonic()
        self._seen, self._failed = None, reason.replace(str(self._path), self._path.name)  # /readyz is for anybody
        self._failures += 1
        if self._told != reason:
            _LOGGER.error("unless the next look at the keys succeeds, nobody is let in: %s", reason)
            self._told = reason


def _expired(entry: Entry) -> ProblemError:
    when = datetime.fromtimestamp((entry.expires_ms or 0) / 1000, UTC).isoformat(timespec="seconds")
    return ProblemError(
        UNAUTHENTICATED,
        f"the key {entry.id} has expired at {when}",
        remedy="Ask whoever runs the service for a new one; `yggdrasil key renew` makes it.",
    )
