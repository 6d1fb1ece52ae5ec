"""Version 1 is frozen by examples: what it accepts, with the hash of what was said, and what it refuses, and why."""

import re
from contextlib import suppress
from typing import Any

import orjson

from tests.corpus.cases import PARTITIONS, Case, accepted, refused
from yggdrasil_projections.graph.fold import Fold
from yggdrasil_projections.graph.nothing_stored import NothingStored
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import Decoded, command_of, decode, encode
from yggdrasil_schemas.commands import COMMANDS, EnableVersion
from yggdrasil_schemas.commands.operations import SetPolicyBody
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.graph.records import Header
from yggdrasil_schemas.policy import CONSTANTS
from yggdrasil_schemas.refusals import Refusal, Refused

ACCEPTED = accepted()
REFUSED = refused()
STATELESS = {refusal.code for refusal in Refusal if refusal <= Refusal.WRONG_PARTITION}
OF_FORM = {refusal.code for refusal in Refusal if refusal <= Refusal.INVALID_CONTENT}
# A detail holds names of our fields, places in lists, kinds of error and bounds.
DETAIL = re.compile(r"[A-Za-z0-9_.,:+/=\[\] -]{0,200}")


class Memories:
    """Graphs that live in their working sets alone."""

    def __init__(self) -> None:
        self.known: dict[str, Graph] = {}

    def graph(self, memory: str) -> Graph:
        return self.known.setdefault(memory, Graph(Header(memory), NothingStored()))


def decoded(case: Case) -> Decoded:
    found = decode(case.value)
    assert isinstance(found, Decoded), f"{case.name}: {found}"
    return found


def test_what_is_accepted_means_the_same_for_ever() -> None:
    """The body hash is in every digest, so no release of a JSON writer may have a say in how a float is spelled."""
    assert [case.name for case in ACCEPTED if decoded(case).body_hash.hex() != case.body_hash] == []


def test_every_accepted_example_is_folded_in_order() -> None:
    memories = Memories()
    for offset, case in enumerate(ACCEPTED):
        answer = Fold(case.partition, PARTITIONS, memories).apply(case.record(offset))
        assert answer.refused is None, f"{case.name}: {answer.refused}"
        assert not answer.duplicate, case.name
        assert answer.seq or isinstance(decoded(case).command, EnableVersion), case.name


def test_what_is_refused_is_refused_for_its_reason() -> None:
    for case in REFUSED:
        memories = Memories()
        refusal = Fold(case.partition, PARTITIONS, memories).apply(case.record()).refused
        assert refusal is not None, case.name
        assert refusal.reason.code == case.reason, f"{case.name}: {refusal}"
        if case.detail is not None:
            assert refusal.detail == case.detail, case.name
        assert DETAIL.fullmatch(refusal.detail), f"{case.name}: {refusal.detail}"
        assert not memories.known, f"{case.name}: what is refused before a law sees it must not make a memory"


def test_who_only_reads_is_given_the_same_command() -> None:
    def same(case: Case) -> bool:
        found = decode(case.value)
        return command_of(case.value) == (found.command if isinstance(found, Decoded) else found)

    assert [case.name for case in (*ACCEPTED, *REFUSED) if not same(case)] == []


def test_the_form_alone_decides_what_decode_refuses() -> None:
    by_form = {case.name: isinstance(decode(case.value), Refused) for case in REFUSED}
    assert [case.name for case in REFUSED if by_form[case.name] != (case.reason in OF_FORM)] == []


def test_a_detail_never_repeats_what_was_sent() -> None:
    details = [found.detail for case in REFUSED if isinstance(found := decode(case.value), Refused)]
    assert [detail for detail in details if "secret" in detail or "k1" in detail] == []


def test_the_corpus_has_every_command_and_every_refusal_that_needs_no_memory() -> None:
    assert {decoded(case).command.type for case in ACCEPTED} == COMMANDS.keys()
    assert {case.reason for case in REFUSED} == STATELESS
    assert len({case.name for case in [*ACCEPTED, *REFUSED]}) == len(ACCEPTED) + len(REFUSED)


def test_every_optional_field_is_present_in_one_example_and_absent_in_another() -> None:
    said = [orjson.loads(case.value or b"") for case in ACCEPTED]
    for name, model in COMMANDS.items():
        bodies = [one["body"].keys() for one in said if one["type"] == name]
        fields = model.model_fields["body"].annotation.model_fields  # type: ignore[union-attr]
        for field, info in fields.items():
            assert any(field in body for body in bodies), f"{name}.{field} is never present"
            assert info.is_required() or any(field not in body for body in bodies), f"{name}.{field} is never absent"
    assert {"session" in one for one in said} == {"content" in one for one in said} == {True, False}


def test_every_constant_stands_in_the_corpus_at_both_its_bounds() -> None:
    bodies = {case.name: decoded(case).command.body for case in ACCEPTED}
    for name, end in (("least", "low"), ("greatest", "high")):
        body = bodies[f"policy, every constant at its {name}"]
        assert isinstance(body, SetPolicyBody)
        assert body.changes == {constant: getattr(bounds, end) for constant, bounds in CONSTANTS.items()}


def sayable() -> list[tuple[str, str, dict[str, Any]]]:
    """What of the refused can be said in Python at all: name, reason and fields."""
    found = []
    for case in REFUSED:
        with suppress(orjson.JSONDecodeError):
            fields = orjson.loads(case.value or b"")
            if isinstance(fields, dict) and case.reason in OF_FORM:
                found.append((case.name, case.reason, fields))
    return found


def test_encode_refuses_what_decode_refuses() -> None:
    wrong = {}
    for name, reason, fields in sayable():
        try:
            encode(fields)
            given = "nothing"
        except InvalidCommandError as error:
            given = error.reason
        # What nests deeper than the JSON writer goes (254 levels) is not JSON to it.
        if given != reason and (reason, given) != ("too_deep", "not_json"):
            wrong[name] = given
    assert wrong == {}
