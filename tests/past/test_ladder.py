"""The ladder of a partition: which rungs stay, that a past begun from one is the same, and that damage does no harm."""

import logging
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from tests.faults.local.oracle import flip
from tests.size import turns
from yggdrasil import Memory, Receipt
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past.kept import Pasts
from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_processors.auditing.replay import replay_as_of
from yggdrasil_processors.past.building import build
from yggdrasil_processors.past.ladder import Ladders, Rung, Spacing
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.past.moment import AsOf

CLOSE = Spacing(every=200, among=2_000)  # a rung for every hundred commands
OURS, THEIRS = "me/agent", "other/agent"


def _filled(path: Path, count: int = 1_000, spacing: Spacing = CLOSE) -> Embedded:
    """A directory with two memories that take turns, the second of which began late."""
    engine = Embedded(path, partitions=1, spacing=spacing)
    ours, theirs = (Memory(engine, Drafter(name, "me", "ladder")) for name in (OURS, THEIRS))
    for start in range(0, count, 50):
        ours.record_many([{"text": f"Step {number} on the way"} for number in range(start, start + 40)])
        if start >= count // 2:
            theirs.record_many([{"text": f"Theirs {number}"} for number in range(10)])
    return engine


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Embedded]:
    with _filled(tmp_path / "data") as it:
        yield it


def _rungs(engine: Embedded) -> list[Rung]:
    found = [path for path in (engine.path / "ladder" / "0000").iterdir() if path.name.isdigit()]
    return sorted(Rung(int(path.name), 0, path) for path in found)


def test_a_past_that_was_begun_from_a_rung_is_that_of_a_whole_replay(engine: Embedded, tmp_path: Path) -> None:
    assert len(_rungs(engine)) >= 5
    rng = Random("ladder")
    for memory, end in ((OURS, 800), (THEIRS, 100)):
        handle = Memory(engine, Drafter(memory, "me", "ladder"))
        for seq in (1, end, *rng.sample(range(1, end), 4)):
            fresh = replay_as_of(engine.log, tmp_path / f"{end}-{seq}", memory, seq)
            past = handle.as_of(seq)
            assert (past.digest(), past.moment().as_of) == (fresh, seq)
        for offset in rng.sample(range(700, 900), 3):
            seq = handle.as_of(Receipt(0, offset)).moment().as_of
            assert sum(each.key == memory.encode() for each in engine.log.read(0, 0, offset + 1)) == seq or offset > 500


def test_a_time_is_found_from_a_rung_as_without(tmp_path: Path) -> None:
    with _filled(tmp_path / "data") as engine, _filled(tmp_path / "bare", 50, Spacing(every=0)) as bare:
        assert not (bare.path / "ladder").exists()
        stamps = [each.timestamp_ms for each in engine.log.read(0, 0, 500) if each.key == OURS.encode()]
        for place in (3, 200, 399):
            at = datetime.fromtimestamp(stamps[place] / 1_000, UTC)
            seq = Memory(engine, Drafter(OURS, "me", "ladder")).as_of(at).moment().as_of
            assert seq == max(number for number, stamp in enumerate(stamps, 1) if stamp <= stamps[place])


def test_little_is_folded_after_a_rung(engine: Embedded) -> None:
    read: list[int] = []
    Memory(engine, Drafter(OURS, "me", "ladder")).as_of(750, progress=lambda done, total: read.append(total))
    begun = engine.pasts._kept[-1].reached
    assert begun.seq == 750
    assert all(total <= 300 for total in read)


def test_no_flipped_byte_of_a_rung_gives_another_past(tmp_path: Path) -> None:
    with _filled(tmp_path / "data", 300) as engine:
        whole = shutil.copytree(engine.path / "ladder", tmp_path / "whole")
        stamps = [each.timestamp_ms for each in engine.log.read(0, 0, 500) if each.key == OURS.encode()]
        digests: dict[int, str] = {}
        for seed in range(turns(60, 1_000)):
            rng = Random(f"flipped {seed}")
            shutil.rmtree(engine.path / "ladder")
            shutil.copytree(whole, engine.path / "ladder")
            for rung in _rungs(engine):
                file = rng.choice(sorted(file for file in rung.path.iterdir() if file.stat().st_size))
                flip(file, rng.randrange(file.stat().st_size), 1 << rng.randrange(8))
            engine.pasts.close()
            ladders = Ladders(engine.path, CLOSE)
            engine.pasts = Pasts(lambda: engine.log, engine.reality_of, tmp_path / f"past-{seed}", ladders=ladders)
            memory, seq = Memory(engine, Drafter(OURS, "me", "ladder")), rng.choice((90, 150, 230))
            by_time = datetime.fromtimestamp(stamps[seq - 1] / 1_000, UTC)
            past = memory.as_of(by_time if rng.random() < 0.5 else seq)
            seq = past.moment().as_of
            if seq not in digests:
                digests[seq] = replay_as_of(engine.log, tmp_path / f"fresh-{seq}", OURS, seq)
            assert past.digest() == digests[seq], seed
            assert past.timeline(count=1).past_ms == stamps[seq - 1], seed


class _Shortened:
    """A log of which the first records were deleted."""

    def __init__(self, log: LogReader, begins: int) -> None:
        self._log, self._begins = log, begins
        self.topic_id, self.partitions, self.end_offset, self.close = log.topic_id, 1, log.end_offset, log.close

    def start_offset(self, partition: int) -> int:
        return self._begins

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        assert offset >= self._begins
        return self._log.read(partition, offset, records_max)


