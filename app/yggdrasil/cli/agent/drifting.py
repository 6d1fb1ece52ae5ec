"""``yggdrasil drift`` and ``bias``: habits of a memory, and what its searches offer again and again in vain."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..options import MEMORY_DEFAULT, Json, MemoryId
from ..screen import Screen, clean, counted
from ..targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.reads.learning.drift import Drift
    from yggdrasil_projections.retrieval.reads.operations.bias import Bias

_EVIDENCE_SHOWN: Final = 3


def drift(place: Where = HERE, memory: MemoryId = MEMORY_DEFAULT, json: Json = False) -> None:
    """Show whether a memory has drifted into habits that somebody should look at.

    It collapses when what happens, or what outcomes speak of, is half as varied as before; it swings when episodes take
    two paths to good and bad ends in turn; it may repeat a path that fails; and its recalls may lose variety. What is
    looked at are the latest 2,000 events, outcomes and episodes (`yggdrasil think` makes these), and the latest
    recalls. It is no recall, and nothing changes: the report is for whoever runs the agent.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      yggdrasil drift
      yggdrasil drift --json
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.drift()
    screen.result(found, lambda: _show(screen, found))


def bias(
    since: Annotated[int, typer.Option("--since", min=0, metavar="SEQ", help="Go on behind this seq.")] = 0,
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=200, help="So many are shown.")] = 20,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what searches offered more often than the policy's `bias_candidates` (50), and nobody has used.

    It says how unevenly memories are offered (Gini: 0 all alike, 1,000 one alone), and how much of what was offered is
    used, from the weakest tenth to the strongest. It is a signal to look, and no reason to forget anything.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil bias
      yggdrasil bias --count 5 --json
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.bias(since=since, count=count)
    screen.result(found, lambda: _show_bias(screen, found))


def _show_bias(screen: Screen, found: "Bias") -> None:
    for each in found.never_used:
        screen.tell(f"{each.candidates:,} offers: {clean(each.memory.text or each.memory.ref)}")
        screen.tell(f"    {clean(each.memory.ref)}", "dim")
    if found.position is not None:
        screen.tell(f"({found.count:,} in all; go on with --since {found.position})", "dim")
    tenths = [str(each.use) if each.use is not None else "-" for each in found.deciles]
    screen.tell(f"Uses for a thousand offers, from the weakest tenth: {', '.join(tenths) or 'none'}.")
    nothing = "" if found.count else f"Nothing was offered more than {found.bound:,} times and never used. "
    screen.tell(
        f"{nothing}Of {found.memories:,} memories {found.offered:,} were offered, Gini {found.gini} of "
        f"1,000, as of seq {found.as_of:,}.",
        "dim",
    )


def _show(screen: Screen, found: "Drift") -> None:
    for one in found.reports:
        screen.tell(f"{one.habit.replace('_', ' ')}: {clean(one.sentence)}", "bold")
        for ref in one.evidence[:_EVIDENCE_SHOWN]:
            screen.tell(f"    {clean(ref)}")
        if len(one.evidence) > _EVIDENCE_SHOWN:
            screen.tell(f"    ({len(one.evidence) - _EVIDENCE_SHOWN} more: --json has them)", "dim")
    looked_at = ", ".join(
        counted(count, what)
        for count, what in ((found.events, "event"), (found.episodes, "episode"), (found.recalls, "recall"))
    )
    nothing = "" if found.reports else "Nothing to report. "
    screen.tell(f"{nothing}Looked at: the latest {looked_at}, as of seq {found.as_of:,}.", "dim")
