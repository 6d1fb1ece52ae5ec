"""The files of an export: one that was given, those of a folder, or those of the archive that people download.

Nothing is unpacked to a disk, so a name in an archive can lead nowhere. How much comes out of it is bounded.
"""

import os
import re
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final

from ...errors import ImporterError
from ..run import Unread, shown

UNPACKED_BYTES_MAX: Final = 8 << 30  # of one archive
RATIO_MAX: Final = 200  # of unpacked to packed; JSON of conversations is packed ten to thirty times
_SMALL_BYTES: Final = 1 << 20  # so little harms nobody, however well it is packed
# Of these it can be said beforehand how much one read unpacks.
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_AGAIN: Final = "download the export again, or unpack it and give the folder"
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which files of a folder or an archive are read: those whose names match; and one name, as an example."""

    pattern: re.Pattern[str]
    example: str

    @staticmethod
    def such_as(pattern: str, example: str) -> "Wanted":
        """Return which, by a regular expression for whole names."""
        return Wanted(re.compile(pattern, re.IGNORECASE), example)


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of an export: its name, its size in bytes, and how to open it."""

    name: str
    size: int
    opened: Callable[[], IO[bytes]]


def files_of(path: Path, wanted: Wanted, unread: Unread) -> list[ExportFile]:
    """Return the files of the export at ``path``, in the order of their names.

    A file counts whatever its name is; of a folder and of an archive those whose names match ``wanted``. Raises
    ImporterError when there is none, for an archive that is damaged or unpacks to too much, and for what cannot be
    read.
    """
    try:
        if path.is_dir():
            found = _in_folder(path, wanted, unread)
        elif zipfile.is_zipfile(path):
            found = _in_archive(path, wanted, unread)
        else:
            return [ExportFile(path.name, path.stat().st_size, _opener(path))]
    except OSError as error:
        raise ImporterError(f"expected an export at {path}: {error.strerror}") from error
    if not found:
        raise ImporterError(f"{path} holds no {wanted.example}; give the file itself, if it has another name")
    return found


@contextmanager
def reading(path: Path, file: ExportFile) -> Generator[IO[bytes], None, None]:
    """Open a file of the export at ``path``. Raises ImporterError for what cannot be read, or is damaged."""
    try:
        with file.opened() as stream:
            yield stream
    except OSError as error:
        raise ImporterError(f"{path}, {file.name} cannot be read: {error.strerror or error}") from error
    except _DAMAGED as error:
        raise ImporterError(f"{path}, {file.name} is damaged or encrypted ({error}): {_AGAIN}") from error


def bytes_at(path: Path) -> int:
    """Return about how many bytes there are to read, for who shows how far it is; 0 where nobody can say."""
    try:
        if path.is_dir():
            return sum(
                os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(path) for name in names
            )
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return sum(member.file_size for member in archive.infolist() if member.filename.endswith(".json"))
        return path.stat().st_size
    except (OSError, *_DAMAGED, ValueError):
        return 0


def _in_folder(path: Path, wanted: Wanted, unread: Unread) -> list[ExportFile]:
    found: list[ExportFile] = []
    for each in sorted(path.iterdir()):
        if not wanted.pattern.fullmatch(each.name):
            continue
        if each.is_symlink() or not each.is_file():
            unread.add(shown(each.name), "a symbolic link or no file: not followed")
            continue
        found.append(ExportFile(each.name, each.stat().st_size, _opener(each)))
    return found


def _opener(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: path.open("rb")


def _in_archive(path: Path, wanted: Wanted, unread: Unread) -> list[ExportFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (*_DAMAGED, ValueError) as error:
        raise ImporterError(f"{path} is a damaged archive ({error}): {_AGAIN}") from error
    found: list[ExportFile] = []
    for member in sorted(members, key=lambda each: each.filename):
        name = PurePosixPath(member.filename.replace("\\", "/"))
        if member.is_dir() or not wanted.pattern.fullmatch(name.name) or "__MACOSX" in name.parts:
            continue
        if name.is_absolute() or ".." in name.parts:
            unread.add(shown(member.filename), "a path that leads out of the archive")
            continue
        found.append(ExportFile(str(name), member.file_size, _unpacker(path, member)))
        _check(path, member)
    if (total := sum(file.size for file in found)) > UNPACKED_BYTES_MAX:
        raise ImporterError(f"{path} unpacks to {total:,} bytes, and at most {UNPACKED_BYTES_MAX:,} are read: {_AGAIN}")
    return found


def _check(path: Path, member: zipfile.ZipInfo) -> None:
    """Raise ImporterError for a member that unpacks to more than JSON does. No more than it says is ever unpacked."""
    if member.compress_type not in _METHODS:
        raise ImporterError(f"{path}, {member.filename} is packed in an unusual way: {_AGAIN}")
    if member.file_size > max(_SMALL_BYTES, RATIO_MAX * member.compress_size):
        said = f"{member.compress_size:,} bytes unpack to {member.file_size:,}"
        raise ImporterError(f"{path}, {member.filename}: {said}, as in an archive that is made to do harm; {_AGAIN}")


def _unpacker(path: Path, member: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        archive = zipfile.ZipFile(path)
        try:
            return archive.open(member)  # which keeps the archive's file open for as long as it is read
        finally:
            archive.close()

    return opened
