"""Yggdrasil: a governed long-term memory for AI agents.

``Memory`` is where to begin, ``Store`` holds many of them in one directory, and ``AsyncMemory`` and ``AsyncStore`` are
awaited. Every type that they return and every error that they raise can be imported from here.

The floor that people import and type, and the composition root: only here are real parts wired together, and nothing
below imports it. Room for more doors, such as a protocol that an agent's host speaks.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import (
        Embedder,
        EmbedderMissingError,
        EmbeddingError,
        EmbeddingUnavailableError,
        WrongVectorError,
    )
    from yggdrasil_infra.forking import ForkedError
    from yggdrasil_infra.http.errors import UntrustedSocketError
    from yggdrasil_infra.kafka_log.sender import DeliveryError
    from yggdrasil_infra.kafka_log.settings import SettingsError
    from yggdrasil_infra.kafka_log.topics import TopicError, TopicMissingError
    from yggdrasil_infra.log import (
        DiskFullError,
        LogDamagedError,
        LogError,
        LogInUseError,
        NotFoldedError,
        OffsetOutOfRangeError,
        ReadOnlyError,
        Receipt,
        RecordMissingError,
    )
    from yggdrasil_infra.paths import PathError
    from yggdrasil_infra.plugins import PluginError
    from yggdrasil_infra.rocks.database import (
        StorageDamagedError,
        StorageError,
        StorageInUseError,
        StoragePoisonedError,
    )
    from yggdrasil_producers.claims import Claimed, Defined
    from yggdrasil_producers.draft import Draft
    from yggdrasil_producers.errors import NotAllowedError
    from yggdrasil_producers.observing import Situated
    from yggdrasil_projections.graph.fold import UnknownVersionError
    from yggdrasil_projections.graph.store.projector import LogMismatchError, ProjectorStoppedError
    from yggdrasil_projections.graph.store.state import StoreError, StoreMismatchError
    from yggdrasil_projections.graph.working_set import BrokenInvariantError
    from yggdrasil_projections.retrieval.answers import (
        Became,
        Case,
        Conflict,
        Context,
        Described,
        Floor,
        Follows,
        Foretelling,
        Foretold,
        Found,
        KindForetold,
        Lineage,
        More,
        Nothing,
        Place,
        Scores,
        SimilarCases,
        Timeline,
    )
    from yggdrasil_projections.retrieval.asks import Where
    from yggdrasil_projections.retrieval.claimed import ClaimSeen
    from yggdrasil_projections.retrieval.errors import (
        CommandRefusedError,
        InvalidAskError,
        NotHereError,
        NotReadyError,
        NotYetError,
        RankerFailedError,
        UnknownActionError,
        UnknownCommandError,
        UnknownMemoryError,
        UnknownNodeError,
        UnknownSessionError,
    )
    from yggdrasil_projections.retrieval.found import Drawn, Excerpt, Mentioned
    from yggdrasil_projections.retrieval.memories import MemoryObject, OutcomeSeen, RulingSeen
    from yggdrasil_projections.retrieval.past.against_log import AgainstLog, MemoryVerdict, RecordDiffers, Touched
    from yggdrasil_projections.retrieval.past.forks import (
        CannotForkError,
        ForkDiffersError,
        Forked,
        ForkLineage,
        ForkThereError,
    )
    from yggdrasil_projections.retrieval.past.moment import AsOf, BeingBuiltError, NoSuchMomentError
    from yggdrasil_projections.retrieval.past.otherwise import Differs, NodeDiffers, NodeStrength, VoidCommand, Voids
    from yggdrasil_projections.retrieval.questions.understood import Time, Understood
    from yggdrasil_projections.retrieval.reads.episodic.episodes import Episode, Episodes, Step
    from yggdrasil_projections.retrieval.reads.episodic.what_next import ComesNext, Ended, Similar, WhatNext
    from yggdrasil_projections.retrieval.reads.episodic.working_memory import Intent, OpenSession, Threat, WorkingMemory
    from yggdrasil_projections.retrieval.reads.experience.explain import Cause, Explanation, RecallSeen, Then
    from yggdrasil_projections.retrieval.reads.experience.happened import Asserted, Happening, Happenings, OpenDecision
    from yggdrasil_projections.retrieval.reads.experience.mentions import Mentions
    from yggdrasil_projections.retrieval.reads.experience.neighbourhood import Neighbour, Neighbourhood
    from yggdrasil_projections.retrieval.reads.experience.provenance import Provenance
    from yggdrasil_projections.retrieval.reads.knowledge.claims import Claims, Entity
    from yggdrasil_projections.retrieval.reads.knowledge.conflicts import Contradictions
    from yggdrasil_projections.retrieval.reads.knowledge.digested import Connected, Digested, Digestion
    from yggdrasil_projections.retrieval.reads.knowledge.history import History
    from yggdrasil_projections.retrieval.reads.knowledge.lineage import (
        ClaimLineage,
        Dependent,
        Dependents,
        LineSeen,
        Related,
    )
    from yggdrasil_projections.retrieval.reads.knowledge.rulings import Agreement, Flapping, PredicateRulings, Rulings
    from yggdrasil_projections.retrieval.reads.learning.drift import Drift, DriftReport
    from yggdrasil_projections.retrieval.reads.operations.bias import Bias, Decile, NeverUsed
    from yggdrasil_projections.retrieval.reads.operations.moment import MomentSeen
    from yggdrasil_projections.retrieval.reads.operations.overview import Overview, Size, VectorCoverage
    from yggdrasil_projections.retrieval.reads.operations.reported import Reported, ReportedPage
    from yggdrasil_projections.retrieval.reads.operations.said import (
        NamedCommand,
        PartItem,
        QuarantinePart,
        Said,
        SaidPage,
    )
    from yggdrasil_projections.retrieval.reads.operations.scorers import ProposedScorer, Scorers
    from yggdrasil_projections.retrieval.reads.operations.standing import (
        StandingAct,
        StandingCommand,
        StandingNode,
        Standings,
    )
    from yggdrasil_projections.retrieval.reads.past.answering import AnswerOtherwise, Placed
    from yggdrasil_projections.retrieval.reads.past.diff import Diff, LeftOut
    from yggdrasil_projections.retrieval.reads.past.differing import (
        Difference,
        ForetoldOtherwise,
        Grown,
        StateThen,
        Strength,
    )
    from yggdrasil_projections.retrieval.reads.past.snapshots import NamedMoment, Snapshots
    from yggdrasil_projections.retrieval.reads.perspectives.profile import PerspectiveSeen, Profile, StrongMemory
    from yggdrasil_projections.retrieval.reads.places.graph import GraphFact, GraphFacts
    from yggdrasil_projections.retrieval.reads.places.last_seen import LastSeen, Sighting
    from yggdrasil_projections.retrieval.reads.places.look import PlaceSeen, TypeSeen
    from yggdrasil_projections.retrieval.reads.places.nearest import Nearest, NearPlace
    from yggdrasil_projections.retrieval.reads.places.neighbours_of import JoinedTo, NeighboursOf
    from yggdrasil_projections.retrieval.reads.places.places import Places
    from yggdrasil_projections.retrieval.reads.places.route import Route
    from yggdrasil_projections.retrieval.reads.places.trades import Trade, Trades
    from yggdrasil_projections.retrieval.reads.sessions.decided import Decisions, DecisionSeen
    from yggdrasil_projections.retrieval.reads.sessions.desk import Desk, DeskNote
    from yggdrasil_projections.retrieval.reads.sessions.given import Collision, Link, Remembered, SessionContext
    from yggdrasil_projections.retrieval.reads.sessions.recovering import Recoveries, Recovery
    from yggdrasil_projections.retrieval.reads.sessions.registered import Sessions, SessionSeen
    from yggdrasil_projections.retrieval.reads.sessions.sayers import Sayer, Sayers
    from yggdrasil_projections.retrieval.using.finding import UseFound, UseScore
    from yggdrasil_schemas.commands.decisions import Thinker
    from yggdrasil_schemas.commands.vectors import Vector
    from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError
    from yggdrasil_schemas.refusals import Refusal, Refused

    from .asynchronous import AsyncMemory, AsyncSession, AsyncStore
    from .daemon.starting import DaemonError
    from .daemon.wish import DaemonSettingError
    from .engines.own_log import LogElsewhereError
    from .engines.past.handle import PastError
    from .engines.published import UnacknowledgedError
    from .engines.service_client import AccessError, NoKeyError, ServiceAwayError, ServiceError
    from .knowing.claims import Fact, Observation
    from .knowing.worlds import Leg, Walk
    from .memory import Memory
    from .readings import AppendOnlyError, Attestation
    from .recording import Event, RecordManyError
    from .sessions import Left, Session
    from .settings import EmbedderWarning, StoreSettingsError
    from .store import Store
    from .thinking.asking import SummaryModelMissingError
    from .thinking.known import UnknownThinkerError
    from .thinking.once import ThinkerRun

__all__ = [
    "AccessError", "AgainstLog", "Agreement", "AnswerOtherwise", "AppendOnlyError", "AsOf", "Asserted", "AsyncMemory",
    "AsyncSession", "AsyncStore", "Attestation", "Became", "BeingBuiltError", "Bias", "BrokenInvariantError",
    "CannotForkError", "Case", "Cause", "ClaimLineage", "ClaimSeen", "Claimed", "Claims", "Collision", "ComesNext",
    "CommandRefusedError", "Conflict", "Connected", "Context", "Contradictions", "DaemonError", "DaemonSettingError",
    "Decile", "DecisionSeen", "Decisions", "Defined", "DeliveryError", "Dependent", "Dependents", "Described", "Desk",
    "DeskNote", "Diff", "Difference", "Differs", "Digested", "Digestion", "DiskFullError", "Draft", "Drawn", "Drift",
    "DriftReport", "Embedder", "EmbedderMissingError", "EmbedderWarning", "EmbeddingError", "EmbeddingUnavailableError",
    "Ended", "Entity", "Episode", "Episodes", "Event", "Excerpt", "Explanation", "Fact", "Flapping", "Floor", "Follows",
    "Foretelling", "Foretold", "ForetoldOtherwise", "ForkDiffersError", "ForkLineage", "ForkThereError", "Forked",
    "ForkedError", "Found", "GraphFact", "GraphFacts", "Grown", "Happening", "Happenings", "History", "Intent",
    "InvalidAskError", "InvalidCommandError", "JoinedTo", "KindForetold", "LastSeen", "Left", "LeftOut", "Leg",
    "LineSeen", "Lineage", "Link", "LogDamagedError", "LogElsewhereError", "LogError", "LogInUseError",
    "LogMismatchError", "Memory", "MemoryObject", "MemoryVerdict", "Mentioned", "Mentions", "MomentSeen", "More",
    "NamedCommand", "NamedMoment", "NearPlace", "Nearest", "Neighbour", "Neighbourhood", "NeighboursOf", "NeverUsed",
    "NoKeyError", "NoSuchMomentError", "NodeDiffers", "NodeStrength", "NotAllowedError", "NotFoldedError",
    "NotHereError", "NotReadyError", "NotYetError", "Nothing", "Observation", "OffsetOutOfRangeError", "OpenDecision",
    "OpenSession", "OutcomeSeen", "Overview", "PartItem", "PastError", "PathError", "PerspectiveSeen", "Place",
    "PlaceSeen", "Placed", "Places", "PluginError", "PredicateRulings", "Profile", "ProjectorStoppedError",
    "ProposedScorer", "Provenance", "QuarantinePart", "RankerFailedError", "ReadOnlyError", "RecallSeen", "Receipt",
    "RecordDiffers", "RecordManyError", "RecordMissingError", "Recoveries", "Recovery", "Refusal", "Refused", "Related",
    "Remembered", "Reported", "ReportedPage", "Route", "RulingSeen", "Rulings", "Said", "SaidPage", "Sayer", "Sayers",
    "Scorers", "Scores", "ServiceAwayError", "ServiceError", "Session", "SessionContext", "SessionSeen", "Sessions",
    "SettingsError", "Sighting", "Similar", "SimilarCases", "Situated", "Size", "Snapshots", "StandingAct",
    "StandingCommand", "StandingNode", "Standings", "StateThen", "Step", "StorageDamagedError", "StorageError",
    "StorageInUseError", "StoragePoisonedError", "Store", "StoreError", "StoreMismatchError", "StoreSettingsError",
    "Strength", "StrongMemory", "SummaryModelMissingError", "Then", "Thinker", "ThinkerRun", "Threat", "Time",
    "Timeline", "TopicError", "TopicMissingError", "Touched", "Trade", "Trades", "TypeSeen", "UnacknowledgedError",
    "Understood", "UnknownActionError", "UnknownCommandError", "UnknownMemoryError", "UnknownNodeError",
    "UnknownSessionError", "UnknownThinkerError", "UnknownVersionError", "UntrustedSocketError", "UseFound", "UseScore",
    "Vector", "VectorCoverage", "VoidCommand", "Voids", "Walk", "WhatNext", "Where", "WorkingMemory",
    "WrongVectorError", "YggdrasilError",
]  # fmt: skip

# Where each of them is. Imported when it is asked for: all of it takes half a second, which a command line has not.
_HOMES: Final[dict[str, tuple[str, ...]]] = {
    "yggdrasil_infra.embedders": (
        "Embedder", "EmbedderMissingError", "EmbeddingError", "EmbeddingUnavailableError", "WrongVectorError",
    ),
    "yggdrasil_infra.forking": ("ForkedError",),
    "yggdrasil_infra.http.errors": ("UntrustedSocketError",),
    "yggdrasil_infra.kafka_log.sender": ("DeliveryError",),
    "yggdrasil_infra.kafka_log.settings": ("SettingsError",),
    "yggdrasil_infra.kafka_log.topics": ("TopicError", "TopicMissingError"),
    "yggdrasil_infra.log": (
        "DiskFullError", "LogDamagedError", "LogError", "LogInUseError", "NotFoldedError", "OffsetOutOfRangeError",
        "ReadOnlyError", "Receipt", "RecordMissingError",
    ),
    "yggdrasil_infra.paths": ("PathError",),
    "yggdrasil_infra.plugins": ("PluginError",),
    "yggdrasil_infra.rocks.database": (
        "StorageDamagedError", "StorageError", "StorageInUseError", "StoragePoisonedError",
    ),
    "yggdrasil_producers.claims": ("Claimed", "Defined"),
    "yggdrasil_producers.draft": ("Draft",),
    "yggdrasil_producers.errors": ("NotAllowedError",),
    "yggdrasil_producers.observing": ("Situated",),
    "yggdrasil_projections.graph.fold": ("UnknownVersionError",),
    "yggdrasil_projections.graph.store.projector": ("LogMismatchError", "ProjectorStoppedError"),
    "yggdrasil_projections.graph.store.state": ("StoreError", "StoreMismatchError"),
    "yggdrasil_projections.graph.working_set": ("BrokenInvariantError",),
    "yggdrasil_projections.retrieval.answers": (
        "Became", "Case", "Conflict", "Context", "Described", "Floor", "Follows", "Foretelling", "Foretold", "Found",
        "KindForetold", "Lineage", "More", "Nothing", "Place", "Scores", "SimilarCases", "Timeline",
    ),
    "yggdrasil_projections.retrieval.asks": ("Where",),
    "yggdrasil_projections.retrieval.claimed": ("ClaimSeen",),
    "yggdrasil_projections.retrieval.errors": (
        "CommandRefusedError", "InvalidAskError", "NotHereError", "NotReadyError", "NotYetError", "RankerFailedError",
        "UnknownActionError", "UnknownCommandError", "UnknownMemoryError", "UnknownNodeError", "UnknownSessionError",
    ),
    "yggdrasil_projections.retrieval.found": ("Drawn", "Excerpt", "Mentioned"),
    "yggdrasil_projections.retrieval.memories": ("MemoryObject", "OutcomeSeen", "RulingSeen"),
    "yggdrasil_projections.retrieval.past.against_log": ("AgainstLog", "MemoryVerdict", "RecordDiffers", "Touched"),
    "yggdrasil_projections.retrieval.past.forks": (
        "CannotForkError", "ForkDiffersError", "Forked", "ForkLineage", "ForkThereError",
    ),
    "yggdrasil_projections.retrieval.past.moment": ("AsOf", "BeingBuiltError", "NoSuchMomentError"),
    "yggdrasil_projections.retrieval.past.otherwise": (
        "Differs", "NodeDiffers", "NodeStrength", "VoidCommand", "Voids",
    ),
    "yggdrasil_projections.retrieval.questions.understood": ("Time", "Understood"),
    "yggdrasil_projections.retrieval.reads.episodic.episodes": ("Episode", "Episodes", "Step"),
    "yggdrasil_projections.retrieval.reads.episodic.what_next": ("ComesNext", "Ended", "Similar", "WhatNext"),
    "yggdrasil_projections.retrieval.reads.episodic.working_memory": (
        "Intent", "OpenSession", "Threat", "WorkingMemory",
    ),
    "yggdrasil_projections.retrieval.reads.experience.explain": ("Cause", "Explanation", "RecallSeen", "Then"),
    "yggdrasil_projections.retrieval.reads.experience.happened": (
        "Asserted", "Happening", "Happenings", "OpenDecision",
    ),
    "yggdrasil_projections.retrieval.reads.experience.mentions": ("Mentions",),
    "yggdrasil_projections.retrieval.reads.experience.neighbourhood": ("Neighbour", "Neighbourhood"),
    "yggdrasil_projections.retrieval.reads.experience.provenance": ("Provenance",),
    "yggdrasil_projections.retrieval.reads.knowledge.claims": ("Claims", "Entity"),
    "yggdrasil_projections.retrieval.reads.knowledge.conflicts": ("Contradictions",),
    "yggdrasil_projections.retrieval.reads.knowledge.digested": ("Connected", "Digested", "Digestion"),
    "yggdrasil_projections.retrieval.reads.knowledge.history": ("History",),
    "yggdrasil_projections.retrieval.reads.knowledge.lineage": (
        "ClaimLineage", "Dependent", "Dependents", "LineSeen", "Related",
    ),
    "yggdrasil_projections.retrieval.reads.knowledge.rulings": ("Agreement", "Flapping", "PredicateRulings", "Rulings"),
    "yggdrasil_projections.retrieval.reads.learning.drift": ("Drift", "DriftReport"),
    "yggdrasil_projections.retrieval.reads.operations.bias": ("Bias", "Decile", "NeverUsed"),
    "yggdrasil_projections.retrieval.reads.operations.moment": ("MomentSeen",),
    "yggdrasil_projections.retrieval.reads.operations.overview": ("Overview", "Size", "VectorCoverage"),
    "yggdrasil_projections.retrieval.reads.operations.reported": ("Reported", "ReportedPage"),
    "yggdrasil_projections.retrieval.reads.operations.said": (
        "NamedCommand", "PartItem", "QuarantinePart", "Said", "SaidPage",
    ),
    "yggdrasil_projections.retrieval.reads.operations.scorers": ("ProposedScorer", "Scorers"),
    "yggdrasil_projections.retrieval.reads.operations.standing": (
        "StandingAct", "StandingCommand", "StandingNode", "Standings",
    ),
    "yggdrasil_projections.retrieval.reads.past.answering": ("AnswerOtherwise", "Placed"),
    "yggdrasil_projections.retrieval.reads.past.diff": ("Diff", "LeftOut"),
    "yggdrasil_projections.retrieval.reads.past.differing": (
        "Difference", "ForetoldOtherwise", "Grown", "StateThen", "Strength",
    ),
    "yggdrasil_projections.retrieval.reads.past.snapshots": ("NamedMoment", "Snapshots"),
    "yggdrasil_projections.retrieval.reads.perspectives.profile": ("PerspectiveSeen", "Profile", "StrongMemory"),
    "yggdrasil_projections.retrieval.reads.places.graph": ("GraphFact", "GraphFacts"),
    "yggdrasil_projections.retrieval.reads.places.last_seen": ("LastSeen", "Sighting"),
    "yggdrasil_projections.retrieval.reads.places.look": ("PlaceSeen", "TypeSeen"),
    "yggdrasil_projections.retrieval.reads.places.nearest": ("Nearest", "NearPlace"),
    "yggdrasil_projections.retrieval.reads.places.neighbours_of": ("JoinedTo", "NeighboursOf"),
    "yggdrasil_projections.retrieval.reads.places.places": ("Places",),
    "yggdrasil_projections.retrieval.reads.places.route": ("Route",),
    "yggdrasil_projections.retrieval.reads.places.trades": ("Trade", "Trades"),
    "yggdrasil_projections.retrieval.reads.sessions.decided": ("Decisions", "DecisionSeen"),
    "yggdrasil_projections.retrieval.reads.sessions.desk": ("Desk", "DeskNote"),
    "yggdrasil_projections.retrieval.reads.sessions.given": ("Collision", "Link", "Remembered", "SessionContext"),
    "yggdrasil_projections.retrieval.reads.sessions.recovering": ("Recoveries", "Recovery"),
    "yggdrasil_projections.retrieval.reads.sessions.registered": ("Sessions", "SessionSeen"),
    "yggdrasil_projections.retrieval.reads.sessions.sayers": ("Sayer", "Sayers"),
    "yggdrasil_projections.retrieval.using.finding": ("UseFound", "UseScore"),
    "yggdrasil_schemas.commands.decisions": ("Thinker",),
    "yggdrasil_schemas.commands.vectors": ("Vector",),
    "yggdrasil_schemas.errors": ("InvalidCommandError", "YggdrasilError"),
    "yggdrasil_schemas.refusals": ("Refusal", "Refused"),
    ".asynchronous": ("AsyncMemory", "AsyncSession", "AsyncStore"),
    ".daemon.starting": ("DaemonError",),
    ".daemon.wish": ("DaemonSettingError",),
    ".engines.own_log": ("LogElsewhereError",),
    ".engines.past.handle": ("PastError",),
    ".engines.published": ("UnacknowledgedError",),
    ".engines.service_client": ("AccessError", "NoKeyError", "ServiceAwayError", "ServiceError"),
    ".knowing.claims": ("Fact", "Observation"),
    ".knowing.worlds": ("Leg", "Walk"),
    ".memory": ("Memory",),
    ".readings": ("AppendOnlyError", "Attestation"),
    ".recording": ("Event", "RecordManyError"),
    ".sessions": ("Left", "Session"),
    ".settings": ("EmbedderWarning", "StoreSettingsError"),
    ".store": ("Store",),
    ".thinking.asking": ("SummaryModelMissingError",),
    ".thinking.known": ("UnknownThinkerError",),
    ".thinking.once": ("ThinkerRun",),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what is asked for, once."""
    for home, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(home, __name__), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
