"""`yggdrasil replay` of stretches: from and to moments, some memories, several at once, interrupted, from a state."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import SCRIPTS, Cli
from tests.cli.test_exits import fails
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.files import RECORDS, open_records
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.local_log.record import frame, place
from yggdrasil_infra.locks import DirectoryLock
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.past.ladder import Spacing
from yggdrasil_processors.replaying.asked import Chosen
from yggdrasil_processors.replaying.notes import begin_or_go_on
from yggdrasil_processors.replaying.partition import Task, replay_partition
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 4
NAMES = ("me/agent", "me/other", "acme/one", "acme/two", "acme/three")
HOME = Path(".yggdrasil")
EACH = 30
PARTITION = partition_for(b"me/agent", PARTITIONS)


def drafts(memory: str, first: int = 0, count: int = EACH) -> Iterator[Draft]:
    """Yield commands of which one in ten is refused."""
    drafter = Drafter(memory, "test", "test")
    for number in range(first, first + count):
        if number % 10 == 9:
            yield drafter.log_outcome("018f4c2e-0000-7000-8000-000000000000", 1.0)
        else:
            yield drafter.record_event(f"step {number}", features=[f"step-{number % 7}"])


def say(count: int = EACH, first: int = 0, spacing: Spacing | None = None) -> None:
    """Say something to all memories, in turns."""
    with Embedded(HOME, partitions=PARTITIONS, spacing=spacing) as engine:
        for one in zip(*(drafts(name, first, count) for name in NAMES), strict=True):
            list(engine.submit_many(one))


@pytest.fixture
def home(cli: Cli) -> Cli:
    say()
    return cli


def found(cli: Cli, *arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = cli.ok("replay", *arguments, "--json").json
    return document


def digests(document: dict[str, Any]) -> dict[str, str]:
    return {entry["memory"]: entry["digest"] for entry in document["memories"]}


def of_past(memory: str, moment: Any) -> str:
    with Memory.open(HOME, memory, embedder="off") as it:
        return it.as_of(moment).digest()


def test_a_stretch_between_two_seqs(home: Cli) -> None:
    document = found(home, "--from", "5", "--to", "12")
    (mine,) = document["memories"]
    assert (mine["memory"], mine["from_seq"], mine["seq"]) == ("me/agent", 5, 12)
    assert mine["from_digest"] == of_past("me/agent", 5) and mine["digest"] == of_past("me/agent", 12)
    assert (mine["accepted"], mine["refused"]) == ({"record_event": 7}, {"log_outcome": 1})
    assert [one["partition"] for one in document["partitions"]] == [PARTITION]
    out = home.ok("replay", "--from", "5", "--to", "12").out
    assert "record_event 7" in out and "log_outcome 1" in out and "a second" in out


def test_as_of_is_another_word_for_to(home: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YGGDRASIL_MEMORY", "acme/two")
    assert found(home, "--as-of", "7") == found(home, "--to", "7", "--memory", "acme/two")
    assert digests(found(home, "--as-of", "7")) == {"acme/two": of_past("acme/two", 7)}
    assert set(digests(found(home))) == set(NAMES), "the environment narrows nothing"


def test_a_stretch_between_two_offsets_is_of_their_partition(home: Cli) -> None:
    document = found(home, "--from", f"{PARTITION}-3", "--to", f"{PARTITION}-20")
    (one,) = document["partitions"]
    assert (one["partition"], one["from_position"], one["position"], one["records"]) == (PARTITION, 4, 21, 21)
    told = sum(sum(entry[which].values()) for entry in document["memories"] for which in ("accepted", "refused"))
    assert told == 17
    for entry in document["memories"]:
        assert entry["digest"] == of_past(entry["memory"], f"{PARTITION}-20")


def test_a_stretch_between_two_times_is_of_all(home: Cli) -> None:
    time.sleep(0.01)
    between = int(time.time() * 1_000)
    time.sleep(0.01)
    say(10, EACH)
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(between // 1_000)) + f".{between % 1_000:03d}Z"
    document = found(home, "--from", moment)
    assert set(digests(document)) == set(NAMES) and document["same"] is True
    for entry in document["memories"]:
        assert (entry["accepted"], entry["refused"]) == ({"record_event": 9}, {"log_outcome": 1})
        assert (entry["from_seq"], entry["seq"]) == (27, 36)
    before = found(home, "--to", moment)
    assert digests(before) == {entry["memory"]: entry["from_digest"] for entry in document["memories"]}
    assert before["same"] is None and "nothing was attested" in before["note"]


def test_some_memories_alone_have_the_same_digests(home: Cli) -> None:
    whole = digests(found(home))
    document = found(home, "--memory", "acme/*", "--memory", "me/other", "--into", "kept")
    assert digests(document) == {name: whole[name] for name in NAMES if name != "me/agent"}
    assert document["same"] is True and all(entry["same"] for entry in document["memories"])
    assert not Path("kept/graph").exists(), "no host may take it for the store of a whole partition"
    assert Path(document["stores"]).is_dir()
    assert "a replay of other memories" in fails(home, 2, "cannot_replay", "replay", "--into", "kept")


def test_several_at_once_find_what_one_finds(home: Cli) -> None:
    single, parallel = found(home, "--jobs", "1"), found(home, "--jobs", "2")
    assert single == parallel and single["same"] is True
    some = ("--partitions", "0-1")
    assert found(home, *some, "--jobs", "2") == found(home, *some)
    assert [one["partition"] for one in found(home, *some)["partitions"]] == [0, 1]


def test_an_error_in_a_process_of_its_own_is_told_as_here(home: Cli) -> None:
    arguments = ("replay", "--memory", "me/agent", "--to", "99", "--jobs")
    assert fails(home, 2, "cannot_replay", *arguments, "1") == fails(home, 2, "cannot_replay", *arguments, "2")
    shutil.rmtree(HOME / "graph" / f"{PARTITION:04d}")
    shutil.copytree(HOME / "graph" / f"{(PARTITION + 1) % PARTITIONS:04d}", HOME / "graph" / f"{PARTITION:04d}")
    fails(home, 6, "another_log", "replay", "--jobs", "2")


class Interrupted(Exception):
    pass


class Breaking:
    """Ends a replay once so many records were passed."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, records: int, /) -> None:
        self.left -= records
        if self.left <= 0:
            raise Interrupted

    def less(self, records: int, /) -> None:
        pass


