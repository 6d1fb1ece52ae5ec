"""An event is kept before anything else, and what was kept is not lost: by a kill, a bad byte, a busy machine."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import sleep

import pytest

from tests.cli.runs import Cli
from tests.doors.hooks.agent import Agent
from tests.harness.children import environment
from tests.harness.waiting import DEADLINE_S, until
from tests.size import turns
from yggdrasil import Memory
from yggdrasil.doors.hooks.installing import SCRIPT, SHELL
from yggdrasil.doors.hooks.outbox import lost_in, standing
from yggdrasil.doors.hooks.script import take_left
from yggdrasil.doors.hooks.settings import Settings, default_memory, repository
from yggdrasil.doors.hooks.spool import kept as spool


class Shelled(Agent):
    """An agent whose hooks begin with the shell, as they are installed; ``runs`` is what that starts then."""

    runs: tuple[str, ...] = (sys.executable, "-I", "-S", str(SCRIPT))

    @property
    def runtime(self) -> Path:
        return self.data.parent / "run"

    @property
    def spool(self) -> Path:
        return self.runtime / spool.RUNTIME_FOLDER

    def start_with(self, said: bytes, *options: str, out: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        self.runtime.mkdir(mode=0o700, exist_ok=True)
        variables = environment(**{"YGGDRASIL_DIR": str(self.data)} | self.more)
        variables |= {"XDG_RUNTIME_DIR": str(self.runtime), "YGGDRASIL_HOOKS_MS": str(self.milliseconds)}
        if self.url:
            variables["YGGDRASIL_SERVICE"] = self.url
        line = ["sh", str(SHELL), *self.runs, "--program", "no-such-program", *options]
        pipe = subprocess.PIPE
        started = subprocess.Popen(
            line, stdin=pipe, stdout=out, stderr=out, env=variables, start_new_session=True, cwd=self.project
        )
        assert started.stdin is not None
        started.stdin.write(said)
        started.stdin.close()
        started.stdin = None
        return started

    def heard(self, said: bytes) -> bytes:
        """Return what the hook answers to an event: whatever happens, it ends well and says nothing else."""
        started = self.start_with(said, out=subprocess.PIPE)
        out, err = started.communicate(timeout=120)
        assert (started.returncode, err) == (0, b"")
        return out

    def prompt(self, text: str, number: int = 1) -> bytes:
        given = {"session_id": "s1", "cwd": str(self.project), "hook_event_name": "UserPromptSubmit"}
        return json.dumps(given | {"prompt": text, "prompt_id": f"p{number}"}).encode()

    def end(self, said: bytes) -> None:
        """Let the shell keep an event, and nothing come after it."""
        self.runs = ("true",)
        assert self.start_with(said).wait(DEADLINE_S) == 0
        del self.runs
        self.aged()

    def has_kept(self, text: str) -> bool:
        """Whether the shell has kept the event of this prompt, or it was taken in already."""
        for file in self.spool.glob("*-*[0-9]"):
            with suppress(FileNotFoundError):  # taken in just now
                if text.encode() in file.read_bytes():
                    return True
        return f"Asked: {text}" in self.texts()

    def aged(self) -> None:
        for file in self.spool.iterdir():
            with suppress(FileNotFoundError):  # taken in just now
                os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 100))

    def texts(self) -> list[str]:
        return [each["content"]["text"] for each in self.waiting()]

    def lost(self) -> int:
        return standing(str(self.data / "hooks" / "me" / self.project.name))[1] + lost_in(str(self.spool))


@pytest.fixture
def shelled(tmp_path: Path) -> Iterator[Shelled]:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    yield Shelled(tmp_path / "data", project)


def test_an_event_is_kept_by_the_shell_for_its_owner_alone(shelled: Shelled) -> None:
    shelled.end(shelled.prompt("hello"))
    (file,) = shelled.spool.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert shelled.spool.stat().st_mode & 0o777 == 0o700
    kept = spool.kept_in(str(file))
    assert kept is not None
    assert spool.parsed(kept.said)["prompt"] == "hello"
    assert kept.variables == {"YGGDRASIL_DIR": str(shelled.data)}
    assert "--program" in kept.options
    assert not shelled.data.exists()


def test_in_time_an_event_is_recorded_and_let_go_of(shelled: Shelled) -> None:
    shelled.heard(shelled.prompt("hello"))
    assert shelled.texts() == ["Asked: hello"]
    assert list(shelled.spool.iterdir()) == []


def test_what_was_left_behind_is_taken_in_by_the_next_hook_of_any_project(shelled: Shelled) -> None:
    shelled.end(shelled.prompt("first with password=hunter2"))
    other = Shelled(shelled.data, shelled.project.parent / "other")
    (other.project / ".git").mkdir(parents=True)
    other.heard(other.prompt("second"))
    found = {file.parent.name: file.read_text() for file in shelled.data.glob("hooks/*/*/waiting.jsonl")}
    assert "first" in found["project"] and "hunter2" not in found["project"]
    assert "second" in found["other"]
    assert [file.name for file in shelled.spool.iterdir()] == ["lock"]


def test_hooks_show_takes_in_what_was_left_behind(shelled: Shelled, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    shelled.end(shelled.prompt("hello"))
    shelled.runs = ("true",)
    assert shelled.start_with(shelled.prompt("just now", 2)).wait(DEADLINE_S) == 0
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(shelled.runtime))
    shown = json.loads(
        cli.ok("hooks", "show", "--project", str(shelled.project), "--data", str(shelled.data), "--json").out
    )
    assert (shown["waiting"], shown["lost"], shown["unread"]) == (1, 0, 1)
    assert shelled.texts() == ["Asked: hello"]


def test_a_hook_whose_time_is_up_ends_and_what_it_was_told_is_recorded(shelled: Shelled) -> None:
    shelled.milliseconds = 1
    assert shelled.heard(shelled.prompt("late")) == b""
    until(shelled.texts)
    until(lambda: [file.name for file in shelled.spool.iterdir() if file.name != "lock"] == [])
    # Where the time was up between two files it waits twice, under one id: it is recorded once.
    assert {(each["id"], each["content"]["text"]) for each in shelled.waiting()} == {
        (shelled.waiting()[0]["id"], "Asked: late")
    }


def test_without_a_shell_as_well(agent: Agent) -> None:
    agent.url, agent.milliseconds = None, 1
    agent.event("UserPromptSubmit", prompt="late", prompt_id="p1")
    until(lambda: {each["content"]["text"] for each in agent.waiting()} == {"Asked: late"})


def test_without_a_shell_an_event_that_comes_after_the_time_is_kept_too(agent: Agent) -> None:
    """As where the agent is stopped between the start of the hook and its word."""
    agent.url, agent.milliseconds = None, 1
    said = {"session_id": "s1", "cwd": str(agent.project), "hook_event_name": "UserPromptSubmit", "prompt": "late"}
    read, write = os.pipe()
    started = agent.begin(read)
    os.close(read)
    os.write(write, json.dumps(said)[:30].encode())
    assert started.communicate(timeout=120) == ("", "") and started.returncode == 0
    os.write(write, json.dumps(said)[30:].encode())
    os.close(write)
    until(lambda: {each["content"]["text"] for each in agent.waiting()} == {"Asked: late"})


def test_on_a_busy_machine_no_event_is_lost(shelled: Shelled) -> None:
    """As many hooks at once as never end in time, and busy loops beside them."""
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(6)]
    try:
        shelled.milliseconds = 50
        started = [shelled.start_with(shelled.prompt(f"event {number}", number)) for number in range(18)]
        for each in started:
            each.wait(DEADLINE_S)
        until(lambda: {f"Asked: event {number}" for number in range(18)} == set(shelled.texts()))
    finally:
        for each in busy:
            each.kill()
            each.wait()
    assert shelled.lost() == 0


@pytest.mark.parametrize("seed", range(turns(2, 20)))
def test_killed_at_any_moment_what_was_kept_is_recorded_once(shelled: Shelled, seed: int) -> None:
    drawn = random.Random(f"kill{seed}")
    told: list[str] = []
    for number in range(8):
        text = f"event {number}"
        started = shelled.start_with(shelled.prompt(text, number))
        until(partial(shelled.has_kept, text))
        told.append(f"Asked: {text}")
        sleep(drawn.random() * 0.12)
        os.killpg(started.pid, signal.SIGKILL) if started.poll() is None else None
        started.wait()
        sleep(0.02)
        shelled.aged()
    spool.take_in(str(shelled.spool), take_left)
    until(lambda: not spool.waiting(str(shelled.spool)))
    assert set(shelled.texts()) == set(told)
    assert len({each["id"] for each in shelled.waiting()}) == len(told)
    assert shelled.lost() == 0


BEGUN = b'{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":'
SAID = {
    "a control character": BEGUN + b'"one\x01\n\ttwo"}',
    "a zero byte": BEGUN + b'"one\x00two"}',
    "a byte that is no UTF-8": BEGUN + b'"one \xff\xfe two"}',
    "half a character": BEGUN + b'"one \\udc00 two","transcript":"\\ud800"}',
    "a mark of the order of bytes": b"\xef\xbb\xbf" + BEGUN + b'"one two"}',
    "a torn line before": b'{"hook_event_name":"Us\n' + BEGUN + b'"one two"}',
    "something after it": BEGUN + b'"one two"}\n{"hook',
    "a long run of letters": BEGUN + b'"one two %s"}' % (b"a" * 500_000),
    "a number that is none": BEGUN + b'"one two","x":NaN}',
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_an_event_is_read_as_it_is_meant(shelled: Shelled, said: bytes) -> None:
    shelled.heard(said)
    (text,) = shelled.texts()
    assert text.startswith("Asked: one") and "two" in text
    assert shelled.lost() == 0


NONE = {
    "nothing": b"",
    "a torn one": b'{"hook_event_name":"UserPromptSubmit","prompt":"one tw',
    "no object": b'["hook_event_name"]',
    "one so deep that it cannot be read": b'{"hook_event_name":"UserPromptSubmit","prompt":' + b"[" * 200_000,
}


@pytest.mark.parametrize("said", NONE.values(), ids=NONE)
@pytest.mark.parametrize("left", [False, True])
def test_what_cannot_be_read_is_counted_and_stands_in_nobody_s_way(shelled: Shelled, said: bytes, left: bool) -> None:
    if left:
        shelled.end(said)
    else:
        shelled.heard(said)
    shelled.heard(shelled.prompt("hello"))
    assert shelled.texts() == ["Asked: hello"]
    assert shelled.lost() == 1


def test_what_cannot_be_written_now_stands_in_nobody_s_way_and_stays(shelled: Shelled) -> None:
    shelled.more["YGGDRASIL_DIR"] = "/proc/nope"
    shelled.end(shelled.prompt("away"))
    del shelled.more["YGGDRASIL_DIR"]
    for number in range(3):
        shelled.heard(shelled.prompt(f"here {number}", number))
        shelled.aged()
    assert shelled.texts() == [f"Asked: here {number}" for number in range(3)]
    assert spool.waiting(str(shelled.spool)) == 1 and shelled.lost() == 0


def test_a_relative_directory_is_beside_where_the_hook_ran(shelled: Shelled) -> None:
    """And not beside whoever takes in what was left behind."""
    shelled.more["YGGDRASIL_DIR"] = "memories"
    shelled.end(shelled.prompt("left"))
    spool.take_in(str(shelled.spool), take_left)
    (waiting,) = (shelled.project / "memories").rglob("waiting.jsonl")
    assert "Asked: left" in waiting.read_text()
    assert not Path("memories").exists()


def test_a_number_that_no_program_reads_loses_no_event(shelled: Shelled) -> None:
    said = shelled.prompt("hello")[:-1] + b', "cost": ' + b"9" * 5_000 + b"}"
    shelled.heard(said)
    assert (shelled.texts(), shelled.lost()) == (["Asked: hello"], 0)


def test_where_the_folder_of_what_runs_takes_nothing_an_event_is_kept_beside_the_memories(shelled: Shelled) -> None:
    folder = shelled.runtime / spool.RUNTIME_FOLDER
    shelled.runtime.mkdir(mode=0o700)
    folder.write_text("no folder")
    shelled.runs = ("true",)
    assert shelled.start_with(shelled.prompt("hello")).wait(DEADLINE_S) == 0
    (file,) = (shelled.data / spool.FOLDER).iterdir()
    assert b"hello" in file.read_bytes()


def test_what_is_no_file_of_ours_is_counted_where_it_lies(shelled: Shelled) -> None:
    shelled.end(shelled.prompt("hello"))
    (shelled.spool / "1-0").write_bytes(b"\x00\x01 what is this")
    (shelled.spool / "notes.txt").write_text("not ours")
    shelled.aged()
    spool.take_in(str(shelled.spool), take_left)
    assert lost_in(str(shelled.spool)) == 1
    assert shelled.texts() == ["Asked: hello"]
    assert (shelled.spool / "notes.txt").exists()


def test_a_torn_line_that_waits_takes_no_other_with_it(agent: Agent, memory: Memory) -> None:
    url, agent.url = agent.url, None
    agent.event("UserPromptSubmit", prompt="first", prompt_id="p1")
    (file,) = agent.data.glob("hooks/*/*/waiting.jsonl")
    file.write_bytes(file.read_bytes() + b'{"type":"record_event","id":"\xff')
    agent.event("UserPromptSubmit", prompt="second", prompt_id="p2")
    agent.url = url
    agent.event("UserPromptSubmit", prompt="third", prompt_id="p3")
    assert [each.text for each in memory.timeline().memories][::-1] == [
        "Asked: first",
        "Asked: second",
        "Asked: third",
    ]
    assert standing(str(file.parent)) == (0, 1)


def test_without_a_folder_of_what_runs_it_is_kept_beside_the_memories(shelled: Shelled) -> None:
    shelled.more = {"HOME": str(shelled.data.parent)}
    for runtime in ("", "relative", "/no/such/folder"):
        shelled.more["XDG_RUNTIME_DIR"] = runtime
        variables = environment(**shelled.more)
        line = ["sh", str(SHELL), "true", "--data", "~/else"]
        subprocess.run(line, input=shelled.prompt("hello"), env=variables, check=True, cwd=shelled.project)
    assert spool.waiting(str(shelled.data.parent / "else" / spool.FOLDER)) == 3


def test_a_folder_that_is_a_link_is_not_written_to(shelled: Shelled) -> None:
    elsewhere = shelled.data.parent / "elsewhere"
    elsewhere.mkdir()
    shelled.runtime.mkdir()
    shelled.spool.symlink_to(elsewhere)
    shelled.heard(shelled.prompt("hello"))
    assert shelled.texts() == ["Asked: hello"]
    assert list(elsewhere.iterdir()) == []


def test_switched_off_nothing_is_kept(shelled: Shelled) -> None:
    shelled.more = {"YGGDRASIL_HOOKS": "Off"}
    shelled.heard(shelled.prompt("hello"))
    assert not shelled.spool.exists() and not shelled.data.exists()


def test_a_key_is_not_kept_with_an_event(shelled: Shelled) -> None:
    shelled.more = {"YGGDRASIL_KEY": "the-key-itself"}
    shelled.end(shelled.prompt("hello"))
    (file,) = shelled.spool.iterdir()
    assert b"the-key-itself" not in file.read_bytes()


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        ("/note The key is under the mat", "The key is under the mat"),
        ("/remember: run make lint\nbefore each push", "run make lint\nbefore each push"),
        ("  /note x", "x"),
        ("/note " + "long " * 1_000, ("long " * 1_000).strip()),
    ],
)
def test_a_note_in_a_prompt_is_kept_as_such(agent: Agent, memory: Memory, prompt: str, kept: str) -> None:
    agent.event("UserPromptSubmit", prompt=prompt, prompt_id="p1")
    (found,) = memory.timeline().memories
    assert (found.text, found.features) == (kept, ["note"])


def test_a_note_over_a_socket_is_the_word_of_a_user(shelled: Shelled) -> None:
    from yggdrasil.doors.hooks.outbox import _origin  # pyright: ignore[reportPrivateUsage]

    shelled.heard(shelled.prompt("/note The key is under the mat"))
    (line,) = shelled.waiting()
    assert _origin(json.dumps(line)) == "user"
    shelled.heard(shelled.prompt("Where is the key?", 2))
    assert _origin(json.dumps(shelled.waiting()[1])) == "agent"


@pytest.mark.parametrize("prompt", ["/notes are here", "note this", "/note", "/remember  \n", "see /note x"])
def test_what_is_no_note_is_none(shelled: Shelled, prompt: str) -> None:
    shelled.heard(shelled.prompt(prompt))
    assert all(text.startswith("Asked: ") for text in shelled.texts())


NAMES = ["\u043f\u0440\u043e\u0435\u043a\u0442", "\u043f\u0440\u043e\u0435\u043a\u04422", "日本", "日本語",
         "My Project (2)", "my-project", "my project", "my_project", "...", "…",
         "a" * 64, "a" * 65, "a" * 66, "-a", "é", "e", ".git-stuff"]  # fmt: skip


def test_no_two_names_of_folders_share_a_memory() -> None:
    found = [default_memory(f"/x/{name}") for name in NAMES]
    assert len(set(found)) == len(NAMES)
    assert all(memory.startswith("me/") and len(memory) <= 67 and memory.isascii() for memory in found)
    assert default_memory("/x/e\u0301") == default_memory("/x/é")
    assert default_memory("/y/my-project") == "me/my-project"


def test_a_worktree_belongs_to_its_repository(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, "-C", str(tmp_path), *words], check=True, capture_output=True)

    git("init", "--quiet", "repo")
    git("-C", "repo", "commit", "--quiet", "--allow-empty", "--message", "x")
    git("-C", "repo", "worktree", "add", "--quiet", "../tree")
    git("clone", "--quiet", "--bare", "repo", "bare.git")
    git("-C", "bare.git", "worktree", "add", "--quiet", "../other", "HEAD")
    git("-c", "protocol.file.allow=always", "-C", "repo", "submodule", "add", "--quiet", "../bare.git", "part")
    assert repository(str(tmp_path / "tree")) == str(tmp_path / "repo")
    assert repository(str(tmp_path / "repo")) == str(tmp_path / "repo")
    assert Settings("", "me/x", str(tmp_path / "tree")).project == "repo"
    assert repository(str(tmp_path / "other")) == str(tmp_path / "bare")
    assert repository(str(tmp_path / "repo" / "part")) == str(tmp_path / "repo" / "part")
    (tmp_path / "repo").rename(tmp_path / "named.git")
    git("-C", "named.git", "worktree", "add", "--quiet", "../third")
    assert repository(str(tmp_path / "third")) == str(tmp_path / "named.git"), "as it calls itself"
    (tmp_path / "odd").mkdir()
    for said in ("", "gitdir: ", "gitdir: /no/such/worktrees/x", "nonsense\x00"):
        (tmp_path / "odd" / ".git").write_text(said)
        assert repository(str(tmp_path / "odd")) == str(tmp_path / "odd")
