"""Which answers of a broker are final, and what is said of each; every other one leaves it open."""

from time import monotonic

import pytest
from kafka import errors
from kafka.future import Future

from yggdrasil_infra.kafka_log.rejections import REJECTIONS, rejection_of
from yggdrasil_infra.kafka_log.sender import Delivery, DeliveryError

OPEN = [
    errors.KafkaTimeoutError("it took too long"),
    errors.IllegalStateError("closed"),
    errors.KafkaConnectionError("gone"),
    errors.RequestTimedOutError(),
    errors.NotEnoughReplicasError(),
    errors.NotEnoughReplicasAfterAppendError(),
    errors.NotLeaderForPartitionError(),
    errors.OutOfOrderSequenceNumberError(),
    errors.UnknownProducerIdError(),
    errors.ClusterAuthorizationFailedError("all that is under way is given this, and some of it may be written"),
    errors.InvalidRecordError(
        "Timestamp 1000 of message with offset 0 is out of range. The timestamp should be within [1001, 90000]"
    ),
    errors.UnknownError(),
    OSError("a socket"),
]


class Failed(Future):  # type: ignore[misc]
    """What kafka-python gives for a record that it could not deliver."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.failure(error)

    def get(self, timeout: float | None = None) -> object:
        raise self.exception


def failure(error: Exception) -> DeliveryError:
    with pytest.raises(DeliveryError) as found:
        Delivery("commands", 3, Failed(error), monotonic() + 60, lambda: None).result()
    return found.value


@pytest.mark.parametrize("kind", REJECTIONS, ids=lambda kind: kind.__name__)
def test_a_final_answer_says_that_nothing_was_appended_and_what_to_do(kind: type[errors.KafkaError]) -> None:
    error = failure(kind("in the broker's words"))
    rejection = REJECTIONS[kind]
    assert not error.uncertain and error.rejection == rejection
    assert "The record was not appended" in str(error) and "in the broker's words" in str(error)
    assert rejection.why in str(error) and rejection.remedy in str(error)


@pytest.mark.parametrize("error", OPEN, ids=lambda error: type(error).__name__)
def test_any_other_answer_leaves_it_open(error: Exception) -> None:
    found = failure(error)
    assert found.uncertain and found.rejection is None
    assert "The record may have been written all the same" in str(found)


@pytest.mark.parametrize(
    ("at", "said"), [(909_000, "4 s later than the brokers take"), (5_000, "95 s earlier than the brokers take")]
)
def test_a_time_that_is_out_of_range_is_the_clock_in_either_class(at: int, said: str) -> None:
    words = f"Timestamp {at} of message with offset 0 is out of range. The timestamp should be within [100000, 905000]"
    for kind in (errors.InvalidRecordError, errors.InvalidTimestampError):
        found = rejection_of(kind(words))
        assert found is not None and found.clock and said in found.why


def test_what_was_sent_beside_a_record_that_is_not_valid_was_not_appended_either() -> None:
    beside = errors.KafkaError(
        "Failed to append record because it was part of a batch which had one more more invalid records"
    )
    found = rejection_of(beside)
    assert found is not None and not found.clock
    assert rejection_of(errors.KafkaError("something else")) is None
