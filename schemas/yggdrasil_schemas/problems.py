"""What is wrong where something of ours is raised: one row for each kind of problem, which every face follows.

A class of errors names its row as ``kind``. From it follow the answer over HTTP (RFC 9457), the exit code and the code
in JSON of the command line, whether it helps to ask again, and what agents are told. What only HTTP can say, such as a
method that is not allowed, has its row in ``yggdrasil_infra.http.problems``.
"""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final


class ExitCode(IntEnum):
    """How a command on the command line ended."""

    OK = 0
    BROKEN = 1
    USAGE = 2
    REFUSED = 3
    NOT_FOUND = 4
    IN_USE = 5
    DIFFERENT = 6
    NO_ACCESS = 7
    INTERRUPTED = 130
    PIPE_CLOSED = 141


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its name in ``type``, its status over HTTP, its title, and what usually helps.

    On the command line it ends with ``exit``, and is called ``code`` there unless by its name. After ``again_s``
    seconds it may help to ask again; None: something has to be mended first, by whoever asked if ``by_caller``.
    ``told`` are the words for whoever asks over HTTP where the error's own are of the host's inside, and for its log.
    """

    name: str
    status: int
    title: str
    remedy: str
    exit: ExitCode = ExitCode.BROKEN
    code: str = ""
    again_s: float | None = None
    told: str | None = None
    by_caller: bool = False

    @property
    def uri(self) -> str:
        """The kind as a URI, which names it and leads nowhere."""
        return f"urn:yggdrasil:problem:{self.name}"


INTERNAL: Final = Kind(
    "internal",
    500,
    "A fault of the server",
    "Tell its operator the `instance`: the log there names the cause.",
    code="broken",
    told="the request could not be answered",
)
INVALID: Final = Kind(
    "invalid", 422, "This cannot be meant", "Mend what `detail` names; /docs shows the shape.", by_caller=True
)
NOT_READY: Final = Kind("not_ready", 503, "The server is not ready", "Try again shortly, or ask another host.")
AWAY: Final = replace(
    NOT_READY, code="broken", again_s=1.0, told="the log or a store of this host cannot be used just now"
)
DAMAGED: Final = replace(
    NOT_READY,
    remedy="Tell the operator: `yggdrasil verify` names the place, and a start with --recover or `yggdrasil rebuild` "
    "mends a store. Memories of other partitions go on.",
    code="broken",
    told="what is kept of this memory's partition is damaged: nothing is answered or taken there until it is mended",
)
FORBIDDEN: Final = Kind(
    "forbidden",
    403,
    "The key does not open this",
    "Use a key of this tenant that has the role; see docs/service.md.",
    ExitCode.USAGE,
)
UNKNOWN_NODE: Final = Kind(
    "unknown_node",
    404,
    "Unknown reference",
    "Use a reference that this memory returned.",
    ExitCode.NOT_FOUND,
    by_caller=True,
)
ELSEWHERE: Final = Kind(
    "elsewhere", 421, "Another host answers for this memory", "Ask the host that has its partition; see `detail`."
)
DISK_FULL: Final = Kind(
    "disk_full", 507, "No room on the disk", "Tell the operator to make room; reads go on, and nothing is lost."
)


def local(code: str, exit_code: ExitCode) -> Kind:
    """Return the kind of what no request over HTTP meets: what ends a command on the command line."""
    return replace(INTERNAL, exit=exit_code, code=code)
