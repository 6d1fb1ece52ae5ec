"""Which memory a hook is for, where its service is, and how much it may take: options, environment, defaults."""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from .ids import short

DATA_DEFAULT: Final = "~/.yggdrasil"
TENANT_DEFAULT: Final = "me"
SOURCE_DEFAULT: Final = "hooks"
_PART_CHARS_MAX: Final = 64
_PART: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_OTHER: Final = re.compile(r"[^A-Za-z0-9._-]+")
_OPTIONS: Final = ("data", "memory", "program", "spooled")
_HASH_CHARS: Final = 8
_DOTS: Final = (".", "..")
_LINKED: Final = "gitdir: "
_GIT_FOLDERS: Final = (".git", ".bare")
_LINK_BYTES_MAX: Final = 4_096
_LEVELS_MAX: Final = 64  # of folders above, in which a repository is looked for


class Settings(NamedTuple):
    """What a hook is told.

    ``data`` is the directory of the memories, ``program`` what starts their service, ``url`` the address of one over
    TCP instead, ``source`` the name of the key (ids are derived for it). ``root`` is the folder of the project.
    """

    data: str
    memory: str
    root: str
    url: str | None = None
    key: str | None = None
    source: str = SOURCE_DEFAULT
    program: str = "yggdrasil"

    @property
    def state(self) -> str:
        """The folder in which hooks keep what they need from one event to the next, of this memory."""
        return os.path.join(self.data, "hooks", *self.memory.split("/"))

    @property
    def project(self) -> str:
        """The name of the project: that of its repository, also in a worktree."""
        return os.path.basename(repository(self.root).rstrip("/"))

    @property
    def path(self) -> str:
        """Where the routes of the memory begin."""
        return f"/v1/memories/{self.memory}"


def settings(arguments: Sequence[str], variables: Mapping[str, str], folder: str, beside: str = "") -> Settings | None:
    """Return what is meant, for an agent that works in ``folder``; None when hooks are switched off or misled.

    ``beside`` is where the hook ran, unless that is here: relative paths begin there.

    Options come before variables: ``--data DIR`` and YGGDRASIL_DIR, ``--memory TENANT/AGENT`` and YGGDRASIL_MEMORY,
    ``--program PATH``. YGGDRASIL_SERVICE is a loopback URL, YGGDRASIL_KEY a key with the name YGGDRASIL_SOURCE.
    """
    if variables.get("YGGDRASIL_HOOKS", "").lower() == "off":
        return None
    given = _given(arguments)
    root = project(variables.get("CLAUDE_PROJECT_DIR") or folder)
    data = given.get("data") or variables.get("YGGDRASIL_DIR") or DATA_DEFAULT
    memory = given.get("memory") or variables.get("YGGDRASIL_MEMORY") or default_memory(repository(root))
    parts = memory.split("/")
    if len(parts) != 2 or not all(_PART.fullmatch(part) for part in parts) or {".", ".."} & set(parts):
        return None
    if (data := os.path.expanduser(data)).startswith("~"):
        return None  # nobody's home
    return Settings(
        os.path.abspath(os.path.join(beside, data)),
        memory,
        root,
        variables.get("YGGDRASIL_SERVICE") or None,
        variables.get("YGGDRASIL_KEY", "").strip() or None,
        variables.get("YGGDRASIL_SOURCE") or SOURCE_DEFAULT,
        given.get("program") or "yggdrasil",
    )


def default_memory(root: str) -> str:
    """Return the memory of a project, after the name of its folder: ``me/my-project``.

    A name that cannot be kept whole gains a hash of the whole, so that no two names share a memory.
    """
    whole = os.path.basename(root.rstrip("/"))
    if not whole.isascii():
        import unicodedata

        whole = unicodedata.normalize("NFC", whole)  # some file systems take it apart
    if not whole:
        return f"{TENANT_DEFAULT}/project"
    if _PART.fullmatch(whole) and whole not in _DOTS:
        return f"{TENANT_DEFAULT}/{whole}"
    room = _PART_CHARS_MAX - _HASH_CHARS - 1
    name = _OTHER.sub("-", whole)[:room].strip("-.") or "project"
    return f"{TENANT_DEFAULT}/{name}-{short(whole)[:_HASH_CHARS]}"


def repository(root: str) -> str:
    """Return the folder of the repository that a project's folder belongs to: of a worktree that of its repository."""
    link = os.path.join(root, ".git")
    try:
        if not os.path.isfile(link):
            return root
        with open(link, "rb") as file:
            said = os.fsdecode(file.read(_LINK_BYTES_MAX))
        if not said.startswith(_LINKED):
            return root
        git = os.path.join(root, said[len(_LINKED) :].strip("\r\n"))
        if os.path.basename(os.path.dirname(git)) != "worktrees":
            return root  # a submodule is a project of its own
        with open(os.path.join(git, "commondir"), "rb") as file:
            common = os.path.normpath(os.path.join(git, os.fsdecode(file.read(_LINK_BYTES_MAX)).strip("\r\n")))
    except (OSError, ValueError):
        return root
    if os.path.basename(common) in _GIT_FOLDERS:
        return os.path.dirname(common)
    return common.removesuffix(".git")  # of a bare one


def project(folder: str) -> str:
    """Return the folder of the project that ``folder`` is in: that of its git repository, or itself."""
    at = folder = os.path.abspath(folder)
    for _ in range(_LEVELS_MAX):
        if os.path.exists(os.path.join(at, ".git")):
            return at
        above = os.path.dirname(at)
        if above == at:
            break
        at = above
    return folder


def option(arguments: Sequence[str], name: str) -> str | None:
    """Return what an option is given as; None where it is not."""
    return _given(arguments).get(name)


def _given(arguments: Sequence[str]) -> dict[str, str]:
    """Return options by name; what is none of ours is passed over."""
    found: dict[str, str] = {}
    for option, value in pairwise(arguments):
        if option.removeprefix("--") in _OPTIONS and option.startswith("--"):
            found[option[2:]] = value
    return found
