"""What a database of ours may say instead of doing what it was asked."""

from dataclasses import replace
from typing import Final

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import AWAY, DAMAGED, ExitCode

OF_LOG: Final = "Restore it from a copy; `yggdrasil verify` says what is lost."
OF_STORE: Final = (
    "Start once with --recover, or stop what uses it and run `yggdrasil rebuild --accept`: it is folded from the log."
)
"""What to do about a damaged database: nothing else has what is in a log, and everything in a store is in its log."""


class StorageError(YggdrasilError):
    """The database cannot be opened or used as asked."""

    kind = AWAY


class StorageInUseError(StorageError):
    """Another process has this directory open for writing."""

    kind = replace(AWAY, exit=ExitCode.IN_USE, code="in_use")


class StorageDamagedError(StorageError):
    """RocksDB found bytes that do not match their checksum, or a file is missing."""

    kind = DAMAGED


class StoragePoisonedError(StorageError):
    """A write failed earlier; nothing can be trusted until the process starts again."""
