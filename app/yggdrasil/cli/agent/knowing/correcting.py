"""``yggdrasil correct``, ``history`` and ``contradictions``: what no longer holds, what did, and what cannot both."""

from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from yggdrasil_schemas.commands import Origin

from ...options import MEMORY_DEFAULT, Json, MemoryId, help_alone, not_blank
from ...screen import Screen, clean, counted, moment
from ...targets import HERE, OfAgent, Target, Where
from ..showing import show_standing, title

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.answers import Conflict
    from yggdrasil_projections.retrieval.memories import MemoryObject
    from yggdrasil_projections.retrieval.reads.knowledge.rulings import Rulings
    from yggdrasil_schemas.commands.knowledge import Verdict

_HELP: Final = """Correct what a memory holds: it leaves every answer at once, and stays in the history.

What is superseded, withdrawn or resolved is not found any more, and sways nothing; `context --history`, `history` and
`explain` show it, with the reason, and `correct reinstate` undoes each of them. Nobody changes what was said by
somebody who is trusted more: an operator before a tool, a tool before a user, a user before an agent, a thinker or an
import.

\b
Examples:
  OLD=$(yggdrasil record "Ana lives in Rome" --feature person:ana)
  NEW=$(yggdrasil correct supersede $OLD "Ana moved to Oslo" --feature person:ana)
  yggdrasil context "Where does Ana live?"
  yggdrasil history $NEW
  yggdrasil correct reinstate $OLD --reason "She is back"
"""

app = typer.Typer(help=_HELP, rich_markup_mode=None)

Ref = Annotated[
    str,
    typer.Argument(help="Its full id, as `record`, `context` or `episodes` printed it.", callback=not_blank),
]
By = Annotated[str, typer.Option("--origin", help="Who corrects it: user, operator, tool or agent.")]
SaidBy = Annotated[str, typer.Option("--origin", help="Who says so: user, operator, tool or agent.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, in a few words.", callback=not_blank)]
Evidence = Annotated[
    list[str] | None, typer.Option("--evidence", metavar="ID", help="What speaks for it; give it again for more.")
]


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    help_alone(context)


@app.command("supersede", cls=OfAgent, short_help="Say what holds instead of something.")
def supersede(
    old: Ref,
    text: Annotated[str, typer.Argument(help="What holds instead.", callback=not_blank)],
    feature: Annotated[
        list[str] | None, typer.Option("--feature", "-f", help="A part of it; give it again for more, at most 32.")
    ] = None,
    origin: By = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Record what holds instead of something, and print the new event's id.

    \b
    Examples:
      OLD=$(yggdrasil record "The standup is at nine" --feature standup)
      yggdrasil correct supersede $OLD "The standup is at ten" --feature standup
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory, embedder=None, origin=cast(Origin, origin)) as it:
        event = it.supersede(old, text, features=feature or [])
    screen.result({"memory": it.id, "event": event, "superseded": old}, lambda: screen.tell(event))


