"""What a newcomer does over HTTP: append, ask, look, explain."""

from tests.service.client import Client


def test_what_is_appended_is_found_and_explained(client: Client) -> None:
    event = client.event("Deployed on a Friday", features=["deploy", "friday"])
    assert (event["accepted"], event["seq"], event["as_of"]) == (True, 1, 1)
    judged = client.post(
        "/commands", {"type": "log_outcome", "body": {"event": event["id"], "value": -3, "kind": "outage"}}
    ).json
    found = client.ask("Should we deploy on Friday?", after=judged["receipt"], session="planning")
    assert [one["memory"]["ref"] for one in found["found"]] == [event["id"]]
    assert found["as_of"] == 2
    assert found["recorded"]
    again = client.post(
        "/commands",
        {"type": "record_event", "body": {"informed_by": [found["recall_id"]]}, "content": {"text": "Waited"}},
    ).json
    explained = client.get(f"/actions/{again['id']}").json
    assert [recall["query"] for recall in explained["informed_by"]] == ["Should we deploy on Friday?"]


def test_what_only_the_memory_can_judge_is_answered(client: Client) -> None:
    event = client.event("Something")
    other = event["id"].replace("-7", "-8", 1)
    said = client.post("/commands", {"type": "log_outcome", "body": {"event": other, "value": 1}})
    assert said.status == 200
    assert (said.json["accepted"], said.json["seq"], said.json["reason"]) == (False, 0, "unknown_event")
    assert said.json["detail"]
