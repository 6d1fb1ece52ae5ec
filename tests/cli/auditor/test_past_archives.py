"""``yggdrasil past pack``, ``unpack`` and ``check``, on directories and on a topic."""

from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.cli.test_exits import fails
from tests.contract.logs import fresh_topic
from tests.faults.local.oracle import flip
from tests.graph.commands import event
from tests.past.packed import by_hand
from yggdrasil import Memory
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.past.archive import Archive
from yggdrasil_projections.graph.store.digest import ENCODING

ARCHIVE = Path("agent.archive")


@pytest.fixture
def packed(cli: Cli) -> Cli:
    """A directory with a memory of five commands, one of them refused, and its archive."""
    with Memory.open(".yggdrasil", "me/agent") as memory:
        for number in range(4):
            memory.record_event(f"Deployed on day {number}", features=["deploy", f"day-{number}"])
        memory.digest()
    refused = event("refused", informed_by=("nobody",)).record(0, "me/agent")
    with LocalLog.create_or_open(Path(".yggdrasil/log")) as log:
        log.append(refused.key or b"", refused.value or b"")
    cli.ok("past", "pack", "me/agent", str(ARCHIVE))
    return cli


def digest(path: str, name: str = "me/agent") -> str:
    with Memory.open(path, name) as memory:
        return memory.digest()


def test_a_memory_is_packed_checked_and_unpacked_elsewhere(packed: Cli) -> None:
    run = packed.ok("past", "pack", "me/agent", "again.archive", "--json").json
    assert (run["memory"], run["records"], run["refused"], run["dir"]) == ("me/agent", 4, 1, ".yggdrasil")
    assert run["digest"] == digest(".yggdrasil")
    assert run["bytes"] == Path("again.archive").stat().st_size
    checked = packed.ok("past", "check", str(ARCHIVE), "--json").json
    assert checked["same_digest"] is True and "same" not in checked
    assert (
        "The archive is whole: me/agent, 4 accepted commands, and what its"
        in packed.ok("past", "check", str(ARCHIVE)).out
    )
    done = packed.ok("past", "unpack", str(ARCHIVE), "--dir", "elsewhere", "--json").json
    assert (done["there"], done["appended"], done["same"], done["same_refused"]) == (0, 4, True, "none")
    assert done["digest_there"] == done["alone"]["digest"] == digest("elsewhere")
    assert done["digest"] == done["digest_here"] == run["digest"] != done["digest_there"]
    again = packed.ok("past", "unpack", str(ARCHIVE), "--dir", "elsewhere")
    assert "0 records appended to elsewhere, and 4 records had been there." in again.out


def test_it_is_unpacked_under_another_name_beside_it(packed: Cli) -> None:
    run = packed.ok("past", "unpack", str(ARCHIVE), "--as", "me/copy")
    assert "Equal: me/copy in partition" in run.out and "nothing else differs" in run.out
    assert "Deployed on day 3" in packed.ok("context", "deployed", "--memory", "me/copy", "--no-record").out
    assert packed.ok("past", "check", str(ARCHIVE), "--as", "me/copy", "--dir", ".yggdrasil", "--json").json["same"]
    assert packed.ok("past", "check", str(ARCHIVE), "--dir", ".yggdrasil", "--json").json["same_refused"] == "same"


def test_without_refusals_the_digest_is_the_very_same(packed: Cli) -> None:
    packed.ok("record", "One", "--dir", "home")
    packed.ok("past", "pack", "me/agent", "home.archive", "--dir", "home")
    packed.ok("past", "unpack", "home.archive", "--dir", "other")
    assert digest("home") == digest("other")


def test_as_far_as_a_seq(packed: Cli) -> None:
    run = packed.ok("past", "pack", "me/agent", "first.archive", "--at", "2", "--json").json
    assert (run["records"], run["refused"]) == (2, 0)
    replayed = packed.ok("replay", "--as-of", "2", "--json").json
    assert replayed["memories"][0]["digest"] == run["digest"]
    fails(packed, 4, "nothing_to_pack", "past", "pack", "me/agent", "x", "--at", "9")


