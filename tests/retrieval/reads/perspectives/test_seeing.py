"""Agents with roles: what they ask under, what comes first for them, and that all of it can be proved."""

from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest

from yggdrasil import InvalidAskError, Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_schemas.errors import InvalidCommandError

COST, DELIVERY, DEFECTS = "Cost", "Delivery", "Defects"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "here", "me/agent", embedder="off", source="ana") as opened:
        opened.define(role="buyer", perspectives={COST: ["price", "invoice"], DELIVERY: ["late"]})
        opened.define(role="inspector", perspectives=[DEFECTS])
        yield opened


def texts(memory: Memory[Embedded], question: str = "What of part A7?", k: int = 10) -> list[str | None]:
    return [each.memory.text for each in memory.get_context(question, k=k).found]


def test_what_was_used_under_a_perspective_comes_first_for_whoever_asks_under_it(memory: Memory[Embedded]) -> None:
    words = ("one", "two", "three", "four", "five", "six")
    ids = memory.record_many([{"text": f"Part A7, remark {word} here"} for word in words])
    buyer, inspector = memory.as_agent("buyer"), memory.as_agent("inspector")
    for _ in range(3):
        buyer.report_use(buyer.get_context("What of part A7?", k=10), ids[4:5], result="success")
        inspector.report_use(inspector.get_context("What of part A7?", k=10), ids[5:6], result="success")
    assert texts(buyer)[0] == "Part A7, remark five here"
    assert texts(inspector)[0] == "Part A7, remark six here"
    assert texts(memory.seen(perspective=DEFECTS)) == texts(inspector)
    regards = memory.describe(ids[5]).memory.regards
    assert regards.keys() == {DEFECTS} and regards[DEFECTS] > 1.0


def test_a_role_asks_under_what_the_question_speaks_of_and_else_under_all(memory: Memory[Embedded]) -> None:
    memory.record_event("Part A7 has an invoice")
    buyer = memory.as_agent("bo", role="buyer")
    assert buyer.get_context("Is part A7 late?").perspectives == (DELIVERY,)
    assert buyer.get_context("And its costs? And part A7?").perspectives == (COST,)
    assert buyer.get_context("What of part A7?").perspectives == (COST, DELIVERY)
    assert buyer.seen(perspective=DELIVERY).get_context("The price of part A7?").perspectives == (DELIVERY,)
    assert memory.get_context("What of part A7?").perspectives == ()


def test_keywords_put_nothing_into_an_answer_that_the_question_does_not_know(memory: Memory[Embedded]) -> None:
    memory.record_event("The price of bricks went up")
    found = memory.as_agent("buyer").get_context("Who wrote the anthem of Peru?")
    assert found.nothing is not None and not found.found


def test_keywords_put_what_has_them_before_its_equals(memory: Memory[Embedded]) -> None:
    memory.record_many([{"text": f"Part A7, remark {word} here"} for word in ("one", "two", "invoice", "four")])
    assert texts(memory.as_agent("buyer"))[0] == "Part A7, remark invoice here"


def test_whatever_is_asked_under_perspectives_is_proved(memory: Memory[Embedded], tmp_path: Path) -> None:
    ids = memory.record_many([{"text": f"Part A7, remark {number} of ours"} for number in range(5)])
    buyer = memory.as_agent("buyer")
    for number in (1, 3, 3):
        buyer.report_use(buyer.get_context("What of part A7?", k=5), [ids[number]], result="success")
    memory.seen(perspective=[COST, DEFECTS]).get_similar_cases("What of part A7?")
    memory.define(role="buyer", perspectives={COST: ["brick"]})
    buyer.get_context("What of part A7?", k=2)
    memory.close()
    with LocalLog.open_read_only(tmp_path / "here" / "log") as log:
        recalls = list(recalls_in(log, "me/agent"))
        assert [each.command.body.perspectives for each in recalls][:1] == [[COST, DELIVERY]]
        assert [proof.reason for proof in prove(log, tmp_path / "again", recalls)] == [None] * len(recalls)


