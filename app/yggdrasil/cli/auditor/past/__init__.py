"""``yggdrasil past``: commands about what a memory was, what it would be, and where else it may be.

Room for a command that reads a memory's past from its log, compares two moments, or takes it along in a file.
"""

from typing import Final

import typer

from ...options import help_alone
from ...targets import OfAgent, OfReader
from .forking import compare, fork, forks
from .naming import snapshot, snapshots
from .packing import check, pack, unpack
from .what_if import what_if

_HELP: Final = """The past of a memory: what it would be, had something never happened, and packed.

An archive holds every command that a memory has accepted, byte for byte, and
how it stood. `unpack` makes the same memory of it in another log, and says so.

\b
Examples:
  EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy)
  yggdrasil record "Deployed on a Tuesday" --feature deploy
  yggdrasil past what-if --without $EVENT --ask "When do we deploy?"
  yggdrasil past pack me/agent agent.archive
  yggdrasil past check agent.archive
  yggdrasil past unpack agent.archive --dir elsewhere
"""

app = typer.Typer(help=_HELP, rich_markup_mode=None)
app.callback(invoke_without_command=True)(help_alone)
app.command("what-if", cls=OfReader, short_help="Show what would be, had something never happened.")(what_if)
app.command("snapshot", cls=OfAgent, short_help="Give this moment of a memory a name, or take one back.")(snapshot)
app.command("snapshots", cls=OfReader, short_help="List the moments of a memory that have names.")(snapshots)
app.command("fork", cls=OfAgent, short_help="Make a memory of its own of a memory as it stood.")(fork)
app.command("forks", cls=OfAgent, short_help="List the forks of a memory, and where each parts from it.")(forks)
app.command("compare", cls=OfAgent, short_help="Compare two memories that have gone on from one.")(compare)
app.command("pack", short_help="Pack a memory into a file.")(pack)
app.command("unpack", short_help="Make a memory of such a file, in a log that has it not.")(unpack)
app.command("check", short_help="Say whether such a file is whole, and what a log has of it.")(check)
