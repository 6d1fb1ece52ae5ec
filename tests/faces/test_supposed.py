"""A history that never was is read alike where the memory is kept and at a service, read by read."""

from typing import Any

import pytest

from tests.faces.test_reads import BY_ROW, House, house, in_python
from yggdrasil import InvalidAskError
from yggdrasil_projections.retrieval.query import Read

__all__ = ["house"]  # a fixture


@BY_ROW
def test_it_is_the_same_over_every_face(house: House, read: Read[Any]) -> None:
    seq = house.here.moment().as_of
    here, remote = (
        memory.what_if(policy={"salience_initial": 2.0}, as_of=seq) for memory in (house.here, house.remote)
    )
    expected = in_python(here, house, read)
    if read.moments:  # it compares two moments, and would need another history at each
        with pytest.raises(InvalidAskError, match="there is no read"):
            in_python(remote, house, read)
        return
    assert in_python(remote, house, read) == expected
