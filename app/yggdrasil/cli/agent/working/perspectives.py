"""``yggdrasil role``: say what agents care about, and show what they are strong in."""

from typing import TYPE_CHECKING, Annotated

import typer

from ...options import MEMORY_DEFAULT, Json, MemoryId, help_alone, not_blank
from ...screen import Screen, clean, counted
from ...targets import HERE, OfAgent, OfReader, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.reads.perspectives.profile import Profile

app = typer.Typer(
    help="What agents care about: define roles with their perspectives, and see what each is strong in.",
    invoke_without_command=True,
    callback=help_alone,
)
Name = Annotated[str, typer.Argument(help="The role, such as procurement.", callback=not_blank)]
_FEATURES: int = 6


@app.command("define", cls=OfAgent)
def define(
    name: Name,
    perspective: Annotated[
        list[str] | None,
        typer.Option(
            "--perspective",
            metavar="NAME=WORD,WORD",
            help="What it cares about, with words to look for beside those of a question; give it again for more.",
        ),
    ] = None,
    renamed: Annotated[
        list[str] | None, typer.Option("--renamed", metavar="NEW=OLD", help="The former name of a perspective.")
    ] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say, as the operator, what a role cares about from now on: up to eight perspectives, up to 16 words each.

    They take the place of those that it had; without any the role is there no longer.

    \b
    Examples:
      yggdrasil record "Part A was two weeks late" --feature part-a
      yggdrasil role define procurement --perspective Cost=price,budget --perspective Delivery=delay,late
      yggdrasil context "What do we know of part A?" --as-agent procurement
    """
    from ...opening import opened

    screen = Screen(json)
    views: dict[str, list[str]] = {}
    for head, _, words in map(_parted, perspective or ()):
        views.setdefault(head, []).extend(words.split(","))
    former = {head: old for head, _, old in map(_parted, renamed or ())}
    with opened(screen, place, memory) as it:
        command = it.define(
            role=name,
            perspectives={view: [word.strip() for word in words if word.strip()] for view, words in views.items()},
            renamed=former,
        )
    screen.result({"memory": it.id, "define": command}, lambda: screen.tell(command))


@app.command("profile", cls=OfReader)
def profile(
    name: Annotated[str, typer.Argument(help="A role, or one perspective.", callback=not_blank)],
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=200, help="How many memories of each.")] = 5,
    other: Annotated[
        str | None, typer.Option("--beside", metavar="NAME", help="Another one, to see how far apart they are.")
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Claim it as what the agent is, once a person approves.")
    ] = False,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what a role is strong in, and whether that moves.

    Strong is what was used under its perspectives. The drift, from 0 to 1, is how much of it has moved of late.

    \b
    Examples:
      yggdrasil record "Part A was two weeks late" --feature part-a
      yggdrasil role define procurement --perspective Cost --perspective Delivery=delay,late
      yggdrasil role define quality --perspective Defects=broken
      yggdrasil role profile procurement
      yggdrasil role profile procurement --beside quality
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.profile(name, count=count)
        beside = None if other is None else it.profile(other, count=count)
        claim = it.propose_identity(found) if propose else None
    divergence = None if beside is None else found.divergence(beside)

    def tell() -> None:
        _show(screen, found)
        if divergence is not None:
            screen.tell(f"{clean(name, 64)} and {clean(other or '', 64)} are {divergence:.2f} apart (0 alike, 1 not).")
        if claim is not None:
            screen.tell(f"Proposed as {claim}: `yggdrasil fact verify` releases it.")

    if divergence is None and claim is None:
        screen.result(found, tell)
    else:
        screen.result({"profile": found, "divergence": divergence, "claim": claim}, tell)


def _parted(given: str) -> tuple[str, str, str]:
    return given.partition("=")


def _show(screen: Screen, found: "Profile") -> None:
    for each in found.perspectives:
        told = f"{round(100 * each.share)} % of its strength, {counted(each.uses, 'use')} of {each.memories:,} memories"
        screen.tell(f"{clean(each.name, 64)}: {told}")
        if each.features:
            screen.tell(f"  {clean(', '.join(list(each.features)[:_FEATURES]), 110)}", "dim")
        for one in each.strongest:
            screen.tell(f"  {one.strength:5.2f}  {clean(one.text or one.ref, 100)}")
    screen.tell(f"Drift {found.drift:.2f}: how much of it has moved from one perspective to another of late.")
    if found.left_out:
        screen.tell(f"{found.left_out:,} more were touched long ago, and are not counted.", "dim")
