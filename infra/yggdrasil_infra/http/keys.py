"""API keys in a file, of which only hashes are kept.

A key is ``ygg_ID_SECRET``: the id finds its entry, and the secret has 256 random bits, so one fast hash of it will do.
The file is JSON, is replaced as a whole, and is read again when it changes. One that cannot be read leaves the keys as
they were, so that a slip of an editor neither opens a door nor locks one.
"""

import fcntl
import hmac
import logging
import os
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, ValidationError
from starlette.datastructures import Headers

from yggdrasil_schemas.commands.wire import Name, Strict

from ..clock import now_ms
from ..private import make_directory, open_private
from .callers import Caller, Role
from .errors import KeysError

ALL_TENANTS: Final = "*"
_PREFIX: Final = "ygg"
_LOOK_EVERY_S: Final = 1.0  # one look at the file per second: that soon a revoked key is shut out
_FILE_BYTES_MAX: Final = 16 << 20
_CHARS_MAX: Final = 200  # of a header; ours have 69 with the word Bearer
_LOGGER: Final = logging.getLogger("yggdrasil.keys")
_NO_HASH: Final = bytes(32)

Tenant = Annotated[str, StringConstraints(pattern=r"^(\*|[A-Za-z0-9][A-Za-z0-9._-]{0,63})$")]


class Entry(Strict):
    """One key as the file has it. ``origin`` says who stands behind what the key appends in the course of its work."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
    name: Name
    tenant: Tenant
    roles: Annotated[list[Role], Field(min_length=1)]
    origin: Literal["agent", "user", "tool", "import"] = "agent"
    blake2b: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    created_ms: Annotated[int, Field(ge=0)]

    @property
    def caller(self) -> Caller:
        """Who calls with this key."""
        tenant = None if self.tenant == ALL_TENANTS else self.tenant
        return Caller(self.id, self.name, tenant, frozenset(self.roles), self.origin)


class KeyFile(Strict):
    """The file of keys."""

    version: Literal[1] = 1
    keys: list[Entry]


class Keys:
    """The keys of a file. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """Read the file. Raises KeysError when there is no key in it, or when others could write to it."""
        self._path = path
        self._lock = Lock()
        self._looked = monotonic()
        self._seen = _stamp(path)
        self._failed: str | None = None  # what was last said of a file that cannot be read
        self._known = {entry.id: entry for entry in read(path).keys}
        if not self._known:
            raise KeysError(
                f"{path} holds no key, so nobody could be let in; make one with "
                f"`yggdrasil key new --keys {path} --tenant TENANT --role ROLE`"
            )

    def caller(self, headers: Headers) -> Caller | None:
        """Return who calls with the header ``Bearer ygg_ID_SECRET``; None for nobody that is known."""
        if monotonic() - self._looked > _LOOK_EVERY_S:
            self.look()
        scheme, _, key = headers.get("authorization", "")[:_CHARS_MAX].partition(" ")
        parts = key.strip().split("_", 2)
        if scheme.lower() != "bearer" or len(parts) != 3 or parts[0] != _PREFIX:
            return None
        entry = self._known.get(parts[1])
        kept = bytes.fromhex(entry.blake2b) if entry else _NO_HASH
        matches = hmac.compare_digest(kept, hashed(parts[2]))  # also for an unknown id, which then takes as long
        return entry.caller if entry and matches else None

    def expire(self) -> None:
        """Let the next call read the file again, changed or not. Waits for nothing, so a signal's handler may do it."""
        self._seen = self._failed = None
        self._looked = -_LOOK_EVERY_S

    def look(self) -> None:
        """Read the file again if it has changed; keep the keys when it cannot be read, and try again at the next look.

        Why it cannot be read is logged once, not every second.
        """
        with self._lock:
            self._looked = monotonic()
            stamp = _stamp(self._path)
            if stamp is not None and stamp == self._seen:
                return
            try:
                entries = read(self._path).keys
            except (KeysError, OSError) as error:
                if self._failed != str(error):
                    _LOGGER.error("the keys stay as they were: %s", error)
                self._seen, self._failed = None, str(error)
                return
            self._known = {entry.id: entry for entry in entries}
            self._seen, self._failed = stamp, None
        _LOGGER.info("read %d keys", len(self._known), extra={"file": str(self._path)})


def hashed(secret: str) -> bytes:
    """Return the hash of a secret that is kept."""
    return blake2b(secret.encode("utf-8", "surrogateescape"), digest_size=32, person=b"yggdrasil key").digest()


def read(path: Path) -> KeyFile:
    """Return the keys of a file. Raises KeysError."""
    try:
        if path.stat().st_mode & 0o022:
            raise KeysError(f"{path} can be written to by others, who could let themselves in; chmod go-w {path}")
        with path.open("rb") as file:
            data = file.read(_FILE_BYTES_MAX + 1)
    except FileNotFoundError as error:
        raise KeysError(f"{path} is not there; make it with `yggdrasil key new --keys {path} ...`") from error
    except OSError as error:
        raise KeysError(f"{path} cannot be read: {error.strerror}; see to its permissions") from error
    if len(data) > _FILE_BYTES_MAX:
        raise KeysError(f"{path} is larger than {_FILE_BYTES_MAX} bytes; it is no file of keys")
    try:
        found = KeyFile.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise KeysError(f"{path} is no file of keys ({place}: {first['msg']}); mend it, or make another") from error
    if len({entry.id for entry in found.keys}) != len(found.keys):
        raise KeysError(f"{path} has two keys of one id; take one of them out")
    return found


def new_key(path: Path, tenant: str, roles: Sequence[str], name: str, origin: str = "agent") -> tuple[Entry, str]:
    """Add a key to the file, which is made if need be; return its entry, and the key, which is kept nowhere.

    Raises KeysError.
    """
    secret = urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    fields = {
        "id": secrets.token_hex(6),
        "name": name,
        "tenant": tenant,
        "roles": list(dict.fromkeys(roles)),
        "origin": origin,
        "blake2b": hashed(secret).hex(),
        "created_ms": now_ms(),
    }
    try:
        entry = Entry.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise KeysError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    with _changing(path) as entries:
        entries.append(entry)
    return entry, f"{_PREFIX}_{entry.id}_{secret}"


def revoke(path: Path, key_id: str) -> Entry:
    """Take a key out of the file and return its entry. Raises KeysError when it is not there."""
    with _changing(path) as entries:
        found = next((entry for entry in entries if entry.id == key_id), None)
        if found is None:
            raise KeysError(f"{path} has no key {key_id}; `yggdrasil key list --keys {path}` shows those it has")
        entries.remove(found)
    return found


@contextmanager
def _changing(path: Path) -> Generator[list[Entry], None, None]:
    """Yield the entries of the file, and replace it by what is left in them; one process at a time."""
    try:
        make_directory(path.parent)
        with open_private(path.with_name(path.name + ".lock"), "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            entries = list(read(path).keys) if path.exists() else []
            yield entries
            _replace(path, KeyFile(keys=entries).model_dump_json(indent=2).encode() + b"\n")
    except OSError as error:
        raise KeysError(f"{path} cannot be written: {error.strerror}; see to its permissions") from error


def _replace(path: Path, data: bytes) -> None:
    """Put ``data`` in the place of the file at once, so that nobody reads half of it; only its owner may read it."""
    written = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    written.replace(path)


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return what changes when a file does, its permissions too; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode, found.st_uid
