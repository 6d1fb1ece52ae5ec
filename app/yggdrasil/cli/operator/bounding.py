"""What `yggdrasil serve` lets a tenant take of its host: the options, and what is made of them."""

from collections.abc import Sequence
from typing import Annotated

import typer

Ceilings = Annotated[
    list[str] | None,
    typer.Option(
        "--ceiling",
        metavar="NAME=NUMBER",
        help="The greatest value that a memory's policy may give a constant here; may be given several times. "
        "nodes_max, edges_max, archived_max and recalls_kept_max have four times their default unless it is given.",
    ),
]


def ceilings_of(given: Sequence[str] | None) -> dict[str, int]:
    """Return the greatest values of constants of the policy, by name. Raises BadParameter."""
    from yggdrasil_producers.gateway.routes import CEILINGS
    from yggdrasil_schemas.policy import CONSTANTS, INTEGERS

    ceilings = dict(CEILINGS)
    for one in given or ():
        name, _, number = one.partition("=")
        if name not in CONSTANTS or name not in INTEGERS or not number.isdecimal():
            raise typer.BadParameter(
                f"{one}: give a count of the policy and its greatest value, such as nodes_max=100000",
                param_hint="'--ceiling'",
            )
        ceilings[name] = int(number)
    return ceilings
