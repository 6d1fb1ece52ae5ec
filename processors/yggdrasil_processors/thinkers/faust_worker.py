# pyright: reportMissingTypeStubs=false
# aiokafka, below Faust, has no types.
"""Thinkers as Faust agents: woken by the commands on a Kafka topic, at work in threads beside the event loop.

Faust says *when* to think and shares the partitions out; it holds nothing that the log does not. What was read and
decided is in the thinkers' own store, and how far each has decided is in the log. So an acknowledgement that comes too
early, too late or never costs a look at most: once a minute, and when partitions are assigned, the service is asked
which memories have moved, and those that have moved beyond what was read are looked at.
"""

import asyncio
import logging
import os
import ssl
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import faust
import orjson
from aiokafka.consumer import fetcher

from yggdrasil_infra.kafka_log.header_names import readable
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.log import Receipt
from yggdrasil_infra.rocks.errors import StorageError
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.partitions import partition_for

from .frame.looking import Looking
from .frame.pool import Desk, Pool
from .frame.ports import Memories

GROUP_DEFAULT: Final = "yggdrasil-thinkers"
"""The consumer group that shares the partitions out among thinking processes."""
_LOOK_S: Final = 60.0  # what was missed, for whatever reason, is seen after so long
_NAP_S: Final = 1.0
_BUG: Final = 70  # EX_SOFTWARE: an exception must not leave an agent, or records are lost and committed
_LOGGER: Final = logging.getLogger("yggdrasil.thinkers")
_MemoryRecords: Final[Any] = fetcher.MemoryRecords
# Faust would set up the log anew, and looks for a first handler at its root.
_AS_IT_IS: Final = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"none": {"class": "logging.NullHandler"}},
    "root": {"handlers": ["none"]},
}


@dataclass(frozen=True, slots=True)
class FaustSettings:
    """Where the commands are, and as whom to read them. Times are in seconds.

    ``partitions`` is the topic's. After ``idle_s`` without a command thinkers are told that a memory rests. Stopping
    takes at most ``grace_s``. After ``session_timeout_s`` without a sign of a process others take over.
    """

    kafka: KafkaSettings
    topic: str
    partitions: int
    directory: Path
    group: str = GROUP_DEFAULT
    idle_s: float = 300.0
    grace_s: float = 20.0
    session_timeout_s: float = 10.0


