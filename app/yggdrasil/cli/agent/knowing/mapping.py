"""``yggdrasil map``: the places that a memory knows, drawn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ...exits import CommandLineError, ExitCode
from ...options import MEMORY_DEFAULT, Json, MemoryId
from ...screen import Screen
from ...targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil.drawing.world import Map

_INSTALL: Final = "pip install 'yggdrasil-substrate[map]'"


def draw_map(
    realm: Annotated[str, typer.Option("--realm", metavar="NAME", help="The realm, such as overworld or earth.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="map.html, or map.png.")] = Path("map.html"),
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Draw a map of a realm: places, paths by what they cost and how risky they are, and the last walk.

    A filled dot is a place that is sure, a ring one that waits to be seen again. The page is one file that needs no
    network; a PNG takes the extra map. At most 5,000 places and 20,000 paths are drawn. See docs/places.md.

    \b
    Examples:
      echo '{"ts": 1, "actor": "ana", "placeId": "forge", "kind": "TRADE", "chunk_cx": 7, "chunk_cz": 3}' > events.jsonl
      yggdrasil import events events.jsonl --realm overworld
      yggdrasil map --realm overworld --out map.html
    """
    from yggdrasil.drawing.svg import page_of
    from yggdrasil.drawing.world import map_of

    from ...opening import opened

    if out.suffix.lower() not in (".html", ".png"):
        raise typer.BadParameter(f"{out.name!r} is neither .html nor .png", param_hint="'--out'")
    screen = Screen(json)
    with opened(screen, place, memory) as it:
        world = map_of(it, realm)
    try:
        if out.suffix.lower() == ".html":
            out.write_text(page_of(world), encoding="utf-8")
        else:
            _png(world, out)
    except OSError as error:
        raise CommandLineError(ExitCode.USAGE, "out", f"{out} cannot be written: {error.strerror}") from error
    said = {"realm": realm, "places": len(world.places), "paths": len(world.paths), "walk": len(world.walk)}
    said |= {"left_out": world.left_out, "file": str(out)}
    more = ", and there was no room for all" if world.left_out else ""
    screen.result(said, lambda: screen.tell(f"{out}: {len(world.places):,} places, {len(world.paths):,} paths{more}"))


def _png(world: "Map", out: Path) -> None:
    from yggdrasil.drawing.raster import write_png

    try:
        write_png(world, out)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "matplotlib":
            raise
        said = f"a PNG takes the extra map, which is not installed: {_INSTALL}; --out map.html needs nothing"
        raise CommandLineError(ExitCode.USAGE, "no_map", said) from error
