"""``yggdrasil prove``: replay the log to what a recall had seen, ask the same again, and compare."""

import random
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..exits import CommandLineError, ExitCode
from ..options import (
    DIR_DEFAULT,
    MEMORY_DEFAULT,
    TOPIC_DEFAULT,
    Development,
    Dir,
    Json,
    KafkaInstead,
    MemoryId,
    Topic,
    not_both,
    on_kafka,
)
from ..screen import Screen, clean, counted
from .replaying import log_of, workplace

if TYPE_CHECKING:
    from yggdrasil_infra.log import LogReader
    from yggdrasil_processors.auditing.proof import Proof, Recalled

_SHOWN_MAX: Final = 10  # of those that fail


def prove(
    context: typer.Context,
    recall_id: Annotated[
        str | None, typer.Argument(metavar="[RECALL_ID]", help="The recall, as an answer named it; or see --all.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Prove every recall of the memory.")] = False,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, metavar="N", help="Prove N of them, drawn at random.")
    ] = None,
    rankers: Annotated[
        list[str] | None,
        typer.Option(
            "--ranker", metavar="NAME/VERSION", help="A ranker of somebody else's that recalls name; may be repeated."
        ),
    ] = None,
    directory: Dir = DIR_DEFAULT,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Prove that an answer came from the memory as it was then: same ranker, same references, same order.

    The log is read from its first record into an empty store up to the seq that the recall had seen; then the same
    question is asked of the same ranker version. Nothing is appended, and no store that stands is looked at, so this
    may run anywhere, beside a process that writes. A recall that fails ends with exit code 6, and is told apart. What a
    ranker of somebody else's has ordered is proved where that is installed and named, for a log has nothing imported.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      RECALL=$(yggdrasil context "Should we deploy on Friday?" --json | jq -r .recall_id)
      yggdrasil prove $RECALL
      yggdrasil prove --all
    """
    if (recall_id is not None) + every + (sample is not None) != 1:
        raise typer.BadParameter("name one recall, or ask for --all or --sample", context, param_hint="'RECALL_ID'")
    there = on_kafka(context, kafka, topic, development=development)
    not_both(context, there)
    screen = Screen(json)
    from yggdrasil_projections.retrieval.ranking.own.order import own_ranker

    own = [own_ranker(each) for each in rankers or ()]
    with log_of(there, directory) as log, workplace(None) as path:
        recalls = _chosen(screen, log, memory, recall_id, sample)
        total = log.end_offset(recalls[0].partition) if recalls else 0
        from yggdrasil_processors.auditing.proof import prove as proofs_of

        with (
            screen.progress("Replaying", total) as advance,
            closing(proofs_of(log, path, recalls, advance, own)) as found,
        ):
            proofs = list(found)
    failed = [one for one in proofs if not one.holds]
    document: dict[str, Any] = {
        "memory": memory,
        "holds": not failed,
        "proved": len(proofs) - len(failed),
        "proofs": [_told(one) for one in proofs],
    }
    screen.result(document, lambda: _show(screen, proofs, failed))
    if failed:
        raise typer.Exit(ExitCode.DIFFERENT)


def _chosen(
    screen: Screen, log: "LogReader", memory: str, recall_id: str | None, sample: int | None
) -> "Sequence[Recalled]":
    """Return the recalls that were asked for. Raises CommandLineError when there are none."""
    from yggdrasil_processors.auditing.proof import recalls_in
    from yggdrasil_schemas.partitions import partition_for

    partition = partition_for(memory.encode(), log.partitions)
    with screen.progress("Looking for recalls", log.end_offset(partition) - log.start_offset(partition)) as advance:
        found = list(recalls_in(log, memory, advance))
    if recall_id is not None:
        found = [one for one in found if one.id == recall_id]
    if not found:
        what = f"no recall {clean(recall_id)}" if recall_id else "no recall"
        message = f"the log holds {what} of {clean(memory)} that could be asked again; --memory names another memory"
        raise CommandLineError(ExitCode.NOT_FOUND, "unknown_recall", message)
    return found if sample is None else random.sample(found, min(sample, len(found)))


def _told(proof: "Proof") -> dict[str, Any]:
    body = proof.recall.command.body
    return {
        "recall_id": proof.recall.id,
        "holds": proof.holds,
        "reason": proof.reason,
        "purpose": body.purpose,
        "as_of": body.as_of,
        "partition": proof.recall.partition,
        "offset": proof.recall.offset,
        "ranker": body.ranker,
        "tokenizer": body.tokenizer,
        "index": body.index,
        "returned": body.returned,
        "returned_again": proof.returned_again,
        "without": list(proof.without),
    }


def _show(screen: Screen, proofs: "list[Proof]", failed: "list[Proof]") -> None:
    for one in failed[:_SHOWN_MAX]:
        screen.tell(f"NOT PROVED: {one.recall.id}: {clean(one.reason)}", "bold red")
    if len(failed) > _SHOWN_MAX:
        screen.tell(f"... and {len(failed) - _SHOWN_MAX:,} more; --json tells all")
    if without := [one for one in proofs if one.holds and one.without]:
        screen.tell(
            f"{counted(len(without), 'recall')} left out what its store held otherwise than it was folded, and was "
            f"asked again without that: seq {', '.join(sorted({str(seq) for one in without for seq in one.without}))}."
        )
    if len(proofs) == 1 and not failed:
        body = proofs[0].recall.command.body
        count = counted(len(body.returned), "reference")
        screen.tell(
            f"Proved: asked again at seq {body.as_of}, {body.ranker} returns the same {count} in the same order.",
            "bold green",
        )
    elif not failed:
        screen.tell(
            f"Proved: {counted(len(proofs), 'recall')}, each with the same references in the same order.", "bold green"
        )
    else:
        screen.tell(f"{len(proofs) - len(failed):,} of {counted(len(proofs), 'recall')} proved.")