class FaustWorker:
    """A process of thinkers on Kafka. ``run`` returns when it is told to stop."""

    def __init__(self, pool: Pool, memories: Memories, settings: FaustSettings) -> None:
        """Connect to nothing yet."""
        self._pool = pool
        self._looking = Looking(pool, memories)
        self._settings = settings
        self._assigned: set[int] | None = None
        self._active: dict[str, float] = {}  # by memory: when something last happened there
        self._woken = asyncio.Event()
        self.app = self._application()

    def ready(self) -> str | None:
        """Return None while all thinkers are at work on their partitions, or else why not, in a sentence."""
        if self._assigned is None:
            return "no partitions are assigned yet"
        return self._pool.failed()

    def live(self) -> str | None:
        """Return None: a process that cannot go on ends by itself."""
        return None

    def run(self) -> None:
        """Think until SIGTERM or SIGINT. Raises SystemExit, with 0 when it was told to stop."""
        nowhere = Path(os.devnull).open("w")  # noqa: SIM115 - for what Faust would draw, and it draws to the very end
        worker = faust.Worker(
            self.app, loglevel="WARNING", logging_config=_AS_IT_IS, stdout=nowhere, redirect_stdouts=False
        )
        worker.execute_from_commandline()

    def _application(self) -> Any:
        settings = self._settings
        fetcher.MemoryRecords = _memory_records
        app: Any = faust.App(
            settings.group,
            broker=[f"kafka://{server.strip()}" for server in settings.kafka.bootstrap_servers.split(",")],
            broker_credentials=credentials_of(settings.kafka),
            store="memory://",
            datadir=settings.directory / "faust",
            web_enabled=False,
            topic_disable_leader=True,
            broker_session_timeout=settings.session_timeout_s,
            broker_heartbeat_interval=settings.session_timeout_s / 3,
            broker_rebalance_timeout=settings.session_timeout_s,
            consumer_auto_offset_reset="latest",  # what came before is looked at when a partition is assigned
        )
        commands = app.topic(settings.topic, key_serializer="raw", value_serializer="raw")
        app.agent(commands, name="yggdrasil.thinkers.wake")(self._wake)
        for desk in self._pool.desks:
            app.task(self._thinker(desk))
        app.timer(interval=_LOOK_S)(self._look)
        app.timer(interval=min(settings.idle_s, _LOOK_S))(self._rest)
        app.on_partitions_assigned.connect(self._on_assigned)
        app.on_before_shutdown.connect(self._on_shutdown)
        return app

    # What Faust calls

    async def _wake(self, stream: Any) -> None:
        async for event in stream.events():
            try:
                self._woken_by(event.message)
            except Exception:
                _LOGGER.critical(
                    "a record could not be looked at; the process ends, and nothing is lost", exc_info=True
                )
                os._exit(_BUG)

    def _thinker(self, desk: Desk) -> Any:
        async def think() -> None:
            while True:
                try:
                    done = await asyncio.to_thread(self._pool.step, desk)
                except StorageError:
                    _LOGGER.critical("thinkers cannot keep what they know; the process ends", exc_info=True)
                    os._exit(_BUG)
                except YggdrasilError as error:
                    _LOGGER.warning("thinker %s waits: %s", desk.name, error)
                    await asyncio.sleep(_NAP_S)
                    continue
                if done is None or done.waits:
                    self._woken.clear()
                    await asyncio.wait([asyncio.create_task(self._woken.wait())], timeout=_NAP_S)

        return think

    async def _look(self) -> None:
        try:
            await asyncio.to_thread(self._looking.look, self._owns)
        except StorageError:
            _LOGGER.critical("thinkers cannot read what they know; the process ends", exc_info=True)
            os._exit(_BUG)
        except YggdrasilError as error:
            _LOGGER.warning("thinkers cannot see which memories have moved: %s", error)
        self._woken.set()

    async def _rest(self) -> None:
        now = asyncio.get_running_loop().time()
        resting = [memory for memory, at in self._active.items() if now - at >= self._settings.idle_s]
        for memory in resting:
            del self._active[memory]
        self._pool.wake_all([memory for memory in resting if self._owns(memory)], resting=True)
        self._woken.set()

    async def _on_assigned(self, _app: Any, *args: Any, **_: Any) -> None:
        assigned: Iterable[Any] = args[0]
        self._assigned = {each.partition for each in assigned if each.topic == self._settings.topic}
        _LOGGER.info("thinkers have partitions %s", sorted(self._assigned))
        self._looking.begin_again()
        asyncio.get_running_loop().create_task(self._look())

    async def _on_shutdown(self, _app: Any, *_args: Any, **_: Any) -> None:
        # Faust may wait for minutes for what it has not acknowledged: nothing of ours hangs on it.
        timer = threading.Timer(self._settings.grace_s, os._exit, (0,))
        timer.daemon = True
        timer.start()

    # Inside

    def _woken_by(self, message: Any) -> None:
        """Wake those whom a record concerns. What is no command concerns nobody."""
        if message.key is None or message.value is None:
            return
        try:
            record = orjson.loads(message.value)
            command, body, memory = record["type"], record["body"], record["memory"]
            thinker = body.get("thinker")
            name = None if thinker is None else thinker["name"]
        except (ValueError, KeyError, TypeError, AttributeError):
            return  # the fold refuses it
        if message.key != str(memory).encode() or not isinstance(command, str):
            return
        if self._pool.wake(memory, command, name, Receipt(message.partition, message.offset)):
            self._active[memory] = asyncio.get_running_loop().time()
            self._woken.set()

    def _owns(self, memory: str) -> bool:
        """Whether a memory is in one of the partitions that this process has."""
        return partition_for(memory.encode(), self._settings.partitions) in (self._assigned or ())


def _memory_records(fetched: bytes) -> Any:
    """Return what aiokafka makes of fetched bytes, whatever names their headers have."""
    return _MemoryRecords(readable(fetched))


def credentials_of(kafka: KafkaSettings) -> Any:
    """Return how Faust is let in by the brokers, by the same options as kafka-python; None for plain text."""
    given = kafka.security
    protocol = given.get("security_protocol", "PLAINTEXT")
    context = None
    if protocol.endswith("SSL"):
        context = ssl.create_default_context(cafile=given.get("ssl_cafile"))
        context.check_hostname = given.get("ssl_check_hostname") != "false"
        if "ssl_certfile" in given:
            context.load_cert_chain(given["ssl_certfile"], given.get("ssl_keyfile"), given.get("ssl_password"))
    if protocol.startswith("SASL_"):
        return faust.SASLCredentials(
            username=given["sasl_plain_username"],
            password=given["sasl_plain_password"],
            ssl_context=context,
            mechanism=given["sasl_mechanism"],
        )
    return None if context is None else faust.SSLCredentials(context)
