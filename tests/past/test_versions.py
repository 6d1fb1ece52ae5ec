"""A memory that lived under two versions of the rules is packed with both, and each command folded under its own."""

from pathlib import Path

import pytest

from tests.graph.commands import MEMORY
from tests.graph.fold.test_rules_versions import RECORDS, learn
from tests.graph.hosts import folded
from tests.graph.list_log import ListLog
from tests.past.packed import by_hand, logged
from yggdrasil_processors.past.archive import Archive, ArchiveError
from yggdrasil_processors.past.packing import pack
from yggdrasil_processors.past.unpacking import check, compare, unpack


def test_each_command_is_folded_under_the_versions_of_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        learn(patch)
        log = ListLog(RECORDS)
        archive = pack(log, MEMORY, tmp_path / "archive", tmp_path)
        held = archive.header.versions
        assert len(held) > 1 and held[0] == (1, 1, 1) and held[-1][1:] == (2, 2)
        checked = check(archive, tmp_path)
        assert checked.same and checked.end.digest == folded(RECORDS, tmp_path / "folded")[MEMORY]
        found = compare(archive, checked, log, tmp_path)
        assert (found.same, found.refused) == (True, "same")
        early = Archive(by_hand(tmp_path / "early", archive, archive.entries(), versions=[(1, 2, 2)]))
        assert not check(early, tmp_path).same, "the versions make a difference"
        with logged(tmp_path / "log", 1) as there, pytest.raises(ArchiveError, match="were accepted under"):
            unpack(archive, checked, there, tmp_path)
    with pytest.raises(ArchiveError, match="this release knows 1 and 1"):
        check(archive, tmp_path)