@app.command("withdraw", cls=OfAgent, short_help="Say that something does not hold, and why.")
def withdraw(
    ref: Ref,
    reason: Annotated[str, typer.Option("--reason", help="Why, in a few words.", callback=not_blank)],
    evidence: Evidence = None,
    origin: By = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say that something does not hold, and why.

    \b
    Examples:
      EVENT=$(yggdrasil record "The office is closed on Mondays" --feature office)
      yggdrasil correct withdraw $EVENT --reason "It was a mistake"
    """
    _judge(ref, "reject", reason, evidence, origin, Screen(json), (place, memory))


@app.command("resolve", cls=OfAgent, short_help="Say that an open question or a problem is settled.")
def resolve(
    ref: Ref,
    reason: Annotated[str, typer.Option("--reason", help="How, in a few words.", callback=not_blank)] = "resolved",
    evidence: Evidence = None,
    origin: By = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say that an open question or a problem is settled.

    \b
    Examples:
      QUESTION=$(yggdrasil record "Which printer does the second floor have?" --feature printer)
      yggdrasil correct resolve $QUESTION --reason "It is the grey one"
    """
    _judge(ref, "resolve", reason, evidence, origin, Screen(json), (place, memory))


@app.command("quarantine", cls=OfAgent, short_help="Keep something out of answers until somebody has looked at it.")
def quarantine(
    ref: Ref,
    reason: Annotated[str, typer.Option("--reason", help="Why, in a few words.", callback=not_blank)],
    evidence: Evidence = None,
    origin: By = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Keep something out of answers until somebody has looked at it: `correct reinstate` lets it out.

    \b
    Examples:
      EVENT=$(yggdrasil record "Send all invoices to this new account" --feature invoices)
      yggdrasil correct quarantine $EVENT --reason "Who says so?"
      yggdrasil context "invoices" --of-status quarantined
    """
    _judge(ref, "quarantine", reason, evidence, origin, Screen(json), (place, memory))


@app.command("reinstate", cls=OfAgent, short_help="Let something stand again.")
def reinstate(
    ref: Ref,
    reason: Annotated[str, typer.Option("--reason", help="Why, in a few words.", callback=not_blank)] = "reinstated",
    evidence: Evidence = None,
    origin: By = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Let something stand again, whatever took it out. What has taken its place, or has its key now, gives way.

    Out of a quarantine it comes as it went in: what waited, waits, until it is reinstated once more.

    \b
    Examples:
      EVENT=$(yggdrasil record "The office is closed on Mondays" --feature office)
      yggdrasil correct withdraw $EVENT --reason "It was a mistake"
      yggdrasil correct reinstate $EVENT --reason "It was none"
    """
    _judge(ref, "release", reason, evidence, origin, Screen(json), (place, memory))


def history(
    ref: Annotated[str | None, typer.Argument(help="The full id of what was superseded, or stands instead.")] = None,
    key: Annotated[str | None, typer.Option("--key", help="Instead: the key that it was recorded with.")] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what was said of one thing, in order, and what became of each.

    \b
    Examples:
      yggdrasil record "Ana eats everything" --key ana/diet
      yggdrasil record "Ana is a vegan now" --key ana/diet
      yggdrasil history --key ana/diet
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.history(ref, key=key)
    if json:
        screen.result(found, lambda: None)
        return
    if not found.memories:
        screen.tell(f"Nothing was recorded with the key {clean(key or '')}.")
    if found.left_out:
        screen.tell(f"... and {counted(found.left_out, 'earlier one')}", "dim")
    for one in found.memories:
        _show(screen, one, "")


def contradictions(
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=200, help="How many at most.")] = 50,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what cannot all be true: what stands, and what is contested or in quarantine for saying otherwise.

    What was said by somebody who is trusted more stands. `correct reinstate` lets a rival stand instead, and `correct
    withdraw` does away with it.

    \b
    Examples:
      yggdrasil record "Ana is a vegan" --key ana/diet
      yggdrasil contradictions
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.contradictions(count=count)
    if json:
        screen.result(found, lambda: None)
        return
    if not found.conflicts:
        screen.tell("Nothing contradicts what stands.")
    for one in found.conflicts:
        _show_conflict(screen, one)
    if found.left_out:
        screen.tell(f"... and {found.left_out:,} more: ask for more with --count", "dim")


def rulings(place: Where = HERE, memory: MemoryId = MEMORY_DEFAULT, json: Json = False) -> None:
    """Show what people decided between claims, by predicate, and which rule would have decided the same.

    Whenever a user or an operator releases, verifies, rejects or promotes a claim, or says one in place of another,
    they decide: recency or the weight of words may agree. An operator may then define another resolution. Also where
    one value took the place of another three times, to and fro, within 64 events. It is no recall.

    \b
    Examples:
      yggdrasil rulings
      yggdrasil rulings --json
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.rulings()
    screen.result(found, lambda: _show_rulings(screen, found))


def _show_rulings(screen: Screen, found: "Rulings") -> None:
    for one in found.predicates:
        screen.tell(clean(one.sentence), "bold")
        if one.suggests is not None:
            screen.tell(f"    consider: define {clean(one.predicate)} with resolution={one.suggests}", "yellow")
    for flapping in found.flapping:
        screen.tell(clean(flapping.sentence), "bold")
    nothing = "" if found.predicates or found.flapping else "Nothing to report. "
    screen.tell(f"{nothing}Looked at: the latest {counted(found.claims, 'claim')}, as of seq {found.as_of:,}.", "dim")


def _judge(
    ref: str,
    verdict: str,
    reason: str,
    evidence: list[str] | None,
    origin: str,
    screen: Screen,
    where: "tuple[Target, str]",
) -> None:
    from ...opening import opened

    place, memory = where
    with opened(screen, place, memory, origin=cast(Origin, origin)) as it:
        command = it.judge({ref: cast("Verdict", verdict)}, reason=reason, evidence=evidence or [])
        now = it.describe(ref).memory
    screen.result({"memory": it.id, "judge": command, "node": now}, lambda: _show(screen, now, ""))


def _show(screen: Screen, one: "MemoryObject", indent: str) -> None:
    screen.tell(f"{indent}{title(one)}", "bold")
    screen.tell(f"{indent}  {clean(one.ref)}  {moment(one.at)}", "dim")
    show_standing(screen, one, f"{indent}  ")
    if one.status == "active" and not one.stale:
        screen.tell(f"{indent}  stands", "green")


def _show_conflict(screen: Screen, one: "Conflict") -> None:
    if one.stands is None:
        screen.tell("Nothing stands of these:")
    else:
        _show(screen, one.stands, "")
    for rival in one.rivals:
        _show(screen, rival, "    ")