def test_what_is_no_role_or_perspective_is_told_with_those_that_there_are(memory: Memory[Embedded]) -> None:
    memory.record_event("Part A7 has an invoice")
    with pytest.raises(InvalidAskError, match="no role 'critic'; there are: buyer, inspector"):
        memory.as_agent("critic").get_context("What of part A7?")
    with pytest.raises(InvalidAskError, match="the role buyer has no perspective 'Defects'"):
        memory.as_agent("buyer").seen(perspective=DEFECTS).get_context("What of part A7?")
    with pytest.raises(InvalidAskError, match="at most 8"):
        memory.seen(perspective=[f"P{number}" for number in range(9)])
    with pytest.raises(InvalidAskError, match="1 to 64 characters"):
        memory.as_agent("")
    with pytest.raises(InvalidCommandError, match="not both at once"):
        memory.define("diet", role="buyer")
    with pytest.raises(InvalidCommandError, match="name the predicate, or the role"):
        memory.define(perspectives=[COST])


def test_a_page_goes_on_under_the_same_perspectives_alone(memory: Memory[Embedded]) -> None:
    memory.record_many([{"text": f"Part A7, remark {number} of ours"} for number in range(8)])
    buyer = memory.as_agent("buyer")
    first = buyer.get_context("What of part A7?", k=3)
    again = buyer.get_context("What of part A7?", k=3, more=first.more)
    assert not {each.memory.ref for each in first.found} & {each.memory.ref for each in again.found}
    with pytest.raises(InvalidAskError):
        memory.get_context("What of part A7?", k=3, more=first.more)


def test_pages_of_a_role_are_proved(memory: Memory[Embedded], tmp_path: Path) -> None:
    words = ("one", "two", "three", "four", "five", "six")
    memory.record_many([{"text": f"Part A7, invoice {word} here"} for word in words])
    buyer = memory.as_agent("buyer")
    first = buyer.get_context("The invoice of part A7?", k=2)
    assert first.perspectives == (COST,)
    buyer.get_context("The invoice of part A7?", k=2, more=first.more)
    memory.close()
    with LocalLog.open_read_only(tmp_path / "here" / "log") as log:
        recalls = list(recalls_in(log, "me/agent"))
        assert [proof.reason for proof in prove(log, tmp_path / "again", recalls)] == [None, None]


def test_nobody_stands_before_who_is_trusted_more_by_what_was_used_under_a_perspective(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", embedder="off") as store:
        user = store.memory("me/a", source="ines", origin="user")
        agent = store.memory("me/a", source="bo")
        store.memory("me/a", origin="operator").define(role="p", perspectives={COST: ["price"]})
        user.record_event("valve seven hose was replaced on monday by crew and inspected")
        own = agent.record_event("valve nine price was replaced on tuesday by group and checked", perspectives=[COST])
        seen = agent.as_agent("bo", role="p")
        question = "valve pump replaced motor somewhere"
        for _ in range(20):
            seen.report_use(seen.get_context(question, k=5), [own], result="success", helpful=True)
        assert [each.memory.trust for each in seen.get_context(question, k=5).found] == [2, 1]


def test_what_keywords_alone_find_comes_after_what_the_question_finds(memory: Memory[Embedded]) -> None:
    memory.define(role="buyer", perspectives={COST: ["price", "invoice", "budget", "discount"]})
    memory.record_event("Part A7 broke while loading the press")
    memory.record_event("Price, invoice, budget and discount of screws")
    assert texts(memory.as_agent("buyer"), "tell me about the press")[0] == "Part A7 broke while loading the press"


def test_a_name_is_the_same_however_its_accents_are_written(memory: Memory[Embedded]) -> None:
    written = normalize("NFD", "Café")
    memory.define(role=written, perspectives=[written])
    memory.record_event("Part A7 has an invoice")
    assert memory.as_agent("ana", role=written).get_context("Part A7").perspectives == ("Café",)
    with pytest.raises(InvalidCommandError, match="perspectives"):
        memory.define(role="wrong", perspectives="Cost")
    with pytest.raises(InvalidCommandError, match="was renamed, and is no perspective"):
        memory.define(role="wrong", perspectives=["Price"], renamed={"Pirce": "Cost"})
