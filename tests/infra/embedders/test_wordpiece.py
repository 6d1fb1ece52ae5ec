"""WordPiece, against what the package `tokenizers` made of the same texts with the vocabulary of the same models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_infra.embedders.pieces.wordpiece import PIECES, tokenise, vocabulary

CASES: list[tuple[str, list[int]]] = [
    ("Where did Ana learn to sail?", [101, 2073, 2106, 9617, 4553, 2000, 9498, 1029, 102]),
    ("unaffable, embeddings!", [101, 14477, 20961, 3468, 1010, 7861, 8270, 4667, 2015, 999, 102]),
    ("Café Ångström naïve ŁÓDŹ", [101, 7668, 17076, 15687, 15743, 17814, 102]),
    ("ΟΔΟΣ ὈΔΌΣ", [101, 1169, 29722, 29730, 29733, 1169, 29722, 29730, 29733, 102]),
    (
        "東京タワー and 한국어",
        [101, 1879, 1755, 1709, 30262, 30265, 1998, 1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008, 102],
    ),
    (
        "costs $5.99 (≈ €5,50) — “really”…",
        [
            101,
            5366,
            1002,
            1019,
            1012,
            5585,
            1006,
            1606,
            1574,
            2629,
            1010,
            2753,
            1007,
            1517,
            1523,
            2428,
            1524,
            1529,
            102,
        ],
    ),
    ("a\u200bb\u00adc\x00d\ufffde\tf\ng\u3000h", [101, 5925, 3207, 1042, 1043, 1044, 102]),
    ("😀 I ❤️ it 🤖", [101, 100, 1045, 100, 2009, 100, 102]),
    ("x" * 100, [101, 22038, *[20348] * 49, 102]),
    ("x" * 101, [101, 100, 102]),
    ("", [101, 102]),
    ("   ", [101, 102]),
    ("İstanbul ﬁne ½ Ⅷ", [101, 9960, 1984, 2638, 1092, 100, 102]),
    ("user@host:~/dir_name#1", [101, 5310, 1030, 3677, 1024, 1066, 1013, 16101, 1035, 2171, 1001, 1015, 102]),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=range(len(CASES)))
def test_pieces_are_those_that_the_models_were_taught(text: str, expected: list[int]) -> None:
    assert tokenise(text, 256) == expected
    for tokens_max in range(2, len(expected)):
        assert tokenise(text, tokens_max) == [*expected[: tokens_max - 1], 102]


def test_a_mark_in_a_text_is_no_mark() -> None:
    """Otherwise whoever writes a text could end it for the model, and begin another one."""
    assert tokenise("end [SEP] begin [CLS] [MASK] [UNK]", 256).count(102) == 1
    assert {100, 103}.isdisjoint(tokenise("[MASK] [UNK]", 256))


@given(st.text(max_size=60), st.integers(2, 40))
def test_any_text_gives_pieces_that_the_models_know(text: str, tokens_max: int) -> None:
    pieces = tokenise(text, tokens_max)
    assert len(pieces) <= tokens_max
    assert (pieces[0], pieces[-1]) == (101, 102)
    assert all(0 < piece < PIECES for piece in pieces)
    assert {101, 102}.isdisjoint(pieces[1:-1])


def test_the_vocabulary_is_whole() -> None:
    known = vocabulary()
    assert len(known) == PIECES
    assert [known[mark] for mark in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")] == [0, 100, 101, 102, 103]
