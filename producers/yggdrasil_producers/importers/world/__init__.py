"""Importers of worlds: what happened where, and maps.

===========  ======================================  ==================================================
module       function                                what comes in
===========  ======================================  ==================================================
``events``   ``import_events(file, drafter)``        JSON lines of events with place, anchor and kind
``geojson``  ``import_geojson(file, drafter)``       points are places, lines are paths
``gpx``      ``import_gpx(file, drafter)``           waypoints are places, routes and tracks are paths
===========  ======================================  ==================================================

Room for another format: it makes ``Mark``s and ``Way``s (``mapped``), which become observations there.
"""

from .events import import_events
from .geojson import import_geojson
from .gpx import import_gpx

__all__ = ["import_events", "import_geojson", "import_gpx"]
