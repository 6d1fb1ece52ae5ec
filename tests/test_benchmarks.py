"""Every benchmark runs, and says at the end what the build reads. What it measures is not a test's business."""

import json
import re
from pathlib import Path

import pytest

from benchmarks.__main__ import NAMES, ON_DATA, main, untimed
from benchmarks.kafka.children import Child, ChildError
from benchmarks.kafka.topic import AGENTS, AGENTS_PER_PARTITION, memories
from benchmarks.recall.locomo_questions import Question, Recall, Turn, conversations, within
from benchmarks.recall.sets.data import sets
from benchmarks.thinking.baselines import fixed, pauses, texttiling
from benchmarks.thinking.made import chats, made, nothing
from benchmarks.thinking.real import conversations as hidden
from benchmarks.thinking.scores import agreement
from benchmarks.thinking.stream import Writer, starts_of
from tests.size import only_at_length
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.topics import PARTITIONS

TIMING = re.compile(r"\btime |\bms\b|a second|p99|p50")
DEAR = {"kafka": only_at_length, "idle": only_at_length}  # brokers and processes that tests/kafka starts as well
ASKED = [  # question, category, evidence
    ("Where did Ana learn to sail?", 4, ["D1:1"]),
    ("What did Ana buy, and what did Ben sell?", 1, ["D1:3; D2:2"]),
    ("When did Ben move house?", 2, ["D2:01"]),
    ("Would Ben like a dog?", 3, ["D2:2", "D9:9"]),
    ("When did Ana move house?", 5, ["D2:1"]),
]


def conversation(name: str, ana: str, ben: str) -> dict[str, object]:
    def turn(place: str, speaker: str, text: str) -> dict[str, str]:
        return {"speaker": speaker, "dia_id": place, "text": text}

    first = [
        turn("D1:1", ana, "I took sailing lessons in Split last summer."),
        turn("D1:2", ben, "How was it? I have never been on the water."),
        turn("D1:3", ana, "Wonderful. I have even bought a small boat.") | {"blip_caption": "a photo of a small boat"},
    ]
    second = [
        turn("D2:1", ben, "We moved house in May, to a place with a garden."),
        turn("D2:2", ben, "I sold the car, and we think about getting a dog."),
    ]
    asked = [
        {"question": text.replace("Ana", ana).replace("Ben", ben), "category": category, "evidence": evidence}
        for text, category, evidence in ASKED
    ]
    sessions = {"session_1": first, "session_2": second}
    dates = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_2_date_time": "9:01 am on 2 June, 2023"}
    return {"sample_id": name, "conversation": sessions | dates, "qa": asked}


