"""Why a question has no answer here and now. Each message says what to do."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Self

from yggdrasil_infra.log import Receipt
from yggdrasil_schemas.commands.wire import REF_EXAMPLE, is_ref
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.problems import ELSEWHERE, INVALID, NOT_READY, UNKNOWN_NODE, ExitCode, Kind
from yggdrasil_schemas.refusals import Refused

_SOON_S: Final = 1.0


class CommandRefusedError(YggdrasilError):
    """The fold refused a command; it stays in the log, marked as refused. ``reason`` is a Refusal's code."""

    kind = replace(INVALID, exit=ExitCode.REFUSED)

    def __init__(self, refused: Refused) -> None:
        super().__init__(str(refused))
        self.reason = refused.reason.code
        self.detail = refused.detail

    def ends(self) -> tuple[ExitCode, str]:
        """Return the exit code of a command that was refused, and why it was."""
        return self.kind.exit, self.reason


class InvalidAskError(YggdrasilError):
    """What was asked cannot be meant; the message says what is expected."""

    kind = replace(INVALID, exit=ExitCode.USAGE, code="invalid_ask")


class UnknownActionError(YggdrasilError):
    """No accepted event of this memory has the given id."""

    kind = Kind(
        "unknown_action",
        404,
        "Unknown action",
        "Use the id of an accepted record_event.",
        ExitCode.NOT_FOUND,
        "unknown_event",
        by_caller=True,
    )


class UnknownCommandError(YggdrasilError):
    """The fold has not met a command of this memory with the given id."""

    kind = Kind(
        "unknown_command",
        404,
        "Unknown command",
        "Pass after=RECEIPT to wait for it, or send it again under the same id.",
        ExitCode.NOT_FOUND,
    )


class UnknownMemoryError(YggdrasilError):
    """No command of this memory has been folded."""

    kind = Kind(
        "unknown_memory", 404, "Unknown memory", "Check its name; the first command makes it.", ExitCode.NOT_FOUND
    )

    def __init__(self, memory: str, where: str = "") -> None:
        behind = where.startswith(("http://", "https://"))
        lists = f"{where}/v1/memories" if behind else "`yggdrasil stats`"
        super().__init__(
            f"{memory}: nothing has been recorded for this memory{f' in {where}' if where else ''}; check its name. "
            f"{lists} lists the memories that are there."
        )
        self.memory = memory

    def told(self) -> str:
        """Return what is wrong, and not where this host has its memories."""
        return f"{self.memory}: nothing has been recorded for this memory"

    def arguments(self) -> dict[str, Any]:
        """Return the memory."""
        return {"memory": self.memory}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one of the service ``where``."""
        return cls(arguments["memory"], arguments.get("where", ""))


class UnknownNodeError(YggdrasilError):
    """A reference names nothing that the memory still holds. ``heir`` is the reference of what contained it, if any."""

    kind = UNKNOWN_NODE

    def __init__(self, memory: str, ref: str, heir: str | None = None) -> None:
        named = ref[:NAME_CHARS_MAX]
        instead = f"it was forgotten; ask for {heir}, which contained it" if heir else "check the reference"
        if not (heir or is_ref(ref)):
            instead = f"that is no reference: one looks like {REF_EXAMPLE}, as what recorded or found it returned it"
        super().__init__(f"{memory}: nothing that this memory holds is called {named!r}; {instead}")
        self.memory = memory
        self.ref = ref
        self.heir = heir

    def arguments(self) -> dict[str, Any]:
        """Return the memory, the reference, and the heir."""
        return {"memory": self.memory, "ref": self.ref[:NAME_CHARS_MAX], "heir": self.heir}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one that a service has told of."""
        return cls(arguments["memory"], arguments["ref"], arguments.get("heir"))


