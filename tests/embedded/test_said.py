"""What the log says of a memory, page by page, and how commands stand: what a quarantine is planned from."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from yggdrasil import InvalidAskError, Memory, UnknownMemoryError
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import LogRecord
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.reads.operations.said import Said, SaidPage


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Embedded]:
    with Embedded(tmp_path / "data", partitions=1, sliced=True) as opened:
        yield opened


def memory(engine: Embedded, source: str, origin: str = "agent", of: str = "me/agent") -> Memory[Any]:
    return Memory(engine, Drafter(of, source, "test", origin))


def pages(it: Memory[Any], count: int) -> Iterator[SaidPage]:
    position = 0
    while True:
        page = it.said(position=position, count=count)
        yield page
        assert page.position > position or page.position == page.end
        position = page.position
        if position >= page.end:
            return


def all_of(it: Memory[Any], count: int = 1_000) -> list[Said]:
    return [each for page in pages(it, count) for each in page.said]


def test_pages_of_any_length_say_the_same_and_nothing_of_other_memories(engine: Embedded) -> None:
    ana, bo = memory(engine, "ana"), memory(engine, "bo", of="me/other")
    ids: list[str] = []
    for at in range(7):
        ids.append(ana.record_event(f"One {at}"))
        for _ in range(at):
            bo.record_event("Of another")
    ids.append(ana.log_outcome(ids[0], -2, kind="loss"))
    whole = all_of(ana)
    assert [each.id for each in whole] == ids and [each.seq for each in whole] == list(range(1, 9))
    assert (whole[-1].words, whole[-1].names[0].by, whole[-1].names[0].of) == (
        f"-2 loss of {ids[0]}",
        "outcome",
        ids[0],
    )
    for count in (1, 2, 3):
        assert all_of(ana, count) == whole
        assert max(len(page.said) for page in pages(ana, count)) == count
    assert ana.said(position=ana.said().end).said == []
    for name, value in (("position", 10**6), ("count", 0), ("count", 1_001)):
        with pytest.raises(InvalidAskError):
            getattr(ana, "said")(**{name: value})  # noqa: B009 - of a program without types
    with pytest.raises(UnknownMemoryError):
        memory(engine, "ana", of="me/nobody").said()


def test_a_page_passes_over_no_more_than_it_may(engine: Embedded, monkeypatch: pytest.MonkeyPatch) -> None:
    ana, bo = memory(engine, "ana"), memory(engine, "bo", of="me/other")
    first = ana.record_event("First")
    for at in range(30):
        bo.record_event(f"Of another {at}")
    last = ana.record_event("Last")
    read, asked = LocalLog.read, list[int]()

    def few(self: LocalLog, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        asked.append(offset)
        return read(self, partition, offset, 2)

    with monkeypatch.context() as patched:
        patched.setattr(LocalLog, "read", few)
        found = [[each.id for each in page.said] for page in pages(ana, 10)]
    assert found == [[first], [last]] and len(asked) == 16, "eight reads of the log for each answer"


def test_what_was_altered_refused_or_repeated_is_not_among_it(
    engine: Embedded, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = memory(engine, "ana")
    event = ana.record_event("Deployed")
    engine.submit(ana._drafter.draft("log_outcome", {"event": "01a21676-f337-78a0-9964-829a716af9e9", "value": 1.0}))
    (record,) = [each for each in engine.log.read(0, 0, 10) if b"Deployed" in cast(bytes, each.value)]
    engine.log.append(cast(bytes, record.key), cast(bytes, record.value))  # as a client does that has lost the answer
    last = ana.record_event("Done")
    assert [each.id for each in all_of(ana)] == [event, last]
    read = LocalLog.read

    def altered(self: LocalLog, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        found = read(self, partition, offset, records_max)
        return [each._replace(value=cast(bytes, each.value).replace(b"Done", b"Gone")) for each in found]

    monkeypatch.setattr(LocalLog, "read", altered)
    page = ana.said()
    assert ([each.id for each in page.said], page.altered) == ([event], 1)


@pytest.mark.parametrize(
    "noted",
    [
        {"selection": {"source": "x"}, "verdict": "quarantine", "part": 1, "parts": 1, "was": 0},
        {"selection": {"source": "x"}, "verdict": "quarantine", "part": 1, "parts": 1, "was": [0, 0]},
        {"selection": {"source": "x"}, "verdict": "quarantine", "part": 1, "parts": 1, "was": [99]},
        {"selection": {"source": "x"}, "verdict": "erase", "part": 1, "parts": 1, "was": [0]},
        {"selection": {"source": ["x"]}, "verdict": "quarantine", "part": 1, "parts": 1, "was": [0]},
        {"selection": {"other": "x"}, "verdict": "quarantine", "part": 1, "parts": 1, "was": [0]},
        {"selection": {"source": "x"}, "verdict": "quarantine", "part": "1", "parts": 1, "was": [0]},
        {"selection": {"source": "x"}, "verdict": "quarantine"},
        ["quarantine"],
    ],
)
def test_only_whole_notes_of_an_operator_are_parts_of_a_quarantine(engine: Embedded, noted: Any) -> None:
    ana, operator = memory(engine, "ana"), memory(engine, "head", "operator")
    whole = {"selection": {"source": "ana"}, "verdict": "quarantine", "part": 1, "parts": 2, "was": [0]}
    for who, note in ((ana, whole), (operator, noted), (operator, whole)):
        body = {"items": [{"node": ana.record_event("Deployed"), "verdict": "quarantine"}], "reason": "x"}
        who.say("judge", body, content={"payload": {"quarantine": note}})
    of_an_agent, broken, part = [each.quarantine for each in all_of(ana) if each.type == "judge"]
    assert of_an_agent is None and broken is None
    assert part is not None and (part.part, part.parts, part.items[0].was) == (1, 2, "active")


def test_how_commands_stand_follows_what_was_judged(engine: Embedded) -> None:
    ana, bo = memory(engine, "ana", "user"), memory(engine, "bo", "user")
    first, second = (ana.record_event(text, key="account") for text in ("Account 1", "Account 2"))
    claim, again = (who.assert_claim("person:ana", "lives_in", "city:oslo") for who in (ana, bo))
    (before,) = ana.standing([first]).commands
    assert before.node is not None and (before.node.status, before.node.instead) == ("superseded", 2)
    verdict = memory(engine, "head", "operator").judge({second: "quarantine"}, reason="looked at")
    pinned = memory(engine, "head", "operator").pin(first)
    alias = ana.alias("city:christiania", "city:oslo")
    found = {each.id: each for each in ana.standing([first, second, claim, again, verdict, pinned, alias]).commands}
    one, two = found[first].node, found[second].node
    assert one is not None and two is not None
    assert (one.status, one.pinned, one.lines) == ("active", True, None), "what gave way to it is back"
    assert (two.status, two.by, two.id, two.seq) == ("quarantined", verdict, second, found[second].seq)
    made, confirmed = found[claim].node, found[again].node
    assert made == confirmed and made is not None and made.id == claim
    assert made.lines == [found[claim].seq, found[again].seq]
    act = found[alias].act
    assert act is not None and (act.status, act.by) == ("active", None) and found[alias].node is None
    word = memory(engine, "head", "operator").say(
        "judge", {"items": [{"node": again, "verdict": "quarantine", "word": True}], "reason": "not his to say"}
    )
    (one_word,) = ana.standing([again]).commands
    assert one_word.act is not None and (one_word.act.status, one_word.act.by) == ("quarantined", word)
    assert one_word.node is not None and one_word.node.lines == [found[claim].seq]
    unknown = "01a21676-f337-78a0-9964-829a716af9e9"
    assert ana.standing([unknown]).commands == []
    for given in ([], [first] * 65, ["feature:x"], ["none"], first):
        with pytest.raises(InvalidAskError):
            ana.standing(given)


def test_over_http_they_take_the_role_audit_and_are_bounded(engine: Embedded, tmp_path: Path) -> None:
    event = memory(engine, "ana").record_event("Deployed")
    keys = {name: new_key(tmp_path / "keys.json", "me", [name], name)[1] for name in ("audit", "read", "operate")}
    with Serving(engine, Service(("127.0.0.1", 0), Keys(tmp_path / "keys.json"))) as serving:
        at = f"{serving.url}/v1/memories/me/agent"

        def status(path: str, name: str) -> int:
            return httpx2.get(at + path, headers={"Authorization": f"Bearer {keys[name]}"}).status_code

        for path in ("/said", f"/standing?commands={event}"):
            assert [status(path, name) for name in ("audit", "read", "operate")] == [200, 403, 403]
        for path in ("/said?count=1001", "/said?position=-1", "/standing", "/standing?commands=feature:x"):
            assert status(path, "audit") == 422, path
        assert status("/standing?" + "&".join([f"commands={event}"] * 65), "audit") == 422
