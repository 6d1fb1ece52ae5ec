"""The root of every error that this system raises on purpose.

Room for what every error of ours can do. What an error says stands where it is raised.
"""

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from ..problems import INTERNAL, INVALID, ExitCode, Kind

_Raised = TypeVar("_Raised", bound="YggdrasilError")


class YggdrasilError(Exception):
    """Something was refused or is broken; the message says what was expected, what came, and what to do.

    An error can be pickled and copied whatever its constructor takes: type, arguments, attributes, notes and cause
    arrive. What no other process can be given, such as a lock, arrives as its words, and a note says so.

    ``kind`` says what it is to every face: over HTTP, on the command line, to agents.
    """

    kind: Kind = INTERNAL

    def ends(self) -> tuple[ExitCode, str]:
        """Return the exit code of a command that ends with this, and what it is called in JSON."""
        return self.kind.exit, self.kind.code or self.kind.name

    def told(self) -> str:
        """Return what is said of it to whoever asked over HTTP: nothing of the host's inside."""
        return self.kind.told or str(self)

    def arguments(self) -> dict[str, Any]:
        """Return what it is about, by name, as JSON has it: from this and ``told``, ``received`` makes it again."""
        return {}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return an error that a service has told of; ``arguments`` may have more, and less of an older service."""
        return cls(told)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle and ``deepcopy`` make this error from again, without a call of its constructor."""
        from .travelling import reduced  # noqa: PLC0415 - few errors are sent anywhere, and the fold sends none

        return reduced(self)

    def __copy__(self) -> Self:
        """Return another error with the same attributes, whatever they are."""
        again = made(type(self), self.args)
        again.__dict__.update(vars(self))
        again.__cause__ = self.__cause__
        again.__suppress_context__ = self.__suppress_context__
        return again


class InvalidCommandError(YggdrasilError):
    """A command was refused before it reached the log: it does not speak the language of the log.

    ``reason`` is the refusal that the fold would have given; ``detail`` names the field.
    """

    kind = INVALID

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def ends(self) -> tuple[ExitCode, str]:
        """Return the exit code of a command that was typed wrong, and the reason."""
        return ExitCode.USAGE, self.reason

    def told(self) -> str:
        """Return which field is wrong; the reason is an argument."""
        return self.detail

    def arguments(self) -> dict[str, Any]:
        """Return the reason."""
        return {"reason": self.reason}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one that a service has told of."""
        return cls(str(arguments["reason"]), told)


def made(kind: type[_Raised], args: tuple[Any, ...]) -> _Raised:
    """Return an error of ``kind`` without a call of its constructor."""
    return kind.__new__(kind, *args)
