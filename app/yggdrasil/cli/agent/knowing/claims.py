"""``yggdrasil fact``: what is so, as far as a memory knows."""

from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from yggdrasil_schemas.commands import Origin

from ...options import MEMORY_DEFAULT, Json, MemoryId, help_alone, not_blank
from ...screen import Screen
from ...targets import HERE, OfAgent, OfReader, Target, Where
from ..filtering import moment_of
from ..showing import show_claim
from . import looking
from .correcting import Evidence, Reason, SaidBy
from .meaning import alias, define, relate

if TYPE_CHECKING:
    from yggdrasil_producers.claims import Claimed, Object
    from yggdrasil_schemas.commands.knowledge import Verdict

_HELP: Final = """Say what is so, and show it: who says so, since when, how sure it is, and what speaks against it.

A fact says that a SUBJECT has, by a PREDICATE, an OBJECT. Subjects are things, written kind:name, such as person:ana.
An object such as city:oslo is a thing too; a number is a number; yes, no, true and false say whether it is so;
anything else is a text. What says the same again confirms it. What says something else of the same time contradicts
it, where a thing has only one such value ("lives_in", "owner", "status" and the like; see `fact define`): then whoever
is trusted more stands, and of equals what more was said for since. Nothing is lost.

\b
Examples:
  HOME=$(yggdrasil fact add person:ana lives_in city:rome --from 2024-01-01)
  yggdrasil fact add person:ana lives_in city:oslo --from 2026-05-01
  yggdrasil fact show person:ana
  yggdrasil fact show person:ana --at 2025-01-01
  yggdrasil fact history $HOME
  yggdrasil fact lineage $HOME
"""

app = typer.Typer(help=_HELP, rich_markup_mode=None)

Claim = Annotated[str, typer.Argument(help="The claim's full id, as `fact add` or `fact show` printed it.")]
When = Annotated[
    str | None, typer.Option("--from", metavar="TIME", help="Since when it holds: 2026-01-31, a time, or Unix ms.")
]
TillWhen = Annotated[str | None, typer.Option("--until", metavar="TIME", help="From when on it no longer holds.")]


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    help_alone(context)


