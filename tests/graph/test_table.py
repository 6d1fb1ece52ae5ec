"""A table that is brought up to date says the same as one that is made anew."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from yggdrasil_projections.graph.table import Table

KEYS = np.dtype([("high", ">u2"), ("low", "u1")])
ROWS = np.dtype([("value", ">u2")])

# Few keys, so that they meet; 0 and 255 at the ends, since some comparisons of byte strings end at a zero byte.
key = st.sampled_from([bytes(each) for each in ((0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 0, 255), (255, 0, 0))])
row = st.binary(min_size=2, max_size=2)
changes = st.dictionaries(key, st.none() | row)


def shown(table: Table) -> dict[bytes, bytes]:
    return {bytes(key.tobytes()): row.tobytes() for key, row in zip(table.keys, table.rows, strict=True)}


@given(stored=st.dictionaries(key, row), scans=st.lists(st.tuples(changes, changes), max_size=4))
@settings(deadline=None)
def test_refreshed_is_made_anew(stored: dict[bytes, bytes], scans: list[tuple[dict[bytes, bytes | None], ...]]) -> None:
    table = Table(sorted(stored.items()), KEYS, ROWS)
    expected: dict[bytes, bytes | None] = {**stored}
    for stale, fresh in scans:
        table.stale.update(stale)
        table.refresh(fresh)
        expected |= stale | fresh
        assert list(shown(table).items()) == sorted((each, row) for each, row in expected.items() if row is not None)


def test_a_table_of_which_half_has_changed_is_outdated() -> None:
    table = Table([(bytes((0, 0, number)), b"ab") for number in range(10)], KEYS, ROWS)
    table.stale.update({bytes((0, 0, number)): None for number in range(5)})
    assert not table.outdated
    table.stale[bytes((0, 0, 200))] = b"cd"
    assert table.outdated
