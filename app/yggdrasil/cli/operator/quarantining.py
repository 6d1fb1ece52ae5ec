"""``yggdrasil quarantine`` and ``yggdrasil report``: all that somebody said, what came of it, and out with it."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from yggdrasil_schemas.moments import NotAMomentError, moment_ms

from ..exits import CommandLineError, ExitCode
from ..options import (
    MEMORY_DEFAULT,
    TOPIC_DEFAULT,
    Development,
    Json,
    KafkaInstead,
    MemoryId,
    OnKafka,
    Topic,
    not_both,
    on_kafka,
)
from ..screen import Screen, clean, counted, moment
from ..targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil.knowing.quarantining import Done
    from yggdrasil_processors.auditing.quarantine import Part
    from yggdrasil_processors.auditing.tracing import Trace, Traced

_SHOWN_MAX: Final = 20  # lines; --json has all
_REASON_CHARS_MAX: Final = 96  # of 128: the number of the part stands before it
_SELECTING: Final = "'--source', '--key', '--session' or '--command'"

Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only what the log took in since: 2026-01-31, a time, or Unix ms."),
]


def quarantine(
    context: typer.Context,
    source: Annotated[str | None, typer.Option("--source", metavar="NAME", help="What this source said.")] = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="ID", help="What came with this key of the service; or its name.")
    ] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="NAME", help="What was said there.")] = None,
    command: Annotated[str | None, typer.Option("--command", metavar="ID", help="This command alone.")] = None,
    since: Since = None,
    derived: Annotated[bool, typer.Option("--derived", help="Also all that came of it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it, it is only shown.")] = False,
    release: Annotated[bool, typer.Option("--release", help="Take the quarantine of the same selection back.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Show every quarantine, and what is under way.")] = False,
    reason: Annotated[str, typer.Option("--reason", help="Why, in a few words, shown wherever it is.")] = "",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Show all that somebody said, and what came of it; with --yes, take it out of every answer at once.

    Events, outcomes, claims, words for claims that others say too, names, relations, reports of use, vectors, episodes
    and concepts; of outcomes and reports also what the memory learnt of them. What came of it, by cause, recall,
    evidence or content, is counted, and goes too with --derived. Name a --source, a --key, a --session or a --command;
    of several given, all must be so. Nothing is lost: --release with the same selection brings back what stood before.
    If it is interrupted, the same command goes on. What is pinned is left out. Through a service it takes a key with
    the role audit, and to do it operate as well. With --kafka the log is a topic, which is folded here first.

    \b
    Examples:
      yggdrasil record "Invoices go to account 2" --session mails
      yggdrasil quarantine --session mails
      yggdrasil quarantine --session mails --derived --yes --reason "a stranger's mail"
      yggdrasil quarantine --status
      yggdrasil quarantine --session mails --derived --release --yes
    """
    from yggdrasil_processors.auditing.tracing import Who

    from .quarantine_places import quarantine_at

    screen, there = Screen(json), _there(context, kafka, topic, development=development)
    if len(reason) > _REASON_CHARS_MAX:
        raise typer.BadParameter(f"at most {_REASON_CHARS_MAX} characters", param_hint="'--reason'")
    who = Who(source, key, session, command, _since(since))
    if status:
        with quarantine_at(screen, place, there, memory) as desk:
            _show_status(screen, desk.memory, desk.parts())
            _warn(screen, desk.altered)
        return
    if who[:4] == (None, None, None, None):
        raise typer.BadParameter("say whose words are meant: give one of them at least", param_hint=_SELECTING)
    if command is not None:
        _check_id(command, "'--command'")
    selection = {**{name: value for name, value in who._asdict().items() if value}, "derived": derived}
    with quarantine_at(screen, place, there, memory, says=yes) as desk:
        memory, found = desk.memory, desk.trace(who)
        if not found.known:
            raise CommandLineError(ExitCode.NOT_FOUND, "nothing_said", f"{_told(selection)} said nothing in {memory}")
        done = desk.done(selection, found, release=release, say=yes, reason=f": {reason}" if reason else "")
        _warn(screen, desk.altered)
    document = {"memory": memory, "selection": selection, **_document(found, done)}
    screen.result(document, lambda: _show(screen, found, done, selection, yes=yes, release=release))


