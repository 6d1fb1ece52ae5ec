"""``yggdrasil think``: let thinkers decide, once over a directory, or for good beside a topic on Kafka."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from ...exits import CommandLineError, ExitCode
from ...options import DIR_DEFAULT, TOPIC_DEFAULT, Development, Dir, Json, KafkaInstead, Topic, on_kafka, typed
from ...screen import clean
from ...targets import check_service
from .working import Grace, Http, LogFormat, SessionTimeout, form_of, last_words, listening

if TYPE_CHECKING:
    from yggdrasil.thinking.on_kafka import Told
    from yggdrasil.thinking.once import ThinkerRun
    from yggdrasil_processors.thinkers.frame.shadow import Difference
    from yggdrasil_processors.thinkers.thinker import Thinker

    from ...screen import Screen

_OWN_DEFAULT: Final = Path(".yggdrasil-think")  # never that of a log
_ADDRESS: Final = "127.0.0.1:9466"
_GROUP_DEFAULT: Final = "yggdrasil-thinkers"  # faust_worker.GROUP_DEFAULT, without its import
_SOURCE_DEFAULT: Final = "thinkers"  # thinking.memories.SOURCE, as above

Names = Annotated[
    str,
    typer.Option(
        "--thinkers",
        metavar="usual|digestion|all|NAME,...",
        help="Which: chunker, concepts, narrator, reflector, reducer, resolver, cartographer, sleeper, trainer, or one "
        "that is installed here, such as acme-watch/1.",
    ),
]
Rest = Annotated[bool, typer.Option("--rest", help="Tell them afterwards that nothing more happens for a while.")]
Shadow = Annotated[
    Path | None,
    typer.Option("--shadow", metavar="FILE", help="Append nothing: write to FILE what they would decide."),
]
SummaryModel = Annotated[
    str | None,
    typer.Option("--summary-model", metavar="NAME", help="Says what an episode was about: openai:gpt-5-mini, ..."),
]
ExtractionModel = Annotated[
    str | None,
    typer.Option("--extraction-model", metavar="NAME", help="Tells the reducer what events say: openai:gpt-5-mini."),
]
Service = Annotated[
    str | None,
    typer.Option("--service", envvar="YGGDRASIL_URL", metavar="URL", help="With --kafka: what is read, and told."),
]
Source = Annotated[
    str, typer.Option("--source", metavar="NAME", help="With --kafka: the name of the key in YGGDRASIL_KEY.")
]
Group = Annotated[str, typer.Option("--group", help="With --kafka: the consumer group that shares the partitions.")]
Idle = Annotated[
    float, typer.Option("--idle-s", min=1.0, help="With --kafka: after so long without anything new a memory rests.")
]


def think(
    context: typer.Context,
    directory: Dir = DIR_DEFAULT,
    names: Names = "usual",
    rest: Rest = False,
    shadow: Shadow = None,
    summary_model: SummaryModel = None,
    extraction_model: ExtractionModel = None,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    service: Service = None,
    source: Source = _SOURCE_DEFAULT,
    group: Group = _GROUP_DEFAULT,
    idle_s: Idle = 300.0,
    http: Http = _ADDRESS,
    session_timeout_s: SessionTimeout = 10.0,
    grace_s: Grace = 20.0,
    log_format: LogFormat = "text",
    json: Json = False,
) -> None:
    """Let thinkers look at what happened, and append what they decide: episodes, concepts, reflections, sleep.

    Over a directory they read all that is new, and the command ends. With --kafka they are woken by the topic until
    Ctrl-C or SIGTERM: they read from a query service, and are told nothing that its key does not open (roles read and
    operate). What they have read and decided is kept in DIR; without it they read again, and decide nothing twice. The
    usual ones are chunker, concepts, reflector and sleeper, and those of digestion digest sessions that have ended; see
    docs/thinkers.md for what reducer and sleeper do.

    \b
    Examples:
      yggdrasil think --rest
      yggdrasil think --thinkers chunker --shadow would.jsonl
      # on Kafka, beside `yggdrasil serve --kafka ... --keys keys.json`
      export YGGDRASIL_KEY=$(yggdrasil key new --keys keys.json --tenant me --name thinkers --role read --role operate)
      yggdrasil think --kafka 127.0.0.1:19092 --development --service http://127.0.0.1:8787 --dir thoughts
    """
    from yggdrasil.thinking.known import thinkers_of
    from yggdrasil.thinking.on_kafka import Told

    from ...screen import Screen

    there, thinkers = on_kafka(context, kafka, topic, development=development), thinkers_of(names)
    if there is None:
        if service is not None and typed(context, "service"):
            raise typer.BadParameter("it goes with --kafka", context, param_hint="'--service'")
        models = {"summary_model": summary_model, "extraction_model": extraction_model}
        _over(Screen(json), directory, names, len(thinkers), {"rest": rest, "shadow": shadow, **models})
        return
    _beside(
        Told(
            there.settings,
            there.topic,
            there.profile,
            directory if typed(context, "directory") else _OWN_DEFAULT,
            _checked(context, service),
            os.environ.get("YGGDRASIL_KEY") or None,
            source,
            group,
            *(idle_s, grace_s, session_timeout_s),
            shadow,
            summary_model,
            extraction_model,
        ),
        thinkers,
        listening(http, "--http", _ADDRESS),
        form_of(log_format),
    )


def _checked(context: typer.Context, service: str | None) -> str:
    """Return the URL of the service. Raises BadParameter, before anybody is asked."""
    if service is None:
        raise typer.BadParameter("name the service that is read and told: --service URL", context)
    check_service(context, service)
    return service


def _over(screen: "Screen", directory: Path, names: str, thinkers: int, asked: "dict[str, Any]") -> None:
    """Let thinkers read all that is new in a directory, and show what came of it."""
    from yggdrasil.store import Store
    from yggdrasil_processors.thinkers.frame.shadow import difference
    from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview

    from ...opening import catch_up, heard, require, usable

    require(directory)
    usable(directory)
    with heard(screen), Store.open(directory) as store:
        catch_up(screen, store.engine)
        seqs = sum(store.engine.ask(memory, AskOverview()).as_of for memory in store.memories())
        with screen.progress("Thinking", seqs * thinkers) as advance:
            done = store.think(names, **asked, progress=advance)
    shadow: Path | None = asked["shadow"]
    compared = [] if shadow is None or not shadow.exists() else difference(shadow)
    screen.result(
        {"thinkers": done, "difference": compared, "report": None if shadow is None else str(shadow)},
        lambda: _show(screen, done, compared),
    )
    if failed := [each.stopped for each in done if each.stopped]:
        raise CommandLineError(ExitCode.BROKEN, "thinker_stopped", clean("; ".join(failed)))


def _show(screen: "Screen", done: "list[ThinkerRun]", compared: "list[Difference]") -> None:
    screen.table(
        ("thinker", "version", "read", "decided", ""),
        [(each.thinker, each.version, each.read, each.decided, each.stopped or "") for each in done],
    )
    if compared:
        screen.tell()
        screen.table(
            ("decision", "both", "only the shadow", "only what was decided"),
            [(each.type, each.both, each.only_shadow, each.only_made) for each in compared],
        )


def _beside(
    told: "Told", thinkers: "list[Thinker[Any]]", address: tuple[str, int] | None, form: Literal["json", "text"]
) -> None:
    """Think beside a topic until a signal stops it, with probes at ``address``."""
    from yggdrasil.thinking.on_kafka import OnTopic
    from yggdrasil_infra.signals.logs import configure
    from yggdrasil_infra.signals.metrics import ThinkerMetrics
    from yggdrasil_infra.signals.probes import Probes

    from ...opening import usable

    usable(told.directory)
    configure(form)
    metrics = ThinkerMetrics()
    with last_words("yggdrasil.thinkers", form), ExitStack() as stack:
        it = stack.enter_context(OnTopic(told, thinkers, metrics))
        if address is not None:
            stack.enter_context(Probes(address, metrics.registry, it.live, it.ready))
        it.run()
