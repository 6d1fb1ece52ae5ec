"""Why a service does not start."""

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local


class KeysError(YggdrasilError):
    """The file of keys cannot be used; the message says why, and what to do."""

    kind = local("keys", ExitCode.USAGE)


class ServerError(YggdrasilError):
    """The address cannot be listened on."""

    kind = local("cannot_listen", ExitCode.BROKEN)


class OpenDoorError(YggdrasilError):
    """The service would let anybody in from other machines."""

    kind = local("open_door", ExitCode.USAGE)


class UntrustedSocketError(YggdrasilError):
    """Another user has made the socket of a directory's service, or could have; the message says what to do."""
