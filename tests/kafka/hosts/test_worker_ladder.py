"""The states that a worker keeps on real Kafka, and a service beside it that begins its pasts from them."""

from pathlib import Path

from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from yggdrasil import Memory
from yggdrasil.engines.query import QueryEngine
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.auditing.replay import replay_as_of
from yggdrasil_processors.past.ladder import LADDER, NO_LADDER
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_producers.draft import Drafter

OURS = "me/agent"


def _said(fleet: Fleet, first: int, last: int) -> None:
    drafter = Drafter(OURS, "me", "test")
    drafts = [drafter.record_event(f"Step {number} on the way") for number in range(first, last)]
    fleet.log.append_many((draft.key, draft.value) for draft in drafts)
    fleet.settle()


def _rungs(fleet: Fleet) -> list[Path]:
    return sorted((fleet.directory("a") / LADDER / "0000").glob("[0-9]*"))


def test_a_service_begins_a_past_from_what_a_worker_keeps(kafka: KafkaSettings, tmp_path: Path) -> None:
    with Fleet(kafka, tmp_path, 1) as fleet:
        worker = fleet.start("a", "--ladder", "1000/10000/256")
        _said(fleet, 0, 1_200)
        _said(fleet, 1_200, 1_500)
        (rung,) = _rungs(fleet)
        settings = HostSettings(
            kafka,
            tmp_path / "served",
            fleet.topic,
            "development",
            group=f"{fleet.topic}-served",
            look_every_s=0.5,
            spacing=NO_LADDER,
            ladders_of=(fleet.directory("a"),),
        )
        expected = replay_as_of(fleet.log, tmp_path / "fresh", OURS, 1_400)
        with QueryEngine(QueryHost(settings)) as engine:
            until(lambda: engine.host.ready() is None, lambda: str(engine.host.ready()))
            assert Memory(engine, Drafter(OURS, "me", "test")).as_of(1_400).digest() == expected
            begun = engine.pasts._kept[-1].rung
            assert begun is not None and begun.path == rung
            assert not any((tmp_path / "served" / LADDER).rglob("*"))
        assert worker.running and _rungs(fleet) == [rung]
        fleet.stop()
        fleet.start("a")  # which is told of no ladder now
        _said(fleet, 1_500, 1_510)
        assert _rungs(fleet) == []
