"""What the environment says of daemons: whether one is wanted, and for how long."""

import os
from typing import Final

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

VARIABLE: Final = "YGGDRASIL_DAEMON"
"""With "1" in the environment every directory is opened through a service that is started on demand.

With "auto", or nothing, the command line alone starts one beside its first command. With "0" it starts none.
"""
IDLE_VARIABLE: Final = "YGGDRASIL_DAEMON_IDLE_S"
"""After how many seconds without a request a daemon ends that the command line has started."""
LOCK: Final = "serve.lock"
"""The file that whoever starts the daemon of a directory holds, and then the daemon for as long as it runs."""
STARTING: Final = "serve.starting"
"""The file that is there from when a command has started the daemon of a directory until that answers."""
AUTO: Final = "auto"
ALWAYS: Final = "1"
NEVER: Final = "0"
_IDLE_S: Final = 300.0
_IDLE_S_MIN: Final = 0.1


class DaemonSettingError(YggdrasilError):
    """The environment says of daemons what cannot be meant."""

    kind = local("daemon_setting", ExitCode.USAGE)


def wish() -> str:
    """Return what the environment says: AUTO, ALWAYS or NEVER. Raises DaemonSettingError."""
    said = os.environ.get(VARIABLE) or AUTO
    if said not in {AUTO, ALWAYS, NEVER}:
        raise DaemonSettingError(f"{VARIABLE} takes {AUTO}, {ALWAYS} or {NEVER}, and not {said[:40]!r}")
    return said


def wanted() -> bool:
    """Whether the environment asks every opener for a daemon. Raises DaemonSettingError."""
    return wish() == ALWAYS


def auto_idle_s() -> float:
    """Return after how many idle seconds a daemon ends that the command line starts. Raises DaemonSettingError."""
    said = os.environ.get(IDLE_VARIABLE)
    if not said:
        return _IDLE_S
    try:
        seconds = float(said)
    except ValueError:
        seconds = 0.0
    if not _IDLE_S_MIN <= seconds < float("inf"):
        raise DaemonSettingError(f"{IDLE_VARIABLE} takes seconds, at least {_IDLE_S_MIN:g}, and not {said[:40]!r}")
    return seconds
