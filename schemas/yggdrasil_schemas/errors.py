"""The root of every error that this system raises on purpose, and how an error goes to another process."""

from threading import local
from typing import Any, Final, Self, TypeVar

_WORDS_CHARS_MAX: Final = 1_000  # of what is told of a thing that could not be sent
_Raised = TypeVar("_Raised", bound="YggdrasilError")
_trying = local()  # ``now``: something of an error is tried here, so what is inside it is not tried by itself


class YggdrasilError(Exception):
    """Something was refused or is broken; the message says what was expected, what came, and what to do.

    An error can be pickled and copied whatever its constructor takes: type, arguments, attributes, notes and cause
    arrive. What no other process can be given, such as a lock, arrives as its words, and a note says so.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle and ``deepcopy`` make this error from again, without a call of its constructor."""
        kept: dict[str, Any] = dict(vars(self))
        if self.__cause__ is not None:
            kept["__cause__"] = self.__cause__
        kept["__suppress_context__"] = self.__suppress_context__  # after the cause, which would set it
        if getattr(_trying, "now", False) or _travels((self.args, kept)):
            return _made, (type(self), self.args), kept
        notes = list(kept.pop("__notes__", ()))
        for name, value in kept.items():  # an error of ours among them sees to what it has itself
            if not isinstance(value, YggdrasilError) and not _travels(value):
                kept[name], told = _in_words(name, value)
                notes.append(told)
        kept["__notes__"] = notes
        args = tuple(each if _travels(each) else _words(each) for each in self.args)
        return _made, (type(self), args), kept

    def __copy__(self) -> Self:
        """Return another error with the same attributes, whatever they are."""
        again = _made(type(self), self.args)
        again.__dict__.update(vars(self))
        again.__cause__ = self.__cause__
        again.__suppress_context__ = self.__suppress_context__
        return again


class InvalidCommandError(YggdrasilError):
    """A command was refused before it reached the log: it does not speak the language of the log.

    ``reason`` is the refusal that the fold would have given; ``detail`` names the field.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


def _made(kind: type[_Raised], args: tuple[Any, ...]) -> _Raised:
    return kind.__new__(kind, *args)


def _travels(value: object) -> bool:
    """Whether pickle takes ``value`` and gives it back; many an error of others is taken, and cannot be made again."""
    import pickle  # noqa: PLC0415 - few errors are sent anywhere, and every command line would wait for it

    before, _trying.now = getattr(_trying, "now", False), True
    try:
        pickle.loads(pickle.dumps(value))
    except Exception:  # whatever a stranger's __reduce__ raises
        return False
    finally:
        _trying.now = before
    return True


def _in_words(name: str, value: object) -> tuple[object, str]:
    """Return what takes the place of an attribute that cannot be sent, and the note that says so."""
    words = _words(value)
    told = f"{name.strip('_')} could not be sent to another process, and is here in words: {words}"
    return YggdrasilError(words) if isinstance(value, BaseException) else words, told


def _words(value: object) -> str:
    try:
        return repr(value)[:_WORDS_CHARS_MAX]
    except Exception:  # its own __repr__ fails
        return object.__repr__(value)
