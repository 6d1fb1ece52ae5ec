"""``yggdrasil import events``, ``geojson`` and ``gpx``: what happened in a world, and maps of one."""

from pathlib import Path
from typing import Annotated

import typer

from ...options import (
    MEMORY_DEFAULT,
    TOPIC_DEFAULT,
    Development,
    EmbedderSetting,
    Json,
    KafkaInstead,
    MemoryId,
    Topic,
)
from ...targets import HERE, OfImport, Where
from .running import import_into, place_of

_EVENTS = """Import what happened in a world from JSON lines: who, where, what.

A line is {"ts": 1767225600000, "actor": "ana", "placeId": "oakfield", "kind": "TRADE"}; "worldAnchor" ({"chunk":
{"cx": 7, "cz": -3}, "block": {"x": 120, "y": 64, "z": -33}}), "placeType", "payload", "salience" (0 to 1), "evidence",
"text", "session" and "facts" may be added. The kinds are DISCOVERY, TRADE, COMBAT, DEATH, SLEEP, BUILD, PROMISE and
SUMMARY. Lines that are none of this are named by their numbers, and the rest is imported. See docs/places.md.

\b
Examples:
  echo '{"ts": 1767225600000, "actor": "ana", "placeId": "oakfield", "kind": "TRADE"}' > events.jsonl
  yggdrasil import events events.jsonl --realm overworld
"""
_GEOJSON = """Import a map from GeoJSON: points and areas are places, lines are paths.

A place is called by its property "name", and what it is by "amenity", "shop", "type" and the like. Lines join where
they share a point; "oneway" and "lit" are heeded, and lengths are recorded in whole metres. A map does not say how one
gets from a street to a place beside it: with --join 40 a path leads there from the nearest corner within 40 metres. See
docs/places.md.

\b
Examples:
  yggdrasil import geojson map.geojson --memory me/town --join 40
"""
_GPX = """Import waypoints, routes and tracks from GPX: waypoints are places, the others are paths.

A track whose points have times also says how many seconds it took. See docs/places.md.

\b
Examples:
  yggdrasil import gpx ride.gpx --memory me/rides
"""
File = Annotated[Path, typer.Argument(help="The file.")]


def register(app: typer.Typer) -> None:
    """Give ``yggdrasil import`` its commands for worlds."""
    app.command("events", cls=OfImport, short_help="Import what happened in a world.", help=_EVENTS)(_events)
    app.command("geojson", cls=OfImport, short_help="Import a map from GeoJSON.", help=_GEOJSON)(_geojson)
    app.command("gpx", cls=OfImport, short_help="Import waypoints and tracks from GPX.", help=_GPX)(_gpx)


def _events(
    context: typer.Context,
    file: File,
    realm: Annotated[str, typer.Option("--realm", help="The realm of anchors that name none.")] = "world",
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    from yggdrasil_producers.importers.world import import_events

    there = place_of(context, kafka, topic, development, place, embedder)
    import_into(lambda drafter: import_events(file, drafter, realm), "event", there, memory, json)


def _geojson(
    context: typer.Context,
    file: File,
    join: Annotated[
        int,
        typer.Option("--join", metavar="METRES", min=0, max=1_000, help="Join places to ways that pass so near by."),
    ] = 0,
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    from yggdrasil_producers.importers.world import import_geojson

    there = place_of(context, kafka, topic, development, place, embedder)
    import_into(lambda drafter: import_geojson(file, drafter, join=join), "feature", there, memory, json)


def _gpx(
    context: typer.Context,
    file: File,
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    from yggdrasil_producers.importers.world import import_gpx

    there = place_of(context, kafka, topic, development, place, embedder)
    import_into(lambda drafter: import_gpx(file, drafter), "element", there, memory, json)
