"""A memory as of a moment is the one that a fresh replay up to there gives, in its state and in every answer."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.retrieval.test_seen import arguments, lived
from tests.size import turns
from yggdrasil import (
    InvalidAskError,
    Memory,
    NoSuchMomentError,
    PastError,
    Receipt,
    RecordManyError,
    SaidPage,
    UnknownActionError,
    UnknownMemoryError,
    UnknownNodeError,
    YggdrasilError,
)
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.query import Read
from yggdrasil_projections.retrieval.table import READS

MEMORY = "tenant/agent"


def _asked(memory: Memory[Any], read: Read[Any], given: dict[str, Any]) -> object:
    try:
        answer = getattr(memory, read.called)(**given)
        if isinstance(answer, SaidPage):  # the copy of the log has times of its own
            return replace(answer, said=[replace(each, logged_ms=0) for each in answer.said])
        return answer
    except YggdrasilError as error:
        return type(error), str(error)


def _of(engine: Embedded, origin: Any = "thinker") -> Memory[Any]:
    return Memory(engine, Drafter(MEMORY, "me", "past", origin))


def _copied(engine: Embedded, path: Path, end: int) -> Embedded:
    """A directory that was told as much as this one had been, by the same records."""
    copy = Embedded(path, partitions=1)
    records = [each for each in engine.log.read(0, 0, end) if each.offset < end]
    while records and records[-1].offset < end - 1:
        records += [each for each in engine.log.read(0, records[-1].offset + 1, end) if each.offset < end]
    copy.log.append_many((each.key or b"", each.value or b"") for each in records)
    copy.catch_up()
    return copy


@pytest.mark.parametrize("seed", range(turns(2, 40)))
def test_every_answer_of_the_past_is_the_one_that_was_given_then(tmp_path: Path, seed: int) -> None:
    rng = Random(f"as of {seed}")
    with Embedded(tmp_path / "data", partitions=1) as engine:
        ids = lived(engine, seed, 2, count=500)
        memory = _of(engine)
        there: dict[str, list[str]] = {}
        for each in memory.happened(count=1_000).happened:
            there.setdefault(each.kind, []).append(each.id)
        told = 0
        for moment in rng.sample(range(300, engine.log.end_offset(0)), 2):
            past = memory.as_of(Receipt(0, moment), quarantined=True)
            with _copied(engine, tmp_path / f"then{moment}", moment + 1) as fresh:
                then = _of(fresh)
                assert past.digest() == then.digest()
                for read in READS:
                    if read.name == "diff":  # which hides what is in quarantine today, of both moments
                        continue
                    given = arguments(read, rng, there | {"any": ids})
                    answer = _asked(past, read, given)
                    assert answer == _asked(then, read, given), (read.name, given)
                    told += not isinstance(answer, tuple)
                    if not isinstance(answer, tuple) and hasattr(answer, "past"):
                        assert (answer.past, answer.withheld) == (True, 0)  # type: ignore[attr-defined]
        assert told > len(READS), "most of it is answered"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Any]]:
    """A memory of ten events, to the knowledge of an operator."""
    with Memory.open(tmp_path / "data", "me/agent", origin="operator", embedder="off", partitions=1) as it:
        for number in range(10):
            it.record_event(f"Step {number} on the way")
        yield it


def test_a_moment_is_a_seq_a_receipt_or_a_time(memory: Memory[Any]) -> None:
    place = memory.became(memory.timeline(count=1).memories[0].ref)
    assert place is not None and place.place is not None
    stamps = [each.timestamp_ms for each in memory.engine.log.read(0, 0, 20)]
    for moment in (4, "4", Receipt(0, 3), "0-3"):
        assert memory.as_of(moment).moment().as_of == 4
    for number, stamp in enumerate(stamps, start=1):
        at = datetime.fromtimestamp(stamp / 1_000, UTC)
        last = max(each for each, other in enumerate(stamps, start=1) if other <= stamp)
        assert memory.as_of(at).moment().as_of == max(last, number)
    today = datetime.now(UTC).date()
    assert memory.as_of(today).moment().as_of == memory.as_of(today.isoformat()).moment().as_of == 10
    assert memory.as_of(10).moment().past_ms == max(stamps)


@pytest.mark.parametrize(
    ("moment", "error", "said"),
    [
        (11, NoSuchMomentError, "it stands at seq 10; seq 11 has not happened yet"),
        ("0-10", NoSuchMomentError, "the log ends at offset 10"),
        ("3-1", InvalidAskError, "is a receipt of partition 3, and me/agent is in 0"),
        (datetime.now(UTC) + timedelta(days=3), NoSuchMomentError, "ahead"),
        ("2020-01-31", NoSuchMomentError, "it began later"),
        (0, InvalidAskError, "a seq from 1"),
        (-4, InvalidAskError, "a seq from 1"),
        (True, InvalidAskError, "not bool"),
        (None, InvalidAskError, "not NoneType"),
        (4.5, InvalidAskError, "not float"),
        ("yesterday", NoSuchMomentError, "it has no snapshot called yesterday; it has none. A moment is a seq such as"),
        ("17:00", InvalidAskError, "no point in time"),
        ("2026-01-31T12:00", InvalidAskError, "time zone"),
        ("9" * 40, InvalidAskError, ""),
        ("", InvalidAskError, "no point in time"),
    ],
)
def test_what_is_no_moment_is_told(memory: Memory[Any], moment: Any, error: type[YggdrasilError], said: str) -> None:
    with pytest.raises(error) as raised:
        memory.as_of(moment)
    assert said in str(raised.value)


def test_an_unknown_memory_has_no_past(memory: Memory[Any]) -> None:
    other = Memory(memory.engine, Drafter("me/nobody", "me", "past"))
    with pytest.raises(UnknownMemoryError):
        other.as_of(1)


def test_the_past_takes_nothing_and_leaves_no_trace(memory: Memory[Any]) -> None:
    memory.set_policy(reads_recorded=1)
    past, before = memory.as_of(5), memory.engine.log.end_offset(0)
    told = past.get_context("the way")
    assert told.found and not told.recorded and told.recall_id is None
    past.timeline(count=3)
    past.explain_action(told.found[0].memory.ref)
    for say in (
        lambda: past.record_event("Never"),
        lambda: past.observe("Never", place="here"),
        lambda: past.session(goal="never"),
        lambda: past.record_many([{"text": "Never"}]),
        lambda: past.as_of(3),
    ):
        with pytest.raises((PastError, RecordManyError), match="the past takes no commands"):
            say()
    assert memory.engine.log.end_offset(0) == before


def test_what_holds_is_what_held_at_the_moment_unless_another_is_asked_for(memory: Memory[Any]) -> None:
    memory.assert_claim("person:ana", "lives_in", "city:oslo", valid_from="2020-01-01", valid_to="2021-01-01")
    seq = memory.moment().as_of
    past = memory.as_of(seq)
    assert past.claims("person:ana").claims == []
    assert len(past.claims("person:ana", valid_at="2020-06-01").claims) == 1


def test_what_is_in_quarantine_today_is_withheld_from_the_past(memory: Memory[Any]) -> None:
    poison = memory.record_event("The password of the router is swordfish", features=["router"])
    claim = memory.assert_claim("router:one", "password", "swordfish")
    place = memory.assert_claim("place:trap", "is_a", "chest")
    seq = memory.moment().as_of
    assert poison in memory.as_of(seq).get_context("password of the router").refs
    memory.judge(dict.fromkeys((poison, claim, place), "quarantine"), reason="poison")
    past = memory.as_of(seq)
    assert past.moment().withheld == 3
    assert poison not in past.get_context("password of the router", min_confidence=0.0).refs
    assert "swordfish" not in str(past.get_context("password of the router", min_confidence=0.0))
    assert "swordfish" not in str(past.timeline(count=50)) + str(past.claims("router:one"))
    assert past.places("chest").places == []
    seen = memory.as_of(seq, quarantined=True)
    assert poison in seen.get_context("password of the router").refs and seen.moment().withheld == 0
    memory.reinstate(poison)
    assert poison in memory.as_of(seq).get_context("password of the router").refs
    assert memory.as_of(seq).moment().withheld == 2


def test_a_quarantine_outlives_what_it_was_of(memory: Memory[Any]) -> None:
    poison = memory.record_event("The password of the router is swordfish")
    claim = memory.assert_claim("router:one", "password", "swordfish")
    seq = memory.moment().as_of
    memory.judge(dict.fromkeys((poison, claim), "quarantine"), reason="poison")
    memory.judge({claim: "reject"}, reason="it is false")
    memory.set_policy(nodes_max=1_000)
    memory.record_many([{"text": f"Later {number}"} for number in range(1_600)])
    with pytest.raises(UnknownNodeError):
        memory.describe(poison)
    past = memory.as_of(seq)
    assert past.moment().withheld == 2
    assert "swordfish" not in str(past.timeline(count=50)) + str(past.claims("router:one", history=True))


def test_what_is_withheld_is_explained_to_nobody_but_an_auditor(memory: Memory[Any]) -> None:
    secret = memory.record_event("The password is swordfish")
    recall = memory.get_context("What is the password?").recall_id
    assert recall is not None
    act = memory.record_event("Logged in", informed_by=[recall], caused_by=[secret])
    seq = memory.moment().as_of
    memory.judge({secret: "quarantine"}, reason="secret")
    past = memory.as_of(seq)
    assert "swordfish" not in str(past.explain_action(act))
    with pytest.raises(UnknownActionError):
        past.explain_action(secret)
    assert "swordfish" in str(memory.as_of(seq, quarantined=True).explain_action(act))


def test_a_time_that_has_not_come_yet_moves_no_seq(memory: Memory[Any]) -> None:
    memory.assert_claim("person:ana", "lives_in", "city:rome", valid_to="2999-01-01")
    draft = Drafter("me/agent", "me", "past").record_event("From the future")
    memory.engine.log.append_dated([(draft.key, draft.value, 10**16)])
    memory.record_event("Now")
    seq = memory.moment().as_of
    assert len(memory.as_of(seq).claims("person:ana").claims) == 1


def test_the_same_read_twice_gives_the_same_bytes(memory: Memory[Any]) -> None:
    def told() -> str:
        answer = memory.as_of(7).get_context("the way", k=5)
        return str(answer) + answer.text()

    first = told()
    for number in range(5):
        memory.record_event(f"Later {number} on the way")
    assert told() == first


def test_refused_commands_after_a_seq_are_not_of_it(memory: Memory[Any]) -> None:
    at_ten = memory.as_of(10).digest()
    draft = Drafter("me/agent", "me", "past").log_outcome("01900000-0000-7000-8000-000000000000", -1, kind="outage")
    assert memory.engine.submit(draft).refused is not None
    later = memory.as_of(datetime.now(UTC))
    assert (later.moment().as_of, later.digest() == at_ten) == (10, False), "what was refused is known by then"
    assert memory.as_of(10).digest() == at_ten
