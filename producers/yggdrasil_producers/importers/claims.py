"""Import claims from JSON lines: ``{"entity", "claim", "source", "confidence", "timestamp", "author"}``, one a line.

``claim`` is an object with a predicate and an object, or a text: then the predicate is ``claim``, of which a thing may
have many. What is said of one thing by several ``source``s counts as that of several; ``author`` and whatever else a
line has are kept with the claim. Only ``entity`` and ``claim`` are needed.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import orjson

from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.limits import RECORD_BYTES_MAX

from ..draft import Draft, Drafter
from ..observing import Told
from ..stamps import Stamp
from .facts import NotAFactError, moment, named, percent, told
from .lines import lines_in, object_in
from .run import Import, Unread, shown

PREDICATE: Final = "claim"
"""What is said of a thing by a claim that is a text."""
_EXPECTED: Final = (
    'expected {"entity": text, "claim": text or {"predicate": text, "object": value}, "source"?: text, "confidence"?: '
    '0 to 1, "timestamp"?: Unix ms or ISO 8601, "author"?: text}'
)
_LINE_BYTES_MAX: Final = RECORD_BYTES_MAX
_READ: Final = frozenset({"entity", "claim", "confidence"})


def import_claims(file: str | Path, drafter: Drafter) -> Import:
    """Import the JSON lines in ``file``; ``total`` counts those that are claims, ``unread`` names the others.

    The whole file is read first. A claim holds from its ``timestamp`` on, unless it has a ``valid_from`` itself, so a
    line about earlier times displaces nothing of today, in whatever order lines come. Raises ImporterError for a file
    that cannot be read.
    """
    path = Path(file)
    unread = Unread(file=str(path))
    total = texts = 0
    for draft in _drafts(path, drafter, unread):
        total += 1
        texts += orjson.loads(draft.value)["body"]["predicate"] == PREDICATE
    said = "1 claim is a text" if texts == 1 else f"{texts:,} claims are texts"
    remarks = (
        (f"{said}, under the predicate `{PREDICATE}`: neither weighed nor ended by another value",) if texts else ()
    )
    return Import(total, ([draft] for draft in _drafts(path, drafter, Unread())), unread, remarks)


def _drafts(path: Path, drafter: Drafter, unread: Unread) -> Iterator[Draft]:
    for number, line in lines_in(path, _LINE_BYTES_MAX):
        with unread.noting(f"line {number}"):
            yield _draft(object_in(line, _LINE_BYTES_MAX, _EXPECTED), drafter)


def _draft(fields: dict[str, Any], drafter: Drafter) -> Draft:
    entity, at = named("entity", fields), moment("timestamp", fields.get("timestamp"))
    fact = _told(entity, fields, at)
    if fields.get("source") is not None:  # a name that no key and no program speaks under
        drafter = replace(drafter, source=f"import:{named('source', fields)}")
    kept = {name: value for name, value in fields.items() if name not in _READ and value is not None}
    stamp = Stamp(drafter.derived_id("claims", canonical_json(fields).decode()), at if at is None or at >= 0 else None)
    return drafter.assert_claim(
        fact.subject,
        fact.predicate,
        fact.object,
        claimed=fact.claimed,
        text=fact.text,
        payload=kept or None,
        stamp=stamp,
    )


def _told(entity: str, fields: dict[str, Any], at: int | None) -> Told:
    claim: Any = fields.get("claim")
    if isinstance(claim, str) and claim.strip():
        name = entity.partition(":")[2] or entity
        text = claim if name.casefold() in claim.casefold() else f"{name}: {claim}"
        return Told(entity, PREDICATE, claim, text, {"confidence": percent(fields.get("confidence")), "valid_from": at})
    if not isinstance(claim, dict):
        raise NotAFactError(f"'claim' must be a text, or have a predicate and an object; it is {shown(claim)}")
    given = {"subject": entity, "confidence": fields.get("confidence"), **cast(dict[str, Any], claim)}
    if given["subject"] != entity:
        raise NotAFactError(f"the claim of an entity is about that, and not about {shown(given['subject'])}")
    return told(given, at)
