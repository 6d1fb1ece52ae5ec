"""What all tests share: one real broker per session, and the order in which their files begin."""

import gc
import logging
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, settings

from tests.kafka.node import named_broker
from tests.kafka.shared import begin_session, end_session, shared_broker
from yggdrasil_infra.kafka_log.settings import KafkaSettings

if TYPE_CHECKING:
    from tests.faults.workers.processes import Fleet

os.environ["YGGDRASIL_EMBEDDER"] = "none"
"""Most tests are not about vectors, which would be made for every text in a new directory; those that are say which."""

os.environ["YGGDRASIL_DAEMON"] = "0"
"""Nor are they about daemons, one of which would stay for each new directory; those that are end their own."""

# No test fails for the time that a busy machine takes: not for that of an example, nor for that to make one.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Begun in the background by a shell, a process ignores Ctrl-C, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until all tests are there: they live as long as this process, and to look through them takes seconds

TESTS: Final = Path(__file__).parent
MEMORY: Final = Path("/dev/shm")
ROOM_BYTES: Final = 8 << 30  # twice what the tests leave
KEEPER: Final = "YGGDRASIL_TESTS_KEEPER"
FIRST: Final = (
    "test_benchmarks.py",
    "test_docs.py",
    "doors/every/test_alike.py",
    "doors/every/test_many.py",
    "kafka/hosts/test_worker.py",
    "faults/workers/test_steps.py",
    "service/test_process.py",
    "kafka/hosts/test_halting.py",
    "graph/oracle/trials/test_oracle.py",
    "contract/test_reading.py",
    "faults/local/test_damage.py",
    "faults/local/test_kill.py",
    "kafka/thinkers/test_think.py",
    "embedded/directory/test_rebuild.py",
    "kafka/hosts/test_lag.py",
    "faults/workers/test_checkpoints.py",
)
"""The files that take longest: begun last, one of them would keep one process busy while the others have nothing."""


def pytest_configure() -> None:
    """Begin the session, in the process that is started."""
    keep_in_memory()
    begin_session()


def pytest_unconfigure() -> None:
    """End it there."""
    end_session()
    if str(os.getpid()) == os.environ.get(KEEPER):
        shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)


def keep_in_memory() -> None:
    """Let what is temporary lie in memory, where there is room: thousands of stores are opened, each with its syncs.

    Whoever has set ``TMPDIR`` wants it there, and finds there what a failed test has left.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    held = os.statvfs(MEMORY)
    if held.f_bavail * held.f_frsize < ROOM_BYTES or held.f_flag & os.ST_NOEXEC or not os.access(MEMORY, os.W_OK):
        return
    os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="y", dir=MEMORY)  # short: sockets lie in it
    os.environ[KEEPER] = str(os.getpid())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what takes longest begin first; the order within a file, and that of all others, stays."""
    places = {TESTS / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_collection_finish() -> None:
    """Spare the garbage collector the tests themselves: thousands of objects that live as long as this process."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def kafka() -> KafkaSettings:
    """A broker: the one that the environment names, or one on loopback that all processes of this session share."""
    named = named_broker()
    return KafkaSettings.from_environment(named) if named else KafkaSettings(shared_broker())


@pytest.fixture
def fleet(kafka: KafkaSettings, tmp_path: Path, request: pytest.FixtureRequest) -> "Iterator[Fleet]":
    """Room for workers, and a topic of their own with as many ``PARTITIONS`` as the module of the test names."""
    from tests.faults.workers.processes import Fleet

    with Fleet(kafka, tmp_path, request.module.PARTITIONS) as created:
        yield created


@pytest.fixture(autouse=True)
def loggers_left_as_found() -> Iterator[None]:
    """A command sets up its log once, for its process; here others follow, and what it wrote to is closed by then."""
    loggers = [logging.getLogger(name) for name in ("yggdrasil", "asyncio", "kafka", "uvicorn")]
    before = [(logger.level, list(logger.handlers)) for logger in loggers]
    yield
    for logger, (level, handlers) in zip(loggers, before, strict=True):
        logger.setLevel(level)
        logger.handlers[:] = handlers