@pytest.mark.parametrize("of_a_time", [True, False])
def test_where_the_log_begins_later_a_past_is_begun_from_a_rung(
    engine: Embedded, tmp_path: Path, of_a_time: bool
) -> None:
    rung = _rungs(engine)[-2]
    log = _Shortened(engine.log, rung.position)
    stamps = [each.timestamp_ms for each in engine.log.read(0, 0, 1_000) if each.key == OURS.encode()]
    at = AsOf(ms=stamps[-1]) if of_a_time else AsOf(seq=799)
    found = engine.ladders.nearest(log, 0, OURS, at)
    assert found is not None and found.position >= rung.position
    begun = engine.ladders.begun(log, 0, OURS, found, tmp_path / "past")
    assert begun.ms >= stamps[begun.seq - 1], "no earlier than it was"
    built = build(log, OURS, at, tmp_path / "past", begun=begun)
    seq = built.reached.seq
    assert built.projector.store.digest(OURS) == replay_as_of(engine.log, tmp_path / "fresh", OURS, seq)
    assert seq == (800 if of_a_time else 799)
    built.projector.close()


def test_a_past_is_begun_from_a_rung_of_another_host_which_is_left_as_it_is(tmp_path: Path) -> None:
    with _filled(tmp_path / "data", 300) as engine:
        other = tmp_path / "other"
        other.mkdir()
        (engine.path / "ladder").rename(other / "ladder")
        engine.ladders = engine.pasts._ladders = Ladders(engine.path, CLOSE, [other])
        expected = replay_as_of(engine.log, tmp_path / "fresh", OURS, 230)
        memory = Memory(engine, Drafter(OURS, "me", "ladder"))
        assert memory.as_of(230).digest() == expected
        rung = engine.pasts._kept[-1].rung
        assert rung is not None and rung.path.is_relative_to(other)
        engine.pasts.removed(engine.pasts._kept[-1], ValueError("damaged"))
        assert rung.path.exists()
        assert memory.as_of(230).digest() == expected
        assert engine.pasts._kept[-1].rung != rung


def test_the_time_of_a_moment_is_that_of_its_own_records(tmp_path: Path) -> None:
    """One record of somebody else's is of the future, so that the latest time says nothing of ours."""
    with _filled(tmp_path / "data", 300) as engine:
        ahead = Drafter("other/agent", "me", "ladder").record_event("Tomorrow")
        engine.log.append_dated([(ahead.key, ahead.value, 2**50)])
        Memory(engine, Drafter(OURS, "me", "ladder")).record_many([{"text": f"After {at}"} for at in range(400)])
        stamps = [each.timestamp_ms for each in engine.log.read(0, 0, 1_000) if each.key == OURS.encode()]
        rungs = engine.ladders._to_climb(0)
        for rung in rungs:
            begun = engine.ladders.begun(engine.log, 0, OURS, rung, tmp_path / f"{rung.position}")
            assert begun.ms == max(stamps[: begun.seq])
        assert rungs[0].latest_ms < rungs[-1].latest_ms == 2**50


def test_rungs_stand_close_lately_and_apart_before() -> None:
    hour, day = 3_600_000, 86_400_000
    now = int(datetime(2026, 6, 15, 12, tzinfo=UTC).timestamp() * 1_000)
    rungs = [Rung(10 * at, now - (2_000 - at) * hour // 4, Path()) for at in range(2_000)]  # four an hour, for 20 days
    kept = Spacing(every=100, among=1_000).kept(rungs, 20_000, now)
    ages = sorted((now - rung.ms) / hour for rung in rungs if rung.position in kept and 20_000 - rung.position > 1_100)
    lately = [age for age in ages if age <= 24]
    assert len(lately) <= 2 and len([age for age in ages if 24 < age <= 7 * 24]) == 6
    assert 2 <= len([age for age in ages if age > 7 * 24]) <= 4
    assert {rung.position for rung in rungs if 20_000 - rung.position <= 1_000} <= kept
    years = [Rung(at, now - at * 30 * day, Path()) for at in range(48)]
    assert len(Spacing(every=1, among=0).kept(years, 10**9, now)) >= 46, "a month each"


def test_the_oldest_rungs_go_where_they_take_too_much(tmp_path: Path) -> None:
    with _filled(tmp_path / "data", 1_000, Spacing(every=200, among=10_000, bytes_max=1)) as engine:
        left = _rungs(engine)
        assert len(left) == 1 and left[0].position > 700, "the latest stays"


def test_a_rung_that_cannot_be_written_is_told_and_folding_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ladder").write_text("no directory")
    with caplog.at_level(logging.WARNING), _filled(tmp_path / "data", 300) as engine:
        assert Memory(engine, Drafter(OURS, "me", "ladder")).as_of(200).moment().as_of == 200
    assert "no rung was taken" in caplog.text


def test_a_ladder_of_another_log_is_not_climbed(tmp_path: Path) -> None:
    with _filled(tmp_path / "other", 300) as other, _filled(tmp_path / "data", 300) as engine:
        ladder = engine.path / "ladder"
        ladder.rename(tmp_path / "own")
        (other.path / "ladder").rename(ladder)
        expected = replay_as_of(engine.log, tmp_path / "fresh", OURS, 230)
        assert Memory(engine, Drafter(OURS, "me", "ladder")).as_of(230).digest() == expected
