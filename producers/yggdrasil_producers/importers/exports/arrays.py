"""The elements of one JSON array, however long it is: taken apart by brackets and strings alone, and decoded by nobody.

So what is wrong within one element is said of that one, and the others are read.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Final

ELEMENT_BYTES_MAX: Final = 1 << 26
_CHUNK_BYTES: Final = 1 << 20
# No possessive quantifiers: Python 3.11 had them wrong until 3.11.5.
_SPECIAL: Final = re.compile(rb'["{}\[\]]')
_BETWEEN: Final = re.compile(rb"[\s,]*")
_BARE: Final = re.compile(rb'[^\s,{}\[\]"]+|}')
_QUOTE: Final = ord('"')
_BACKSLASH: Final = ord("\\")
_OPENING: Final = frozenset(b"{[")


class CutOffError(Exception):
    """The array cannot be read on; the message says why."""


@dataclass(slots=True)
class ArrayReader:
    """Reads the elements of the array that ``stream`` begins with; ``seen`` is told how many bytes were read."""

    stream: IO[bytes]
    seen: Callable[[int], object]
    data: bytes = b""
    at: int = 0

    def elements(self) -> Iterator[bytes | None]:
        """Yield the bytes of each element, None for one of more than 64 MiB.

        Raises CutOffError when the file ends before its array does, when something follows it, and for a text so long
        that its end cannot be looked for.
        """
        if self._next(_BETWEEN) != b"[":
            raise CutOffError("no array")
        self.at += 1
        while (byte := self._next(_BETWEEN)) != b"]":
            if not byte:
                raise CutOffError("the file ends before its array does: it was cut off")
            yield self._element(byte)
        self.at += 1
        if self._next(_BETWEEN):
            raise CutOffError("something follows the end of the array")

    def _element(self, byte: bytes) -> bytes | None:
        if byte in (b"{", b"["):
            return self._container()
        if byte == b'"':
            while not (end := self._string_end()):
                self._read_on(self.at)
        else:
            found = _BARE.match(self.data, self.at)
            end = found.end() if found else self.at + 1
        start, self.at = self.at, end
        return self.data[start:end]

    def _container(self) -> bytes | None:
        """Go to the end of an object or an array."""
        depth, start, kept = 1, self.at, True
        self.at += 1
        while True:
            found = _SPECIAL.search(self.data, self.at)
            self.at = found.start() if found else len(self.data)
            quoted = self.at < len(self.data) and self.data[self.at] == _QUOTE
            if quoted and (end := self._string_end()):
                self.at = end
                continue
            if self.at < len(self.data) and not quoted:
                depth += 1 if self.data[self.at] in _OPENING else -1
                self.at += 1
                if not depth:
                    whole = kept and self.at - start <= ELEMENT_BYTES_MAX
                    return self.data[start : self.at] if whole else None
                continue
            kept = kept and self.at - start <= ELEMENT_BYTES_MAX
            self._read_on(start if kept else self.at)
            start = 0

    def _string_end(self) -> int:
        """Return where the string that begins here ends, 0 when that is not read yet."""
        at = self.at + 1
        while (quote := self.data.find(b'"', at)) >= 0:
            first = quote
            while self.data[first - 1] == _BACKSLASH:
                first -= 1
            if (quote - first) % 2 == 0:
                return quote + 1
            at = quote + 1
        return 0

    def _next(self, between: re.Pattern[bytes]) -> bytes:
        """Go over what is between elements, and return the byte after it; b"" at the end."""
        while True:
            found = between.match(self.data, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.data):
                return self.data[self.at : self.at + 1]
            if not self._more(self.at):
                return b""

    def _read_on(self, keep: int) -> None:
        if len(self.data) - self.at > ELEMENT_BYTES_MAX:
            raise CutOffError("a text without an end, or longer than can be read")
        if not self._more(keep):
            raise CutOffError("the file ends within an element: it was cut off")

    def _more(self, keep: int) -> bool:
        """Read on, and let go of what is before ``keep``. What waits is doubled, or a long text would be read often."""
        found = self.stream.read(max(_CHUNK_BYTES, len(self.data) - self.at))
        self.seen(len(found))
        self.data = self.data[keep:] + found
        self.at -= keep
        return bool(found)
