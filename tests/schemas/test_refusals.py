"""The refusals: a closed list whose numbers are stored and never change meaning."""

import re

from yggdrasil_schemas import limits
from yggdrasil_schemas.refusals import SENTENCES, Refusal, Refused

FROZEN = """
record_empty record_too_large not_json not_an_object too_deep version_missing version_not_enabled unknown_type
invalid_envelope invalid_body invalid_content wrong_key reserved_memory wrong_partition id_reused unknown_event
not_an_event event_forgotten unknown_reference unknown_recall recall_forgotten recall_reported not_recalled as_of_ahead
policy_conflict attest_too_soon members_forgotten not_a_concept node_forgotten cursor_stale cursor_ahead thinkers_full
node_protected not_a_principle principles_full later_event not_allowed not_catastrophic evidence_elsewhere part_stale
unknown_thinker not_trusted not_corrigible slot_full not_a_claim evidence_missing predicates_full aliases_full
alias_cycle not_an_alias related_to_itself needs_a_person session_not_open unknown_scorer
too_few_samples scorers_full scorer_not_adopted roles_full snapshot_exists unknown_snapshot snapshots_full
"""


def test_the_numbers_keep_their_meaning() -> None:
    assert {refusal.code: refusal.value for refusal in Refusal} == {
        code: number for number, code in enumerate(FROZEN.split(), start=1)
    }


def test_a_number_fits_in_the_byte_that_identities_have_for_it() -> None:
    assert max(Refusal) < 256


def test_each_has_one_sentence() -> None:
    assert SENTENCES.keys() == set(Refusal)
    assert len(set(SENTENCES.values())) == len(SENTENCES)
    assert [text for text in SENTENCES.values() if not re.fullmatch(r"[A-Z][^\n]+\.", text)] == []


def test_sentences_name_the_limits_that_hold() -> None:
    assert f"{limits.RECORD_BYTES_MAX:,} bytes" in Refusal.RECORD_TOO_LARGE.sentence
    assert f"more than {limits.DEPTH_MAX} containers" in Refusal.TOO_DEEP.sentence


def test_a_refusal_tells_its_reason_its_place_and_what_to_do() -> None:
    assert str(Refused(Refusal.NOT_JSON)) == f"not_json: {Refusal.NOT_JSON.sentence}"
    assert str(Refused(Refusal.INVALID_BODY, "body.x")) == f"invalid_body (body.x): {Refusal.INVALID_BODY.sentence}"
