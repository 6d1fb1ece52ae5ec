"""Points in time as they are sent, brought to the Unix ms that the log has."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final, cast

from ..stamps import time_ms, valid_ms

VALID: Final = ("valid_from", "valid_to")
"""The fields of a body that are points in time."""


def in_ms(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was sent with each point in time that is a text in Unix ms. Raises InvalidCommandError.

    What is no text is left as it is: the language of the log says what is wrong with it.
    """
    found = dict(sent)
    if isinstance(at := sent.get("at"), str):
        found["at"] = time_ms(at)
    if isinstance(body := sent.get("body"), dict):
        given = cast(dict[str, Any], body)
        read = {name: valid_ms(name, given[name]) for name in VALID if isinstance(given.get(name), str | date)}
        found["body"] = {**given, **read} if read else given
    return found
