"""``yggdrasil neighbours``: what a memory is linked to."""

from typing import Annotated, Final

import typer

from ...options import MEMORY_DEFAULT, Json, MemoryId, not_blank
from ...screen import Screen, clean, number
from ...targets import HERE, Where
from .looking import DEPTH_MAX, Count

_TEXT_CHARS_MAX: Final = 80
_REASON_CHARS_MAX: Final = 300


def neighbours(
    ref: Annotated[str, typer.Argument(help="The full id of any memory, or feature:NAME.", callback=not_blank)],
    depth: Annotated[int, typer.Option("--depth", min=1, max=DEPTH_MAX, help="How many steps.")] = 1,
    count: Count = 20,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what a memory is linked to, strongest first, and with --depth what that is linked to, each link once.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      yggdrasil neighbours feature:friday
      yggdrasil neighbours feature:friday --depth 3 --count 100 --json
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.neighbourhood(ref, count=count, depth=depth)
    if json:
        screen.result(found, lambda: None)
        return
    if not found.neighbours:
        screen.tell("It is linked to nothing.")
    for one in found.neighbours:
        way = f"-{one.edge_kind}->" if one.direction == "out" else f"<-{one.edge_kind}-"
        said = one.ref if one.node_kind == "feature" else f"{one.node_kind}: {one.text or one.ref}"
        indent = "    " * (one.depth - 1)
        screen.tell(f"{indent}{way} {clean(said, _TEXT_CHARS_MAX)}  (weight {number(one.weight)})")
        if one.reason:
            screen.tell(f"{indent}  because: {clean(one.reason, _REASON_CHARS_MAX)}", "dim")
    if found.cut:
        screen.tell(f"... and more: it has {found.degree:,} links itself; ask for more with --count", "dim")
