"""``yggdrasil fact show`` and the like: what is claimed, why it is believed, what rests on it."""

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from yggdrasil_schemas.limits import TRUST_MAX

from ...options import MEMORY_DEFAULT, Json, MemoryId, not_blank
from ...screen import Screen, clean, counted, number
from ...targets import HERE, Where
from ..filtering import moment_of
from ..showing import show_claim, title, told_by

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.memories import MemoryObject
    from yggdrasil_projections.retrieval.reads.knowledge.claims import Claims, Entity
    from yggdrasil_projections.retrieval.reads.knowledge.lineage import ClaimLineage

COUNT_MAX: Final = 200
DEPTH_MAX: Final = 3
_TRUSTED: Final = ("a stranger", "an agent", "a user", "a tool", "an operator")
_FLAGS: Final = {"yes": True, "true": True, "no": False, "false": False}
Sort = Literal["fact", "lesson", "rule", "desk"]
Count = Annotated[int, typer.Option("-n", "--count", min=1, max=COUNT_MAX, help="How many at most.")]
When = Annotated[str | None, typer.Option("--at", metavar="TIME", help="What held then: 2026-01-31, a time, Unix ms.")]


def flag_of(typed: str) -> bool | None:
    """Return the yes or no that was typed; None for anything else."""
    return _FLAGS.get(typed.casefold())


