"""What a sample of the documents shows, beside what is said of it, pair by pair."""

from math import sqrt
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from yggdrasil_projections.retrieval.index import sample
from yggdrasil_projections.retrieval.index.columns.documents import Columns, Documents, Marks, mark_of
from yggdrasil_projections.retrieval.index.columns.postings import Postings
from yggdrasil_projections.retrieval.index.columns.vectors import Alikeness, Matrix, SampleKey
from yggdrasil_projections.retrieval.index.sample import SAMPLE_MAX, UNIT, alikeness
from yggdrasil_projections.retrieval.index.visible import VisibleDocuments
from yggdrasil_projections.retrieval.index.weights import weight_of
from yggdrasil_schemas.graph.records import NodeKind

DIMENSION = 384
SESSIONS = 3


def unit(one: list[int], other: list[int]) -> int:
    dot = float(sum(a * b for a, b in zip(one, other, strict=True)))
    lengths = sqrt(float(sum(a * a for a in one))) * sqrt(float(sum(b * b for b in other)))
    return round(dot / lengths * UNIT)


def most_alike(said: list[set[int]]) -> list[tuple[int, int]]:
    having = {term: sum(term in terms for terms in said) for term in set[int]().union(*said)}
    weight = {term: round(weight_of(len(said), count) * 1024) for term, count in having.items()}

    def jaccard(one: set[int], other: set[int]) -> float:
        both = sum(weight[term] for term in one | other)
        return sum(weight[term] for term in one & other) / max(both, 1)

    found: list[tuple[int, int]] = []
    for place, one in enumerate(said):
        index = [jaccard(one, other) if at != place else 0.0 for at, other in enumerate(said)]
        if max(index) > 0.0:
            found.append((place, index.index(max(index))))
    return found


def literally(vectors: list[list[int]], said: list[set[int]]) -> Alikeness:
    """Of documents that are all in the sample, and whose sessions go round."""
    count = len(vectors)
    table = [[unit(one, other) for other in vectors] for one in vectors]
    pairs = [table[one][other] for one in range(count) for other in range(one + 1, count)]
    number, total = len(pairs), sum(pairs)
    mean = total / number
    deviation = max(sqrt(max(0, number * sum(each * each for each in pairs) - total * total)) / number, 1.0)
    alike = most_alike(said)
    agreement = (sum(table[one][other] for one, other in alike) / len(alike) - mean) / deviation if alike else 0.0
    greatest = sorted(max(row[:at] + row[at + 1 :]) for at, row in enumerate(table))
    near = [table[at][at + SESSIONS] for at in range(count - SESSIONS)]
    nearer = (sum(near) / len(near) - mean) / deviation if near else 0.0
    coherence = min(1.0, max(0.0, nearer * (len(near) / (len(near) + 8.0))))
    least = (float(greatest[count // 10]) - mean) / deviation
    return Alikeness("model", mean / UNIT, deviation / UNIT, least, coherence, agreement, len(alike))


Parts = tuple[Documents, Postings, Matrix]


def appended(parts: Parts, vectors: list[list[int]], said: list[set[int]]) -> None:
    """Append events of sessions that go round, and of what they say the text; of their features nothing is told."""
    documents, postings, matrix = parts
    begin, count = len(documents), len(said)
    zeros, ones = np.zeros(count, np.int64), np.ones(count, np.bool_)
    rows, kind = np.arange(begin, begin + count), np.full(count, int(NodeKind.EVENT))
    told = zeros, zeros, zeros, zeros, zeros, ~ones, zeros, zeros
    documents.extend(Columns(rows + 1, kind, rows % SESSIONS, *told, zeros, ones, ~ones, zeros, ~ones))
    of = np.repeat(np.arange(count), [len(each) for each in said])
    numbers = np.array([term for each in said for term in sorted(each)], np.int64)
    nobody = np.empty(0, np.int64)
    features = np.arange(count), np.full(count, len(postings.lexicon) // 2)
    postings.extend(count, [(of, numbers), (nobody, nobody), features])
    matrix.extend(rows.astype(np.int32), np.array(vectors, np.int8))


def made_up(rng: Random, count: int, terms: int) -> tuple[list[list[int]], list[set[int]]]:
    said = [{rng.randrange(terms) for _ in range(rng.randrange(6))} for _ in range(count)]
    centre = [rng.randrange(-60, 61) for _ in range(DIMENSION)]
    return [[value + rng.randrange(-60, 61) for value in centre] for _ in range(count)], said


def parts_of(terms: int) -> Parts:
    return Documents(), Postings([str(term) for term in range(2 * terms)]), Matrix(("model", DIMENSION))


@pytest.mark.parametrize("count", [5, 26, 27, 60, 105])
@pytest.mark.parametrize("terms", [1, 40])
def test_a_sample_shows_what_its_pairs_show(count: int, terms: int) -> None:
    vectors, said = made_up(Random(f"sample{count}/{terms}"), count, terms)
    documents, postings, matrix = parts = parts_of(terms)
    appended(parts, vectors, said)
    assert alikeness(VisibleDocuments(documents), matrix, postings) == literally(vectors, said)


def test_a_sample_is_compared_anew_once_it_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random("carried")
    documents, postings, matrix = parts = parts_of(40)
    appended(parts, *made_up(rng, SAMPLE_MAX + 3, 40))  # of which every other one is looked at
    compared: list[int] = []
    alone = sample._alikeness

    def counting(standing: VisibleDocuments, of: Matrix, by: Postings, rows: npt.NDArray[np.int64]) -> Alikeness:
        compared.append(len(rows))
        return alone(standing, of, by, rows)

    monkeypatch.setattr(sample, "_alikeness", counting)
    known: dict[SampleKey, Alikeness] = {}

    def as_anew() -> int:
        """Compare a standing that knows earlier samples with one that does not; return how many it compared itself."""
        carried = VisibleDocuments(documents)
        carried.samples = known
        before = len(compared)
        found = alikeness(carried, matrix, postings)
        taken = len(compared) - before
        assert found == alikeness(VisibleDocuments(documents), matrix, postings)
        return taken

    assert [as_anew(), as_anew()] == [1, 0]
    appended(parts, *made_up(rng, 1, 40))  # the next of one that is looked at
    assert [as_anew(), as_anew()] == [1, 0]
    for row, times in (
        (0, 1),
        (1, 0),
    ):  # one that is looked at, and one that is not
        matrix.forget(row)
        matrix.extend(np.array([row], np.int32), np.array(made_up(rng, 1, 40)[0], np.int8))
        assert as_anew() == times
    documents.mark(np.array([0]), Marks(*map(np.array, zip(mark_of(None), strict=True))))
    assert [as_anew(), as_anew()] == [1, 0]
