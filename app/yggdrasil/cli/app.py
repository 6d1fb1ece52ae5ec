"""The application: its commands in the order in which a newcomer meets them, and how every run ends."""

import gc
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from importlib import metadata
from typing import Annotated, Any, Final

import typer
from typer.exceptions import TyperException

from yggdrasil_schemas.errors import YggdrasilError

from ..daemon.commands.streams import Errors, Output, OutputError
from ..daemon.commands.typed import has_json
from ..form import laws
from .commands import SETTINGS, Commands
from .exits import MEANINGS, ExitCode, classify
from .options import help_alone
from .screen import Screen, clean, write_json
from .wording import explained, usage

_CODES: Final = "\n".join(f"  {code.value:>3}  {meaning}" for code, meaning in MEANINGS.items())
_INTERRUPTED: Final = "interrupted; what was recorded is kept, and the same command can safely be given again"
_HELP: Final = f"""A governed long-term memory for AI agents: the log is the memory, all else is a way of reading it.

\b
Examples, in the order in which a newcomer meets them:
  # watch a git history become a memory that answers, explains itself and replays to the same digest
  yggdrasil demo --repo .
  # a memory of your own: what happened, and how it turned out
  EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy --feature friday)
  yggdrasil outcome $EVENT -3 --kind outage --text "The site was down for an hour"
  # ask it, and see why something was done
  yggdrasil context "Should we deploy on Friday?"
  yggdrasil explain $EVENT
  # what no longer holds leaves every answer, and stays in the history
  NEW=$(yggdrasil correct supersede $EVENT "Deployed on a Thursday, it turned out" --feature deploy)
  yggdrasil history $NEW
  # what is so: facts, since when, and who says so
  yggdrasil fact add person:ana lives_in city:oslo --from 2026-05-01
  yggdrasil fact show person:ana
  # how did such situations end, and what has the memory learnt of them?
  yggdrasil cases "Should we deploy on Friday?"
  yggdrasil foretell "Should we deploy on Friday?"
  # what is in mind just now, which episodes were there, and what usually comes next?
  yggdrasil working-memory
  yggdrasil episodes
  yggdrasil episodes next "Should we deploy on Friday?"
  # fold the whole log again and prove that it gives the same memory
  yggdrasil replay
  yggdrasil stats
  # what other sources know already: git histories, chats
  yggdrasil import git .

The first command of a directory starts a daemon for those that follow, which then take a moment; it ends when nobody
asks. YGGDRASIL_DAEMON=0 starts none (docs/doors/daemon.md).

\b
Exit codes:
{_CODES}
"""

app = typer.Typer(cls=Commands, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]}, **SETTINGS)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version; are the laws compiled?")] = False,
) -> None:
    if version:
        typer.echo(f"yggdrasil {metadata.version('yggdrasil-substrate')}, laws {laws()}")
        raise typer.Exit
    help_alone(context)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. ``arguments`` are those of the process unless given."""
    # A fold makes many objects that live long and hardly any cycles, so the collector's default of a pass per 700 new
    # objects spent 15 us of 64 us per command on walking a growing heap. What is forgotten counts against what is new:
    # a memory that is full has 10,000 more objects after some 4,000 commands, and to look at what these have left stops
    # all threads for 10 to 20 ms. Set by the host and never by the library.
    gc.set_threshold(10_000, 100, 50)
    words = list(sys.argv[1:] if arguments is None else arguments)
    # What RocksDB makes is for its owner alone, as all that we make. Checkpoints are read by other hosts as well, and
    # perhaps as somebody else. Set by the process's owner and never by the library.
    if (
        arguments is None
        and words[:1] != ["checkpoint"]
        and not any(each.startswith("--checkpoints") for each in words)
    ):
        os.umask(0o077)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")  # a terminal that lacks a letter gets its number
    code: int = ExitCode.OK
    errors = Errors(sys.stderr)
    with redirect_stdout(Output(sys.stdout)), redirect_stderr(errors):
        try:
            code = _run(words)
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read the output has gone (`| head`)
            return ExitCode.PIPE_CLOSED
        except OutputError as error:
            broken, name = error.ends()
            return _failed(False, code or broken, name, str(error))
        finally:
            errors.end()
    return code


@cache
def command() -> Any:
    """Return what typer makes of the application."""
    return typer.main.get_command(app)


def _run(words: list[str]) -> int:
    json = has_json(words)
    try:
        result = command()(words, prog_name="yggdrasil", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        result = ExitCode.INTERRUPTED
    except TyperException as error:
        return _failed(json, ExitCode.USAGE, "usage", usage(error))
    except OutputError:
        raise
    except YggdrasilError as error:
        return _failed(json, *classify(error), explained(error))
    except BrokenPipeError:
        raise
    except SystemExit as error:
        if isinstance(error.__context__, OSError):  # how typer ends when the reader of stdout has gone
            raise BrokenPipeError from error
        raise
    except OSError as error:
        return _failed(json, ExitCode.BROKEN, "system", str(error))
    except Exception as error:
        traceback.print_exc()
        message = f"{type(error).__name__}: {error}. This is a bug; please report it with what is above."
        return _failed(json, ExitCode.BROKEN, "bug", message)
    if result == ExitCode.INTERRUPTED:  # typer returns it for Ctrl-C
        return _failed(json, ExitCode.INTERRUPTED, "interrupted", _INTERRUPTED)
    return result if isinstance(result, int) else ExitCode.OK


def _failed(json: bool, code: int, name: str, message: str) -> int:
    if json:
        with suppress(OutputError):  # then stderr has it
            write_json({"error": {"code": name, "message": message}})
            sys.stdout.flush()
            return code
    Screen().fail(f"yggdrasil: {clean(message)}")
    return code
