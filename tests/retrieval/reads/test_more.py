"""An answer says how much else is near enough, and its cursor brings that: nothing twice, and nothing left out."""

import base64
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.size import turns
from yggdrasil import Context, Event, InvalidAskError, Memory, More, Where
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_projections.retrieval.asks import CURSOR_CHARS_MAX, Ask
from yggdrasil_projections.retrieval.cursor import TOLD_MAX, cursor_after, told_before
from yggdrasil_projections.retrieval.ranking.rankers import RANKER
from yggdrasil_projections.retrieval.reads.learning.searched import AskSimilarCases
from yggdrasil_schemas.graph.records import node_number

WHO = "Who is on the enterprise plan?"
NAMES = (
    "ada ben cleo dan eva finn gus hana ivo jana kai lia mio nora otto pia quin rosa sven tara uwe vera wim xena yara"
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Any]]:
    with Memory.open(tmp_path / "memory", "more/one", partitions=1) as opened:
        opened.record_many([Event(f"Boat {number} lay at anchor in the bay") for number in range(40)])
        yield opened


@pytest.fixture
def customers(memory: Memory[Any]) -> list[str]:
    return [memory.record_event(f"{name.title()} is on the enterprise plan") for name in NAMES.split()]


def pages(memory: Memory[Any], query: str = WHO, **given: Any) -> list[Context]:
    found = [memory.get_context(query, **given)]
    while found[-1].more is not None and found[-1].more.cursor is not None:
        found.append(memory.get_context(query, more=found[-1].more, **given))
    return found


def told(answers: list[Context]) -> list[str]:
    return [ref for answer in answers for ref in answer.refs]


def test_ten_of_twenty_five_say_so(memory: Memory[Any], customers: list[str]) -> None:
    found = memory.get_context(WHO)
    assert len(found.found) == 10
    assert found.more is not None and (found.more.count, found.more.exact) == (15, True)
    assert found.text().endswith("\n15 more memories are near enough: ask for more.")


@pytest.mark.parametrize("given", [{}, {"k": 4}, {"k": 10}, {"k": 50}, {"tokens_max": 40}, {"k": 7, "tokens_max": 30}])
@pytest.mark.parametrize("record", [True, False])
def test_its_pages_hold_all_of_them_once(
    memory: Memory[Any], customers: list[str], given: dict[str, Any], record: bool
) -> None:
    answers = pages(memory, record=record, **given)
    assert sorted(told(answers)) == sorted(customers)
    left = [25 - len(told(answers[: place + 1])) for place in range(len(answers))]
    assert [answer.more.count if answer.more else 0 for answer in answers] == left


def test_what_is_new_is_told_and_what_was_withdrawn_is_not(memory: Memory[Any], customers: list[str]) -> None:
    first = memory.get_context(WHO)
    gone = next(ref for ref in customers if ref not in first.refs)
    memory.withdraw(gone, "it left")
    new = [memory.record_event(f"{name} is on the enterprise plan") for name in ("Zoe", "Zeno")]
    assert first.more is not None
    second = memory.get_context(WHO, more=first.more.cursor)
    assert second.more is not None and second.more.count == 15 - 1 + 2 - 10
    third = memory.get_context(WHO, more=second.more)
    assert third.more is None
    assert sorted(told([first, second, third])) == sorted({*customers, *new} - {gone})


def test_what_says_again_what_was_told_is_not_told(memory: Memory[Any], customers: list[str]) -> None:
    first = memory.get_context(WHO)
    again = memory.record_event(first.found[0].memory.text)
    assert first.more is not None
    rest = [memory.get_context(WHO, more=first.more, k=50)]
    assert again not in told(rest) and sorted(told([first, *rest])) == sorted(customers)


def test_a_page_may_be_of_another_size(memory: Memory[Any], customers: list[str]) -> None:
    first = memory.get_context(WHO, k=3)
    assert first.more is not None
    rest = memory.get_context(WHO, k=50, more=first.more)
    assert sorted(told([first, rest])) == sorted(customers) and rest.more is None


def test_principles_and_lessons_are_told_once(memory: Memory[Any], customers: list[str]) -> None:
    rule = memory.record_event("Never change a plan without asking")
    memory.pin(rule, principle=True)
    first = memory.get_context(WHO, features=["plan"])
    assert first.more is not None and [each.memory.ref for each in first.principles] == [rule]
    second = memory.get_context(WHO, features=["plan"], more=first.more)
    assert second.found and rule not in second.refs and not second.principles and not second.foretold


