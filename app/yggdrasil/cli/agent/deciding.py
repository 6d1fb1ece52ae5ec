"""``yggdrasil pin``, ``lift``, ``retire`` and ``sleep``: what an operator decides about a memory."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..options import MEMORY_DEFAULT, Json, MemoryId, not_blank
from ..screen import Screen, clean, number
from ..targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.memories import MemoryObject
    from yggdrasil_projections.retrieval.reads.learning.slept import Slept


def pin(
    node: Annotated[
        str,
        typer.Argument(help="Its full id, as `record` or `context` printed it, or feature:NAME.", callback=not_blank),
    ],
    off: Annotated[bool, typer.Option("--off", help="Protect it no longer.")] = False,
    permanence: Annotated[
        float, typer.Option("--permanence", min=0.0, max=10.0, help="The least permanence that it has from now on.")
    ] = 0.0,
    text: Annotated[str | None, typer.Option("--text", help="Why.")] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Protect a memory, so that it neither fades nor is forgotten.

    So a memory can begin with a core that stays: what its agent must always know. What is pinned is protected like a
    catastrophe; --off lets it fade again, and takes nothing away at once.

    \b
    Examples:
      RULE=$(yggdrasil record "Never deploy without a backup" --feature deploy --feature backup)
      yggdrasil pin $RULE --permanence 5 --text "The first rule of this house"
      yggdrasil pin feature:backup
      yggdrasil pin feature:backup --off
    """
    from contextlib import suppress

    from yggdrasil_projections.retrieval.errors import UnknownNodeError

    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        command = it.pin(node, pinned=not off, permanence=permanence, text=text)
        now = None
        with suppress(UnknownNodeError):
            now = it.describe(node).memory
    screen.result({"memory": it.id, "pin": command, "node": now}, lambda: _show_pinned(screen, node, now, off=off))


def lift(
    node: Annotated[str, typer.Argument(help="The full id of the event, episode or outcome.", callback=not_blank)],
    reason: Annotated[str, typer.Option("--reason", help="Why; it stays in the log.", callback=not_blank)],
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say that a catastrophe was none: it may fade and be forgotten again.

    With an event or an episode its outcomes are lifted, and with the last catastrophic outcome what it was told of.
    What they have taught stays; only the protection goes.

    \b
    Examples:
      EVENT=$(yggdrasil record "The site is down" --feature deploy)
      yggdrasil outcome $EVENT -10 --kind outage --catastrophic
      yggdrasil lift $EVENT --reason "It was a drill"
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        command = it.lift_catastrophe(node, reason=reason)
    screen.result(
        {"memory": it.id, "lift": command, "node": node}, lambda: screen.tell(f"{clean(node)} is no catastrophe")
    )


def retire(
    name: Annotated[str, typer.Argument(help="The thinker's name, as `stats` prints it.", callback=not_blank)],
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Free the name of a thinker that will not come back; a memory has room for 32.

    What it decided stays. Parts that are missing of its last decision are awaited no longer, and who takes the name
    later begins at 0.

    \b
    Examples:
      yggdrasil retire chunker
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        command = it.retire_thinker(name)
    screen.result(
        {"memory": it.id, "retire": command, "thinker": name}, lambda: screen.tell(f"{clean(name)} is retired")
    )


def sleep(
    text: Annotated[str | None, typer.Option("--text", help="Why now.")] = None,
    task: Annotated[
        bool, typer.Option("--task", help="Look at what was touched since, and at the next part of the rest.")
    ] = False,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Let a memory sleep: consolidate what was used, dissolve unfed concepts, archive what has faded.

    What was used often fades more slowly from now on. What is archived a deep ask alone finds; it can be explained, and
    an outcome or a recall brings it back. Nothing is forgotten unless the archive is full. With --task it looks at part
    of the memory, as it does after a task.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      yggdrasil sleep
      yggdrasil sleep --task
      yggdrasil sleep --text "End of the quarter" --json
    """
    from yggdrasil.engines.embedded import Embedded
    from yggdrasil_projections.retrieval.reads.learning.slept import look, slept

    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        here = isinstance(it.engine, Embedded)
        before = look(it.engine.graph(memory)) if here else {}
        command = it.sleep(scope="task" if task else "whole", text=text)
        found = slept(before, look(it.engine.graph(memory))) if here else None
    screen.result({"memory": it.id, "sleep": command, "changed": found}, lambda: screen.tell(_told(found)))


def _told(found: "Slept | None") -> str:
    if found is None:  # it takes the whole graph, before and after
        return "it slept; what that changed is not known here, since a service holds the directory"
    return (
        f"consolidated {found.consolidated:,}, dissolved {found.dissolved:,}, archived {found.archived:,}, "
        f"forgotten {found.forgotten:,}"
    )


def _show_pinned(screen: Screen, ref: str, now: "MemoryObject | None", *, off: bool) -> None:
    said = "is no longer pinned" if off else "is pinned"
    lasts = now is not None and now.permanence > 0  # what is new has none yet, and is protected all the same
    screen.tell(f"{clean(ref)} {said}" + (f": permanence {number(now.permanence)}" if now and lasts else ""))
    if now is not None and now.text and not ref.startswith("feature:"):
        screen.tell(f"  {clean(now.text, 110)}")
