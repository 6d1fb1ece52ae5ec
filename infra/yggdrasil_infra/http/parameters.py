"""Parameters that routes share: whose memory, and how long to wait for what."""

from typing import Annotated, Final

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

from yggdrasil_schemas.problems import FORBIDDEN

from .callers import Caller
from .problems import ProblemError

DEADLINE_S: Final = 5.0
DEADLINE_S_MAX: Final = 30.0  # below the minute after which many a proxy gives up
_PART: Final = r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"
_RECEIPT: Final = r"^[0-9]{1,9}-[0-9]{1,18}$"
FORMS: Final = {
    _PART: "1 to 64 letters, digits and . _ -, of which the first is no dot or dash, such as planner",
    _RECEIPT: "no receipt, as what was appended is answered with, such as 3-1204",
}
"""What a parameter is not that has not the form of a pattern."""

Tenant = Annotated[str, Path(pattern=_PART, description="The first part of the memory's id.")]
Agent = Annotated[str, Path(pattern=_PART, description="The second part of the memory's id.")]
After = Annotated[
    str | None,
    Field(
        pattern=_RECEIPT,
        description="A receipt: the answer is of a state in which that command has been folded.",
    ),
]
Deadline = Annotated[
    float,
    Field(ge=0, le=DEADLINE_S_MAX, description="How long to wait for `after`, in seconds; then the answer is 409."),
]


class Reading(BaseModel):
    """The parameters of every read."""

    model_config = ConfigDict(extra="forbid")

    after: After = None
    deadline_s: Deadline = DEADLINE_S


def memory_of(caller: Caller, tenant: str, agent: str) -> str:
    """Return the id of a memory that the caller may know of.

    Raises ProblemError (403) for any other, whether or not there is such a memory.
    """
    if not caller.opens(tenant, agent):
        raise ProblemError(FORBIDDEN, "this key is not for this memory")
    return f"{tenant}/{agent}"
