"""``yggdrasil digestion``: digest what is new, and show what was made of a session."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from ...exits import CommandLineError, ExitCode
from ...options import MEMORY_DEFAULT, Json, MemoryId
from ...screen import Screen, clean, counted
from ...targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.reads.knowledge.digested import Connected, Digested, Digestion

_TEXT_CHARS: Final = 100
Session = Annotated[str, typer.Option("--session", metavar="NAME", help="The session to be shown.")]
Think = Annotated[
    bool, typer.Option("--think/--no-think", help="Digest what is new first. A service does so by itself, or not.")
]


def digestion(
    session: Session,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    think: Think = True,
    json: Json = False,
) -> None:
    """Digest what is new, and show what was made of a session: claims, verdicts, connections, what is put away.

    Over a directory five thinkers look at all that is new, in order: one takes claims from what was said, and the
    connector, reweaver, verifier and archivist relate, condense, verify and put away (docs/thinkers.md). All sessions
    are taken for ended. At a service nothing is thought: it shows what the thinkers beside it have made.

    \b
    Examples:
      yggdrasil record "The staging database runs Postgres 15." --session monday
      yggdrasil digestion --session monday
      yggdrasil digestion --session monday --no-think --json
    """
    from ...opening import opened, require, usable

    screen = Screen(json)
    if think and place.service is None:
        from yggdrasil.store import Store

        require(place.directory)
        usable(place.directory)
        with Store.open(place.directory) as store:
            if stopped := [each.stopped for each in store.think("digestion") if each.stopped]:
                raise CommandLineError(ExitCode.BROKEN, "thinker_stopped", clean("; ".join(stopped)))
    with opened(screen, place, memory) as it:
        found = it.digestion(session)
    screen.result(found, lambda: _show(screen, found))


def _show(screen: Screen, found: "Digestion") -> None:
    screen.tell(
        f"{clean(found.session)}: {counted(found.events, 'event')}, {counted(len(found.claims), 'claim')}", "bold"
    )
    for each in found.claims:
        screen.tell(f"  {_became(each)}: {_line(each.claim.text)}")
        screen.tell(f"      {each.claim.ref}", "dim")
    for one in found.connections:
        _show_connected(screen, one)
    if found.archived:
        screen.tell(f"{counted(len(found.archived), 'event')} put away: a deep question finds them", "bold")
        for ref in found.archived:
            screen.tell(f"  {ref}", "dim")
    if found.undecided:
        screen.tell(f"{counted(found.undecided, 'claim')} waiting for a person, or for another source", "dim")
    if found.left_out:
        screen.tell(f"{found.left_out:,} more are not shown", "dim")


def _show_connected(screen: Screen, each: "Connected") -> None:
    relation = clean(each.relation.replace("_", " "))
    screen.tell(f"  {_line(each.source_text)} {relation} {_line(each.target_text)}")
    if each.reason:
        screen.tell(f"      {_line(each.reason, 2 * _TEXT_CHARS)} ({clean(each.by)})", "dim")


def _became(each: "Digested") -> str:
    """Return what became of a claim, in a word or two."""
    if each.gate is not None:
        reason = (each.claim.ruling.reason if each.claim.ruling else None) or each.gate
        return f"rejected ({clean(reason)})"
    if each.into is not None:
        return f"condensed into {clean(each.into)}"
    return "verified" if each.verified else clean(each.claim.status)


def _line(text: str | None, chars: int = _TEXT_CHARS) -> str:
    line = " ".join((text or "(sealed)").split())
    return clean(line if len(line) <= chars else line[: chars - 1].rstrip() + "\u2026")
