"""What a command says on its standard streams, where one of them is closed, full, or nobody reads it."""

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

from .typed import has_json


class OutputError(YggdrasilError):
    """What a command answers cannot be written to the standard output. What it did until then is done."""

    kind = local("output", ExitCode.BROKEN)

    def __init__(self, why: str | None) -> None:
        super().__init__(
            f"the answer could not be written to the standard output ({why}). What the command did until then is done: "
            "what it recorded is kept, and would stand there twice if the command were given again."
        )


class Output:
    """The standard output. What cannot be written there is told as that, and once: all that follows is lost.

    Raises OutputError, and BrokenPipeError where whoever read it has gone (`| head`).
    """

    def __init__(self, stream: TextIO | None) -> None:
        """``stream`` is None where it was closed: then nobody wants to hear it."""
        self._stream = open(os.devnull, "w") if stream is None else stream  # noqa: SIM115 (kept to the end)

    def write(self, text: str) -> int:
        """Write ``text``, now or with what follows."""
        if text != "":  # typer tries with it what kind of stream this is, and passes over all that is raised
            with self._tried():
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what was not yet."""
        with self._tried():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        """Return whatever else a stream has."""
        return getattr(self._stream, name)

    @contextmanager
    def _tried(self) -> Generator[None, None, None]:
        try:
            yield
        except OSError as error:
            self._lost(error)

    def _lost(self, error: OSError) -> None:
        self._put_aside()
        raise error if isinstance(error, BrokenPipeError) else OutputError(error.strerror)

    def _put_aside(self) -> None:
        """Let all be lost that is left: Python writes it once more at the end, and would fail then."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


class Errors(Output):
    """The standard stream for errors: nobody can be told that nothing can be told, so that what is done goes on.

    What follows is written all the same: it may be the log of a service, whose disk has room again.
    """

    def end(self) -> None:
        """Write what is left, or let it be lost."""
        try:
            self._stream.flush()
        except OSError:
            self._put_aside()

    def _lost(self, error: OSError) -> None:
        """Let it be lost."""


def failed(words: Sequence[str], code: str, message: str) -> None:
    """Say that what was typed has failed, as a command itself says it: on stderr, or as JSON where that was asked.

    What stdout does not take is said on stderr, unless whoever read it has gone.
    """
    from json import dumps

    with suppress(BrokenPipeError):
        if has_json(words):
            with suppress(OutputError):
                _say(Output(sys.stdout), dumps({"error": {"code": code, "message": message}}, indent=2))
                return
        errors = Errors(sys.stderr)
        _say(errors, f"yggdrasil: {message}")
        errors.end()


def _say(on: Output, text: str) -> None:
    on.write(f"{text}\n")
    on.flush()
