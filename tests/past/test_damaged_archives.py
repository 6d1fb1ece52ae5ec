"""A byte that flips in an archive, or an end that is lost, is always found; so is what a liar puts into one."""

import gzip
import tracemalloc
import zlib
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from tests.graph.commands import event
from tests.past.packed import MEMORY, body_of, by_hand, life, packed_in, with_body
from tests.size import turns
from yggdrasil_processors.past.archive import (
    BYTES_MAX,
    Archive,
    ArchiveDamagedError,
    ArchiveError,
    Body,
    Packed,
    Refused,
)
from yggdrasil_processors.past.unpacking import NotAcceptedError, check, check_room


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    return packed_in(tmp_path_factory.mktemp("archive"), life(2))


def found(path: Path) -> bool:
    """Whether reading finds it damaged; anything else that is raised would be a fault of ours."""
    try:
        Archive(path).end()
    except ArchiveError:
        return True
    return False


def test_a_flipped_bit_is_found_wherever_it_is(archive: Archive, tmp_path: Path) -> None:
    data, copy, rng = archive.path.read_bytes(), tmp_path / "copy", Random(20_261_128)
    begins = len(data) - archive.header.body.size
    everywhere = {*range(begins + 12), *range(len(data) - 12, len(data))}  # headers and ends of both members
    missed = []
    for at in sorted(everywhere | {rng.randrange(len(data)) for _ in range(turns(300, 3_000))}):
        mask = 1 << rng.randrange(8)
        copy.write_bytes(data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :])
        if not found(copy):
            missed.append((at, mask))
    assert missed == []


def test_every_bit_of_a_small_archive_counts(tmp_path: Path) -> None:
    data = packed_in(tmp_path, [event("one").record(0, MEMORY)]).path.read_bytes()
    copy = tmp_path / "copy"
    missed = []
    for at in range(len(data)):
        copy.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        if not found(copy):
            missed.append(at)
    assert missed == []


def test_a_lost_end_is_found_and_so_is_one_that_was_added(archive: Archive, tmp_path: Path) -> None:
    data, copy = archive.path.read_bytes(), tmp_path / "copy"
    begins = len(data) - archive.header.body.size
    for size in {0, 1, 9, 10, 20, begins - 1, begins, begins + 5, begins + 11, len(data) - 1, len(data) - 8}:
        copy.write_bytes(data[:size])
        assert found(copy), size
    for more in (b"\0", b"\0" * 512, data, b"\x1f\x8b"):
        copy.write_bytes(data + more)
        assert found(copy), more


def test_what_is_cut_off_after_any_line_is_no_archive_though_every_sum_is_right(
    archive: Archive, tmp_path: Path
) -> None:
    """The rest is as long as its header says, and has that hash; but for the lines at its end."""
    text = gzip.decompress(archive.path.read_bytes())
    lines = [line[: line.rindex(b',"sum":"')] + b"}" for line in text.splitlines()[1:]]
    for number in range(1, len(lines)):
        assert found(with_body(tmp_path / f"cut-{number}", archive, *body_of(lines[:number])).path), number
    assert with_body(tmp_path / "whole", archive, *body_of(lines)).end() == archive.end()


def test_what_ends_after_any_command_and_says_so_has_another_digest(archive: Archive, tmp_path: Path) -> None:
    """Cut off at a boundary between commands, with a header that says what is left, digests tell."""
    entries = list(archive.entries())
    for number in range(1, len(entries), turns(7, 1)):
        path = by_hand(tmp_path / f"cut-{number}", archive, entries[:number])
        if not any(isinstance(entry, Packed) for entry in entries[:number]):
            continue
        checked = check(Archive(path), tmp_path)
        assert not checked.same and checked.why == []
        with pytest.raises(ArchiveDamagedError, match="does not hold"):
            Archive(by_hand(tmp_path / f"lie-{number}", archive, entries[:number], records=9_999)).end()


