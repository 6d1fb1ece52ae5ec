"""Import what happened in a world from JSON lines, in the event schema of 002 (sections 3 and 12).

A line is ``{"ts", "actor", "placeId", "worldAnchor": {"chunk": {"cx", "cz"}, "block": {"x", "y", "z"}}, "kind",
"payload", "salience", "evidence"}``, or has the columns of its table (``place_id``, ``chunk_cx``, ``block_x``, ...).
``text``, ``placeType``, ``realm``, ``session`` and ``facts`` may be added.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.limits import RECORD_BYTES_MAX
from yggdrasil_schemas.names import thing

from ...draft import Draft, Drafter
from ...observing import EventKind, Scene, observed
from ...stamps import Stamp
from ..facts import NotAFactError, moment, told
from ..lines import lines_in, object_in
from ..run import Import, NotUnderstoodError, Unread, shown

REALM: Final = "world"
"""The realm of an anchor whose line names none."""
_EXPECTED: Final = (
    'expected {"ts": Unix ms or ISO 8601, "actor": text, "placeId"?: text, "worldAnchor"?: {"chunk": {"cx", "cz"}, '
    '"block"?: {"x", "y", "z"}}, "kind": text, "payload"?: object, "salience"?: 0 to 1, "evidence"?: [text]}'
)
_BLOCK: Final = ("x", "y", "z")
_CHUNK: Final = ("cx", "cz")
_PAYLOAD_SHOWN: Final = 6


def import_events(file: str | Path, drafter: Drafter, realm: str = REALM) -> Import:
    """Import the events in a file of JSON lines; ``total`` counts them, ``unread`` names the lines that are none.

    The whole file is read first. ``realm`` is that of anchors that name none. Raises ImporterError for a file that
    cannot be read.
    """
    path = Path(file)
    unread = Unread(file=str(path))
    total = sum(1 for _ in _steps(path, drafter, realm, unread))
    return Import(total, _steps(path, drafter, realm, Unread()), unread)


def _steps(path: Path, drafter: Drafter, realm: str, unread: Unread) -> Iterator[list[Draft]]:
    for number, line in lines_in(path, RECORD_BYTES_MAX):
        with unread.noting(f"line {number}"):
            yield _drafts(object_in(line, RECORD_BYTES_MAX, _EXPECTED), drafter, realm)


def _drafts(fields: dict[str, Any], drafter: Drafter, realm: str) -> list[Draft]:
    at = moment("ts", fields.get("ts"))
    kind, salience = _text(fields, "kind"), fields.get("salience")
    if salience is not None and (isinstance(salience, bool) or not isinstance(salience, int | float)):
        raise NotAFactError(f"'salience' lies between 0 and 1, and is not {shown(salience)}")
    scene = Scene(
        place=_text(fields, "placeId", "place_id"),
        place_type=_text(fields, "placeType", "place_type"),
        anchor=_anchor(fields, realm),
        actor=_text(fields, "actor"),
        kind=None if kind is None else cast(EventKind, kind.lower()),
        salience=salience,
        evidence=_evidence(fields),
    )
    said = _object("payload", fields.get("payload") or {})
    facts = _listed("facts", fields.get("facts") or [])
    stamp = Stamp(
        drafter.derived_id("world", realm, canonical_json(fields).decode()), at if at is None or at >= 0 else None
    )
    return observed(
        drafter,
        _text(fields, "text") or _in_words(scene, said),
        scene,
        [told(each, at) for each in facts],
        payload=said,
        session=_text(fields, "session"),
        stamp=stamp,
        derived=True,
    )


def _anchor(fields: Mapping[str, Any], realm: str) -> str | None:
    """Return where something is: its block, if that is known, or else its chunk."""
    known = _object("worldAnchor", fields.get("worldAnchor") or {})
    own = known.get("realm", fields.get("realm", realm))
    if not isinstance(own, str):
        raise NotAFactError(f"'realm' is a text, and not {shown(own)}")
    for name, axes in (("block", _BLOCK), ("chunk", _CHUNK)):
        within = known.get(name)
        given = {axis: fields.get(f"{name}_{axis}") for axis in axes} if within is None else _object(name, within)
        whole = [given.get(axis) for axis in axes]
        if all(type(each) is int for each in whole):
            return "/".join([own, *map(str, whole)])
        if any(each is not None for each in whole):
            raise NotAFactError(f"'{name}' has whole numbers {', '.join(axes)}, and not {shown(given)}")
    return None


def _object(name: str, given: object) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise NotAFactError(f"'{name}' is an object, and not {shown(given)}")
    return cast("dict[str, Any]", given)


def _evidence(fields: Mapping[str, Any]) -> list[str]:
    given = fields.get("evidence")
    found = [] if given is None else _listed("evidence", given)
    if not all(isinstance(each, str) for each in found):
        raise NotAFactError(f"'evidence' is a list of texts, and not {shown(given)}")
    return found


def _listed(name: str, given: object) -> list[Any]:
    if not isinstance(given, list):
        raise NotAFactError(f"'{name}' is a list, and not {shown(given)}")
    return list[Any](cast("list[object]", given))


def _text(fields: Mapping[str, Any], *names: str) -> str | None:
    found = next((fields[name] for name in names if fields.get(name) is not None), None)
    if found is not None and not (isinstance(found, str) and found.strip()):
        raise NotUnderstoodError(f"'{names[0]}' is a text, and not {shown(found)}")
    return found


def _in_words(scene: Scene, payload: Mapping[str, Any]) -> str:
    """Return a sentence about what happened: what is found when somebody asks in words."""
    who, where = thing("actor", scene.actor), thing("place", scene.place)
    by, there = (f"{word} {name.partition(':')[2]}" if name else "" for word, name in (("by", who), ("at", where)))
    said = " ".join(each for each in (scene.kind or "seen", by, there) if each)
    first = list(payload.items())[:_PAYLOAD_SHOWN]
    of_it = [f"{name} {each}" for name, each in first if isinstance(each, str | int)]
    return f"{said}: {', '.join(of_it)}" if of_it else said
