"""``yggdrasil past``: commands about what a memory was, and what it would be.

Room for a command that reads a memory's past from its log, compares two moments, or supposes something else.
"""

from typing import Final

import typer

from ...options import help_alone
from ...targets import OfReader
from .what_if import what_if

_HELP: Final = """The past of a memory: what it would be, had something never happened.

\b
Examples:
  EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy)
  yggdrasil record "Deployed on a Tuesday" --feature deploy
  yggdrasil past what-if --without $EVENT --ask "When do we deploy?"
"""

app = typer.Typer(help=_HELP, rich_markup_mode=None)
app.callback(invoke_without_command=True)(help_alone)
app.command("what-if", cls=OfReader, short_help="Show what would be, had something never happened.")(what_if)
