"""Where a quarantine is: in a directory, behind a service, or on Kafka, whose log is folded for it."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Final

from yggdrasil.knowing.quarantining import Quarantine
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.errors import NotReadyError

from ..exits import CommandLineError, ExitCode
from ..opening import opened
from ..options import OnKafka
from ..screen import Screen, clean
from ..targets import SOURCE, AtService, Target, at_service, check_may, memory_of

if TYPE_CHECKING:
    from yggdrasil.engines.query import QueryEngine

_GROUP: Final = "yggdrasil-query-quarantine"  # one of those that a query host may be let into
_LOOK_S: Final = 0.1
_PATIENCE_S: Final = 600.0  # with a service that is busy: it is asked once for each thousand commands


@contextmanager
def quarantine_at(
    screen: Screen, place: Target, there: OnKafka | None, memory: str, *, says: bool = False
) -> Generator[Quarantine]:
    """Open a memory for a quarantine or a report; ``says`` is whether anything is to be said.

    Raises CommandLineError for a key that may not, before anything is read, and what opening it raises.
    """
    if there is not None:
        with _folded(screen, there, memory) as engine:
            yield Quarantine(engine, Drafter(memory, SOURCE, "yggdrasil-kafka", "operator"), screen.progress)
    elif place.service is not None:
        with _served(screen, place.service, memory, says=says) as it:
            yield it
    else:
        with opened(screen, place, memory, origin="operator") as held:
            yield Quarantine(held.engine, Drafter(memory, SOURCE, "yggdrasil-embedded", "operator"), screen.progress)


@contextmanager
def _served(screen: Screen, service: AtService, memory: str, *, says: bool) -> Generator[Quarantine]:
    with at_service(service, _PATIENCE_S) as remote:
        caller = remote.caller()
        memory = memory_of(caller, memory)
        check_may(caller, "audit", memory)
        if says and caller.keyless:
            told = "whoever comes to a service without keys is an agent there, and this takes an operator"
            how = "start it with --keys, and use a key of `yggdrasil key new --role audit --role operate`"
            raise CommandLineError(ExitCode.USAGE, "may_not", f"{told}: {how}")
        if says:
            check_may(caller, "operate", memory)
        yield Quarantine(remote, Drafter(memory, caller.name, "yggdrasil-http", "operator"), screen.progress)


@contextmanager
def _folded(screen: Screen, there: OnKafka, memory: str) -> "Generator[QueryEngine]":
    """Fold the partition of a memory into stores of its own, which are deleted afterwards.

    Raises CommandLineError where it cannot be folded to its end.
    """
    from yggdrasil.engines.query import QueryEngine
    from yggdrasil_infra.kafka_log.log import KafkaLog
    from yggdrasil_processors.query_host import HostSettings, QueryHost
    from yggdrasil_schemas.partitions import partition_for

    with KafkaLog(there.settings, there.topic, there.profile) as log:
        partition = partition_for(memory.encode(), log.partitions)
    with tempfile.TemporaryDirectory(prefix="yggdrasil-quarantine-") as made:
        settings = HostSettings(
            there.settings, Path(made), there.topic, there.profile, group=_GROUP, partitions=(partition,)
        )
        with QueryEngine(QueryHost(settings)) as engine:
            _fold(screen, engine, memory)
            yield engine


def _fold(screen: Screen, engine: "QueryEngine", memory: str) -> None:
    """Wait until all that the log holds is folded."""
    host = engine.host
    end, done = engine.records.end_offset(host.partition(memory)), 0
    with screen.progress("Folding the log", end) as advance:
        while not (lags := host.lags()) or done < end:
            if lags:
                advance(lags[0].position - done)
                done = lags[0].position
            if host.failure is not None:
                raise host.failure
            if done < end and (why := _halted(engine, memory)) is not None:
                message = f"{clean(engine.where)} cannot be folded to its end: {clean(why)}"
                raise CommandLineError(ExitCode.BROKEN, "not_folded", message)
            sleep(_LOOK_S)


def _halted(engine: "QueryEngine", memory: str) -> str | None:
    """Return why nothing more is folded; None while it is, or is about to be. Raises StorageDamagedError."""
    try:
        return engine.host.hosted(memory).halted
    except NotReadyError as error:
        return str(error) if engine.host.damage.partitions else None
