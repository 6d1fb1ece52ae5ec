"""Streams of what was not made for this: conversations, the history of a repository, manuals one after another."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import orjson

from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.importers.git import import_git
from yggdrasil_producers.importers.git_history import RELEASED
from yggdrasil_producers.importers.locomo import import_locomo

from ..recall.shapes.documents import documents
from .stream import HIDDEN, Stream, Writer, blinded, happenings

_DRAFTER: Final = Drafter("segmentation/one", "benchmark", "benchmark")
_DATED: Final = ("date", "dia_id", "sample_id")
COMMITS_MAX: Final = 2_000


def conversations(data: Path) -> list[Stream]:
    """Return the conversations of a file in LoCoMo's format, with their sessions hidden: with times, and without."""
    found: list[Stream] = []
    for sample in orjson.loads(data.read_bytes()):
        read = list(import_locomo(data, _DRAFTER, sample=sample["sample_id"]).drafts)
        told = happenings(draft for step in [read] for draft in step)
        sessions = [orjson.loads(draft.value)["session"] for draft in read]
        starts = {one.id for at, one in enumerate(told) if at and sessions[at] != sessions[at - 1]}
        shown = [
            replace(one, payload={key: value for key, value in (one.payload or {}).items() if key not in _DATED})
            for one in told
        ]  # its own payload says of which session a turn is
        stream = Stream("locomo_times", shown, frozenset(starts))
        found += [stream, blinded(stream, "locomo_blind")]
    return found


def releases(repository: Path) -> list[Stream]:
    """Return the last commits of a repository in one session, with its releases as what is to be found; none where it
    has no releases.

    Once as it is imported, where a release judges what is in it, and once without that.
    """
    told = happenings(import_git(repository, _DRAFTER, commits_max=COMMITS_MAX).drafts)
    starts: set[str] = set()
    released = False
    for one in told:
        if one.kind == "event":
            if released:
                starts.add(one.id)
            released = False
        elif one.outcome == RELEASED:
            released = True
    if not starts:
        return []
    unjudged = [one for one in told if one.outcome != RELEASED]
    return [Stream("git", told, frozenset(starts)), Stream("git_unjudged", unjudged, frozenset(starts))]


def manuals(html: Path, folder: str) -> list[Stream]:
    """Return the pages of a folder of Python's documentation as one stream of paragraphs."""
    if not (html / folder).exists():
        return []
    writer = Writer()
    page = ""
    for text in documents(html, folder).texts:
        writer.event(text.text, starts=text.session != page, session=HIDDEN)
        page = text.session
    return [writer.stream(folder)]
