"""``yggdrasil drift``: whether a memory collapses onto little, swings, repeats what fails, or recalls the same."""

from typing import TYPE_CHECKING, Final

from ..options import MEMORY_DEFAULT, Json, MemoryId
from ..screen import Screen, clean, counted
from ..targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.reads.learning.drift import Drift

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
