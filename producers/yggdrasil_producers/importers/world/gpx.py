"""Import from GPX 1.1: waypoints are places, routes and tracks are paths that were walked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from ...draft import Drafter
from ...errors import ImporterError
from ..facts import moment
from ..run import Import, NotUnderstoodError, Unread
from .earth import Spot, spot_of
from .mapped import Mark, Source, Way, contents_of, import_map


def import_gpx(file: str | Path, drafter: Drafter) -> Import:
    """Import the waypoints, routes and tracks of a GPX file; ``total`` counts them, ``unread`` names what is broken.

    A track whose points have times says how long it took, in seconds; a way of a track leads the way that was walked,
    and back. Raises ImporterError for a file that cannot be read, is larger than 64 MiB, or is no GPX.
    """
    path, unread = Path(file), Unread("element")
    marks, ways = list[Mark](), list[Way]()
    for number, element in enumerate(_root(path), 1):
        where = f"element {number}"
        kind = _tag(element)
        with unread.noting(where):
            if kind == "wpt":
                types = [each for each in (_text(element, "type"), _text(element, "sym")) if each]
                marks.append(Mark(where, _spot(element), _text(element, "name"), types[:1]))
            elif kind == "rte":
                ways += _ways(where, element, [each for each in element if _tag(each) == "rtept"])
        segments = [each for each in element if _tag(each) == "trkseg"] if kind == "trk" else []
        for segment in segments:
            with unread.noting(where):
                ways += _ways(where, element, [each for each in segment if _tag(each) == "trkpt"])
    return import_map(marks, ways, drafter, Source.of("gpx", path), unread)


def _root(path: Path) -> "ElementTree.Element[Any]":
    data = contents_of(path, "GPX")
    try:
        _check_plain(data)
    except _DoctypeError:
        raise ImporterError(f"{path} defines entities, which no GPX needs: take them out") from None
    except expat.ExpatError as error:
        raise ImporterError(f"{path} is no XML: {error}; expected a file of GPX") from error
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise ImporterError(f"{path} is no XML: {error}; expected a file of GPX") from error
    if _tag(root) != "gpx":
        raise ImporterError(f"{path} is XML of something else ({_tag(root)[:40]}); expected a file of GPX")
    return root


class _DoctypeError(Exception):
    """A document has a type of its own, and so perhaps entities, which may grow without bound."""


def _check_plain(data: bytes) -> None:
    """Raise _DoctypeError for a document with a type of its own, in whatever encoding; no GPX has any."""

    def refuse(*_: object) -> None:
        raise _DoctypeError

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(data, True)


def _ways(where: str, of: "ElementTree.Element[Any]", points: "list[ElementTree.Element[Any]]") -> Iterator[Way]:
    spots = [_spot(each) for each in points]
    spots = [spot for number, spot in enumerate(spots) if number == 0 or spot[:2] != spots[number - 1][:2]]
    if len(spots) < 2:
        raise NotUnderstoodError("a route or a track has two points at least")
    began, ended = (moment("time", _text(each, "time")) for each in (points[0], points[-1]))
    seconds = None if began is None or ended is None or ended < began else (ended - began) // 1_000
    yield Way(where, spots, _text(of, "name"), seconds=seconds)


def _spot(point: "ElementTree.Element[Any]") -> Spot:
    return spot_of(point.get("lon"), point.get("lat"), _text(point, "ele"))


def _text(of: "ElementTree.Element[Any]", name: str) -> str | None:
    found = next((each.text for each in of if _tag(each) == name), None)
    return " ".join(found.split()) or None if found else None


def _tag(element: "ElementTree.Element[Any]") -> str:
    return str(element.tag).rpartition("}")[2]
