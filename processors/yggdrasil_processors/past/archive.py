"""The file that a memory is packed into: what it says of itself, what was accepted, and what shows that it is whole.

An archive is gzip of two members, whose text is JSON in lines. The first member is one line, stored as it is: the
header. It names the memory and says, before anything is unpacked, how long the second member is and its hash. So there
is no byte whose change, and no place whose loss, would go unnoticed. The second member has a line for each accepted
command, with the bytes of its record, and for each refused one what the memory's history took in of it; then a line
that says how the memory stood. Each line ends with the first 8 bytes of a chain over all lines so far.
"""

import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from errno import EEXIST
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import IO, Any, Final, NamedTuple, TypeVar, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from yggdrasil_infra.private import open_private, sync_folder
from yggdrasil_projections.graph.rules import Versions
from yggdrasil_projections.graph.store.chain import CHAIN_START, chained, hash_of
from yggdrasil_schemas.commands.wire import MemoryId
from yggdrasil_schemas.commands.wording import placed
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.limits import RECORD_BYTES_MAX
from yggdrasil_schemas.problems import ExitCode, local

FORMAT: Final = "yggdrasil-archive"
FORMAT_VERSION: Final = 1
BYTES_MAX: Final = 64 << 30
"""Of all lines together, unpacked: some 100 million commands. More is neither written nor read."""
LINK_BYTES_MAX: Final = 4_096  # two names of 128 characters, and the 43 bytes before them, with much room
VERSIONS_MAX: Final = 64  # changes of the versions in the life of one memory
_LINE_BYTES_MAX: Final = 2 * RECORD_BYTES_MAX + 1_024  # JSON in JSON: no byte of a record takes more than two
_HEADER_BYTES_MAX: Final = 0xFFFF  # what one stored block of deflate holds
_PIECE_BYTES: Final = 1 << 16
_NUMBER_MAX: Final = 2**63 - 1
_MS_MAX: Final = 2**52  # -1: a record without a time
_GZIP: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # deflate, no name, no time, no system: always the same
_STORED: Final = Struct("<BHH")
_ENDS: Final = Struct("<II")
_SUM_BYTES: Final = 8
_SUM_CHARS: Final = len(',"sum":""}') + 2 * _SUM_BYTES
_REFUSED_AT, _SEQ_AT, _NAMES_AT = 32, slice(33, 41), 43  # in a link

_Model = TypeVar("_Model", bound=BaseModel)


class ArchiveError(YggdrasilError):
    """An archive cannot be made, or cannot be used as was asked; nothing was changed."""

    kind = local("archive", ExitCode.USAGE)


class ArchiveDamagedError(ArchiveError):
    """A file is no archive, or not the one that was written; the message names the place."""

    kind = local("archive_damaged", ExitCode.BROKEN)


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


_Count = Field(ge=0, le=_NUMBER_MAX)
_Digest = Field(pattern="^[0-9a-f]{64}$")
_History = Field(pattern="^[0-9a-f]{32}$")


class Alone(_Strict):
    """How the memory stands where the accepted commands alone are folded, as they are in what is unpacked."""

    history: str = _History
    digest: str = _Digest


class Body(_Strict):
    """The second member: its bytes in the file, their hash, and its bytes unpacked."""

    size: int = Field(ge=1, le=BYTES_MAX)
    blake2b: str = _Digest
    unpacked: int = Field(ge=1, le=BYTES_MAX)


class Header(_Strict):
    """The first line. ``versions`` are seqs from which on a schema version and a rules version held, the first 1.

    ``offsets`` are those of the partition that were read, the second exclusive. ``state`` is the digest without name
    and history.
    """

    format: str
    version: int
    memory: MemoryId
    topic_id: str = Field(max_length=128)
    partition: int = Field(ge=0, lt=2**31)
    partitions: int = Field(ge=1, lt=2**31)
    offsets: tuple[int, int]
    versions: list[tuple[int, int, int]] = Field(min_length=1, max_length=VERSIONS_MAX)
    digest_encoding: int = Field(ge=0, le=2**31)
    release: str = Field(max_length=128)
    records: int = Field(ge=1, le=_NUMBER_MAX)
    refused: int = _Count
    state: str = _Digest
    alone: Alone
    body: Body

    @property
    def held(self) -> list[tuple[int, Versions]]:
        """The versions, each with the seq from which on they held."""
        return [(seq, Versions(schema, rules)) for seq, schema, rules in self.versions]


