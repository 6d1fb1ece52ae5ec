"""What an importer of worlds has drafted, as commands that are decoded and in the language."""

from typing import Any

from yggdrasil_producers.importers import Import
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import AssertClaim, RecordEvent


def commands_of(importing: Import) -> list[Any]:
    found: list[Any] = []
    for draft in importing.drafts:
        decoded = decode(draft.value)
        assert isinstance(decoded, Decoded), decoded
        found.append(decoded.command)
    return found


def events_in(commands: list[Any]) -> list[RecordEvent]:
    return [each for each in commands if isinstance(each, RecordEvent)]


def claims_in(commands: list[Any]) -> list[tuple[str, str, str, dict[str, str]]]:
    """Subject, predicate, object and qualifiers of each claim, all as texts."""
    claims = [each for each in commands if isinstance(each, AssertClaim)]
    return [(each.body.subject, each.body.predicate, _object(each), each.body.qualifiers) for each in claims]


def _object(claim: AssertClaim) -> str:
    said = claim.body.object
    return said.anchor or said.entity or said.decimal or str(said.flag)
