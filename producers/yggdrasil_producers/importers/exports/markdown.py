"""Import a folder of markdown notes, such as a vault of Obsidian: each section under a heading is a note."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from yggdrasil_schemas.limits import FEATURES_MAX, NAME_CHARS_MAX, NOTE_ALIASES_MAX
from yggdrasil_schemas.names import composed

from ...again import Named, called
from ...draft import Draft, Drafter
from ...errors import ImporterError
from ...stamps import Stamp
from ..features import cut, feature, plain
from ..lines import regular
from ..run import Import, NotUnderstoodError, Seen, Unread, shown, unseen
from ..turns import parts_of
from .fields import time_at
from .front_matter import FrontMatter, front_matter
from .notes import Section, sections

NOTE_BYTES_MAX: Final = 8 << 20
_ENDINGS: Final = (".md", ".markdown")
_NOT_FRONT_MATTER: Final = "front matter that is not understood"
_UNREAD: Final = "?"  # no name: the lines that are not understood are kept under it
_READ: Final = frozenset({"tags", "tag", "aliases", "alias", "title"})
_KEPT_MAX: Final = 32  # names at the top of a note that mean nothing here, and of each so many values
_KEPT_CHARS_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class _Note:
    """A note: its path within the folder, its lines, what stands at its top, the tags of that, and its time."""

    name: str
    lines: list[str]
    top: FrontMatter
    tags: list[str]
    at: int

    @property
    def title(self) -> str:
        return self.top.first("title") or self.name.rpartition("/")[2].rpartition(".")[0]


class _First(NamedTuple):
    """What the first section of a note has of what stands at its top: other names, and what means nothing here."""

    aliases: Sequence[str] = ()
    kept: Mapping[str, list[str]] = MappingProxyType({})


def import_markdown(path: str | Path, drafter: Drafter, seen: Seen = unseen) -> Import:
    """Import the notes in a folder and those below it, or one note; ``total`` counts sections.

    A section is an event with the heading as its name and the text below it. Its note, its tags and its links are
    features; ``tags``, ``aliases``, ``date`` and ``title`` are read at the top of a note, and the aliases are other
    names of its first section. What is written in a section later takes the place of what was there. Hidden folders are
    left out, and symbolic links are not followed. Raises ImporterError for what cannot be read.
    """
    folder = Path(path)
    regular(folder)
    if not folder.exists():
        raise ImporterError(f"expected a folder of notes, or a note, at {folder}: there is none")

    def steps(unread: Unread, seen: Seen) -> Iterator[list[Draft]]:
        met: set[str] = set()
        for file in files_in(folder, unread):
            name = file.name if file == folder else file.relative_to(folder).as_posix()
            with unread.noting(shown(name)):
                if composed(name) in met:
                    raise NotUnderstoodError("another note's name looks the same: give it another one", "the same name")
                met.add(composed(name))
                note = _note(file, name, unread)
                seen(file.stat().st_size)
                yield from _drafts(note, drafter, unread)

    return Import.of(steps, seen)


def files_in(folder: Path, unread: Unread) -> Iterator[Path]:
    """Yield the notes in a folder and below it, in the order of their names. Raises ImporterError."""
    if folder.is_file():
        yield folder
        return

    def failed(error: OSError) -> None:
        unread.add(shown(error.filename), "a folder that cannot be read", str(error.strerror), hides=True)

    for place, folders, names in os.walk(folder, onerror=failed):
        for each in folders:
            if os.path.islink(os.path.join(place, each)):
                unread.add(shown(each), "a symbolic link: not followed")
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(_ENDINGS) and not name.startswith("."):
                file = Path(place, name)
                if file.is_symlink() or not file.is_file():
                    unread.add(shown(name), "a symbolic link: not followed")
                else:
                    yield file


def _note(file: Path, name: str, unread: Unread) -> _Note:
    try:
        with file.open("rb") as opened:
            data = opened.read(NOTE_BYTES_MAX + 1)
            written = os.fstat(opened.fileno()).st_mtime
    except OSError as error:
        raise NotUnderstoodError(f"cannot be read: {error.strerror}", "a file that cannot be read") from error
    if len(data) > NOTE_BYTES_MAX:
        raise NotUnderstoodError(f"longer than {NOTE_BYTES_MAX:,} bytes: split it", "too long")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotUnderstoodError(f"no UTF-8 at byte {error.start}: save it as UTF-8", "no UTF-8") from error
    if "\0" in text:
        raise NotUnderstoodError("no text: there is a byte 0 in it", "no text")
    lines = text.replace("\r\n", "\n").split("\n")
    top = front_matter(lines)
    for number, line in top.unread:
        unread.add(f"{shown(name)}, line {number}", _NOT_FRONT_MATTER, f"{_NOT_FRONT_MATTER}: {shown(line)}")
    dates = {key: top.first(key) for key in ("updated", "modified", "date", "created")}
    at = time_at({**dates}, *dates)
    if at is None and any(dates.values()):
        unread.add(shown(name), "a date before 1970, or that is not understood: the file's own is taken")
    tags = [tag for each in top.all("tags", "tag") for tag in each.replace(",", " ").split()]
    at = max(0, round(written * 1000)) if at is None else at
    return _Note(composed(plain(os.fsencode(name))), lines, top, tags, at)


def _drafts(note: _Note, drafter: Drafter, unread: Unread) -> Iterator[list[Draft]]:
    aliases = note.top.all("aliases", "alias")
    met: Counter[tuple[str, ...]] = Counter()
    for number, section in enumerate(sections(note.lines, note.top.body)):
        met[section.headings] += 1
        place = f"{shown(note.name)}, line {section.line}"
        with unread.noting(place):
            first = _First(aliases, _kept(note.top)) if number == 0 else _First()
            drafts = _section(note, section, met[section.headings], first, drafter, unread, place)
            yield drafts


def _section(
    note: _Note, section: Section, nth: int, first: _First, drafter: Drafter, unread: Unread, place: str
) -> list[Draft]:
    title = section.headings[-1] if section.headings else note.title
    aliases, kept = first
    if len(aliases) > NOTE_ALIASES_MAX:
        unread.add(place, f"more than {NOTE_ALIASES_MAX} aliases: the first are taken")
    features = _features(note, section)
    if len(features) > FEATURES_MAX:
        unread.add(place, f"more than {FEATURES_MAX} tags and links: the first are features")
    where = "#".join(map(_escaped, [note.name, *section.headings])) + (f"~{nth}" if nth > 1 else "")
    parts = parts_of(section.text)
    payload: dict[str, Any] = {"note": note.name, "headings": list(section.headings)}
    if kept:
        payload["front_matter"] = dict(kept)
    drafts: list[Draft] = []
    for number, text in enumerate(parts, start=1):
        slot = f"{where}~part{number}" if number > 1 else where
        body = features[:FEATURES_MAX]
        known_as = Named("markdown", slot, feature("note", slot.encode()))
        draft = drafter.record_event(
            text,
            features=body,
            payload=payload | ({"part": number, "parts": len(parts)} if len(parts) > 1 else {}),
            session=cut(plain(f"notes/{note.name}".encode()), NAME_CHARS_MAX),
            key=known_as.key,
            name=_name(title),
            aliases=[name for each in dict.fromkeys(aliases[:NOTE_ALIASES_MAX]) if (name := _name(each))],
            stamp=Stamp(drafter.derived_id("markdown", slot, text, *body), note.at),
        )
        drafts.append(called(draft, known_as))
    return drafts


def _kept(top: FrontMatter) -> dict[str, list[str]]:
    """Return what stands at the top of a note beside its title, tags and aliases: a section keeps it, and no more."""
    named = [(name, values) for name, values in top.values.items() if name not in _READ and values]
    named += [(_UNREAD, [line for _, line in top.unread])] if top.unread else []
    return {
        cut(plain(name.encode()), NAME_CHARS_MAX): [cut(value, _KEPT_CHARS_MAX) for value in values[:_KEPT_MAX]]
        for name, values in named[:_KEPT_MAX]
    }


def _features(note: _Note, section: Section) -> list[str]:
    """Return what a section is made of: its note, the tags of both, and what it links to; each once."""
    tagged = (("tag", tag.removeprefix("#")) for tag in chain(note.tags, section.tags))
    named = chain([("note", note.name)], tagged, (("link", link) for link in section.links))
    found: dict[str, None] = {}
    for kind, name in named:
        if name:
            found[feature(kind, name.encode())] = None
        if len(found) > FEATURES_MAX:  # no more is taken
            break
    return list(found)


def _escaped(part: str) -> str:
    """Return a part of a key with nothing in it that stands between parts."""
    return part.replace("%", "%25").replace("#", "%23").replace("~", "%7E")


def _name(title: str) -> str | None:
    return cut(plain(title.encode()).strip(), NAME_CHARS_MAX) or None
