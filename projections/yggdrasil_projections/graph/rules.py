"""The versions of the rules: which laws hold, and in which language, from an ``enable_version`` record on.

A released version is frozen: its laws, its bounds and its policy give the same memory for ever (design, section 4).
So a new version is a new value here beside the others, and takes from them whatever it does not change.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from yggdrasil_schemas.codec import LANGUAGES, Language
from yggdrasil_schemas.commands import (
    Adjust,
    AliasEntity,
    AssertClaim,
    AttachVector,
    Attest,
    Command,
    CommitEpisode,
    Define,
    DissolveConcept,
    EnableVersion,
    FormConcept,
    Judge,
    LiftCatastrophe,
    LogOutcome,
    Pin,
    RecordEvent,
    RecordRecall,
    Relate,
    ReportUse,
    RetireThinker,
    SetPolicy,
    Sleep,
)
from yggdrasil_schemas.graph.records import CommandKind
from yggdrasil_schemas.policy import DEFAULT, Policy
from yggdrasil_schemas.refusals import Refused

from .laws.bounds.enforcement import enforce
from .laws.decisions.concept import dissolve_concept, form_concept
from .laws.decisions.episode import commit_episode
from .laws.decisions.governance import attest, set_policy
from .laws.decisions.lifting import lift_catastrophe
from .laws.decisions.pin import pin
from .laws.decisions.reflection import adjust
from .laws.decisions.sleep import sleep
from .laws.decisions.thinker import retire_thinker
from .laws.decisions.vector import attach_vector
from .laws.experience.event import record_event
from .laws.knowledge.claiming import assert_claim
from .laws.knowledge.judging import judge
from .laws.knowledge.naming import alias_entity
from .laws.knowledge.predicates import define
from .laws.knowledge.relating import relate
from .laws.learning.outcome import log_outcome
from .laws.learning.recall import record_recall
from .laws.learning.use import report_use
from .working_set import Graph

Law = Callable[[Graph, Command, int, bytes], Refused | None]
"""Decides on a command at a seq, given its record's bytes: a refusal that has changed nothing, or the change itself."""
Laws = Mapping[type[object], tuple[CommandKind, Law]]
"""What is kept of a command's identity, and its law, by the command's model."""

LAWS_1: Final[Laws] = {
    RecordEvent: (CommandKind.RECORD_EVENT, cast(Law, record_event)),
    LogOutcome: (CommandKind.LOG_OUTCOME, cast(Law, log_outcome)),
    RecordRecall: (CommandKind.RECORD_RECALL, cast(Law, record_recall)),
    ReportUse: (CommandKind.REPORT_USE, cast(Law, report_use)),
    CommitEpisode: (CommandKind.COMMIT_EPISODE, cast(Law, commit_episode)),
    FormConcept: (CommandKind.FORM_CONCEPT, cast(Law, form_concept)),
    DissolveConcept: (CommandKind.DISSOLVE_CONCEPT, cast(Law, dissolve_concept)),
    Adjust: (CommandKind.ADJUST, cast(Law, adjust)),
    Sleep: (CommandKind.SLEEP, cast(Law, sleep)),
    Pin: (CommandKind.PIN, cast(Law, pin)),
    LiftCatastrophe: (CommandKind.LIFT_CATASTROPHE, cast(Law, lift_catastrophe)),
    RetireThinker: (CommandKind.RETIRE_THINKER, cast(Law, retire_thinker)),
    Judge: (CommandKind.JUDGE, cast(Law, judge)),
    AssertClaim: (CommandKind.ASSERT_CLAIM, cast(Law, assert_claim)),
    Relate: (CommandKind.RELATE, cast(Law, relate)),
    Define: (CommandKind.DEFINE, cast(Law, define)),
    AliasEntity: (CommandKind.ALIAS_ENTITY, cast(Law, alias_entity)),
    AttachVector: (CommandKind.ATTACH_VECTOR, cast(Law, attach_vector)),
    SetPolicy: (CommandKind.SET_POLICY, cast(Law, set_policy)),
    Attest: (CommandKind.ATTEST, cast(Law, attest)),
}


@dataclass(frozen=True, slots=True)
class Rules:
    """One version: its laws, what enforces the bounds after each command, and the policy a memory begins with.

    A memory keeps the policy that it began with, whatever is enabled later; ``set_policy`` changes it.
    """

    laws: Laws
    enforce: Callable[[Graph], None]
    policy: Policy = DEFAULT


class Versions(NamedTuple):
    """A schema version and a rules version that hold together."""

    schema: int
    rules: int

    def raised(self, schema: int, rules: int) -> "Versions":
        """Return the versions that hold when these have been enabled as well: what is enabled stays so for ever."""
        return Versions(max(self.schema, schema), max(self.rules, rules))


FIRST: Final = Versions(1, 1)
"""What holds in a partition before any ``enable_version`` record."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a release knows: every schema version and every rules version."""

    languages: Mapping[int, Language]
    rules: Mapping[int, Rules]

    def __contains__(self, versions: Versions) -> bool:
        """Whether a partition in which ``versions`` hold can be folded."""
        return versions.schema in self.languages and versions.rules in self.rules

    @property
    def newest(self) -> Versions:
        """The newest version of each."""
        return Versions(max(self.languages), max(self.rules))

    def spoken(self, versions: Versions) -> dict[int, Language]:
        """Return the languages that are accepted where ``versions`` hold, by schema version.

        A command for which these rules have no law is not among them: it waits for the rules that have one.
        """
        lawful: set[type[object]] = {EnableVersion, *self.rules[versions.rules].laws}
        return {
            version: language.only(lawful) for version, language in self.languages.items() if version <= versions.schema
        }


RULES: Final[dict[int, Rules]] = {1: Rules(LAWS_1, enforce)}
KNOWN: Final = Known(LANGUAGES, RULES)
"""What this release knows."""
