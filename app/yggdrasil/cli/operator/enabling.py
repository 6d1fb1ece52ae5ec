"""``yggdrasil enable-version``: an operator's record in every partition, from which on a version is accepted."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..exits import CommandLineError, ExitCode
from ..options import (
    DIR_DEFAULT,
    TOPIC_DEFAULT,
    Development,
    Dir,
    Json,
    KafkaInstead,
    Topic,
    not_both,
    on_kafka,
)
from ..screen import Screen, clean, counted
from ..stores import log_to_fill

if TYPE_CHECKING:
    from yggdrasil_infra.log import CommandLog

_VERSION_MAX: Final = 2**31 - 1  # as the command has it


def enable_version(
    context: typer.Context,
    schema: Annotated[int, typer.Option("--schema", min=1, max=_VERSION_MAX, help="The version of the language.")],
    rules: Annotated[int, typer.Option("--rules", min=1, max=_VERSION_MAX, help="The version of the laws.")],
    halt_this_release: Annotated[
        bool,
        typer.Option("--halt-this-release", help="Enable what this release does not know; it then folds no further."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    directory: Dir = DIR_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Append a record to every partition, from which on commands of a newer version are accepted there.

    It cannot be undone. Install a release that knows the version everywhere first: one that does not stops at the
    record, partition by partition, until it is replaced. Doing it again changes nothing, so an interrupted run is
    finished by giving the same command again; nor does an older version than the one that holds.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      yggdrasil enable-version --schema 1 --rules 1 --yes
    """
    from yggdrasil_schemas.limits import RULES_VERSION, SCHEMA_VERSION

    there = on_kafka(context, kafka, topic, development=development)
    not_both(context, there)
    screen = Screen(json)
    known = schema <= SCHEMA_VERSION and rules <= RULES_VERSION
    if not known and not halt_this_release:
        message = (
            f"this release knows schema version {SCHEMA_VERSION} and rules version {RULES_VERSION}, and would stop at "
            f"the record in every partition. Install a release that knows {schema} and {rules} first; to enable them "
            "all the same, give --halt-this-release."
        )
        raise CommandLineError(ExitCode.USAGE, "unknown_version", message)
    place = str(there) if there else str(directory)
    if there is None:
        from ..opening import require

        require(directory)
    with log_to_fill(there, directory) as log:
        if not yes:
            _confirm(f"schema version {schema} with rules version {rules}", place, log.partitions, halts=not known)
        records = _append(log, schema, rules)
    document = {
        "schema_version": schema,
        "rules_version": rules,
        "kafka": there.settings.bootstrap_servers if there else None,
        "topic": there.topic if there else None,
        "dir": None if there else str(directory),
        "records": records,
    }
    screen.result(document, lambda: _show(screen, document, place))


def _confirm(version: str, place: str, partitions: int, *, halts: bool) -> None:
    """Ask on the terminal. Raises CommandLineError when there is none, or when the answer is no."""
    if not sys.stdin.isatty():
        message = "there is no terminal to ask on; look at --help, and give --yes"
        raise CommandLineError(ExitCode.USAGE, "not_confirmed", message)
    warning = " This release will then fold no further." if halts else ""
    question = (
        f"Enable {version} in {counted(partitions, 'partition')} of {clean(place)}, for ever?{warning} "
        "Every release that reads this log must know it."
    )
    if not typer.confirm(question, err=True):
        raise CommandLineError(ExitCode.USAGE, "not_confirmed", "nothing was appended")


def _append(log: "CommandLog", schema: int, rules: int) -> list[dict[str, Any]]:
    """Append to the partitions in order; return where the records stand. Raises CommandLineError half way."""
    from yggdrasil_infra.log import LogError
    from yggdrasil_producers.draft import enable_version as draft_of

    records: list[dict[str, Any]] = []
    for partition in range(log.partitions):
        draft = draft_of(partition, "cli", schema, rules)
        try:
            receipt = log.append_to(partition, draft.key, draft.value)
        except LogError as error:
            message = (
                f"{error} The record stands in {len(records)} of {counted(log.partitions, 'partition')}; give the "
                "same command again to finish, which is safe."
            )
            raise CommandLineError(ExitCode.BROKEN, "unacknowledged", message) from error
        records.append({"partition": partition, "offset": receipt.offset, "id": draft.id})
    return records


def _show(screen: Screen, found: dict[str, Any], place: str) -> None:
    rows = [(record["partition"], record["offset"], record["id"]) for record in found["records"]]
    screen.table([">partition", ">offset", "command id"], rows)
    version = f"Schema version {found['schema_version']} with rules version {found['rules_version']}"
    screen.tell(f"{version} holds in {clean(place)} from these records on.")
