"""The commands of the command line, in the order in which a newcomer meets them, each imported when it is run.

To import them all takes four times as long as to say the version. The list of all of them, `yggdrasil --help`, does.
"""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup

from yggdrasil_infra.paths import at_home

from .targets import OfAgent, OfReader

SETTINGS: Final[Any] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "add_completion": False,
}


class Made(NamedTuple):
    """Where a command is made: ``module:name`` below this package, of a function or of an application with commands.

    ``says`` is its line in the list of all; without it, that is the first of its help.
    """

    of: str
    says: str | None = None
    cls: type[TyperCommand] = TyperCommand
    more: dict[str, Any] | None = None


COMMANDS: Final[dict[str, Made]] = {
    "demo": Made(".demo.demo:demo", "Watch a git history become a memory, from import to replay."),
    "record": Made(".agent.recording:record", None, OfAgent),
    "outcome": Made(".agent.recording:outcome", None, OfAgent, {"context_settings": {"ignore_unknown_options": True}}),
    "context": Made(".agent.asking:context", "Ask a memory what matters most to a question.", OfReader),
    "cases": Made(".agent.comparing:cases", "Ask how situations like this one ended.", OfReader),
    "foretell": Made(".agent.foretelling:foretell", "Ask what a situation foretells, by its features.", OfReader),
    "explain": Made(".agent.asking:explain", "Explain an action: what led to it, and what came of it.", OfReader),
    "fact": Made(".agent.knowing.claims:app", "Say and show what is so: facts, who says so, since when."),
    "correct": Made(".agent.knowing.correcting:app", "Correct it: supersede, withdraw, resolve, reinstate."),
    "history": Made(".agent.knowing.correcting:history", "Show what was said of one thing, in order.", OfReader),
    "contradictions": Made(".agent.knowing.correcting:contradictions", "Show what cannot all be true.", OfReader),
    "rulings": Made(
        ".agent.knowing.correcting:rulings", "Show which rule people agreed with, where claims contradict.", OfReader
    ),
    "neighbours": Made(
        ".agent.knowing.surroundings:neighbours", "Show what a memory is linked to, up to three steps away.", OfReader
    ),
    "episodes": Made(".agent.episodes:app", "List episodes, read one, ask what usually comes next."),
    "working-memory": Made(".agent.minding:working_memory", "Show what is in mind, session by session.", OfReader),
    "session": Made(".agent.working.session:app", "An agent's piece of work: begin, context, note, end."),
    "role": Made(".agent.working.perspectives:app", "What agents care about, and what they are strong in."),
    "desk": Made(".agent.working.asking:desk", "Show what is noted: goals, promises, what is under way.", OfReader),
    "decisions": Made(".agent.working.asking:decisions", "Show what was decided, why, and what came of it.", OfReader),
    "knows": Made(".agent.working.asking:knows", "Show who knows of something.", OfReader),
    "recoveries": Made(".agent.working.asking:recoveries", "Show what helped when something failed.", OfReader),
    "map": Made(".agent.knowing.mapping:draw_map", "Draw a map of the places that a memory knows.", OfReader),
    "bias": Made(".agent.drifting:bias", "Show what is offered often and never used.", OfReader),
    "drift": Made(".agent.drifting:drift", "Show whether it collapses, swings, or repeats what fails.", OfReader),
    "digestion": Made(
        ".agent.knowing.digesting:digestion", "Digest what is new, and show what was made of a session.", OfAgent
    ),
    "diff": Made(".agent.knowing.diffing:diff", "Show what changed between two moments, and why.", OfAgent),
    "read": Made(".agent.reading:read", "Ask anything that a memory can be asked, as JSON.", OfReader),
    "say": Made(".agent.saying:say", "Say anything that a memory can be told, by its name.", OfAgent),
    "replay": Made(".auditor.replaying:replay", "Fold the whole log again, and compare."),
    "prove": Made(".auditor.proving:prove", "Prove that an answer came from the memory as it was then."),
    "past": Made(".auditor.past:app", "Name moments, ask what would have been, and take a memory along."),
    "stats": Made(".auditor.stats:stats", "Show what is there, in numbers."),
    "pin": Made(".agent.deciding:pin", "Protect a memory, so that it neither fades nor is forgotten.", OfAgent),
    "lift": Made(".agent.deciding:lift", "Say that a catastrophe was none.", OfAgent),
    "retire": Made(".agent.deciding:retire", "Free the name of a thinker.", OfAgent),
    "scorers": Made(".operator.scoring:scorers", "List the learned scorers that were proposed.", OfReader),
    "adopt": Made(".operator.scoring:adopt", "Let a learned scorer count, or go back to the one before.", OfAgent),
    "think": Made(".operator.hosts.thinking:think", "Let thinkers decide: episodes, concepts, reflections, sleep."),
    "sleep": Made(".agent.deciding:sleep", "Consolidate, dissolve and archive what has faded.", OfAgent),
    "import": Made(".agent.importing:app"),
    "topics": Made(".operator.topics:app", "Create the topics on Kafka, and say whether they are fit."),
    "enable-version": Made(".operator.enabling:enable_version", "Let every partition accept a version of the log."),
    "worker": Made(".operator.hosts.working:worker", "Fold a Kafka topic into memories, beside other workers."),
    "checkpoint": Made(".operator.checkpointing:app"),
    "export": Made(".operator.exporting:export", "Write the commands that stores still hold."),
    "embed": Made(".agent.embedding:embed", "Give vectors to what was recorded without."),
    "rebuild": Made(".operator.rebuilding:rebuild", "Build stores and indexes anew from the log, and swap them."),
    "verify": Made(".auditor.verifying:verify", "Read everything in a directory, and say what is damaged.", OfAgent),
    "quarantine": Made(".operator.quarantining:quarantine", "List all that somebody said, and take it out.", OfAgent),
    "report": Made(
        ".operator.quarantining:report", "Show which answers a memory was in, and what came of it.", OfAgent
    ),
    "backup": Made(".operator.backing:backup", "Copy a directory's log while it is in use, and verify the copy."),
    "restore": Made(".operator.backing:restore", "Make a directory of a backup."),
    "serve": Made(".operator.hosts.serving:serve", "Serve memories over HTTP: commands in, reads out."),
    "mcp": Made(".operator.hosts.mcp:mcp", "Be a memory for an assistant or an editor, over MCP."),
    "key": Made(".operator.keys:app"),
    "hooks": Made(".operator.hooking:app"),
}


