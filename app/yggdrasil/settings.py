"""How a directory is opened for memories, and what it remembers of how it is to be used: their embedder."""

import os
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson
from pydantic import TypeAdapter, ValidationError

from yggdrasil_schemas.errors import YggdrasilError

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import Embedder

    from .engines.embedded import Embedded
    from .engines.embedding import Embedding

    EmbedderGiven = Embedder | Literal["off"] | None
    """What a directory is opened with: an embedder, deliberately none, or none that was thought of."""

FILE: Final = "store.json"
FORMAT: Final = 1


class EmbedderWarning(UserWarning):
    """A directory is opened without the embedder that it was used with, or with another one."""


class StoreSettingsError(YggdrasilError):
    """The file in which a directory remembers how it is to be used cannot be read, or is of a newer release."""


@dataclass(frozen=True, slots=True)
class EmbedderUsed:
    """An embedder by its name: who runs the model, the model that its vectors are sealed with, their dimension."""

    provider: str
    model: str
    dimension: int

    @classmethod
    def of(cls, embedder: "Embedder") -> "EmbedderUsed":
        """Return the name of ``embedder``."""
        return cls(embedder.provider, embedder.model, embedder.dimension)

    @property
    def setting(self) -> str:
        """What `--embedder` takes for it, as far as that can be told from its name; see ``open_embedder``."""
        from yggdrasil_infra.embedders.offline import E5_SMALL, MINILM  # noqa: PLC0415 - it takes its time to import

        named = {MINILM.model: "minilm", E5_SMALL.model: "e5:FOLDER"}
        return named.get(self.model) or (
            f"supplied:{self.model}@{self.dimension}" if self.provider == "supplied" else self.model
        )


@dataclass(frozen=True, slots=True)
class _File:
    format: int
    embedder: EmbedderUsed


def remembered(directory: Path) -> EmbedderUsed | None:
    """Return the embedder that ``directory`` was last used with; None when there never was one.

    Raises StoreSettingsError.
    """
    path = directory / FILE
    try:
        found: Any = orjson.loads(path.read_bytes())
        newer: bool = isinstance(found, dict) and found.get("format") not in {None, FORMAT}  # pyright: ignore
        if newer:
            raise StoreSettingsError(f"{path} was written by a newer release; use that one")
        return TypeAdapter(_File).validate_python(found).embedder
    except FileNotFoundError:
        return None
    except (orjson.JSONDecodeError, ValidationError) as error:
        raise StoreSettingsError(
            f"{path} cannot be read. It only says which embedder the memories there are used with: delete it, and open "
            "the directory with that embedder"
        ) from error


def opened(
    path: str | Path, partitions: int | None, embedder: "EmbedderGiven", former: "Embedder | None"
) -> "tuple[Embedded, Embedding | None]":
    """Open a directory for a method of a facade, whose caller is warned; see ``Store.open``."""
    from .engines.embedded import Embedded  # noqa: PLC0415 - most of all that there is to import

    embedding = None
    if embedder is not None and embedder != "off":
        from .engines.embedding import Embedding  # noqa: PLC0415 - the arrays of an index take their time to import

        embedding = Embedding(embedder, former)
    engine = Embedded(Path(path), partitions=partitions)
    try:
        said = agree(engine.path, embedder, former)
        if said is not None:
            warnings.warn(said, EmbedderWarning, stacklevel=3)
    except BaseException:  # a warning may be an error, where warnings are
        engine.close()
        raise
    return engine, embedding


def agree(directory: Path, embedder: "EmbedderGiven", former: "Embedder | None" = None) -> str | None:
    """Hold ``embedder`` against what ``directory`` remembers, and let it remember a new one.

    Return what there is to say of it, None for nothing: nor for a new one where the ``former`` is given along, by
    somebody who knows. The caller has the directory to itself. Raises StoreSettingsError.
    """
    before = remembered(directory)
    if embedder == "off" or (embedder is None and before is None):
        return None
    if embedder is None:
        return _without(directory, before) if before else None
    now = EmbedderUsed.of(embedder)
    if before == now:
        return None
    _remember(directory, now)
    if before is None or (former is not None and before == EmbedderUsed.of(former)):
        return None
    return _other(directory, before, now)


def _without(directory: Path, before: EmbedderUsed) -> str:
    return (
        f"{directory} was last used with the embedder {before.model} and is opened without one: what is recorded now "
        'gets no vector, and questions are compared by their words alone. Give that embedder, or "off" if '
        f"this is meant; `yggdrasil embed --embedder {before.setting}` gives vectors to what has none"
    )


def _other(directory: Path, before: EmbedderUsed, now: EmbedderUsed) -> str:
    return (
        f"{directory} was last used with the embedder {before.model} and is opened with {now.model}, which is "
        "remembered from now on. Vectors of the two are never compared: "
        f"`yggdrasil embed --embedder {now.setting}` gives new ones to what was recorded before, and until then the "
        "former embedder can answer (former_embedder)"
    )


def _remember(directory: Path, embedder: EmbedderUsed) -> None:
    """Write the file beside its place, sync it, and rename it there, so that a crash leaves the one or the other."""
    partial = directory / f"{FILE}.partial"
    with partial.open("wb") as file:
        file.write(orjson.dumps(asdict(_File(FORMAT, embedder)), option=orjson.OPT_INDENT_2))
        file.flush()
        os.fsync(file.fileno())
    partial.rename(directory / FILE)
    folder = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