class UnknownSessionError(YggdrasilError):
    """No registered session of that name is open."""

    kind = Kind(
        "unknown_session",
        404,
        "Unknown session",
        "List the open ones with GET /sessions, or begin one with an event whose `boundary` is `open`.",
        ExitCode.NOT_FOUND,
        by_caller=True,
    )

    def __init__(self, memory: str, session: str) -> None:
        named = session[:NAME_CHARS_MAX]
        super().__init__(
            f"{memory}: no registered session {named!r} is open; begin one with an event whose boundary is 'open', or "
            "look at `sessions` for those that are"
        )
        self.memory = memory
        self.session = session

    def arguments(self) -> dict[str, Any]:
        """Return the memory and the session."""
        return {"memory": self.memory, "session": self.session[:NAME_CHARS_MAX]}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one that a service has told of."""
        return cls(arguments["memory"], arguments["session"])


class RankerFailedError(YggdrasilError):
    """A ranker of somebody else's, which the operator has named, has failed; nothing was answered."""

    kind = Kind(
        "ranker_failed",
        500,
        "The ranker has failed",
        "Tell the operator: mend the ranker that `detail` names, or start without `--ranker`.",
        code="ranker_failed",
    )

    def __init__(self, ranker: str, why: str) -> None:
        super().__init__(f"the ranker {ranker} failed: {why}; mend it, or open the memory without it")
        self.ranker = ranker
        self.why = why

    def arguments(self) -> dict[str, Any]:
        """Return the ranker, and what is wrong with it."""
        return {"ranker": self.ranker, "why": self.why}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one that a service has told of."""
        return cls(arguments["ranker"], arguments["why"])


class NotYetError(YggdrasilError):
    """What was to be waited for has not been folded here by the deadline.

    ``position`` is how far the partition is; None when whoever answers for it does not say. ``end`` is where the log
    ends, given when that is before ``after``: then nobody has appended it yet, and it was not waited for.
    """

    kind = Kind(
        "not_yet",
        409,
        "Not folded yet",
        "Ask again with the same `after` and a later deadline; nothing is lost.",
        again_s=_SOON_S,
    )

    def __init__(self, after: Receipt, position: int | None, end: int | None = None) -> None:
        reached = "not folded so far yet" if position is None else f"folded up to offset {position} here"
        if end is None:
            told = "it is in the log and will be folded. Ask again, with a later deadline."
        else:
            told = f"the log ends at offset {end}, so no append has returned it. Pass the receipt of an append."
        super().__init__(f"partition {after.partition} is {reached}, and offset {after.offset} was waited for: {told}")
        self.after = after
        self.position = position
        self.end = end

    def arguments(self) -> dict[str, Any]:
        """Return what was waited for, and how far the partition and its log are."""
        after = {"partition": self.after.partition, "offset": self.after.offset}
        return {"after": after, "position": self.position, "end": self.end}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one that a service has told of."""
        return cls(Receipt(**arguments["after"]), arguments.get("position"), arguments.get("end"))


class NotHereError(YggdrasilError):
    """The memory is in a partition that this host does not have; another one answers for it."""

    kind = ELSEWHERE

    def __init__(self, memory: str, partition: int, partitions: tuple[int, ...]) -> None:
        super().__init__(
            f"{memory} is in partition {partition}, and this host has {_ranges(partitions)}; ask the host that has "
            f"it, or start one with --partitions {partition}"
        )
        self.memory = memory
        self.partition = partition
        self.partitions = partitions

    def arguments(self) -> dict[str, Any]:
        """Return the memory, its partition, and those of the host."""
        return {"memory": self.memory, "partition": self.partition, "partitions": list(self.partitions)}

    @classmethod
    def received(cls, told: str, arguments: Mapping[str, Any]) -> Self:
        """Return one that a service has told of."""
        return cls(arguments["memory"], arguments.get("partition", -1), tuple(arguments.get("partitions", ())))


class NotReadyError(YggdrasilError):
    """The partition is being opened, or is halted, or the host has failed; the message says which, and what to do."""

    kind = replace(NOT_READY, again_s=_SOON_S)


READ_ERRORS: Final[tuple[type[YggdrasilError], ...]] = (
    InvalidAskError,
    UnknownActionError,
    UnknownCommandError,
    UnknownMemoryError,
    UnknownNodeError,
    UnknownSessionError,
    NotYetError,
    NotHereError,
    RankerFailedError,
)
"""What a service tells of a read, each of which has a kind of its own: a client raises it again."""


def _ranges(numbers: tuple[int, ...]) -> str:
    """Write numbers as they are given on the command line: 0-2,5."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][-1] + 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ",".join("-".join(map(str, span)) for span in spans) or "none"
