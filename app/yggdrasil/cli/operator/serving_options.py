"""The options of ``yggdrasil serve`` that no other command has."""

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path | None,
    typer.Option(
        "--data", "--dir", envvar="YGGDRASIL_DIR", metavar="DIR",
        help="Where log and stores are kept, or with --kafka the stores alone.",
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
        metavar="minilm|none|off|...",
        help="Makes vectors of what is said and asked; otherwise it is as the directory remembers, and off on Kafka. "
        "See docs/embeddings.md.",
    ),
]
FormerEmbedder = Annotated[
    str,
    typer.Option("--former-embedder", metavar="off|...", help="Answers until the new one covers 90 % of a memory."),
]
Http = Annotated[str, typer.Option("--http", metavar="HOST:PORT", help="Where to listen.")]
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
Room = Annotated[
    int | None,
    typer.Option(
        "--room-mib", min=0, help="Take no more while less of the disk is free; without it 256, or 2 % of a small disk."
    ),
]
Drain = Annotated[
    float, typer.Option("--drain-s", min=0, help="When told to stop, go on for so long while /readyz says no.")
]
Grace = Annotated[float, typer.Option("--grace-s", min=0.1, help="Then finish what is under way within so long.")]
