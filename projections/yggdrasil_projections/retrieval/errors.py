"""Why a question has no answer here and now. Each message says what to do."""

from yggdrasil_infra.log import Receipt
from yggdrasil_schemas.commands.wire import REF_EXAMPLE, is_ref
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.refusals import Refused


class CommandRefusedError(YggdrasilError):
    """The fold refused a command; it stays in the log, marked as refused. ``reason`` is a Refusal's code."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(str(refused))
        self.reason = refused.reason.code
        self.detail = refused.detail


class UnknownMemoryError(YggdrasilError):
    """No command of this memory has been folded."""

    def __init__(self, memory: str, where: str = "") -> None:
        super().__init__(
            f"{memory}: nothing has been recorded for this memory{f' in {where}' if where else ''}; check its name. "
            "`yggdrasil stats` lists the memories that are there."
        )
        self.memory = memory


class UnknownNodeError(YggdrasilError):
    """A reference names nothing that the memory still holds. ``heir`` is the reference of what contained it, if any."""

    def __init__(self, memory: str, ref: str, heir: str | None = None) -> None:
        named = ref[:NAME_CHARS_MAX]
        instead = f"it was forgotten; ask for {heir}, which contained it" if heir else "check the reference"
        if not (heir or is_ref(ref)):
            instead = f"that is no reference: one looks like {REF_EXAMPLE}, as what recorded or found it returned it"
        super().__init__(f"{memory}: nothing that this memory holds is called {named!r}; {instead}")
        self.memory = memory
        self.ref = ref
        self.heir = heir


class NotYetError(YggdrasilError):
    """What was to be waited for has not been folded here by the deadline.

    ``position`` is how far the partition is; None when whoever answers for it does not say. ``end`` is where the log
    ends, given when that is before ``after``: then nobody has appended it yet, and it was not waited for.
    """

    def __init__(self, after: Receipt, position: int | None, end: int | None = None) -> None:
        reached = "not folded so far yet" if position is None else f"folded up to offset {position} here"
        if end is None:
            told = "it is in the log and will be folded. Ask again, with a later deadline."
        else:
            told = f"the log ends at offset {end}, so no append has returned it. Pass the receipt of an append."
        super().__init__(f"partition {after.partition} is {reached}, and offset {after.offset} was waited for: {told}")
        self.after = after
        self.position = position


class NotHereError(YggdrasilError):
    """The memory is in a partition that this host does not have; another one answers for it."""

    def __init__(self, memory: str, partition: int, partitions: tuple[int, ...]) -> None:
        super().__init__(
            f"{memory} is in partition {partition}, and this host has {_ranges(partitions)}; ask the host that has "
            f"it, or start one with --partitions {partition}"
        )
        self.memory = memory
        self.partition = partition


class NotReadyError(YggdrasilError):
    """The partition is being opened, or is halted, or the host has failed; the message says which, and what to do."""


def _ranges(numbers: tuple[int, ...]) -> str:
    """Write numbers as they are given on the command line: 0-2,5."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][-1] + 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ",".join("-".join(map(str, span)) for span in spans) or "none"
