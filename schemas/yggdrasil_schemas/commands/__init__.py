"""Version 1 of the language: the envelope and the commands, strict and bounded.

A command has a ``body``, which the laws read, and a ``content``, which they never read and which may be sealed.
The models refuse unknown fields, coercion and numbers that are not finite. Shapes and bounds are also exported as
JSON Schema (``make schemas``). A new command belongs to the family that it is of, and into ``COMMANDS``.
"""

from typing import Final, get_args

from .decisions import Adjust, CommitEpisode, DissolveConcept, FormConcept, Sleep
from .envelope import ClearContent, Envelope, Origin, Role, SealedContent, VectorContent
from .experience import LogOutcome, RecordEvent, RecordRead, RecordRecall, ReportUse
from .knowledge import AliasEntity, AssertClaim, Define, Judge, Relate
from .operations import (
    SYSTEM_TENANT,
    AttachVector,
    Attest,
    EnableVersion,
    LiftCatastrophe,
    Pin,
    RetireThinker,
    SetPolicy,
    Snapshot,
    system_memory,
)
from .scoring import AdoptScorer

__all__ = [
    "BY_NUMBER",
    "COMMANDS",
    "SYSTEM_TENANT",
    "Adjust",
    "AdoptScorer",
    "AliasEntity",
    "AssertClaim",
    "AttachVector",
    "Attest",
    "ClearContent",
    "Command",
    "CommitEpisode",
    "Define",
    "DissolveConcept",
    "EnableVersion",
    "Envelope",
    "FormConcept",
    "Judge",
    "LiftCatastrophe",
    "LogOutcome",
    "Origin",
    "Pin",
    "RecordEvent",
    "RecordRead",
    "RecordRecall",
    "Relate",
    "ReportUse",
    "RetireThinker",
    "Role",
    "SealedContent",
    "SetPolicy",
    "Sleep",
    "Snapshot",
    "VectorContent",
    "system_memory",
]

Command = (
    RecordEvent
    | LogOutcome
    | RecordRecall
    | RecordRead
    | ReportUse
    | Judge
    | AssertClaim
    | Relate
    | AliasEntity
    | AttachVector
    | CommitEpisode
    | FormConcept
    | DissolveConcept
    | Adjust
    | Sleep
    | AdoptScorer
    | Define
    | Pin
    | LiftCatastrophe
    | RetireThinker
    | SetPolicy
    | Attest
    | Snapshot
    | EnableVersion
)
COMMANDS: Final[dict[str, type[Envelope]]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(Command)
}
"""The commands of version 1 by the name in ``type``."""
BY_NUMBER: Final[dict[int, str]] = {model.number: name for name, model in COMMANDS.items() if model.number}
"""Their names by the number in an identity."""
