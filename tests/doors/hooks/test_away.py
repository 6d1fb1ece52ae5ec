"""When the service is away, slow or full: silent, bounded, and nothing lost before the bound."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.doors.hooks.agent import Agent
from yggdrasil import Memory
from yggdrasil.doors.hooks import outbox as outboxes
from yggdrasil.doors.hooks import script
from yggdrasil.doors.hooks.installing import SCRIPT
from yggdrasil.doors.hooks.outbox import Outbox, standing
from yggdrasil.doors.hooks.service import Away, Deadline, Service
from yggdrasil.doors.hooks.session import Sessions, State
from yggdrasil.doors.hooks.settings import Settings, default_memory, settings


@pytest.fixture
def deaf() -> Iterator[str]:
    """A service that takes connections and answers none."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def meant(tmp_path: Path, url: str | None) -> Settings:
    return Settings(str(tmp_path / "data"), "me/agent", str(tmp_path), url)


def event(number: int, text: str = "x") -> dict[str, Any]:
    own = f"8b0f2f9b-0fca-8{number:03x}-8000-000000000000"
    return {"type": "record_event", "id": own, "session": "s", "body": {"features": []}, "content": {"text": text}}


def test_a_deaf_service_is_waited_for_no_longer_than_the_deadline(tmp_path: Path, deaf: str) -> None:
    waited: list[float] = []

    class Counting(Deadline):
        def left_s(self) -> float:
            waited.append(super().left_s())
            return waited[-1]

    with pytest.raises(Away):
        Service(meant(tmp_path, deaf), Counting(monotonic() + 0.05)).post("/context", {})
    assert waited == sorted(waited, reverse=True)
    assert all(left <= 0.05 for left in waited)
    with pytest.raises(Away, match="used up"):
        Deadline(monotonic() - 1).left_s()


@pytest.mark.parametrize("said", [None, "", "x", "0", "-5", "300"])
def test_a_hook_may_take_300_ms(said: str | None) -> None:
    assert script.total_ms(said) == script.TOTAL_MS == 300
    assert 0 < script.RECALL_SHARE < script.SENDING_SHARE < script.LAST_SHARE < 1
    assert script.total_ms("99999999") == script.TOTAL_MS_MAX


def test_silent_while_the_service_is_deaf_and_told_when_it_answers(agent: Agent, memory: Memory, deaf: str) -> None:
    url, agent.url, agent.milliseconds = agent.url, deaf, 1_500
    assert agent.event("SessionStart", source="startup") == ""
    assert agent.event("UserPromptSubmit", prompt="Make it so", prompt_id="p1") == ""
    assert agent.edit("a.py") == ""
    assert [each["type"] for each in agent.waiting()] == ["record_event", "record_event"]
    agent.url, agent.milliseconds = url, 10_000
    agent.run("pytest", failed="Exit code 1\n1 failed in 0.01s")
    assert not agent.waiting()
    found = {each.text: each for each in memory.timeline().memories}
    assert list(found)[::-1] == ["Asked: Make it so", "Changed a.py\n- a\n+ b", "Ran `pytest`: exit 1\n1 failed"]
    assert [each.kind for each in found["Changed a.py\n- a\n+ b"].outcomes] == ["tests_failed"]


def test_silent_where_nobody_listens_and_nothing_can_be_started(agent: Agent) -> None:
    agent.url = None
    assert agent.event("SessionStart", source="startup") == ""
    assert agent.edit("a.py") == ""
    assert len(agent.waiting()) == 1
    for path in agent.data.glob("hooks/**/*"):
        assert path.stat().st_mode & 0o077 == 0, f"{path} is for its owner alone"