class End(_Strict):
    """The last line: the chain over all lines of the second member before it, and how the memory stood."""

    records: int = _Count
    refused: int = _Count
    chain: str = _Digest
    history: str = _History
    digest: str = _Digest


class Packed(NamedTuple):
    """An accepted command: its seq, and its record's offset, timestamp and bytes; the key is the memory's name."""

    seq: int
    offset: int
    timestamp_ms: int
    value: bytes


class Refused(NamedTuple):
    """A refused command: what the history took in of it, as ``fold.link_of`` says."""

    link: bytes


class Writer:
    """Writes the second member of an archive into ``file``, line by line."""

    def __init__(self, file: IO[bytes]) -> None:
        self.records = 0
        self.refused = 0
        self._file = file
        self._deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._hash = blake2b(digest_size=32)
        self._crc = 0
        self._size = 0
        self._unpacked = 0
        self._chain = CHAIN_START
        self._put(_GZIP)

    def record(self, seq: int, offset: int, timestamp_ms: int, value: bytes) -> None:
        """Write an accepted command. Raises ArchiveError when the archive grows too large."""
        self._line({"seq": seq, "offset": offset, "at": timestamp_ms, "value": value.decode()})
        self.records += 1

    def refusal(self, link: bytes) -> None:
        """Write what is left of a refused command. Raises ArchiveError."""
        self._line({"refused": link.hex()})
        self.refused += 1

    def end(self, history: bytes, digest: str) -> Body:
        """Write the last line, and return what was written."""
        counts = {"records": self.records, "refused": self.refused}
        self._line(counts | {"chain": self._chain.hex(), "history": history.hex(), "digest": digest})
        self._put(self._deflate.flush() + _ENDS.pack(self._crc, self._unpacked & 0xFFFFFFFF))
        return Body(size=self._size, blake2b=self._hash.hexdigest(), unpacked=self._unpacked)

    def _line(self, fields: Mapping[str, Any]) -> None:
        said = orjson.dumps(fields)[:-1]
        self._chain = chained(self._chain, hash_of(None, said))
        line = said + _sum(self._chain) + b"\n"
        self._unpacked += len(line)
        if self._unpacked > BYTES_MAX or len(line) > _LINE_BYTES_MAX:
            raise ArchiveError(f"the archive would have more than {BYTES_MAX >> 30} GiB of lines, or a line too long")
        self._crc = zlib.crc32(line, self._crc)
        self._put(self._deflate.compress(line))

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._hash.update(data)
        self._size += len(data)


