"""What memories make of the reports: told in order, each in the name of its source, and asked at the end."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import stamp

from .measures import Sorted
from .rules import NONE, Belief
from .world import Report, Slot, Source, World

_MEMORY: Final = "ledger/one"
_EPOCH_MS: Final = int(datetime(2024, 1, 1, tzinfo=UTC).timestamp() * 1000)
_DAY_MS: Final = 86_400_000
SHOWN: Final = ("active", "prior", "contested")


@dataclass(slots=True)
class Kept:
    """What a memory believes at the end: of each slot, on the days that were asked, all that it shows, and the rest."""

    current: dict[Slot, Belief] = field(default_factory=dict[Slot, Belief])
    at: dict[tuple[Slot, float], Belief] = field(default_factory=dict[tuple[Slot, float], Belief])
    shown: dict[Slot, set[str]] = field(default_factory=dict[Slot, set[str]])
    things: list[Sorted] = field(default_factory=list[Sorted])


def milliseconds(day: float) -> int:
    """Return a day of the world as Unix time in ms."""
    return _EPOCH_MS + round(day * _DAY_MS)


def notes(world: World, scratch: Path) -> Kept:
    """Keep reports as notes, each under the key of its slot, and ask ``get_context`` in words for every slot.

    What it believes is what it finds first, if that is of the slot at all.
    """
    kept = Kept()
    with Store.open(scratch, embedder="none") as store:
        told = _told(store.engine, world)
        memory = store.memory(_MEMORY)
        for slot in world.truth:
            found = memory.get_context(f"What is the {slot.attribute} of {slot.entity}?", record=False).refs
            of_slot = [told[ref].value for ref in found if told[ref].slot == slot]
            first = bool(found) and told[found[0]].slot == slot
            kept.current[slot] = Belief(of_slot[0]) if first else NONE
            kept.shown[slot] = set(of_slot)
            for each in memory.history(key=_key(slot)).memories:
                status = each.status
                kept.things.append(Sorted(told[each.ref].false, status == "quarantined", status not in SHOWN))
    return kept


def _told(engine: Embedded, world: World) -> dict[str, Report]:
    drafters = {source: drafter(source) for source in world.sources}
    reports: dict[str, Report] = {}

    def drafts() -> Iterator[Draft]:
        for report in world.reports:
            draft = drafters[report.source].record_event(
                f"The {report.slot.attribute} of {report.slot.entity} is {report.value}.",
                features=[f"depot:{report.slot.entity.lower()}", report.slot.attribute],
                key=_key(report.slot),
                stamp=stamp(milliseconds(report.since)),
            )
            reports[draft.id] = report
            yield draft

    for draft, answer in engine.submit_many(drafts()):
        if answer.refused is not None:
            raise RuntimeError(f"{draft.id} was refused: {answer.refused}")
    return reports


def drafter(source: Source) -> Drafter:
    """Return what drafts commands in the name of a source; its trust is lowered where its origin's is higher."""
    return Drafter(_MEMORY, source.name, "benchmark", source.origin, source.trust)


def anchored_notes(scratch: Path, anchors: int, contradictions: int) -> int:
    """Return how many of so many notes of an operator, pinned, are displaced by contradictions from below.

    These come by turns from a tool, a user, an agent and a stranger.
    """
    with Store.open(scratch, embedder="none") as store:
        operator = store.memory(_MEMORY, source="owner", origin="operator")
        pinned = [operator.record_event(f"Rule {place}: keep to it.", key=f"rule/{place}") for place in range(anchors)]
        for ref in pinned:
            operator.pin(ref)
        below = [drafter(source) for source in BELOW]
        drafts = (
            below[turn % len(below)].record_event(f"Rule {turn % anchors}: break it.", key=f"rule/{turn % anchors}")
            for turn in range(contradictions)
        )
        for _ in store.engine.submit_many(drafts):
            pass
        return sum(_displaced(operator, place, ref) for place, ref in enumerate(pinned))


BELOW: Final = (
    Source("meter", "tool", 3, 0.25, 1.0, 0.99),
    Source("clerk", "user", 2, 0.25, 1.0, 0.99),
    Source("crawler", "agent", 1, 0.25, 1.0, 0.99),
    Source("stranger", "agent", 0, 0.25, 1.0, 0.99),
)


def _displaced(memory: Memory, place: int, ref: str) -> bool:
    found = memory.get_context(f"Rule {place}", k=50, min_confidence=0.0, record=False).refs
    return memory.describe(ref).memory.status != "active" or ref not in found


def _key(slot: Slot) -> str:
    return f"{slot.entity}/{slot.attribute}"