def test_the_timer_ends_a_hook_whose_event_does_not_come() -> None:
    read, write = os.pipe()
    command = [sys.executable, "-I", "-S", str(SCRIPT)]
    ran = subprocess.run(command, stdin=read, capture_output=True, timeout=60, check=False)
    os.close(write)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_what_was_sent_by_a_hook_that_was_then_ended_is_recorded_once(
    agent: Agent, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = settings((), {"YGGDRASIL_DIR": str(agent.data), "YGGDRASIL_SERVICE": str(agent.url)}, str(agent.project))
    assert found is not None
    outbox = Outbox(found.state, Deadline.within(60))
    with outbox.locked():
        outbox.add([event(1, "first"), event(2, "second")])

    def ended(*_: object) -> None:
        raise Away("ended here")

    with monkeypatch.context() as patched, pytest.raises(Away):
        patched.setattr(Outbox, "_keep", ended)
        outbox.send(Service(found, Deadline.within(60)))
    assert len(outbox.waiting()) == 2
    outbox.send(Service(found, Deadline.within(60)))
    assert not outbox.waiting()
    assert [each.text for each in memory.timeline().memories] == ["second", "first"]


def test_what_the_service_does_not_understand_stands_in_nobody_s_way(agent: Agent, memory: Memory) -> None:
    found = settings((), {"YGGDRASIL_DIR": str(agent.data), "YGGDRASIL_SERVICE": str(agent.url)}, str(agent.project))
    assert found is not None
    outbox = Outbox(found.state, Deadline.within(60))
    with outbox.locked():
        outbox.add([event(1, "first"), {**event(2), "type": "no_such_type"}, event(3, "third")])
    with open(os.path.join(found.state, outboxes.FILE), "a") as file:
        file.write("half a li\n")
    outbox.send(Service(found, Deadline.within(60)))
    assert standing(found.state) == (0, 2)
    assert [each.text for each in memory.timeline().memories] == ["third", "first"]


def test_what_waits_is_bounded_and_the_latest_stays(tmp_path: Path) -> None:
    outbox = Outbox(str(tmp_path / "box"), Deadline.within(60))
    with outbox.locked():
        for number in range(2_000):
            outbox.add([event(number, "x" * 900)])
    waiting, lost = standing(str(tmp_path / "box"))
    assert waiting + lost == 2_000
    assert lost > 0
    assert os.path.getsize(tmp_path / "box" / outboxes.FILE) <= outboxes.WAITING_BYTES_MAX
    assert json.loads(outbox.waiting()[-1]) == event(1_999, "x" * 900)


def test_a_lock_that_another_hook_has_is_waited_for_until_the_deadline(tmp_path: Path) -> None:
    held = Outbox(str(tmp_path / "box"), Deadline.within(60))
    late = Outbox(str(tmp_path / "box"), Deadline.within(0.02))
    with held.locked(), pytest.raises(Away), late.locked():
        raise AssertionError("both have it")


@pytest.mark.parametrize("url", ["http://example.org:80", "https://127.0.0.1:1", "http://127.0.0.1", "nonsense"])
def test_a_key_goes_to_this_machine_alone(tmp_path: Path, url: str) -> None:
    with pytest.raises(Away, match=r"takes http://127\.0\.0\.1:PORT"):
        Service(meant(tmp_path, url), Deadline.within(60)).get("/stats")


def test_a_state_that_cannot_be_read_begins_anew(tmp_path: Path) -> None:
    sessions = Sessions(str(tmp_path))
    sessions.save("one", State(turn=3, edits=[["id", "path"]]))
    assert sessions.load("one").turn == 3
    (file,) = tmp_path.glob("session-*.json")
    for spoilt in ("", "{", "[]", '{"turn": "many"}', '{"edits": {}}', '{"other": 1}'):
        file.write_text(spoilt)
        assert sessions.load("one").kept() == State().kept()


def test_a_state_is_bounded(tmp_path: Path) -> None:
    state = State(seen=[str(n) for n in range(9_999)], uncommitted={f"{n}.py": "id" for n in range(9_999)})
    state.recalls = [{"id": str(n)} for n in range(9_999)]
    sessions = Sessions(str(tmp_path))
    for number in range(40):
        sessions.save(str(number), state)
    assert all(file.stat().st_size < 20_000 for file in tmp_path.iterdir())
    sessions.prune()
    assert len(list(tmp_path.iterdir())) == 32
    assert sessions.load("39").seen[-1] == "9998"


@pytest.mark.parametrize(
    ("folder", "memory"),
    [("/x/my-project", "me/my-project"), ("/x/My Project (2)", "me/My-Project-2-86759e8b"),
     ("/x/.dotfiles", "me/.dotfiles"), ("/", "me/project"), ("/x/" + "a" * 99, f"me/{'a' * 55}-ad093f6a")],
)  # fmt: skip
def test_the_memory_of_a_project_is_named_after_its_folder(folder: str, memory: str) -> None:
    assert default_memory(folder) == memory


def test_options_come_before_variables_and_nonsense_switches_off(tmp_path: Path) -> None:
    variables = {"YGGDRASIL_DIR": "/there", "YGGDRASIL_MEMORY": "a/b"}
    found = settings(["--memory", "c/d", "--other", "--data", "~/x"], variables, str(tmp_path))
    assert found is not None
    assert (found.memory, found.data, found.root) == ("c/d", os.path.expanduser("~/x"), str(tmp_path))
    for wrong in ("a", "a/b/c", "../x", "a/..", "a/b c", ""):
        assert settings(["--memory", wrong or "/"], {}, str(tmp_path)) is None
    assert settings((), {"YGGDRASIL_HOOKS": "off"}, str(tmp_path)) is None
    inside = tmp_path / "repository" / "src" / "deep"
    inside.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    found = settings((), {}, str(inside))
    assert found is not None
    assert (found.memory, found.root) == ("me/repository", str(tmp_path / "repository"))
