"""What can be asked of a memory, in a directory and over HTTP, awaited or not: the same answers, the same errors."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.contract.logs import everything
from tests.contract.memories import USUAL, log_of, subject
from yggdrasil import Memory, Where
from yggdrasil.memory import CommandRefusedError
from yggdrasil_infra.log import Receipt
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.errors import (
    InvalidAskError,
    NotYetError,
    UnknownActionError,
    UnknownMemoryError,
    UnknownNodeError,
)
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import YggdrasilError

NEVER = "01890000-0000-7000-8000-000000000000"  # no command has it


@pytest.fixture(params=[each for each in USUAL if each != "kafka"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def receipt_of(memory: Memory[Any], command: str) -> Receipt:
    became = memory.became(command)
    assert became is not None
    return Receipt(became.place.partition, became.place.offset)


def test_an_agent_records_asks_acts_and_learns(memory: Memory[Any]) -> None:
    event = memory.record_event("Deployed on a Friday", features=["deploy", "friday"], payload={"sha": "abc"})
    outcome = memory.log_outcome(event, -3, kind="outage", text="Down for an hour")
    context = memory.get_context("Should we deploy on Friday?", k=5, tokens_max=500, session="planning")
    assert (context.refs, context.as_of, context.recorded) == ([event], 2, True)
    found = context.found[0]
    assert (found.memory.text, found.memory.payload, found.place.seq) == ("Deployed on a Friday", {"sha": "abc"}, 1)
    assert [(seen.id, seen.value) for seen in found.memory.outcomes] == [(outcome, -3.0)]
    assert 0 < found.scores.relevance <= 1
    action = memory.record_event("Waited until Monday", informed_by=[context.recall_id or ""])
    memory.report_use(context.recall_id or "", [event], result="success")
    explained = memory.explain_action(action)
    assert explained.informed_by[0].query == "Should we deploy on Friday?"
    assert explained.informed_by[0].returned[0].ref == event
    cases = memory.get_similar_cases("a deploy on friday")
    assert ([case.found.memory.ref for case in cases.bad], cases.good, cases.recorded) == ([event], [], True)
    assert cases.bad[0].value == -3.0


def test_a_note_comes_back_with_its_names_and_why_it_is_so(memory: Memory[Any]) -> None:
    note = {"name": "Rail only", "aliases": ["Gleisregel", "parcel rule"], "rationale": "Planes are dear"}
    first = memory.record_event("All parcels go over land", **note)  # type: ignore[arg-type]
    memory.record_many([{"text": "Letters go by pigeon", "name": "Pigeons"}])
    second = memory.supersede(first, "Parcels go by ship", name="Ships", aliases=["Gleisregel"])
    context = memory.get_context("What was the gleisregle?")
    assert [(each.memory.ref, each.scores.named) for each in context.found] == [(second, ["Gleisregel"])]
    assert "Ships: Parcels go by ship" in context.text()
    before = memory.history(second).memories[0]
    assert {"name": before.name, "aliases": before.aliases, "rationale": before.rationale} == note
    assert memory.get_context("Pigeons").found[0].scores.named == ["Pigeons"]


def test_notes_are_filtered_by_their_sort_and_open_questions_are_no_answers(memory: Memory[Any]) -> None:
    decision = memory.record_event("The printer stays on the second floor", note="decision")
    (question,) = memory.record_many([{"text": "Where does the printer stay?", "note": "open_question"}])
    asked = "Where does the printer stay?"
    assert memory.get_context(asked).refs == [decision]
    found = memory.get_context(asked, where=Where(notes=["open_question", "warning"])).found
    assert [(each.memory.ref, each.memory.note) for each in found] == [(question, "open_question")]
    memory.resolve(question)
    assert memory.get_context(asked, where=Where(notes=["open_question"])).refs == []


def test_labels_of_a_text_are_taken_back(memory: Memory[Any]) -> None:
    events = [memory.record_event(f"Deployed on a {day}", features=["deploy"]) for day in ("Friday", "Monday")]
    context = memory.get_context("When was deployed?", tokens_max=100, min_confidence=0.0)
    assert set(context.refs) == set(events)
    assert context.tokens_max == 100 and len(context.text()) <= 400
    assert [context.ref(label) for label in ("m1", "[m2]", events[0])] == [*context.refs, events[0]]
    assert context.cited("Not on a Friday [m2]; see also [m2, m1], [m9] and m1") == context.refs[::-1]
    with pytest.raises(InvalidAskError, match="no 'm3': its labels are m1 to m2"):
        memory.report_use(context, ["m3"])
    with pytest.raises(InvalidAskError, match="a list of references or labels"):
        memory.report_use(context, "m1")
    memory.report_use(context, ["m2", context.refs[1]], result="success")
    assert [memory.describe(ref).memory.usage for ref in context.refs] == [0, 1]
    unrecorded = memory.get_similar_cases("When was deployed?", record=False)
    with pytest.raises(InvalidAskError, match="was not recorded"):
        memory.report_use(unrecorded, [])
    refused = memory.get_context("When was deployed?", min_confidence=1.0, record=False)
    if refused.nothing is not None:
        assert all(each.uncertain for each in refused.nothing.nearest)


def test_what_is_not_recorded_changes_nothing(memory: Memory[Any]) -> None:
    memory.record_event("The key is under the mat")
    digest = memory.digest()
    context = memory.get_context("where is the key?", record=False)
    assert (context.recall_id, context.recorded, len(context.found)) == (None, False, 1)
    assert not memory.get_similar_cases("where is the key?", record=False).recorded
    assert memory.digest() == digest
    memory.get_context("where is the key?")
    assert memory.digest() != digest


def test_nodes_neighbours_and_days_are_told(memory: Memory[Any]) -> None:
    events = [
        memory.record_event(f"step {number}", features=["step", f"n{number}"], session="s") for number in range(6)
    ]
    other = memory.record_event("elsewhere", session="t")
    described = memory.describe(events[2])
    assert (described.memory.text, described.as_of) == ("step 2", 7)
    assert described.place is not None and described.place.seq == 3
    feature = memory.describe("feature:step")
    assert (feature.memory.kind, feature.memory.usage, feature.place) == ("feature", 6, None)
    near = memory.neighbourhood(events[2], count=3)
    assert (len(near.neighbours), near.degree) == (3, 4)
    weights = [each.weight for each in near.neighbours]
    assert weights == sorted(weights, reverse=True)
    whole = memory.neighbourhood(events[2], count=50)
    assert {each.ref for each in whole.neighbours} == {events[1], events[3], "feature:step", "feature:n2"}
    assert {each.ref: each.direction for each in whole.neighbours}[events[1]] == "in"
    page = memory.timeline(count=4)
    assert [each.ref for each in page.memories] == [other, *events[:2:-1]]
    rest = memory.timeline(before=page.before, count=4)
    assert ([each.ref for each in rest.memories], rest.before) == (events[2::-1], None)
    assert [each.ref for each in memory.timeline(session="t").memories] == [other]
    assert memory.timeline(session="nobody").memories == []


def test_a_timeline_of_what_a_filter_admits_and_what_stands_under_a_key(memory: Memory[Any]) -> None:
    first, second = (
        memory.record_event(f"flat {number}", features=["home"], key="ana/home", session="s") for number in (1, 2)
    )
    other = memory.record_event("bench", features=["home", "garden"], session="t", at=1_000)
    asked = memory.record_event("which colour?", features=["home"], note="open_question")
    home = Where(features_all=["home"])

    def told(**how: Any) -> list[str]:
        return [each.ref for each in memory.timeline(**how).memories]

    assert told(where=home) == [other, second], "what stands, and no question"
    assert told(where=home.having(history=True)) == [asked, other, second, first]
    assert told(where=home.having(statuses=["superseded"])) == [first]
    assert (
        told(where=home, session="t") == told(where=Where(sessions=["t"])) == told(where=Where(until=1_000)) == [other]
    )
    assert told(where=Where(features_all=["home", "garden"])) == told(where=Where(features_any=["garden"])) == [other]
    assert told(where=Where(sources=["nobody"])) == told(where=Where(features_all=["nowhere"])) == []
    page = memory.timeline(where=home, count=1)
    assert ([each.ref for each in page.memories], told(where=home, before=page.before)) == ([other], [second])
    assert [each.ref for each in memory.history(key="ana/home", standing=True).memories] == [second]
    assert [each.ref for each in memory.history(first, standing=True).memories] == [second]
    memory.withdraw(second, "sold")
    assert memory.history(key="ana/home", standing=True).memories == []
    assert memory.history(other, standing=True).memories[0].ref == other
    assert len(memory.history(key="ana/home").memories) == 2 and told(where=home) == [other]
    assert memory.history(key="nothing", standing=True).memories == []


def test_a_timeline_by_place_actor_kind_and_time(memory: Memory[Any]) -> None:
    trade = ["place:forge", "actor:smith", "kind:trade"]
    old = memory.record_event("Bought nails", features=trade, at="2025-05-01T12:00Z")
    new = memory.record_event("Bought a saw", features=trade, at="2026-05-01T12:00Z")
    slept = memory.record_event("Slept", features=["place:forge", "kind:sleep"], at="2026-05-02T12:00Z")

    def told(**how: Any) -> list[str]:
        return [each.ref for each in memory.timeline(**how).memories]

    assert told(place="forge") == told(place="place:forge") == [slept, new, old]
    assert told(place="forge", actor="smith", kind="trade") == told(kind="kind:trade") == [new, old]
    assert told(place="npc:forge") == told(actor="forge") == told(place="forge", kind="combat") == []
    assert told(since=date(2026, 5, 1)) == [slept, new] and told(until="2026-05-01") == [new, old]
    assert told(kind="trade", where=Where(until="2025-12-31")) == [old]
    assert told(where=Where(features_all=trade, since="2026-01-01")) == told(kind="trade", since="2026-01-01") == [new]
    page = memory.timeline(place="forge", count=1)
    assert told(place="forge", before=page.before) == [new, old]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"place": " "}, "place is empty"),
        ({"place": ":"}, "nothing after the colon"),
        ({"actor": "npc: "}, "nothing after the colon"),
        ({"kind": "kind:"}, "nothing after the colon"),
        ({"count": 0}, "count must lie between 1 and"),
        ({"kind": "place:forge"}, "kind is a word such as trade"),
        ({"actor": "a" * 200}, "a name has 1 to 128 characters"),
        ({"since": "soon"}, "no point in time"),
        ({"since": "2026-01-02", "until": "2026-01-01"}, "since lies after until"),
        ({"since": "2026-01-02", "where": Where(since="2026-01-01")}, "since is said twice"),
    ],
)
def test_what_no_timeline_can_be_of_is_refused(memory: Memory[Any], given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidAskError, match=said):
        memory.timeline(**given)


def test_a_timeline_of_what_was_judged(memory: Memory[Any]) -> None:
    """What was judged has the kinds of its outcomes, in a timeline as in an answer."""
    first, second = (memory.record_event(f"deploy {number}", features=["api"]) for number in (1, 2))
    memory.log_outcome(first, -2, kind="outage")
    outages = Where(features_all=["api", "outcome:outage"])

    def told(where: Where) -> list[str]:
        return [each.ref for each in memory.timeline(where=where).memories]

    assert told(outages) == told(Where(features_any=["outcome:outage"])) == [first]
    assert told(Where(features_any=["outcome:outage", "api"])) == [second, first]
    assert told(outages.having(sources=["nobody"])) == told(outages.having(until=1_000)) == []
    memory.withdraw(first, "it was another service")
    assert told(outages) == []
    assert told(outages.having(history=True)) == [first]


def test_an_edge_shows_what_is_left_of_its_permanence(memory: Memory[Any]) -> None:
    memory.set_policy(permanence_half_life_ticks=8, bad_permanence=0.5, first_outcome=1.0)
    event = memory.record_event("Deployed on a Friday", features=["friday"], session="s")
    outcome = memory.log_outcome(event, -4)
    told = {each.ref: each.permanence for each in memory.neighbourhood(event).neighbours}
    assert (told[outcome], told["feature:friday"]) == (2.0, 2.0)
    for number in range(8):
        memory.record_event(f"step {number}", session="t")
    later = {each.ref: each.permanence for each in memory.neighbourhood(event).neighbours}
    assert (later[outcome], later["feature:friday"]) == (1.0, 1.0)


def test_what_became_of_a_command_is_told_accepted_or_not(memory: Memory[Any]) -> None:
    event = memory.record_event("x")
    became = memory.became(event)
    assert became is not None
    assert (became.accepted, became.place.seq, became.reason) == (True, 1, None)
    draft = Drafter(memory.id, "agent", "test").log_outcome(NEVER, 1)
    with pytest.raises(CommandRefusedError, match="unknown_event"):
        memory.resend(draft)
    refused = memory.became(draft.id)
    assert refused is not None
    assert (refused.accepted, refused.place.seq, refused.reason) == (False, 0, "unknown_event")
    assert refused.detail
    assert memory.became(NEVER) is None


def test_what_was_appended_is_read_after_its_receipt(memory: Memory[Any]) -> None:
    after = Receipt(0, 0)
    for number in range(5):
        event = memory.record_event(f"number {number}")
        after = receipt_of(memory, event)
        assert memory.timeline(count=1, after=after).memories[0].ref == event
        assert memory.describe(event, after=after).as_of == number + 1
        assert memory.get_context("number", record=False, after=after).as_of == number + 1
    with pytest.raises(InvalidAskError, match="is in partition"):
        memory.timeline(after=Receipt((after.partition + 1) % 3, 0))
    with pytest.raises(NotYetError):
        memory.engine.wait(memory.id, Receipt(after.partition, 99), 0.05)


def test_lessons_reach_whoever_asks_and_what_is_archived_only_who_looks_deep(memory: Memory[Any]) -> None:
    events = [memory.record_event("Deployed on a Friday", features=["deploy", "friday"], session="ops") for _ in "123"]
    outcomes = [memory.log_outcome(event, -4, kind="outage", session="ops") for event in events]
    memory.record_event("Deployed on a Monday", features=["deploy"], session="ops")
    found = memory.foretell("Should we go on Friday?", features=["deploy", "never heard of"])
    assert found.features == ["deploy", "friday"]
    lesson = {one.feature: one for one in found.foretold}["friday"]
    assert lesson.valence < -0.5 and (lesson.good, lesson.bad, lesson.sureness) == (0, 3, 3 / 7)
    assert [kind.kind for kind in lesson.kinds] == ["outage"] and lesson.outcomes == outcomes[::-1]
    assert memory.get_context("friday", record=False).foretold == [lesson]
    both = memory.get_similar_cases("friday", features=["deploy"], record=False)
    assert both.foretold == found.foretold
    assert both.floor is not None and not both.bad[0].mixed and both.bad[0].remembered
    for wrong in ("friday", ["f"] * 33):
        with pytest.raises(InvalidAskError, match="features"):
            memory.foretell(features=wrong)
    memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0, sessions_open_max=1)
    memory.record_event("Lunch", session="noon")
    memory.sleep()
    assert memory.get_context("Monday", record=False).refs == []
    assert [one.memory.text for one in memory.get_context("Monday", deep=True).found[:1]] == ["Deployed on a Monday"]
    assert memory.get_context("Monday", record=False).found[0].memory.text == "Deployed on a Monday"  # it is back


def test_a_question_is_put_to_a_part_of_a_memory(memory: Memory[Any]) -> None:
    day = 1_767_225_600_000  # 2026-01-01
    ops = memory.record_event("The router was replaced", features=["router", "floor:2"], session="ops", at=day)
    desk = memory.record_event("The router was ordered", features=["router"], session="desk", at=day + 86_400_000)
    memory.log_outcome(ops, -3, kind="outage", text="Nobody could log in")
    memory.log_outcome(desk, 2, kind="cheap", session="desk")
    wheres = {
        (ops,): [
            Where(sessions=["ops"]),
            Where(features_all=["router", "outcome:outage"]),
            Where(features_any=["floor:2", "floor:3"]),
            Where(until="2026-01-01"),
            Where(until=datetime(2026, 1, 1, tzinfo=UTC), kinds=["event", "episode"]),
        ],
        (desk,): [Where(sessions=["desk", "nowhere"]), Where(since=date(2026, 1, 2), kinds=["event"])],
        (): [Where(sources=["nobody"]), Where(origins=["thinker"]), Where(sessions=["ops"], features_any=["never"])],
    }
    for found, filters in wheres.items():
        for where in filters:
            assert tuple(memory.get_context("the router", where=where, record=False).refs) == found, where
            assert tuple(memory.get_similar_cases("the router", where=where, record=False).refs) == found, where
    source = memory.get_context("the router", record=False).found[0].lineage.source
    assert set(memory.get_context("the router", where=Where(sources=[source]), record=False).refs) == {ops, desk}
    nothing = memory.get_context("the router", where=Where(sessions=["nowhere"])).nothing
    assert nothing is not None and nothing.reason == "the filter admits nothing that this memory holds"
    recorded = memory.get_context("the router", where=wheres[ops,][1])
    fields = orjson.loads(everything(log_of(memory))[-1].value or b"")
    assert fields["id"] == recorded.recall_id
    assert fields["content"]["payload"]["where"] == {"features_all": ["outcome:outage", "router"]}
    action = memory.record_event("Ordered another", informed_by=[recorded.recall_id or ""])
    assert memory.explain_action(action).informed_by[0].where == fields["content"]["payload"]["where"]


def test_a_filter_a_confidence_and_a_text_go_together(memory: Memory[Any]) -> None:
    ops = memory.record_event("The router was replaced", session="ops")
    desk = memory.record_event("The router or the printer was ordered", session="desk")
    for event in (ops, desk):
        memory.log_outcome(event, -3, kind="outage")
    asked, where = "Was the router or the printer replaced?", Where(sessions=["ops"])
    for read in (memory.get_context, memory.get_similar_cases):
        assert set(read(asked, k=10, min_confidence=0.0, record=False).refs) == {ops, desk}
        told = read(asked, where=where, min_confidence=0.0, tokens_max=100)
        assert (told.refs, told.ref("m1"), told.nothing) == ([ops], ops, None)
        assert "[m1] " in told.text() and "ordered" not in told.text() and len(told.text()) <= 400
        refused = read(asked, where=where, min_confidence=1.0, tokens_max=100)
        nothing = refused.nothing
        assert nothing is not None and nothing.filtered
        assert (nothing.acted, nothing.threshold, refused.refs) == ("confidence", 1.0, [])
        assert [(each.memory.ref, each.uncertain) for each in nothing.nearest] == [(ops, True)]
        assert refused.text().startswith("Nothing that the filter admits is a sure answer: ")
        assert "The router was replaced" in refused.text() and "ordered" not in refused.text()
        fields = orjson.loads(everything(log_of(memory))[-1].value or b"")
        assert (fields["id"], fields["body"]["returned"]) == (refused.recall_id, [])
        assert fields["body"]["parameters"] == {
            "tokens_max": 100,
            "min_confidence": 1.0,
            "shown": "passages/1",
        }
        assert fields["content"]["payload"]["where"] == {"sessions": ["ops"]}
        unfiltered = read(asked, min_confidence=1.0, record=False).nothing
        assert unfiltered is None or not unfiltered.filtered


def test_vectors_that_an_agent_supplies_are_compared(memory: Memory[Any]) -> None:
    north, east = (Vector.of("mine/1", bytes(values)) for values in ([126, 0, 16], [0, 126, 16]))
    one = memory.record_event("a note", vector=north)
    memory.record_event("another note", vector=east)
    found = memory.get_context("note", vector=north)
    assert found.refs[0] == one
    assert found.found[0].scores.vector > 0.9


def test_a_state_can_be_attested(memory: Memory[Any]) -> None:
    memory.record_event("x")
    attestation = memory.attest()
    assert (attestation.seq, attestation.digest) == (2, memory.digest())


def test_what_is_unknown_is_said_to_be(memory: Memory[Any]) -> None:
    asks: list[Callable[[], Any]] = [
        memory.digest,
        memory.timeline,
        lambda: memory.foretell("anything"),
        lambda: memory.get_context("anything"),
        lambda: memory.get_context("anything", record=False),
        lambda: memory.get_similar_cases("anything"),
        lambda: memory.foretell("anything"),
        lambda: memory.explain_action(NEVER),
        lambda: memory.describe("feature:x"),
        lambda: memory.neighbourhood("feature:x"),
        lambda: memory.became(NEVER),
    ]
    for ask in asks:
        with pytest.raises(UnknownMemoryError, match="me/agent"):
            ask()
    assert everything(log_of(memory)) == [], "asking makes no memory"
    memory.record_event("x")
    for ref in (NEVER, "feature:never"):
        with pytest.raises(UnknownNodeError, match=ref):
            memory.describe(ref)
        with pytest.raises(UnknownNodeError):
            memory.neighbourhood(ref)
    with pytest.raises(UnknownActionError):
        memory.explain_action(NEVER)
    named: list[Callable[[str], Any]] = [memory.describe, memory.neighbourhood, memory.episode, memory.dependents]
    named += [memory.lineage, memory.pin, lambda ref: memory.history(ref=ref)]
    for read in named:
        with pytest.raises(YggdrasilError, match="looks like 01a21676-"):
            read("x/y")


@pytest.mark.parametrize("k", [0, 51])
def test_what_cannot_be_meant_is_refused(memory: Memory[Any], k: int) -> None:
    with pytest.raises(InvalidAskError, match="k must lie between 1 and 50"):
        memory.get_context("x", k=k)
    with pytest.raises(InvalidAskError, match="tokens_max must lie"):
        memory.get_context("x", tokens_max=0)
