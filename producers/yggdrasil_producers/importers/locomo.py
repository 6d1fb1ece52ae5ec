"""Import conversations in the format of LoCoMo (Maharana et al., "Evaluating Very Long-Term Conversational Memory of
LLM Agents", 2024): a list of samples with ``sample_id`` and ``conversation``, which holds ``session_N`` (the turns)
and ``session_N_date_time``. The benchmark's own data is not part of this project; give the path of a copy.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import orjson

from yggdrasil_schemas.limits import NAME_CHARS_MAX

from ..draft import Draft, Drafter
from ..errors import ImporterError
from ..stamps import Stamp
from .features import cut, feature, plain
from .lines import regular
from .run import Import

_SESSION: Final = re.compile(r"session_(\d{1,6})")
_DATE: Final = re.compile(r"(\d{1,2}):(\d{2}) ([ap])m on (\d{1,2}) ([A-Za-z]+),? (\d{4})", re.IGNORECASE | re.ASCII)
# Named here, because the names that the standard library knows follow the machine's language.
_MONTHS: Final[dict[str, int]] = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6,
    "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Session:
    sample: str
    number: int
    date: str
    at: int
    turns: list[dict[str, Any]]


def import_locomo(file: str | Path, drafter: Drafter, *, sample: str | None = None) -> Import:
    """Import the conversations in ``file``, or only the one whose ``sample_id`` is ``sample``; ``total`` counts turns.

    Each turn is an event: its text, the feature ``speaker:NAME``, the session ``SAMPLE/session_N``, and as ``at`` the
    session's date, taken as UTC. The payload keeps ``dia_id``, ``sample_id``, ``speaker``, ``date`` (as written) and
    ``blip_caption`` (what a shared picture shows) if there is one. Raises ImporterError for another format, an
    unreadable date, and a ``sample`` that is not there.
    """
    path = Path(file)
    sessions = [session for one in _samples(path, sample) for session in _sessions(one, path)]
    total = sum(len(session.turns) for session in sessions)
    return Import(
        total, (_drafts(session, place, drafter) for session in sessions for place in range(len(session.turns)))
    )


def _drafts(session: _Session, place: int, drafter: Drafter) -> Iterator[Draft]:
    turn = session.turns[place]
    payload = {
        "dia_id": turn["dia_id"], "sample_id": session.sample, "speaker": turn["speaker"], "date": session.date,
    }  # fmt: skip
    if isinstance(caption := turn.get("blip_caption"), str):
        payload["blip_caption"] = caption
    yield drafter.record_event(
        turn["text"],
        features=[feature("speaker", turn["speaker"].encode())],
        payload=payload,
        session=cut(plain(f"{session.sample}/session_{session.number}".encode()), NAME_CHARS_MAX),
        stamp=Stamp(
            drafter.derived_id("locomo", session.sample, str(session.number), str(place), turn["dia_id"], turn["text"]),
            session.at,
        ),
    )


def _samples(path: Path, wanted: str | None) -> list[dict[str, Any]]:
    try:
        regular(path)
        found: Any = orjson.loads(path.read_bytes())
    except OSError as error:
        raise ImporterError(f"expected a LoCoMo file at {path}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise ImporterError(f"{path}: expected the JSON of LoCoMo, and this is none: {error}") from error
    samples = cast(list[dict[str, Any]], found if isinstance(found, list) else [found])  # checked below
    for index, one in enumerate(samples):
        if not (_has_texts(one, "sample_id") and isinstance(one.get("conversation"), dict)):
            raise ImporterError(
                f"{path}, sample {index}: expected an object with 'sample_id', a text, and 'conversation', an object"
            )
    chosen = [one for one in samples if wanted in (None, one["sample_id"])]
    if wanted is not None and not chosen:
        known = ", ".join(one["sample_id"] for one in samples) or "none"
        raise ImporterError(f"{path}: expected the sample {wanted!r}, and it holds {known}")
    return chosen


def _sessions(sample: dict[str, Any], path: Path) -> Iterator[_Session]:
    """Yield the sessions that have turns, by number: the format also dates some that have none."""
    conversation: dict[str, Any] = sample["conversation"]
    for number in sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key))):
        name = f"session_{number}"
        place = f"{path}, {sample['sample_id']}, {name}"
        turns: Any = conversation.get(name)
        if not isinstance(turns, list):
            raise ImporterError(f"{place}: expected a list of turns")
        typed = cast(list[dict[str, Any]], turns)
        for index, turn in enumerate(typed):
            if not _has_texts(turn, "speaker", "dia_id", "text"):
                raise ImporterError(f"{place}, turn {index}: expected 'speaker', 'dia_id' and 'text', each a text")
        if typed:
            date = str(conversation.get(f"{name}_date_time"))
            yield _Session(sample["sample_id"], number, date, _time_ms(date, place), typed)


def _has_texts(value: Any, *names: str) -> bool:
    return isinstance(value, dict) and all(isinstance(cast(dict[str, Any], value).get(name), str) for name in names)


def _time_ms(date: str, place: str) -> int:
    match = _DATE.fullmatch(date.strip())
    month = _MONTHS.get(match[5].lower()) if match else None
    if match and month and 1 <= int(match[1]) <= 12:
        hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
        try:
            moment = datetime(int(match[6]), month, int(match[4]), hour, int(match[2]), tzinfo=UTC)
        except ValueError:
            moment = None  # the 31st of June
        if moment:
            return max(0, int(moment.timestamp()) * 1000)
    raise ImporterError(f"{place}_date_time: expected a date like '1:56 pm on 8 May, 2023', and got {date!r}")
