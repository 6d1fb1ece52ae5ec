"""Objects of other distributions, by entry point: nothing is looked up, or imported, but what somebody has named.

A plug-in is called NAME/VERSION, and so is its entry point; several versions of one may be installed side by side. A
name has a hyphen (``acme-fresh/1``): those without one are ours, now and in any later release.
"""

import re
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Final

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

NAME_CHARS_MAX: Final = 64
"""So long a name may be, with its version."""
_NAME: Final = re.compile(r"(?<![a-z0-9-])[a-z][a-z0-9]*+(?:-[a-z0-9]++)++/[0-9][0-9a-z.]*+")


class PluginError(YggdrasilError):
    """A plug-in cannot be used: it is not installed, or not in that version, or is not what it says."""

    kind = local("plugin", ExitCode.USAGE)


def is_plugin(name: str) -> bool:
    """Return whether a name is one of somebody else's: it has a hyphen before its version."""
    return "-" in name.partition("/")[0]


def loaded(group: str, name: str) -> object:
    """Return the object of an entry point, which is imported now; of a class a new instance, made with nothing given.

    Raises PluginError, with what to install, where there is none of that name and version, or more than one, and where
    it cannot be imported or made.
    """
    check_name(name)
    there = entry_points(group=group)
    found = [each for each in there if each.name == name]
    if not found:
        raise PluginError(f"{name} is not installed: {_remedy(there, group, name)}")
    if len(set(map(_where, found))) > 1:
        both = ", ".join(sorted({_distribution(each) for each in found}))
        raise PluginError(f"{name} is in several distributions ({both}): uninstall all of them but one")
    try:
        given: object = found[0].load()
        return given() if isinstance(given, type) else given
    except Exception as error:  # whatever somebody else's code raises
        said = f"{type(error).__name__}: {error}"[:200]
        raise PluginError(f"{name} cannot be loaded from {found[0].value} ({said}): mend or reinstall it") from error


def check_name(name: str) -> None:
    """Raise PluginError for what is no name of a plug-in with its version."""
    if not is_plugin(name):
        raise PluginError(
            f"{name[:NAME_CHARS_MAX]} is a name of ours, or may become one: a plug-in has a hyphen in its name, such "
            "as acme-fresh/1"
        )
    if len(name) > NAME_CHARS_MAX or not _NAME.fullmatch(name):
        raise PluginError(
            f"{name[:NAME_CHARS_MAX]!r} is no name of a plug-in: it is called NAME/VERSION, such as acme-fresh/1, in "
            f"small letters, digits and hyphens, with at most {NAME_CHARS_MAX} characters"
        )


def _remedy(there: EntryPoints, group: str, name: str) -> str:
    own = name.partition("/")[0]
    others = sorted(each.name for each in there if each.name.partition("/")[0] == own)
    if others:
        return f"here is {', '.join(others)}, and another version may answer otherwise; install the one that has {name}"
    return f"install the distribution that has it (the entry point {name} in the group {group})"


def _where(each: EntryPoint) -> tuple[str, str]:
    return _distribution(each), each.value


def _distribution(each: EntryPoint) -> str:
    return each.dist.name if each.dist is not None else each.value