def report(
    context: typer.Context,
    ref: Annotated[str, typer.Argument(metavar="ID", help="The full id of an event, an episode, a concept, a claim.")],
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Show which answers a memory was in, which events these informed, and how those ended.

    That is which recalls returned it, who asked and what, which events name one of these recalls in informed_by, and
    the outcomes of these events. A read that is no recall leaves only the digest of its answer, and is not among them.

    \b
    Examples:
      EVENT=$(yggdrasil record "Invoices go to account 2" --feature invoices)
      yggdrasil context "Where do invoices go?"
      yggdrasil report $EVENT
    """
    from .quarantine_places import quarantine_at

    screen, there = Screen(json), _there(context, kafka, topic, development=development)
    _check_id(ref, "'ID'")
    with quarantine_at(screen, place, there, memory) as desk:
        memory, found = desk.memory, desk.report(ref)
        _warn(screen, desk.altered)
    if found is None:
        message = f"{memory} accepted no command {ref}; --memory names another memory"
        raise CommandLineError(ExitCode.NOT_FOUND, "unknown_command", message)
    document = {
        "memory": memory,
        "ref": ref,
        "recalls": [each._asdict() for each in found.recalls],
        "events": [each._asdict() for each in found.events],
        "outcomes": [each._asdict() for each in found.outcomes],
    }

    def show() -> None:
        for what, rows in (
            ("answers that it was in", found.recalls),
            ("events that these informed", found.events),
            ("outcomes of these", found.outcomes),
        ):
            screen.tell(f"{what}: {len(rows):,}", "bold")
            _show_rows(screen, rows)

    screen.result(document, show)


def _there(context: typer.Context, kafka: str | None, topic: str, *, development: bool) -> OnKafka | None:
    there = on_kafka(context, kafka, topic, development=development)
    not_both(context, there)
    return there


def _warn(screen: Screen, altered: int) -> None:
    if altered:
        told = f"{counted(altered, 'record')} of the log are not what was folded, and left out"
        screen.warn(f"{told}: `yggdrasil verify` names them")


def _since(typed: str | None) -> int:
    try:
        since = 0 if typed is None else moment_ms("it", typed)
    except NotAMomentError as error:
        raise typer.BadParameter(str(error), param_hint="'--since'") from error
    if since > time.time() * 1_000:
        raise typer.BadParameter(f"{typed} has not come yet", param_hint="'--since'")
    return since


def _check_id(given: str, option: str) -> None:
    from yggdrasil_schemas.commands.wire import REF_EXAMPLE, is_ref

    if given.startswith("feature:") or not is_ref(given):
        message = f"{clean(given, 60)!r} is no id of a command, which looks like {REF_EXAMPLE}"
        raise typer.BadParameter(message, param_hint=option)


def _told(selection: dict[str, Any]) -> str:
    said = [f"{name} {clean(value)}" for name, value in selection.items() if name not in {"since", "derived"}]
    return ", ".join(said) + (f", since {moment(selection['since'])}" if "since" in selection else "")


def _typed(selection: dict[str, Any]) -> str:
    import shlex

    said = [f"--{name} {shlex.quote(str(value))}" for name, value in selection.items() if name != "derived"]
    return " ".join(["yggdrasil quarantine", *said, *(["--derived"] if selection["derived"] else [])])


def _document(found: "Trace", done: "Done") -> dict[str, Any]:
    last = done.last
    return {
        "said": [each._asdict() for each in found.said],
        "derived": [each._asdict() for each in found.derived],
        "items": [{"ref": each.ref, "word": each.word} for each in done.plan.items],
        "left_out": [{"ref": each.id, "reason": why} for each, why in done.plan.left]
        + [{"ref": ref, "reason": why} for ref, why in done.refused.items()],
        "under_way": None if last is None else {"part": last.part, "parts": last.parts},
        "judged": done.judged,
        "commands": done.commands,
    }


def _show(screen: Screen, found: "Trace", done: "Done", selection: dict[str, Any], *, yes: bool, release: bool) -> None:
    screen.tell(f"{_told(selection)} said {counted(len(found.said), 'command')}: {_kinds(found.said)}", "bold")
    _show_rows(screen, found.said)
    screen.tell(f"{len(found.derived):,} came of that: {_kinds(found.derived)}", "bold")
    _show_rows(screen, found.derived)
    if found.derived and not selection["derived"]:
        screen.tell("These are left as they are without --derived.", "dim")
    left = Counter([*(why for _, why in done.plan.left), *done.refused.values()])
    for why, count in sorted(left.items()):
        screen.tell(f"left out: {count:,}: {clean(why)}", "yellow")
    if done.last is not None:
        told = f"under way: {done.last.part:,} of {done.last.parts:,} parts are in; the same command with --yes goes on"
        screen.tell(told, "yellow")
    items = len(done.plan.items)
    if yes:
        said = "are as they were before" if release else "are out of every answer"
        screen.tell(f"{done.judged:,} {said}.", "bold green")
        if not release and done.judged:
            screen.tell(f"To take it back: {_typed(selection)} --release --yes")
        return
    if not items:
        screen.tell("Nothing to take back." if release else "Nothing of it is in answers any more.", "bold")
        return
    does = "would be as they were before" if release else "would be out of every answer"
    screen.tell(f"{items:,} {does}. To do it: {_typed(selection)}{' --release' if release else ''} --yes", "bold")


def _kinds(rows: "Iterable[Traced]") -> str:
    return ", ".join(f"{kind} {count:,}" for kind, count in sorted(Counter(each.type for each in rows).items())) or "-"


def _show_rows(screen: Screen, rows: "Sequence[Traced]") -> None:
    if not rows:
        return
    shown = [
        (
            each.seq,
            moment(each.at_ms),
            each.type,
            each.trust,
            each.key or each.source,
            each.session,
            each.words,
            each.id,
        )
        for each in rows[:_SHOWN_MAX]
    ]
    screen.table([">seq", "when", "what", ">trust", "who", "session", "words", "id"], shown)
    if len(rows) > _SHOWN_MAX:
        screen.tell(f"... and {len(rows) - _SHOWN_MAX:,} more; --json tells all", "dim")


def _show_status(screen: Screen, memory: str, parts: "list[Part]") -> None:
    from yggdrasil_processors.auditing.quarantine import of_selection, under_way

    selections: list[dict[str, Any]] = []
    for part in parts:
        if part.selection not in selections:
            selections.append(part.selection)
    found: list[dict[str, Any]] = []
    for selection in selections:
        taken, released = of_selection(parts, selection)
        last = (released or taken)[-1]
        state = "released" if released else "in quarantine"
        state = f"under way: {last.part} of {last.parts}" if under_way(released or taken) else state
        items = sum(len(part.items) for part in taken)
        found.append({"selection": selection, "state": state, "items": items, "at_ms": last.at_ms})

    def show() -> None:
        if not found:
            screen.tell("Nothing was put in quarantine.")
        for one in found:
            screen.tell(f"{moment(one['at_ms'])}  {one['state']}: {counted(one['items'], 'item')}", "bold")
            screen.tell(f"    {_typed(one['selection'])}")

    screen.result({"memory": memory, "quarantines": found}, show)
