"""Who speaks for a claim is named to people; where the log does not say it any more, no digits stand for them."""

from dataclasses import replace
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.cli.agent.knowing.looking import _show_lineage
from yggdrasil.cli.screen import Screen
from yggdrasil.doors.tools import _believed


def test_a_relation_is_told_with_its_reason(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m", "me/agent", source="ana", partitions=1) as memory:
        event = memory.record_event("Ana moved")
        claim = memory.assert_claim("person:ana", "lives_in", "city:oslo")
        memory.relate(event, claim, "supports", 'she "packed"')
        told = _believed(memory.lineage(claim))
    assert told[-1].startswith("supports it: ") and told[-1].endswith(f"({event}), because \"she 'packed'\"")


def test_no_hash_is_shown_for_whoever_said_something(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Memory.open(tmp_path / "m", "me/agent", source="ana", partitions=1) as memory:
        memory.record_event("Ana moved")
        found = memory.lineage(memory.assert_claim("person:ana", "lives_in", "city:oslo"))
    (line,) = found.lines
    for seen in (found, replace(found, lines=[replace(line, told=None)])):
        _show_lineage(Screen(), seen)
        shown = capsys.readouterr().out + "\n".join(_believed(seen))
        assert line.who[:8] not in shown
        known = seen.lines[0].told is not None
        assert ("ana" in shown.replace("person:ana", "")) and ("does not name any more" in shown) is not known