@pytest.mark.parametrize("change", ["doubled", "swapped", "left out", "from 0", "from 2", "one offset"])
def test_seqs_rise_one_by_one_and_offsets_rise(archive: Archive, tmp_path: Path, change: str) -> None:
    entries = list(archive.packed())
    match change:
        case "doubled":
            entries.insert(5, entries[5])
        case "swapped":
            entries[5], entries[6] = entries[6], entries[5]
        case "left out":
            del entries[5]
        case "one offset":
            entries[5] = entries[5]._replace(offset=entries[4].offset)
        case _:
            first = int(change[-1])
            entries = [entry._replace(seq=entry.seq + first - 1) for entry in entries]
    with pytest.raises(ArchiveDamagedError, match="after seq"):
        Archive(by_hand(tmp_path / "archive", archive, entries)).end()


def test_commands_of_another_memory_or_twice_the_same_are_found_by_folding(archive: Archive, tmp_path: Path) -> None:
    entries = list(archive.packed())
    other = event("foreign").record(0, "tenant/b").value or b""
    path = by_hand(tmp_path / "foreign", archive, [*entries[:5], entries[5]._replace(value=other)])
    with pytest.raises(ArchiveDamagedError, match="another memory at seq 6"):
        check(Archive(path), tmp_path)
    path = by_hand(tmp_path / "twice", archive, [*entries[:5], entries[5]._replace(value=entries[3].value)])
    with pytest.raises(ArchiveDamagedError, match="twice, again at seq 6"):
        check(Archive(path), tmp_path)
    refused = event("refused", informed_by=("nobody",)).record(0, MEMORY).value or b""
    for value, told in ((refused, "unknown_recall"), (b"{", "not_json"), (b"", "record_empty")):
        path = by_hand(tmp_path / told, archive, [*entries[:5], entries[5]._replace(value=value)])
        with pytest.raises(NotAcceptedError, match=rf"seq 6 .* refused \({told}\)"):
            check(Archive(path), tmp_path)


def test_what_was_refused_cannot_be_said_to_have_been_accepted(archive: Archive, tmp_path: Path) -> None:
    (link,) = [entry.link for entry in archive.entries() if isinstance(entry, Refused)][:1]
    entries = list(archive.packed())[:3]
    for wrong in (link[:32] + b"\0" + link[33:], link[:40] + b"\1" + link[41:], link[:43], b"", link + b"x" * 5_000):
        with pytest.raises(ArchiveDamagedError, match="says nothing known"):
            Archive(by_hand(tmp_path / f"{len(wrong)}-{wrong[32:41].hex()}", archive, [*entries, Refused(wrong)])).end()


