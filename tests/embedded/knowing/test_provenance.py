"""Who taught it is a name: source, key, command and place in the log, of claims, evidence and what is explained."""

import pytest

from yggdrasil import Provenance, Store
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.ids import keyed_process
from yggdrasil_schemas.refusals import Refused

ANA, HOME = "person:ana", "lives_in"


def check(house: Store, told: Provenance | None, source: str, key: str | None = None) -> None:
    """The command stands where it is said to stand, and is of whom it is said to be."""
    assert told is not None and (told.source, told.key) == (source, key)
    with LocalLog.open_read_only(house.engine.path / "log") as log:
        (record,) = log.read(told.place.partition, told.place.offset, 1)
    command = command_of(record.value)
    assert not isinstance(command, Refused)
    assert (command.id, command.source, command.origin) == (told.id, source, told.origin)


def test_each_source_of_a_claim_has_its_name_and_its_place(house: Store) -> None:
    event = house.memory("me/agent", source="diary", origin="user").record_event("Ana showed me her flat")
    user = house.memory("me/agent", source="ines", origin="user")
    claim = user.assert_claim(ANA, HOME, "city:oslo", evidence=[event])
    other = house.memory("me/another", source="stranger", origin="user")
    for number in range(300):
        user.record_event(f"step {number}", session="work")
        other.record_event(f"elsewhere {number}")
    house.memory("me/agent", source="registry", origin="tool").assert_claim(ANA, HOME, "city:oslo")
    for number in range(100):
        user.record_event(f"later {number}", session="work")
    house.memory("me/agent", source="census", origin="tool").verify(claim, "they counted her")
    rival = house.memory("me/agent", source="bo", origin="user").assert_claim(ANA, HOME, "city:rome")
    found = user.lineage(claim)
    assert sorted(line.told.source for line in found.lines if line.told) == ["census", "ines", "registry"]
    for line in found.lines:
        assert line.told is not None and line.told.place.seq == line.seq and line.told.trust == line.trust
        check(house, line.told, line.told.source)
    check(house, found.provenance[claim], "ines")
    check(house, found.provenance[event], "diary")
    if rival in [each.ref for each in found.rivals]:
        check(house, found.provenance[rival], "bo")


def test_the_key_is_named_with_which_it_came_over_http(house: Store) -> None:
    by_key = Drafter("me/agent", "ines", keyed_process("k-ines"), "user")
    other = Drafter("me/agent", "bo", keyed_process("k-bo"), "user")
    engine = house.engine
    claim = by_key.assert_claim(ANA, HOME, "city:oslo")
    event = by_key.record_event("Ana moved")
    done = other.record_event("We sent her a letter", caused_by=[event.id])
    outcome = other.log_outcome(done.id, 2, kind="answered")
    for draft in (claim, other.assert_claim(ANA, HOME, "city:oslo"), event, done, outcome):
        engine.submit(draft)
    memory = house.memory("me/agent")
    found = memory.lineage(claim.id)
    assert sorted((line.told.source, line.told.key) for line in found.lines if line.told) == [
        ("bo", "k-bo"),
        ("ines", "k-ines"),
    ]
    why = memory.explain_action(done.id)
    assert (why.key, why.caused_by[0].key, why.provenance[outcome.id].key) == ("k-bo", "k-ines", "k-bo")


def test_what_is_explained_names_who_said_each_part(house: Store) -> None:
    ines = house.memory("me/agent", source="ines", origin="user")
    before = house.memory("me/agent", source="bo", origin="user").record_event("We planned it", features=["deploy"])
    recall = ines.get_context("What was planned to deploy?").recall_id
    event = ines.record_event("We deployed", features=["deploy"], caused_by=[before], informed_by=[recall or ""])
    outcome = house.memory("me/agent", source="monitor", origin="tool").log_outcome(event, -3, kind="outage")
    found = ines.explain_action(event)
    (cause,), (asked,) = found.caused_by, found.informed_by
    assert (cause.source, cause.key, asked.source, asked.key) == ("bo", None, "ines", None)
    check(house, found.provenance[before], "bo")
    check(house, found.provenance[outcome], "monitor")
    returned = {then.ref: then.told for then in asked.returned}
    check(house, returned[before], "bo")
    assert all(told is None for ref, told in returned.items() if ref.startswith("feature:"))


def test_behind_a_lens_who_is_trusted_too_little_has_no_name(house: Store) -> None:
    stranger = house.memory("me/agent", source="stranger", origin="agent")
    claim = stranger.assert_claim(ANA, HOME, "city:oslo")
    user = house.memory("me/agent", source="ines", origin="user")
    user.assert_claim(ANA, HOME, "city:oslo")
    everything, trusted = user.lineage(claim), user.seen(trust_min=2).lineage(claim)
    assert everything.provenance[claim].source == "stranger"
    assert {line.told.source for line in everything.lines if line.told} == {"stranger", "ines"}
    assert claim not in trusted.provenance
    assert [line.told.source for line in trusted.lines if line.told] == ["ines"]


def test_the_past_names_who_had_said_it_by_then(house: Store) -> None:
    ines = house.memory("me/agent", source="ines", origin="user")
    claim = ines.assert_claim(ANA, HOME, "city:oslo")
    then = ines.moment().as_of
    house.memory("me/agent", source="registry", origin="tool").assert_claim(ANA, HOME, "city:oslo")
    assert [line.told.source for line in ines.as_of(then).lineage(claim).lines if line.told] == ["ines"]
    assert len([line for line in ines.lineage(claim).lines if line.told]) == 2


def test_without_its_record_in_the_log_a_source_is_what_stands_for_it(
    house: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ines = house.memory("me/agent", source="ines", origin="user")
    claim = ines.assert_claim(ANA, HOME, "city:oslo")
    house.memory("me/agent", source="registry", origin="tool").assert_claim(ANA, HOME, "city:oslo")
    monkeypatch.setattr(LocalLog, "read", lambda *_: [])
    lines = ines.lineage(claim).lines
    assert [line.told and line.told.source for line in lines] == ["ines", None] and all(line.who for line in lines)
