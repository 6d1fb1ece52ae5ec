"""Paths as people write them: made whole once, where they are given; and why one leads to nothing that can be used."""

import errno
import os
import re
import stat
from pathlib import Path
from typing import Final, Literal, NoReturn

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.names import is_unicode
from yggdrasil_schemas.problems import ExitCode

Code = Literal["no_path", "no_home", "dangling_link", "not_a_directory", "not_writable", "read_only"]
"""What may be wrong: no path at all; nobody's home; a link to nothing; something else there; no right; no writing."""
_ADDRESS: Final = re.compile(r"https?://")
_READ_ONLY: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_SORTS: Final = {
    stat.S_IFREG: "a file",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_REFUSED: Final = ("Read-only file system", "Permission denied", "Operation not permitted")


class PathError(YggdrasilError):
    """A path leads to nothing that can be used: ``path`` is as far as it leads, and ``code`` says what is wrong."""

    def __init__(self, code: Code, path: str | Path, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.path = str(path)

    def ends(self) -> tuple[ExitCode, str]:
        """Return the exit code of a command that was given the path, and what is wrong with it."""
        return ExitCode.NOT_FOUND if self.code == "dangling_link" else ExitCode.USAGE, self.code


def whole(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> Path:
    """Return ``path`` from the root on, with the home folder in the place of ``~`` or ``~user``.

    Whoever keeps a path makes it whole first: the process may change its working directory. Links stay as they are.
    Raises PathError for what names no place.
    """
    there = Path(at_home(os.fsdecode(path)))
    try:
        return there.absolute()
    except FileNotFoundError:
        raise PathError(
            "no_path", there, f"{there} begins in this process's working directory, which is gone: give the whole path"
        ) from None


def followed(path: str | os.PathLike[str]) -> Path:
    """Return ``path`` made whole, with its links followed once: a link may lead elsewhere while what it names is open.

    One that leads to nothing stays, and is refused where something is to be made. Raises PathError.
    """
    there = whole(path)
    for each in (there, *there.parents):
        if os.path.lexists(each):
            return Path(os.path.realpath(each), there.relative_to(each)) if os.path.exists(each) else there
    return there


def at_home(text: str) -> str:
    """Return a path with the home folder in the place of ``~`` or ``~user``; any other as it is. Raises PathError."""
    if not text:
        raise PathError("no_path", text, "an empty text is no path: name a place, or leave it out; `.` is this folder")
    if "\0" in text:
        raise PathError("no_path", text, f"{text!r} has a NUL in it, which no path has: leave it out")
    if _ADDRESS.match(text):
        said = f"{text} is the address of a service, and no path: connect to it, or write ./{text} for a folder"
        raise PathError("no_path", text, said)
    if not text.startswith("~"):
        return text
    user, _, rest = text.partition("/")
    known = os.path.expanduser(user)
    if known != user and os.environ.get("HOME", "/"):
        return os.path.join(known, rest) if rest else known
    if user != "~" and os.path.lexists(user):
        return text  # a file may be called so
    if user == "~":
        why = "HOME names no folder: set it, or give the whole path"
    else:
        why = f"this machine knows no user {user[1:]}: give the whole path, or ./{text} for something of that name"
    raise PathError("no_home", text, f"{text} begins in a home folder, and {why}")


def check_directory(path: Path) -> None:
    """Raise PathError unless ``path`` is a directory, or one could be made there; nothing is made."""
    if not is_unicode(str(path)):
        said = f"{str(path)!a} is no UTF-8, and the path of a directory has to be: name another one, or rename it"
        raise PathError("no_path", path, said)
    for there in (path, *path.parents):
        try:
            there.lstat()
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue  # what is above it says why
        except OSError as error:
            refuse(path, error)
        try:
            found = there.stat()
        except OSError as error:
            refuse(there, error)
        if not stat.S_ISDIR(found.st_mode):
            _not_a_directory(there, path, found)
        if not os.access(there, os.X_OK, effective_ids=True):
            refuse(path, PermissionError(errno.EACCES, "", str(there)))
        if there != path and not os.access(there, os.W_OK, effective_ids=True):
            read_only = bool(os.statvfs(there).f_flag & os.ST_RDONLY)
            refuse(path, OSError(errno.EROFS if read_only else errno.EACCES, "", str(there)))
        return


def directory_at(path: str | os.PathLike[str]) -> Path:
    """Return the directory that is, or could be made, at ``path``: whole, and with its links followed once.

    Nothing is made. Raises PathError, which names the path as it was given.
    """
    there = whole(path)
    check_directory(there)
    return there.resolve()


def refuse(path: Path, error: OSError, wanted: str = "directory") -> NoReturn:
    """Raise PathError with what an error of the system means for ``path``, where a ``wanted`` thing was to be."""
    there = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else path
    for each in (there, *there.parents):
        if os.path.islink(each) and not _leads_on(each):
            _dangling(each, wanted)
    if error.errno in {errno.ENOTDIR, errno.EEXIST}:
        at = next((each for each in (there, *there.parents) if os.path.lexists(each) and not each.is_dir()), there)
        _not_a_directory(at, path, at.stat() if at.exists() else None)
    if error.errno == errno.EROFS:
        said = f"{path} is on a file system that is only read: name another {wanted}, or have it mounted for writing"
        raise PathError("read_only", path, said) from error
    if error.errno in {errno.EACCES, errno.EPERM}:
        where = f"in {there}" if there != path else "there"
        raise PathError(
            "not_writable",
            path,
            f"{path} cannot be used by the user {os.geteuid()}, who lacks the right {where}: see to its permissions, "
            f"or name another {wanted}",
        ) from error
    raise PathError(
        "no_path", path, f"{path} cannot be a {wanted} here ({error.strerror or error}): name another"
    ) from error


def is_read_only(error: BaseException) -> bool:
    """Whether ``error`` says that nothing may be written there: by this user, or by anybody."""
    number = error.errno if isinstance(error, OSError) else None
    return number in _READ_ONLY or any(sign in str(error) for sign in _REFUSED)  # RocksDB has words alone


def _leads_on(link: Path) -> bool:
    try:
        link.stat()
    except PermissionError:
        return True  # somewhere that is not for us to see
    except OSError:
        return False
    return True


def _dangling(link: Path, wanted: str) -> NoReturn:
    to = os.readlink(link)
    try:
        link.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            said = f"{link} is a link that leads back to itself: remove it, or name another {wanted}"
            raise PathError("dangling_link", link, said) from error
    said = f"{link} is a link to {to}, and nothing is there: make {to}, let it lead elsewhere, or name another {wanted}"
    raise PathError("dangling_link", link, said)


def _not_a_directory(there: Path, path: Path, found: os.stat_result | None) -> NoReturn:
    sort = _SORTS.get(stat.S_IFMT(found.st_mode), "no directory") if found is not None else "no directory"
    below = "a directory is wanted in its place" if there == path else f"{path} would have to be below it"
    raise PathError("not_a_directory", there, f"{there} is {sort}, and {below}: name another directory")
