"""``yggdrasil past snapshot`` and ``snapshots``: moments that have names."""

from typing import TYPE_CHECKING, Annotated

import typer

from ...options import MEMORY_DEFAULT, Json, MemoryId, not_blank
from ...screen import Screen, clean
from ...targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.reads.past.snapshots import Snapshots


def snapshot(
    name: Annotated[
        str, typer.Argument(help="Up to 64 letters, digits and . _ -, the first a letter or _.", callback=not_blank)
    ],
    drop: Annotated[bool, typer.Option("--drop", help="Take the name back, so that it is free again.")] = False,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Give this moment of a memory a name, which --as-of and `diff` take from now on; a memory has room for 64.

    A name stands for one moment: one that exists is refused, until it is dropped. Nothing is copied by it, and nothing
    is lost when it is dropped: the moment has its seq as well.

    \b
    Examples:
      yggdrasil record "The router is in the cellar"
      yggdrasil past snapshot before-the-move
      yggdrasil record "The router was moved to the attic"
      yggdrasil context "Where is the router?" --as-of before-the-move
      yggdrasil past snapshot before-the-move --drop
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        command = it.snapshot(name, drop=drop)
        seq = next((each.seq for each in it.snapshots().snapshots if each.name == name), None)
    told = f"{clean(name)} is free again" if seq is None else f"{clean(name)} is seq {seq:,} from now on"
    screen.result({"memory": it.id, "snapshot": command, "name": name, "seq": seq}, lambda: screen.tell(told))


def snapshots(place: Where = HERE, memory: MemoryId = MEMORY_DEFAULT, json: Json = False) -> None:
    """List the moments of a memory that have names, the earliest first.

    \b
    Examples:
      yggdrasil record "The router is in the cellar"
      yggdrasil past snapshot before-the-move
      yggdrasil past snapshots
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.snapshots()
    screen.result(found, lambda: _show(screen, found))


def _show(screen: Screen, found: "Snapshots") -> None:
    if not found.snapshots:
        screen.tell("No moment has a name; `yggdrasil past snapshot NAME` gives this one a name.", "dim")
        return
    screen.table(["name", ">seq"], [(clean(each.name), f"{each.seq:,}") for each in found.snapshots])
