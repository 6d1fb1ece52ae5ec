"""What the tools take, each described for a model, and what clients are told of what a tool does."""

from __future__ import annotations

from typing import Annotated, Final

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from yggdrasil_schemas.commands.wire import REF_EXAMPLE, is_ref

from .answering import TOKENS_MAX, TOKENS_MIN

READS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
RECALLS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
ADDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
CORRECTS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)

_SHOWN_CHARS: Final = 40


def referred(*refs: str) -> None:
    """Look at references before a memory is asked of them. Raises ToolError, which says what one looks like."""
    for ref in refs:
        if not is_ref(ref):
            shown = ref[:_SHOWN_CHARS]
            if _is_label(ref):
                raise ToolError(f"{shown} is a label: give the reference that `refs` of that answer has for it")
            raise ToolError(
                f"{shown!r} is no reference: one looks like {REF_EXAMPLE}, as the other tools return it. "
                "Nothing was recorded; mend the argument and call again."
            )


def _is_label(text: str) -> bool:
    bare = text.strip("[]")
    return bare[:1] == "m" and bare[1:].isdecimal()


Text = Annotated[str, Field(min_length=1, max_length=131_072)]
Ref = Annotated[str, Field(description="A reference that another tool returned.", max_length=256)]
Features = Annotated[
    list[str] | None,
    Field(
        description="Short names of what the situation is made of, such as ['deploy', 'service:checkout'].",
        max_length=32,
    ),
]
Session = Annotated[str | None, Field(description="The conversation or task, by any stable name.", max_length=128)]
K = Annotated[int | None, Field(description="At most so many memories; leave it out for what answers.", ge=1, le=50)]
TokensMax = Annotated[int | None, Field(description="At most so many tokens of answer.", ge=TOKENS_MIN, le=TOKENS_MAX)]
Only = Annotated[list[str] | None, Field(description="Only what has all of these features.", max_length=32)]
Sessions = Annotated[list[str] | None, Field(description="Only what was recorded in these sessions.", max_length=32)]
Since = Annotated[str | None, Field(description="Only what happened then or later, such as 2026-01-31.", max_length=40)]
AsOf = Annotated[str | None, Field(description="As known then: a date, a time or a seq.", max_length=64)]
Until = Annotated[str | None, Field(description="Only what happened then or earlier.", max_length=40)]
