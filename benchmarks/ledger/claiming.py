"""What our memory makes of the reports as claims: each asserted by its source, with the time since when it holds."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from yggdrasil import Memory, MemoryObject, Store
from yggdrasil_producers.draft import Draft
from yggdrasil_projections.retrieval.claimed import ClaimSeen

from .keeping import BELOW, Kept, drafter, milliseconds
from .measures import Sorted
from .rules import NONE, Belief
from .world import ATTRIBUTES, DAYS, Report, Slot, World

Resolution = Literal["confidence", "recency"]
_MEMORY: Final = "ledger/one"
_MS_A_DAY: Final = milliseconds(1.0) - milliseconds(0.0)


def claims(world: World, scratch: Path, resolution: Resolution, days: Mapping[Slot, Sequence[float]]) -> Kept:
    """Assert each report as a claim of its source; every attribute has one value at a time, nothing else is defined.

    What it believes is the first claim that ``claims`` gives of the slot at the end, and of each day that is asked.
    """
    kept = Kept()
    with Store.open(scratch, embedder="none") as store:
        memory = _owner(store, resolution)
        _submit(store, (_asserted(report) for report in world.reports))
        for slot in world.truth:
            now = memory.claims(_subject(slot), slot.attribute, valid_at=milliseconds(DAYS)).claims
            shown = {each.ref for each in now}
            kept.current[slot] = _believed(now)
            kept.shown[slot] = {_value(each) for each in now}
            for day in days.get(slot, ()):
                then = memory.claims(_subject(slot), slot.attribute, valid_at=milliseconds(day)).claims
                kept.at[slot, day] = _believed(then)
            for each in memory.claims(_subject(slot), slot.attribute, history=True, count=200).claims:
                false = _value(each) != world.true_at(slot, _begun(each))
                kept.things.append(Sorted(false, each.status == "quarantined", each.ref not in shown))
    return kept


def anchored_claims(scratch: Path, anchors: int, contradictions: int) -> int:
    """Return how many of so many claims of an operator, pinned, are displaced by contradictions from below.

    These come by turns from a tool, a user, an agent and a stranger, as sure as can be and of different values.
    """
    with Store.open(scratch, embedder="none") as store:
        owner = _owner(store, "confidence")
        for place in range(anchors):
            owner.pin(owner.assert_claim(f"rule:{place}", ATTRIBUTES[0], "kept", confidence=100))
        below = [drafter(source) for source in BELOW]
        _submit(
            store,
            (
                below[turn % len(below)].assert_claim(
                    f"rule:{turn % anchors}", ATTRIBUTES[0], f"broken-{turn}", claimed={"confidence": 100}
                )
                for turn in range(contradictions)
            ),
        )
        stand = [owner.claims(f"rule:{place}", ATTRIBUTES[0]).claims for place in range(anchors)]
        return sum(not each or _value(each[0]) != "kept" or each[0].status != "active" for each in stand)


def _owner(store: Store, resolution: Resolution) -> Memory[Any]:
    owner = store.memory(_MEMORY, source="owner", origin="operator")
    for attribute in ATTRIBUTES:
        owner.define(attribute, "one", resolution=resolution)
    return owner


def _submit(store: Store, drafts: Iterator[Draft]) -> None:
    for draft, answer in store.engine.submit_many(drafts):
        if answer.refused is not None:
            raise RuntimeError(f"{draft.id} was refused: {answer.refused}")


def _asserted(report: Report) -> Draft:
    until = None if report.until is None else milliseconds(report.until)
    return drafter(report.source).assert_claim(
        _subject(report.slot),
        report.slot.attribute,
        report.value,
        claimed={"confidence": report.confidence, "valid_from": milliseconds(report.since), "valid_to": until},
    )


def _believed(found: Sequence[MemoryObject]) -> Belief:
    return Belief(_value(found[0]), _claim_of(found[0]).confidence) if found else NONE


def _value(found: MemoryObject) -> str:
    return str(_claim_of(found).object)


def _begun(found: MemoryObject) -> float:
    """Return since which day of the world a claim holds; every report says so."""
    return ((_claim_of(found).valid_from or 0) - milliseconds(0.0)) / _MS_A_DAY


def _claim_of(found: MemoryObject) -> ClaimSeen:
    if found.claim is None:
        raise RuntimeError(f"{found.ref} was returned as a claim, and is none")
    return found.claim


def _subject(slot: Slot) -> str:
    return f"depot:{slot.entity.lower()}"
