"""Where the contract suite gets its memories: one for each way to reach one, all called ``me/agent``.

A memory "awaited" is an ``AsyncMemory`` whose calls are run to their end, one event loop for all of them.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, cast

from tests.contract.logs import fresh_topic
from tests.size import turns
from yggdrasil import AsyncMemory, Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.query import QueryEngine
from yggdrasil.engines.remote import Remote
from yggdrasil.serving import Host, Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.log import LogReader
from yggdrasil_processors.query_host import HostSettings, QueryHost

SUBJECTS = ["directory", "directory awaited", "store", "kafka", "http", "http awaited", "http on kafka"]
USUAL = turns([each for each in SUBJECTS if each != "http awaited"], SUBJECTS)
"""In every run. What is awaited is so over any engine, and over HTTP in every run where things are recorded."""
PARTITIONS = 3
READY_S = 240.0
ME = "me/agent"


class Awaited:
    """An ``AsyncMemory`` as the tests call it."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.engine = memory.memory.engine
        self.id = memory.id

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._memory, name)
        return lambda *args, **kwargs: self.result(method(*args, **kwargs))

    def result(self, awaited: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(awaited, self._loop).result(READY_S)

    def end(self) -> None:
        self.result(self._memory.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@contextmanager
def subject(how: str, folder: Path, fixture: Callable[[str], Any]) -> Iterator[Memory[Any]]:
    """A fresh memory, reached in the way that ``how`` names."""
    with ExitStack() as stack:
        made: Memory[Any]
        if how.startswith("directory"):
            made = stack.enter_context(Memory.open(folder / "memories", ME, partitions=PARTITIONS))
            log: LogReader = made.engine.log
        elif how == "store":
            store = stack.enter_context(Store.open(folder / "memories", partitions=PARTITIONS))
            made = stack.enter_context(store.memory(ME))
            log = store.engine.log
        elif how == "kafka":
            kafka: KafkaSettings = fixture("kafka")
            topic = fresh_topic(kafka, PARTITIONS)
            made = Memory.connect(kafka.bootstrap_servers, memory=ME, topic=topic, profile="development")
            stack.enter_context(made)
            log = made.engine.log
        else:
            host = stack.enter_context(_host(how, folder, fixture))
            log = host.records
            made = stack.enter_context(_served(host, folder))
        if how.endswith("awaited"):
            awaited = Awaited(AsyncMemory(made))
            stack.callback(awaited.end)
            made = cast(Memory[Any], awaited)
        made.__dict__["log"] = log
        yield made


def log_of(memory: Memory[Any]) -> LogReader:
    """The log that a memory's commands stand in."""
    return cast(LogReader, memory.__dict__["log"])


def decides_for_itself(memory: Memory[Any]) -> bool:
    """Whether it is a service that says who speaks."""
    return isinstance(memory.engine, Remote)


@contextmanager
def _host(how: str, folder: Path, fixture: Callable[[str], Any]) -> Iterator[Embedded | QueryEngine]:
    if how != "http on kafka":
        with Embedded(folder / "served", partitions=PARTITIONS, sliced=True) as engine:
            yield engine
        return
    kafka: KafkaSettings = fixture("kafka")
    topic = fresh_topic(kafka, PARTITIONS)
    host = QueryHost(HostSettings(kafka, folder / "served", topic, "development", group=topic, look_every_s=0.5))
    with QueryEngine(host) as on_kafka:
        deadline = monotonic() + READY_S
        while host.ready() is not None:
            assert monotonic() < deadline, host.ready()
            Event().wait(0.02)
        yield on_kafka


@contextmanager
def _served(host: Host, folder: Path) -> Iterator[Memory[Remote]]:
    _, key = new_key(folder / "keys.json", "me", ["append", "read", "audit", "operate"], "agent")
    service = Service(("127.0.0.1", 0), Keys(folder / "keys.json"), rate=0)
    with Serving(host, service) as serving, Memory.connect(serving.url, memory=ME, key=key) as memory:
        yield memory