def test_an_answer_that_has_told_all_says_so(memory: Memory[Any]) -> None:
    refs = [memory.record_event(f"{name} is on the enterprise plan") for name in ("Ada", "Ben")]
    first = memory.get_context(WHO, k=1)
    assert first.more is not None and first.more.count == 1
    memory.withdraw(next(ref for ref in refs if ref not in first.refs), "it left")
    second = memory.get_context(WHO, k=1, more=first.more)
    assert second.found == [] and second.more is None
    assert second.text() == "There is nothing more that is near enough."


def test_a_budget_into_which_nothing_fits_leads_nowhere(memory: Memory[Any], customers: list[str]) -> None:
    found = memory.get_context(WHO, tokens_max=1)
    assert found.found == [] and found.more is not None
    assert (found.more.count, found.more.cursor) == (25, None)
    with pytest.raises(InvalidAskError, match="no cursor, and so nothing to go on to"):
        memory.get_context(WHO, more=found.more)


def test_of_very_many_it_is_a_bound_and_all_can_be_had(memory: Memory[Any]) -> None:
    refs = memory.record_many([Event(f"Customer c{number:03} is on the enterprise plan") for number in range(320)])
    found = memory.get_context(WHO, k=50, record=False)
    assert found.more is not None and not found.more.exact and 100 <= found.more.count < 270
    assert "At least" in found.text()
    answers = pages(memory, k=50, record=False)
    assert sorted(told(answers)) == sorted(refs)


def test_a_cursor_ends_where_a_thousand_have_been_told() -> None:
    ask = Ask("more/one", WHO)
    seqs = [node_number(3 * seq) for seq in range(1, TOLD_MAX + 2)]
    cursor = cursor_after(ask, RANKER, 10_000, seqs[:TOLD_MAX])
    assert cursor is not None and len(cursor) < 1_500
    far = [node_number(2**40 + 2**29 * seq) for seq in range(TOLD_MAX)]
    assert len(cursor_after(ask, RANKER, 2**42, far) or "") < CURSOR_CHARS_MAX
    assert cursor_after(ask, RANKER, 10_000, seqs) is None


# What is no cursor, or none of this question


def refused(memory: Memory[Any], cursor: object, query: str = WHO, **given: Any) -> str:
    with pytest.raises(InvalidAskError) as error:
        memory.get_context(query, more=cursor, **given)  # type: ignore[arg-type]
    assert str(error.value).startswith("more")
    return str(error.value)


@pytest.fixture
def cursor(memory: Memory[Any], customers: list[str]) -> str:
    more = memory.get_context(WHO, record=False).more
    assert more is not None and more.cursor is not None
    return more.cursor


@pytest.mark.parametrize("given", ["", "no", "AAAA", "ä" * 40, "A" * (CURSOR_CHARS_MAX + 1), 7, ["AAAA"], b"AAAA"])
def test_what_is_no_cursor_is_refused(memory: Memory[Any], customers: list[str], given: object) -> None:
    assert "anew" in refused(memory, given)


def test_a_torn_or_changed_cursor_is_refused(memory: Memory[Any], cursor: str) -> None:
    rng = random.Random(20261126)
    for _ in range(turns(60, 2_000)):
        at = rng.randrange(len(cursor))
        torn = rng.choice((cursor[:at], cursor[at + 1 :], cursor[:at] + rng.choice("Ax-_ =+") + cursor[at + 1 :]))
        if torn != cursor:
            refused(memory, torn)
    for padded in (cursor + "=", cursor + "A", f" {cursor}", cursor + "\n"):
        refused(memory, padded)


def test_a_cursor_is_of_one_question_with_one_filter_to_one_memory(
    memory: Memory[Any], cursor: str, tmp_path: Path
) -> None:
    other = "of another question, memory, filter or ranker"
    assert other in refused(memory, cursor, "Who is on the free plan?")
    assert other in refused(memory, cursor, where=Where(trust_min=1))
    assert other in refused(memory, cursor, where=Where(sessions=["a"]))
    assert other in refused(memory, cursor, history=True)
    assert other in refused(memory, cursor, deep=True)
    with Memory.open(tmp_path / "memory2", "more/two", partitions=1) as second:
        second.record_event("Ada is on the enterprise plan")
        assert other in refused(second, cursor)
    assert memory.get_context(WHO, more=cursor, min_confidence=0.0, k=50, features=["plan"], record=False).found


