"""What every import does: read the source, append it or fold it, and say what was passed over.

Of a service it is asked first who the key is: whether it may append at all, under which name it speaks, and which
memory is its own. So what cannot end is not begun.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import orjson

from ...exits import ExitCode, classify
from ...options import OnKafka, not_both, on_kafka
from ...screen import Screen, clean, counted
from ...targets import SOURCE, AtService, Target, at_service, check_may, memory_of
from .folding import InDirectory, Vectors, append_import, fold_import, send_import
from .standing import How, InFile, InMemory

if TYPE_CHECKING:
    from contextlib import ExitStack

    import typer

    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.remote import Remote
    from yggdrasil_producers.again import Again, Standing
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
    place: Target,
    embedder: str | None,
) -> OnKafka | InDirectory | AtService:
    """Return where an import goes to. Raises BadParameter for options that exclude each other."""
    there = on_kafka(context, kafka, topic, development=development)
    not_both(context, there)
    return there or place.service or InDirectory(place.directory, embedder)


def import_into(
    prepare: "Callable[[Drafter], Import]",
    unit: str,
    place: OnKafka | InDirectory | AtService,
    memory: str,
    json: bool,
    how: How | None = None,
    *,
    dry_run: bool = False,
) -> None:
    """Import what ``prepare`` reads, and say what became of it; ``how`` it is imported again, if it can be.

    With ``dry_run`` say what would be imported: how much of which kind, and the first of it.
    """
    screen = Screen(json)
    check_how(how, place)
    if dry_run:
        _show_import(screen, prepare, unit, place, memory, how)
        return
    if isinstance(place, AtService):
        with at_service(place, _PATIENCE_S) as remote:
            drafter = drafter_at(remote, memory)
            source = prepare(drafter)
            again = how.again(drafter, standing_at(remote, drafter), source) if how is not None else None
            imported = send_import(screen, remote, source, unit, place.rate, again)
        document = {"memory": drafter.memory, f"{unit}s": source.total, "service": place.url, **imported.document}
        _conclude(screen, source, unit, document, imported.sentence, imported.refused)
        return
    drafter, refused, vectors = drafter_of(memory), dict[str, int](), None
    source = prepare(drafter)  # what cannot be read leaves no trace
    document = {"memory": memory, f"{unit}s": source.total}
    if isinstance(place, OnKafka):
        kept = InFile(how.state) if how is not None and how.state is not None else None
        again = how.again(drafter, kept, source) if how is not None else None
        if again is not None:
            again.keeping = kept is not None
        appended = append_import(screen, place, source, unit)
        if again is not None and kept is not None:
            kept.save(again.said)
        document |= {"kafka": place.settings.bootstrap_servers, "topic": place.topic, **asdict(appended)}
        sentence = appended.sentence(place)
        if how is not None and kept is None and appended.appended:
            sentence += " What stands there cannot be read: what went back to what it was is not told (--state FILE)."
    else:
        imported = fold_import(screen, place, source, unit, drafter, how)
        refused, vectors = imported.refused, imported.vectors
        document |= imported.document
        sentence = imported.sentence
    _conclude(screen, source, unit, document, sentence, refused, vectors)


def check_how(how: How | None, place: OnKafka | InDirectory | AtService) -> None:
    """Raise BadParameter for what cannot be done there."""
    import typer

    on_topic = isinstance(place, OnKafka)
    if how is not None and how.state is not None and not on_topic:
        raise typer.BadParameter("--state is for --kafka: elsewhere the memory itself is asked what stands")
    if how is not None and how.sync and on_topic and how.state is None:
        raise typer.BadParameter("--sync with --kafka takes --state FILE: of a topic it cannot be read what stands")


def standing_at(remote: "Remote", drafter: "Drafter") -> InMemory | None:
    """Return what stands behind a service; None for a key that may not read."""
    caller = remote.caller()
    if not caller.keyless and "read" not in caller.roles:
        return None
    return InMemory(remote, drafter.memory, drafter.source)


def _show_import(
    screen: Screen,
    prepare: "Callable[[Drafter], Import]",
    unit: str,
    place: OnKafka | InDirectory | AtService,
    memory: str,
    how: How | None,
) -> None:
    from contextlib import ExitStack

    drafter = drafter_of(memory)
    with ExitStack() as stack:
        standing: Standing | None = None
        if isinstance(place, AtService):
            remote = stack.enter_context(at_service(place))
            drafter = drafter_at(remote, memory)
            standing = standing_at(remote, drafter)
        elif isinstance(place, InDirectory):
            engine = _read_engine(stack, screen, place) if how is not None else None
            standing = InMemory(engine, drafter.memory, drafter.source) if engine is not None else None
        elif how is not None and how.state is not None:
            standing = InFile(how.state)
        source = prepare(drafter)
        again = how.again(drafter, standing, source) if how is not None else None
        _show(screen, source, unit, drafter.memory, again)


def _read_engine(stack: "ExitStack", screen: Screen, place: InDirectory) -> "Embedded | None":
    """Return what reads a directory for as long as ``stack`` is open; None where there is none, or others have it."""
    from contextlib import closing

    from yggdrasil.engines.embedded import Embedded
    from yggdrasil_infra.log import LogInUseError

    from ...opening import catch_up

    if not (place.directory / "log").is_dir():
        return None
    try:
        engine = stack.enter_context(closing(Embedded(place.directory)))
    except LogInUseError:
        screen.warn("another process has the directory open, so what is known already cannot be told")
        return None
    catch_up(screen, engine)
    return engine


def _show(screen: Screen, source: "Import", unit: str, memory: str, again: "Again | None") -> None:
    from contextlib import closing

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
    document: dict[str, Any] = {"memory": memory, f"{unit}s": source.total, "dry_run": True}
    document |= {"commands": kinds, "first": first} | (again.counts.document if again is not None else {})
    told = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
    for each in () if screen.json else first:
        screen.tell(f"  {each['type']}  {clean(each['text'] or '', _TEXT_CHARS_MAX)}")
    known = again.counts.of["known"] if again is not None else 0
    nothing = f"nothing changed: all {counted(known, unit)} known already" if known else "nothing to import"
    _conclude(screen, source, unit, document, f"would append {told}" if told else nothing)


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


def _conclude(
    screen: Screen,
    source: "Import",
    unit: str,
    document: dict[str, Any],
    sentence: str,
    refused: "Mapping[str, int] | None" = None,
    vectors: "Vectors | None" = None,
) -> None:
    unread = source.unread
    if unread.count:
        places = {place: why for place, _, why in unread.places}
        document["unread"] = {"count": unread.count, "reasons": dict(unread.reasons), "places": places}
        _warn_of(screen, unread)
    for remark in source.remarks:
        screen.warn(remark)
    if source.remarks:
        document["remarks"] = list(source.remarks)
    line = f"{clean(document['memory'])}: {counted(source.total, unit)}; {sentence}"
    screen.result(document, lambda: screen.tell(line))
    code = ExitCode.REFUSED if refused else ExitCode.OK
    if vectors is not None and vectors.error is not None:
        missing = counted(vectors.missing, "text")
        screen.warn(
            f"{clean(vectors.error)}. {missing} can be found by words alone, and the same import, or "
            "`yggdrasil embed`, goes on with their vectors"
        )
        code = classify(vectors.error)[0]
    if code is not ExitCode.OK:
        import typer

        raise typer.Exit(code)


def _warn_of(screen: Screen, unread: "Unread") -> None:
    """Say what was passed over, and why: the first places of each reason, and how many there are of each."""
    told: dict[str, int] = {}
    for place, reason, why in unread.places:
        if told.get(reason, 0) < _WARNED_OF_REASON and sum(told.values()) < _WARNED:
            told[reason] = told.get(reason, 0) + 1
            there = place if unread.file is None else f"{unread.file}, {place}"
            screen.warn(f"{clean(there, _WHY_CHARS_MAX)}: {clean(why, _WHY_CHARS_MAX)}")
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
