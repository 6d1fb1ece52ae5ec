"""Forks over HTTP: made in the background, one at a time of a tenant, by operators; listed, traced back, compared."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.service.client import Client, Reply
from tests.service.conftest import LOOPBACK, ring_of
from yggdrasil import AccessError, CannotForkError, ForkThereError, InvalidAskError, InvalidCommandError, Memory
from yggdrasil import Receipt as Placed
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past import forks
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import new_key
from yggdrasil_infra.http.rates import Quota
from yggdrasil_infra.http.workroom import Workroom
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import DiskFullError
from yggdrasil_processors.past import unpacking
from yggdrasil_processors.past.archive import ArchiveError
from yggdrasil_processors.past.forking import fork, shared
from yggdrasil_projections.retrieval.past.moment import BeingBuiltError
from yggdrasil_projections.service import logs

PATIENTLY = {"deadline_s": 30}
DEADLINE = "deadline_s=30"


def forked(client: Client, moment: str, name: str, **more: Any) -> dict[str, Any]:
    """Ask for a fork until it is made."""
    while True:
        answer = client.post("/forks", {"moment": moment, "name": name, **PATIENTLY, **more})
        if answer.status != 503:
            assert answer.status == 200, answer.body
            found: dict[str, Any] = answer.json
            return found


def of(client: Client, memory: str) -> Client:
    return Client(client.url, client.key, memory)


@pytest.fixture
def lived(client: Client) -> str:
    """A memory with two events: the first of them."""
    first: str = client.event("Deployed on a Friday", features=["deploy"])["id"]
    client.event("Deployed on a Tuesday", features=["deploy"])
    return first


def test_a_fork_is_made_listed_traced_back_and_compared(client: Client, lived: str) -> None:
    made = forked(client, "1", "careful")
    assert (made["memory"], made["of"], made["seq"]) == (f"{client.memory}.fork-careful", client.memory, 1)
    assert (made["there"], made["appended"]) == (0, 1)
    with of(client, made["memory"]) as fork:
        assert [each["ref"] for each in fork.get("/timeline").json["memories"]] == [lived]
        fork.event("Waited until Monday", features=["deploy"])
        lineage = {"memory": fork.memory, "of": client.memory, "seq": 1, "own": 1, "others": 1, "unfinished": None}
        assert fork.get("/fork-lineage").json == lineage
        assert client.get("/forks").json == {"memory": client.memory, "forks": [lineage]}
        assert fork.get("/forks").json == {"memory": fork.memory, "forks": []}
        differs = client.get(f"/compare?other={fork.memory}").json
        assert (differs["gone"], differs["new"]) == ({"event": 1}, {"event": 1})
    assert forked(client, "1", "again")["appended"] == 1
    assert [each["memory"].rpartition("-")[2] for each in client.get("/forks").json["forks"]] == ["again", "careful"]
    assert client.get("/moment").json["as_of"] == 2, "nothing was recorded"


def test_a_name_of_another_fork_is_refused_and_one_that_is_made_already_is_found(client: Client, lived: str) -> None:
    first = forked(client, "2", "one")
    again = forked(client, "2", "one")
    assert (again["there"], again["appended"], again["state"]) == (2, 0, first["state"])
    problem = client.post("/forks", {"moment": "1", "name": "one", **PATIENTLY}).problem(409, "fork_there")
    assert "give the fork another name" in problem["detail"]


@pytest.mark.parametrize(
    ("sent", "status", "name", "said"),
    [
        ({"moment": "99", "name": "a"}, 404, "no_such_moment", "has not happened yet"),
        ({"moment": "before", "name": "a"}, 404, "no_such_moment", "no snapshot called before"),
        ({"moment": "12:00", "name": "a"}, 422, "invalid", "no point in time"),
        ({"moment": "", "name": "a"}, 422, "invalid", "moment"),
        ({"moment": "1", "name": "a/b"}, 422, "invalid", "a fork's name has letters"),
        ({"moment": "1", "name": "a.fork-b"}, 422, "invalid", "a fork's name has letters"),
        ({"moment": "1", "name": "x" * 64}, 422, "invalid", "a fork's name has letters"),
        ({"moment": "1", "name": "x" * 65}, 422, "invalid", "name"),
        ({"moment": "1"}, 422, "invalid", "name"),
        ({"moment": "1", "name": "a", "deadline_s": 31}, 422, "invalid", "deadline_s"),
        ({"moment": "1", "name": "a", "other": 1}, 422, "invalid", "other"),
    ],
)
def test_what_cannot_be_forked(
    client: Client, lived: str, sent: dict[str, Any], status: int, name: str, said: str
) -> None:
    assert said in client.post("/forks", {**PATIENTLY, **sent}).problem(status, name)["detail"]
    assert client.get("/forks").json["forks"] == []


def test_what_is_no_fork_and_what_has_not_gone_on_from_one_memory(client: Client, lived: str) -> None:
    assert "is no fork" in client.get("/fork-lineage").problem(422, "invalid")["detail"]
    told = client.get("/compare?other=me/nobody").problem(422, "invalid")["detail"]
    assert "have not gone on from one memory" in told
    client.get(f"/compare?other={client.memory}.fork-none").problem(404, "unknown_memory")
    client.get("/compare?other=nobody").problem(422, "invalid")
    with of(client, "me/nobody-at-all") as unknown:
        unknown.get("/forks").problem(404, "unknown_memory")
        unknown.post("/forks", {"moment": "1", "name": "a"}).problem(404, "unknown_memory")


class Slowly:
    """The engine's fork, which waits until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go_on = Event(), Event()
        self.calls = 0
        monkeypatch.setattr(forks, "fork", self)

    def __call__(self, *given: Any) -> Any:
        self.calls += 1
        given[5](1)  # one record
        self.begun.set()
        assert self.go_on.wait(60)
        return fork(*given)


