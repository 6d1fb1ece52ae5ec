"""What was accepted once is accepted for ever: the kept archive decodes, and each command gets its seq again."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.past.golden import ARCHIVE
from tests.past.packed import by_hand, logged
from yggdrasil_processors.past.archive import Archive, Packed
from yggdrasil_processors.past.unpacking import NotAcceptedError, check, unpack
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import BY_NUMBER

LATER = {"snapshot"}
"""Commands that came after the archive was written; it stays as it is, and the corpus holds that they are accepted."""


def test_every_command_decodes_and_is_accepted_at_its_seq(tmp_path: Path) -> None:
    archive = Archive(ARCHIVE)
    assert (archive.header.records, archive.header.refused) == (517, 802)
    kinds: Counter[str] = Counter()
    for entry in archive.packed():
        decoded = decode(entry.value)
        assert isinstance(decoded, Decoded), f"seq {entry.seq} was accepted, and is refused: {decoded}"
        kinds[decoded.command.type] += 1
    assert kinds.keys() == set(BY_NUMBER.values()) - LATER
    checked = check(archive, tmp_path)  # raises NotAcceptedError for the first that is not accepted
    assert checked.stands.seq == 517


@pytest.mark.parametrize("name", [None, "fork/one"])
def test_it_is_unpacked_by_this_release(tmp_path: Path, name: str | None) -> None:
    """Its digest may differ, until release 1.0, and then that is said. A relation keeps its record, with the name."""
    archive = Archive(ARCHIVE)
    with logged(tmp_path / "log", 3) as log:
        done = unpack(archive, check(archive, tmp_path, name), log, tmp_path, name)
        assert done.compared.same and done.appended == 517


def test_what_is_refused_after_all_is_named_with_its_seq(tmp_path: Path) -> None:
    """So the first test can fail: a command without the one that it hangs on is refused."""
    archive = Archive(ARCHIVE)
    entries, rng, refused = list(archive.entries()), Random(3), 0
    accepted = [n for n, entry in enumerate(entries) if isinstance(entry, Packed)]
    for number in rng.sample(accepted[:60], 6):
        left: list[object] = []
        for entry in entries[:number] + entries[number + 1 :]:
            later = isinstance(entry, Packed) and entry.seq > number_of(entries[number])
            left.append(entry._replace(seq=entry.seq - 1) if later and isinstance(entry, Packed) else entry)
        path = by_hand(tmp_path / f"without-{number}", archive, left)  # type: ignore[arg-type]
        try:
            check(Archive(path), tmp_path)
        except NotAcceptedError as error:
            assert "at seq" in str(error)
            refused += 1
    assert refused


def number_of(entry: object) -> int:
    assert isinstance(entry, Packed)
    return entry.seq
