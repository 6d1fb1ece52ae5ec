"""Which memory a hook is for, where its service is, and how much it may take: options, environment, defaults."""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

DATA_DEFAULT: Final = "~/.yggdrasil"
TENANT_DEFAULT: Final = "me"
SOURCE_DEFAULT: Final = "hooks"
_PART_CHARS_MAX: Final = 64
_PART: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_OTHER: Final = re.compile(r"[^A-Za-z0-9._-]+")
_OPTIONS: Final = ("data", "memory", "program")
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
    def path(self) -> str:
        """Where the routes of the memory begin."""
        return f"/v1/memories/{self.memory}"


def settings(arguments: Sequence[str], variables: Mapping[str, str], folder: str) -> Settings | None:
    """Return what is meant, for an agent that works in ``folder``; None when hooks are switched off or misled.

    Options come before variables: ``--data DIR`` and YGGDRASIL_DIR, ``--memory TENANT/AGENT`` and YGGDRASIL_MEMORY,
    ``--program PATH``. YGGDRASIL_SERVICE is a loopback URL, YGGDRASIL_KEY a key with the name YGGDRASIL_SOURCE.
    """
    if variables.get("YGGDRASIL_HOOKS", "").lower() == "off":
        return None
    given = _given(arguments)
    root = project(variables.get("CLAUDE_PROJECT_DIR") or folder)
    data = given.get("data") or variables.get("YGGDRASIL_DIR") or DATA_DEFAULT
    memory = given.get("memory") or variables.get("YGGDRASIL_MEMORY") or default_memory(root)
    parts = memory.split("/")
    if len(parts) != 2 or not all(_PART.fullmatch(part) for part in parts) or {".", ".."} & set(parts):
        return None
    if (data := os.path.expanduser(data)).startswith("~"):
        return None  # nobody's home
    return Settings(
        os.path.abspath(data),
        memory,
        root,
        variables.get("YGGDRASIL_SERVICE") or None,
        variables.get("YGGDRASIL_KEY") or None,
        variables.get("YGGDRASIL_SOURCE") or SOURCE_DEFAULT,
        given.get("program") or "yggdrasil",
    )


def default_memory(root: str) -> str:
    """Return the memory of a project, after the name of its folder: ``me/my-project``."""
    name = _OTHER.sub("-", os.path.basename(root.rstrip("/")))[:_PART_CHARS_MAX].strip("-.")
    return f"{TENANT_DEFAULT}/{name or 'project'}"


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


def _given(arguments: Sequence[str]) -> dict[str, str]:
    """Return options by name; what is none of ours is passed over."""
    found: dict[str, str] = {}
    for option, value in pairwise(arguments):
        if option.removeprefix("--") in _OPTIONS and option.startswith("--"):
            found[option[2:]] = value
    return found
