"""The application: its commands in the order in which a newcomer meets them, and how every run ends."""

import gc
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.exceptions import TyperException

from yggdrasil_infra.paths import at_home
from yggdrasil_schemas.errors import YggdrasilError

from ..form import laws
from .agent.asking import context, explain
from .agent.comparing import cases
from .agent.deciding import lift, pin, retire, sleep
from .agent.drifting import bias, drift
from .agent.embedding import embed
from .agent.episodes import app as episodes_app
from .agent.foretelling import foretell
from .agent.importing import app as import_app
from .agent.knowing.claims import app as fact_app
from .agent.knowing.correcting import app as correct_app
from .agent.knowing.correcting import contradictions, history, rulings
from .agent.knowing.diffing import diff
from .agent.knowing.digesting import digestion
from .agent.knowing.mapping import draw_map
from .agent.knowing.surroundings import neighbours
from .agent.minding import working_memory
from .agent.reading import read
from .agent.recording import outcome, record
from .agent.saying import say
from .agent.working.asking import decisions, desk, knows, recoveries
from .agent.working.perspectives import app as role_app
from .agent.working.session import app as session_app
from .auditor.past import app as past_app
from .auditor.proving import prove
from .auditor.replaying import replay
from .auditor.stats import stats
from .auditor.verifying import verify
from .demo.demo import demo
from .exits import MEANINGS, ExitCode, classify
from .operator.backing import backup, restore
from .operator.checkpointing import app as checkpoint_app
from .operator.enabling import enable_version
from .operator.exporting import export
from .operator.hooking import app as hooks_app
from .operator.hosts.mcp import mcp
from .operator.hosts.serving import serve
from .operator.hosts.thinking import think
from .operator.hosts.working import worker
from .operator.keys import app as key_app
from .operator.quarantining import quarantine, report
from .operator.rebuilding import rebuild
from .operator.scoring import adopt, scorers
from .operator.topics import app as topics_app
from .options import help_alone
from .screen import Screen, clean, write_json
from .targets import OfAgent, OfReader
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