def test_it_goes_on_while_nobody_waits_and_one_at_a_time_of_a_tenant(
    serving: Serving, client: Client, lived: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slowly = Slowly(monkeypatch)
    sent = {"moment": "2", "name": "slow", "deadline_s": 0}
    while not slowly.begun.wait(0.01):
        problem = client.post("/forks", sent).problem(503, "past_being_built")
    problem = client.post("/forks", sent).problem(503, "past_being_built")
    assert (problem["arguments"]["done"], problem["arguments"]["total"]) == (1, 10)
    answer = client.post("/forks", {**sent, "name": "other"})
    assert answer.problem(429, "too_many_requests")["detail"].endswith("one at a time")
    assert answer.headers["retry-after"] == "1"
    client.get(f"/compare?other={client.memory}").problem(429, "too_many_requests")
    assert client.get("/forks?deadline_s=30").json["forks"] == [], "where forks come from is read apart"
    with Client(serving.url, memory="them/agent") as others:  # of another tenant
        others.event("One")
        assert others.get("/compare?deadline_s=30&other=them/agent").json["moved"] == 0
    client.event("Life goes on")
    slowly.go_on.set()
    made = forked(client, "2", "slow")
    assert (made["seq"], made["appended"], slowly.calls) == (2, 2, 1), "what was begun was found"


def test_readers_of_lineages_hold_off_nobody_who_forks_or_compares(
    client: Client, lived: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = forked(client, "1", "one")
    begun, go_on = Event(), Event()

    def slowly(*given: Any) -> Any:
        if given[1].header.memory == made["memory"]:
            begun.set()
            assert go_on.wait(60)
        return shared(*given)

    monkeypatch.setattr(forks, "shared", slowly)
    with of(client, made["memory"]) as fork:
        while not begun.wait(0.01):
            fork.get("/fork-lineage?deadline_s=0").problem(503, "past_being_built")
        assert forked(client, "2", "two")["seq"] == 2
        assert client.get(f"/against-log?{DEADLINE}").status == 200
        client.get("/forks").problem(429, "too_many_requests")
        go_on.set()
        assert fork.get(f"/fork-lineage?{DEADLINE}").json["seq"] == 1


def test_what_came_of_it_is_kept_for_some_minutes_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    room, go_on, calls = Workroom("job", 2, 1), Event(), list[int]()

    def work(_: object) -> int:
        calls.append(len(calls))
        assert go_on.wait(60)
        return calls[-1]

    async def asked_and_left() -> list[int]:
        jobs, found = logs.Jobs(room), list[int]()
        for kept_s in (300.0, -1.0):
            monkeypatch.setattr(logs, "_KEPT_S", kept_s)
            go_on.clear()
            with pytest.raises(BeingBuiltError):
                await jobs.done(logs._Asked("me/agent", "now", 0.0), "key", work)
            go_on.set()
            await asyncio.wait([job.task for job in jobs._jobs.values() if job.task is not None])
            found.append(await jobs.done(logs._Asked("me/agent", "now", 30.0), "key", work))
        return found

    try:
        assert asyncio.run(asked_and_left()) == [0, 2], "the second was done anew"
    finally:
        room.close()


def test_a_fork_is_the_same_while_commands_are_appended(client: Client, lived: str) -> None:
    for number in range(30):
        client.event(f"Before {number}")
    end = Event()

    def go_on() -> None:
        with of(client, client.memory) as second:
            while not end.is_set():
                second.event("Meanwhile")

    thread = Thread(target=go_on)
    thread.start()
    try:
        made = forked(client, "32", "busy")
    finally:
        end.set()
        thread.join()
    assert (made["seq"], made["appended"]) == (32, 32)
    with of(client, made["memory"]) as fork:
        assert (fork.get("/moment").json["as_of"], fork.get("/fork-lineage").json["seq"]) == (32, 32)
        assert fork.get("/fork-lineage").json["others"] > 0


def test_what_was_killed_half_way_goes_on_when_it_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_CHUNK", 7)
    with Embedded(tmp_path, sliced=True) as engine:
        with Serving(engine, Service(LOOPBACK, rate=0)) as serving, Client(serving.url) as client:
            for number in range(30):
                client.event(f"Event {number}")
            left = [14]
            append = LocalLog.append_dated

            def dying(self: LocalLog, records: Iterable[tuple[bytes, bytes, int]]) -> list[Placed]:
                if not left[0]:
                    raise DiskFullError("the disk is full")
                done = append(self, records)
                left[0] -= len(done)
                return done

            with monkeypatch.context() as patched:
                patched.setattr(LocalLog, "append_dated", dying)
                answer = client.post("/forks", {"moment": "25", "name": "half", **PATIENTLY})
                answer.problem(507, "disk_full")
        with Serving(engine, Service(LOOPBACK, rate=0)) as serving, Client(serving.url) as client:
            with of(client, f"{client.memory}.fork-half") as half:
                found = half.get("/fork-lineage").json
                assert (found["seq"], found["unfinished"]) == (14, 25)
            made = forked(client, "25", "half")
            assert (made["there"], made["appended"]) == (14, 11)
            with of(client, made["memory"]) as fork:
                assert fork.get("/fork-lineage").json == {
                    "memory": fork.memory, "of": client.memory, "seq": 25, "own": 0, "others": 5,
                    "unfinished": None
                }  # fmt: skip


def test_a_service_that_ends_lets_go_of_a_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Embedded(tmp_path, sliced=True) as engine:
        slowly = Slowly(monkeypatch)
        with Serving(engine, Service(LOOPBACK, rate=0)) as serving, Client(serving.url) as client:
            client.event("One")
            while not slowly.begun.wait(0.01):
                client.post("/forks", {"moment": "1", "name": "a", "deadline_s": 0}).problem(503, "past_being_built")
        slowly.go_on.set()
    with Embedded(tmp_path) as engine:
        assert engine.memories() == ["me/agent"], "nothing of it was appended"


def test_what_a_log_does_not_allow_is_told_without_a_path(
    client: Client, lived: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_room(path: Path, header: object) -> None:
        raise ArchiveError(f"the archive takes up to 9 MiB at {path}, and there is less; TMPDIR names another place")

    monkeypatch.setattr(unpacking, "check_room", check_room)
    told = client.post("/forks", {"moment": "1", "name": "a", **PATIENTLY}).problem(409, "cannot_fork")["detail"]
    assert told.startswith("the archive takes up to 9 MiB at the directory for temporary files"), told
    with Memory.connect(client.url, memory=client.memory) as memory, pytest.raises(CannotForkError, match="9 MiB"):
        memory.fork(1, "a")


@pytest.fixture
def ring(tmp_path: Path) -> Iterator[dict[str, Client]]:
    file = tmp_path / "keys.json"
    keys = {
        "reader": new_key(file, "acme", ["read", "append"], "reader")[1],
        "auditor": new_key(file, "acme", ["audit"], "auditor")[1],
        "careful": new_key(file, "acme", ["audit"], "careful", trust_min=2)[1],
        "operator": new_key(file, "acme", ["append", "operate"], "operator")[1],
        "both": new_key(file, "acme", ["append", "operate", "audit"], "both")[1],
        "one": new_key(file, "acme", ["operate", "audit"], "one", agents="agent")[1],
        "stranger": new_key(file, "other", ["append", "operate", "audit"], "stranger")[1],
    }
    with ring_of(tmp_path / "data", file, keys) as clients:
        yield clients


def asked_of(client: Client, fork: str) -> list[Reply]:
    """What can be asked of forks, by ``client``."""
    with of(client, fork) as other:
        return [
            client.post("/forks", {"moment": "1", "name": "mine", **PATIENTLY}),
            client.get("/forks?deadline_s=30"),
            other.get("/fork-lineage?deadline_s=30"),
            client.get(f"/compare?deadline_s=30&other={fork}"),
        ]


def test_who_may_ask_what(ring: dict[str, Client]) -> None:
    ring["reader"].event("One")
    fork = forked(ring["operator"], "1", "a")["memory"]
    expected = {
        "reader": [403, 200, 403, 403],  # no fork is for it
        "auditor": [403, 200, 200, 200],
        "operator": [200, 200, 200, 403],
        "stranger": [403, 403, 403, 403],
        "one": [403, 200, 403, 403],  # its pattern is that of one agent
    }
    for name, statuses in expected.items():
        assert [each.status for each in asked_of(ring[name], fork)] == statuses, name
    with Client(ring["operator"].url, None, "acme/agent") as keyless:
        assert [each.status for each in asked_of(keyless, fork)] == [401] * 4
    assert ring["reader"].get("/forks").json["forks"] == [] == ring["one"].get("/forks").json["forks"]
    assert len(ring["auditor"].get("/forks").json["forks"]) == 2
    other = ring["stranger"]
    with of(other, "other/agent") as own:
        own.event("Own")
        own.get(f"/compare?other={fork}").problem(403, "forbidden")


def test_what_is_in_quarantine_today_is_for_auditors(ring: dict[str, Client]) -> None:
    bad = ring["operator"].event("The deploy key is 1234")["id"]
    judged = {"type": "judge", "body": {"items": [{"node": bad, "verdict": "quarantine"}], "reason": "A secret"}}
    assert ring["operator"].post("/commands", judged).status == 200
    sent = {"moment": "1", "name": "early", **PATIENTLY}
    told = ring["operator"].post("/forks", sent).problem(422, "invalid")["detail"]
    assert "of what is in quarantine today 1 was not at seq 1" in told
    ring["operator"].post("/forks", {**sent, "quarantined": True}).problem(403, "forbidden")
    assert forked(ring["both"], "1", "early", quarantined=True)["seq"] == 1


def test_a_lens_hides_in_a_comparison(ring: dict[str, Client]) -> None:
    ring["operator"].event("One")
    fork = forked(ring["operator"], "1", "a")["memory"]
    with of(ring["operator"], fork) as other, of(ring["both"], fork) as second:
        other.event("Whispered", features=["whisper"])
        assert second.get("/moment").json["as_of"] == 2
    path = f"/compare?deadline_s=30&other={fork}"
    assert b"Whispered" in ring["auditor"].get(path).body
    seen = ring["careful"].get(path)
    assert seen.status == 200 and seen.json["new"] == {} and b"hisper" not in seen.body
    assert ring["auditor"].get(f"{path}&trust_min=2").json == seen.json


def test_a_fork_takes_from_the_quota_of_its_tenant(tmp_path: Path) -> None:
    for quota, name in ((Quota(total_bytes=6_000), "bytes"), (Quota(memories=2), "memories")):
        with (
            Embedded(tmp_path / name, sliced=True) as engine,
            Serving(engine, Service(LOOPBACK, rate=0, quota=quota)) as serving,
            Client(serving.url) as client,
        ):
            client.event("x" * 1_000)
            assert forked(client, "1", "a")["appended"] == 1
            client.event("x" * 1_000)
            problem = client.post("/forks", {"moment": "2", "name": "b", **PATIENTLY}).problem(403, "quota_exceeded")
            assert name in problem["detail"]
            assert engine.memories() == ["me/agent", "me/agent.fork-a"]


def test_the_facade_forks_at_a_service(serving: Serving, client: Client, lived: str) -> None:
    told: list[tuple[int, int]] = []
    with Memory.connect(serving.url, memory=client.memory) as memory:
        made = memory.fork(1, "careful", progress=lambda done, total: told.append((done, total)))
        assert (made.of, made.seq, made.appended) == (client.memory, 1, 1)
        with Memory.connect(serving.url, memory=made.memory) as fork:
            fork.record_event("Waited until Monday")
            lineage = fork.lineage_of_fork()
            assert (lineage.of, lineage.seq, lineage.own, lineage.others) == (client.memory, 1, 1, 1)
        assert memory.forks() == [lineage]
        assert memory.compare(made.memory).new == {"event": 1}
        with pytest.raises(ForkThereError):
            memory.fork(2, "careful")
        with pytest.raises(InvalidAskError, match="is no fork"):
            memory.lineage_of_fork()
        with pytest.raises(InvalidCommandError):
            memory.fork(1, "a/b")


def test_the_facade_hears_how_far_it_is_and_what_its_key_does_not_open(
    ring: dict[str, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    ring["reader"].event("One")
    slowly = Slowly(monkeypatch)
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        slowly.go_on.set()

    with Memory.connect(ring["operator"].url, key=ring["operator"].key, memory="acme/agent") as memory:
        assert memory.fork(1, "a", progress=progress).appended == 1
        assert told == [(1, 5)]
        with pytest.raises(AccessError):
            memory.compare("acme/agent.fork-a")
        with pytest.raises(AccessError):
            memory.fork(1, "b", quarantined=True)
    with (
        Memory.connect(ring["reader"].url, key=ring["reader"].key, memory="acme/agent") as memory,
        pytest.raises(AccessError),
    ):
        memory.fork(1, "b")