def test_what_cannot_be_packed_or_unpacked_says_so(packed: Cli) -> None:
    fails(packed, 4, "nothing_to_pack", "past", "pack", "me/nobody", "x")
    fails(packed, 2, "archive", "past", "pack", "me/agent", str(ARCHIVE))
    fails(packed, 4, "no_memory_here", "past", "pack", "me/agent", "x", "--dir", "nowhere")
    fails(packed, 2, "archive", "past", "pack", "me/agent", "no/such/folder")
    fails(packed, 2, "file", "past", "unpack", "nothing", "--dir", "other")
    fails(packed, 2, "archive", "past", "unpack", str(ARCHIVE), "--as", "one")
    packed.ok("record", "Of its own", "--dir", "taken")
    fails(packed, 2, "memory_there", "past", "unpack", str(ARCHIVE), "--dir", "taken")
    fails(packed, 2, "usage", "past", "unpack", str(ARCHIVE), "--topic", "x")
    fails(packed, 2, "usage", "past", "check", str(ARCHIVE), "--dir", "x", "--kafka", "127.0.0.1:1")
    with LocalLog.create_or_open(Path(".yggdrasil/log")):
        fails(packed, 5, "in_use", "past", "unpack", str(ARCHIVE), "--as", "me/copy")
        packed.ok("past", "pack", "me/agent", "beside.archive")


def test_a_damaged_archive_makes_nothing(packed: Cli) -> None:
    flip(ARCHIVE, ARCHIVE.stat().st_size - 300, 1)
    fails(packed, 1, "archive_damaged", "past", "check", str(ARCHIVE))
    fails(packed, 1, "archive_damaged", "past", "unpack", str(ARCHIVE), "--dir", "elsewhere")
    assert not Path("elsewhere").exists()


def test_a_log_that_differs_is_named_and_ends_with_6(packed: Cli) -> None:
    packed.ok("record", "Of its own", "--dir", "other")
    run = packed("past", "check", str(ARCHIVE), "--dir", "other", "--json")
    assert (run.code, run.json["error"]["code"], run.json["counts"]) == (
        6,
        "records_differ",
        {"missing": 4, "added": 1},
    )
    run = packed("past", "check", str(ARCHIVE), "--dir", "other")
    assert run.code == 6 and "4 commands missing" in run.out and "DIFFERENT: me/agent in partition" in run.out


@pytest.mark.parametrize(("release", "code"), [("0.0.9", 0), ("0.1.0", 6)])
def test_another_digest_is_told_and_explained_where_it_can_be(packed: Cli, release: str, code: int) -> None:
    archive = Archive(ARCHIVE)
    by_hand(
        Path("other.archive"), archive, archive.entries(), release=release, state="0" * 64, digest_encoding=ENCODING
    )
    run = packed("past", "unpack", "other.archive", "--dir", "elsewhere")
    assert run.code == code, run.err
    assert "DIFFERENT: every command is accepted, in its place" in run.out
    assert ("it was packed by release 0.0.9, and this is" in run.out) == (code == 0)
    assert "Equal: me/agent in partition" in run.out


def test_a_topic_is_packed_and_unpacked_to_and_verified(packed: Cli, kafka: KafkaSettings) -> None:
    topic = fresh_topic(kafka, 3)
    there = ["--kafka", kafka.bootstrap_servers, "--topic", topic, "--development"]
    done = packed.ok("past", "unpack", str(ARCHIVE), *there, "--json").json
    assert (done["appended"], done["same"], done["topic"]) == (4, True, topic)
    assert packed.ok("past", "unpack", str(ARCHIVE), *there, "--json").json["there"] == 4
    packed.ok("past", "pack", "me/agent", "topic.archive", *there)
    assert packed.ok("past", "check", "topic.archive", "--dir", ".yggdrasil", "--json").json["same"]
    assert packed.ok("past", "check", str(ARCHIVE), *there, "--json").json["same"]
    one, other = Archive(ARCHIVE), Archive(Path("topic.archive"))
    assert [entry[2:] for entry in one.packed()] == [entry[2:] for entry in other.packed()], "times and bytes"
