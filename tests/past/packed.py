"""Memories that were packed: logs of random histories, and archives made by hand."""

import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from random import Random

from tests.graph.histories import MEMORIES, history
from tests.graph.list_log import ListLog
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import LogRecord
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.past.archive import Archive, Body, Header, Packed, Refused, Writer, write_archive
from yggdrasil_processors.past.packing import pack

MEMORY = MEMORIES[0]
_GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"


def life(seed: int, commands: int = 400) -> list[LogRecord]:
    """A random history of three memories: accepted, refused, said twice, and no command at all."""
    rng = Random(f"past{seed}")
    return history([rng.randrange(2**20) for _ in range(commands)])


@contextmanager
def logged(path: Path, partitions: int, records: Iterable[LogRecord] = ()) -> Iterator[LocalLog]:
    """A log in a directory, with those of ``records`` that have a key and a value."""
    with closing(LocalLog.create_or_open(path, partitions)) as log:
        log.append_dated((one.key, one.value, 1_000 + one.offset) for one in records if one.key and one.value)
        yield log


def packed_in(path: Path, records: Iterable[LogRecord], memory: str = MEMORY, at: int | None = None) -> Archive:
    """``memory``, packed from a log of one partition."""
    name = f"packed-{len(list(path.iterdir()))}"
    return pack(ListLog(records), memory, path / name, path, at)


def digests_of(log: LocalLog, path: Path) -> dict[str, str]:
    """The digest of every memory, as the auditor's replay gives it."""
    found: dict[str, str] = {}
    for partition in range(log.partitions):
        found |= replay(log, path / str(partition), partition).digests
    return found


def by_hand(path: Path, like: Archive, entries: Iterable[Packed | Refused], **said: object) -> Path:
    """An archive of ``entries`` whose every checksum is right, and whose header says what ``said`` does."""
    inner = path.with_name("by-hand.body")
    end = like.end()
    with inner.open("wb") as file:
        writer = Writer(file)
        for entry in entries:
            if isinstance(entry, Refused):
                writer.refusal(entry.link)
            else:
                writer.record(*entry)
        written = writer.end(bytes.fromhex(end.history), end.digest)
    changed = {"records": writer.records, "refused": writer.refused, "body": written} | said
    header: Header = like.header.model_copy(update=changed)
    write_archive(path, header, inner)
    return path


def with_body(path: Path, like: Archive, inner: bytes, unpacked: int) -> Archive:
    """An archive whose second member is ``inner``, as its header says, and is said to unpack to so many bytes."""
    there = path.with_name("by-hand.body")
    there.write_bytes(inner)
    body = Body(size=len(inner), blake2b=blake2b(inner, digest_size=32).hexdigest(), unpacked=unpacked)
    write_archive(path, like.header.model_copy(update={"body": body}), there)
    return Archive(path)


def body_of(lines: Iterable[bytes]) -> tuple[bytes, int]:
    """A second member of any lines, each a JSON object, with their checksums; and how much it unpacks to."""
    chain, text = bytes(32), b""
    for line in lines:
        of_line = blake2b(_hashed(line[:-1]), digest_size=32).digest()
        chain = blake2b(chain + of_line, digest_size=32).digest()
        text += line[:-1] + b',"sum":"' + chain[:8].hex().encode() + b'"}\n'
    deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = deflate.compress(text) + deflate.flush()
    return _GZIP + data + zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little"), len(text)


def _hashed(said: bytes) -> bytes:
    """What is hashed of a record without a key, whose value is ``said``."""
    return (2**64 - 1).to_bytes(8, "big") + len(said).to_bytes(8, "big") + said
