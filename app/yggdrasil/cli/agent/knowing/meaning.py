"""``yggdrasil fact define``, ``alias`` and ``relate``: what predicates and names mean, and what goes together."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from yggdrasil_schemas.commands import Origin

from ...options import MEMORY_DEFAULT, Json, MemoryId, not_blank
from ...screen import Screen
from ...targets import HERE, Where
from .correcting import Evidence, Reason, SaidBy

if TYPE_CHECKING:
    from typing import Literal

    from yggdrasil_producers.claims import Defined
    from yggdrasil_schemas.commands.knowledge import Relation

    Cardinality = Literal["one", "one_per_object", "many"]


def define(
    predicate: Annotated[str, typer.Argument(help="Its name, such as lives_in.", callback=not_blank)],
    cardinality: Annotated[
        str, typer.Option("--cardinality", metavar="one|one_per_object|many", help="How many values a thing has.")
    ] = "one",
    resolution: Annotated[
        str,
        typer.Option(
            "--resolution", metavar="confidence|recency|human", help="What decides between two values of one time."
        ),
    ] = "confidence",
    review: Annotated[bool, typer.Option("--review", help="Each claim waits until a person has released it.")] = False,
    confirmations: Annotated[
        int, typer.Option("--confirmations", min=1, max=8, help="How many independent sources it takes.")
    ] = 1,
    perish: Annotated[
        int, typer.Option("--perish", min=0, metavar="EVENTS", help="After so many events half as sure; 0: never less.")
    ] = 0,
    authority: Annotated[
        str | None, typer.Option("--authority", metavar="ORIGIN", help="Whose word on it counts as a tool's.")
    ] = None,
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="What is said of one thing is said of the other: takes one_per_object.")
    ] = False,
    seen: Annotated[
        int | None,
        typer.Option("--seen", min=1, metavar="COMMANDS", help="To be seen again so much later is a source, too."),
    ] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say what a predicate means from now on, as the operator.

    confidence: what more was said for stands. recency: what was said last, or holds since later. human: what a person
    says. What is already claimed keeps its place.

    \b
    Examples:
      yggdrasil record "We agreed what a berth is"
      yggdrasil fact define berth --cardinality one --resolution recency
      yggdrasil fact define diet --cardinality one --authority user
    """
    from ...opening import opened

    screen = Screen(json)
    meaning: dict[str, Any] = {
        "resolution": resolution,
        "review": review,
        "confirmations": confirmations,
        "perish_ticks": perish,
    }
    if authority is not None:
        meaning["authority"] = authority
    if symmetric:
        meaning["symmetric"] = True
    if seen is not None:
        meaning |= {"confirm_by": "evidence", "confirm_gap": seen}
    with opened(screen, place, memory) as it:
        one = cast("Cardinality", cardinality)  # the language refuses others
        command = it.define(predicate, one, **cast("Defined", meaning))
    screen.result({"memory": it.id, "define": command}, lambda: screen.tell(command))


def alias(
    name: Annotated[str, typer.Argument(help="The other name.", callback=not_blank)],
    canonical: Annotated[str | None, typer.Argument(help="The thing that it is a name of.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Instead: the name stands for itself again.")] = False,
    evidence: Evidence = None,
    origin: SaidBy = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say that a name is another name of a thing: what is claimed of one is found under both.

    \b
    Examples:
      yggdrasil fact add person:robert lives_in city:oslo
      yggdrasil fact alias Bob person:robert
      yggdrasil fact show Bob
      yggdrasil fact alias Bob --undo
    """
    from ...opening import opened

    if undo == (canonical is not None):
        raise typer.BadParameter("name the thing that it is a name of, or say --undo")
    screen = Screen(json)
    with opened(screen, place, memory, origin=cast(Origin, origin)) as it:
        command = it.unalias(name) if canonical is None else it.alias(name, canonical, evidence=evidence or [])
    screen.result({"memory": it.id, "alias": command}, lambda: screen.tell(command))


def relate(
    source: Annotated[str, typer.Argument(help="The full id of one, or feature:NAME.", callback=not_blank)],
    relation: Annotated[
        str,
        typer.Argument(
            help="supports, contradicts, supersedes, refines, depends_on, example_of, part_of, leads_to, answers, "
            "applies_to or related."
        ),
    ],
    target: Annotated[str, typer.Argument(help="The full id of the other, or feature:NAME.", callback=not_blank)],
    reason: Reason,
    origin: SaidBy = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say how one memory has to do with another, and why. It changes nothing else; `fact lineage` shows it.

    \b
    Examples:
      RULE=$(yggdrasil fact add team:ops deploys_on monday)
      EVENT=$(yggdrasil record "The deploy of Friday failed" --feature deploy)
      yggdrasil fact relate $EVENT supports $RULE --reason "a Friday it was"
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory, origin=cast(Origin, origin)) as it:
        command = it.relate(source, target, cast("Relation", relation), reason)
    screen.result({"memory": it.id, "relate": command}, lambda: screen.tell(command))
