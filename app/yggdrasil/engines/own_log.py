"""Whose a directory is: that of a log, or of a worker whose log is elsewhere."""

from pathlib import Path

from yggdrasil_schemas.errors import YggdrasilError


class LogElsewhereError(YggdrasilError):
    """A directory holds stores and no log: a worker's, for one, whose log is on Kafka."""


def check_own_log(path: Path) -> None:
    """Raise LogElsewhereError when ``path`` holds what a worker leaves there, and no log; nothing is made there.

    A log beside a worker's stores would be another one than they were folded from, and the worker would refuse both.
    """
    if (path / "log").is_dir():
        return
    stores = path / "graph"
    if (path / "worker.lock").exists() or (stores.is_dir() and any(stores.iterdir())):
        raise LogElsewhereError(
            f"{path} holds a worker's stores, and their log is on Kafka; name another directory, or see "
            "`yggdrasil replay --kafka`"
        )
