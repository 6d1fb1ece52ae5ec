"""Why a record is refused: a closed list, with one sentence each.

The first reason that applies is the one given. A refusal is a value that the fold returns; it is never an
exception, and it never stops the partition.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

HALF_A_CHARACTER: Final = "it holds half of a character (a lone surrogate): write it in UTF-8, or leave that out"


class Refusal(IntEnum):
    """The reasons. The numbers are stored and never change meaning.

    Up to ``ID_REUSED`` they are checked in this order; beyond, docs/laws.md gives the order of each command.
    """

    RECORD_EMPTY = 1
    RECORD_TOO_LARGE = 2
    NOT_JSON = 3
    NOT_AN_OBJECT = 4
    TOO_DEEP = 5
    VERSION_MISSING = 6
    VERSION_NOT_ENABLED = 7
    UNKNOWN_TYPE = 8
    INVALID_ENVELOPE = 9
    INVALID_BODY = 10
    INVALID_CONTENT = 11
    WRONG_KEY = 12
    RESERVED_MEMORY = 13
    WRONG_PARTITION = 14
    ID_REUSED = 15
    UNKNOWN_EVENT = 16
    NOT_AN_EVENT = 17
    EVENT_FORGOTTEN = 18
    UNKNOWN_REFERENCE = 19
    UNKNOWN_RECALL = 20
    RECALL_FORGOTTEN = 21
    RECALL_REPORTED = 22
    NOT_RECALLED = 23
    AS_OF_AHEAD = 24
    POLICY_CONFLICT = 25
    ATTEST_TOO_SOON = 26
    MEMBERS_FORGOTTEN = 27
    NOT_A_CONCEPT = 28
    NODE_FORGOTTEN = 29
    CURSOR_STALE = 30
    CURSOR_AHEAD = 31
    THINKERS_FULL = 32
    NODE_PROTECTED = 33
    NOT_A_PRINCIPLE = 34
    PRINCIPLES_FULL = 35
    LATER_EVENT = 36
    NOT_ALLOWED = 37
    NOT_CATASTROPHIC = 38
    EVIDENCE_ELSEWHERE = 39
    PART_STALE = 40
    UNKNOWN_THINKER = 41
    NOT_TRUSTED = 42
    NOT_CORRIGIBLE = 43
    SLOT_FULL = 44
    NOT_A_CLAIM = 45
    EVIDENCE_MISSING = 46
    PREDICATES_FULL = 47
    ALIASES_FULL = 48
    ALIAS_CYCLE = 49
    NOT_AN_ALIAS = 50
    RELATED_TO_ITSELF = 51
    NEEDS_A_PERSON = 52
    SESSION_NOT_OPEN = 53
    UNKNOWN_SCORER = 54
    TOO_FEW_SAMPLES = 55
    SCORERS_FULL = 56
    SCORER_NOT_ADOPTED = 57
    ROLES_FULL = 58
    SNAPSHOT_EXISTS = 59
    UNKNOWN_SNAPSHOT = 60
    SNAPSHOTS_FULL = 61

    @property
    def code(self) -> str:
        """The reason as it is written in JSON and shown to people, for example ``unknown_event``."""
        return self.name.lower()  # ascii: our own names

    @property
    def sentence(self) -> str:
        """One sentence that says what is wrong and what to do."""
        return SENTENCES[self]


SENTENCES: dict[Refusal, str] = {
    Refusal.RECORD_EMPTY: "The record has no value; a command is a JSON object.",
    Refusal.RECORD_TOO_LARGE: "The record is larger than 262,144 bytes; keep the large part elsewhere and refer to it.",
    Refusal.NOT_JSON: "The value is not valid UTF-8 JSON (NaN and Infinity are not JSON).",
    Refusal.NOT_AN_OBJECT: "The value is JSON but not an object.",
    Refusal.TOO_DEEP: "The value nests more than 16 containers; flatten the payload.",
    Refusal.VERSION_MISSING: "The field `version` is missing or is not a positive integer.",
    Refusal.VERSION_NOT_ENABLED: (
        "The record's version was not enabled in this partition when it was written; "
        "an operator enables it, then the command is sent again under a new id."
    ),
    Refusal.UNKNOWN_TYPE: "The field `type` names no command of this version.",
    Refusal.INVALID_ENVELOPE: "A field of the envelope is missing, unknown, of the wrong type or out of bounds.",
    Refusal.INVALID_BODY: "A field of the body is missing, unknown, of the wrong type or out of bounds.",
    Refusal.INVALID_CONTENT: "The content is neither clear (`text`, `payload`) nor sealed, or it is out of bounds.",
    Refusal.WRONG_KEY: "The record's key is not the memory id of its envelope in UTF-8.",
    Refusal.RESERVED_MEMORY: (
        "Tenants that begin with an underscore are the system's own; only `enable_version` is written there."
    ),
    Refusal.WRONG_PARTITION: (
        "The record is not in the partition that murmur2 gives its key; "
        "set the producer's partitioner to murmur2 (librdkafka: `murmur2_random`)."
    ),
    Refusal.ID_REUSED: "Another command of this memory already has this id; send the new command under a new id.",
    Refusal.UNKNOWN_EVENT: "No accepted command of this memory has the id of an event that the body names.",
    Refusal.NOT_AN_EVENT: (
        "An id that must be an event's (of outcomes and episodes an episode's) belongs to a command of another type."
    ),
    Refusal.EVENT_FORGOTTEN: "The event was pruned, with all that contained it; its record remains in the log.",
    Refusal.UNKNOWN_REFERENCE: "A reference names nothing that this memory has ever held.",
    Refusal.UNKNOWN_RECALL: "No accepted recall of this memory has the given id.",
    Refusal.RECALL_FORGOTTEN: "The recall is older than the recalls that this memory keeps.",
    Refusal.RECALL_REPORTED: "The use of this recall has been reported before; a recall is reported once.",
    Refusal.NOT_RECALLED: "A reference in `body.used` was not among what the recall returned.",
    Refusal.AS_OF_AHEAD: "The field `body.as_of` is ahead of this memory; a recall cannot read what is not folded yet.",
    Refusal.POLICY_CONFLICT: (
        "The policy would contradict itself: `nodes_max` must be at least 10 times `sessions_open_max`, "
        "`edges_max` at least `nodes_max`, and `concept_density` at least `dissolve_density`."
    ),
    Refusal.ATTEST_TOO_SOON: "The memory was attested too recently; see `attest_interval_commands` in its policy.",
    Refusal.MEMBERS_FORGOTTEN: "Fewer than two of the members are still in the memory; a concept needs two.",
    Refusal.NOT_A_CONCEPT: "The reference in `body.concept` names neither a formed concept nor a conceptual feature.",
    Refusal.NODE_FORGOTTEN: "Nothing that the body names is still in the memory.",
    Refusal.CURSOR_STALE: (
        "The field `body.thinker.cursor_from` is not where this thinker left off: the decision was taken before, or "
        "another took its place, or a decision in parts is not whole yet. Read on from the stored cursor and decide "
        "anew; an operator can retire a name whose missing parts will not come."
    ),
    Refusal.CURSOR_AHEAD: "The field `thinker.cursor_to` does not lie beyond `cursor_from`, or is ahead of the memory.",
    Refusal.NODE_PROTECTED: "The node is pinned or took part in a catastrophe; it is not dissolved.",
    Refusal.THINKERS_FULL: (
        "The memory keeps the cursors of 32 thinkers already; a version is no new name, and an operator can retire one."
    ),
    Refusal.NOT_A_PRINCIPLE: "Only an event, an episode or a concept can be a principle.",
    Refusal.LATER_EVENT: (
        "An event in `body.trajectory` came after what `body.event` names; only what came before can have led to it."
    ),
    Refusal.PRINCIPLES_FULL: (
        "The memory has as many principles as `principles_max` in its policy allows; pin one without `principle` first."
    ),
    Refusal.NOT_ALLOWED: "Only an operator may say this; the origin of a command is stamped by whoever lets it in.",
    Refusal.NOT_CATASTROPHIC: "The node is no catastrophe, or no longer; there is nothing to lift.",
    Refusal.EVIDENCE_ELSEWHERE: (
        "Nothing that `body.evidence` names is on the trajectory or joined by an edge to what is; "
        "name what happened to these nodes."
    ),
    Refusal.PART_STALE: "This part of the decision was taken before; the others are still awaited.",
    Refusal.UNKNOWN_THINKER: "The memory keeps no cursor under the name in `body.name`.",
    Refusal.NOT_TRUSTED: (
        "Whoever says this is trusted less than the one who wrote or decided what it would change; "
        "let them say it themselves, or somebody who is trusted as much."
    ),
    Refusal.NOT_CORRIGIBLE: (
        "Only an event, an episode, a concept or a claim can be superseded, withdrawn or resolved; "
        "of an outcome say a better one, and a feature fades when it is no longer used."
    ),
    Refusal.SLOT_FULL: (
        "Eight memories in this slot stand, are contested or wait, and none gives way; judge them first."
    ),
    Refusal.NOT_A_CLAIM: "Only a claim can be verified, and only one that is active can be promoted.",
    Refusal.EVIDENCE_MISSING: "A thinker's claim names what it was concluded from in `body.evidence`.",
    Refusal.PREDICATES_FULL: "The memory has defined 256 predicates already; define one of them anew instead.",
    Refusal.ALIASES_FULL: "One thing has at most nine names, and a memory at most 10,000 aliases.",
    Refusal.ALIAS_CYCLE: "The name is that of the same thing already; undo the alias the other way round first.",
    Refusal.RELATED_TO_ITSELF: "What a relation joins is one and the same node.",
    Refusal.NEEDS_A_PERSON: (
        "It takes a person to approve this, a user or an operator who is not the only one that says it; "
        "who proposes does not approve."
    ),
    Refusal.SESSION_NOT_OPEN: (
        "A note on the desk belongs to an open session; begin one with an event whose `boundary` is `open`."
    ),
    Refusal.ROLES_FULL: "The memory has 16 roles already; end one, by a definition without perspectives.",
    Refusal.UNKNOWN_SCORER: (
        "The memory keeps no scorer that the command in `body.scorer` proposed; read `scorers` for those that it keeps."
    ),
    Refusal.TOO_FEW_SAMPLES: (
        "The scorer was fitted to fewer samples than `scorer_samples_min` in the policy; let more be used first."
    ),
    Refusal.SCORERS_FULL: (
        "The memory keeps 16 scorers of those who are trusted more, or that count; an operator's proposal makes room."
    ),
    Refusal.SCORER_NOT_ADOPTED: "The scorer in `body.scorer` does not count, so there is nothing to go back from.",
    Refusal.SNAPSHOT_EXISTS: (
        "The memory has a snapshot of that name, which stands for another moment; take another name, or drop that one."
    ),
    Refusal.UNKNOWN_SNAPSHOT: "The memory has no snapshot of that name; read `snapshots` for those that it has.",
    Refusal.SNAPSHOTS_FULL: "The memory has 64 snapshots already; drop one, with `drop` true under its name.",
    Refusal.NOT_AN_ALIAS: "The name is no alias, so there is nothing to undo.",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal with the place that caused it: a field path such as ``body.features.3``, never the record's bytes."""

    reason: Refusal
    detail: str = ""

    def __str__(self) -> str:
        where = f" ({self.detail})" if self.detail else ""
        return f"{self.reason.code}{where}: {self.reason.sentence}"
