"""The options of ``yggdrasil serve`` that no other command has, and what those of its stores come to."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from yggdrasil.engines.embedding import Embedding
    from yggdrasil.serving_parts import Door, Host
    from yggdrasil.thinking.summaries import ModelSummary
    from yggdrasil_processors.past.ladder import Spacing
    from yggdrasil_processors.scrubbing import ScrubSettings
    from yggdrasil_processors.thinkers.thinker import Thinker
    from yggdrasil_projections.retrieval.ranking.own.ranker import OwnRanker

Data = Annotated[
    Path | None,
    typer.Option(
        "--data", "--dir", envvar="YGGDRASIL_DIR", metavar="DIR",
        help="Where log and stores are kept, or with --kafka the stores alone: .yggdrasil, or with --kafka "
        ".yggdrasil-serve, unless given.",
    ),
]  # fmt: skip
Partitions = Annotated[
    str | None, typer.Option("--partitions", metavar="0,3-5", help="With --kafka: answer for just these.")
]
Group = Annotated[
    str, typer.Option("--group", help="With --kafka: the name under which lag tools see how far this one is.")
]
EmbedderSetting = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="pair|minilm|none|off|...",
        help="Makes vectors of what is said and asked; otherwise it is as the directory remembers, and off on Kafka. "
        "See docs/embeddings.md.",
    ),
]
FormerEmbedder = Annotated[
    str,
    typer.Option("--former-embedder", metavar="off|...", help="Answers until the new one covers 90 % of a memory."),
]
Http = Annotated[
    str,
    typer.Option(
        "--http",
        metavar="HOST:PORT|off",
        help="Where to listen; off: at the socket in the directory alone.",
    ),
]
Daemon = Annotated[
    bool,
    typer.Option(
        "--daemon",
        help="Start it in the background, unless it answers already: at the socket alone but for --http, --idle 900.",
    ),
]
Idle = Annotated[
    float | None, typer.Option("--idle", min=0.1, metavar="SECONDS", help="End after so long without a request.")
]
LogFile = Annotated[
    Path | None, typer.Option("--log-file", metavar="FILE", help="Write the log there, and not to stderr.")
]
Auto = Annotated[bool, typer.Option("--auto", hidden=True, help="A command has started it, and nobody knows of it.")]
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics", metavar="HOST:PORT|off",
        help="Where /metrics, /livez and /readyz are served without a key, for those who watch and for nobody else.",
    ),
]  # fmt: skip
KeyFile = Annotated[
    Path | None,
    typer.Option("--keys", envvar="YGGDRASIL_KEYS", metavar="FILE", help="Who may come in: see `yggdrasil key`."),
]
Rate = Annotated[
    float,
    typer.Option("--rate", min=0, help="Requests per second of a key, a batch being its commands; 0: no limit."),
]
Concurrency = Annotated[
    int, typer.Option("--concurrency", min=1, max=1_000, help="Requests that are worked on at once.")
]
Drain = Annotated[
    float, typer.Option("--drain-s", min=0, help="When told to stop, go on for so long while /readyz says no.")
]
Thinkers = Annotated[
    str | None,
    typer.Option(
        "--thinkers",
        metavar="usual|digestion|all|NAME,...",
        help="Who decides in the background: chunker, concepts, narrator, reflector, reducer, resolver, cartographer, "
        "sleeper, trainer, or one that is installed here, such as acme-watch/1. "
        "On Kafka it is `yggdrasil think`.",
    ),
]
Ranker = Annotated[
    str | None,
    typer.Option(
        "--ranker",
        envvar="YGGDRASIL_RANKER",
        metavar="NAME/VERSION",
        help="A ranker that somebody else has made and that is installed here, such as acme-fresh/1.",
    ),
]
Ladder = Annotated[
    str | None,
    typer.Option(
        "--ladder",
        envvar="YGGDRASIL_LADDER",
        metavar="EVERY/AMONG/MIB",
        help="From which states a past is begun: for every so many commands among the last so many, in so much room; "
        "10000/100000/4096 unless given, 0 for none.",
    ),
]
LadderOf = Annotated[
    list[Path] | None,
    typer.Option(
        "--ladder-of", metavar="DIR",
        help="With --kafka: begin pasts from the states in this directory of a worker as well; may be given several "
        "times.",
    ),
]  # fmt: skip
SummaryModel = Annotated[
    str | None,
    typer.Option("--summary-model", metavar="NAME", help="With --thinkers: says what an episode was about."),
]
Grace = Annotated[float, typer.Option("--grace-s", min=0.1, help="Then finish what is under way within so long.")]


@dataclass(frozen=True, slots=True)
class Kept:
    """Where and how a host keeps its stores, and the ranker of somebody else's that orders what they answer."""

    place: Path
    checkpoints: Path | None
    recover: bool
    scrub: "ScrubSettings | None"
    room_bytes: int | None
    ranker: "OwnRanker | None" = None
    spacing: "Spacing | None" = None
    ladders_of: Sequence[Path] | None = None

    @property
    def tally(self) -> Path:
        """The file that keeps what tenants have taken."""
        from yggdrasil.engines.upkeep.tally import FILE

        return self.place / FILE

    @property
    def waiting(self) -> Path:
        """The file that keeps which memories wait for vectors."""
        from yggdrasil.engines.upkeep.waiting import FILE

        return self.place / FILE


