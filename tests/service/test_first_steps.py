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


def test_a_prompt_gets_a_text_whose_labels_lead_back(client: Client) -> None:
    event = client.event("Deployed on a Friday", features=["deploy", "friday"])
    client.post("/commands", {"type": "log_outcome", "body": {"event": event["id"], "value": -3, "kind": "outage"}})
    found = client.ask("Should we deploy on Friday?", format="text", tokens_max=50)
    assert set(found) == {"text", "refs", "as_of", "recall_id", "recorded", "more"}
    assert found["refs"] == {"m1": event["id"]}
    assert "[m1] " in found["text"] and '-3 "outage"' in found["text"] and len(found["text"]) <= 200
    cases = client.post("/similar-cases", {"query": "Should we deploy on Friday?", "format": "text"}).json
    assert "Ended badly" in cases["text"] and cases["refs"] == found["refs"]
    used = {"type": "report_use", "body": {"recall": found["recall_id"], "used": [found["refs"]["m1"]]}}
    assert client.post("/commands", used).json["accepted"]


def test_a_refusal_hands_over_what_was_nearest(client: Client) -> None:
    event = client.event("Deployed on a Friday")
    client.event("Had lunch on a Monday")
    found = client.ask("Deployed the printer on Friday?", min_confidence=1)["nothing"]
    assert (found["acted"], found["threshold"]) == ("confidence", 1)
    assert found["nearest"][0]["memory"]["ref"] == event["id"] and found["nearest"][0]["uncertain"]
    said = client.ask("Deployed the printer on Friday?", min_confidence=1.0, format="text")
    assert said["refs"] == {} and "Nothing in this memory" in said["text"] and "uncertain" in said["text"]
    for wrong in (-0.5, 1.5, "much"):
        client.post("/context", {"query": "x", "min_confidence": wrong}).problem(422, "invalid")
    client.post("/context", {"query": "x", "format": "xml"}).problem(422, "invalid")


def test_a_filter_a_confidence_and_a_text_go_together(client: Client) -> None:
    said = {"ops": "The router was replaced", "desk": "The router or the printer was ordered"}
    events: dict[str, str] = {}
    for session, text in said.items():
        event = {"type": "record_event", "session": session, "body": {"features": ["floor:2"]}}
        events[session] = client.post("/commands", event | {"content": {"text": text}}).json["id"]
        outcome = {"event": events[session], "value": -3, "kind": "outage"}
        client.post("/commands", {"type": "log_outcome", "session": session, "body": outcome})
    sent = {"query": "Was the router or the printer replaced?", "where": {"sessions": ["ops"]}, "tokens_max": 100}
    for path in ("/context", "/similar-cases"):
        told = client.post(path, sent | {"min_confidence": 0, "format": "text"}).json
        assert told["refs"] == {"m1": events["ops"]} and len(told["text"]) <= 400
        assert "The router was replaced" in told["text"] and "ordered" not in told["text"]
        refused = client.post(path, sent | {"min_confidence": 1, "format": "text"}).json
        assert refused["refs"] == {} and refused["recorded"]
        assert refused["text"].startswith("Nothing that the filter admits is a sure answer: ")
        assert 'uncertain: "floor:2" The router was replaced' in refused["text"] and "ordered" not in refused["text"]
        nothing = client.post(path, sent | {"min_confidence": 1}).json["nothing"]
        assert nothing["filtered"] and [each["memory"]["ref"] for each in nothing["nearest"]] == [events["ops"]]


def test_what_only_the_memory_can_judge_is_answered(client: Client) -> None:
    event = client.event("Something")
    other = event["id"].replace("-7", "-8", 1)
    said = client.post("/commands", {"type": "log_outcome", "body": {"event": other, "value": 1}})
    assert said.status == 200
    assert (said.json["accepted"], said.json["seq"], said.json["reason"]) == (False, 0, "unknown_event")
    assert said.json["detail"]
