"""What a store says of itself: which log it was folded from, how far, and which versions hold there."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import orjson

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

from ..rules import FIRST, KNOWN, Versions
from .chain import CHAIN_START

FORMAT: Final = 13
MS_UNKNOWN: Final = 2**62
"""Later than any timestamp: stands for the latest one in a store that was begun by a release that did not keep it."""


class StoreError(YggdrasilError):
    """The store cannot be used as asked; the message says what to do."""


class StoreMismatchError(StoreError):
    """The store was folded from another log than the one it is opened with."""

    kind = local("another_log", ExitCode.DIFFERENT)


@dataclass(frozen=True, slots=True)
class Pin:
    """What a store is folded from: never another topic, another partition count or another partition."""

    topic_id: str
    partitions: int
    partition: int


@dataclass(slots=True)
class StoreState:
    """How far the store has been folded: ``position`` is the next offset, ``last_offset`` that of the last record.

    ``latest_ms`` is the greatest timestamp of the log's records so far, in Unix ms. ``enabled`` are the versions that
    hold from ``position`` on.
    """

    position: int = 0
    last_offset: int = -1
    latest_ms: int = 0
    chain: bytes = CHAIN_START
    memories: int = 0
    folded: int = 0
    enabled: Versions = FIRST
    refused: dict[str, int] = field(default_factory=dict[str, int])


def encode_state(pin: Pin, state: StoreState) -> bytes:
    """Return the stored bytes."""
    return orjson.dumps(
        {
            "format": FORMAT,
            "schema_version": state.enabled.schema,
            "rules_version": state.enabled.rules,
            "pin": [pin.topic_id, pin.partitions, pin.partition],
            "position": state.position,
            "last_offset": state.last_offset,
            "latest_ms": state.latest_ms,
            "chain": state.chain.hex(),
            "memories": state.memories,
            "folded": state.folded,
            "refused": state.refused,
        }
    )


def decode_state(path: Path, pin: Pin, data: bytes) -> StoreState:
    """Return the state of the store at ``path``.

    Raises StoreError for the format of another release, and for versions that this one does not know; and
    StoreMismatchError for another pin.
    """
    raw = orjson.loads(data)
    if raw["format"] > FORMAT:
        raise StoreError(f"{path} was written by a newer release; install that one, or rebuild from the log")
    if raw["format"] < FORMAT:
        raise StoreError(f"{path} was written by an older release; `yggdrasil rebuild` makes it anew from the log")
    enabled = Versions(raw["schema_version"], raw["rules_version"])
    if enabled not in KNOWN:
        newest = KNOWN.newest
        raise StoreError(
            f"{path} was written by a newer release; install that one. It was folded in schema version "
            f"{enabled.schema} under rules version {enabled.rules}, which the log enables, and this release knows "
            f"{newest.schema} and {newest.rules}: rebuilt by this one it would halt where they were enabled."
        )
    if decode_pin(data) != pin:
        raise StoreMismatchError(
            f"{path} was folded from {_in_words(decode_pin(data))}, and is opened with {_in_words(pin)}. Keep this "
            "directory, moved aside if need be: if that topic was deleted, it may be all that is left of its memories. "
            f"{_way_on(decode_pin(data), pin)}"
        )
    kept = ("position", "last_offset", "memories", "folded", "refused")
    latest_ms = raw.get("latest_ms", MS_UNKNOWN)
    chain = bytes.fromhex(raw["chain"])
    return StoreState(chain=chain, latest_ms=latest_ms, enabled=enabled, **{name: raw[name] for name in kept})


def _in_words(pin: Pin) -> str:
    return f"partition {pin.partition} of {pin.partitions} of topic {pin.topic_id}"


def _way_on(folded: Pin, opened: Pin) -> str:
    """Return what to do about a store that belongs to another log, in words that lose no memory."""
    if folded.topic_id == opened.topic_id and folded.partitions != opened.partitions:
        return (
            "Partitions were added to its topic. Stop whoever appends, copy the records to a new topic with `yggdrasil "
            f"topics copy OLD NEW --was {folded.partitions} --partitions {opened.partitions}`, and start workers on "
            "that one (--topic), with directories of their own."
        )
    return (
        "If this is a whole copy of that topic, start on it with another directory (--dir), and compare the digests "
        "before you delete this one. If the topic was re-created and is empty, restore the earlier one from a copy; "
        "without one, `yggdrasil export DIR FILE` writes the commands that the stores still hold."
    )


def decode_pin(data: bytes) -> Pin:
    """Return what the store whose state is ``data`` was folded from."""
    return Pin(*orjson.loads(data)["pin"])