# An argument such as -3 would otherwise be taken for an option.
@app.command(
    "add", cls=OfAgent, short_help="Say that something is so.", context_settings={"ignore_unknown_options": True}
)
def add(
    subject: Annotated[str, typer.Argument(help="What it is about, such as person:ana.", callback=not_blank)],
    predicate: Annotated[str, typer.Argument(help="What is said of it, such as lives_in.", callback=not_blank)],
    value: Annotated[
        str, typer.Argument(metavar="OBJECT", help="A thing (kind:name), a number, yes or no, or a text.")
    ],
    confidence: Annotated[int, typer.Option("--confidence", min=0, max=100, help="How sure you are, in percent.")] = 70,
    since: When = None,
    until: TillWhen = None,
    evidence: Evidence = None,
    candidate: Annotated[
        bool, typer.Option("--candidate", help="Let it wait until somebody else says so too.")
    ] = False,
    text: Annotated[str | None, typer.Option("--text", help="It in words, as it is found; else made of the rest.")] = (
        None
    ),
    supersedes: Annotated[
        str | None, typer.Option("--supersedes", metavar="ID", help="What it holds instead of, whatever that is.")
    ] = None,
    qualifier: Annotated[
        list[str] | None,
        typer.Option("--qualifier", metavar="NAME=VALUE", help="What else belongs to the value; again for more."),
    ] = None,
    sort: Annotated[str, typer.Option("--sort", help="fact, lesson, or rule (which waits for a person).")] = "fact",
    origin: SaidBy = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say that something is so, and print the id of the claim.

    --origin says who says so: an operator is trusted more than a tool, a tool more than a user, a user more than an
    agent. With --evidence it is trusted no more than what it was concluded from, and stale once all of that has fallen.

    \b
    Examples:
      yggdrasil fact add person:ana lives_in city:rome
      yggdrasil fact add person:ana lives_in city:oslo --from 2026-05-01 --confidence 90
      # a number, a yes or no, a text
      yggdrasil fact add service:checkout replicas 3 --origin tool
      yggdrasil fact add service:checkout public yes
      yggdrasil fact add person:ana allergic_to "peanuts, and nothing else"
      # concluded from something that was recorded
      EVENT=$(yggdrasil record "Ana ordered the vegan menu" --feature person:ana)
      yggdrasil fact add person:ana diet vegan --evidence $EVENT --origin agent --candidate
    """
    from ...opening import opened

    screen = Screen(json)
    claimed: Claimed = {
        "sort": cast("looking.Sort", sort),  # the language refuses others
        "confidence": confidence,
        "valid_from": moment_of("--from", since),
        "valid_to": moment_of("--until", until),
        "evidence": evidence or [],
        "supersedes": supersedes,
        "candidate": candidate,
        "qualifiers": dict(map(_pair, qualifier or [])),
    }
    with opened(screen, place, memory, create=True, embedder=None, origin=cast(Origin, origin)) as it:
        said = it.assert_claim(subject, predicate, value_of(value), text=text, **claimed)
        now = it.describe(said).memory  # what says the same as another is that one from then on
    document = {"memory": it.id, "claim": now.ref, "said": said, "status": now.status}

    def show() -> None:
        screen.tell(now.ref)
        if now.status != "active":
            screen.warn(f"it is {now.status}: `yggdrasil fact lineage {now.ref}` says why")

    screen.result(document, show)


@app.command("verify", cls=OfAgent, short_help="Say that a claim is so as far as you know, too.")
def verify(
    claim: Claim,
    reason: Reason,
    origin: SaidBy = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say that a claim is so as far as you know, too: one source more, and a candidate may stand by it.

    \b
    Examples:
      CLAIM=$(yggdrasil fact add person:ana lives_in city:oslo --origin agent --candidate)
      yggdrasil fact verify $CLAIM --reason "I asked her"
    """
    _judge(claim, "verify", reason, origin, Screen(json), (place, memory))


@app.command("promote", cls=OfAgent, short_help="Say that a claim is established.")
def promote(
    claim: Claim,
    reason: Reason,
    origin: SaidBy = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say that an active claim is established: it then gives way to nobody who is trusted no more.

    \b
    Examples:
      CLAIM=$(yggdrasil fact add person:ana lives_in city:oslo)
      yggdrasil fact promote $CLAIM --reason "as her passport says"
    """
    _judge(claim, "promote", reason, origin, Screen(json), (place, memory))


def _judge(
    claim: str, verdict: "Verdict", reason: str, origin: str, screen: Screen, where: "tuple[Target, str]"
) -> None:
    from ...opening import opened

    place, memory = where
    with opened(screen, place, memory, origin=cast(Origin, origin)) as it:
        command = it.judge({claim: verdict}, reason=reason)
        now = it.describe(claim).memory
    screen.result({"memory": it.id, "judge": command, "node": now}, lambda: show_claim(screen, now))


def value_of(typed: str) -> "Object":
    """Return the value that was typed: a yes or no, a number, or what the facade makes of a text."""
    from decimal import Decimal, InvalidOperation

    flag = looking.flag_of(typed)
    if flag is not None:
        return flag
    try:
        number = Decimal(typed)
    except InvalidOperation:
        return typed
    return number if number.is_finite() else typed


def _pair(typed: str) -> tuple[str, str]:
    name, sign, value = typed.partition("=")
    if not sign:
        raise typer.BadParameter(f"{typed!r} is no NAME=VALUE", param_hint="'--qualifier'")
    return name, value


app.command("define", cls=OfAgent, short_help="Say what a predicate means: how many values, and which of two stands.")(
    define
)
app.command("alias", cls=OfAgent, short_help="Say that two names are of one thing.")(alias)
app.command("relate", cls=OfAgent, short_help="Say how one memory has to do with another.")(relate)
app.command("show", cls=OfReader, short_help="Show what is so: of a thing, by a predicate, at a time.")(looking.show)
app.command("history", cls=OfReader, short_help="Show what was claimed in one place, in order.")(looking.history)
app.command("lineage", cls=OfReader, short_help="Show why a claim is believed.")(looking.lineage)
app.command("dependents", cls=OfReader, short_help="Show what rests on a memory.")(looking.dependents)
app.command("thing", cls=OfReader, short_help="Show a thing: its names, and what is claimed of it.")(looking.thing)
