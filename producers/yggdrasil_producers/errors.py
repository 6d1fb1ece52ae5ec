"""What producers refuse."""

from yggdrasil_schemas.errors import YggdrasilError


class ImporterError(YggdrasilError):
    """A source cannot be imported; the message says what was expected, what came, and what to do."""
