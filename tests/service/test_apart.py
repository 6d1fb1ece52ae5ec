"""No answer ever holds what is of another memory, though all memories say the same things in the same words.

Long with YGGDRASIL_FAULTS=long: 1,000 memories.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.client import Client
from tests.size import turns
from yggdrasil.serving import Serving

MEMORIES = turns(30, 1_000)
WORDS = ["deploy", "friday", "outage", "rollback", "cache", "parser"]
ID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Town:
    """Many memories with colliding contents, the ids that are each one's own, and a mark that only it holds."""

    url: str
    own: dict[str, set[str]]
    events: dict[str, list[str]]


def mark(number: int) -> str:
    return f"mark{number:04d}end"


@pytest.fixture(scope="module")
def town(serving: Serving) -> Iterator[Town]:
    own: dict[str, set[str]] = {}
    events: dict[str, list[str]] = {}
    with Client(serving.url) as client:
        for number in range(MEMORIES):
            client.memory = f"t{number % 7}/agent-{number}"
            said = [
                {
                    "type": "record_event",
                    "body": {"features": [word, WORDS[(at + 1) % len(WORDS)], mark(number)]},
                    "content": {"text": f"The {word} on {WORDS[(at + 2) % len(WORDS)]} {mark(number)}"},
                }
                for at, word in enumerate(WORDS)
            ]
            answers = client.post("/commands/batch", {"commands": said}).json["answers"]
            events[client.memory] = ids = [one["id"] for one in answers]
            judged = client.post("/commands", {"type": "log_outcome", "body": {"event": ids[0], "value": -3}}).json
            made = {"events": ids[:3]}, {"text": f"An episode {mark(number)}"}
            episode = {"type": "commit_episode", "body": made[0], "content": made[1]}
            made_of = [client.post("/commands", episode).json["id"] for _ in range(2)]
            own[client.memory] = {*ids, judged["id"], *made_of}
    yield Town(serving.url, own, events)


@settings(
    max_examples=turns(30, 5_000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_an_answer_holds_only_what_is_of_its_memory(town: Town, data: st.DataObject) -> None:
    names = sorted(town.own)
    memory, other = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    query = " ".join(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)))
    event = data.draw(st.sampled_from(town.events[memory]))
    word = data.draw(st.sampled_from(WORDS))
    paths = ["/context", "/similar-cases", "/foretold", "/timeline?count=200", "/happened", "/stats",
             "/what-next", "/working-memory", "/episodes", "/drift",
             f"/nodes/{event}", f"/actions/{event}", f"/commands/{event}",
             f"/nodes/feature:{word}/neighbours?count=200"]  # fmt: skip
    path = data.draw(st.sampled_from(paths))
    with Client(town.url, memory=memory) as client:
        asking = path in ("/context", "/similar-cases")
        if path in ("/foretold", "/what-next"):
            reply = client.post(path, {"text": query, "features": [word]})
        else:
            reply = client.post(path, {"query": query, "k": 50, "features": [word]}) if asking else client.get(path)
        assert reply.status == 200, reply.body
        if recall := reply.json.get("recall_id"):
            town.own[memory].add(recall)
        assert {found.decode() for found in ID.findall(reply.body)} <= town.own[memory]
        assert set(re.findall(rb"mark\d{4}end", reply.body)) <= {mark(int(memory.rsplit("-", 1)[1])).encode()}
        if other != memory:
            theirs = town.events[other][0]
            client.get(f"/nodes/{theirs}").problem(404, "unknown_node")
            client.get(f"/actions/{theirs}").problem(404, "unknown_action")
            client.get(f"/commands/{theirs}").problem(404, "unknown_command")
            judged = {"type": "log_outcome", "body": {"event": theirs, "value": 1}}
            assert client.post("/commands", judged).json["reason"] == "unknown_event"
            linked = {"type": "record_event", "body": {"caused_by": [theirs]}}
            assert client.post("/commands", linked).json["reason"] == "unknown_event"


def test_the_list_holds_every_memory_once(town: Town) -> None:
    with Client(town.url) as client:
        listed = orjson.loads(client.send("GET", "/v1/memories").body)["memories"]
    assert sorted(town.own) == listed
