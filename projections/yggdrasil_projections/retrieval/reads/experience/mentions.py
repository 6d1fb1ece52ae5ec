"""All memories of one thing in time: those that have its feature, and those whose words name it."""

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeKind, seq_of
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.names import composed

from ...asks import Where, check_count, check_filter, check_seq, check_text
from ...errors import InvalidAskError
from ...found import Answered
from ...index.admission import told
from ...index.index import MemoryIndex
from ...index.vocabulary import AS_SUCH, FEATURE_TERM
from ...lens import narrowed, seen_by
from ...memories import PAGE_BYTES, MemoryObject, content_of, describe
from ...parameters import COUNT, CountOfMany, Seq
from ...query import Query, Read, Source
from ...records import fields_in
from ...text.said import called_in, prose_in, value_of
from ...text.tokenizers import Tokenizer

LOOKED_AT_MAX: Final = 2_000
"""So many memories that have all the words of a name are read to see whether they have them side by side."""
COUNT_MAX: Final = 200
_LOOKED_AT_BYTES: Final = 1 << 20  # to split so much takes less than a second, and two where it is written in Han
_NAMES_MAX: Final = 32
_NAMES_AT_ONCE: Final = 8  # are looked for in about the time that it takes to split a text
_ENDING: Final = 1  # letters by which words that count as the same may differ: "whales", but no "Alexandra"
_WITHOUT_SPACES: Final = "\u2e80"  # from here on scripts begin that part words by none: Han, kana
_KIND: Final = re.compile(r"[^\W\d][\w-]{0,63}:(?=\S)")


@dataclass(frozen=True, slots=True)
class Mentions(Answered):
    """Memories of a thing, the latest first; ``before`` asks for what came earlier, and is None at the beginning.

    ``names`` are those that it was looked for by, the one that was asked first. ``total`` counts all that are of it and
    came before ``before`` of the question, these among them; where it is not ``exact``, there are at most so many.
    """

    of: str
    names: list[str]
    memories: list[MemoryObject]
    total: int
    exact: bool
    before: int | None
    as_of: int


class _Name(NamedTuple):
    """A name as it is looked for: as it is written, in lower case, and its words with what each counts as."""

    written: str
    words: list[tuple[str, str]]


class _Likely(NamedTuple):
    """What an index knows: the names, and the numbers of what may be of the thing, the latest first.

    Those in ``sure`` have a feature or a name of it; the others have all words of one of ``looked_for``. ``cut``: there
    are more names than are looked for.
    """

    names: list[str]
    numbers: list[int]
    sure: frozenset[int]
    looked_for: list[_Name]
    tokenizer: Tokenizer
    cut: bool


@dataclass(frozen=True, slots=True)
class AskMentions(Query[Mentions]):
    """Return all memories of a thing, the latest first: at most ``count``, fewer where texts are long.

    ``of`` names it: a feature such as "person:ana", what one says ("ana"), a name or an alias, or words that stand side
    by side in a text. What it is called otherwise is looked for too. Without ``where`` these are events and claims that
    stand; with it, what that admits. To go on, give the answer's ``before``; it is None at the beginning. It is no
    recall. Raises InvalidAskError for a name without a word that says something.
    """

    of: Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX)]
    _: KW_ONLY
    where: Where | None = None
    before: Seq | None = None
    count: CountOfMany = COUNT

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", check_filter(self.where))
        check_count("count", self.count, COUNT_MAX)
        check_seq("before", self.before)
        if not 1 <= len(check_text("of", self.of)) <= NAME_CHARS_MAX:
            raise InvalidAskError(f"of is a name of 1 to {NAME_CHARS_MAX} characters")

    def read(self, source: Source, /) -> Mentions:
        """Answer it."""

        def find(graph: Graph, index: MemoryIndex) -> _Likely:
            return _likely(seen_by(graph, self.where), index, self)

        with source.found(find) as (graph, likely):
            return _mentions(seen_by(graph, self.where), likely, self)


def _likely(graph: Graph, index: MemoryIndex, ask: AskMentions) -> _Likely:
    names = _names(graph, index, composed(ask.of))
    known, tokenizer = index.postings.number, index.tokenizer
    wanted = _admitted(index, narrowed(ask.where, trust_min_of(graph)), ask.before)
    sure, likely = np.zeros(len(wanted), np.bool_), np.zeros(len(wanted), np.bool_)
    looked_for: list[_Name] = []
    for name in names[:_NAMES_MAX]:
        as_such = [term for mark in AS_SUCH if (term := known.get(mark + name)) is not None]
        if as_such:
            sure[index.postings.rows_of(as_such)] = True
        one = _Name(_plain(_said(name)), _counted(_said(name), tokenizer))
        terms = [known.get(counted) for counted in dict.fromkeys(counted for _, counted in one.words)]
        if terms:
            looked_for.append(one)
        if terms and None not in terms:
            likely[index.postings.rows_of_all([term for term in terms if term is not None])] = True
    if not looked_for and not sure.any():
        raise InvalidAskError(f"of: {ask.of[:40]!r} has no word that says something; name a thing, such as person:ana")
    numbers = index.documents.columns.number
    found: list[int] = numbers[wanted & (sure | likely)][::-1].tolist()
    of_it = frozenset[int](numbers[wanted & sure].tolist())
    return _Likely(names[:_NAMES_MAX], found, of_it, looked_for, tokenizer, len(names) > _NAMES_MAX)


