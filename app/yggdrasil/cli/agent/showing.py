"""How memories and claims are shown to people, by every command that shows some."""

from typing import TYPE_CHECKING

from ..screen import Screen, clean, counted, moment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yggdrasil_projections.retrieval.claimed import ClaimSeen
    from yggdrasil_projections.retrieval.memories import MemoryObject, OutcomeSeen
    from yggdrasil_projections.retrieval.reads.experience.provenance import Provenance


def title(one: "MemoryObject") -> str:
    """Return what a memory is called and says on one line, and what it is unless it is an event."""
    from yggdrasil_projections.retrieval.text.sentences import claim_said

    said = ": ".join(filter(None, (one.name, claim_said(one.text, one.claim))))
    return clean(said or "(no text)", 110) if one.kind == "event" else f"{one.kind}: {clean(said, 110)}"


def told_by(one: "Provenance") -> str:
    """Return who said something: the source, its key if it came with one, the command, and its place in the log."""
    key = f" with the key {clean(one.key)}" if one.key else ""
    place = one.place
    return f"{clean(one.source, 60)}{key} as {one.id} (seq {place.seq}, {place.partition}-{place.offset} of the log)"


def show_standing(screen: Screen, one: "MemoryObject", indent: str) -> None:
    """Print whether something stands, where it does not simply do, and what gave it that."""
    if one.stale:
        rests = "nothing that it was concluded from stands" if one.claim else "a part of it no longer stands"
        screen.tell(f"{indent}{rests}", "yellow")
    why = one.ruling
    if why is not None and why.self_approved:
        screen.tell(f"{indent}self-approved: nobody else says so", "yellow")
    if one.status == "active":
        return
    reason = f": {clean(why.reason, 110)}" if why is not None and why.reason else ""
    instead = f", by {clean(why.instead)}" if why is not None and why.instead else ""
    screen.tell(f"{indent}{one.status.upper()}{reason}{instead}", "yellow")


def show_outcomes(
    screen: Screen,
    outcomes: "list[OutcomeSeen]",
    indent: str,
    ref: str,
    provenance: "Mapping[str, Provenance] | None" = None,
) -> None:
    """Print outcomes for people, each with who said it if that is known; those not of ``ref`` itself say whose."""
    for one in outcomes:
        mark = " CATASTROPHIC" if one.catastrophic else ""
        mark += "" if one.event == ref else f" of {one.event}"  # that it led to, or that it contains
        said = f": {clean(one.text, 110)}" if one.text else ""
        screen.tell(f"{indent}{clean(one.kind)} {one.value:+g}{mark}{said}", "red" if one.value < 0 else "green")
        if provenance and one.id in provenance:
            screen.tell(f"{indent}  said by {told_by(provenance[one.id])}", "dim")


def show_claim(screen: Screen, one: "MemoryObject", indent: str = "") -> None:
    """Print a claim for people: what it says, as a sentence and in its names, how sure that is, when it holds, whether
    it stands. Or another memory.
    """
    said = one.claim
    screen.tell(f"{indent}{title(one) if said is None else sentence(said)}", "bold")
    if said is not None:
        screen.tell(f"{indent}  {in_names(said)}")
    parts = [clean(one.ref)]
    if said is not None:
        parts.append(how_sure(said))
    elif when := moment(one.at):
        parts.append(when)
    screen.tell(f"{indent}  {'  '.join(parts)}", "dim")
    show_standing(screen, one, f"{indent}  ")


def sentence(said: "ClaimSeen") -> str:
    """Return what a claim says as an English sentence, as of now."""
    from yggdrasil_infra.clock import now_ms
    from yggdrasil_projections.retrieval.text.sentences import claim_sentence

    return clean(claim_sentence(said, now_ms()))


def in_names(said: "ClaimSeen") -> str:
    """Return what a claim says, on one line, by the names that commands take."""
    value = said.object
    if value is None or isinstance(value, bool):
        value = "(sealed)" if value is None else "yes" if value else "no"
    unit = f" {clean(said.unit)}" if said.unit else ""
    of = ", ".join(f"{clean(name)} {clean(each)}" for name, each in said.qualifiers.items())
    sort = "" if said.sort == "fact" else f"{said.sort}: "
    return f"{sort}{clean(said.subject)} {clean(said.predicate)} {clean(value, 110)}{unit}" + (f" ({of})" if of else "")


def how_sure(said: "ClaimSeen") -> str:
    """Return how sure a claim is, by how many sources, and when it holds."""
    begins, ends = moment(said.valid_from), moment(said.valid_to)
    when = (f", from {begins}" if begins else "") + (f", until {ends}" if ends else "")
    return f"{said.confidence:.0%} sure, {counted(said.sources, 'source')}{when}"
