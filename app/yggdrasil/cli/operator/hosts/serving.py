"""``yggdrasil serve``: the query service."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

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
from .serving_options import (
    Concurrency,
    Data,
    Drain,
    EmbedderSetting,
    FormerEmbedder,
    Grace,
    Group,
    Http,
    Kept,
    KeyFile,
    Metrics,
    Partitions,
    Rate,
    SummaryModel,
    Thinkers,
    Thoughts,
    thoughts_of,
)
from .working import (
    Checkpoints,
    LogFormat,
    Operators,
    Recover,
    Room,
    Scrub,
    address_of,
    form_of,
    last_words,
    operators_of,
    partitions_of,
    room_of,
    scrub_of,
)

if TYPE_CHECKING:
    from yggdrasil.engines.embedding import Embedding
    from yggdrasil.serving import Health, Host, Service
    from yggdrasil_infra.http.keys import Keys
    from yggdrasil_processors.scrubbing import ScrubSettings

_HOST_DIR_DEFAULT: Final = Path(".yggdrasil-serve")  # never that of a log, nor of a worker
_OVERDUE_S: Final = 10.0  # beyond the grace, for closing what is open
_GROUP_DEFAULT: Final = "yggdrasil-query"  # query_host.GROUP_DEFAULT, without its import: the help must be fast


def serve(  # noqa: PLR0913, PLR0917 - typer declares a command's options as its arguments
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
    operators: Operators = None,
    http: Http = "127.0.0.1:8787",
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
) -> None:
    """Serve memories over HTTP, until Ctrl-C or SIGTERM: those of a directory, or of a topic on Kafka.

    Without --keys it listens on loopback only, and whoever is on this machine may do everything; see `yggdrasil key`.

    \b
    Try it from another terminal, or on the page /docs, which shows all routes:
      curl -s http://127.0.0.1:8787/v1/memories/me/agent/commands -H 'Content-Type: application/json' \\
        -d '{"type": "record_event", "body": {"features": ["deploy"]}, "content": {"text": "Deployed on a Friday"}}'
      curl -s http://127.0.0.1:8787/v1/memories/me/agent/context -H 'Content-Type: application/json' \\
        -d '{"query": "Should we deploy on Friday?"}'

    \b
    Examples:
      yggdrasil serve --data .yggdrasil --thinkers usual
      KEY=$(yggdrasil key new --keys keys.json --tenant me --role append --role read)
      yggdrasil serve --data .yggdrasil --keys keys.json --http 0.0.0.0:8787
      yggdrasil serve --kafka broker:9092 --dir /data --partitions 0-7 --keys keys.json --http 0.0.0.0:8787
    """
    from yggdrasil.serving import Service
    from yggdrasil_infra.http.server import Ending

    form, there = form_of(log_format), on_kafka(context, kafka, topic, development=development)
    _check_kafka(context, there, partitions=partitions, operators=operators)
    thoughts = thoughts_of(context, thinkers, summary_model, kafka=there is not None)
    kept = Kept(_place(data, there), checkpoints, recover, scrub_of(scrub_mib_s), room_of(room_mib))
    known, watched = _keys_of(keys), None if metrics == "off" else address_of(metrics)
    ending, ceilings, audit = Ending(drain_s, grace_s), ceilings_of(ceiling), audit_of(audit_log, audit_files, keys)
    quota = quota_of(quota_bytes, quota_day_bytes, quota_memories, quota_rate)
    service = Service(address_of(http), known, rate, concurrency, ending, ceilings, quota, kept.tally, audit)
    _begin(form)
    with last_words("yggdrasil.serve", form), ExitStack() as stack:
        embedding = stack.enter_context(_given(embedder, former_embedder))
        if there is None:
            host, health, embedding = stack.enter_context(_embedded(kept, embedder, embedding))
        else:
            host, health = stack.enter_context(_hosted(there, kept, group, partitions, operators))
        _run(host, service, health, embedding, kept.scrub, watched, thoughts)


def _place(data: Path | None, there: OnKafka | None) -> Path:
    return data or (DIR_DEFAULT if there is None else _HOST_DIR_DEFAULT)


def _given(embedder: str | None, former: str) -> "AbstractContextManager[Embedding | None]":
    from ...opening import embedding_of

    return embedding_of(embedder, former)


def _begin(form: Literal["json", "text"]) -> None:
    """Set up the log, and let the process open as many files as it may."""
    from yggdrasil_infra.http.wire.listener import raise_descriptors
    from yggdrasil_infra.signals.logs import configure

    configure(form)
    raise_descriptors()


def _check_kafka(context: typer.Context, there: OnKafka | None, **options: str | None) -> None:
    """Raise BadParameter for one of ``options`` without a topic."""
    for name, given in options.items():
        if there is None and given is not None:
            raise typer.BadParameter("it goes with --kafka", context, param_hint=f"'--{name}'")


def _keys_of(file: Path | None) -> "Keys | None":
    """Return the keys of a file, which SIGHUP has read again. Raises KeysError."""
    if file is None:
        return None
    from yggdrasil_infra.http.keys import Keys

    keys = Keys(file)
    signal.signal(signal.SIGHUP, lambda number, frame: keys.expire())
    return keys


@contextmanager
def _embedded(
    kept: Kept, setting: str | None, given: "Embedding | None"
) -> "Generator[tuple[Host, Health, Embedding | None]]":
    import logging

    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.upkeep.watched import Watched
    from yggdrasil.opening import vectors_of
    from yggdrasil.serving import Health
    from yggdrasil_processors.scrubbing import Scrub

    from ...opening import catch_up, usable
    from ...screen import Screen

    usable(kept.place, "--data")
    with (
        _ended_by_failure() as fail,
        Embedded(kept.place, sliced=True, recover=kept.recover, room_bytes=kept.room_bytes) as engine,
    ):
        vectors = vectors_of(engine, setting, given)
        said = vectors.said or (vectors.advice.give() if vectors.advice is not None else None)
        if said is not None:
            logging.getLogger("yggdrasil.serve").warning("%s", said)
        catch_up(Screen(json=True), engine)
        with (
            closing(vectors.embedding) if vectors.embedding is not None else nullcontext(),
            Watched(engine, fail) as watched,
            nullcontext() if kept.scrub is None else Scrub(kept.place, engine.hosting, kept.scrub),
        ):
            health = Health(watched.failed, watched.ready, room_bytes=engine.room.spare_bytes)
            yield engine, health, vectors.embedding


@contextmanager
def _ended_by_failure() -> "Generator[Callable[[Exception], None]]":
    """Yield what a host calls, on any thread, when it has failed: the process drains, and ends with that error."""
    failed: list[Exception] = []

    def fail(error: Exception) -> None:
        failed.append(error)
        os.kill(os.getpid(), signal.SIGTERM)

    yield fail
    if failed:
        raise failed[0]


@contextmanager
def _hosted(
    there: OnKafka, kept: Kept, group: str, partitions: str | None, operators: str | None
) -> "Generator[tuple[Host, Health]]":
    from yggdrasil.engines.query import QueryEngine
    from yggdrasil.serving import Health
    from yggdrasil_processors.query_host import HostSettings, QueryHost

    from ...opening import usable

    usable(kept.place)
    settings = HostSettings(
        there.settings,
        kept.place,
        there.topic,
        there.profile,
        group,
        None if partitions is None else partitions_of(partitions),
        kept.checkpoints,
        kept.recover,
        None if operators is None else operators_of(operators),
        scrub=kept.scrub,
        room_bytes=kept.room_bytes,
    )
    with _ended_by_failure() as fail:
        host = QueryHost(settings, fail)
        with QueryEngine(host) as engine:
            yield engine, Health(host.live, host.ready, host.stale, host.resting.room.spare_bytes)


def _run(
    host: "Host",
    service: "Service",
    health: "Health",
    embedding: "Embedding | None",
    scrub: "ScrubSettings | None",
    watched: tuple[str, int] | None,
    thoughts: Thoughts,
) -> None:
    """Serve ``host``, and its probes and metrics at ``watched`` as well; let those think who are to."""
    import logging

    from yggdrasil.engines.reading import Reading
    from yggdrasil.engines.upkeep.reembedding import Reembedding
    from yggdrasil.serving import Serving
    from yggdrasil_infra.embedders import LazyEmbedder
    from yggdrasil_infra.garbage import Settling
    from yggdrasil_infra.signals.probes import Probes
    from yggdrasil_infra.turns import SWITCH_S

    from ...opening import loaded

    sys.setswitchinterval(SWITCH_S)
    serving = Serving(host, service, health, embedding)
    if scrub is not None:
        scrub.metrics.register(serving.metrics.registry)
    logging.getLogger("yggdrasil.serve").info("serving", extra={"at": serving.url, "docs": f"{serving.url}/docs"})
    with thoughts.beside(host, embedding, serving.metrics.registry):
        with ExitStack() as stack:
            stack.enter_context(Settling())
            if watched is not None:
                stack.enter_context(Probes(watched, serving.metrics.registry, serving.live, serving.ready))
            if embedding is not None and isinstance(embedding.current, LazyEmbedder):
                stack.enter_context(loaded(embedding.current))
            if embedding is not None and isinstance(host, Reading) and embedding.current.provider != "supplied":
                stack.enter_context(Reembedding(host, embedding.current))
            serving.run()
        # From here on only stores are closed; what hangs then has lost nothing, and must not keep the process.
        overdue = threading.Timer(_OVERDUE_S, os._exit, (1,))
        overdue.daemon = True
        overdue.start()