def write_archive(path: Path, header: Header, body: Path) -> None:
    """Make the archive ``path`` of its header and the file ``body``, written beside and renamed.

    Raises FileExistsError when something has come to be there meanwhile, and OSError.
    """
    beside = path.with_name(f"{path.name}.partial")
    first = _first_member(header)
    try:
        with open_private(beside) as file, body.open("rb") as packed:
            file.write(first)
            while piece := packed.read(_PIECE_BYTES):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            raise FileExistsError(EEXIST, "somebody else has made it meanwhile", str(path))
        beside.rename(path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


class Archive:
    """An archive that is read. What it says is checked as it is read: whoever wants all of it checked reads it all."""

    def __init__(self, path: Path, header: Header | None = None) -> None:
        """Read the header, or take it if ``path`` is the second member alone.

        Raises ArchiveDamagedError, ArchiveError for a newer format, and OSError.
        """
        self.path = path
        with path.open("rb") as file:
            self.header, self._begins = _read_header(path, file) if header is None else (header, 0)
            size = os.fstat(file.fileno()).st_size - self._begins
        if size != self.header.body.size:
            lost = "is cut off" if size < self.header.body.size else "goes on after its end"
            raise ArchiveDamagedError(f"{path} {lost}: {self.header.body.size} bytes follow its header, not {size}")

    def entries(self) -> Iterator[Packed | Refused]:
        """Yield every command in order, and at the end check that it was all of them. Raises ArchiveDamagedError."""
        for entry in self._lines():
            if isinstance(entry, End):
                return
            yield entry

    def end(self) -> End:
        """Read all of it, and return the last line. Raises ArchiveDamagedError."""
        found = None
        for entry in self._lines():
            found = entry
        if not isinstance(found, End):
            raise self._damaged("has no end")
        return found

    def packed(self) -> Iterator[Packed]:
        """Yield the accepted commands alone."""
        return (entry for entry in self.entries() if isinstance(entry, Packed))

    def _lines(self) -> Iterator[Packed | Refused | End]:
        """Yield what the lines say; the last is yielded once everything has been found to be as it was written."""
        header, chain, end = self.header, CHAIN_START, None
        seq, offset, records, refused = 0, header.offsets[0] - 1, 0, 0
        for line in self._text():
            if end is not None:
                raise self._damaged("goes on after its last line")
            before = chain
            fields, chain = self._said(line, chain, seq)
            entry = self._entry(fields, seq)
            if isinstance(entry, End):
                end = entry
                facts = (end.records, end.refused, end.chain) == (records, refused, before.hex())
                if not facts or (records, refused) != (header.records, header.refused):
                    raise self._damaged(f"does not hold {header.records} and {header.refused} commands, as it says")
                continue
            if isinstance(entry, Packed):
                if entry.seq != seq + 1 or not offset < entry.offset < header.offsets[1]:
                    raise self._damaged(f"has seq {entry.seq} of offset {entry.offset} after seq {seq} of {offset}")
                seq, offset, records = entry.seq, entry.offset, records + 1
            else:
                refused += 1
            yield entry
        if end is None:
            raise self._damaged("has no end")
        yield end

    def _text(self) -> Iterator[bytes]:
        """Yield the lines of the second member; no more is held than a line and a piece."""
        left = b""
        for piece in self._inflated():
            *lines, left = (left + piece).split(b"\n")
            yield from lines
            if len(left) > _LINE_BYTES_MAX:
                raise self._damaged("has a line that is too long")
        if left:
            raise self._damaged("ends in the middle of a line")

    def _inflated(self) -> Iterator[bytes]:
        body, unpacked, crc = self.header.body, 0, 0
        of_bytes, inflate = blake2b(digest_size=32), zlib.decompressobj(-zlib.MAX_WBITS)
        with self.path.open("rb") as file:
            file.seek(self._begins)
            head = file.read(len(_GZIP))
            of_bytes.update(head)
            ends = b""
            while data := file.read(_PIECE_BYTES):
                of_bytes.update(data)
                if inflate.eof:
                    ends += data
                while not inflate.eof and data:
                    try:
                        piece = inflate.decompress(data, _PIECE_BYTES)
                    except zlib.error as error:
                        raise self._damaged(f"cannot be unpacked ({error})") from error
                    data = inflate.unconsumed_tail
                    unpacked, crc = unpacked + len(piece), zlib.crc32(piece, crc)
                    if unpacked > body.unpacked:
                        raise self._damaged(f"unpacks to more than the {body.unpacked} bytes that it says")
                    yield piece
                    if inflate.eof:
                        ends = inflate.unused_data
                if len(ends) > _ENDS.size:
                    raise self._damaged("goes on after its end")
        whole = (_GZIP, True, body.unpacked, _ENDS.pack(crc, unpacked & 0xFFFFFFFF), body.blake2b)
        if (head, inflate.eof, unpacked, ends, of_bytes.hexdigest()) != whole:
            raise self._damaged("is not as it was written: it has another hash")

    def _said(self, line: bytes, chain: bytes, seq: int) -> tuple[dict[str, Any], bytes]:
        """Return what a line says, and the chain after it."""
        said, of_line = line[:-_SUM_CHARS], line[-_SUM_CHARS:]
        chain = chained(chain, hash_of(None, said))
        if of_line != _sum(chain):
            raise self._damaged(f"is not as it was written, after seq {seq}: a line has another checksum")
        with suppress(orjson.JSONDecodeError):
            fields = orjson.loads(said + b"}")
            if isinstance(fields, dict):
                return cast(dict[str, Any], fields), chain
        raise self._damaged(f"has a line that is no JSON object, after seq {seq}")

    def _entry(self, fields: dict[str, Any], seq: int) -> Packed | Refused | End:
        match fields:
            case {"seq": int(number), "offset": int(offset), "at": int(at), "value": str(text)} if len(fields) == 4:
                value = text.encode()
                within = len(value) <= RECORD_BYTES_MAX and max(number, offset) <= _NUMBER_MAX and -1 <= at <= _MS_MAX
                if within and min(number, offset) >= 0:
                    return Packed(number, offset, at, value)
            case {"refused": str(link)} if len(fields) == 1 and len(link) <= 2 * LINK_BYTES_MAX:
                with suppress(ValueError):
                    found = bytes.fromhex(link)
                    if len(found) > _NAMES_AT and found[_REFUSED_AT] and not any(found[_SEQ_AT]):
                        return Refused(found)
            case {"chain": _}:
                return _validated(self.path, End, orjson.dumps(fields))
            case _:
                pass
        raise self._damaged(f"has a line that says nothing known, after seq {seq}")

    def _damaged(self, what: str) -> ArchiveDamagedError:
        return _damaged(self.path, what)


def _damaged(path: Path, what: str) -> ArchiveDamagedError:
    return ArchiveDamagedError(f"{path} {what}. Take another copy of the archive, or pack the memory again.")


def _sum(chain: bytes) -> bytes:
    return b',"sum":"%s"}' % chain[:_SUM_BYTES].hex().encode()


def _first_member(header: Header) -> bytes:
    """Return the header as a member of gzip. Raises ArchiveError when it is too long."""
    said = orjson.dumps(header.model_dump())[:-1]
    if len(said) > _HEADER_BYTES_MAX - _SUM_CHARS - 1:
        raise ArchiveError("the header of the archive would be too long")
    return _stored(said)


def _stored(said: bytes) -> bytes:
    """Return a line as a member of gzip that is one stored block: every byte of it follows from what is said."""
    line = said + _sum(chained(CHAIN_START, hash_of(None, said))) + b"\n"
    size = len(line)
    return _GZIP + _STORED.pack(1, size, size ^ 0xFFFF) + line + _ENDS.pack(zlib.crc32(line), size)


def _read_header(path: Path, file: IO[bytes]) -> tuple[Header, int]:
    """Return the header, and where the second member begins."""
    before = len(_GZIP) + _STORED.size
    head = file.read(before)
    if len(head) < before or not head.startswith(_GZIP):
        raise _damaged(path, "is no archive of a memory")
    size = _STORED.unpack(head[len(_GZIP) :])[1]
    rest = file.read(size + _ENDS.size)
    said = rest[: max(0, size - _SUM_CHARS - 1)]
    fields: dict[str, Any] = {}
    with suppress(orjson.JSONDecodeError):
        found = orjson.loads(said + b"}")
        fields = cast(dict[str, Any], found) if isinstance(found, dict) else fields
    if fields.get("format") != FORMAT:
        raise _damaged(path, "is no archive of a memory, or its header is not as it was written")
    if head + rest != _stored(said):
        raise _damaged(path, "has a header that is not as it was written")
    if fields.get("version") != FORMAT_VERSION:
        raise ArchiveError(f"{path} is an archive of version {fields.get('version')}; this release reads version 1")
    header = _validated(path, Header, said + b"}")
    seqs = [seq for seq, _, _ in header.versions]
    if seqs[0] != 1 or seqs != sorted(set(seqs)) or header.partition >= header.partitions:
        raise _damaged(path, "has a header that cannot be")
    return header, before + size + _ENDS.size


def _validated(path: Path, model: type[_Model], said: bytes) -> _Model:
    try:
        return model.model_validate_json(said)
    except ValidationError as error:
        wrong = placed(error.errors(include_url=False, include_input=False)[0])
        raise _damaged(path, f"does not say what an archive says: {wrong}") from error
