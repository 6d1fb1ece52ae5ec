"""An index as a file, so that a memory that is seldom asked costs disk and not RAM.

A file is: the magic, the length of the header, the header as JSON, the arrays one after the other, and a BLAKE2b hash
of all that. It is written whole under another name and renamed, and not synced. What does not fit (another version,
another history, a flipped bit, an end that never came to the disk) is no error but a rebuild, since an index is made
from the graph's contents.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import orjson

from yggdrasil_infra.private import make_directory, open_private

from ..text.tokenizers import TOKENIZER, Tokenizer
from .columns.documents import Columns, Documents
from .columns.links import Columns as LinkColumns
from .columns.links import Links
from .columns.pieces import Pieces
from .columns.postings import Arrays, Postings
from .columns.vectors import Kept, Vectors
from .held import Held
from .index import INDEX, MemoryIndex
from .names import FeatureNames
from .reading import Witness

_MAGIC: Final = b"YGGVIEW3"
_LENGTH_BYTES: Final = 8
_HASH_BYTES: Final = 32
_SUFFIX: Final = ".index"
_PARTIAL: Final = ".partial"
_TERM_END: Final = "\n"  # no word has one, and no feature's name

Array = npt.NDArray[Any]


class BadImageError(Exception):
    """An image cannot be used; the message says why."""


def image_path(directory: Path, memory: str) -> Path:
    """Return where the image of ``memory`` is: a name of its own for each, safe on file systems that fold case.

    What is not a lower-case letter, a digit or one of ``.-`` stands as ``_`` and its code in hexadecimal.
    """
    plain = "abcdefghijklmnopqrstuvwxyz0123456789.-"
    name = "".join(letter if letter in plain else f"_{ord(letter):x}_" for letter in memory)
    if len(name) > 200:  # a name may have 255 bytes, and all but letters take four
        name = f"{name[:100]}_{blake2b(memory.encode(), digest_size=32).hexdigest()}"
    return directory / f"{name}{_SUFFIX}"


def write_image(directory: Path, index: MemoryIndex) -> int:
    """Write the image of an index and return its bytes. Raises OSError."""
    make_directory(directory)
    path = image_path(directory, index.memory)
    header, arrays = _parts(index)
    data = orjson.dumps(header)
    data += b" " * (-(len(_MAGIC) + _LENGTH_BYTES + len(data)) % _LENGTH_BYTES)
    partial = path.with_suffix(_PARTIAL)
    hashed = blake2b(digest_size=_HASH_BYTES)
    with open_private(partial) as file:
        for part in _written(data, arrays):
            hashed.update(part)
            file.write(part)
        file.write(hashed.digest())
        size = file.tell()
    partial.replace(path)
    return size


def read_image(directory: Path, memory: str, tokenizer: Tokenizer = TOKENIZER) -> MemoryIndex | None:
    """Return the index in the image of ``memory``, or None when it has none.

    Raises BadImageError, also for one with the terms of another tokenizer, and OSError.
    """
    path = image_path(directory, memory)
    try:
        data = np.fromfile(path, np.uint8)
    except FileNotFoundError:
        return None
    begin = len(_MAGIC) + _LENGTH_BYTES
    whole = data[:-_HASH_BYTES]
    if len(data) < begin + _HASH_BYTES or whole[: len(_MAGIC)].tobytes() != _MAGIC:
        raise BadImageError("it is no image of an index")
    if blake2b(whole.data, digest_size=_HASH_BYTES).digest() != data[-_HASH_BYTES:].tobytes():
        raise BadImageError("its checksum is another")
    end = begin + int.from_bytes(whole[len(_MAGIC) : begin].tobytes(), "little")
    header: dict[str, Any] = orjson.loads(whole[begin:end].tobytes())
    versions = header["index"], header["tokenizer"], header["memory"]
    if versions != (INDEX, tokenizer.name, memory):
        raise BadImageError(f"it is of {versions}")
    return _index(header, _arrays(header, whole[end:]), tokenizer)


def sound(image: Path) -> bool:
    """Whether the file ``image`` is as it was written. Raises OSError."""
    data = image.read_bytes()
    whole = data[:-_HASH_BYTES]
    return whole.startswith(_MAGIC) and blake2b(whole, digest_size=_HASH_BYTES).digest() == data[-_HASH_BYTES:]


def swept(directory: Path, bytes_max: int) -> int:
    """Remove what was not written to its end, and the images used longest ago beyond ``bytes_max``; return how many.

    Nobody else writes there. Raises OSError.
    """
    found = [(path.stat(), path) for path in directory.iterdir() if path.suffix in {_SUFFIX, _PARTIAL}]
    left, removed = bytes_max, 0
    for stat, path in sorted(found, key=lambda each: (-each[0].st_mtime_ns, each[1])):
        left -= stat.st_size
        if left < 0 or path.suffix == _PARTIAL:
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _parts(index: MemoryIndex) -> tuple[dict[str, Any], list[Array]]:
    postings = index.postings.arrays()
    kept = index.vectors.kept()
    features = index.feature_names.numbers
    numbers = np.array(list(features.values()), np.int64)
    arrays: list[Array] = [*index.documents.columns, *postings, _joined(index.postings.lexicon)]
    arrays += [_joined(features), numbers]
    arrays += [*index.held.links.columns, _joined(index.held.links.words)]
    of_pieces = index.held.pieces.kept()
    for rows, values in (*kept.values(), *of_pieces.values()):
        arrays += [rows, values]
    header = {
        "index": INDEX,
        "tokenizer": index.tokenizer.name,
        "memory": index.memory,
        "seq": index.seq,
        "sessions": list(index.sessions),
        "speakers": list(index.held.speakers),
        "witnesses": [tuple(each) for each in index.witnesses],
        "models": list(kept),
        "of_pieces": list(of_pieces),
        "arrays": [(array.dtype.str, array.shape) for array in arrays],
    }
    return header, arrays


def _joined(terms: Iterable[str]) -> Array:
    return np.frombuffer(_TERM_END.join(terms).encode(), np.uint8)


def _parted(joined: Array) -> list[str]:
    terms = joined.tobytes().decode()
    return terms.split(_TERM_END) if terms else []


def _written(header: bytes, arrays: list[Array]) -> Iterator[bytes | memoryview]:
    yield _MAGIC + len(header).to_bytes(_LENGTH_BYTES, "little") + header
    for array in arrays:
        yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        yield bytes(-array.nbytes % _LENGTH_BYTES)  # so that each array begins where its type may


def _arrays(header: dict[str, Any], data: npt.NDArray[np.uint8]) -> Iterator[Array]:
    at = 0
    for kind, shape in header["arrays"]:
        size = int(np.dtype(kind).itemsize * np.prod(shape, dtype=np.int64))
        yield data[at : at + size].view(kind).reshape(shape).copy()  # so that the file as a whole can go
        at += size + -size % _LENGTH_BYTES


def _index(header: dict[str, Any], arrays: Iterator[Array], tokenizer: Tokenizer) -> MemoryIndex:
    sessions = {name: at for at, name in enumerate(header["sessions"])}
    speakers = {(source, origin): at for at, (source, origin) in enumerate(header["speakers"])}
    documents = Documents(Columns(*(next(arrays) for _ in Columns._fields)))
    postings = Arrays(*(next(arrays) for _ in Arrays._fields))
    lexicon, features = _parted(next(arrays)), _parted(next(arrays))
    feature_names = FeatureNames(tokenizer, dict(zip(features, next(arrays).tolist(), strict=True)))
    links = LinkColumns(*(next(arrays) for _ in LinkColumns._fields))
    held_links = Links(links, _parted(next(arrays)))
    vectors = Vectors({(model, size): Kept(next(arrays), next(arrays)) for model, size in header["models"]})
    pieces = Pieces({(model, size): Kept(next(arrays), next(arrays)) for model, size in header["of_pieces"]})
    held = Held(
        documents,
        Postings(lexicon, postings),
        vectors,
        sessions,
        feature_names,
        speakers,
        tokenizer=tokenizer,
        pieces=pieces,
        links=held_links,
    )
    witnesses = [Witness(*each) for each in header["witnesses"]]
    return MemoryIndex(header["memory"], held, header["seq"], witnesses)
