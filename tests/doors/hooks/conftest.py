"""A service for all tests of hooks, and an agent in a project and with a memory of its own."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.doors.hooks.agent import Agent
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving

_numbers = count()


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("serving")
    with Embedded(place, sliced=True) as engine, Serving(engine, Service(("127.0.0.1", 0), rate=0)) as it:
        yield it.url


@pytest.fixture
def agent(url: str, tmp_path: Path) -> Agent:
    project = tmp_path / f"project-{next(_numbers)}"
    (project / ".git").mkdir(parents=True)
    return Agent(tmp_path / "data", project, url)


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """The command line, in this process."""
    return Cli(tmp_path, capsys)


@pytest.fixture
def memory(agent: Agent) -> Iterator[Memory]:
    """The memory of the agent's project."""
    with Memory.connect(agent.url, memory=f"me/{agent.project.name}") as it:
        yield it