@pytest.fixture(scope="session")
def locomo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file in the format of LoCoMo, whose data is not part of this project, in a folder of sets."""
    folder = tmp_path_factory.mktemp("sets")
    file = folder / "locomo.json"
    file.write_text(json.dumps([conversation("one", "Ana", "Ben"), conversation("two", "Ida", "Tom")]))
    (folder / "talks").mkdir()
    (folder / "talks" / "dev.json").write_bytes(file.read_bytes())
    (folder / "notes").mkdir()
    turns = [
        {"id": number, "speaker": None, "at": 1_700_000_000_000 + number, "text": text, "session": None}
        for number, text in enumerate(("The cat is grey.", "The dog likes cheese.", "The key hangs in the hall."))
    ]
    asked = [
        {"question": "Where is the key?", "kind": "place", "evidence": [2], "answer": "in the hall"},
        {"question": "Which colour has the bird?", "kind": "none", "evidence": [], "answer": None},
        {"question": "What does the dog like?", "kind": "taste", "evidence": [1, 99], "answer": "cheese"},
    ]
    lines = [json.dumps({"name": str(number), "turns": turns, "questions": asked}) for number in range(5)]
    (folder / "notes" / "dev.jsonl").write_text("\n".join(lines))
    return file


@pytest.mark.parametrize("name", [pytest.param(name, marks=DEAR.get(name, ())) for name in NAMES])
def test_the_last_line_is_the_report(name: str, locomo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = locomo.parent if name in ("sets", "longtexts") else locomo
    assert main([name, "--tiny", *(["--data", str(data)] if name in ON_DATA else [])]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(report) == {"name", "figures", "bars"}
    assert report["name"] == name
    assert report["figures"]
    assert all(isinstance(figure, int | float) for figure in report["figures"].values())
    for bar in report["bars"]:
        assert set(bar) == {"what", "value", "bar", "holds"}
        assert not (untimed(name) and TIMING.search(bar["what"])), "other machines would miss it: it is not UNTIMED"


def test_what_is_asked_before_an_issue_is_resolved() -> None:
    asked = [name for name in NAMES if untimed(name) and name not in ON_DATA]
    assert asked == [
        "behaviour",
        "shapes",
        "exact",
        "asked",
        "steps",
        "ledger",
        "poison",
        "segmentation",
        "next",
        "episodic",
        "worlds",
        "harness",
        "digestion",
        "specialists",
        "sleeping",
        "scorer",
        "using",
        "grid",
    ]


def test_evidence_is_read_however_it_is_written(locomo: Path) -> None:
    one, two = conversations(locomo)
    assert [one.name, two.name] == ["one", "two"]
    assert two.speakers == ["Ida", "Tom"]
    assert [turn.dia_id for turn in one.turns] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2"]
    assert one.turns[2].said == "Ana: Wonderful. I have even bought a small boat. [a photo of a small boat]"
    evidence = [sorted(question.evidence) for question in one.questions]
    assert evidence == [["D1:1"], ["D1:3", "D2:2"], ["D2:1"], ["D2:2"], ["D2:1"]]  # what is no turn is dropped
    assert [question.category for question in one.answerable()] == [4, 1, 2, 3]


def test_sets_are_read_with_what_is_evidence_of_a_turn(locomo: Path) -> None:
    together, notes, talks = sorted(sets(locomo.parent), key=lambda one: (-len(one.memories[0].turns), one.name))
    assert [one.name for one in (together, notes, talks)] == ["notes, five in one", "talks", "notes"]
    assert [sorted(each.evidence) for each in talks.memories[0].questions] == [[2], [1]]
    assert [sorted(each.evidence) for each in together.memories[0].questions][2:4] == [[5], [4]]
    assert [len(one.memories) for one in (together, notes, talks)] == [1, 2, 5]
    assert (talks.part(2).questions, len(talks.part(4).memories)) == (2, 2)


def test_recall_is_the_mean_over_questions_of_found_by_evidence() -> None:
    recall = Recall()
    recall.add(Question("both", 1, frozenset({"a", "b"})), ["x", "a", "x", "x", "x", "b"])
    recall.add(Question("one", 4, frozenset({"c"})), ["c"])
    assert [recall.at(5), recall.at(10), recall.at(5, 1)] == [75.0, 100.0, 50.0]
    turns = [Turn("a", "x" * 40, ""), Turn("b", "x" * 41, ""), Turn("c", "x", "")]
    assert within(turns, 21) == ["a", "b"]
    assert within(turns, 20) == ["a"]


@pytest.mark.parametrize("name", ON_DATA)
def test_what_needs_data_says_so(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([name, "--tiny"])
    assert "--data" in capsys.readouterr().err


def test_as_many_agents_fill_each_partition() -> None:
    names = memories()
    assert len(set(names)) == AGENTS
    for first in range(0, AGENTS, PARTITIONS):
        there = {partition_for(name.encode(), PARTITIONS) for name in names[first : first + PARTITIONS]}
        assert there == set(range(PARTITIONS))
    assert AGENTS == AGENTS_PER_PARTITION * PARTITIONS


def test_a_process_that_ends_too_early_is_told_with_its_last_words() -> None:
    with (
        Child("kafka.plain", "127.0.0.1:1", "a.topic", "no number", "nowhere") as child,
        pytest.raises(ChildError, match=r"kafka\.plain ended too early \(exit code 1\)[\s\S]*'no number'"),
    ):
        child.until(lambda event: event["what"] == "done", 60.0)


def test_a_boundary_is_found_within_two_events_and_each_finds_one() -> None:
    places = range(40)
    same = agreement([10, 20], [10, 20], places)
    assert (same.precision, same.recall, same.f1, same.window_diff) == (100.0, 100.0, 100.0, 0.0)
    assert agreement([10, 20], [12, 18], places).f1 == 100.0
    assert agreement([10, 20], [13, 17], places).f1 == 0.0
    crowd = agreement([10, 20], [9, 10, 11, 20], places)
    assert (crowd.precision, crowd.recall) == (50.0, 100.0)
    assert crowd.window_diff > 0.0
    none = agreement([10, 20], [], places)
    assert (none.f1, none.recall) == (0.0, 0.0)
    assert 0.0 < none.window_diff < 1.0
    assert agreement([3, 1_003], [1_003], [*range(8), *range(1_000, 1_008)]).recall == 50.0


def test_what_begins_is_where_another_episode_is_session_by_session() -> None:
    writer = Writer()
    for number, session in enumerate("ababaabb"):
        writer.event("x", session=session, starts=number == 4)
    stream = writer.stream("two")
    assert stream.starts == {"e5"}
    episodes = [Decision("commit_episode", {"events": events}) for events in (["e1", "e3"], ["e5", "e6"], ["e2", "e4"])]
    assert starts_of(stream, episodes) == {"e5", "e7"}, "what is in no episode is apart from what is in one"
    places = stream.places()
    assert [places[f"e{number}"] for number in (1, 3, 5, 6)] == [0, 1, 2, 3]
    assert min(places[f"e{number}"] for number in (2, 4, 7, 8)) > 1_000


def test_what_the_chunker_is_compared_with_finds_what_it_should() -> None:
    writer = Writer()
    for number in range(40):
        about = "tomato lettuce garden compost" if number < 20 else "server query database index"
        writer.event(f"{about} {about} word{number}", at=number * 1_000 + (500_000 if number >= 30 else 0))
    events = writer.stream("two").events
    assert fixed(events, 3) == [10, 20, 30]
    assert pauses(events, 1) == [30]
    assert pauses([events[0]] * 5, 2) == []
    assert any(abs(place - 20) <= 2 for place in texttiling(events, 1))
    assert texttiling(events[:1], 1) == []


def test_the_sessions_of_a_conversation_are_hidden_in_the_stream(locomo: Path) -> None:
    timed, blind = hidden(locomo)[:2]
    assert [timed.name, blind.name] == ["locomo_times", "locomo_blind"]
    assert len(timed.starts) == 1 and {one.session for one in timed.happenings} == {"all"}
    assert timed.happenings[3].id in timed.starts
    assert "D2" not in repr(timed.happenings) and "2023" not in repr(timed.happenings)
    assert {one.at for one in blind.happenings} == {0} != {one.at for one in timed.happenings}


def test_made_streams_are_the_same_each_time_and_have_truths() -> None:
    assert [stream.happenings for stream in made()] == [stream.happenings for stream in made()]
    assert all(stream.starts for stream in made()) and not any(stream.starts for stream in nothing())
    assert len(chats().starts) == 14