def ranker_of(name: str | None) -> "OwnRanker | None":
    """Return the ranker of somebody else's that is named, if any. Raises PluginError."""
    from yggdrasil.opening import ranker_named

    return ranker_named(name)


def spacing_of(text: str | None) -> "Spacing | None":
    """Return how a ladder is spaced, if that is said. Raises LadderError."""
    from yggdrasil_processors.past.ladder import Spacing

    return None if text is None else Spacing.of(text)


def begin(form: Literal["json", "text"], log_file: Path | None = None) -> None:
    """Set up the log, in a file if one is given, and let the process open as many files as it may."""
    from yggdrasil_infra.http.wire.listener import raise_descriptors
    from yggdrasil_infra.signals.logs import configure

    configure(form, file=log_file)
    raise_descriptors()


def doors() -> "tuple[Door, ...]":
    """Return the other protocols that are served; what they take is imported when somebody first speaks them."""
    from yggdrasil.doors.mcp.over_http import McpDoor

    return (McpDoor(),)


@dataclass(frozen=True, slots=True)
class Thoughts:
    """Who thinks beside a service, and what says what their episodes were about."""

    thinkers: "list[Thinker[Any]]"
    summary: "ModelSummary | None"

    @contextmanager
    def beside(
        self, host: "Host", embedding: "Embedding | None", registry: "CollectorRegistry"
    ) -> Generator[None, None, None]:
        """Let them think of the memories of a directory, and tell ``registry`` what they do."""
        from yggdrasil.engines.embedded import Embedded
        from yggdrasil.thinking.beside import Beside
        from yggdrasil.thinking.memories import EngineMemories
        from yggdrasil_infra.signals.metrics import ThinkerMetrics

        if not (self.thinkers and isinstance(host, Embedded)):
            yield
            return
        memories, metrics = EngineMemories(host, embedding), ThinkerMetrics(registry)
        with Beside(host, self.thinkers, memories, summary=self.summary, metrics=metrics):
            yield


def options_of(context: typer.Context, *without: str) -> list[str]:
    """Return the options of a command as they were typed, but for those whose parameters are named."""
    typed: list[str] = []
    for each in context.command.params:
        name = str(each.name)
        given = context.get_parameter_source(name)
        if name in without or given is None or given.name != "COMMANDLINE":
            continue
        value: Any = context.params[name]
        several: list[Any] = list(cast(Sequence[Any], value)) if isinstance(value, list | tuple) else [value]
        for one in several:
            typed += [each.opts[0]] if isinstance(one, bool) else [each.opts[0], str(one)]
    return typed


def thoughts_of(context: typer.Context, names: str | None, summary_model: str | None, *, kafka: bool) -> Thoughts:
    """Return who is to think. Raises BadParameter, UnknownThinkerError and SummaryModelMissingError."""
    if names is None:
        if summary_model is not None:
            raise typer.BadParameter("it goes with --thinkers", context, param_hint="'--summary-model'")
        return Thoughts([], None)
    if kafka:
        message = "on Kafka thinkers are a process of their own: `yggdrasil think --kafka ... --service URL`"
        raise typer.BadParameter(message, context, param_hint="'--thinkers'")
    from yggdrasil.thinking.known import thinkers_of
    from yggdrasil.thinking.summaries import ModelSummary

    return Thoughts(thinkers_of(names), None if summary_model is None else ModelSummary(summary_model))
