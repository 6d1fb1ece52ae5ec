"""``yggdrasil stats``: what is there, in numbers."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..options import DIR_DEFAULT, Dir, Json
from ..screen import Screen, clean

if TYPE_CHECKING:
    from yggdrasil.engines.upkeep.stats import Stats
    from yggdrasil_projections.retrieval.reads.operations.overview import Overview

_DETAILED_MAX: Final = 10  # memories that are shown in detail unless one is named
_TELLING_COMMANDS: Final = 1_000  # below, the fixed size of table files would be most of what a command seems to cost


def stats(
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="TENANT/AGENT", help="Only this memory; without it, all.")
    ] = None,
    directory: Dir = DIR_DEFAULT,
    json: Json = False,
) -> None:
    """Show what is there: memories, nodes and edges by kind, bounds, refusals, and what it costs on the disk.

    Among the nodes, archived ones have faded and are no longer found, conceptual ones are features that have become
    concepts, pinned and catastrophic ones are protected. The directory of a worker or of a service may be in use
    meanwhile; what it has folded is shown, as far as it has.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      yggdrasil stats
      yggdrasil stats --memory me/agent --json
    """
    from yggdrasil.engines.upkeep.stats import stats_of_stores

    from ..opening import require

    screen = Screen(json)
    if (directory / "graph").is_dir() and not (directory / "log").is_dir():
        folded = stats_of_stores(directory, memory)
        screen.result(folded, lambda: _show(screen, folded, "Folded from the topic"))
        return
    require(directory)
    found = _found(screen, directory, memory)
    screen.result(found, lambda: _show(screen, found, "Log"))


def _found(screen: Screen, directory: Path, memory: str | None) -> "Stats":
    """Return what is in a directory of a log, beside its service or by opening it. Raises LogInUseError."""
    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.own_log import briefly
    from yggdrasil.engines.upkeep.stats import stats
    from yggdrasil_infra.log import LogInUseError

    from ..opening import catch_up

    if (beside := _beside(directory, memory)) is not None:
        return beside
    try:
        with briefly(), Embedded(directory) as engine:
            catch_up(screen, engine)
            return stats(engine, memory)
    except LogInUseError:  # whoever had it may serve it by now
        if (beside := _beside(directory, memory)) is None:
            raise
        return beside


def _beside(directory: Path, memory: str | None) -> "Stats | None":
    """Return what the files of a directory say that a service has open; None where none has."""
    from yggdrasil.engines.upkeep.stats import stats_of_stores
    from yggdrasil_infra.http.wire.socket_file import find

    if find(directory) is None:
        return None
    # What its service has in memory yet is in no table file, so that they say nothing of what a command takes.
    return replace(stats_of_stores(directory, memory), identity_bytes_per_command=None)


def _show(screen: Screen, found: "Stats", log: str) -> None:
    rows = [
        (o.memory, f"{o.seq:,}", f"{o.tick:,}", f"{sum(o.nodes.values()):,}", f"{sum(o.edges.values()):,}")
        for o in found.memories
    ]
    screen.table(["memory", ">commands (seq)", ">events (tick)", ">nodes", ">edges"], rows)
    for one in found.memories[:_DETAILED_MAX]:
        _show_memory(screen, one)
    if len(found.memories) > _DETAILED_MAX:
        screen.tell(f"({len(found.memories) - _DETAILED_MAX} more: --memory shows one of them)", "dim")
    screen.tell()
    screen.tell(f"{log}: records by partition", "bold")
    screen.tell("  " + ", ".join(f"{p}: {count:,}" for p, count in enumerate(found.records_by_partition)))
    screen.tell("Refused, by reason", "bold")
    screen.tell("  " + (", ".join(f"{reason} {count:,}" for reason, count in found.refused.items()) or "nothing"))
    screen.tell("Store: bytes by column family", "bold")
    screen.tell("  " + ", ".join(f"{family} {size:,}" for family, size in found.bytes_by_family.items() if size))
    commands = sum(one.seq for one in found.memories)
    if found.identity_bytes_per_command is not None and commands >= _TELLING_COMMANDS:
        screen.tell(f"  each command's identity takes {found.identity_bytes_per_command:g} bytes")


def _show_memory(screen: Screen, one: "Overview") -> None:
    screen.tell()
    screen.tell(clean(one.memory), "bold")
    for what, counts in (("nodes", one.nodes), ("edges", one.edges)):
        screen.tell(f"  {what}: " + (", ".join(f"{kind} {count:,}" for kind, count in counts.items()) or "none"))
    if one.flags:
        screen.tell("  among the nodes: " + ", ".join(f"{flag} {count:,}" for flag, count in one.flags.items()))
    bounds = (
        f"{name.replace('_', ' ')} {size.used:,} of {size.most:,} ({size.used / max(1, size.most):.1%})"
        for name, size in one.bounds.items()
    )
    screen.tell("  bounds: " + ", ".join(bounds))
    if one.thinkers:
        told = (f"{clean(name)} {seq:,}" for name, seq in one.thinkers.items())
        screen.tell("  thinkers have decided up to seq: " + ", ".join(told))