def _said(name: str) -> str:
    """Return what is said of a thing: its name, but for the kind before it."""
    return value_of(name) if _KIND.match(name) else name


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _stands_in(name: str, text: str) -> bool:
    """Return whether a name stands in a text as it is written, and is no part of a longer word. Both are plain."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (_joined(text[at - 1 : at], name[0]) or _joined(name[-1], text[end : end + 1])):
            return True
        at = text.find(name, end)
    return False


def _joined(one: str, other: str) -> bool:
    """Return whether two letters that follow each other are of one word, where spaces part words at all."""
    return one.isalnum() and other.isalnum() and max(one, other) < _WITHOUT_SPACES


def _counted(text: str, tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """Return the words of a text that say something, each with what it counts as."""
    return [(word, counted) for word in tokenizer.split(text) if (counted := tokenizer.counted_as(word))]


def _names(graph: Graph, index: MemoryIndex, of: str) -> list[str]:
    """Return the names of what is meant: as it is asked, and what the memory knows to be called just so.

    A feature with its kind is meant alone: "person:ana" is no boat of that name.
    """
    found = [of]
    if not _KIND.match(of) or graph.feature(of) is None:
        words = index.tokenizer.words(_said(of))
        just_so = " ".join(words)
        terms = [index.postings.lexicon[term] for term in index.held.names.named_by(words).get(just_so, [])]
        features = [term.removeprefix(FEATURE_TERM) for term in terms] + index.feature_names.named_by(words)
        found += [name for name in features if graph.feature(name) is not None and _is_called(index, name, words)]
        things = index.held.things.named_by(words, index.tokenizer).get(just_so, [])
        found += [name for name in things if len(graph.called(name)) > 1]  # a lens may hide that
    called = [each for name in dict.fromkeys(found) for each in graph.called(name)]
    return list(dict.fromkeys([*found, *called]))


def _is_called(index: MemoryIndex, name: str, words: list[str]) -> bool:
    return index.tokenizer.words(_said(name)) == words


def _admitted(index: MemoryIndex, where: Where | None, before: int | None) -> npt.NDArray[np.bool_]:
    wanted, kind = told(index.held, where, before), index.documents.columns.kind
    if where is None or where.kinds is None:
        wanted &= (kind == NodeKind.EVENT) | (kind == NodeKind.CLAIM)
    return wanted


def _mentions(graph: Graph, likely: _Likely, ask: AskMentions) -> Mentions:
    numbers: list[int] = []
    looked_at, read_bytes, times = 0, 0, 1 + len(likely.looked_for) // _NAMES_AT_ONCE
    left: list[int] = []
    for at, number in enumerate(likely.numbers):
        if number in likely.sure:
            numbers.append(number)
            continue
        if looked_at == LOOKED_AT_MAX or read_bytes >= _LOOKED_AT_BYTES:
            left = likely.numbers[at:]
            break
        content = content_of(graph, number)
        looked_at, read_bytes = looked_at + 1, read_bytes + times * len(content)
        if _says(fields_in(content).get("content") or {}, likely):
            numbers.append(number)
    shown = _shown(graph, numbers[: ask.count])
    before = None
    if len(shown) < len(numbers):
        before = seq_of(numbers[len(shown) - 1])
    elif left:
        before = seq_of(left[0]) + 1
    total, exact = len(numbers) + len(left), not left and not likely.cut
    return Mentions(ask.of, likely.names, shown, total, exact, before, graph.header.seq)


def _shown(graph: Graph, numbers: Sequence[int]) -> list[MemoryObject]:
    """Return memories as they are now, fewer where they are long."""
    found: list[MemoryObject] = []
    read_bytes = 0
    for number in numbers:
        if read_bytes >= PAGE_BYTES:
            break
        found.append(describe(graph, graph.expect(number)))
        read_bytes += len(content_of(graph, number)) + sum(len(outcome.text or "") for outcome in found[-1].outcomes)
    return found


def _says(content: dict[str, Any], likely: _Likely) -> bool:
    """Return whether a text, what is shown beside it, or a name has one of the names that are looked for."""
    for text in (content.get("text") or "", *prose_in(content.get("payload")), *called_in(content)):
        plain = _plain(text)
        if any(_stands_in(name.written, plain) for name in likely.looked_for):
            return True
        said = _counted(text, likely.tokenizer)
        begins: dict[str, list[int]] = {}
        for at, (_, counted) in enumerate(said):
            begins.setdefault(counted, []).append(at)
        if any(_side_by_side(said, name.words, begins.get(name.words[0][1], ())) for name in likely.looked_for):
            return True
    return False


def _side_by_side(said: list[tuple[str, str]], name: list[tuple[str, str]], begins: Sequence[int]) -> bool:
    """Return whether words that count as those of a name, and are about the same, follow each other in a text."""
    return any(len(said) - at >= len(name) and all(map(_alike, said[at : at + len(name)], name)) for at in begins)


def _alike(one: tuple[str, str], other: tuple[str, str]) -> bool:
    if one[1] != other[1]:
        return False
    word, as_said = one[0].casefold(), other[0].casefold()
    least = min(len(word), len(as_said)) - _ENDING
    return word[:least] == as_said[:least]


MENTIONS: Final = Read(
    "mentions",
    AskMentions,
    Mentions,
    "GET /mentions",
    "All memories of a thing, the latest first",
    """Return all memories of a thing, the latest first, with how many there are; `before` leads to earlier ones.

They have it as a feature or a name, or the words of one of its names side by side. Without `where` they are events
and claims that stand.""",
    example={"of": "person:ana", "count": 2},
)
