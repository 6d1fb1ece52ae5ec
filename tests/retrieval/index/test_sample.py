"""What a sample of the documents shows, beside what is said of it, pair by pair."""

from math import sqrt
from random import Random

import numpy as np
import pytest

from yggdrasil_projections.retrieval.index.columns.documents import Columns, Documents
from yggdrasil_projections.retrieval.index.columns.postings import Postings
from yggdrasil_projections.retrieval.index.columns.vectors import Matrix
from yggdrasil_projections.retrieval.index.sample import UNIT, alikeness
from yggdrasil_projections.retrieval.index.standing import Alikeness, Standing
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


@pytest.mark.parametrize("count", [5, 26, 27, 60, 105])  # beside the side of a block, which is 26
@pytest.mark.parametrize("terms", [1, 40])
def test_a_sample_shows_what_its_pairs_show(count: int, terms: int) -> None:
    rng = Random(f"sample{count}/{terms}")
    said = [{rng.randrange(terms) for _ in range(rng.randrange(6))} for _ in range(count)]
    centre = [rng.randrange(-60, 61) for _ in range(DIMENSION)]
    vectors = [[value + rng.randrange(-60, 61) for value in centre] for _ in range(count)]
    zeros, ones = np.zeros(count, np.int64), np.ones(count, np.bool_)
    documents = Documents()
    kind, session = np.full(count, int(NodeKind.EVENT)), np.arange(count) % SESSIONS
    documents.extend(
        Columns(
            np.arange(1, count + 1),
            kind,
            session,
            zeros,
            zeros,
            zeros,
            zeros,
            zeros,
            ~ones,
            zeros,
            ones,
            ~ones,
            zeros,
            ~ones,
        )
    )
    postings = Postings([str(term) for term in range(2 * terms)])
    of = np.repeat(np.arange(count), [len(each) for each in said])
    numbers = np.array([term for each in said for term in sorted(each)], np.int64)
    nobody = np.empty(0, np.int64)
    features = np.arange(count), np.full(count, terms)  # of which nothing is told
    postings.extend(count, [(of, numbers), (nobody, nobody), features])
    matrix = Matrix(("model", DIMENSION))
    matrix.extend(np.arange(count, dtype=np.int32), np.array(vectors, np.int8))
    assert alikeness(Standing(documents), matrix, postings) == literally(vectors, said)
