"""Where a place is, as a text: one spelling for each place, within the bounds of its realm."""

import re
from random import Random

import pytest

from yggdrasil_schemas.anchors import ANCHOR_CHARS_MAX, PATTERN, Anchor, anchor_in_words
from yggdrasil_schemas.names import claim_in_words, object_in_words

ENDS = {"a": (2**31 - 1, 2**31 - 1), "earth": (1_800_000_000, 900_000_000)}


def test_an_anchor_has_its_numbers_and_is_written_as_it_was_read() -> None:
    chest = Anchor.of("overworld/120/64/-33")
    assert chest == Anchor("overworld", 120, 64, -33) and chest.text == "overworld/120/64/-33" and not chest.is_chunk
    assert chest.centre == (120, 64, -33)
    field = Anchor.of("overworld/7/-3")
    assert field == Anchor("overworld", 7, None, -3) and field.text == "overworld/7/-3" and field.is_chunk
    assert field.centre == (120, None, -40) and field.chunk == field


@pytest.mark.parametrize(
    ("x", "cx"), [(0, 0), (15, 0), (16, 1), (-1, -1), (-16, -1), (-17, -2), (2**31 - 1, 2**27 - 1)]
)
def test_a_place_lies_in_the_chunk_of_its_block_by_sixteen(x: int, cx: int) -> None:
    chunk = Anchor("a", x, 5, -x).chunk
    assert chunk is not None and chunk.x == cx and chunk.z == -x >> 4
    assert abs(chunk.centre[0] - x) <= 8


def test_the_earth_has_no_chunks() -> None:
    assert Anchor.of("earth/107522000/12/599139000").chunk is None
    with pytest.raises(ValueError, match="the earth has no chunks"):
        Anchor.of("earth/1/1")


def test_what_is_read_is_written_the_same() -> None:
    rng = Random(1)
    for _ in range(2_000):
        realm = rng.choice(list(ENDS))
        east, north = ENDS[realm]
        x, y, z = rng.randint(-east, east), rng.randint(-(2**31) + 1, 2**31 - 1), rng.randint(-north, north)
        anchor = Anchor(realm, x, y, z)
        assert Anchor.of(anchor.text) == anchor and len(anchor.text) <= ANCHOR_CHARS_MAX
        assert re.search(PATTERN, anchor.text)
        assert (chunk := anchor.chunk) is None or Anchor.of(chunk.text) == chunk


@pytest.mark.parametrize("realm", list(ENDS))
def test_an_anchor_ends_where_its_realm_does(realm: str) -> None:
    east, north = ENDS[realm]
    for sign in (1, -1):
        assert Anchor.of(f"{realm}/{sign * east}/0/{sign * north}").x == sign * east
        for x, y, z in ((east + 1, 0, 0), (0, 2**31, 0), (0, 0, north + 1)):
            with pytest.raises(ValueError, match="within"):
                Anchor.of(f"{realm}/{sign * x}/{sign * y}/{sign * z}")


def test_a_chunk_ends_where_its_blocks_do() -> None:
    for edge in ("a/134217727/0", "a/0/-134217728"):
        x, _, z = Anchor.of(edge).centre
        assert max(abs(x), abs(z)) <= 2**31 - 1
    for beyond in ("a/134217728/0", "a/0/-134217729"):
        with pytest.raises(ValueError, match="within"):
            Anchor.of(beyond)


@pytest.mark.parametrize(
    "text", ["", "a", "a/1", "a/1/2/3/4", "a/01/2", "a/-0/2", "a/+1/2", "A/1/2", "a/1/2\n", "a/1 /2"]
)
def test_another_spelling_is_no_anchor(text: str) -> None:
    with pytest.raises(ValueError, match="an anchor is a realm"):
        Anchor.of(text)


def test_what_is_read_has_the_form_that_the_schema_has() -> None:
    rng = Random(2)
    for _ in range(20_000):
        text = "".join(
            rng.choice(("a", "_", "0", "1", "-", "/", "/", "Z", "12", "\n")) for _ in range(rng.randint(3, 9))
        )
        try:
            found = Anchor.of(text).text
        except ValueError:
            found = ""
        assert found == (text if re.search(PATTERN, text) and not text.endswith("\n") else "")


def test_an_anchor_in_words() -> None:
    assert anchor_in_words("overworld/120/64/-33") == "overworld 120 64 -33"
    said = claim_in_words("place:chest", "at", object_in_words("anchor", "overworld/120/64/-33"))
    assert said == "chest at overworld 120 64 -33"
    assert object_in_words("entity", "place:x") == "x" and object_in_words("text", "place:x") == "place:x"
