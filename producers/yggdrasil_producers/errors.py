"""What producers refuse."""

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import FORBIDDEN, ExitCode, local


class ImporterError(YggdrasilError):
    """A source cannot be imported; the message says what was expected, what came, and what to do."""

    kind = local("cannot_import", ExitCode.USAGE)


class NotAllowedError(YggdrasilError):
    """A memory that was opened with the role agent was told to do what takes the role operator; nothing was appended.

    ``command`` is what it would have been.
    """

    kind = FORBIDDEN

    def __init__(self, command: str) -> None:
        super().__init__(
            f"{command} is not for agents: this memory was opened with role='agent'. Whoever runs the memory says it, "
            "with role='operator'"
        )
        self.command = command