class _Loading(dict[str, Any]):
    """The commands by name, as typer has them; each is made when it is asked for."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(COMMANDS))

    def __getitem__(self, name: str) -> Any:
        made = super().__getitem__(name)
        if made is None:
            made = _made(name, COMMANDS[name])
            self[name] = made
        return made

    def get(self, name: str, default: Any = None) -> Any:
        """Return a command, or the default where there is none of that name."""
        if name not in self:
            return default
        return self[name]

    def values(self) -> Any:
        """Return all of them."""
        return {name: self[name] for name in self}.values()

    def items(self) -> Any:
        """Return all of them with their names."""
        return {name: self[name] for name in self}.items()


class Commands(TyperGroup):
    """The commands, each imported when it is run."""

    def __init__(self, **settings: Any) -> None:
        given: Any = {**settings, "commands": _Loading()}
        super().__init__(**given)


def _made(name: str, of: Made) -> Any:
    """Import a command, and make of it what typer runs."""
    module, _, called = of.of.partition(":")
    found = getattr(import_module(module, __package__), called)
    alone = typer.Typer(**SETTINGS)
    if isinstance(found, typer.Typer):
        line: Any = {} if of.says is None else {"short_help": of.says}
        alone.add_typer(found, name=name, **line)
    else:
        alone.callback()(_nothing)  # or a command alone would be the whole
        alone.command(name, cls=of.cls, short_help=of.says, **(of.more or {}))(found)
    made: Any = typer.main.get_group(alone).commands[name]
    for each in {id(each): each for each in _parameters(made)}.values():  # commands share some
        if each.type_descriptor.annotation in (Path, list[Path]):
            each.process_value = partial(_at_home, each.process_value)  # no shell does it for `--dir=~/m` or a variable
    return made


def _nothing() -> None:
    pass


def _parameters(command: Any) -> Iterable[Any]:
    yield from command.params
    for below in getattr(command, "commands", {}).values():
        yield from _parameters(below)


def _at_home(process: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    if isinstance(value, list | tuple):  # of an option that may be given several times
        given = [at_home(each) if isinstance(each, str) else each for each in cast("list[Any]", value)]
        return process(context, given)
    return process(context, at_home(value) if isinstance(value, str) else value)