def test_a_cursor_of_a_later_state_is_refused(memory: Memory[Any], customers: list[str]) -> None:
    later = cursor_after(Ask(memory.id, WHO), RANKER, 10_000, [node_number(3)])
    assert "the memory stands at seq" in refused(memory, later)


def test_a_forged_cursor_hides_and_shows_nothing_else(memory: Memory[Any], customers: list[str]) -> None:
    """Whoever knows how a cursor is made can say that something was told, and no more than that."""
    secret = memory.record_event("Zoe is on the enterprise plan", session="hidden")
    where = Where(sessions=["default"])
    made = cursor_after(Ask(memory.id, WHO, where=where), RANKER, 3, [node_number(1), node_number(2)])
    found = memory.get_context(WHO, where=where, more=made, k=50)
    assert secret not in found.refs and set(found.refs) <= set(customers)
    beyond = cursor_after(Ask(memory.id, WHO), RANKER, 3, [node_number(1), node_number(9)])
    assert "no cursor that this memory has given" in refused(memory, beyond)


def test_similar_cases_have_no_cursor(memory: Memory[Any], cursor: str) -> None:
    with pytest.raises(InvalidAskError, match="similar cases have no cursor"):
        memory.engine.ask(memory.id, AskSimilarCases(Ask(memory.id, WHO, more=cursor)))


def test_another_encoding_of_the_same_bytes_is_refused(memory: Memory[Any], cursor: str) -> None:
    data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    for other in (
        base64.b64encode(data).decode(),
        base64.urlsafe_b64encode(data).decode(),
        base64.b16encode(data).decode(),
    ):
        if other != cursor:
            refused(memory, other)


def test_a_cursor_says_what_was_told() -> None:
    rng = random.Random(7)
    for _ in range(turns(100, 2_000)):
        as_of = rng.choice((5, 300, 10**6, 2**41))
        seqs = {rng.randint(1, as_of) for _ in range(rng.randint(0, 60))}
        nodes = frozenset(map(node_number, seqs))
        ask = Ask("more/one", rng.choice((WHO, "ßé")), where=rng.choice((None, Where(kinds=["event"]))))
        cursor = cursor_after(ask, RANKER, as_of, nodes)
        going_on = Ask(ask.memory, ask.query, where=ask.where, more=cursor)
        assert told_before(going_on, RANKER, as_of + rng.randrange(9)) == nodes


def test_every_page_is_proved(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here", "more/one", partitions=1) as memory:
        for name in NAMES.split():
            memory.record_event(f"{name.title()} is on the enterprise plan")
        answers = pages(memory, where=Where(kinds=["event"]), k=4)
        memory.record_event("Zoe is on the enterprise plan")
        answers += pages(memory)
        assert all(answer.recorded for answer in answers)
    with closing(LocalLog.open_read_only(tmp_path / "here" / "log")) as log:
        proofs = list(prove(log, tmp_path / "again", list(recalls_in(log, "more/one"))))
    assert len(proofs) == len(answers) and [proof.reason for proof in proofs if not proof.holds] == []
    assert [proof.returned_again for proof in proofs] == [answer.refs for answer in answers]


@pytest.mark.parametrize("seed", range(turns(2, 30)))
def test_pages_of_a_memory_that_grows_have_no_repeats_and_no_gaps(tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"more{seed}")
    with Memory.open(tmp_path, "more/random", partitions=1) as memory:
        memory.record_many([Event(f"Boat {number} lay at anchor") for number in range(rng.randrange(40))])

        def customer() -> str:
            return f"{''.join(rng.choices('abcdefghij', k=9))} is on the enterprise plan"

        standing = set(memory.record_many([Event(customer()) for _ in range(rng.randint(12, 40))]))
        seen: list[str] = []
        more: More | None = None
        while True:
            found = memory.get_context(WHO, k=rng.randint(1, 9), more=more, record=rng.random() < 0.5)
            seen += found.refs
            more = found.more
            if more is None:
                break
            if rng.random() < 0.4:
                standing.add(memory.record_event(customer()))
            if rng.random() < 0.3:
                gone = rng.choice(sorted(standing))
                memory.withdraw(gone, "it left")
                standing.discard(gone)
            if found.recall_id and rng.random() < 0.5:
                memory.report_use(found, ["m1"], result="success", helpful=True)
        assert len(seen) == len(set(seen))
        assert standing <= set(seen)
