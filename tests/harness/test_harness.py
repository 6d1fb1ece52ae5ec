"""`harness`: worlds are drawn by seed and read or refused; the agent reads what is shown; each memory helps it."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchmarks.harness import failures
from benchmarks.harness.agent import BEGIN_TOKENS, Account, Incident, play, prepared, ranked, read, told
from benchmarks.harness.arms import Contexts, Hindsight, Notes, Nothing, RankedNotes, Sessions
from benchmarks.harness.benchmark import run
from benchmarks.harness.discovery import WAYS, chains, discovery
from benchmarks.harness.reading import WorldFileError, office
from benchmarks.harness.reading import read as read_world
from benchmarks.harness.world import Call, Kind, Rule, Task, Tool, World, drawn
from benchmarks.measure import Size
from yggdrasil import Store

DOCS = Path(__file__).parents[2] / "docs" / "harness.md"
TOOL = Tool(["refused"], ["log in again", "send in parts", "wait for the window"])
KIND = Kind("send", "release", ["courier"], ["Send a {size} box"])
WORLD = World(
    "small", 12, {"size": {"big": ["big", "huge"]}}, {"refused": ["line closed", "turned away"]}, {"courier": TOOL},
    [KIND], [Rule("courier", {"size": "big"}, "refused", "send in parts")],
)  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store", embedder="none", partitions=1) as store:
        yield store


def steps(memory: Nothing, world: World = WORLD) -> list[int]:
    return [play(task, world.tools, memory).steps for task in drawn(world, 1)]


def test_a_world_is_the_same_for_a_seed_and_kinds_are_left_out_of_it() -> None:
    world = office()
    assert drawn(world, 1) == drawn(world, 1) != drawn(world, 2)
    assert len(drawn(world, 1)) == world.tasks == 200
    assert len({kind.workflow for kind in world.kinds}) == 2
    assert {task.kind.left_out for task in drawn(world, 1)} == {True, False}
    assert {task.kind.left_out for task in drawn(world, 1, left_out=False)} == {False}
    assert all("{" not in task.goal and not re.search(r"\ba [aeiou]", task.goal) for task in drawn(world, 1))


def test_tools_are_shared_by_workflows_and_some_rules_change_halfway() -> None:
    world = office()
    by_workflow = [
        {tool for kind in world.kinds if kind.workflow == each for tool in kind.plan}
        for each in dict.fromkeys(kind.workflow for kind in world.kinds)
    ]
    assert len(set.intersection(*by_workflow)) >= 5
    changed = World("changing", 100, WORLD.attributes, WORLD.failures, WORLD.tools, [KIND], drawn_rules=1, changing=1.0)
    remedies = [task.calls[0].needs[0][1] for task in drawn(changed, 1)]
    assert len(set(remedies[:50])) == len(set(remedies[50:])) == 1 and remedies[0] != remedies[-1]


def test_without_memory_the_manual_is_tried_in_its_order_and_a_call_and_a_remedy_are_a_step_each() -> None:
    task = Task(0, KIND, "Send a huge box", [Call("courier", [("line closed", "send in parts")])], 0)
    account = play(task, WORLD.tools, Nothing())
    assert (account.steps, account.done) == (5, True)  # call, log in, call, parts, call
    assert account.incidents == [Incident("courier", "line closed", ["log in again"], "send in parts")]
    last = Task(0, KIND, "Send a huge box", [Call("courier", [("line closed", "wait for the window")])], 0)
    given_up = play(last, {"courier": Tool(["refused"], [*TOOL.remedies[:2], "x y"])}, Nothing())
    assert (given_up.steps, given_up.done) == (last.limit, False)


def test_a_failure_that_passes_by_itself_is_noted_as_what_was_tried() -> None:
    task = Task(0, KIND, "Send a box", [Call("courier", [], "turned away")], 0)
    assert play(task, WORLD.tools, Nothing()).incidents[0].helped == "log in again"


@pytest.mark.parametrize("style", range(12))
def test_what_the_agent_writes_it_reads_again(style: int) -> None:
    task = Task(0, KIND, "Send a huge box", [], style)
    line = told(task, Incident("courier", "line closed", ["log in again"], "send in parts"))
    votes = read([line], "courier", TOOL.remedies, task.goal, "line closed")
    assert votes["send in parts"] > 0 > votes["log in again"] and "wait for the window" not in votes
    assert ranked(votes, TOOL.remedies) == ["send in parts", "wait for the window", "log in again"]
    assert read([line], "cour", TOOL.remedies, task.goal) == {}


def test_only_what_stands_for_most_is_done_unasked() -> None:
    assert prepared({}) == prepared({"a": 0.9}) == prepared({"a": 1.1, "b": 1.2, "c": 1.0}) == []
    assert prepared({"a": 1.5, "b": 0.5, "c": -2.0}) == ["a"]


@pytest.mark.parametrize("name", ["notes", "ranked", "context", "sessions", "hindsight"])
def test_each_memory_saves_steps(name: str, store: Store, tmp_path: Path) -> None:
    memories = {
        "notes": lambda: Notes(tmp_path / "notes"),
        "ranked": lambda: RankedNotes(tmp_path / "notes"),
        "context": lambda: Contexts(store.memory("harness/test")),
        "sessions": lambda: Sessions(store.memory("harness/test")),
        "hindsight": Hindsight,
    }
    taken = steps(memories[name]())
    assert steps(Nothing()) == [5] * 12
    assert taken[0] == 5 and taken[-1] <= 3


def test_grep_shows_lines_with_most_words_first_and_the_newest_of_those(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("a box of parts\nold courier box\nnew courier box\nnothing\n")
    notes = Notes(tmp_path / "notes")
    assert notes.found("the boxes? courier and box") == ["new courier box", "old courier box", "a box of parts"]


def test_no_more_is_read_than_the_budget_in_whole_lines() -> None:
    class Much(Nothing):
        def begin(self, task: Task) -> Sequence[str]:
            return ["courier " * 20] * 1_000

    account: Account = play(drawn(WORLD, 1)[0], WORLD.tools, Much())
    assert BEGIN_TOKENS - 40 < account.tokens <= BEGIN_TOKENS


def test_answers_of_two_hops_are_planted_and_looked_for(store: Store) -> None:
    drawn_chains = chains(4, 1)
    assert all(not set(chain.first.text.split()[-1:]) & set(chain.asked.split()) for chain in drawn_chains)
    found = discovery(store, 4, 1, ["connector"])
    assert found.keys() == {f"told as {way}{by}" for way in WAYS for by in ("", ", by a session")}
    assert all(0 <= each <= 100 for each in found.values()) and found["told as claims, by a session"] == 100


@pytest.mark.parametrize("seed", range(4))
def test_the_recovery_that_works_comes_first_after_ten_tries(seed: int, store: Store) -> None:
    places = failures.ranks(store.memory("harness/failures"), seed)
    assert len(places) == failures.TRIES + 1 and all(1 <= place <= 5 for place in places)
    assert places[-1] == 1


def test_a_session_leaves_a_recovery_for_each_failure_and_says_which_it_has_used(store: Store) -> None:
    memory = store.memory("harness/test")
    steps(Sessions(memory))
    left = memory.claims(predicate="recovery").claims
    assert left and all("courier" in (claim.text or "") for claim in left)


def test_the_example_of_the_docs_is_read_and_run(tmp_path: Path) -> None:
    block = re.findall(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)[0]
    file = tmp_path / "world.json"
    file.write_text(block)
    assert read_world(file).kinds
    report = run(Size.TINY, tmp_path / "scratch", world=file, seed=3)
    assert report.figures["no memory: steps of a task, mean"] > 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"tasks": 0}, "tasks is a number from 1"),
        ({"tasks": True}, "tasks is of another type"),
        ({"colour": "red"}, "and not 'colour'"),
        ({"changing": 2}, "changing is a share"),
        ({"kinds": []}, "kinds is a list of one"),
        (
            {"kinds": [{"name": "x", "workflow": "y", "plan": ["nobody"], "goals": ["Go"]}]},
            "'nobody' is none of courier",
        ),
        ({"kinds": [{"name": "x", "workflow": "y", "plan": ["courier"], "goals": ["{hue}"]}]}, "'hue' is none of size"),
        ({"attributes": {"size": {"big": []}}}, "attribute 'size', value 'big': it is a list"),
        ({"tools": {"courier": {"failures": ["refused"], "remedies": ["one; two", "x y"]}}}, "none of .;:,'"),
        ({"tools": {"courier": {"failures": ["odd"], "remedies": ["a b", "x y"]}}}, "'odd' is none of refused"),
        ({"rules": [{"tool": "courier", "when": {"size": "red"}, "failure": "refused", "remedy": "a b"}]}, "'red' is"),
        ({"rules": [{"tool": "courier", "when": {}, "failure": "refused", "remedy": "c d"}]}, "remedy: 'c d' is none"),
    ],
)
def test_a_bad_file_says_where_it_is_bad(change: dict[str, object], why: str, tmp_path: Path) -> None:
    world = {
        "name": "bad", "tasks": 3, "attributes": {"size": {"big": ["big"]}}, "failures": {"refused": ["closed"]},
        "tools": {"courier": {"failures": ["refused"], "remedies": ["a b", "x y"]}},
        "kinds": [{"name": "x", "workflow": "y", "plan": ["courier"], "goals": ["Send a {size} box"]}],
    }  # fmt: skip
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(world))
    read_world(file)
    file.write_text(json.dumps({**world, **change}))
    with pytest.raises(WorldFileError, match=re.escape(why)):
        read_world(file)
    with pytest.raises(SystemExit, match=re.escape("harness: bad.json")):
        run(Size.TINY, tmp_path, world=file)


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text("{")
    with pytest.raises(WorldFileError, match="this is no JSON"):
        read_world(file)
