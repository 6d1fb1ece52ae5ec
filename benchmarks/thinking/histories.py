"""Real histories as streams of events, each with what it is about: which folders changed, who spoke, of what."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.importers.git import import_git
from yggdrasil_producers.importers.locomo import import_locomo
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER

from ..recall.locomo_questions import Conversation

MEMORY: Final = "benchmark/next"
WORD: Final = "topic:"
_LEVELS: Final = 2  # of folders, as the importer has them
_WORDS_MAX: Final = 8
_WORD_CHARS_MIN: Final = 4
_SPEAKER: Final = "speaker:"


@dataclass(frozen=True, slots=True)
class Step:
    """An event as it is recorded, with the session and the features of its command."""

    draft: Draft
    session: str
    features: list[str]


def folder_of(feature: str) -> str | None:
    """Return the folder that a feature of a commit names: its own, or that of its file."""
    kind, _, path = feature.partition(":")
    if kind == "dir":
        return path
    return "/".join(path.split("/")[:-1][:_LEVELS]) or None if kind == "file" else None


def speaker_of(feature: str) -> str | None:
    """Return the speaker that a feature names."""
    return feature.removeprefix(_SPEAKER) if feature.startswith(_SPEAKER) else None


def topic_of(feature: str) -> str | None:
    """Return the word that a feature names as a topic."""
    return feature.removeprefix(WORD) if feature.startswith(WORD) else None


def commits(repository: Path, count: int) -> Iterator[Step]:
    """Yield the newest commits of a repository, oldest first, as the importer tells them."""
    return _steps(import_git(repository, _drafter(), commits_max=count).drafts)


def turns(data: Path, conversation: Conversation) -> Iterator[Step]:
    """Yield the turns of a conversation, as the importer tells them: their only features are speakers."""
    return _steps(import_locomo(data, _drafter(), sample=conversation.name).drafts)


def topics(data: Path, conversation: Conversation) -> Iterator[Step]:
    """Yield the turns with their topics: the words that were said before, those first that were said least."""
    drafter = _drafter()
    said: dict[str, int] = {}
    for step in turns(data, conversation):
        text = orjson.loads(step.draft.value)["content"]["text"]
        words = [word for word in dict.fromkeys(TOKENIZER.words(text)) if len(word) >= _WORD_CHARS_MIN]
        known = sorted((word for word in words if word in said), key=lambda word: (said[word], word))
        features = [f"{WORD}{word}" for word in known[:_WORDS_MAX]]
        for word in words:
            said[word] = said.get(word, 0) + 1
        draft = drafter.record_event(text, features=features, session=step.session)
        yield Step(draft, step.session, features)


def _drafter() -> Drafter:
    return Drafter(MEMORY, "benchmark", "benchmark", "import")


def _steps(drafts: Iterable[Draft]) -> Iterator[Step]:
    for draft in drafts:
        said = orjson.loads(draft.value)
        if said["type"] == "record_event":
            yield Step(draft, said.get("session", "default"), said["body"].get("features", []))
