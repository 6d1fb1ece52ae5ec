"""What a directory remembers of how it is to be used: the embedder of its memories, or that there is to be none."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from yggdrasil_infra.paths import is_read_only, whole
from yggdrasil_infra.private import replace_private
from yggdrasil_schemas.errors import YggdrasilError

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import Embedder

    EmbedderGiven = Embedder | str | None
    """What a directory is opened with: an embedder, its setting, "none" for good, "off" this time, or as it was."""

FILE: Final = "store.json"
FORMAT: Final = 1

Without = Literal["none", "missing", "told"]
"""Why a directory has no embedder: it is to have none, none was installed, and that has been told."""


class EmbedderWarning(UserWarning):
    """What is said and asked gets no vector, or one of another embedder than before, and nobody has said so."""


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
        from yggdrasil_infra.embedders.multilingual import MULTILINGUAL
        from yggdrasil_infra.embedders.offline import E5_SMALL, MINILM
        from yggdrasil_infra.embedders.paired import PAIR

        named = {PAIR: "pair", MINILM.model: "minilm", E5_SMALL.model: "e5:FOLDER", MULTILINGUAL.model: "multilingual"}
        return named.get(self.model) or (
            f"supplied:{self.model}@{self.dimension}" if self.provider == "supplied" else self.model
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """What the file of a directory says: its embedder or why it has none, and the setting that it was opened by."""

    embedder: EmbedderUsed | Without
    setting: str | None = None


@dataclass(frozen=True, slots=True)
class _File(Kept):
    format: int = FORMAT


def kept(directory: Path) -> Kept | None:
    """Return what ``directory`` remembers; None when it has nothing to remember. Raises StoreSettingsError."""
    path = directory / FILE
    try:
        found: Any = orjson.loads(path.read_bytes())
        if isinstance(found, dict) and cast(dict[str, Any], found).get("format") not in {None, FORMAT}:
            raise StoreSettingsError(f"{path} was written by a newer release; use that one")
        return TypeAdapter(_File).validate_python(found)
    except FileNotFoundError:
        return None
    except (orjson.JSONDecodeError, ValidationError) as error:
        raise StoreSettingsError(
            f"{path} cannot be read. It only says which embedder the memories there are used with: delete it, and open "
            "the directory with that embedder"
        ) from error


def remembered(directory: Path) -> EmbedderUsed | None:
    """Return the embedder that ``directory`` was last used with; None when there is none. Raises StoreSettingsError."""
    found = kept(directory)
    return found.embedder if found is not None and isinstance(found.embedder, EmbedderUsed) else None


def agree(
    directory: Path, embedder: "EmbedderGiven", former: "Embedder | None" = None, *, setting: str | None = None
) -> str | None:
    """Hold ``embedder`` against what ``directory`` remembers, and let it remember a new one, or that there is none.

    ``setting`` is what it was opened by, if by any. Return what there is to say of it, None for nothing: nor for a new
    one where the ``former`` is given along, by somebody who knows. The caller has the directory to itself. Raises
    StoreSettingsError.
    """
    before = kept(directory)
    used = before.embedder if before is not None and isinstance(before.embedder, EmbedderUsed) else None
    if isinstance(embedder, str):
        if embedder == "none" and (before is None or before.embedder != "none"):
            remember(directory, Kept("none"))
        return None
    if embedder is None:
        return without(directory, used) if used is not None else None
    now = EmbedderUsed.of(embedder)
    if before is not None and used == now and setting in {None, before.setting}:
        return None
    remember(directory, Kept(now, setting))
    if used is None or used == now or (former is not None and used == EmbedderUsed.of(former)):
        return None
    return _other(directory, used, now)


def without(directory: Path, before: EmbedderUsed, why: str | None = None) -> str:
    """Return what to say when a directory is opened without its embedder, which cannot be opened for ``why``."""
    cannot = f", which cannot be opened ({why.rstrip('.')})" if why else ""
    return (
        f"{directory} was last used with the embedder {before.model}{cannot} and is opened without one: what is "
        "recorded now gets no vector, and questions are compared by their words alone. Give that embedder, or "
        f'"off" if this is meant; `yggdrasil embed --embedder {before.setting}` gives vectors to what has none'
    )


def unused(directory: Path, embedder: "EmbedderGiven") -> str | None:
    """Return what to say of an ``embedder`` that was given where a service makes the vectors; None if it is the same.

    Raises StoreSettingsError.
    """
    if embedder is None or embedder == "off":
        return None
    before = kept(directory)
    used = before.embedder if before is not None and isinstance(before.embedder, EmbedderUsed) else None
    if isinstance(embedder, str):
        settings = {before.setting, used.setting} if before is not None and used is not None else {"none"}
        same = typed(embedder) in settings
    else:
        same = EmbedderUsed.of(embedder) == used
    if same:
        return None
    makes = f"makes vectors with {used.model}" if used is not None else "makes no vectors"
    return (
        f"a service holds {directory} and {makes}; the embedder that is given here is not used. Start the service with "
        "it (`yggdrasil serve --embedder`), or leave it out here"
    )


def typed(setting: str) -> str:
    """Return a setting as it can be typed in any folder."""
    kind, colon, rest = setting.partition(":")
    return f"{kind}{colon}{whole(rest)}" if rest and kind in {"e5", "multilingual"} else setting


def _other(directory: Path, before: EmbedderUsed, now: EmbedderUsed) -> str:
    return (
        f"{directory} was last used with the embedder {before.model} and is opened with {now.model}, which is "
        "remembered from now on. Vectors of the two are never compared: "
        f"`yggdrasil embed --embedder {now.setting}` gives new ones to what was recorded before, and until then the "
        "former embedder can answer (former_embedder)"
    )


def remember(directory: Path, what: Kept) -> None:
    """Replace the file at once and durably. Raises OSError.

    A directory that can only be read remembers nothing new, and is told again each time.
    """
    said = {name: value for name, value in asdict(_File(what.embedder, what.setting)).items() if value is not None}
    try:
        replace_private(directory / FILE, orjson.dumps(said, option=orjson.OPT_INDENT_2))
    except OSError as error:
        if not is_read_only(error):
            raise
