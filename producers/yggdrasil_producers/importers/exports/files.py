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
from ..lines import regular
from ..run import Unread, shown

UNPACKED_BYTES_MAX: Final = 8 << 30  # of one archive
RATIO_MAX: Final = 200  # of unpacked to packed; JSON of conversations is packed ten to thirty times
FILES_MAX: Final = 1_000  # of one export
DIRECTORY_BYTES_MAX: Final = 8 << 20  # the list of files of an archive: some 80,000 of them
_END_BYTES_MAX: Final = (1 << 16) + 128  # in which an archive says where that list is
_END_MARK: Final = b"PK\5\6"
_END_MARK_64: Final = b"PK\6\6"
_IN_ZIP64: Final = 0xFFFF_FFFF
_BESIDE: Final = "._"  # what a Mac writes beside a file
_SMALL_BYTES: Final = 1 << 20  # so little harms nobody, however well it is packed
# Of these it can be said beforehand how much one read unpacks.
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_AGAIN: Final = "download the export again, or unpack it and give the folder"
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which files of a folder or an archive are read: those whose names match; and one name, as an example.

    ``beside`` are names of files that belong to the export, and are not read: that is said.
    """

    pattern: re.Pattern[str]
    example: str
    beside: tuple[str, ...] = ()

    @staticmethod
    def such_as(pattern: str, example: str, *beside: str) -> "Wanted":
        """Return which, by a regular expression for whole names."""
        return Wanted(re.compile(pattern, re.IGNORECASE), example, beside)

    def admits(self, name: str, place: str, unread: Unread) -> bool:
        """Return whether a file of this name is read; where it is not, and should be known of, that is noted."""
        if name.lower() in self.beside:
            unread.add(shown(place), "a file of the export that is not read")
        return not name.startswith(_BESIDE) and self.pattern.fullmatch(name) is not None


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
    regular(path)
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
        if not path.is_file():
            return 0
        if zipfile.is_zipfile(path):
            _check_directory(path)
            with zipfile.ZipFile(path) as archive:
                return sum(member.file_size for member in archive.infolist() if member.filename.endswith(".json"))
        return path.stat().st_size
    except (OSError, *_DAMAGED, ValueError, ImporterError):
        return 0


def _in_folder(path: Path, wanted: Wanted, unread: Unread) -> list[ExportFile]:
    found: list[ExportFile] = []
    for each in sorted(path.iterdir()):
        if not wanted.admits(each.name, each.name, unread):
            continue
        if each.is_symlink() or not each.is_file():
            unread.add(shown(each.name), "a symbolic link or no file: not followed")
            continue
        found.append(ExportFile(each.name, each.stat().st_size, _opener(each)))
    return found


def _opener(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: path.open("rb")


def _in_archive(path: Path, wanted: Wanted, unread: Unread) -> list[ExportFile]:
    _check_directory(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (*_DAMAGED, ValueError) as error:
        raise ImporterError(f"{path} is a damaged archive ({error}): {_AGAIN}") from error
    found: list[ExportFile] = []
    for member in sorted(members, key=lambda each: each.filename):
        name = PurePosixPath(member.filename.replace("\\", "/"))
        if member.is_dir() or "__MACOSX" in name.parts or not wanted.admits(name.name, member.filename, unread):
            continue
        if len(found) >= FILES_MAX:
            raise ImporterError(f"{path} holds more than {FILES_MAX:,} such files: {_AGAIN}")
        if name.is_absolute() or ".." in name.parts:
            unread.add(shown(member.filename), "a path that leads out of the archive")
            continue
        found.append(ExportFile(str(name), member.file_size, _unpacker(path, member)))
        _check(path, member)
    if (total := sum(file.size for file in found)) > UNPACKED_BYTES_MAX:
        raise ImporterError(f"{path} unpacks to {total:,} bytes, and at most {UNPACKED_BYTES_MAX:,} are read: {_AGAIN}")
    return found


def _check_directory(path: Path) -> None:
    """Raise ImporterError for an archive whose list of files is longer than those of exports: to read it takes long."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _END_BYTES_MAX))
        end = file.read()
    at = end.rfind(_END_MARK)
    size = int.from_bytes(end[at + 12 : at + 16], "little") if at >= 0 else 0
    if size == _IN_ZIP64 and (at := end.rfind(_END_MARK_64)) >= 0:
        size = int.from_bytes(end[at + 40 : at + 48], "little")
    if size > DIRECTORY_BYTES_MAX:
        raise ImporterError(f"{path} lists more files than an export has: {_AGAIN}")


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
