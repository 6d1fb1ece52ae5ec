"""What an output used of what was returned, and by which method that was found (003, section 3.6)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from yggdrasil_schemas.commands.experience import UseMethod

from ..errors import InvalidAskError
from ..memories import MemoryObject
from . import vectors, words
from .labels import cited, relied_on

OUTPUT_CHARS_MAX: Final = 32_000
"""So much of an output is read; what is beyond is said to be left out."""
TEXT_CHARS_MAX: Final = 1_000
"""So much of a memory a model is given."""
WORDS_MIN: Final = 0.3
"""From this score on, a memory was used by its words: the seed's number, which held for both writers."""
VECTORS_MIN: Final = 0.3
"""And by vectors."""
METHODS: Final = ("labels", "words", "vectors", "model")

AskModel = Callable[[str, Sequence[str]], Sequence[int]]
"""A model that says what an output used: it is given the output and the texts, and returns numbers of texts from 1."""


@dataclass(frozen=True, slots=True)
class UseScore:
    """How sure it is that a memory was used: its reference, its label, and a score from 0 to 1 by the method."""

    ref: str
    label: str
    score: float
    used: bool


@dataclass(frozen=True, slots=True)
class UseFound:
    """What an output used of a recall: the references, by which method, and the score of each that was returned.

    ``left_out`` counts the characters of the output that were not read. ``report`` is the id of the ``report_use`` that
    says so, None where nothing was reported.
    """

    recall_id: str | None
    method: UseMethod
    used: list[str]
    scores: list[UseScore]
    left_out: int = 0
    report: str | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """What was returned: the references in the order of their labels, what each says, and what was asked."""

    refs: Sequence[str]
    texts: Sequence[Sequence[str]]
    question: str = ""


def find(
    returned: Returned,
    output: str,
    method: UseMethod | None = None,
    *,
    embed: vectors.Embed | None = None,
    ask_model: AskModel | None = None,
) -> UseFound:
    """Return what an output used of what was returned.

    Without a ``method`` it is labels where the output cites any, be it to deny them, and words otherwise. Raises
    InvalidAskError for an output that is no text, and for a method that lacks what it takes.
    """
    if not isinstance(cast(object, output), str):  # of a program without types
        raise InvalidAskError(f"output is the text that was said or written, and not {output!r:.40}")
    if not output.strip():
        raise InvalidAskError("there is no output to look at, so nothing is reported: give the text that was said")
    read = output[:OUTPUT_CHARS_MAX]
    chosen: UseMethod = method or ("labels" if cited(returned.refs, read) else "words")
    match chosen:
        case "labels":
            relied = set(relied_on(returned.refs, read))
            scores, least = [float(ref in relied) for ref in returned.refs], 1.0
        case "words":
            scores, least = words.scores(read, returned.texts, returned.question), WORDS_MIN
        case "vectors":
            if embed is None:
                raise InvalidAskError("the method vectors takes an embedder: open the memory with one, or use words")
            scores, least = vectors.scores(read, returned.texts, embed), VECTORS_MIN
        case "model":
            if ask_model is None:
                raise InvalidAskError("the method model takes a model: give it as model=..., or use words")
            scores, least = _by_model(read, returned.texts, ask_model), 1.0
        case _:
            raise InvalidAskError(f"method is one of {', '.join(METHODS)}, and not {str(method)[:40]!r}")
    found = [
        UseScore(ref, f"m{place}", score, score >= least)
        for place, (ref, score) in enumerate(zip(returned.refs, scores, strict=True), start=1)
    ]
    return UseFound(None, chosen, [each.ref for each in found if each.used], found, len(output) - len(read))


def says(one: MemoryObject) -> list[str]:
    """Return what a memory says, for comparison: its name, its text or features, and how it turned out."""
    told = [one.name, one.text or ", ".join(one.features), *(each.text for each in one.outcomes)]
    return [each for each in told if each]


def _by_model(output: str, texts: Sequence[Sequence[str]], ask_model: AskModel) -> list[float]:
    """Return 1 for each text that a model names. Raises InvalidAskError for what are no numbers of texts."""
    given = [" ".join(" ".join(each).split())[:TEXT_CHARS_MAX] for each in texts]
    named = list(ask_model(output, given)) if given else []
    for each in named:
        if isinstance(each, bool) or not isinstance(cast(object, each), int) or not 1 <= each <= len(given):
            raise InvalidAskError(f"the model named {each!r:.40}, and there are texts 1 to {len(given)}")
    return [float(place in named) for place in range(1, len(given) + 1)]
