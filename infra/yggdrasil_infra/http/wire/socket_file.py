"""The socket beside the log: through it whoever owns a directory reaches the service that holds the directory.

Beside it there may be another, of what runs commands there (``COMMANDS``). Each is a file, for its owner alone, so the
system checks who may connect. The path of a socket may have about a hundred bytes. Where that of the directory is
longer, or its disk has no sockets, the socket lies in a private folder, and a small file beside the log says where.
"""

import os
import socket
import stat
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from ...forking import in_child, stays
from ...private import FILE_MODE, open_private
from ..errors import ServerError, UntrustedSocketError

FILE: Final = "serve.sock"
ADDRESS_FILE: Final = "serve.address"
PATH_BYTES_MAX: Final = 103  # of the systems that we know the least; on Linux it is 107
_ADDRESS_BYTES_MAX: Final = 4_096
_FOLDER: Final = "yggdrasil-"
_WAITING_MAX: Final = 512
_CONNECT_S: Final = 2.0
_OTHERS_WRITE: Final = 0o022
_OTHERS: Final = 0o077
_CREDENTIALS: Final = struct.Struct("3i")  # process, user, group


class Names(NamedTuple):
    """The file of a socket in a directory, and the file that says where it is when it is elsewhere."""

    file: str
    address: str


SERVICE: Final = Names(FILE, ADDRESS_FILE)
"""Those of the service of a directory."""
COMMANDS: Final = Names("commands.sock", "commands.address")
"""Those of what runs commands beside it."""


@dataclass(frozen=True, slots=True)
class Answering:
    """A service that answers at the socket ``path``, and the number of its process; 0 where the system does not say."""

    path: Path
    pid: int

    @property
    def process(self) -> str:
        """The process, in words."""
        return f"process {self.pid}" if self.pid else "another process"


class SocketFile:
    """Listens at a socket beside the log in ``directory``, which the caller holds, until it is removed."""

    def __init__(self, directory: Path, names: Names = SERVICE) -> None:
        """Listen; the socket of a process that is gone is replaced.

        Raises ServerError where a service answers, or no socket can be made.
        """
        self._directory = directory.resolve()
        self._names = names
        self._of = _folder_of(self._directory)
        self._folder: Path | None = None
        self._clear()
        try:
            self.path = self._directory / self._names.file
            self.socket = _listening(self.path)
        except OSError:
            self.path, self.socket = self._elsewhere()
        self._made = _identity(self.path)
        in_child(self.socket, socket.socket.close)  # or clients would connect where nobody serves them
        stays(self, f"the socket {self.path}", "remove")

    def is_there(self) -> bool:
        """Whether the socket can be found: its directory may have been moved or deleted."""
        try:
            named = self._folder is None or (self._directory / self._names.address).exists()
            return named and _identity(self.path) == self._made
        except OSError:
            return False

    def is_in_place(self) -> bool:
        """Whether its directory is where it was: it may have been moved or deleted, and another be there by now."""
        try:
            return _folder_of(self._directory) == self._of
        except OSError:
            return False

    def remove(self) -> None:
        """Take the socket away, and what says where it is, unless they are another one's. Removing twice is allowed."""
        with suppress(OSError):
            if _identity(self.path) == self._made:
                self.path.unlink()
        if self._folder is not None:
            with suppress(OSError):
                if (self._directory / self._names.address).read_text() == str(self.path):
                    (self._directory / self._names.address).unlink()
            with suppress(OSError):
                self._folder.rmdir()

    def _clear(self) -> None:
        """Remove what a process that is gone has left. Raises ServerError when it is not gone."""
        try:
            found = find(self._directory, self._names)
        except UntrustedSocketError as error:
            raise ServerError(str(error)) from error
        if found is not None:
            raise ServerError(f"{found.process} serves {self._directory} already, at {found.path}")
        with suppress(OSError):
            (self._directory / self._names.file).unlink()
        with suppress(OSError, UntrustedSocketError):
            if (left := _address_in(self._directory, self._names)) is not None and left.parent.name.startswith(
                _folder_of(self._directory)
            ):
                left.unlink()
                left.parent.rmdir()
        with suppress(OSError):
            (self._directory / self._names.address).unlink()

    def _elsewhere(self) -> tuple[Path, socket.socket]:
        """Listen in a private folder, and write down where."""
        import tempfile  # noqa: PLC0415 - whoever only looks needs none of it

        try:
            self._folder = Path(tempfile.mkdtemp(prefix=_folder_of(self._directory), dir=_roomy(self._names)))
            path = self._folder / self._names.file
            made = _listening(path)
        except OSError as error:
            if self._folder is not None:
                self._folder.rmdir()
            raise ServerError(
                f"no socket can be made for {self._directory}: {error}. Let XDG_RUNTIME_DIR or TMPDIR name a folder "
                "with a short path, in which you may write"
            ) from error
        partial = self._directory / f"{self._names.address}.partial"
        try:
            with open_private(partial) as file:
                file.write(str(path).encode())
            partial.rename(self._directory / self._names.address)
        except OSError as error:
            made.close()
            path.unlink()
            self._folder.rmdir()
            raise ServerError(f"{self._directory} cannot be written to: {error}") from error
        return path, made


