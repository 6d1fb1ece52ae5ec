"""All memories of a thing: by its feature, its names, and the words of these in a text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from yggdrasil import Event, InvalidAskError, Memory, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.reads.experience import mentions

MEMORY: Final = "tenant/mentions"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Any]]:
    with Embedded(tmp_path / "data", partitions=1, sliced=True) as engine:
        yield Memory(engine, Drafter(MEMORY, "ana", "test", "user"))


def texts(found: mentions.Mentions) -> list[str | None]:
    return [each.text for each in found.memories]


def test_a_thing_is_found_by_feature_name_alias_and_words_and_by_nothing_else(memory: Memory[Any]) -> None:
    memory.record_event("She came early", features=["person:ana lee"])
    memory.record_event("Ana Lee likes tea")
    memory.record_event("Lee said that Ana was late")  # both words, and not side by side
    memory.record_event("A note of the boss", name="Ana Lee")
    memory.record_event("The picture", payload={"caption": "here Ana Lee waves to everybody"})
    memory.record_event("Somebody else came")
    memory.assert_claim("person:ana lee", "lives_in", "city:oslo")
    expected = ["ana lee lives in oslo", "The picture", "A note of the boss", "Ana Lee likes tea", "She came early"]
    for of in ("person:ana lee", "Ana Lee", "ana lee", "ANA LEE"):
        found = memory.mentions(of)
        assert texts(found) == expected, of
        assert (found.total, found.exact, found.before) == (5, True, None)
        assert "person:ana lee" in found.names and found.names[0] == of
    assert texts(memory.mentions("Lee"))[:3] == ["ana lee lives in oslo", "The picture", "A note of the boss"]
    memory.alias("person:lettie", "person:ana lee")
    memory.record_event("Lettie sang")
    assert texts(memory.mentions("person:ana lee")) == ["Lettie sang", *expected]
    assert texts(memory.mentions("lettie")) == ["Lettie sang", *expected]
    assert texts(memory.mentions("nobody at all")) == []


def test_pages_follow_each_other_and_count_all(memory: Memory[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    memory.record_many(
        Event(f"The blue whale of day {number}" if number % 3 else f"A whale, and blue, {number}")
        for number in range(60)
    )
    whole = texts(memory.mentions("blue whale", count=200))
    assert len(whole) == 40 and whole[0] == "The blue whale of day 59"

    def paged(count: int) -> list[str | None]:
        found: list[str | None] = []
        before: int | None = None
        while True:
            page = memory.mentions("blue whale", count=count, before=before)
            assert page.total >= len(page.memories) and len(page.memories) <= count
            found += texts(page)
            before = page.before
            if before is None:
                return found

    assert memory.mentions("blue whale", count=7).total == 40
    assert paged(7) == whole
    monkeypatch.setattr(mentions, "LOOKED_AT_MAX", 5)
    first = memory.mentions("blue whale", count=7)
    assert (len(first.memories), first.exact) == (4, False) and first.total == 4 + 55
    assert paged(7) == paged(1) == whole
    monkeypatch.setattr(mentions, "LOOKED_AT_MAX", 4)  # so that it stops at one that is of it, too
    assert paged(7) == whole
    monkeypatch.setattr(mentions, "PAGE_BYTES", 1)
    assert paged(7) == whole


def test_what_stands_is_found_and_what_a_filter_admits(memory: Memory[Any]) -> None:
    first = memory.record_event("The pool opens at nine", features=["place:pool"], key="pool/opens")
    memory.record_event("The pool opens at ten", features=["place:pool"], key="pool/opens", session="summer")
    memory.log_outcome(first, 1, text="We swam in the pool")
    memory.commit_episode([first], text="Days at the pool", thinker=None)
    assert texts(memory.mentions("pool")) == ["The pool opens at ten"]
    history = texts(memory.mentions("pool", where=Where(history=True)))
    assert history == ["The pool opens at ten", "The pool opens at nine"]
    assert texts(memory.mentions("pool", where=Where(kinds=["outcome"], history=True))) == ["We swam in the pool"]
    assert texts(memory.mentions("pool", where=Where(sessions=["summer"]))) == ["The pool opens at ten"]
    assert texts(memory.mentions("pool", where=Where(sessions=["winter"]))) == []


@pytest.mark.parametrize("of", ["蓝海饭店", "Ñandú", "Zoë Müller"])
def test_names_of_other_languages_are_names(memory: Memory[Any], of: str) -> None:
    memory.record_event(f"昨天 {of} 来了")
    memory.record_event("Nothing of that")
    assert len(memory.mentions(of).memories) == 1


def test_what_names_nothing_is_refused(memory: Memory[Any]) -> None:
    memory.record_event("Something")
    for of in ("", "   ", "?!", "x" * 129):
        with pytest.raises(InvalidAskError, match="of"):
            memory.mentions(of)


def test_words_that_only_count_alike_and_names_within_names_are_others(memory: Memory[Any]) -> None:
    memory.record_event("Alexander came", features=["person:ana smith"])
    memory.record_event("An internal affair of Christopher at the university")
    for of in ("person:alexandra", "internet", "Christine", "universal", "person:ana"):
        assert texts(memory.mentions(of)) == [], of
    memory.record_event("Whales sang, and a deployment deployed", features=["boat:ana"])
    assert len(memory.mentions("whale").memories) == len(memory.mentions("deployments").memories) == 1
    memory.record_event("Somebody sailed", features=["person:ana"])
    assert texts(memory.mentions("person:ana")) == ["Somebody sailed"], "and no boat"
    assert len(memory.mentions("ana").memories) == 2
    memory.record_event("The blue whaler met a whale", features=["blue", "whale"])
    assert texts(memory.mentions("blue whale")) == []
    memory.record_event("30 people came")
    assert texts(memory.mentions("12:30")) == []


def test_names_that_say_nothing_by_themselves_and_long_ones_are_names(memory: Memory[Any]) -> None:
    memory.record_event("They played", features=["band:The Who"])
    memory.record_event("A kindless one", features=["Blue Whale"])
    for of in ("band:The Who", "the who"):
        assert texts(memory.mentions(of)) == ["They played"]
    assert texts(memory.mentions("blue whale")) == ["A kindless one"]
    memory.record_event("one two three four five six seven eight other things")
    assert texts(memory.mentions("one two three four five six seven eight nine ten")) == []
    memory.record_event("Ich habe bei der Bank of America ein Konto und das ist nicht gut")
    assert len(memory.mentions("Bank of America").memories) == 1
    for text, of in (("昨天蓝海饭店来了", "蓝海饭店"), ("我在北京大学读书", "北京"), ("我在北京大学读书", "北京大学")):
        memory.record_event(text)
        assert text in texts(memory.mentions(of))
    assert texts(memory.mentions("京海")) == []


def test_claims_are_of_the_moment_and_what_is_trusted_less_is_not_there(memory: Memory[Any]) -> None:
    memory.assert_claim("person:zed", "lives_in", "city:oslo", valid_from="2020-01-01")
    memory.assert_claim("person:zed", "lives_in", "city:rome", valid_from="2022-01-01")
    assert texts(memory.mentions("zed", where=Where(valid_at="2021-01-01"))) == ["zed lives in oslo"]
    agent = Memory(memory.engine, Drafter(MEMORY, "bo", "test", "agent"))
    event = memory.record_event("Kim is here", features=["person:kim"])
    agent.log_outcome(event, -3, text="A secret")
    agent.alias("person:kimbo", "person:kim")
    claim = agent.assert_claim("person:kim", "likes", "food:pie")
    for trusted in (memory.mentions("kim", where=Where(trust_min=2)), memory.seen(trust_min=2).mentions("kim")):
        assert texts(trusted) == ["Kim is here"] and trusted.names == ["kim", "person:kim"]
        assert trusted.memories[0].outcomes == []
    memory.assert_claim("person:kim", "likes", "food:pie")  # the index is warm, and the trust of the claim rises
    assert [each.ref for each in memory.seen(trust_min=2).mentions("kim").memories] == [claim, event]
    assert claim in memory.seen(trust_min=2).get_context("What does Kim like?", record=False, k=5).refs


def test_counts_and_places_that_there_are_not_are_refused(memory: Memory[Any]) -> None:
    memory.record_event("A whale")
    wrong: list[dict[str, Any]] = [{"count": 0}, {"count": -1}, {"count": 201}, {"count": True}, {"before": "x"}]
    for given in wrong:
        with pytest.raises(InvalidAskError):
            memory.mentions("whale", **given)


def test_more_names_than_are_looked_for_are_told(memory: Memory[Any]) -> None:
    memory.record_many(Event(f"By {number}", [f"t{number}:sam lee"]) for number in range(40))
    found = memory.mentions("sam lee", count=200)
    assert (len(found.names), found.exact) == (32, False)