\b
Exit codes:
{_CODES}
"""

app = typer.Typer(
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("demo", short_help="Watch a git history become a memory, from import to replay.")(demo)
app.command("record", cls=OfAgent)(record)
# An argument such as -3 would otherwise be taken for an option.
app.command("outcome", cls=OfAgent, context_settings={"ignore_unknown_options": True})(outcome)
app.command("context", cls=OfReader, short_help="Ask a memory what matters most to a question.")(context)
app.command("cases", cls=OfReader, short_help="Ask how situations like this one ended.")(cases)
app.command("foretell", cls=OfReader, short_help="Ask what a situation foretells, by its features.")(foretell)
app.command("explain", cls=OfReader, short_help="Explain an action: what led to it, and what came of it.")(explain)
app.add_typer(fact_app, name="fact", short_help="Say and show what is so: facts, who says so, since when.")
app.add_typer(correct_app, name="correct", short_help="Correct it: supersede, withdraw, resolve, reinstate.")
app.command("history", cls=OfReader, short_help="Show what was said of one thing, in order.")(history)
app.command("contradictions", cls=OfReader, short_help="Show what cannot all be true.")(contradictions)
app.command("rulings", cls=OfReader, short_help="Show which rule people agreed with, where claims contradict.")(rulings)
app.command("neighbours", cls=OfReader, short_help="Show what a memory is linked to, up to three steps away.")(
    neighbours
)
app.add_typer(episodes_app, name="episodes", short_help="List episodes, read one, ask what usually comes next.")
app.command("working-memory", cls=OfReader, short_help="Show what is in mind, session by session.")(working_memory)
app.add_typer(session_app, name="session", short_help="An agent's piece of work: begin, context, note, end.")
app.add_typer(role_app, name="role", short_help="What agents care about, and what they are strong in.")
app.command("desk", cls=OfReader, short_help="Show what is noted: goals, promises, what is under way.")(desk)
app.command("decisions", cls=OfReader, short_help="Show what was decided, why, and what came of it.")(decisions)
app.command("knows", cls=OfReader, short_help="Show who knows of something.")(knows)
app.command("recoveries", cls=OfReader, short_help="Show what helped when something failed.")(recoveries)
app.command("map", cls=OfReader, short_help="Draw a map of the places that a memory knows.")(draw_map)
app.command("bias", cls=OfReader, short_help="Show what is offered often and never used.")(bias)
app.command("drift", cls=OfReader, short_help="Show whether it collapses, swings, or repeats what fails.")(drift)
app.command("digestion", cls=OfAgent, short_help="Digest what is new, and show what was made of a session.")(digestion)
app.command("diff", cls=OfAgent, short_help="Show what changed between two moments, and why.")(diff)
app.command("read", cls=OfReader, short_help="Ask anything that a memory can be asked, as JSON.")(read)
app.command("say", cls=OfAgent, short_help="Say anything that a memory can be told, by its name.")(say)
app.command("replay", short_help="Fold the whole log again, and compare.")(replay)
app.command("prove", short_help="Prove that an answer came from the memory as it was then.")(prove)
app.add_typer(past_app, name="past", short_help="Name moments, ask what would have been, and take a memory along.")
app.command("stats", short_help="Show what is there, in numbers.")(stats)
app.command("pin", cls=OfAgent, short_help="Protect a memory, so that it neither fades nor is forgotten.")(pin)
app.command("lift", cls=OfAgent, short_help="Say that a catastrophe was none.")(lift)
app.command("retire", cls=OfAgent, short_help="Free the name of a thinker.")(retire)
app.command("scorers", cls=OfReader, short_help="List the learned scorers that were proposed.")(scorers)
app.command("adopt", cls=OfAgent, short_help="Let a learned scorer count, or go back to the one before.")(adopt)
app.command("think", short_help="Let thinkers decide: episodes, concepts, reflections, sleep.")(think)
app.command("sleep", cls=OfAgent, short_help="Consolidate, dissolve and archive what has faded.")(sleep)
app.add_typer(import_app, name="import")
app.add_typer(topics_app, name="topics", short_help="Create the topics on Kafka, and say whether they are fit.")
app.command("enable-version", short_help="Let every partition accept a version of the log.")(enable_version)
app.command("worker", short_help="Fold a Kafka topic into memories, beside other workers.")(worker)
app.add_typer(checkpoint_app, name="checkpoint")
app.command("export", short_help="Write the commands that stores still hold.")(export)
app.command("embed", short_help="Give vectors to what was recorded without.")(embed)
app.command("rebuild", short_help="Build stores and indexes anew from the log, and swap them.")(rebuild)
app.command("verify", short_help="Read everything in a directory, and say what is damaged.")(verify)
app.command("quarantine", cls=OfAgent, short_help="List all that somebody said, and take it out.")(quarantine)
app.command("report", cls=OfAgent, short_help="Show which answers a memory was in, and what came of it.")(report)
app.command("backup", short_help="Copy a directory's log while it is in use, and verify the copy.")(backup)
app.command("restore", short_help="Make a directory of a backup.")(restore)
app.command("serve", short_help="Serve memories over HTTP: commands in, reads out.")(serve)
app.command("mcp", short_help="Be a memory for an assistant or an editor, over MCP.")(mcp)
app.add_typer(key_app, name="key")
app.add_typer(hooks_app, name="hooks")


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
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has gone (`| head`). Python flushes stdout once more at the end, so it is put aside.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.PIPE_CLOSED
    return code


@cache
def _command() -> Any:
    """Return the commands as typer makes them of their functions, which takes it 50 ms each time that it is asked."""
    made = typer.main.get_command(app)
    for each in {id(each): each for each in _parameters(made)}.values():  # commands share some
        if each.type_descriptor.annotation is Path:
            each.process_value = partial(_at_home, each.process_value)  # no shell does it for `--dir=~/m` or a variable
    return made


def _parameters(command: Any) -> list[Any]:
    return [*command.params, *(each for one in getattr(command, "commands", {}).values() for each in _parameters(one))]


def _at_home(process: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    return process(context, at_home(value) if isinstance(value, str) else value)


def _run(words: list[str]) -> int:
    json = "--json" in words[: words.index("--") if "--" in words else len(words)]
    try:
        result = _command()(words, prog_name="yggdrasil", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        result = ExitCode.INTERRUPTED
    except TyperException as error:
        return _failed(json, ExitCode.USAGE, "usage", usage(error))
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


def _failed(json: bool, code: ExitCode, name: str, message: str) -> ExitCode:
    if json:
        write_json({"error": {"code": name, "message": message}})
    else:
        Screen().fail(f"yggdrasil: {clean(message)}")
    return code
