"""Which embedder a host uses, as one setting."""

from pathlib import Path
from typing import Final

from .embedder import Embedder, EmbedderMissingError
from .hosted import HostedEmbedder
from .offline import e5_small, minilm
from .supplied import SuppliedVectors

FORMS: Final = (
    "minilm (the default, offline), e5:FOLDER (offline, better; make embeddings fetches it), "
    "supplied:MODEL@DIMENSION (agents send vectors), or PROVIDER:MODEL@DIMENSION of Pydantic AI, "
    "such as openai:text-embedding-3-small@512"
)


def open_embedder(setting: str = "minilm", threads: int = 1) -> Embedder:
    """Return the embedder that ``setting`` names; ``threads`` is for the offline ones. Close it when done.

    Raises EmbedderMissingError, with the forms that a setting can have or with what to install, and WrongVectorError
    for a dimension that vectors cannot have.
    """
    kind, _, rest = setting.partition(":")
    if setting == "minilm":
        return minilm(threads)
    if kind == "e5" and rest:
        return e5_small(Path(rest).expanduser(), threads)
    name, _, digits = rest.rpartition("@")
    if not (name and digits.isascii() and digits.isdigit()):
        raise EmbedderMissingError(f"{setting!r} names no embedder; write {FORMS}")
    dimension = int(digits)
    return SuppliedVectors(name, dimension) if kind == "supplied" else HostedEmbedder(f"{kind}:{name}", dimension)