def is_named(directory: Path, names: Names = SERVICE) -> bool:
    """Whether ``directory`` names a socket at all: of a service that answers, or of one that is gone."""
    return any(os.path.lexists(directory / name) for name in names)


def find(directory: Path, names: Names = SERVICE) -> Answering | None:
    """Return the service that answers for ``directory``; None when none does.

    Raises UntrustedSocketError for a socket that somebody else has made, or could have.
    """
    if (made := connected(directory, names)) is None:
        return None
    with made[0]:
        return made[1]


def connected(directory: Path, names: Names) -> tuple[socket.socket, Answering] | None:
    """Return a connection to what answers for ``directory``, and who that is; None for nobody. Raises as ``find``."""
    try:
        path = _socket_of(directory.resolve(), names)
    except OSError:
        return None
    if path is None:
        return None
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.settimeout(_CONNECT_S)
        try:
            made.connect(str(path))
        except OSError:  # its process is gone
            made.close()
            return None
        pid, user = peer(made)
        if user is not None:
            _check_owner(path, user)
    except BaseException:
        made.close()
        raise
    return made, Answering(path, pid)


def _socket_of(directory: Path, names: Names) -> Path | None:
    """Return the path of the socket, if there is one. Raises UntrustedSocketError and OSError."""
    path = directory / names.file
    if not os.path.lexists(path):
        named = _address_in(directory, names)
        if named is None or not os.path.lexists(named):
            return None
        path = named
        if path.parent.name.startswith(_FOLDER) and not path.parent.name.startswith(_folder_of(directory)):
            return None  # a copy of the directory that is served there
        folder = path.parent.lstat()
        _check_owner(path.parent, folder.st_uid)
        if not stat.S_ISDIR(folder.st_mode) or folder.st_mode & _OTHERS:
            raise UntrustedSocketError(
                f"{path.parent} is no folder of yours alone, and the socket of a service is in it"
            )
    found = path.lstat()
    if not stat.S_ISSOCK(found.st_mode):
        raise UntrustedSocketError(f"{path} is no socket; a service is asked through a socket there. Move it away")
    _check(path, found)
    return path


def _folder_of(directory: Path) -> str:
    """Return how the name of the private folder begins: no copy of ``directory`` has its. Raises OSError."""
    found = directory.stat()
    return f"{_FOLDER}{found.st_dev:x}.{found.st_ino:x}."


def _address_in(directory: Path, names: Names) -> Path | None:
    """Return what the file of the address says. Raises UntrustedSocketError and OSError."""
    path = directory / names.address
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with open(opened, "rb") as file:
        _check(path, os.fstat(file.fileno()))
        said = os.fsdecode(file.read(_ADDRESS_BYTES_MAX).strip())
    return Path(said) if said.startswith("/") else None


def _check(path: Path, found: os.stat_result) -> None:
    """Raise UntrustedSocketError for what another user has made, or may write to."""
    _check_owner(path, found.st_uid)
    if found.st_mode & _OTHERS_WRITE:
        raise UntrustedSocketError(
            f"others may write to {path}, so it is not known who answers there. Stop the service, delete that file and "
            f"start the service again; or take the right from them: chmod {FILE_MODE:o} {path}"
        )


def _check_owner(path: Path, user: int) -> None:
    if user not in {os.geteuid(), 0}:
        raise UntrustedSocketError(
            f"{path} belongs to the user {user}, and you are the user {os.geteuid()}: what you say and ask would be "
            "theirs to read. Ask as that user, or over HTTP with a key (Memory.connect)"
        )


def _identity(path: Path) -> tuple[int, int, int]:
    """Return what no other file has had at the time; the number of one that is gone may be given to the next."""
    found = path.lstat()
    return found.st_dev, found.st_ino, found.st_mtime_ns


def peer(made: socket.socket) -> tuple[int, int | None]:
    """Return process and user at the other end, as the system knows them; 0 and None where it does not say."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return 0, None
    pid, user, _ = _CREDENTIALS.unpack(made.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size))
    return pid, user


def _listening(path: Path) -> socket.socket:
    if len(os.fsencode(path)) > PATH_BYTES_MAX:
        raise OSError(f"{path} is longer than a socket's path may be")
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(str(path))
        path.chmod(FILE_MODE)  # nobody has got in before, since nobody was listening
        made.listen(_WAITING_MAX)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made


def runtime() -> str | None:
    """Return the folder of this session's sockets, if there is one; it is its user's own."""
    named = os.environ.get("XDG_RUNTIME_DIR")
    return named if named and os.access(named, os.W_OK | os.X_OK) else None


def _roomy(names: Names) -> str | None:
    """Return the folder of this session's sockets, unless its path leaves no room for the name of one."""
    longest = f"/{_FOLDER}{2**64:x}.{2**64:x}.12345678/{names.file}"
    found = runtime()
    return found if found is not None and len(os.fsencode(found) + longest.encode()) <= PATH_BYTES_MAX else None
