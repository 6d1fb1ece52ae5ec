"""Of a long text what answers is shown, within the budget; whoever asks has the whole, and every recall is proved."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Event, InvalidAskError, Memory
from yggdrasil.engines.embedding import coverage, reembed
from yggdrasil_infra.embedders import minilm
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_projections.retrieval.records import fields_in
from yggdrasil_projections.retrieval.text.passages import LONG_CHARS, pieces
from yggdrasil_schemas.commands.vectors import Piece, Vector

ABOUT = "The agenda item took an hour and nobody agreed on the wording of the minutes. "
FACT = "The boiler was serviced on the ninth of May by Ines Vidal."
MINUTES = "Minutes of the housing meeting.\n" + 12 * ABOUT + FACT + " " + 12 * ABOUT
SHORT = [f"Boat {number} lay at anchor in the bay" for number in range(20)]


@pytest.fixture
def memory(tmp_path: Path, embedder: Any) -> Iterator[Memory[Any]]:
    with Memory.open(tmp_path / "memory", "long/texts", partitions=1, embedder=embedder) as opened:
        opened.record_many([*map(Event, SHORT), Event(MINUTES, key="minutes")])
        yield opened


@pytest.mark.parametrize("given", [{}, {"k": 5}, {"tokens_max": 200}])
def test_what_is_shown_has_the_answer_and_says_where_it_stands(memory: Memory[Any], given: dict[str, Any]) -> None:
    context = memory.get_context("Who serviced the boiler?", **given)
    found = context.found[0]
    text = found.memory.text or ""
    assert FACT in text and text.startswith("Minutes of the housing meeting.") and text.endswith("…")
    assert found.excerpt is not None and found.excerpt.chars == len(MINUTES)
    assert " … ".join(MINUTES[begin:end] for begin, end in found.excerpt.spans) + " …" == text
    assert len(text) <= LONG_CHARS and found.tokens == -(-len(text) // 4)
    assert FACT in context.text()


def test_the_whole_is_there_for_whoever_asks(memory: Memory[Any]) -> None:
    whole = memory.get_context("Who serviced the boiler?", full=True).found[0]
    assert (whole.memory.text, whole.excerpt, whole.tokens) == (MINUTES, None, -(-len(MINUTES) // 4))
    described = memory.describe(whole.memory.ref)
    assert described.memory.text == MINUTES
    with pytest.raises(InvalidAskError, match="full"):
        memory.get_context("Who serviced the boiler?", full="yes")  # type: ignore[arg-type]


def test_a_budget_counts_what_is_shown(memory: Memory[Any]) -> None:
    """A whole one of six hundred tokens has no room in two hundred, and its excerpt has."""
    asked = "Who serviced the boiler?"
    assert memory.get_context(asked, tokens_max=200).found[0].excerpt is not None
    assert MINUTES not in [each.memory.text for each in memory.get_context(asked, tokens_max=200, full=True).found]


def test_short_texts_are_as_they_were_said(memory: Memory[Any]) -> None:
    context = memory.get_context("Which boat lay at anchor in the bay?", k=5)
    assert len(context.found) == 5
    assert all(each.excerpt is None and each.memory.text in SHORT for each in context.found)


def test_what_is_nearest_and_what_ended_are_shown_in_part_too(memory: Memory[Any]) -> None:
    nothing = memory.get_context("Who serviced the boiler?", min_confidence=1.0).nothing
    assert nothing is not None and nothing.nearest[0].excerpt is not None
    memory.log_outcome(memory.get_context("Who serviced the boiler?").refs[0], -2.0)
    cases = memory.get_similar_cases("The boiler was serviced")
    assert FACT in (cases.bad[0].found.memory.text or "") and cases.bad[0].found.excerpt is not None
    assert memory.get_similar_cases("The boiler was serviced", full=True).bad[0].found.memory.text == MINUTES


def test_another_question_is_shown_another_part(memory: Memory[Any]) -> None:
    memory.record_event(MINUTES.replace("hour and", "hour. The pump costs 80 crowns. It was late, and", 1), key="more")
    context = memory.get_context("What does the pump cost?")
    assert "The pump costs 80 crowns." in (context.found[0].memory.text or "")


@pytest.mark.parametrize("blanks", [" " * 40_000, "\n" * 4_000, "\u3000" * 900])
def test_blanks_between_take_no_room(memory: Memory[Any], blanks: str) -> None:
    text = f"The crane was oiled by Ines.{blanks}The crane is in the yard."
    memory.record_event(text, key="crane")
    context = memory.get_context("Who oiled the crane?", tokens_max=200)
    found = context.found[0]
    assert found.memory.text == "The crane was oiled by Ines. … The crane is in the yard."
    assert found.excerpt is not None and len(found.excerpt.spans) == 2 and context.tokens <= 200
    assert [text[begin:end] for begin, end in found.excerpt.spans] == (found.memory.text or "").split(" … ")


def test_a_line_of_a_list_is_shown_whole(memory: Memory[Any]) -> None:
    lines = [f"- item {number} costs {number} crowns and lies on shelf {number % 7}" for number in range(40)]
    memory.record_event("\n".join(["Groceries", *lines]))
    text = memory.get_context("What does item 33 of the groceries cost?", k=1).found[0].memory.text or ""
    assert lines[33] in text and all(part in lines or part in ("Groceries", "") for part in _lines(text))


def _lines(text: str) -> list[str]:
    return [line.strip() for part in text.split("…") for line in part.split("\n")]


@pytest.mark.parametrize("unit", ["boiler \u06d4", "a. ", "boiler. ", "x"])
def test_however_long_a_text_is_little_of_it_is_looked_at_often(tmp_path: Path, unit: str) -> None:
    with Memory.open(tmp_path / "memory", "long/texts", partitions=1, embedder="none") as memory:
        for at in range(3):
            memory.record_event((f"pump {at} " + unit * 100_000)[:60_000])
        for found in memory.get_context("Which pump has a boiler?", k=3).found:
            assert found.excerpt is not None and 1 <= len(found.excerpt.spans) <= 16
            assert len(found.memory.text or "") <= LONG_CHARS


def test_recalls_of_parts_and_of_wholes_are_proved(tmp_path: Path) -> None:
    asked = "Who serviced the boiler?"
    with Memory.open(tmp_path / "here", "long/texts", partitions=1, embedder="none") as memory:
        memory.record_many([*map(Event, SHORT), Event(MINUTES)])
        in_part = memory.get_context(asked, tokens_max=200)
        whole = memory.get_context(asked, tokens_max=200, full=True)
        assert in_part.refs != whole.refs
        assert in_part.versions["shown"] == "passages/1" and "shown" not in whole.versions
    with closing(LocalLog.open_read_only(tmp_path / "here" / "log")) as log:
        found = list(prove(log, tmp_path / "again", list(recalls_in(log, "long/texts"))))
    assert [one.reason for one in found] == [None, None]


def test_a_long_text_gets_the_vectors_of_its_pieces(tmp_path: Path) -> None:
    with closing(minilm()) as model, Memory.open(tmp_path / "here", "long/texts", embedder=model) as memory:
        long = memory.record_event(MINUTES)
        short = memory.record_event("The bay was full of boats")
    assert [(each.begin, each.end) for each in vector_of(tmp_path / "here", long).pieces] == pieces(MINUTES)
    assert vector_of(tmp_path / "here", short).pieces == []


def test_whoever_embeds_later_gives_a_long_text_its_pieces_too(tmp_path: Path) -> None:
    """Once: what has a vector and no pieces, as it was before there were any, gets both anew."""
    model = minilm()
    with closing(model), Memory.open(tmp_path / "here", "long/texts", partitions=1, embedder="none") as memory:
        memory.record_event(MINUTES)
        memory.record_event(MINUTES + "!", vector=model.embed_query(MINUTES))
        memory.record_event("The bay was full of boats")
        assert reembed(memory.engine, "long/texts", model) == 3
        assert reembed(memory.engine, "long/texts", model) == 0
        assert coverage(memory.engine, "long/texts", model) == (3, 3)


def test_what_was_recorded_without_pieces_gets_them(tmp_path: Path) -> None:
    """Found by a piece alone: no word of the question is in the text, and the whole is about something else."""
    near, far = bytes([127, 0]), bytes([0, 127])
    question = Vector.of("own/1", near)
    with Memory.open(tmp_path / "here", "long/texts", partitions=1, embedder="none") as memory:
        long = memory.record_event(MINUTES, vector=Vector.of("own/1", far))
        for text in SHORT:
            memory.record_event(text, vector=Vector.of("own/1", far))
        assert memory.get_context("Wer war da?", vector=question).refs[:1] != [long]
        at = MINUTES.index(FACT)
        piece = Piece.of(at, at + len(FACT), near)
        memory.attach_vector(long, Vector.of("own/1", far).model_copy(update={"pieces": [piece]}))
        found = memory.get_context("Wer war da?", vector=question).found[0]
        assert found.memory.ref == long and FACT in (found.memory.text or "")
        assert found.scores.vector == 1.0
        memory.attach_vector(long, Vector.of("own/1", far))  # in the place of that, pieces and all
        assert memory.get_context("Wer war da?", vector=question).refs[:1] != [long]


def vector_of(path: Path, ref: str) -> Vector:
    with closing(LocalLog.open_read_only(path / "log")) as log:
        records = [fields_in(each.value or b"") for each in log.read(0, 0, 100)]
    return Vector.model_validate(next(each for each in records if each["id"] == ref)["content"]["vector"])
