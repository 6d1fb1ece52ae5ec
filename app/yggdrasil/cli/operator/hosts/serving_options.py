"""The options of ``yggdrasil serve`` that no other command has, and what those of its stores come to."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from yggdrasil_processors.scrubbing import ScrubSettings

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
Grace = Annotated[float, typer.Option("--grace-s", min=0.1, help="Then finish what is under way within so long.")]


@dataclass(frozen=True, slots=True)
class Kept:
    """Where and how a host keeps its stores."""

    place: Path
    checkpoints: Path | None
    recover: bool
    scrub: "ScrubSettings | None"
    room_bytes: int | None

    @property
    def tally(self) -> Path:
        """The file that keeps what tenants have taken."""
        from yggdrasil.engines.upkeep.tally import FILE

        return self.place / FILE
