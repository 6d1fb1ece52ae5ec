"""The file of API keys, of which only hashes are kept.

A key is ``ygg_ID_SECRET``: the id finds its entry, and the secret has 256 random bits, so one fast hash of it will do.
The file is JSON and is replaced as a whole. Whoever can write to it can let anybody in, so it has to belong to this
process's user or to root, and nobody else may write to it.
"""

import fcntl
import os
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, ValidationError

from yggdrasil_schemas.commands import Role
from yggdrasil_schemas.commands.wire import Name, Strict
from yggdrasil_schemas.commands.wording import placed, wording
from yggdrasil_schemas.limits import TIME_MS_MAX, TRUST_MAX
from yggdrasil_schemas.names import composed

from ...clock import now_ms
from ...paths import whole
from ...private import make_directory, open_private, read_by_others, replace_private
from ..callers import ALL_AGENTS, Caller, Grant
from ..errors import KeysError

ALL_TENANTS: Final = "*"
PREFIX: Final = "ygg"
RESERVED: Final = frozenset(("cli", "embedder", "loopback"))
"""Sources under which programs of this system speak without a key: no key has the name of one."""
_FILE_BYTES_MAX: Final = 16 << 20

KeyId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
_TENANT: Final = r"^(\*|[A-Za-z0-9][A-Za-z0-9._-]{0,63})$"
Tenant = Annotated[str, StringConstraints(pattern=_TENANT)]
_AGENTS: Final = r"^[A-Za-z0-9._*?-]{1,64}$"
Agents = Annotated[str, StringConstraints(pattern=_AGENTS)]
_FORMS: Final = {
    _TENANT: "1 to 64 letters, digits and . _ -, of which the first is a letter or a digit, such as acme; or * for all",
    _AGENTS: "1 to 64 letters, digits and . _ -, with * for any text and ? for any letter, such as planner-*",
}


class Entry(Strict):
    """One key as the file has it. ``origin`` says who stands behind what the key appends in the course of its work.

    ``agents`` is a pattern of the agents that it opens, with ``*`` and ``?``; from ``expires_ms`` on it opens nothing.
    ``trust`` is how far what it says is trusted at most: 0 is a stranger, who passes on what mails or web pages say.
    ``grants`` are tools that only a key has that was granted them. Nothing that is trusted less than ``trust_min`` is
    in what it is answered.
    """

    id: KeyId
    name: Name
    tenant: Tenant
    roles: Annotated[list[Role], Field(min_length=1)]
    origin: Literal["agent", "user", "tool", "import"] = "agent"
    agents: Agents = ALL_AGENTS
    trust: Annotated[int, Field(ge=0, le=TRUST_MAX)] | None = None
    expires_ms: Annotated[int, Field(ge=0, le=TIME_MS_MAX)] | None = None
    grants: list[Grant] = Field(default_factory=list[Grant])
    trust_min: Annotated[int, Field(ge=0, le=TRUST_MAX)] = 0
    blake2b: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    created_ms: Annotated[int, Field(ge=0)]

    @property
    def caller(self) -> Caller:
        """Who calls with this key."""
        tenant = None if self.tenant == ALL_TENANTS else self.tenant
        roles, grants = frozenset(self.roles), frozenset(self.grants)
        return Caller(
            id=self.id,
            name=self.name,
            tenant=tenant,
            roles=roles,
            origin=self.origin,
            agents=self.agents,
            trust=self.trust,
            grants=grants,
            trust_min=self.trust_min,
        )


class KeyFile(Strict):
    """The file of keys."""

    version: Literal[1] = 1
    keys: list[Entry]


def hashed(secret: str) -> bytes:
    """Return the hash of a secret that is kept."""
    return blake2b(secret.encode("utf-8", "surrogateescape"), digest_size=32, person=b"yggdrasil key").digest()


def read(path: Path, told: Callable[[str], object] | None = None) -> KeyFile:
    """Return the keys of a file. Raises KeysError, also for a file that others could change.

    ``told`` hears it where others can read the file.
    """
    path = whole(path)
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            _check_safe(path, found)
            if told is not None and (said := read_by_others(path, found)):
                told(said)
            data = file.read(_FILE_BYTES_MAX + 1)
    except FileNotFoundError as error:
        raise KeysError(f"{path} is not there; make it with `yggdrasil key new --keys {path} ...`") from error
    except OSError as error:
        raise KeysError(f"{path} cannot be read: {error.strerror}; see to its permissions") from error
    if len(data) > _FILE_BYTES_MAX:
        raise KeysError(f"{path} is larger than {_FILE_BYTES_MAX} bytes; it is no file of keys")
    try:
        keys = KeyFile.model_validate_json(data)
    except ValidationError as error:
        wrong = placed(error.errors(include_url=False, include_input=False)[0], _FORMS)
        raise KeysError(f"{path} is no file of keys ({wrong}); mend it, or make another") from error
    if len({entry.id for entry in keys.keys}) != len(keys.keys):
        raise KeysError(f"{path} has two keys of one id; take one of them out")
    return keys


