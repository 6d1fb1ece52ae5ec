# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Which answers of a broker are final: the record is not in the log, whatever came before. All others leave it open.

A broker judges a record by what it is and by what its sender may do before it writes anything, so each attempt is
refused alike. One case is passed over: rights that are withdrawn between two attempts, the first of which was written
and not answered. Not final are, among others, an answer that does not come, replicas that are missing (the record may
be written and not acknowledged), a new leader, and a number in the producer's sequence that is out of order. Nor are
those that end a producer (``ClusterAuthorizationFailedError``): kafka-python gives them to all that is under way, and
some of that may be written. A record that has just become too old was not when it was sent first.
"""

import re
from collections.abc import Mapping
from typing import Final

from kafka.errors import (
    InvalidRecordError,
    InvalidTimestampError,
    KafkaError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    TopicAuthorizationFailedError,
)

from ..log import Rejection

_CLOCK_REMEDY: Final = (
    "Set the clock of the machine that appends (`timedatectl` says whether it is synchronized) and that of the "
    "brokers; how far they may differ is message.timestamp.after.max.ms and message.timestamp.before.max.ms of the "
    "topic"
)
_TOO_LARGE: Final = Rejection(
    "the topic takes no record of that size",
    "Set its max.message.bytes as `yggdrasil topics --check` says",
)
_NOT_VALID: Final = Rejection(
    "the broker found it, or a record that was sent with it, not valid",
    "The broker's own log says which, and why; send the others again",
)
REJECTIONS: Final[Mapping[type[KafkaError], Rejection]] = {
    InvalidTimestampError: Rejection("the brokers do not take a record of that time", _CLOCK_REMEDY, clock=True),
    MessageSizeTooLargeError: _TOO_LARGE,
    RecordListTooLargeError: _TOO_LARGE,
    InvalidRecordError: _NOT_VALID,
    TopicAuthorizationFailedError: Rejection(
        "this process may not write to the topic",
        "An administrator allows it with kafka-acls.sh: --add --operation Write --topic, for the user of this process",
    ),
}
"""By the class of the answer; see ``rejection_of``."""
_TIME: Final = re.compile(r"Timestamp (-?\d{1,19}) of message [^\[]{0,120}within \[(-?\d{1,19}), (-?\d{1,19})\]")
_ATTEMPTS_MS: Final = 60_000  # longer than a delivery takes, from its first attempt to its last
_BESIDE: Final = "it was part of a batch which had one more more invalid records"  # kafka-python's, and it has no class


def rejection_of(error: BaseException) -> Rejection | None:
    """Return why a record is certainly not in the log; None when it may be there.

    Since version 2.4 brokers say "not valid" of a time as well, in a class of its own only where they are older.
    """
    if isinstance(error, KafkaError) and _BESIDE in str(error):
        return _NOT_VALID
    found = next((each for kind, each in REJECTIONS.items() if isinstance(error, kind)), None)
    outside = _TIME.search(str(error)) if found is not None else None
    if outside is None:
        return found
    at, earliest, latest = map(int, outside.groups())
    if 0 < earliest - at <= _ATTEMPTS_MS:
        return None
    if at > latest:
        by_s, direction, found_at = (at - latest) / 1_000, "later", "ahead of"
    else:
        by_s, direction, found_at = (earliest - at) / 1_000, "earlier", "behind"
    return Rejection(
        f"the record's time is {by_s:.0f} s {direction} than the brokers take: the clock of the machine that "
        f"appends is {found_at} theirs",
        _CLOCK_REMEDY,
        clock=True,
    )