def show(
    subject: Annotated[str | None, typer.Argument(help="What it is about, by any of its names.")] = None,
    predicate: Annotated[str | None, typer.Option("--predicate", help="Only what is said by this.")] = None,
    value: Annotated[str | None, typer.Option("--object", help="Only where this is the value, as it is shown.")] = None,
    thing: Annotated[str | None, typer.Option("--thing", help="What it is about, or has as its value.")] = None,
    at: When = None,
    history: Annotated[
        bool, typer.Option("--history", help="What no longer holds as well, what lies ahead, and what waits.")
    ] = False,
    status: Annotated[
        list[str] | None,
        typer.Option(
            "--status", help="Only what is active, prior, contested, a candidate, quarantined, ...; or again."
        ),
    ] = None,
    trust_min: Annotated[
        int | None, typer.Option("--trust-min", min=0, max=TRUST_MAX, help="Only of who is trusted so far, 0 to 4.")
    ] = None,
    count: Count = 50,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what is so now, or --at a time: what stands unopposed first, then what is surest.

    \b
    Examples:
      yggdrasil fact add person:ana lives_in city:rome --from 2024-01-01
      yggdrasil fact add person:ana lives_in city:oslo --from 2026-05-01
      yggdrasil fact show person:ana
      yggdrasil fact show person:ana --predicate lives_in --at 2025-01-01
      yggdrasil fact show --object city:oslo
      # also what no longer holds, is contested, or waits
      yggdrasil fact show --thing person:ana --history
      yggdrasil fact show --status candidate --json
    """
    from ...opening import opened

    screen = Screen(json)
    asked: str | bool | None = value
    if value is not None and (flag := flag_of(value)) is not None:
        asked = flag
    moment = moment_of("--at", at)
    with opened(screen, place, memory) as it:
        found = it.claims(
            subject,
            predicate,
            asked,
            thing=thing,
            statuses=status,
            trust_min=trust_min,
            valid_at=moment,
            history=history,
            count=count,
        )
    screen.result(found, lambda: _show_all(screen, found))


def history(
    ref: Annotated[str, typer.Argument(help="The full id of a claim, of now or of before.", callback=not_blank)],
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what was claimed in the place of one claim, the first first, and what became of each.

    \b
    Examples:
      HOME=$(yggdrasil fact add person:ana lives_in city:rome --from 2024-01-01)
      yggdrasil fact add person:ana lives_in city:oslo --from 2026-05-01
      yggdrasil fact history $HOME
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.history(ref)
    if json:
        screen.result(found, lambda: None)
        return
    if found.left_out:
        screen.tell(f"... and {counted(found.left_out, 'earlier one')}", "dim")
    for one in found.memories:
        show_claim(screen, one)


def lineage(
    claim: Annotated[str, typer.Argument(help="Its full id, as `fact show` printed it.", callback=not_blank)],
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show why a claim is believed: who said so, what it was concluded from, what says otherwise, what held before.

    \b
    Examples:
      EVENT=$(yggdrasil record "Ana showed me her flat in Oslo" --feature person:ana)
      CLAIM=$(yggdrasil fact add person:ana lives_in city:oslo --evidence $EVENT --origin agent)
      yggdrasil fact add person:ana lives_in city:rome --origin agent
      yggdrasil fact lineage $CLAIM
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.lineage(claim)
    screen.result(found, lambda: _show_lineage(screen, found))


def dependents(
    ref: Annotated[str, typer.Argument(help="The full id of any memory, or feature:NAME.", callback=not_blank)],
    depth: Annotated[int, typer.Option("--depth", min=1, max=DEPTH_MAX, help="How many steps.")] = DEPTH_MAX,
    count: Count = 50,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what was concluded from a memory, or depends on it: what is in doubt when that falls.

    \b
    Examples:
      EVENT=$(yggdrasil record "Ana showed me her flat in Oslo" --feature person:ana)
      yggdrasil fact add person:ana lives_in city:oslo --evidence $EVENT --origin agent
      yggdrasil fact dependents $EVENT
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.dependents(ref, depth=depth, count=count)
    if json:
        screen.result(found, lambda: None)
        return
    if not found.dependents:
        screen.tell("Nothing rests on it.")
    for one in found.dependents:
        show_claim(screen, one.memory, "    " * (one.depth - 1))
    if found.cut:
        screen.tell("... and more: ask for more with --count", "dim")


def thing(
    name: Annotated[str, typer.Argument(help="Any of its names.", callback=not_blank)],
    at: When = None,
    count: Count = 50,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show a thing by any of its names: its other names, and what is claimed of it and with it.

    \b
    Examples:
      yggdrasil fact add person:robert lives_in city:oslo
      yggdrasil fact alias Bob person:robert
      yggdrasil fact thing Bob
    """
    from ...opening import opened

    screen = Screen(json)
    moment = moment_of("--at", at)
    with opened(screen, place, memory) as it:
        found = it.entity(name, valid_at=moment, count=count)
    screen.result(found, lambda: _show_thing(screen, found))


def _show_all(screen: Screen, found: "Claims | Entity") -> None:
    if not found.claims:
        screen.tell("Nothing like that is claimed. --history shows what was, and what lies ahead.")
    for one in found.claims:
        show_claim(screen, one)
    if found.left_out:
        screen.tell(f"... and {found.left_out:,} more: ask for more with --count", "dim")


def _show_thing(screen: Screen, found: "Entity") -> None:
    screen.tell(clean(found.name), "bold")
    if found.aliases:
        screen.tell(f"  also called {clean(', '.join(found.aliases), 400)}")
    _show_all(screen, found)


def _show_lineage(screen: Screen, found: "ClaimLineage") -> None:
    show_claim(screen, found.claim)
    screen.tell(f"  {counted(len(found.lines), 'source')}:")
    for line in found.lines:
        who = f"{_TRUSTED[line.trust]}, whom the log does not name any more, seq {line.seq}"
        if line.told is not None:
            who = f"{_TRUSTED[line.trust]}, {told_by(line.told)}"
        screen.tell(f"    - {who}, whose word weighs {number(line.weight)}")
    said: list[tuple[str, list[MemoryObject]]] = [
        ("It was concluded from:", found.evidence),
        ("What says otherwise:", found.rivals),
        ("What held before, the latest first:", found.before),
    ]
    for heading, memories in said:
        if memories:
            screen.tell(f"  {heading}")
        for one in memories:
            show_claim(screen, one, "    ")
            if (told := found.provenance.get(one.ref)) is not None:
                screen.tell(f"      said by {told_by(told)}", "dim")
    for each in found.related:
        way: tuple[Any, ...] = ("", "it") if each.direction == "in" else ("it", "")
        screen.tell(f"  {way[0] or title(each.memory)} {each.relation} {way[1] or title(each.memory)}")
        if each.reason:
            screen.tell(f"    because: {clean(each.reason, 300)}", "dim")
