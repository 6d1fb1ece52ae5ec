"""All memories of one thing in time: those that have its feature, and those whose words name it."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
from pydantic import Field

from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeKind, node_number, seq_of
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.names import composed

from ...asks import Where, check_filter, check_text
from ...errors import InvalidAskError
from ...found import Answered
from ...index.admission import Admission
from ...index.index import MemoryIndex
from ...index.vocabulary import AS_SUCH, FEATURE_TERM
from ...lens import admitted, happening, narrowed
from ...memories import PAGE_BYTES, MemoryObject, content_of, describe
from ...parameters import COUNT, CountOfMany, Seq
from ...query import Query, Read, Source, sent_of
from ...records import fields_in
from ...text.said import called_in, prose_in, value_of
from ...text.tokenizers import Tokenizer

LOOKED_AT_MAX: Final = 2_000
"""So many memories that have all the words of a name are read to see whether they have them side by side."""
_LOOKED_AT_BYTES: Final = 16 << 20
_WORDS_MAX: Final = 8  # of one name
_NAMES_MAX: Final = 32
_NUMBER_MAX: Final = 2**63 - 1
Rows = npt.NDArray[np.int64]


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


class _Likely(NamedTuple):
    """What an index knows: the names, and the numbers of what may be of the thing, the latest first.

    Those in ``sure`` have a feature or a name of it, or a word that is all of one; ``phrases`` are the others' words.
    """

    names: list[str]
    numbers: list[int]
    sure: frozenset[int]
    phrases: list[tuple[str, ...]]
    tokenizer: Tokenizer


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
        if not 1 <= len(check_text("of", self.of)) <= NAME_CHARS_MAX:
            raise InvalidAskError(f"of is a name of 1 to {NAME_CHARS_MAX} characters")

    def read(self, source: Source, /) -> Mentions:
        """Answer it."""
        with source.found(lambda graph, index: _likely(graph, index, self)) as (graph, likely):
            return _mentions(graph, likely, self)

    def sent(self) -> dict[str, Any]:
        """Return what is sent of it over HTTP."""
        where = {} if self.where is None else {"where": orjson.dumps(self.where.given()).decode()}
        return sent_of(self) | where


def _likely(graph: Graph, index: MemoryIndex, ask: AskMentions) -> _Likely:
    names = _names(graph, index, ask.of)
    phrases = [tuple(index.tokenizer.terms(value_of(name))[:_WORDS_MAX]) for name in names]
    if not any(phrases):
        raise InvalidAskError(f"of: {ask.of[:40]!r} has no word that says something; name a thing, such as person:ana")
    wanted = _admitted(index, narrowed(ask.where, trust_min_of(graph)), ask.before)
    sure, likely = np.zeros(len(wanted), np.bool_), np.zeros(len(wanted), np.bool_)
    known = index.postings.number
    for name, phrase in zip(names, phrases, strict=True):
        as_such = [term for mark in AS_SUCH if (term := known.get(mark + name)) is not None]
        if as_such:
            sure[index.postings.rows_of(as_such)] = True
        terms = [known.get(word) for word in dict.fromkeys(phrase)]
        if phrase and None not in terms:
            rows = _having(index, [term for term in terms if term is not None])
            (sure if len(phrase) == 1 else likely)[rows] = True
    numbers = index.documents.columns.number
    found: list[int] = numbers[wanted & (sure | likely)][::-1].tolist()
    apart = [phrase for phrase in dict.fromkeys(phrases) if len(phrase) > 1]
    return _Likely(names, found, frozenset(numbers[wanted & sure].tolist()), apart, index.tokenizer)


def _names(graph: Graph, index: MemoryIndex, of: str) -> list[str]:
    """Return the names of what is meant: as it is asked, and what the memory knows to be called just so."""
    of = composed(of)
    words = index.tokenizer.words(value_of(of))
    just_so = " ".join(words)
    terms = [index.postings.lexicon[term] for term in index.held.names.named_by(words).get(just_so, [])]
    features = [name for term in terms if graph.feature(name := term.removeprefix(FEATURE_TERM)) is not None]
    things = index.held.things.named_by(words, index.tokenizer).get(just_so, [])
    otherwise = [name for name in things if len(graph.called(name)) > 1]  # a lens may hide that
    names = dict.fromkeys([of, *features, *otherwise])
    called = [each for name in names for each in graph.called(name)]
    return list(dict.fromkeys([*names, *called]))[:_NAMES_MAX]


def _admitted(index: MemoryIndex, where: Where | None, before: int | None) -> npt.NDArray[np.bool_]:
    columns = index.documents.columns
    stands = admitted(where, columns.status, columns.stale, columns.trust) & happening(where, columns.note)
    wanted = Admission(index.held, where or Where()).standing(stands)
    if where is None or where.kinds is None:
        wanted &= (columns.kind == NodeKind.EVENT) | (columns.kind == NodeKind.CLAIM)
    if before is not None:
        wanted &= columns.number < min(node_number(max(before, 0)), _NUMBER_MAX)
    return wanted


def _having(index: MemoryIndex, terms: Sequence[int]) -> Rows:
    """Return the rows of what has all of some terms."""
    rows = [index.postings.posting(term).rows for term in terms]
    rows.sort(key=len)
    found = rows[0]
    for each in rows[1:]:
        found = found[np.isin(found, each)]
    return found.astype(np.int64)


def _mentions(graph: Graph, likely: _Likely, ask: AskMentions) -> Mentions:
    numbers: list[int] = []
    looked_at = read_bytes = 0
    left: list[int] = []
    for at, number in enumerate(likely.numbers):
        if number in likely.sure:
            numbers.append(number)
            continue
        if looked_at == LOOKED_AT_MAX or read_bytes >= _LOOKED_AT_BYTES:
            left = likely.numbers[at:]
            break
        content = content_of(graph, number)
        looked_at, read_bytes = looked_at + 1, read_bytes + len(content)
        if _says(fields_in(content).get("content") or {}, likely.phrases, likely.tokenizer):
            numbers.append(number)
    shown = _shown(graph, numbers[: ask.count])
    before = None
    if len(shown) < len(numbers):
        before = seq_of(numbers[len(shown) - 1])
    elif left:
        before = seq_of(left[0]) + 1
    total = len(numbers) + len(left)
    return Mentions(ask.of, likely.names, shown, total, not left, before, graph.header.seq)


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


def _says(content: dict[str, Any], phrases: Sequence[tuple[str, ...]], tokenizer: Tokenizer) -> bool:
    """Return whether a text, what is shown beside it, or a name has the words of one of some phrases side by side."""
    for text in (content.get("text") or "", *prose_in(content.get("payload")), *called_in(content)):
        said = tokenizer.terms(text)
        for phrase in phrases:
            if any(tuple(said[at : at + len(phrase)]) == phrase for at in _places(said, phrase[0])):
                return True
    return False


def _places(said: Sequence[str], word: str) -> list[int]:
    return [at for at, each in enumerate(said) if each == word]


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
