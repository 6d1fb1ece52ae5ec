"""Which documents have a term, wherever that is kept by now, beside what was said, taken literally."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from yggdrasil_projections.retrieval.index.columns import postings as postings_module
from yggdrasil_projections.retrieval.index.columns.postings import FIELDS, Occurrences, Postings

TERMS = 5


def occurrences(said: list[Counter[int]]) -> Occurrences:
    """What some documents say in one field."""
    pairs = [(row, term) for row, terms in enumerate(said) for term in terms.elements()]
    rows, terms = (np.array(each, np.int64) for each in zip(*pairs, strict=True)) if pairs else np.empty((2, 0), int)
    return rows, terms


@pytest.mark.parametrize("seed", range(20))
def test_documents_have_the_terms_that_were_said(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms are asked for between any two additions, so that some are kept together and others are not."""
    rng = Random(f"postings{seed}")
    for name, value in (
        ("_RECENT_MAX", 60),
        ("_BULK_MIN", 150),
        ("_JOINED_MIN", rng.choice((1, 8))),
        ("_JOINED_MAX", 2),
    ):
        monkeypatch.setattr(postings_module, name, value)
    postings = Postings()
    numbers = [postings.term(f"t{number}") for number in range(TERMS)]
    literally: list[list[Counter[int]]] = []  # by row, then by field
    for _ in range(40):
        count = rng.choice((1, 2, 7, 30))
        more = [
            [Counter(rng.choices(numbers, range(1, TERMS + 1), k=rng.randrange(4))) for _ in range(FIELDS)]
            for _ in range(count)
        ]
        literally += more
        postings.extend(count, [occurrences([each[field] for each in more]) for field in range(FIELDS)])
        for term in rng.sample(numbers, rng.randrange(TERMS)):
            found = postings.posting(term)
            having = [row for row, fields in enumerate(literally) if any(each[term] for each in fields)]
            assert found.rows.tolist() == having
            assert found.times.tolist() == [[each[term] for each in literally[row]] for row in having]
    assert postings.nbytes > 0
