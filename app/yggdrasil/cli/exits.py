"""What the exit codes mean, and which error ends with which: each class of errors says so itself."""

from typing import Final

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import INTERNAL, ExitCode

__all__ = ["MEANINGS", "CommandLineError", "ExitCode", "classify"]


MEANINGS: Final = {
    ExitCode.OK: "done",
    ExitCode.BROKEN: "something is broken: a damaged log or store, brokers that cannot be used, a bug",
    ExitCode.USAGE: "what was typed or given cannot be used; nothing was recorded",
    ExitCode.REFUSED: "the memory refused the command; its reason is printed",
    ExitCode.NOT_FOUND: "no such memory, event, topic or directory",
    ExitCode.IN_USE: "another process has the directory open",
    ExitCode.DIFFERENT: "a replay found a difference, or the log is not the one that was folded",
    ExitCode.NO_ACCESS: "the service does not know the key, or the key may not do that",
    ExitCode.INTERRUPTED: "interrupted (141: the reader of the output went away)",
}


class CommandLineError(YggdrasilError):
    """An error that only the command line knows; it names its own exit code and its code in JSON."""

    def __init__(self, exit_code: ExitCode, code: str, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.code = code

    def ends(self) -> tuple[ExitCode, str]:
        """Return what it was made with."""
        return self.exit_code, self.code


def classify(error: Exception) -> tuple[ExitCode, str]:
    """Return the exit code of an expected error, and its code in JSON."""
    return error.ends() if isinstance(error, YggdrasilError) else (ExitCode.BROKEN, INTERNAL.code)
