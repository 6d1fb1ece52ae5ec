"""What `yggdrasil serve` lets a tenant take of its host, and where it writes down who did: the options for it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from yggdrasil_infra.http.rates import Quota
    from yggdrasil_infra.signals.audit import Audit

Ceilings = Annotated[
    list[str] | None,
    typer.Option(
        "--ceiling",
        metavar="NAME=NUMBER",
        help="The greatest value that a memory's policy may give a constant here; may be given several times. "
        "nodes_max, edges_max, archived_max and recalls_kept_max have four times their default unless it is given.",
    ),
]
_SIZE: Final = re.compile(r"([0-9]{1,15})([kMGT]?)")
_UNITS: Final = {"": 1, "k": 1_000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000}


def _size_of(text: str | int) -> int:
    found = _SIZE.fullmatch(str(text))
    if found is None:
        raise typer.BadParameter("give a number of bytes, such as 500M or 10G")
    return int(found[1]) * _UNITS[found[2]]


QuotaBytes = Annotated[
    int,
    typer.Option(
        "--quota-bytes", metavar="BYTES", parser=_size_of,
        help="What a tenant may have in the log, such as 10G; 0: no limit.",
    ),
]  # fmt: skip
QuotaDayBytes = Annotated[
    int,
    typer.Option(
        "--quota-day-bytes", metavar="BYTES", parser=_size_of,
        help="What a tenant may append on a day (UTC), such as 500M; 0: no limit.",
    ),
]  # fmt: skip
QuotaMemories = Annotated[
    int, typer.Option("--quota-memories", min=0, help="How many memories a tenant may have; 0: no limit.")
]
QuotaRate = Annotated[
    float,
    typer.Option(
        "--quota-rate", min=0, help="Requests per second of a tenant, a batch being its commands; 0: no limit."
    ),
]

AuditLog = Annotated[
    Path | None,
    typer.Option(
        "--audit-log", metavar="FILE",
        help="Where to write down who did what; otherwise, with --keys, it is in the log, as yggdrasil.audit.",
    ),
]  # fmt: skip
AuditFiles = Annotated[
    int,
    typer.Option("--audit-files", min=1, max=10_000, help="How many files of 64 MiB are kept: FILE, FILE.1, ..."),
]


def audit_of(file: Path | None, files: int, keys: Path | None) -> "Audit | None":
    """Return what writes down who did what; None where there is nobody to tell apart. Raises AuditError."""
    from yggdrasil_infra.signals.audit import Audit

    return Audit(file, files) if file is not None or keys is not None else None


def quota_of(total_bytes: int, day_bytes: int, memories: int, rate: float) -> "Quota":
    """Return what a tenant may take; 0 is no limit."""
    from yggdrasil_infra.http.rates import Quota

    return Quota(total_bytes, day_bytes, memories, rate)


def ceilings_of(given: Sequence[str] | None) -> dict[str, int]:
    """Return the greatest values of constants of the policy, by name. Raises BadParameter."""
    from yggdrasil_producers.gateway.routes import CEILINGS
    from yggdrasil_schemas.policy import CONSTANTS, INTEGERS

    ceilings = dict(CEILINGS)
    for one in given or ():
        name, _, number = one.partition("=")
        if name not in CONSTANTS or name not in INTEGERS or not number.isdecimal():
            raise typer.BadParameter(
                f"{one}: give a count of the policy and its greatest value, such as nodes_max=100000",
                param_hint="'--ceiling'",
            )
        ceilings[name] = int(number)
    return ceilings
