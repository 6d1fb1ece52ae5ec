"""The root of every error that this system raises on purpose."""


class YggdrasilError(Exception):
    """Something was refused or is broken; the message says what was expected, what came, and what to do."""


class InvalidCommandError(YggdrasilError):
    """A command was refused before it reached the log: it does not speak the language of the log.

    ``reason`` is the refusal that the fold would have given; ``detail`` names the field.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
