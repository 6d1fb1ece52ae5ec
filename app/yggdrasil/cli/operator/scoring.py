"""``yggdrasil scorers`` and ``adopt``: the learned scorers that were proposed, and which one an operator lets count."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..options import MEMORY_DEFAULT, Json, MemoryId, not_blank
from ..screen import Screen, clean
from ..targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.reads.operations.scorers import Scorers


def scorers(place: Where = HERE, memory: MemoryId = MEMORY_DEFAULT, json: Json = False) -> None:
    """List the learned scorers that were proposed: by whom, how good they were, and which one counts.

    A trainer proposes them (`yggdrasil think --thinkers trainer`) once enough was reported as used.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil scorers
      yggdrasil scorers --json
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.scorers()
    screen.result(found, lambda: _show(screen, found))


def adopt(
    scorer: Annotated[str, typer.Argument(help="Its full id, as `scorers` prints it.", callback=not_blank)],
    back: Annotated[bool, typer.Option("--back", help="Let it count no longer; the one before it does again.")] = False,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Let a learned scorer that was proposed decide what comes first in a context, or go back to the one before.

    Answers that were given before can be proved as they were, whatever is adopted later.
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        command = it.adopt_scorer(scorer, active=not back)
        ranker = it.scorers().ranker
    said = {"memory": it.id, "adopt": command, "scorer": scorer, "active": not back, "ranker": ranker}
    screen.result(said, lambda: screen.tell(f"Contexts are ranked by {clean(ranker)} now"))


def _show(screen: Screen, found: "Scorers") -> None:
    for one in found.scorers:
        figures = f"log loss {one.metric:.3f}, linear {one.baseline:.3f}, {one.samples:,} samples"
        screen.tell(f"{one.id}  {one.standing}  {figures}, by {clean(one.source)} ({one.origin})", "bold")
        if one.text:
            screen.tell(f"    {clean(one.text)}")
    nothing = "" if found.scorers else "No scorer was proposed. "
    screen.tell(f"{nothing}Contexts are ranked by {clean(found.ranker)}.", "dim")
