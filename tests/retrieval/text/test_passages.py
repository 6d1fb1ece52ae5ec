"""Long texts in pieces: all of it is in one, none is too long, and none of them begins with a blank."""

from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_projections.retrieval.text.passages import LONG_CHARS, PIECE_CHARS, joined, pieces, sentences
from yggdrasil_schemas.limits import PIECES_MAX, TEXT_CHARS_MAX

TEXTS = st.lists(st.sampled_from(("a word", ". ", "\n", "?! ", "\u3002", "  ", "x" * 700, "\u00a0")), max_size=60)


@given(TEXTS)
def test_whatever_is_said_is_in_one_piece(parts: list[str]) -> None:
    text = "".join(parts)
    found = pieces(text)
    if len(text) <= LONG_CHARS:
        assert found == []
        return
    assert bool(found) == bool(text.strip())
    assert "".join("".join(text[begin:end] for begin, end in found).split()) == "".join(text.split())
    ends = 0
    for begin, end in found:
        assert ends <= begin < end <= begin + PIECE_CHARS
        assert text[begin:end].strip() == text[begin:end]
        ends = end


def test_of_the_longest_text_there_are_as_many_as_there_may_be() -> None:
    for text in ("x" * TEXT_CHARS_MAX, "A word. " * (TEXT_CHARS_MAX // 8), "\n".join("y" * 1_000 for _ in range(130))):
        assert 64 <= len(pieces(text)) <= PIECES_MAX


def test_a_piece_ends_where_a_sentence_does() -> None:
    text = "The cellar is dry. " * 40
    assert {text[begin:end][-4:] for begin, end in pieces(text)} == {"dry."}
    chinese = "\u5730\u4e0b\u5ba4\u662f\u5e72\u7684\u3002" * 100
    assert {chinese[begin:end][-1] for begin, end in pieces(chinese)} == {"\u3002"}


def test_a_line_is_a_part_however_it_ends() -> None:
    text = "Groceries\n- bread\n- salt\n"
    assert [text[begin:end] for begin, end in sentences(text, 200)] == ["Groceries", "- bread", "- salt"]
    lines = "\n".join(f"- item {number} costs {number} crowns" for number in range(60))
    assert all(lines[begin:].startswith("- item") for begin, _ in pieces(lines))


def test_what_stands_far_apart_is_apart() -> None:
    text = "One." + " " * 40 + "Two."
    assert joined(text, sentences(text, 200)) == [(0, 4), (44, 48)]


def test_sentences_that_follow_each_other_are_shown_as_they_stand() -> None:
    text = "One.  Two.\nThree. Four."
    parts = sentences(text, 200)
    assert [text[begin:end] for begin, end in parts] == ["One.", "Two.", "Three.", "Four."]
    assert joined(text, [parts[0], parts[1], parts[3]]) == [(0, 10), (18, 23)]