@pytest.mark.parametrize("after", [1, 700, 1_200, 2_400])
def test_interrupted_anywhere_it_finds_the_same(cli: Cli, after: int) -> None:
    with Embedded(HOME, partitions=1) as engine:
        list(engine.submit_many(drafts("me/agent", 0, 2_000)))
        list(engine.submit_many(drafts("me/other", 0, 1_000)))
    with LocalLog.open_read_only(HOME / "log") as log:
        whole = replay(log, Path("whole"), 0)
    arguments = ("--from", "0-600", "--into", "kept")
    expected = found(cli, "--from", "0-600")
    with LocalLog.open_read_only(HOME / "log") as log:
        Path("kept").mkdir()
        begin_or_go_on(Path("kept"), log, Chosen())
        task = Task(partition=0, end=3_000, into=Path("kept"), since=AsOf.of("0-600"), standing=HOME, telling=True)
        with pytest.raises(Interrupted):
            replay_partition(task, log, Breaking(after))
    document = found(cli, *arguments)
    assert document["memories"] == expected["memories"] and document["same"] is True
    assert digests(document) == whole.digests and document["partitions"][0]["chain"] == whole.chain
    assert 0 < document["partitions"][0]["resumed"] < 3_000


def begun(cli: Cli, memories: int, records: int) -> subprocess.Popen[str]:
    """Begin a replay of two partitions in processes of their own; return once both fold."""
    with Embedded(HOME, partitions=2) as engine:
        for number in range(memories):
            list(engine.submit_many(drafts(f"me/agent-{number}", 0, records)))
    # On a busy machine this test has to come before the end of the replay.
    command = ["nice", "-n", "19", str(SCRIPTS / "yggdrasil"), "replay", "--into", "kept", "--jobs", "2", "--json"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    ends = time.monotonic() + 60
    while len(list(Path("kept/notes").glob("*.json"))) < 2:
        assert process.poll() is None and time.monotonic() < ends
        time.sleep(0.005)
    return process


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_stopped_by_a_signal_it_goes_on(cli: Cli, by: signal.Signals) -> None:
    process = begun(cli, 8, 3_000)
    if by is signal.SIGINT:
        os.killpg(process.pid, by)  # as a terminal does
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130 and err == "" and "interrupted" in out
    else:
        os.kill(process.pid, by)  # those that it has begun see that nobody waits
        process.communicate(timeout=60)
    document = found(cli, "--into", "kept", "--jobs", "2")
    assert any(one["resumed"] is not None for one in document["partitions"])
    assert document["same"] is True and document["records"] == 24_000
    assert document["memories"] == found(cli)["memories"]


def test_one_at_a_time_in_a_directory(home: Cli) -> None:
    with DirectoryLock(Path("kept"), "replay.lock"):
        fails(home, 5, "in_use", "replay", "--into", "kept")


def test_from_a_state_it_finds_what_it_finds_from_the_first_record(cli: Cli) -> None:
    with Embedded(HOME, partitions=1, spacing=Spacing(every=1_000)) as engine:
        for _ in range(0, 2_500, 500):
            list(engine.submit_many(drafts("me/agent", 0, 400)))
            list(engine.submit_many(drafts("me/other", 0, 100)))
    cli.ok("checkpoint", "take", "--to", "checkpoints")
    with Embedded(HOME, partitions=1) as engine:
        list(engine.submit_many(drafts("me/agent", 0, 100)))

    def both(kind: str, position: int, *arguments: str, states: tuple[str, ...] = ("--from-checkpoint",)) -> None:
        whole, short = found(cli, *arguments), found(cli, *arguments, *states)
        assert digests(short) == digests(whole) and short["same"] == whole["same"]
        if "--from" in arguments:
            assert short["memories"] == whole["memories"]
        (at,) = short["partitions"]
        assert at["chain"] == whole["partitions"][0]["chain"]
        assert (at["begun"]["with"], at["begun"]["position"]) == (kind, position)

    both("rung", 2_500)
    both("rung", 1_000, "--from", "0-1200")
    both("rung", 2_000, "--from", "0-1999", "--to", "0-2100")
    both("log", 0, "--to", "0-400")
    both("rung", 1_500, "--from", "1200", "--to", "1300")  # 1,080 of them lie before that
    with_checkpoints = ("--checkpoints", "checkpoints")
    both("checkpoint", 2_500, states=with_checkpoints)
    both("rung", 1_500, "--to", "0-1700", states=with_checkpoints)
    assert "on trust" in cli.ok("replay", "--from-checkpoint").out
    for table in (HOME / "ladder" / "0000" / f"{2_500:020d}").glob("MANIFEST*"):
        table.write_bytes(b"damaged")
    both("rung", 2_000)
    both("checkpoint", 2_500, states=with_checkpoints)
    for table in Path("checkpoints").glob("*/*/*/store/*.sst"):
        table.unlink()  # the store that stands has the same file
        table.write_bytes(b"damaged")
    both("rung", 2_000, states=with_checkpoints)
    cli.ok("replay", "--from-checkpoint", "--into", "kept")
    assert "--from-checkpoint" in fails(cli, 2, "cannot_replay", "replay", "--into", "kept")
    assert cli.ok("replay", "--from-checkpoint", "--into", "kept").code == 0


@pytest.mark.parametrize("offset", [2, 14])
def test_an_altered_record_of_a_stretch_is_named(home: Cli, offset: int) -> None:
    with closing(LocalLog.open_read_only(HOME / "log")) as log:
        record = log.read(PARTITION, offset, 1)[0]
    assert record.key is not None and record.value is not None
    where = place(PARTITION, offset)
    with open_records(HOME / "log", None) as rocks:
        batch = rocks.batch()
        altered = record.value.replace(b"step", b"stop", 1).replace(b"1.0", b"2.0", 1)
        batch.put(RECORDS, where, frame(where, record.timestamp_ms, record.key, altered))
        rocks.write(batch)
    memory = record.key.decode()
    for arguments in (("--to", f"{PARTITION}-20"), ("--memory", memory), ("--memory", memory, "--jobs", "2")):
        run = home("replay", *arguments, "--json")
        assert (run.code, run.json["error"]["code"]) == (6, "record_altered")
        (mine,) = [one for one in run.json["partitions"] if one["partition"] == PARTITION]
        assert mine["altered"]["offset"] == offset
    assert found(home, "--to", f"{PARTITION}-1")["same"] is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--to", "5", "--memory", "me/agent", "--memory", "me/other"), "name one memory"),
        (("--to", "5", "--memory", "me/*"), "name one memory"),
        (("--from", "9", "--to", "5"), "swap them"),
        (("--from", f"{PARTITION}-9", "--to", f"{PARTITION}-5"), "swap them"),
        (("--from", "2026-02-01", "--to", "2026-01-01"), "swap them"),
        (("--from", f"{PARTITION}-20", "--to", "2", "--memory", "me/agent"), "end before"),
        (("--to", f"{PARTITION}-9999"), "lies beyond"),
        (("--to", "2126-01-01"), "lies ahead"),
        (("--to", "9999"), "has not happened yet"),
        (("--from", "9-1"), "partitions 0 to 3"),
        (("--partitions", "0,7"), "partitions 0 to 3"),
        (("--memory", ""), "'' is no name of a memory: TENANT/AGENT"),
        (("--memory", "agent"), "'agent' is no name of a memory: TENANT/AGENT"),
        (("--from", f"{PARTITION}-1", "--partitions", str((PARTITION + 1) % PARTITIONS)), "is an offset of partition"),
        (("--memory", "me/agent", "--partitions", str((PARTITION + 1) % PARTITIONS)), "in none of the partitions"),
    ],
)
def test_a_stretch_that_cannot_be_says_why(home: Cli, arguments: tuple[str, ...], says: str) -> None:
    assert says in fails(home, 2, "cannot_replay", "replay", *arguments)


