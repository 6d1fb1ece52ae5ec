"""Which embedder a host uses, as one setting."""

from typing import Final

from ..paths import whole
from .embedder import Embedder, EmbedderMissingError
from .hosted import HostedEmbedder
from .offline import (
    e5_small,
    e5_small_lazily,
    minilm,
    minilm_lazily,
    multilingual,
    multilingual_lazily,
    pair,
    pair_lazily,
)
from .supplied import SuppliedVectors

FORMS: Final = (
    "pair (the default, offline, sixteen languages), minilm (offline, English), "
    "e5:FOLDER (offline, English; make embeddings fetches it), "
    "multilingual (offline, a hundred languages; make multilingual fetches it), "
    "supplied:MODEL@DIMENSION (agents send vectors), or PROVIDER:MODEL@DIMENSION of Pydantic AI, "
    "such as openai:text-embedding-3-small@512"
)


def open_embedder(setting: str = "pair", threads: int = 1, *, lazily: bool = False) -> Embedder:
    """Return the embedder that ``setting`` names; ``threads`` is for the offline ones. Close it when done.

    With ``lazily`` an offline model is loaded when it is first asked; that it is there is seen at once all the same.

    Raises EmbedderMissingError, with the forms that a setting can have or with what to install, and WrongVectorError
    for a dimension that vectors cannot have.
    """
    kind, _, rest = setting.partition(":")
    if setting == "pair":
        return pair_lazily(threads) if lazily else pair(threads)
    if setting == "minilm":
        return minilm_lazily(threads) if lazily else minilm(threads)
    if kind == "e5" and rest:
        folder = whole(rest)
        return e5_small_lazily(folder, threads) if lazily else e5_small(folder, threads)
    if setting == "multilingual" or (kind == "multilingual" and rest):
        place = whole(rest) if rest else None
        return multilingual_lazily(place, threads) if lazily else multilingual(place, threads)
    name, _, digits = rest.rpartition("@")
    if not (name and digits.isascii() and digits.isdigit()):
        raise EmbedderMissingError(f"{setting!r} names no embedder; write {FORMS}")
    dimension = int(digits)
    return SuppliedVectors(name, dimension) if kind == "supplied" else HostedEmbedder(f"{kind}:{name}", dimension)
