"""Arrays that grow at the end, for indexes that are appended to."""

from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

_ROOM_MIN: Final = 64
_ScalarT = TypeVar("_ScalarT", bound=np.generic)


class Growing(Generic[_ScalarT]):
    """An array whose first axis grows; ``values`` shows what is in it, and may be written to."""

    __slots__ = ("_held", "_length")

    def __init__(self, values: npt.NDArray[_ScalarT]) -> None:
        """Begin with ``values``, which are taken over and not copied."""
        self._held = values
        self._length = len(values)

    def __len__(self) -> int:
        return self._length

    @property
    def values(self) -> npt.NDArray[_ScalarT]:
        """What is in it: a view that is out of date once the array has grown."""
        return self._held[: self._length]

    @property
    def nbytes(self) -> int:
        """The bytes that it takes, with the room to grow."""
        return self._held.nbytes

    def extend(self, values: npt.NDArray[Any]) -> None:
        """Append ``values``, cast to the type of the array."""
        length = self._length + len(values)
        if length > len(self._held) or not self._held.flags.writeable:
            room = max(_ROOM_MIN, length + length // 4)  # a quarter more: each value is copied four times at most
            held = np.empty((room, *self._held.shape[1:]), self._held.dtype)
            held[: self._length] = self._held[: self._length]
            self._held = held
        self._held[self._length : length] = values
        self._length = length

    def put(self, at: int, value: Any) -> None:
        """Let one value be another."""
        if not self._held.flags.writeable:
            self._held = self._held.copy()
        self._held[at] = value
