"""``yggdrasil past fork``, ``forks`` and ``compare``: a memory that goes on from a moment of another one."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...options import MEMORY_DEFAULT, Json, MemoryId, not_blank
from ...screen import Screen, bars, clean, counted
from ...targets import HERE, Where
from .what_if import show_differs

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.past.forks import ForkLineage
    from yggdrasil_projections.retrieval.past.otherwise import Differs


@dataclass(frozen=True, slots=True)
class Compared:
    """How the graphs of two memories differ that have gone on from one."""

    memory: str
    other: str
    differs: "Differs"


def fork(
    moment: Annotated[
        str,
        typer.Argument(
            metavar="MOMENT", help="A seq, a receipt, a date, a time or a snapshot's name.", callback=not_blank
        ),
    ],
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the fork is called.", callback=not_blank)],
    quarantined: Annotated[
        bool, typer.Option("--quarantined", help="Also where something has been taken into quarantine since.")
    ] = False,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Make a memory of its own of a memory as it stood at MOMENT, called TENANT/AGENT.fork-NAME.

    What it had accepted by then is copied in the log, with ids and times, and compared record by record. From then on
    each is told for itself. After an interruption give the same command again: it goes on. A fork is in no list of
    memories unless it is asked for.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil past snapshot before
      yggdrasil past fork before careful
      yggdrasil record "Waited until Monday" --feature deploy --memory me/agent.fork-careful
      yggdrasil past compare me/agent me/agent.fork-careful
      yggdrasil past forks
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it, bars(screen) as progress:
        made = it.fork(moment, name, quarantined=quarantined, progress=partial(progress, "Forking"))

    def show() -> None:
        before = f", and {made.there:,} had been there" if made.there else ""
        screen.tell(f"{clean(made.memory)} is {clean(made.of)} as of seq {made.seq:,}, record by record.", "bold green")
        screen.tell(f"{counted(made.appended, 'record')} appended{before}; state {made.state}", "dim")

    screen.result(made, show)


def forks(place: Where = HERE, memory: MemoryId = MEMORY_DEFAULT, json: Json = False) -> None:
    """List the forks of a memory: up to which seq each is that memory, and what has come to either since.

    Nobody noted that; it is what the records of both have in common, read from the log.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil past fork 1 careful
      yggdrasil past forks
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it, bars(screen) as progress:
        found = it.forks(progress=partial(progress, "Reading forks"))
    document: dict[str, Any] = {"memory": it.id, "forks": found}
    screen.result(document, lambda: _show(screen, found))


def compare(
    one: Annotated[str, typer.Argument(metavar="A", help="A memory, such as me/agent.", callback=not_blank)],
    other: Annotated[str, typer.Argument(metavar="B", help="Another one: a fork of it.", callback=not_blank)],
    place: Where = HERE,
    json: Json = False,
) -> None:
    """Compare the graphs of two memories that have gone on from one: what is in one alone, and what differs in both.

    One may be a fork of the other, or both of a third. Nothing that is in quarantine is withheld.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil past fork 1 careful
      yggdrasil record "Waited until Monday" --feature deploy --memory me/agent.fork-careful
      yggdrasil past compare me/agent me/agent.fork-careful
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, one) as it, bars(screen) as progress:
        found = Compared(it.id, other, it.compare(other, progress=partial(progress, "Comparing")))

    def show() -> None:
        show_differs(screen, found.differs, (clean(one), clean(other)))

    screen.result(found, show)


def _show(screen: Screen, found: "list[ForkLineage]") -> None:
    if not found:
        screen.tell("It has no fork; `yggdrasil past fork MOMENT NAME` makes one.", "dim")
        return
    rows = [(clean(each.memory), _up_to(each), f"{each.own:,}", f"{each.others:,}") for each in found]
    screen.table(["fork", ">same up to seq", ">own since", ">of the other since"], rows)
    if any(each.unfinished is not None for each in found):
        screen.tell("What is unfinished goes on when the same fork is asked for again.", "yellow")


def _up_to(found: "ForkLineage") -> str:
    return f"{found.seq:,}" if found.unfinished is None else f"{found.seq:,} of {found.unfinished:,}, unfinished"
