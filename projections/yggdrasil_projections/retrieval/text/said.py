"""What a record says: its names, its text, the prose of its payload. That is what is indexed, and what is embedded.

Its rationale is neither: it is kept to be shown.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX
from yggdrasil_schemas.commands.experience import KIND_PREFIX

from .passages import pieces

_PROSE_WORDS_MIN: Final = 3
_DIGITS_SHARE: Final = 3
_NAMES_MAX: Final = 8  # as many as an event's are associated with each other


def said(
    text: str | None,
    names: Iterable[str] = (),
    payload: Mapping[str, Any] | None = None,
    called: str | None = None,
) -> str | None:
    """Return as one text what an embedder is to be given: who and what it is about, what is said, what is shown.

    Without the names, what a person said about themselves is like what anybody said. What it is ``called`` comes first.
    None for what has no text.
    """
    if not (text and text.strip()):
        return None
    values = (value for name in islice(names, _NAMES_MAX) if _mostly_letters(value := value_of(name)))
    about = ", ".join([called, *values] if called else values)
    shown = "".join(f" [{each}]" for each in prose_in(payload))
    return f"{about}: {text}{shown}" if about else text + shown


def said_in(fields: Mapping[str, Any]) -> str | None:
    """Return what a record says as one text; None for one that has no text, or is sealed.

    Neither the aliases, which say the same again, nor the rationale, which is not searched, are in it.
    """
    content: Mapping[str, Any] = fields.get("content") or {}
    return said(content.get("text"), names_in(fields), content.get("payload"), content.get("name"))


def pieces_in(fields: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    """Return the pieces of a long text: where each begins and ends in it, and what an embedder is to be given of it.

    None of what is sealed.
    """
    content: Mapping[str, Any] = fields.get("content") or {}
    text: str = content.get("text") or ""
    names, called = names_in(fields), content.get("name")
    parts = ((begin, end, said(text[begin:end], names, None, called)) for begin, end in pieces(text))
    return [(begin, end, part) for begin, end, part in parts if part is not None]


def called_in(content: Mapping[str, Any]) -> list[str]:
    """Return what a note is called, by its content: its name and its aliases, each once; nothing of what is sealed."""
    name: str | None = content.get("name")
    return list(dict.fromkeys([*([name] if name else ()), *content.get("aliases", ())]))


def names_in(fields: Mapping[str, Any]) -> list[str]:
    """Return the features of an event, what a claim is about, what a concept was formed of, the kind of an outcome."""
    body: Mapping[str, Any] = fields["body"]
    match fields["type"]:
        case "record_event":
            return list(body.get("features", ()))
        case "assert_claim":
            return list(dict.fromkeys(filter(None, (body["subject"], body["object"].get("entity")))))
        case "form_concept":
            members: list[str] = body["members"]
            return [ref.removeprefix(FEATURE_PREFIX) for ref in members if ref.startswith(FEATURE_PREFIX)]
        case "log_outcome":
            return [KIND_PREFIX + body.get("kind", "outcome")]
        case _:
            return []


def value_of(feature: str) -> str:
    """Return what a feature ``kind:value`` says, or all of one without a kind."""
    kind, colon, value = feature.partition(":")
    return value if colon else kind


def prose_in(payload: Mapping[str, Any] | None) -> list[str]:
    """Return the texts of a payload that are worth searching: of some words, and not ids, dates or figures."""
    texts = [text for text in (payload or {}).values() if isinstance(text, str)]
    return [text for text in texts if len(text.split()) >= _PROSE_WORDS_MIN and _mostly_letters(text)]


def _mostly_letters(text: str) -> bool:
    return sum(map(str.isalpha, text)) > _DIGITS_SHARE * sum(map(str.isdigit, text))