def test_what_is_not_there_says_so(home: Cli) -> None:
    assert "no/body" in fails(home, 4, "unknown_memory", "replay", "--memory", "no/body")
    fails(home, 4, "unknown_memory", "replay", "--memory", "none/*")
    fails(home, 4, "no_checkpoints_here", "replay", "--checkpoints", "nowhere")
    assert "a receipt such as 3-1250" in fails(home, 2, "usage", "replay", "--to", "1 day ago")
    home.ok("replay", "--into", "kept")
    assert "beyond" in fails(home, 2, "cannot_replay", "replay", "--into", "kept", "--to", f"{PARTITION}-4")


def test_the_name_of_a_snapshot_is_no_moment_of_a_replay(home: Cli) -> None:
    home.ok("past", "snapshot", "before-the-move")
    for option in ("--from", "--to", "--as-of"):
        assert "`yggdrasil past snapshots` says its seq" in fails(
            home, 2, "cannot_replay", "replay", option, "before-the-move"
        )


def test_what_ends_before_it_began_proves_nothing(home: Cli) -> None:
    cli_says = home.ok("replay", "--to", "2020-01-01").out
    assert found(home, "--to", "2020-01-01")["same"] is None and "Equal" not in cli_says
    (HOME / "log").rename("log")
    shutil.rmtree(HOME)
    with Embedded(HOME, partitions=PARTITIONS):
        pass
    empty = found(home)
    assert empty["same"] is None and "no record yet" in empty["note"]


