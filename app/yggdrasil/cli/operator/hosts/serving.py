"""``yggdrasil serve``: the query service."""

import os
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from ...options import DIR_DEFAULT, TOPIC_DEFAULT, Development, KafkaInstead, OnKafka, Topic, on_kafka
from .bounding import (
    AuditFiles,
    AuditLog,
    Ceilings,
    QuotaBytes,
    QuotaDayBytes,
    QuotaMemories,
    QuotaRate,
    audit_of,
    ceilings_of,
    quota_of,
)
from .holding import embedded, hosted
from .serving_options import (
    Auto,
    Concurrency,
    Daemon,
    Data,
    Drain,
    EmbedderSetting,
    FormerEmbedder,
    Grace,
    Group,
    Http,
    Idle,
    Kept,
    KeyFile,
    Ladder,
    LadderOf,
    LogFile,
    Metrics,
    Partitions,
    Ranker,
    Rate,
    SummaryModel,
    Thinkers,
    Thoughts,
    begin,
    doors,
    options_of,
    ranker_of,
    spacing_of,
    thoughts_of,
)
from .working import (
    Checkpoints,
    LogFormat,
    Operators,
    Recover,
    Room,
    Scrub,
    form_of,
    last_words,
    listening,
    room_of,
    scrub_of,
)

if TYPE_CHECKING:
    from yggdrasil.engines.embedding import Embedding
    from yggdrasil.serving import Health, Host, Service, Serving
    from yggdrasil_infra.http.keys import Keys
    from yggdrasil_infra.http.server import Ending

_HOST_DIR_DEFAULT: Final = Path(".yggdrasil-serve")  # never that of a log, nor of a worker
_ADDRESS: Final = "127.0.0.1:8787"
_OVERDUE_S: Final = 10.0  # beyond the grace, for closing what is open
_OF_TOPIC: Final = ("--partitions", "--operators", "--ladder-of")
_OF_DIRECTORY: Final = ("--daemon", "--idle", "--http off")
_GROUP_DEFAULT: Final = "yggdrasil-query"  # query_host.GROUP_DEFAULT, without its import: the help must be fast


def serve(
    context: typer.Context,
    data: Data = None,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    partitions: Partitions = None,
    group: Group = _GROUP_DEFAULT,
    checkpoints: Checkpoints = None,
    recover: Recover = False,
    embedder: EmbedderSetting = None,
    former_embedder: FormerEmbedder = "off",
    thinkers: Thinkers = None,
    summary_model: SummaryModel = None,
    ranker: Ranker = None,
    ladder: Ladder = None,
    ladder_of: LadderOf = None,
    operators: Operators = None,
    http: Http = _ADDRESS,
    metrics: Metrics = "off",
    keys: KeyFile = None,
    rate: Rate = 500.0,
    concurrency: Concurrency = 64,
    quota_bytes: QuotaBytes = 0,
    quota_day_bytes: QuotaDayBytes = 0,
    quota_memories: QuotaMemories = 0,
    quota_rate: QuotaRate = 0.0,
    ceiling: Ceilings = None,
    audit_log: AuditLog = None,
    audit_files: AuditFiles = 10,
    drain_s: Drain = 0.0,
    grace_s: Grace = 20.0,
    scrub_mib_s: Scrub = 2.0,
    room_mib: Room = None,
    log_format: LogFormat = "text",
    daemon: Daemon = False,
    idle: Idle = None,
    log_file: LogFile = None,
    auto: Auto = False,
) -> None:
    """Serve memories over HTTP, until Ctrl-C or SIGTERM: those of a directory, or of a topic on Kafka.

    Without --keys it listens on loopback only, and whoever is on this machine may do everything; see `yggdrasil key`.

    \b
    Examples:
      curl -s http://127.0.0.1:8787/v1/memories   # from another terminal; the page /docs shows all routes
      yggdrasil serve --data .yggdrasil --thinkers usual --daemon   # in the background, for whatever opens .yggdrasil
      KEY=$(yggdrasil key new --keys keys.json --tenant me --role append --role read)
      yggdrasil serve --data .yggdrasil --keys keys.json --http 0.0.0.0:8787
      yggdrasil serve --kafka broker:9092 --dir /data --partitions 0-7 --keys keys.json --http 0.0.0.0:8787
    """
    form, there = form_of(log_format), on_kafka(context, kafka, topic, development=development)
    _check_place(context, there, (partitions, operators, ladder_of), (daemon, idle, http == "off"))
    if daemon:
        return _start(context, _place(data, there), idle)
    from yggdrasil.serving_parts import Service

    thoughts = thoughts_of(context, thinkers, summary_model, kafka=there is not None)
    scrub, room, own_ranker = scrub_of(scrub_mib_s), room_of(room_mib), ranker_of(ranker)
    kept = Kept(_place(data, there), checkpoints, recover, scrub, room, own_ranker, spacing_of(ladder), ladder_of)
    at, watched = listening(http, "--http", _ADDRESS), listening(metrics, "--metrics", "127.0.0.1:9465")
    ending, ceilings, audit = _ending(drain_s, grace_s), ceilings_of(ceiling), audit_of(audit_log, audit_files, keys)
    own, quota = None if there else kept.place, quota_of(quota_bytes, quota_day_bytes, quota_memories, quota_rate)
    begin(form, log_file)
    with last_words("yggdrasil.serve", form), _keys_of(keys) as known, _given(embedder, former_embedder) as given:
        service = Service(at, known, rate, concurrency, ending, ceilings, quota, kept.tally, audit, own, idle, doors())
        topics = there and hosted(there, kept, given, group, partitions, operators)
        with topics or embedded(kept, embedder, given, patient=bool(log_file), auto=auto) as (host, health, embedding):
            _run(host, service, health, embedding, kept, watched, thoughts)


