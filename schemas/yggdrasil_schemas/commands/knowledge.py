"""What is decided of what a memory holds: whether it still stands, each time with a reason."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from .. import limits
from .decisions import Decision
from .envelope import Envelope
from .wire import EMPTY, UNIQUE, CommandId, Name, Strict, each_once

Verdict = Literal["reject", "resolve", "quarantine", "release"]
"""``reject``: it does not hold. ``resolve``: it is settled. ``quarantine``: not before somebody has looked at it.
``release``: it stands again, in place of whatever stands in its slot."""


class Judged(Strict):
    """One node and its verdict."""

    node: CommandId
    """The id of the command that made the event, episode or concept."""
    verdict: Verdict
    """What is decided of it."""


class JudgeBody(Decision):
    """Verdicts on what the memory holds: all of them take effect, or none."""

    items: Annotated[list[Judged], Field(min_length=1, max_length=limits.JUDGED_MAX)]
    """The nodes, each once, with their verdicts."""
    reason: Name
    """Why, in a few words: it is shown wherever the node is."""
    evidence: Annotated[
        list[CommandId],
        Field(default_factory=list[str], max_length=limits.EVIDENCE_MAX, json_schema_extra=UNIQUE | EMPTY),
    ]
    """The accepted commands that speak for it, each once."""

    @field_validator("items")
    @classmethod
    def _unique(cls, items: list[Judged]) -> list[Judged]:
        each_once("items", [item.node for item in items])
        return items

    @field_validator("evidence")
    @classmethod
    def _evidence_unique(cls, evidence: list[str]) -> list[str]:
        return each_once("evidence", evidence)


class Judge(Envelope):
    """Say of something whether it still stands."""

    type: Literal["judge"]
    body: JudgeBody
