"""Why a service does not start."""

from yggdrasil_schemas.errors import YggdrasilError


class KeysError(YggdrasilError):
    """The file of keys cannot be used; the message says why, and what to do."""


class ServerError(YggdrasilError):
    """The address cannot be listened on."""


class OpenDoorError(YggdrasilError):
    """The service would let anybody in from other machines."""


class UntrustedSocketError(YggdrasilError):
    """Another user has made the socket of a directory's service, or could have; the message says what to do."""
