"""What an output used: cited, said in its words, or neither; and what it says that it did not use."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from yggdrasil_projections.retrieval.errors import InvalidAskError
from yggdrasil_projections.retrieval.using import vectors
from yggdrasil_projections.retrieval.using.denying import denied, sentences_of, told
from yggdrasil_projections.retrieval.using.finding import OUTPUT_CHARS_MAX, AskModel, Returned, find
from yggdrasil_projections.retrieval.using.words import scores

REFS = ["a", "b", "c"]
TEXTS = [
    ["Ana moved to Kyoto in 2019"],
    ["The deploy on Friday broke the site for an hour"],
    ["The deploy key is in the vault, and rotates every 30 days"],
]
ASKED = Returned(REFS, TEXTS, "What do we know of the deploy?")


def used(output: str, **how: object) -> list[str]:
    return find(ASKED, output, **how).used  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("output", "refs"),
    [
        ("Wait until Monday [m2].", ["b"]),
        ("As [m2][m1] say, and [m3, m1].", ["a", "b", "c"]),
        ("Wait [m2]; I did not use [m3].", ["b"]),
        ("I relied on [m1] rather than [m2].", ["a"]),
        ("Not from [m1], but from [m3].", ["c"]),
        ("As for [m1], ignore it. The vault has it [m3].", ["c"]),
        ("[m1] and [m2] are irrelevant.", []),
        ("Do not deploy on a Friday [m2].", ["b"]),
        ("That note is wrong [m1]. Friday broke it [m2].", ["b"]),
        ("I used [m1], and [m2] is irrelevant.", ["a"]),
        ("I left out [m1], [m3] and [m2].", []),
        ("See [m9].", []),
        ("None of [m1], [m2] or [m3] answers this.", []),
        ("The notes [m1], [m2] do not say.", []),
        ("[m1] doesn't mention it; [m2] does.", ["b"]),
        ("[m1] says Kyoto, which is wrong.", []),
        ("[m1] says Kyoto, but that is out of date. Friday broke it [m2].", ["b"]),
        ("I found [m1] to be wrong.", []),
        ("I could not find it without [m1].", ["a"]),
        ("I found it without [m1].", []),
        ("Do not forget [m1]: she lives in Kyoto.", ["a"]),
        ("Don't ignore [m2].", ["b"]),
        ("Forget [m2].", []),
        ("Don't go by [m2] though.", []),
        ("[m1] a [m1] a [m1] a [m1] a [m1] a [m2]", ["a", "b"]),
        ("What is irrelevant is [m1] a [m2] a [m3] a [m1] a [m2] a [m3] a [m1]", []),
    ],
)
def test_a_label_counts_where_its_clause_does_not_deny_it(output: str, refs: list[str]) -> None:
    assert used(output, method="labels") == refs


def test_labels_decide_where_any_is_cited_and_words_where_none_is() -> None:
    by_labels = find(ASKED, "The key is in the vault. [m2]")
    assert (by_labels.method, by_labels.used) == ("labels", ["b"])
    none = find(ASKED, "I did not use [m2]. The deploy key is in the vault.")
    assert (none.method, none.used) == ("labels", [])
    by_words = find(ASKED, "The key is in the vault and rotates every 30 days.")
    assert (by_words.method, by_words.used) == ("words", ["c"])
    assert [each.label for each in by_words.scores] == ["m1", "m2", "m3"]
    assert by_words.scores[2].score > by_words.scores[1].score


@pytest.mark.parametrize(
    ("output", "refs"),
    [
        ("She moved to Kyoto, in 2019 I think.", ["a"]),
        ("Kyoto. Ana moved there in 2019", ["a"]),
        ("Don't deploy on a Friday, it broke the site the last time.", ["b"]),
        ("The deploy key is in the vault, and rotates every 90 days", []),
        ("Ana never moved to Kyoto in 2019.", []),
        ('The note that says "Ana moved to Kyoto in 2019" is not relevant here.', []),
        ("Ana moved to Kyoto in 2019. That is outdated.", []),
        ("Nothing of the kind is known to me, I am afraid.", []),
        ("Ana hat 2019 Kyoto zu ihrem Zuhause gemacht.", ["a"]),
    ],
)
def test_words_return_and_what_is_denied_or_contradicted_does_not(output: str, refs: list[str]) -> None:
    assert used(output) == refs


def test_words_that_many_of_the_returned_share_say_little() -> None:
    alike = [[f"The build of the {name} service failed on the runner"] for name in ("mail", "search", "billing")]
    found = scores("The build of the search service failed on the runner.", alike)
    assert found[1] == 1.0 and max(found[0], found[2]) < 0.3


def test_one_sentence_is_of_one_memory_and_those_that_say_it_alike() -> None:
    twice = [["Ana moved to Kyoto"], ["Ana moved to Kyoto"], ["Ana likes Kyoto tea"]]
    found = scores("Ana moved to Kyoto.", twice)
    assert found[0] == found[1] == 1.0 and found[2] < 0.3


def basis(texts: Sequence[str]) -> NDArray[np.float64]:
    """Vectors of letters: near where texts are near, as a model's are."""
    rows = np.array([[text.lower().count(chr(97 + n)) + 0.1 for n in range(26)] for text in texts], np.float64)
    unit: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def test_vectors_are_measured_from_the_background_of_their_model() -> None:
    found = vectors.scores("Ana moved to Kyoto in 2019.", TEXTS, basis)
    assert found[0] > 0.9 and found[1] == found[2] == 0.0
    shifted = vectors.scores("Ana moved to Kyoto in 2019.", TEXTS, lambda texts: _lifted(basis(texts)))
    assert shifted[0] == pytest.approx(found[0], abs=0.05), "a model whose vectors are all alike says the same"
    assert vectors.scores("No.", TEXTS, basis) == [0.0, 0.0, 0.0]


