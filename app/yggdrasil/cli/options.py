"""The options that several commands share."""

import re
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from yggdrasil_schemas.limits import RECORD_BYTES_MAX, RETURNED_MAX

if TYPE_CHECKING:
    from yggdrasil_infra.kafka_log.settings import KafkaSettings
    from yggdrasil_schemas.topics import Profile

DIR_DEFAULT: Final = Path(".yggdrasil")
WORKER_DIR_DEFAULT: Final = Path(".yggdrasil-worker")  # never the one above, whose log is its own
MEMORY_DEFAULT: Final = "me/agent"
K_DEFAULT: Final = 10  # asks.K_DEFAULT, without its import
SERVICE_KEY: Final = "yggdrasil.service"
"""Under which a run of the command line keeps the service that was named; see ``places``."""
_RANGES: Final = re.compile(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*")
_PARTITIONS_MAX: Final = 100_000  # more than any cluster holds, so that a slip of the finger makes no huge list
_GIVEN_BYTES_MAX: Final = 4 * RECORD_BYTES_MAX  # the end of a session becomes several records
TOPIC_DEFAULT: Final = "yggdrasil.commands"  # topics.COMMANDS, without its import: the help must be fast


def help_alone(context: typer.Context) -> None:
    """Print the help when no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def given_in(file: str | None, option: str) -> bytes:
    """Return what stands in a file, or on stdin. Raises OSError, and BadParameter for more than is taken."""
    from yggdrasil_infra.paths import at_home

    if file is None:
        found = sys.stdin.buffer.read(_GIVEN_BYTES_MAX + 1)
    else:
        with Path(at_home(file)).open("rb") as opened:
            found = opened.read(_GIVEN_BYTES_MAX + 1)
    if len(found) > _GIVEN_BYTES_MAX:
        raise typer.BadParameter(f"{option}: it has more than {_GIVEN_BYTES_MAX:,} bytes, and no record has as many")
    return found


def not_blank(text: str) -> str:
    """Return ``text``; raise BadParameter when it is empty, as an unset variable of the shell is."""
    if not text.strip():
        raise typer.BadParameter("it is empty")
    return text


def assigned(of: str, given: Iterable[str], known: Collection[str], word: str) -> dict[str, list[str]]:
    """Return what was written as NAME=VALUE by the names that ``of`` has, each with all of its values.

    ``word`` is what such a name is called, such as "field". Raises BadParameter for any other.
    """
    written: dict[str, list[str]] = {}
    form = f"{word.upper()}=VALUE"
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or name not in known:
            told = f"{of} takes {', '.join(known) or f'no {word}s'}, each as {form}; {each[:40]!r} is none"
            raise typer.BadParameter(told, param_hint=f"'{form}'")
        written.setdefault(name, []).append(value)
    return written


AsAgent = Annotated[
    str | None,
    typer.Option("--as-agent", metavar="NAME", help="Ask as this agent, for its role: what that cares about first."),
]
Under = Annotated[
    list[str] | None,
    typer.Option("--perspective", metavar="NAME", help="Ask under this perspective of a role; or again."),
]


@dataclass(frozen=True, slots=True)
class OnKafka:
    """A log on Kafka: how to reach the brokers, the topic, and what that must be."""

    settings: "KafkaSettings"
    topic: str
    profile: "Profile"

    def __str__(self) -> str:
        return f"{self.topic} at {self.settings.bootstrap_servers}"


def typed(context: typer.Context, option: str) -> bool:
    """Whether the parameter ``option`` was typed, and does not come from the environment or by default."""
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def named(context: typer.Context, option: str) -> bool:
    """Whether the parameter ``option`` was typed or comes from the environment."""
    source = context.get_parameter_source(option)
    return source is not None and source.name != "DEFAULT"


def on_kafka(context: typer.Context, kafka: str | None, topic: str, *, development: bool) -> OnKafka | None:
    """Return the log on Kafka that was typed, or None for one in a directory.

    Raises BadParameter when only a part of it was typed. The command has a parameter ``topic``.
    """
    if kafka is None:
        if development or typed(context, "topic"):
            part = "--development" if development else "--topic"
            raise typer.BadParameter("it goes with --kafka, which names the brokers", context, param_hint=f"'{part}'")
        return None
    settings, profile = kafka_of(kafka, development=development)
    return OnKafka(settings, topic, profile)


def not_both(context: typer.Context, there: OnKafka | None) -> None:
    """Raise BadParameter when a directory was typed as well as a log on Kafka. It may have ``embedder``."""
    if there is not None and typed(context, "embedder"):
        message = "what is appended to a topic gets its vectors from `yggdrasil serve --kafka ... --embedder`"
        raise typer.BadParameter(message, context, param_hint="'--embedder'")
    if there is not None and (typed(context, "directory") or typed(context, "place")):
        message = "it and --dir exclude each other: the log is either on Kafka or in a directory"
        raise typer.BadParameter(message, context, param_hint="'--kafka'")


def kafka_of(servers: str, *, development: bool) -> "tuple[KafkaSettings, Profile]":
    """Return how to reach the brokers, with the security options of the environment, and what a topic must be."""
    from yggdrasil_infra.kafka_log.settings import KafkaSettings

    return KafkaSettings.from_environment(servers), "development" if development else "production"


def partitions_of(text: str) -> tuple[int, ...]:
    """Return the numbers that ``0,3-5`` names. Raises BadParameter."""
    if not _RANGES.fullmatch(text):
        raise typer.BadParameter(f"{text!r} names no partitions; write numbers and ranges such as 0,3-5")
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        begin, end = int(first), int(last or first)
        if end < begin or end - begin >= _PARTITIONS_MAX:
            raise typer.BadParameter(f"{part} is no range; write the smaller number first")
        found.update(range(begin, end + 1))
    return tuple(sorted(found))


def _not_blank_if_given(text: str | None) -> str | None:
    return None if text is None else not_blank(text)


def _memory(context: typer.Context, name: str) -> str:
    """Return the memory that is named; of a service nothing where none is, for its key may know which."""
    return name if SERVICE_KEY not in context.meta or named(context, "memory") else ""


def _commands_topic(name: str) -> str:
    if name.endswith(".refused"):
        raise typer.BadParameter(f"{name} is a name for refusals, which may be forgotten; the log has another")
    return not_blank(name)


Dir = Annotated[
    Path, typer.Option("--dir", envvar="YGGDRASIL_DIR", metavar="DIR", help="Where the log and its memories are kept.")
]
WorkerDir = Annotated[
    Path, typer.Option("--dir", envvar="YGGDRASIL_DIR", metavar="DIR", help="Where this worker keeps its stores.")
]
MemoryId = Annotated[
    str,
    typer.Option(
        "--memory",
        envvar="YGGDRASIL_MEMORY",
        metavar="TENANT/AGENT",
        callback=_memory,
        help="Whose memory it is.",
    ),
]
Session = Annotated[
    str | None, typer.Option("--session", metavar="NAME", help="The conversation or task it is part of.")
]
TokensMax = Annotated[
    int | None,
    typer.Option("--tokens-max", min=1, metavar="N", help="At most so many tokens, of four characters each."),
]
MinConfidence = Annotated[
    float | None,
    typer.Option(
        "--min-confidence",
        min=0.0,
        max=1.0,
        metavar="0..1",
        help="What confidence an answer takes, instead of what the memory's policy says.",
    ),
]
AtMost = Annotated[
    int | None, typer.Option("-k", min=1, max=RETURNED_MAX, help="How many memories at most; without it what answers.")
]
More = Annotated[
    str | None,
    typer.Option("--more", metavar="CURSOR", help="Go on with the same question: what the answer before gave."),
]
Deep = Annotated[bool, typer.Option("--deep", help="Look among what is archived too, and bring it back.")]
Similar = Annotated[bool, typer.Option("--similar", help="Show each memory that says the same as another, too.")]
Full = Annotated[bool, typer.Option("--full", help="Show long texts whole, and not only what answers.")]
NoRecord = Annotated[bool, typer.Option("--no-record", help="Leave no trace of this reading.")]
AsPrompt = Annotated[
    bool, typer.Option("--prompt", help="Print the text that a prompt wants, with a label for each memory.")
]
EmbedderSetting = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="pair|minilm|none|...",
        help="Makes vectors, here and from now on; otherwise it is as the directory remembers. See docs/embeddings.md.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
Kafka = Annotated[
    str,
    typer.Option(
        "--kafka",
        envvar="KAFKA_BOOTSTRAP_SERVERS",
        metavar="HOST:PORT[,HOST:PORT]",
        callback=not_blank,
        help="The brokers; how to be let in is read from YGGDRASIL_KAFKA_SECURITY_PROTOCOL and the like.",
    ),
]
# Of a command that has commands below it, which name the brokers themselves.
KafkaOrCommand = Annotated[
    str | None,
    typer.Option(
        "--kafka",
        envvar="KAFKA_BOOTSTRAP_SERVERS",
        metavar="HOST:PORT[,HOST:PORT]",
        callback=_not_blank_if_given,
        help="The brokers; how to be let in is read from YGGDRASIL_KAFKA_SECURITY_PROTOCOL and the like.",
    ),
]
# Where a directory may be meant as well, the environment must not choose between the two: it has to be typed.
KafkaInstead = Annotated[
    str | None,
    typer.Option(
        "--kafka",
        metavar="HOST:PORT[,HOST:PORT]",
        callback=_not_blank_if_given,
        help="The log is on these brokers, not in a directory.",
    ),
]
Topic = Annotated[
    str,
    typer.Option(
        "--topic",
        envvar="YGGDRASIL_TOPIC",
        metavar="NAME",
        callback=_commands_topic,
        help="The topic that is the log. Refusals of acme.commands go to acme.refused.",
    ),
]
Development = Annotated[
    bool, typer.Option("--development", help="Accept one broker, with which the memory may be lost.")
]
