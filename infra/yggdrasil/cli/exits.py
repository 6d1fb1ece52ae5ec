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
    from yggdrasil_infra.kafka_settings import SettingsError
    from yggdrasil_infra.kafka_topics import TopicMissingError
    from yggdrasil_infra.locks import DirectoryInUseError
    from yggdrasil_infra.log import LogInUseError
    from yggdrasil_infra.rocks import StorageInUseError
    from yggdrasil_processors.replay import AlteredRecordError, ReplayError
    from yggdrasil_producers.errors import ImporterError
    from yggdrasil_projections.graph.checkpoint_manifest import CheckpointError
    from yggdrasil_projections.graph.projector import LogMismatchError
    from yggdrasil_projections.graph.store import StoreMismatchError
    from yggdrasil_projections.retrieval.explain import UnknownActionError

    from ..embedded import LogElsewhereError, UnknownMemoryError
    from ..memory import CommandRefusedError

    match error:
        case CommandLineError():
            found = error.exit_code, error.code
        case CommandRefusedError():
            found = ExitCode.REFUSED, error.reason
        case InvalidCommandError():
            found = ExitCode.USAGE, error.reason
        case ImporterError():
            found = ExitCode.USAGE, "cannot_import"
        case ReplayError():
            found = ExitCode.USAGE, "cannot_replay"
        case LogElsewhereError():
            found = ExitCode.NOT_FOUND, "log_on_kafka"
        case UnknownMemoryError():
            found = ExitCode.NOT_FOUND, "unknown_memory"
        case UnknownActionError():
            found = ExitCode.NOT_FOUND, "unknown_event"
        case SettingsError():
            found = ExitCode.USAGE, "kafka_settings"
        case TopicMissingError():
            found = ExitCode.NOT_FOUND, "no_topic"
        case LogInUseError() | StorageInUseError() | DirectoryInUseError():
            found = ExitCode.IN_USE, "in_use"
        case CheckpointError():
            found = ExitCode.BROKEN, "checkpoint_unfit"
        case AlteredRecordError() | LogMismatchError():
            found = ExitCode.DIFFERENT, "record_altered"
        case StoreMismatchError():
            found = ExitCode.DIFFERENT, "another_log"
        case _:
            found = ExitCode.BROKEN, "broken"
    return found