def test_what_was_forgotten_is_not_embedded() -> None:
    def picky(texts: Sequence[str]) -> NDArray[np.float64]:
        assert all(text.strip() for text in texts), "hosted models refuse an empty text"
        return basis(texts)

    found = vectors.scores("Ana moved to Kyoto in 2019.", [[], *TEXTS, [" "]], picky)
    assert (found[0], found[4]) == (0.0, 0.0) and found[1:4] == vectors.scores(
        "Ana moved to Kyoto in 2019.", TEXTS, basis
    )


def _lifted(
    rows: NDArray[np.float64],
) -> NDArray[np.float64]:
    more = np.hstack([rows, np.ones((len(rows), 1))])
    unit: NDArray[np.float64] = more / np.linalg.norm(more, axis=1, keepdims=True)
    return unit


def _saying(numbers: list[Any]) -> AskModel:
    return lambda _output, _texts: numbers


def test_a_model_is_given_numbered_texts_and_checked() -> None:
    given: list[object] = []

    def model(output: str, texts: Sequence[str]) -> list[int]:
        given.append((output, list(texts)))
        return [3, 1, 3]

    found = find(ASKED, "Something.", "model", ask_model=model)
    assert (found.used, found.method) == (["a", "c"], "model")
    assert given == [("Something.", [text for (text,) in TEXTS])]
    for wrong in ([0], [4], [True], ["1"]):
        with pytest.raises(InvalidAskError, match="there are texts 1 to 3"):
            find(ASKED, "Something.", "model", ask_model=_saying(wrong))


def test_what_cannot_be_looked_at_is_refused_and_what_is_too_long_is_said() -> None:
    for output, method, says in (
        (" \n", None, "no output"),
        (7, None, "output is the text"),
        ("x", "vectors", "takes an embedder"),
        ("x", "model", "takes a model"),
        ("x", "guess", "method is one of labels"),
    ):
        with pytest.raises(InvalidAskError, match=says):
            find(ASKED, output, method)  # type: ignore[arg-type]
    long = find(ASKED, "x " * OUTPUT_CHARS_MAX + "[m1]")
    assert (long.left_out, long.used) == (OUTPUT_CHARS_MAX + 4, [])


@pytest.mark.parametrize(
    ("sentence", "denies"),
    [
        ("The bread was stale twice.", False),
        ("Do not use trypsin for that.", False),
        ("The alarm was ignored on Friday.", False),
        ("The rule no longer applies on Mondays.", False),
        ("Leave it out of the soup.", False),
        ("Contrary to what was noted, it opens at nine.", True),
        ("That no longer holds.", True),
        ("None of the notes says so.", True),
        ("The record does not say when.", True),
        ("None of the three bridges is open.", False),
        ("The bread does not contain milk.", False),
        ("Do not forget the notes for the meeting.", False),
        ("I haven't used the second record.", True),
        ("It opens at nine, whatever the note says.", True),
    ],
)
def test_a_denial_is_of_a_record_and_not_of_a_thing(sentence: str, denies: bool) -> None:
    assert denied(sentence) is denies


def test_sentences_end_where_they_do() -> None:
    assert sentences_of('Ask Dr. Okafor. He said: "No." Then he left!\nOk') == [
        "Ask Dr. Okafor.", 'He said: "No."', "Then he left!", "Ok",
    ]  # fmt: skip
    assert told(["It opens at nine.", "That is outdated.", "The key is with Leo."]) == ["The key is with Leo."]