def new_key(  # noqa: PLR0917 - a key is what it is made of
    path: Path,
    tenant: str,
    roles: Sequence[str],
    name: str | None,
    origin: str = "agent",
    agents: str = ALL_AGENTS,
    expires_ms: int | None = None,
    trust: int | None = None,
    grants: Sequence[str] = (),
    trust_min: int = 0,
) -> tuple[Entry, str]:
    """Add a key to the file, which is made if need be; return its entry, and the key, which is kept nowhere.

    Its name is the source of what it appends, so no two keys that open a tenant share one; without a ``name`` it is
    called by its tenant, and by its id as well where that name is taken. Raises KeysError.
    """
    with _changing(path) as entries:
        key_id = secrets.token_hex(6)
        theirs = [entry for entry in entries if ALL_TENANTS in (entry.tenant, tenant) or entry.tenant == tenant]
        taken = {*RESERVED, *(said for entry in theirs for said in (entry.name, entry.id))}
        if name is None:
            name = tenant.replace(ALL_TENANTS, "operator")
            name = f"{name}-{key_id}" if name in taken else name
        elif composed(name) in taken:
            raise KeysError(
                f"{name} is the source of another key, or of a program without one; choose another --name, or take the "
                f"place of that key with `yggdrasil key renew --keys {path} ID`"
            )
        secret = _secret()
        fields = {
            "id": key_id,
            "name": composed(name),
            "tenant": tenant,
            "roles": list(dict.fromkeys(roles)),
            "origin": origin,
            "agents": agents,
            "trust": trust,
            "expires_ms": expires_ms,
            "grants": list(dict.fromkeys(grants)),
            "trust_min": trust_min,
            "blake2b": hashed(secret).hex(),
            "created_ms": now_ms(),
        }
        try:
            entry = Entry.model_validate(fields)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(each) for each in first["loc"] if isinstance(each, str))
            raise KeysError(f"{field}: {wording(first, field, _FORMS)}") from error
        entries.append(entry)
    return entry, f"{PREFIX}_{entry.id}_{secret}"


def renew(path: Path, key_id: str, expires_ms: int | None = None) -> tuple[Entry, str]:
    """Add a key that is as another one, under the same name; return as ``new_key`` does. Raises KeysError.

    Both are valid until the other one is revoked or expires.
    """
    with _changing(path) as entries:
        secret = _secret()
        changed = {
            "id": secrets.token_hex(6),
            "blake2b": hashed(secret).hex(),
            "created_ms": now_ms(),
            "expires_ms": expires_ms,
        }
        entry = _found(path, entries, key_id).model_copy(update=changed)
        entries.append(entry)
    return entry, f"{PREFIX}_{entry.id}_{secret}"


def revoke(path: Path, key_id: str) -> Entry:
    """Take a key out of the file and return its entry. Raises KeysError when it is not there."""
    with _changing(path) as entries:
        found = _found(path, entries, key_id)
        entries.remove(found)
    return found


def _found(path: Path, entries: Sequence[Entry], key_id: str) -> Entry:
    found = next((entry for entry in entries if entry.id == key_id), None)
    if found is None:
        raise KeysError(f"{path} has no key {key_id}; `yggdrasil key list --keys {path}` shows those it has")
    return found


def _secret() -> str:
    return urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")


def _check_safe(path: Path, found: os.stat_result) -> None:
    """Raise KeysError when somebody else than this process's user and root could change the file."""
    if found.st_uid not in (os.geteuid(), 0):
        raise KeysError(
            f"{path} belongs to the user {found.st_uid}, who could let anybody in; `chown {os.geteuid()} {path}`"
        )
    if found.st_mode & 0o022:
        raise KeysError(f"{path} can be written to by others, who could let themselves in; chmod go-w {path}")


@contextmanager
def _changing(path: Path) -> Generator[list[Entry], None, None]:
    """Yield the entries of the file, and replace it by what is left in them; one process at a time."""
    path = whole(path)
    if path.is_symlink():  # a service reads where it leads to, perhaps by that name
        path = Path(os.path.realpath(path))
    if not path.name:
        raise KeysError(f"{path} is a folder, and the keys are a file; name one, such as {path / 'keys.json'}")
    make_directory(path.parent)
    try:
        with open_private(path.with_name(path.name + ".lock"), "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            entries = list(read(path).keys) if path.exists() else []
            yield entries
            replace_private(path, KeyFile(keys=entries).model_dump_json(indent=2).encode() + b"\n")
    except OSError as error:
        raise KeysError(f"{path} cannot be written: {error.strerror}; see to its permissions") from error


def stamp_of(path: Path) -> tuple[int, ...] | None:
    """Return what changes when a file does, its permissions too; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode, found.st_uid