def test_of_a_store_that_was_not_compared_it_is_not_said_that_it_is_equal(cli: Cli) -> None:
    others = [name for name in NAMES if partition_for(name.encode(), PARTITIONS) != PARTITION]
    with Embedded(HOME, partitions=PARTITIONS) as engine:
        list(engine.submit_many(drafts(others[0])))
    time.sleep(0.01)
    between = int(time.time() * 1_000)
    time.sleep(0.01)
    with Embedded(HOME, partitions=PARTITIONS) as engine:
        list(engine.submit_many(drafts("me/agent")))
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(between // 1_000)) + f".{between % 1_000:03d}Z"
    document = found(cli, "--to", moment)
    assert document["same"] is True
    assert {one["partition"]: one["same"] for one in document["partitions"]}[PARTITION] is None
    assert "exactly" not in cli.ok("replay", "--to", moment).out


def test_a_replay_changes_nothing_of_what_it_reads(cli: Cli) -> None:
    with Embedded(HOME, partitions=1, spacing=Spacing(every=1_000)) as engine:
        for _ in range(3):
            list(engine.submit_many(drafts("me/agent", 0, 1_000)))
    rungs = HOME / "ladder" / "0000"
    latest = max(rungs.iterdir())
    (latest / "CURRENT").write_bytes(b"damaged")
    before = {path: path.read_bytes() for path in HOME.rglob("*") if path.is_file()}
    for arguments in ((), ("--memory", "me/agent", "--to", "2650")):
        document = found(cli, "--from-checkpoint", *arguments)
        assert document["partitions"][0]["begun"]["with"] == "rung"
        assert document["partitions"][0]["begun"]["path"] != str(latest)
    assert {path: path.read_bytes() for path in HOME.rglob("*") if path.is_file()} == before
    for inside in (HOME, HOME / "graph", HOME / "graph" / "0000", HOME / "log" / "x", HOME / "ladder"):
        assert "only read" in fails(cli, 2, "not_apart", "replay", "--into", str(inside))
    assert {path: path.read_bytes() for path in HOME.rglob("*") if path.is_file()} == before
