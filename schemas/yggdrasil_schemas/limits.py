"""Sizes and counts that version 1 of the language accepts. They are part of the version: a change is a new version."""

from typing import Final

SCHEMA_VERSION: Final = 1
RULES_VERSION: Final = 1

RECORD_BYTES_MAX: Final = 262_144  # a quarter of Kafka's default record limit, so that a batch of four always fits
DEPTH_MAX: Final = 16  # containers inside containers; far below the depth at which a JSON writer gives up (255)
TEXT_CHARS_MAX: Final = 131_072
NOTE_ALIASES_MAX: Final = 16  # of a note: other names that it is found by
NAME_CHARS_MAX: Final = 128  # sessions, sources, processes, kinds, versions of rankers
FEATURE_CHARS_MAX: Final = 128
FEATURES_MAX: Final = 32
INFORMED_BY_MAX: Final = 8
CAUSED_BY_MAX: Final = 8
TRAJECTORY_MAX: Final = 16  # steps that an outcome credits
EPISODE_EVENTS_MAX: Final = 64
CONCEPT_MEMBERS_MAX: Final = 32
ADJUSTED_MAX: Final = 32
EVIDENCE_MAX: Final = 16
CONDENSED_MAX: Final = 16  # in whose place a digest of them stands
DESK_MAX: Final = 32  # notes on the desk of one session
JUDGED_MAX: Final = 64  # verdicts of one command
TRUST_MAX: Final = 4  # an operator's; 0 is that of a stranger
SLOT_MAX: Final = 8  # of one key, correction or claim: those that stand, are contested or wait
PREDICATE_CHARS_MAX: Final = 64
PERSPECTIVE_CHARS_MAX: Final = 64
PERSPECTIVES_MAX: Final = 8  # of one role; and so many of which it is kept how strong a node is under each
KEYWORDS_MAX: Final = 16  # of one perspective
ROLES_MAX: Final = 16  # of one memory
PREDICATES_MAX: Final = 256  # that a memory defines, beside those that every memory knows
QUALIFIERS_MAX: Final = 8
OBJECT_CHARS_MAX: Final = 1_024  # of a text that is the object of a claim
ONE_WAY: Final = "oneway"  # the qualifier of a claim that holds in one direction, where its predicate is symmetric
SIGHTINGS_MAX: Final = 65_535  # of one claim; more are not counted
LINES_MAX: Final = 8  # sources of one claim that are kept
NAMES_MAX: Final = 9  # of one thing: the one under which it is known, and its aliases
GIVEN_MAX: Final = 64  # nodes of which it is kept what an outcome, or a report of use, gave them
GIVEN_EDGES_MAX: Final = 64  # edges that one recall, or one report of use, strengthens
SAYERS_MAX: Final = 4  # of one alias, or one relation, that are kept: the most trusted
TAINTS_MAX: Final = 1_024  # sessions of which it is known that they took in something foreign
SCORERS_MAX: Final = 16  # proposed scorers that a memory keeps
SCORER_WEIGHTS: Final = 177  # of 9 features, 16 hidden units and one output, with their biases
SCORER_WEIGHTS_CHARS: Final = 472  # in base64, two bytes each
SCORER_SAMPLES_MAX: Final = 2**31 - 1
SCORER_MILLI_MAX: Final = 1_000_000
SNAPSHOTS_MAX: Final = 64  # named moments of one memory
ALIASES_MAX: Final = 10_000  # of one memory
THINKERS_MAX: Final = 32
DECISION_PARTS_MAX: Final = 64  # of one window; which were taken is a bit each
REASON_CHARS_MAX: Final = 1_024
VECTOR_DIMENSION_MAX: Final = 1_024  # 1,024 * 127 * 127 < 2^24: a dot product of int8 is exact in float32
PIECES_MAX: Final = 128  # of a long text, with a vector each, beside that of the whole
VECTORS_PER_NODE_MAX: Final = 2  # of two models: the one that is used, and the one that takes its place
RETURNED_MAX: Final = 50
PARAMETERS_MAX: Final = 16
POLICY_CHANGES_MAX: Final = 128
MEMORY_PART_CHARS_MAX: Final = 64
MEMORY_FORM: Final = (
    f"TENANT/AGENT, such as me/agent: each part of letters, digits and ._- and at most {MEMORY_PART_CHARS_MAX} long"
)
VALUE_MAX: Final = 10.0  # an outcome lies in [-10, 10]
TIME_MS_MAX: Final = 2**53 - 1  # the largest integer that every JSON reader keeps exactly
SEQ_MAX: Final = 2**57 - 1  # a node's number is seq * 64 + ordinal and must fit in 63 bits