def _ending(drain_s: float, grace_s: float) -> "Ending":
    from yggdrasil_infra.http.server import Ending

    return Ending(drain_s, grace_s)


def _place(data: Path | None, there: OnKafka | None) -> Path:
    return data or (DIR_DEFAULT if there is None else _HOST_DIR_DEFAULT)


def _given(embedder: str | None, former: str) -> "AbstractContextManager[Embedding | None]":
    from ...opening import embedding_of

    return embedding_of(embedder, former)


def _start(context: typer.Context, directory: Path, idle: float | None) -> None:
    """Start the service of a directory in the background, and say where it answers."""
    from yggdrasil.daemon.starting import IDLE_S, start

    from ...screen import clean

    options = options_of(context, "daemon", "data", "idle", "log_file")
    found, new = start(directory.absolute(), options, IDLE_S if idle is None else idle)
    already = "" if new else " already"
    typer.echo(f"{found.process} serves {clean(directory)}{already}, at {clean(found.path)}")


def _check_place(
    context: typer.Context, there: OnKafka | None, of_topic: Sequence[object], of_directory: Sequence[object]
) -> None:
    """Raise BadParameter for an option that goes with the other sort of place, a topic or a directory."""
    names, wrong = (_OF_TOPIC, of_topic) if there is None else (_OF_DIRECTORY, of_directory)
    said = "it goes with --kafka" if there is None else "it goes without --kafka"
    for name, given in zip(names, wrong, strict=True):
        if given is not None and given is not False:
            raise typer.BadParameter(said, context, param_hint=f"'{name}'")


@contextmanager
def _keys_of(file: Path | None) -> "Generator[Keys | None]":
    """Yield the keys of a file, which SIGHUP has read again; the log has begun, and has what is to be said of them.

    Raises KeysError.
    """
    if file is None:
        yield None
        return
    from yggdrasil_infra.http.keys import Keys

    keys = Keys(file)
    signal.signal(signal.SIGHUP, lambda number, frame: keys.expire())
    yield keys


def _at(serving: "Serving") -> dict[str, str]:
    """Return where it is served, for the log."""
    over = {"socket": str(serving.socket)} if serving.socket is not None else {}
    return over if not serving.url else {"at": serving.url, "docs": f"{serving.url}/docs"} | over


def _run(
    host: "Host",
    service: "Service",
    health: "Health",
    embedding: "Embedding | None",
    kept: Kept,
    watched: tuple[str, int] | None,
    thoughts: Thoughts,
) -> None:
    """Serve ``host``, and its probes and metrics at ``watched`` as well; let those think who are to."""
    import logging

    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.reading import Reading
    from yggdrasil.engines.upkeep.reembedding import Reembedding
    from yggdrasil.engines.upkeep.unused import Unused
    from yggdrasil.engines.upkeep.waiting import Waiting
    from yggdrasil.serving import Serving
    from yggdrasil_infra.embedders import LazyEmbedder
    from yggdrasil_infra.running.garbage import Settling
    from yggdrasil_infra.running.turns import SWITCH_S
    from yggdrasil_infra.signals.probes import Probes

    from ...opening import loaded

    sys.setswitchinterval(SWITCH_S)
    later: Reembedding | None = None
    if embedding is not None and isinstance(host, Reading) and embedding.current.provider != "supplied":
        host.model = embedding.current.model, embedding.current.dimension
        later = Reembedding(host, embedding.current, Waiting(kept.waiting))
    serving = Serving(host, service, health, embedding, later)
    if isinstance(host, Embedded):
        host.served()
    if kept.scrub is not None:
        kept.scrub.metrics.register(serving.metrics.registry)
    if isinstance(host, Reading):
        host.ranker = kept.ranker
        host.view.unsound.metrics.register(serving.metrics.registry)
    logging.getLogger("yggdrasil.serve").info("serving", extra=_at(serving))
    with thoughts.beside(host, embedding, serving.metrics.registry):
        with ExitStack() as stack:
            stack.enter_context(Settling())
            if isinstance(host, Reading):
                stack.enter_context(Unused(host, serving.metrics))
            if watched is not None:
                seen = (serving.live, serving.ready, serving.notes)
                stack.enter_context(Probes(watched, serving.metrics.registry, *seen))
            if embedding is not None and isinstance(embedding.current, LazyEmbedder):
                stack.enter_context(loaded(embedding.current))
            if later is not None:
                stack.enter_context(later)
            serving.run()
        # From here on only stores are closed; what hangs then has lost nothing, and must not keep the process.
        overdue = threading.Timer(_OVERDUE_S, os._exit, (1,))
        overdue.daemon = True
        overdue.start()
