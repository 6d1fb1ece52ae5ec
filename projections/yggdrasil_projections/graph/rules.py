"""The versions of the rules: which laws hold, and in which language, from an ``enable_version`` record on.

A released version is frozen: its laws, its bounds and its policy give the same memory for ever (design, section 4).
So a new version is a new value here beside the others, and takes from them whatever it does not change.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar, cast

from yggdrasil_schemas.codec import LANGUAGES, Language
from yggdrasil_schemas.commands import (
    COMMANDS,
    Adjust,
    AdoptScorer,
    AliasEntity,
    AssertClaim,
    AttachVector,
    Attest,
    Command,
    CommitEpisode,
    Define,
    DissolveConcept,
    EnableVersion,
    Envelope,
    FormConcept,
    Judge,
    LiftCatastrophe,
    LogOutcome,
    Pin,
    RecordEvent,
    RecordRead,
    RecordRecall,
    Relate,
    ReportUse,
    RetireThinker,
    SetPolicy,
    Sleep,
    Snapshot,
)
from yggdrasil_schemas.policy import DEFAULT, Policy
from yggdrasil_schemas.refusals import Refused

from .laws.bounds.enforcement import enforce
from .laws.decisions.concept import dissolve_concept, form_concept
from .laws.decisions.episode import commit_episode
from .laws.decisions.lifting import lift_catastrophe
from .laws.decisions.operations import attest, set_policy, snapshot
from .laws.decisions.pin import pin
from .laws.decisions.reflection import adjust
from .laws.decisions.scoring import adopt_scorer
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
from .laws.learning.recall import record_read, record_recall
from .laws.learning.use import report_use
from .working_set import BrokenInvariantError, Graph

Law = Callable[[Graph, Command, int, bytes], Refused | None]
"""Decides on a command at a seq, given its record's bytes: a refusal that has changed nothing, or the change itself."""
Laws = Mapping[type[object], Law]
"""Laws by the model of their command."""
_Said = TypeVar("_Said", bound=Envelope)


def law_of(model: type[_Said], law: Callable[[Graph, _Said, int, bytes], Refused | None]) -> tuple[type[object], Law]:
    """Return a law with the model of its command, of which alone it is asked."""
    return model, cast(Law, law)


LAWS_1: Final[Laws] = dict(
    (
        law_of(RecordEvent, record_event),
        law_of(LogOutcome, log_outcome),
        law_of(RecordRecall, record_recall),
        law_of(RecordRead, record_read),
        law_of(ReportUse, report_use),
        law_of(CommitEpisode, commit_episode),
        law_of(FormConcept, form_concept),
        law_of(DissolveConcept, dissolve_concept),
        law_of(Adjust, adjust),
        law_of(Sleep, sleep),
        law_of(AdoptScorer, adopt_scorer),
        law_of(Pin, pin),
        law_of(LiftCatastrophe, lift_catastrophe),
        law_of(RetireThinker, retire_thinker),
        law_of(Judge, judge),
        law_of(AssertClaim, assert_claim),
        law_of(Relate, relate),
        law_of(Define, define),
        law_of(AliasEntity, alias_entity),
        law_of(AttachVector, attach_vector),
        law_of(SetPolicy, set_policy),
        law_of(Attest, attest),
        law_of(Snapshot, snapshot),
    )
)


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


if lawless := {model for model in COMMANDS.values() if model.number} ^ LAWS_1.keys():
    raise BrokenInvariantError(f"each command that gets an identity has one law, but for {sorted(map(str, lawless))}")
RULES: Final[dict[int, Rules]] = {1: Rules(LAWS_1, enforce)}
KNOWN: Final = Known(LANGUAGES, RULES)
"""What this release knows."""
