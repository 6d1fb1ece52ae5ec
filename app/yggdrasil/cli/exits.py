"""What the exit codes mean, and which error ends with which."""

from enum import IntEnum
from typing import Final

from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError


class ExitCode(IntEnum):
    """How a command ended."""

    OK = 0
    BROKEN = 1
    USAGE = 2
    REFUSED = 3
    NOT_FOUND = 4
    IN_USE = 5
    DIFFERENT = 6
    INTERRUPTED = 130
    PIPE_CLOSED = 141


MEANINGS: Final = {
    ExitCode.OK: "done",
    ExitCode.BROKEN: "something is broken: a damaged log or store, brokers that cannot be used, a bug",
    ExitCode.USAGE: "what was typed or given cannot be used; nothing was recorded",
    ExitCode.REFUSED: "the memory refused the command; its reason is printed",
    ExitCode.NOT_FOUND: "no such memory, event, topic or directory",
    ExitCode.IN_USE: "another process has the directory open",
    ExitCode.DIFFERENT: "a replay found a difference, or the log is not the one that was folded",
    ExitCode.INTERRUPTED: "interrupted (141: the reader of the output went away)",
}


class CommandLineError(YggdrasilError):
    """An error that only the command line knows; it names its own exit code and its code in JSON."""

    def __init__(self, exit_code: ExitCode, code: str, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.code = code


def classify(error: Exception) -> tuple[ExitCode, str]:
    """Return the exit code of an expected error, and its code in JSON."""
    from yggdrasil_infra.http.errors import KeysError, OpenDoorError, ServerError
    from yggdrasil_infra.kafka_log.pins import PartitionsAddedError
    from yggdrasil_infra.kafka_log.settings import SettingsError
    from yggdrasil_infra.kafka_log.topics import TopicMissingError
    from yggdrasil_infra.local_log.backup_manifest import BackupDamagedError, BackupError
    from yggdrasil_infra.locks import DirectoryInUseError
    from yggdrasil_infra.log import LogInUseError, ReadOnlyError, UnknownPartitionsError
    from yggdrasil_infra.paths import PathError
    from yggdrasil_infra.rocks.database import StorageInUseError
    from yggdrasil_processors.auditing.copying import CopyError
    from yggdrasil_processors.auditing.replay import AlteredRecordError, ReplayError
    from yggdrasil_producers.errors import ImporterError
    from yggdrasil_projections.graph.checkpoint.manifest import CheckpointError
    from yggdrasil_projections.graph.store.projector import LogMismatchError
    from yggdrasil_projections.graph.store.store import StoreMismatchError
    from yggdrasil_projections.retrieval.asks import InvalidAskError
    from yggdrasil_projections.retrieval.errors import UnknownNodeError
    from yggdrasil_projections.retrieval.reads.explain import UnknownActionError

    from ..doors.hooks.installing import HooksError
    from ..engines.embedded import LogElsewhereError, UnknownMemoryError
    from ..memory import CommandRefusedError
    from ..thinking.known import UnknownThinkerError

    match error:
        case CommandLineError():
            return error.exit_code, error.code
        case CommandRefusedError():
            return ExitCode.REFUSED, error.reason
        case InvalidCommandError():
            return ExitCode.USAGE, error.reason
        case PathError():
            return ExitCode.NOT_FOUND if error.code == "dangling_link" else ExitCode.USAGE, error.code
        case _:
            pass
    kinds: tuple[tuple[type[Exception], ExitCode, str], ...] = (
        (KeysError, ExitCode.USAGE, "keys"),
        (UnknownThinkerError, ExitCode.USAGE, "unknown_thinker"),
        (OpenDoorError, ExitCode.USAGE, "open_door"),
        (HooksError, ExitCode.USAGE, "hooks_settings"),
        (ServerError, ExitCode.BROKEN, "cannot_listen"),
        (ImporterError, ExitCode.USAGE, "cannot_import"),
        (CopyError, ExitCode.BROKEN, "not_copied"),
        (ReplayError, ExitCode.USAGE, "cannot_replay"),
        (SettingsError, ExitCode.USAGE, "kafka_settings"),
        (UnknownPartitionsError, ExitCode.USAGE, "unknown_partitions"),
        (LogElsewhereError, ExitCode.NOT_FOUND, "log_on_kafka"),
        (UnknownMemoryError, ExitCode.NOT_FOUND, "unknown_memory"),
        (UnknownActionError, ExitCode.NOT_FOUND, "unknown_event"),
        (UnknownNodeError, ExitCode.NOT_FOUND, "unknown_node"),
        (InvalidAskError, ExitCode.USAGE, "invalid_ask"),
        (PartitionsAddedError, ExitCode.DIFFERENT, "partitions_added"),
        (TopicMissingError, ExitCode.NOT_FOUND, "no_topic"),
        (ReadOnlyError, ExitCode.USAGE, "read_only"),
        (LogInUseError, ExitCode.IN_USE, "in_use"),
        (StorageInUseError, ExitCode.IN_USE, "in_use"),
        (DirectoryInUseError, ExitCode.IN_USE, "in_use"),
        (BackupDamagedError, ExitCode.BROKEN, "damaged"),
        (BackupError, ExitCode.USAGE, "cannot_back_up"),
        (CheckpointError, ExitCode.BROKEN, "checkpoint_unfit"),
        (AlteredRecordError, ExitCode.DIFFERENT, "record_altered"),
        (LogMismatchError, ExitCode.DIFFERENT, "record_altered"),
        (StoreMismatchError, ExitCode.DIFFERENT, "another_log"),
    )
    found = ((code, name) for kind, code, name in kinds if isinstance(error, kind))
    return next(found, (ExitCode.BROKEN, "broken"))
