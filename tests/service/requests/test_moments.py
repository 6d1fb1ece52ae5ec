"""Points in time over HTTP: as texts and as Unix ms, in commands, filters and queries."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.service.client import Client

DAY = 1_675_209_600_000
WAYS = [DAY, "2023-02-01", "2023-02-01T01:00+01:00", str(DAY)]


def claim(**times: object) -> dict[str, object]:
    thing = {"entity": "city:oslo"}
    return {
        "type": "assert_claim",
        "body": {"subject": "person:ana", "predicate": "lives_in", "object": thing, **times},
    }


@pytest.mark.parametrize("at", WAYS)
def test_a_moment_is_written_in_each_way(client: Client, at: object) -> None:
    said = {**claim(valid_from=at, confidence=70), "at": at}
    answer = client.post("/commands", said)
    assert answer.status == 200, answer.body
    batch = client.post("/commands/batch", {"commands": [{"type": "record_event", "body": {}, "at": at}]})
    assert batch.status == 200, batch.body
    for name in ("claims", "entities/person%3Aana"):
        found = client.get(f"/{name}?valid_at={quote(str(at))}")
        assert found.status == 200, found.body
        (held,) = found.json["claims"]
        assert (held["claim"]["valid_from"], held["at"]) == (DAY, DAY)
        assert client.get(f"/{name}?valid_at=2023-01-31").json["claims"] == []
    asked = client.post(
        "/context", {"query": "Where does Ana live?", "where": {"since": at, "until": at, "valid_at": at}}
    )
    assert asked.status == 200, asked.body
    assert len(asked.json["found"]) == 1


def test_what_is_no_moment_is_told(client: Client) -> None:
    client.event("Something is there")
    for at, words in (("yesterday", "no point in time"), ("2023-02-01T12:00", "needs a time zone")):
        for name, sent in (("at", {**claim(confidence=70), "at": at}), ("valid_to", claim(confidence=70, valid_to=at))):
            problem = client.post("/commands", sent).problem(422, "invalid")
            assert f"{name}: " in problem["detail"] and words in problem["detail"]
        asked = {"query": "x", "where": {"until": at}}
        assert words in client.post("/context", asked).problem(422, "invalid")["detail"]
        assert words in client.get(f"/claims?valid_at={at}").problem(422, "invalid")["detail"]
    wrongs: tuple[Any, ...] = (True, 1.5, [], 2**60)
    for wrong in wrongs:
        for sent in ({**claim(confidence=70), "at": wrong}, claim(confidence=70, valid_from=wrong)):
            assert client.post("/commands", sent).status == 422
