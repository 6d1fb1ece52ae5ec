"""What every import does: read the source, append it or fold it, and say what was passed over.

Of a service it is asked first who the key is: whether it may append at all, under which name it speaks, and which
memory is its own. So what cannot end is not begun.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import orjson

from ...options import OnKafka, not_both, on_kafka
from ...places import SOURCE, AtService, Place, at_service, check_may, memory_of
from ...screen import Screen, clean, counted
from .folding import InDirectory, append_import, fold_import, send_import

if TYPE_CHECKING:
    import typer

    from yggdrasil.engines.remote import Remote
    from yggdrasil_producers.draft import Drafter
    from yggdrasil_producers.importers import Import, Unread

_WARNED: Final = 20
_WARNED_OF_REASON: Final = 10
_WHY_CHARS_MAX: Final = 300
_SHOWN: Final = 10  # commands of a dry run
_PATIENCE_S: Final = 600.0  # with a service that is busy: nobody sits and waits for an import as for an answer
_TEXT_CHARS_MAX: Final = 200


def place_of(
    context: "typer.Context",
    kafka: str | None,
    topic: str,
    development: bool,
    place: Place,
    embedder: str | None,
) -> OnKafka | InDirectory | AtService:
    """Return where an import goes to. Raises BadParameter for options that exclude each other."""
    there = on_kafka(context, kafka, topic, development=development)
    not_both(context, there)
    return there or place.service or InDirectory(place.directory, embedder)


def import_into(
    prepare: "Callable[[Drafter], Import]", unit: str, place: OnKafka | InDirectory | AtService, memory: str, json: bool
) -> None:
    """Import what ``prepare`` reads, and say what became of it."""
    screen = Screen(json)
    if isinstance(place, AtService):
        with at_service(place, _PATIENCE_S) as remote:
            drafter = drafter_at(remote, memory)
            source = prepare(drafter)
            imported = send_import(screen, remote, source, unit, place.rate)
        document = {"memory": drafter.memory, f"{unit}s": source.total, "service": place.url, **imported.document}
        _conclude(screen, source, unit, document, imported.sentence)
        return
    source = prepare(drafter_of(memory))  # what cannot be read leaves no trace
    document = {"memory": memory, f"{unit}s": source.total}
    if isinstance(place, OnKafka):
        appended = append_import(screen, place, source, unit)
        document |= {"kafka": place.settings.bootstrap_servers, "topic": place.topic, **asdict(appended)}
        sentence = appended.sentence(place)
    else:
        imported = fold_import(screen, place, source, unit)
        document |= imported.document
        sentence = imported.sentence
    _conclude(screen, source, unit, document, sentence)


def show_import(
    prepare: "Callable[[Drafter], Import]", unit: str, place: OnKafka | InDirectory | AtService, memory: str, json: bool
) -> None:
    """Read what ``prepare`` reads, and say what would be imported: how much of which kind, and the first of it."""
    from contextlib import closing

    screen = Screen(json)
    drafter = drafter_of(memory)
    if isinstance(place, AtService):
        with at_service(place) as remote:
            drafter = drafter_at(remote, memory)
    source = prepare(drafter)
    kinds: dict[str, int] = {}
    first: list[dict[str, Any]] = []
    with closing(source), screen.progress(f"Looking at {unit}s", source.total) as advance:
        shown = 0
        for draft in source.drafts:
            fields = orjson.loads(draft.value)
            kinds[fields["type"]] = kinds.get(fields["type"], 0) + 1
            if len(first) < _SHOWN:
                first.append(_shown(fields))
            advance(source.done - shown)
            shown = source.done
        advance(source.done - shown)
    document: dict[str, Any] = {"memory": drafter.memory, f"{unit}s": source.total, "dry_run": True}
    document |= {"commands": kinds, "first": first}
    told = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
    for each in () if json else first:
        screen.tell(f"  {each['type']}  {clean(each['text'] or '', _TEXT_CHARS_MAX)}")
    _conclude(screen, source, unit, document, f"would append {told}" if told else "nothing to import")


def drafter_of(memory: str) -> "Drafter":
    """Return what drafts the commands of an import."""
    from yggdrasil_producers.draft import Drafter

    return Drafter(memory, SOURCE, "yggdrasil-import", "import")


def drafter_at(remote: "Remote", memory: str) -> "Drafter":
    """Return what drafts the commands of an import through a service: ids are derived for the name of its key.

    Raises CommandLineError for a key that may not append to that memory, and what the service raises.
    """
    from yggdrasil_producers.draft import Drafter

    caller = remote.caller()
    memory = memory_of(caller, memory)
    # Without keys the ids are those of an import into the directory, so that it may go on through either.
    drafter = Drafter(memory, SOURCE if caller.keyless else caller.name, "yggdrasil-import", "import")
    drafter.check()
    check_may(caller, "append", memory)
    return drafter


def _conclude(screen: Screen, source: "Import", unit: str, document: dict[str, Any], sentence: str) -> None:
    unread = source.unread
    if unread.count:
        places = {place: why for place, _, why in unread.places}
        document["unread"] = {"count": unread.count, "reasons": dict(unread.reasons), "places": places}
        _warn_of(screen, unread)
    line = f"{clean(document['memory'])}: {counted(source.total, unit)}; {sentence}"
    screen.result(document, lambda: screen.tell(line))


def _warn_of(screen: Screen, unread: "Unread") -> None:
    """Say what was passed over, and why: the first places of each reason, and how many there are of each."""
    told: dict[str, int] = {}
    for place, reason, why in unread.places:
        if told.get(reason, 0) < _WARNED_OF_REASON and sum(told.values()) < _WARNED:
            told[reason] = told.get(reason, 0) + 1
            screen.warn(f"{clean(place, _WHY_CHARS_MAX)}: {clean(why, _WHY_CHARS_MAX)}")
    if len(unread.reasons) > 1:
        for reason, count in unread.reasons.most_common():
            screen.warn(f"{clean(reason)}: {count:,}")
    more = unread.count - sum(told.values())
    rest = f", {more:,} of them not named here (--json names the first of each sort)" if more else ""
    screen.warn(
        f"{counted(unread.count, unread.thing)} passed over{rest}; mend what should not be, and import it again"
    )


def _shown(fields: dict[str, Any]) -> dict[str, Any]:
    """Return of a command what a person wants to see before it is appended."""
    text = fields.get("content", {}).get("text")
    shown = {"type": fields["type"], "id": fields["id"], "at": fields["at"], "session": fields.get("session")}
    return {**shown, "text": text and clean(text, _TEXT_CHARS_MAX), "body": fields["body"]}