@pytest.mark.parametrize(
    "said",
    [
        {"memory": "one"},
        {"memory": "a/" + "b" * 100},
        {"partition": 5, "partitions": 5},
        {"partition": -1},
        {"records": 0},
        {"records": 2**63},
        {"versions": []},
        {"versions": [(2, 1, 1)]},
        {"versions": [(1, 1, 1), (1, 1, 1)]},
        {"versions": [(seq, 1, 1) for seq in range(1, 100)]},
        {"state": "x"},
        {"topic_id": "t" * 500},
        {"alone": {"history": "", "digest": ""}},
        {"body": Body.model_construct(size=BYTES_MAX + 1, blake2b="0" * 64, unpacked=1)},
        {"body": Body.model_construct(size=1, blake2b="0" * 64, unpacked=BYTES_MAX + 1)},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_a_header_that_says_what_cannot_be_is_refused(archive: Archive, tmp_path: Path, said: dict[str, Any]) -> None:
    path = by_hand(tmp_path / "archive", archive, archive.packed(), **said)
    with pytest.raises(ArchiveDamagedError):
        Archive(path)


def test_a_header_too_long_for_one_block_is_not_written(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="too long"):
        by_hand(tmp_path / "archive", archive, archive.packed(), topic_id="t" * 70_000)


def test_a_newer_format_or_newer_rules_say_so(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="archive of version 2; this release reads version 1"):
        Archive(by_hand(tmp_path / "newer", archive, archive.packed(), version=2))
    path = by_hand(tmp_path / "rules", archive, archive.packed(), versions=[(1, 1, 1), (9, 7, 8)])
    with pytest.raises(ArchiveError, match="needs schema version 7 with rules version 8"):
        check(Archive(path), tmp_path)


def test_what_unpacks_to_more_than_it_says_is_let_go_of_early(archive: Archive, tmp_path: Path) -> None:
    """A bomb: 512 MiB of zeros in half a megabyte. The most that is held is a line and two pieces."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    zeros = bytes(1 << 20)
    data = b"".join([*(deflate.compress(zeros) for _ in range(512)), deflate.flush()])
    inner = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + data + bytes(8)
    for unpacked, told in ((1 << 16, "unpacks to more"), (1 << 29, "a line that is too long")):
        bomb = with_body(tmp_path / f"bomb-{unpacked}", archive, inner, unpacked)
        tracemalloc.start()
        with pytest.raises(ArchiveDamagedError, match=told):
            bomb.end()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 << 20


def test_what_would_take_more_than_the_disk_has_is_refused(archive: Archive, tmp_path: Path) -> None:
    check_room(tmp_path, archive.header)
    greedy = archive.header.body.model_copy(update={"unpacked": 1 << 60})
    with pytest.raises(ArchiveError, match=r"takes up to 4,398,046,511,104 MiB at .*, and there is less"):
        check_room(tmp_path, archive.header.model_copy(update={"body": greedy}))


def test_other_files_are_no_archives(tmp_path: Path) -> None:
    for data in (
        b"",
        b"PK\3\4",
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff\1\0\0\xff\xff",
        b"x" * 99,
    ):
        (tmp_path / "file").write_bytes(data)
        with pytest.raises(ArchiveDamagedError):
            Archive(tmp_path / "file")
    with pytest.raises(OSError, match="No such file"):
        Archive(tmp_path / "nothing")


def test_lines_that_say_anything_raise_nothing_else(archive: Archive, tmp_path: Path) -> None:
    """Every checksum is right: so only what is said is looked at."""
    rng = Random(5)
    values: list[Any] = [None, True, -1, 1, 2**63, 1.5, "x", "0" * 64, "0" * 90, [], {"a": 1}]
    names = ("seq", "offset", "at", "value", "refused", "records", "chain", "history", "digest")
    shapes = (
        ("seq", "offset", "at", "value"),
        ("refused",),
        ("records", "refused", "chain", "history", "digest"),
        names,
    )
    for number in range(turns(150, 3_000)):
        lines = [
            orjson.dumps({name: rng.choice(values) for name in rng.choice(shapes)}) for _ in range(rng.randrange(1, 4))
        ]
        assert found(with_body(tmp_path / f"said-{number}", archive, *body_of(lines)).path)


def test_lines_that_are_no_objects_are_damage(archive: Archive, tmp_path: Path) -> None:
    for number, line in enumerate((b"[1]", b"}", b"{]", b'{"seq":1,}', b"\xff\xff}", b'{"\xff":1}')):
        with pytest.raises(ArchiveDamagedError):
            with_body(tmp_path / f"line-{number}", archive, *body_of([line])).end()


def test_lines_written_here_are_lines_as_they_are_read(archive: Archive, tmp_path: Path) -> None:
    """So the tests above are about what is said, and not about a wrong checksum."""
    entry = next(archive.packed())
    said = {"seq": 1, "offset": entry.offset, "at": entry.timestamp_ms, "value": entry.value.decode()}
    made = with_body(tmp_path / "archive", archive, *body_of([orjson.dumps(said)]))
    entries = made.entries()
    assert next(entries) == entry
    with pytest.raises(ArchiveDamagedError, match="has no end"):
        next(entries)
