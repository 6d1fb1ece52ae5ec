"""``yggdrasil foretell``: what a situation foretells, before anybody acts in it."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..options import MEMORY_DEFAULT, Json, MemoryId
from ..screen import Screen, clean, number
from ..targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.answers import Foretelling, Foretold

_FEATURE_CHARS_MAX: Final = 60
_KINDS_SHOWN: Final = 3


def foretell(
    text: Annotated[str, typer.Argument(help="The situation in words; the features that they name count.")] = "",
    feature: Annotated[
        list[str] | None, typer.Option("--feature", "-f", help="A feature of it; give it again for more, at most 32.")
    ] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Ask what a situation foretells: which of its features have come to mean an outcome, and what usually follows.

    Valence is the outcome that a feature predicts, from -10 to 10: what its companions explain is not counted for it.
    It is no recall.

    \b
    Examples:
      EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy --feature friday)
      yggdrasil outcome $EVENT -5 --kind outage --text "The site was down for an hour"
      yggdrasil foretell "Should we deploy on Friday?"
      yggdrasil foretell --feature friday --json
    """
    from ..opening import opened

    screen = Screen(json)
    if not (text.strip() or feature):
        raise typer.BadParameter("say what the situation is: in words, or with --feature")
    with opened(screen, place, memory) as it:
        found = it.foretell(text, features=feature or [])
    screen.result(found, lambda: show_foretelling(screen, found))


def show_foretelling(screen: Screen, found: "Foretelling") -> None:
    """Print for people what is foretold, and what usually follows."""
    if not found.features:
        screen.tell("This memory knows no feature of that.")
    elif not found.foretold:
        screen.tell("No feature of that has come to mean an outcome yet.")
    show_foretold(screen, found.foretold)
    if found.followed_by:
        screen.tell("What has usually followed:")
        screen.table(
            ["after", "comes", ">share", ">times"],
            [(_short(step.feature), _short(step.next), f"{step.share:.0%}", step.usage) for step in found.followed_by],
        )


def show_foretold(screen: Screen, foretold: "list[Foretold]") -> None:
    """Print for people which features have come to mean an outcome; nothing when none has."""
    if not foretold:
        return
    screen.tell("What is foretold:")
    screen.table(
        ["feature", ">valence", ">sure", ">good", ">bad", ">events", ">without it", "kinds of outcome"],
        [
            (
                _short(one.feature),
                f"{one.valence:+.2f}",
                number(one.sureness),
                one.good,
                one.bad,
                one.events or "-",
                f"{one.base_rate:.1%}",
                ", ".join(clean(kind.kind, _FEATURE_CHARS_MAX) for kind in one.kinds[:_KINDS_SHOWN]) or "-",
            )
            for one in foretold
        ],
    )


def _short(feature: str) -> str:
    return clean(feature, _FEATURE_CHARS_MAX)
