"""No parser of ours that walks over text from outside takes more than linear time, whatever the text is made of.

Patterns are found by themselves (``test_patterns``); a loop of ours is not, so each parser of text is named here: one
that is new belongs in the table. Front matter, Markdown and exports, and what hooks read, have tests of their own.
"""

import random
from collections.abc import Callable
from functools import partial
from heapq import nlargest

import pytest

from tests.worst.growth import costs, fault
from tests.worst.texts import Worst
from yggdrasil.cli.screen import clean
from yggdrasil.doors.loop import framed
from yggdrasil_processors.thinkers.chunker.greetings import greets
from yggdrasil_processors.thinkers.chunker.summary import shown
from yggdrasil_processors.thinkers.reducer import sentences as parting
from yggdrasil_processors.thinkers.reducer.grammar.clauses import statements
from yggdrasil_processors.thinkers.reducer.grammar.doubts import is_statement
from yggdrasil_processors.thinkers.reducer.grammar.subjects import About
from yggdrasil_processors.thinkers.reducer.lessons import taught
from yggdrasil_processors.thinkers.reducer.reading import read
from yggdrasil_processors.thinkers.reducer.sentences import sentences, spelt
from yggdrasil_projections.retrieval.text.english import words
from yggdrasil_projections.retrieval.text.plain import one_line, quoted, said_by
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZERS
from yggdrasil_projections.retrieval.using.denying import sentences_of, told
from yggdrasil_projections.retrieval.using.labels import cited, relied_on
from yggdrasil_projections.retrieval.using.words import scores
from yggdrasil_schemas.names import composed, name_in_words

PUMPS = (
    *(
        " ",
        "\n",
        "\t",
        "\u00a0",
        "a",
        "A",
        "a ",
        "1",
        "_",
        ".",
        ". ",
        "...\n",
        "'",
        "a'",
        "n't",
        "-",
        "a-",
        "- ",
        ":",
        "a:b ",
    ),
    *(
        ", and I ",
        "; ",
        "I am ",
        "I prefer a ",
        "The db is on version ",
        "v1.1-a",
        "ab1.",
        "x@",
        "Dr. ",
        "Hello ",
        "a:b ",
    ),
    *('"', "(", ")", "[", "[m", "[m1", "[m1]", "[m1,", "<memory", "</", "#", "\\", "\x00", "\u202e"),
    *(
        "\u0301",
        "e\u0301",
        "\u200d",
        "\U0001f600\u200d",
        "\u6f22",
        "\u304b",
        "\ud55c",
        "\u0e01\u0e33",
        "\xfc",
        "\u0130",
    ),
)
TAILS = ("", "\x01", "\n!", ".")
NOWHERE = About([], frozenset())
LARGE = 4  # texts of each parser that are tried at the full size


def claims(text: str) -> list[object]:
    return list(read(text, ["speaker:Ana"], frozenset(), "task:t", ""))


def plainness(text: str) -> list[object]:
    return [(is_statement(sentence), spelt(sentence)) for sentence in sentences(text)]


PARSERS: dict[str, Callable[[str], object]] = {
    **{f"terms of {name}": tokenizer.terms for name, tokenizer in TOKENIZERS.items()},
    "english words": words,
    "claims in sentences": claims,
    "one whole sentence": lambda text: list(statements(text, NOWHERE)),
    "what teaches": lambda text: [taught(text)],
    "sentences": plainness,
    "greetings": greets,
    "what an episode shows": shown,
    "labels that are cited": partial(cited, ["a", "b"]),
    "what an output relies on": partial(relied_on, ["a", "b"]),
    "what an output tells by itself": lambda text: told(sentences_of(text)),
    "what an output used": lambda text: scores(text, [["The key of ana is in the vault"], [text[:500]]]),
    "what an output used of ten": lambda text: scores(text, [[text[at:]] for at in range(10)]),
    "one line of a prompt": one_line,
    "a name in quotes": quoted,
    "who says it": partial(said_by, 2),
    "what a loop frames": framed,
    "what a screen shows": clean,
    "names": lambda text: (composed(text), name_in_words(text)),
}


def faults(parse: Callable[[str], object]) -> list[str]:
    texts = [Worst(lead, pump, tail) for lead in ("", "I ") for pump in PUMPS for tail in TAILS]
    texts += [Worst("", a + b, "") for a in PUMPS[::5] for b in PUMPS[::3] if a != b]
    worst = nlargest(LARGE, texts, key=lambda text: costs(parse, text.make))
    return [f"{tuple(text)}: {told}" for text in worst if (told := fault(parse, text.make))]


@pytest.mark.parametrize("name", PARSERS)
def test_every_parser_is_linear_on_its_worst_texts(name: str) -> None:
    assert faults(PARSERS[name]) == []


def test_what_is_not_linear_is_found() -> None:
    assert fault(lambda text: [text[at:].strip() for at in range(0, len(text), 4)], Worst("", "a", "").make)


def joined(text: str) -> list[str]:
    """Sentences as they were found before, in quadratic time."""
    found, begun = [], ""
    for piece in parting._END.split(text):  # pyright: ignore[reportPrivateUsage]
        begun = f"{begun} {piece}" if begun else piece
        if not parting._NO_END.search(begun):  # pyright: ignore[reportPrivateUsage]
            found.append(begun.strip())
            begun = ""
    return [one for one in (*found, begun.strip()) if 0 < len(one) <= parting.SENTENCE_CHARS_MAX]


def test_sentences_are_those_that_were_found_before() -> None:
    said = [
        "Dr.",
        "No.",
        "e.g.",
        "approx.",
        "xapprox.",
        "A.",
        "hello",
        "world!",
        "I",
        "am.",
        "…",
        '"',
        "')",
        "\n",
        " ",
        "x",
    ]
    for seed in range(3_000):
        chance = random.Random(seed)
        text = "".join(chance.choice(said) + chance.choice(("", " ", "\n")) for _ in range(chance.randrange(14)))
        assert list(sentences(text)) == joined(text), f"seed {seed}: {text!r}"
