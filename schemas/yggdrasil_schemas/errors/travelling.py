"""How an error goes to another process: whole, and what no other process can be given as its words."""

import pickle
from threading import local
from typing import Any, Final

from . import YggdrasilError, made

_WORDS_CHARS_MAX: Final = 1_000  # of what is told of a thing that could not be sent
_trying = local()  # ``now``: something of an error is tried here, so what is inside it is not tried by itself


def reduced(error: YggdrasilError) -> tuple[Any, ...]:
    """Return what pickle makes ``error`` from again: its type, arguments, attributes, notes and cause."""
    kept: dict[str, Any] = dict(vars(error))
    if error.__cause__ is not None:
        kept["__cause__"] = error.__cause__
    kept["__suppress_context__"] = error.__suppress_context__  # after the cause, which would set it
    if getattr(_trying, "now", False) or _travels((error.args, kept)):
        return made, (type(error), error.args), kept
    notes = list(kept.pop("__notes__", ()))
    for name, value in kept.items():  # an error of ours among them sees to what it has itself
        if not isinstance(value, YggdrasilError) and not _travels(value):
            kept[name], told = _in_words(name, value)
            notes.append(told)
    kept["__notes__"] = notes
    args = tuple(each if _travels(each) else _words(each) for each in error.args)
    return made, (type(error), args), kept


def _travels(value: object) -> bool:
    """Whether pickle takes ``value`` and gives it back; many an error of others is taken, and cannot be made again."""
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
