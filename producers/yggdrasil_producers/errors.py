"""What producers refuse."""

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local


class ImporterError(YggdrasilError):
    """A source cannot be imported; the message says what was expected, what came, and what to do."""

    kind = local("cannot_import", ExitCode.USAGE)
