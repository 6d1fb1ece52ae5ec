"""``yggdrasil quarantine`` and ``yggdrasil report``: all that somebody said, what came of it, and out with it."""

import time
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from yggdrasil_schemas.moments import NotAMomentError, moment_ms

from ..exits import CommandLineError, ExitCode
from ..options import DIR_DEFAULT, MEMORY_DEFAULT, Dir, Json, MemoryId
from ..screen import Screen, clean, counted
from ..targets import SOURCE

if TYPE_CHECKING:
    from yggdrasil.engines.embedded import Embedded
    from yggdrasil_processors.auditing.quarantine import Part, Plan, Step, Verdict
    from yggdrasil_processors.auditing.tracing import Accepted, Trace, Traced, Who
    from yggdrasil_schemas.graph.records import Identity

_SHOWN_MAX: Final = 20  # lines; --json has all
_REASON_CHARS_MAX: Final = 96  # of 128: the number of the part stands before it
_ROUNDS_MAX: Final = 3  # of looking whether anything on the list stands again, since something else is out
_SELECTING: Final = "'--source', '--key', '--session' or '--command'"

Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only what the log took in since: 2026-01-31, a time, or Unix ms."),
]


def quarantine(
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
    directory: Dir = DIR_DEFAULT,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show all that somebody said, and what came of it; with --yes, take it out of every answer at once.

    Events, outcomes, claims, words for claims that others say too, names, relations, reports of use, vectors, episodes
    and concepts; of outcomes and reports also what the memory learnt of them. What came of it, by cause, recall,
    evidence or content, is counted, and goes too with --derived. Name a --source, a --key, a --session or a --command;
    of several given, all must be so. Nothing is lost: --release with the same selection brings back what stood before.
    If it is interrupted, the same command goes on. What is pinned is left out. It needs the log, so it runs on a
    directory, and not through a service.

    \b
    Examples:
      yggdrasil record "Invoices go to account 2" --session mails
      yggdrasil quarantine --session mails
      yggdrasil quarantine --session mails --derived --yes --reason "a stranger's mail"
      yggdrasil quarantine --status
      yggdrasil quarantine --session mails --derived --release --yes
    """
    from yggdrasil_processors.auditing.tracing import Who

    screen = Screen(json)
    if len(reason) > _REASON_CHARS_MAX:
        raise typer.BadParameter(f"at most {_REASON_CHARS_MAX} characters", param_hint="'--reason'")
    who = Who(source, key, session, command, _since(since))
    if status:
        with _opened(screen, directory, memory) as desk:
            _show_status(screen, memory, desk.parts())
        return
    if who[:4] == (None, None, None, None):
        raise typer.BadParameter("say whose words are meant: give one of them at least", param_hint=_SELECTING)
    if command is not None:
        _check_id(command, "'--command'")
    selection = {**{name: value for name, value in who._asdict().items() if value}, "derived": derived}
    with _opened(screen, directory, memory) as desk:
        found = desk.trace(who)
        if not found.known:
            raise CommandLineError(ExitCode.NOT_FOUND, "nothing_said", f"{_told(selection)} said nothing in {memory}")
        done = desk.done(selection, found, release=release, say=yes, reason=f": {reason}" if reason else "")
    document = {"memory": memory, "selection": selection, **_document(found, done)}
    screen.result(document, lambda: _show(screen, found, done, selection, yes=yes, release=release))


def report(
    ref: Annotated[str, typer.Argument(metavar="ID", help="The full id of an event, an episode, a concept, a claim.")],
    directory: Dir = DIR_DEFAULT,
    memory: MemoryId = MEMORY_DEFAULT,
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
    from yggdrasil_processors.auditing.tracing import report as reported

    screen = Screen(json)
    _check_id(ref, "'ID'")
    with _opened(screen, directory, memory) as desk:
        found = reported(desk.commands(), desk.names_of(ref))
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


class _Done:
    """What was planned, and what became of it: ``refused`` are the items that the memory did not take, and why."""

    def __init__(self) -> None:
        self.plan: Plan
        self.last: Part | None = None
        self.judged = 0
        self.commands: list[str] = []
        self.refused: dict[str, str] = {}


class _Desk:
    """A memory in a directory that we have to ourselves, with its log."""

    def __init__(self, screen: Screen, engine: "Embedded", memory: str) -> None:
        self.screen, self.engine, self.memory = screen, engine, memory
        engine.graph(memory)
        self.store = engine.store(engine.partition(memory))
        self.identities: dict[bytes, Identity] = self.store.identities(memory)

    def commands(self, mark: bytes = b"") -> "Generator[Accepted]":
        """Yield the accepted commands, with a bar."""
        from yggdrasil_processors.auditing.tracing import accepted_in

        log, partition = self.engine.log, self.engine.partition(self.memory)
        with self.screen.progress("Reading the log", log.end_offset(partition)) as advance:
            yield from accepted_in(log, self.memory, self.identities, advance, mark)

    def trace(self, who: "Who") -> "Trace":
        """Return what somebody said and what came of it."""
        from yggdrasil_processors.auditing.tracing import trace

        return trace(self.commands(), who)

    def parts(self) -> "list[Part]":
        """Return all parts of quarantines that the log has."""
        from yggdrasil_processors.auditing.quarantine import MARK, parts_in

        return list(parts_in(self.commands(MARK)))

    def names_of(self, ref: str) -> set[str]:
        """Return the ids by which an answer may name what the command ``ref`` made. Raises CommandLineError."""
        from yggdrasil_processors.auditing.quarantine import ids_by_seq
        from yggdrasil_projections.graph.laws.reference import made
        from yggdrasil_schemas.graph.records import seq_of
        from yggdrasil_schemas.ids import id_bytes

        identity = self.identities.get(id_bytes(ref))
        if identity is None or identity.result:
            message = f"{self.memory} accepted no command {ref}; --memory names another memory"
            raise CommandLineError(ExitCode.NOT_FOUND, "unknown_command", message)
        node = made(self.engine.graph(self.memory), identity)
        return {ref} if node is None else {ref, ids_by_seq(self.identities)[seq_of(node.number)]}

    def done(self, selection: dict[str, Any], found: "Trace", *, release: bool, say: bool, reason: str) -> _Done:
        """Plan a quarantine or its release, and with ``say`` append it, part by part."""
        from yggdrasil_processors.auditing.quarantine import back, ids_by_seq, of_selection, plan, steps, under_way

        done, ids = _Done(), ids_by_seq(self.identities)
        for turn in range(_ROUNDS_MAX):
            taken, released = of_selection(self.parts(), selection)
            graph = self.engine.graph(self.memory)
            if release:
                planned = back(graph, taken, self.identities)
                of_run = released
            else:
                planned = plan(graph, [*found.said, *(found.derived if selection["derived"] else ())], ids)
                of_run = [] if released else taken
            if not turn:
                done.plan, done.last = planned, of_run[-1] if under_way(of_run) else None
            items = [item for item in planned.items if item.ref not in done.refused]
            if not say or not items:
                break
            before = of_run[-1].part if under_way(of_run) else 0
            verdict: Verdict = "release" if release else "quarantine"
            self._say(steps(self.memory, selection, verdict, items, reason, (graph.header.seq, before)), done)
            self.identities = self.store.identities(self.memory)
        return done

    def _say(self, parts: "Sequence[Step]", done: _Done) -> None:
        """Append parts in their order. What refuses one is told of its items one by one, and the rest goes on."""
        from yggdrasil_processors.auditing.quarantine import alone

        with self.screen.progress("Saying so (parts)", len(parts)) as advance:
            for part in parts:
                if self._refusal(part) is None:
                    done.judged += len(part.body["items"])
                    done.commands.append(part.id)
                else:
                    for one in alone(self.memory, part):
                        if (refusal := self._refusal(one)) is not None:
                            done.refused[one.body["items"][0]["node"]] = refusal
                        else:
                            done.judged += 1
                            done.commands.append(one.id)
                advance(1)

    def _refusal(self, step: "Step") -> str | None:
        from yggdrasil_producers.draft import Drafter
        from yggdrasil_producers.stamps import Stamp

        drafter = Drafter(self.memory, SOURCE, "yggdrasil-embedded", "operator")
        draft = drafter.draft("judge", step.body, step.content, stamp=Stamp(step.id))
        ((_, answer),) = self.engine.submit_many([draft])
        return None if answer.refused is None else answer.refused.reason.code


@contextmanager
def _opened(screen: Screen, directory: Path, memory: str) -> "Generator[_Desk]":
    from yggdrasil.engines.embedded import Embedded

    from ..opening import catch_up, require

    require(directory)
    with Embedded(directory) as engine:
        catch_up(screen, engine, memory)
        yield _Desk(screen, engine, memory)


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
    return ", ".join(said) + (f", since {_moment(selection['since'])}" if "since" in selection else "")


def _typed(selection: dict[str, Any]) -> str:
    import shlex

    said = [f"--{name} {shlex.quote(str(value))}" for name, value in selection.items() if name != "derived"]
    return " ".join(["yggdrasil quarantine", *said, *(["--derived"] if selection["derived"] else [])])


def _document(found: "Trace", done: _Done) -> dict[str, Any]:
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


def _show(screen: Screen, found: "Trace", done: _Done, selection: dict[str, Any], *, yes: bool, release: bool) -> None:
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


def _moment(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1_000, UTC):%Y-%m-%d %H:%M} UTC"


def _kinds(rows: "Iterable[Traced]") -> str:
    return ", ".join(f"{kind} {count:,}" for kind, count in sorted(Counter(each.type for each in rows).items())) or "-"


def _show_rows(screen: Screen, rows: "Sequence[Traced]") -> None:
    if not rows:
        return
    shown = [
        (
            each.seq,
            _moment(each.at_ms),
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
            screen.tell(f"{_moment(one['at_ms'])}  {one['state']}: {counted(one['items'], 'item')}", "bold")
            screen.tell(f"    {_typed(one['selection'])}")

    screen.result({"memory": memory, "quarantines": found}, show)
