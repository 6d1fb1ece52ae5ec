"""What holds for every door holds for those that stand apart."""

import pytest

from tests.doors.every.test_alike import (
    test_two_clients_at_once_lose_nothing_and_see_what_the_other_wrote,
    test_what_cannot_be_taken_is_refused_in_the_client_s_own_manner,
    test_what_is_written_is_read_back_also_by_a_client_that_is_made_anew,
    test_who_may_not_come_in_reads_and_writes_nothing,
)
from tests.doors.every.test_away import (
    test_a_client_that_is_made_while_the_service_is_away_fails_or_goes_on,
    test_the_service_is_away_and_back,
)
from tests.doors.every.test_isolation import rooms, test_nothing_crosses
from tests.doors.every.test_many import served, test_many_calls_are_all_there_and_leave_nothing_behind

pytest.importorskip("google.adk", reason="cannot be installed beside the others: make test-doors")

__all__ = [
    "rooms",
    "served",
    "test_a_client_that_is_made_while_the_service_is_away_fails_or_goes_on",
    "test_many_calls_are_all_there_and_leave_nothing_behind",
    "test_nothing_crosses",
    "test_the_service_is_away_and_back",
    "test_two_clients_at_once_lose_nothing_and_see_what_the_other_wrote",
    "test_what_cannot_be_taken_is_refused_in_the_client_s_own_manner",
    "test_what_is_written_is_read_back_also_by_a_client_that_is_made_anew",
    "test_who_may_not_come_in_reads_and_writes_nothing",
]
