"""``yggdrasil past what-if``: what a memory would answer, had something never happened, beside what it does answer."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ...options import MEMORY_DEFAULT, Json, MemoryId
from ...screen import Screen, bars, clean, counted, number
from ...targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.answers import Context
    from yggdrasil_projections.retrieval.past.otherwise import Differs, NodeStrength, Voids

_SHOWN_MAX: Final = 10
_TEXT_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class Supposed:
    """What would be: what is void, how the graph differs, and both answers where something was asked."""

    memory: str
    as_of: int
    voids: "Voids"
    differs: "Differs"
    answer: "Context | None" = None
    other_answer: "Context | None" = None


def what_if(
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="ID", help="This command never happened; or again.")
    ] = None,
    without_source: Annotated[
        str | None, typer.Option("--without-source", metavar="NAME", help="Nothing that this source said happened.")
    ] = None,
    without_session: Annotated[
        str | None, typer.Option("--without-session", metavar="NAME", help="Nothing in this session happened.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="NAME=VALUE", help="This constant held from the beginning; or again."),
    ] = None,
    ask: Annotated[str | None, typer.Option("--ask", metavar="QUERY", help="Ask both, and compare.")] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what a memory would be, had something never happened: both answers, and what differs in the graph.

    What is left out keeps its place in the order of commands and changes nothing, so all else stands where it does.
    What names it, directly or through what fell with it, is refused there: counted and listed. The memory is built
    again from its log, beside what is in use; nothing is recorded, and reality does not change. With --as-of it all
    ends at that moment.

    \b
    Examples:
      EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy --feature friday)
      yggdrasil outcome $EVENT -3 --kind outage
      yggdrasil past what-if --without $EVENT --ask "Should we deploy on Friday?"
      yggdrasil past what-if --without-source cli --as-of 2 --json
      yggdrasil past what-if --policy salience_initial=2 --policy novelty_max=0
    """
    from yggdrasil_projections.retrieval.past.otherwise import Voids

    from ...opening import opened

    screen = Screen(json)
    constants = _constants(policy or [])
    with opened(screen, replace(place, as_of=None), memory, embedder=None) as it:
        with bars(screen) as progress:
            other = it.what_if(
                without or (),
                without_source=without_source,
                without_session=without_session,
                policy=constants,
                as_of=place.as_of,
                progress=partial(progress, "Building what would be"),
            )
        answers: tuple[Context, ...] = ()
        if ask is not None:
            real = it if place.as_of is None else it.as_of(place.as_of, quarantined=True)
            answers = (real.get_context(ask, record=False), other.get_context(ask, record=False))
        found = Supposed(other.id, other.moment().as_of, other.voids or Voids(), other.differs(), *answers)
    screen.result(found, lambda: _show(screen, found))


def _constants(given: list[str]) -> dict[str, float]:
    """Return constants with their values. Raises BadParameter."""
    found: dict[str, float] = {}
    for each in given:
        name, sign, value = each.partition("=")
        try:
            found[name] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            sign = ""
        if not sign:
            raise typer.BadParameter(f"it takes NAME=NUMBER, and not {each[:40]!r}", param_hint="'--policy'")
    return found


def _show(screen: Screen, found: Supposed) -> None:
    _show_voids(screen, found.voids)
    if found.answer is not None and found.other_answer is not None:
        _show_answers(screen, found.answer, found.other_answer)
    show_differs(screen, found.differs, ("reality", "there"))
    screen.tell(f"as of seq {found.as_of}; nothing was recorded", "dim")


def _show_voids(screen: Screen, voids: "Voids") -> None:
    screen.tell(f"Left out: {counted(voids.left_out, 'command')}", "bold")
    if not voids.refused:
        screen.tell("  Nothing else falls with it.")
        return
    screen.tell(f"  Refused there, since it names what never happened: {counted(voids.refused, 'command')}")
    for each in voids.refusals[:_SHOWN_MAX]:
        screen.tell(f"    seq {each.seq:,}  {each.type}  {each.reason}  {clean(each.id)}")
    if voids.refused > _SHOWN_MAX:
        screen.tell(f"    ... and {voids.refused - _SHOWN_MAX:,} more; --json lists {len(voids.refusals):,}")


def _show_answers(screen: Screen, real: "Context", other: "Context") -> None:
    screen.tell()
    screen.tell("The answer, in reality and there", "bold")
    places = {ref: at for at, ref in enumerate(real.refs, 1)}
    others = {ref: at for at, ref in enumerate(other.refs, 1)}
    texts = {each.memory.ref: each.memory.text or each.memory.ref for each in [*other.found, *real.found]}
    rows = [
        (places.get(ref, "-"), others.get(ref, "-"), clean(texts[ref], _TEXT_CHARS))
        for ref in dict.fromkeys([*real.refs, *other.refs])
    ]
    if rows:
        screen.table([">real", ">there", "memory"], rows)
    else:
        screen.tell("  Nothing is relevant to that, in either.")
    screen.tell(f"confidence {number(real.confidence)} in reality, {number(other.confidence)} there", "dim")


def show_differs(screen: Screen, differs: "Differs", called: tuple[str, str]) -> None:
    """Show how two graphs differ, which are ``called`` something."""
    first, second = called
    screen.tell()
    screen.tell(f"The graph, in {first} and {'in ' * (second != 'there')}{second}", "bold")
    kinds = dict.fromkeys([*differs.nodes, *differs.other_nodes])
    rows = [
        tuple(f"{counts.get(kind, 0):,}" for counts in (differs.nodes, differs.other_nodes, differs.gone, differs.new))
        for kind in kinds
    ]
    rows.append((f"{differs.edges:,}", f"{differs.other_edges:,}", "", ""))
    named = [(kind, *row) for kind, row in zip([*kinds, "edges"], rows, strict=True)]
    heads = ("real", "there") if first == "reality" else ("first", "second")
    screen.table(["kind", *(f">{each}" for each in heads), *(f">only {each}" for each in heads)], named)
    for change, count in differs.statuses.items():
        screen.tell(f"  {change}: {count:,}")
    screen.tell(f"  {counted(differs.moved, 'node')} of those in both differ in strength")
    if differs.strongest:
        screen.tell()
        screen.tell("What differs most: salience, permanence, impact", "bold")
    for each in differs.strongest[:_SHOWN_MAX]:
        told = f"{_strength(each.was)} -> {_strength(each.would_be)}"
        screen.tell(f"  {each.kind}  {clean(each.text or each.ref, _TEXT_CHARS)}: {told}")


def _strength(one: "NodeStrength | None") -> str:
    if one is None:
        return "not there"
    status = "" if one.status == "active" else f" {one.status}"
    return f"{number(one.salience)}, {number(one.permanence)}, {number(one.impact)}{status}"
