"""Claude's memory tool over a memory: run by the client's own runner, and beside the client's own tool over a disk."""

import asyncio
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaLocalFilesystemMemoryTool
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.doors.served import WAYS, House
from tests.size import turns
from yggdrasil import AsyncMemory, Store
from yggdrasil.doors.claude_memory import AsyncYggdrasilMemoryTool, YggdrasilMemoryTool
from yggdrasil.doors.documents import files
from yggdrasil.doors.documents.files import FILE_BYTES_MAX

EXAMPLES = turns(15, 600)
Command = dict[str, Any]
ASKED: Any = {"model": "claude", "max_tokens": 9, "messages": [{"role": "user", "content": "Go on."}]}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("claude")) as made:
        yield made


@pytest.fixture(params=WAYS)
def tool(house: House, request: pytest.FixtureRequest) -> YggdrasilMemoryTool:
    return YggdrasilMemoryTool(house.memory(request.param))


class Model:
    """What stands for the model: it calls the tool with what it was told to, and keeps what came back."""

    def __init__(self, commands: list[Command]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._left = list(commands)

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        number = len(self.requests)
        said: dict[str, Any] = {"type": "text", "text": "Done."}
        if self._left:
            said = {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": self._left.pop(0)}
        stop = "end_turn" if said["type"] == "text" else "tool_use"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude", "content": [said]}
        return httpx2.Response(200, json=message | {"stop_reason": stop, "stop_sequence": None, "usage": usage})

    @property
    def told(self) -> list[tuple[str, bool]]:
        """What the tool said each time, and whether as an error."""
        results = [request["messages"][-1]["content"][0] for request in self.requests[1:]]
        return [(result["content"], result.get("is_error", False)) for result in results]


def run(tool: YggdrasilMemoryTool, *commands: Command) -> list[tuple[str, bool]]:
    model = Model(list(commands))
    with httpx2.Client(transport=httpx2.MockTransport(model.answer)) as http:
        client = anthropic.Anthropic(api_key="none", http_client=http)
        client.beta.messages.tool_runner(**ASKED, tools=[tool]).until_done()
    assert model.requests[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    return model.told


def call(tool: BetaAbstractMemoryTool, command: str, **arguments: Any) -> str:
    """What a command answers, or what its error says."""
    try:
        return str(tool.call({"command": command, **arguments}))
    except ToolError as error:
        return f"Error: {error.content}"


SESSION: list[tuple[Command, str, bool]] = [
    ({"command": "view", "path": "/memories"}, "Here're the files and directories up to 2 levels deep in /memories, "
     "excluding hidden items:\n0B\t/memories", False),
    ({"command": "create", "path": "/memories/ana.md", "file_text": "Ana\neats meat\n"},
     "File created successfully at: /memories/ana.md", False),
    ({"command": "create", "path": "/memories/ana.md", "file_text": ""}, "File /memories/ana.md already exists", True),
    ({"command": "str_replace", "path": "/memories/ana.md", "old_str": "meat", "new_str": "beans"},
     "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
     "     1\tAna\n     2\teats beans\n     3\t", False),
    ({"command": "insert", "path": "/memories/ana.md", "insert_line": 0, "insert_text": "# Notes"},
     "The file /memories/ana.md has been edited.", False),
    ({"command": "view", "path": "/memories/ana.md", "view_range": [1, 2]},
     "Here's the content of /memories/ana.md with line numbers:\n     1\t# Notes\n     2\tAna", False),
    ({"command": "rename", "old_path": "/memories/ana.md", "new_path": "/memories/people/ana.md"},
     "Successfully renamed /memories/ana.md to /memories/people/ana.md", False),
    ({"command": "view", "path": "/memories"}, "Here're the files and directories up to 2 levels deep in /memories, "
     "excluding hidden items:\n23B\t/memories\n23B\t/memories/people/\n23B\t/memories/people/ana.md", False),
    ({"command": "view", "path": "/memories/ana.md"},
     "The path /memories/ana.md does not exist. Please provide a valid path.", True),
    ({"command": "delete", "path": "/memories/people"}, "Successfully deleted /memories/people", False),
    ({"command": "delete", "path": "/memories/people"}, "The path /memories/people does not exist", True),
]  # fmt: skip


def test_a_model_keeps_its_files(tool: YggdrasilMemoryTool) -> None:
    assert run(tool, *(command for command, _, _ in SESSION)) == [(said, wrong) for _, said, wrong in SESSION]


def test_a_model_keeps_its_files_asynchronously(house: House) -> None:
    async def go(tool: AsyncYggdrasilMemoryTool) -> None:
        model = Model([command for command, _, _ in SESSION])
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(model.answer)) as http:
            client = anthropic.AsyncAnthropic(api_key="none", http_client=http)
            await client.beta.messages.tool_runner(**ASKED, tools=[tool]).until_done()
        assert model.told == [(said, wrong) for _, said, wrong in SESSION]
        assert await tool.clear_all_memory() == "All memory cleared"

    asyncio.run(go(AsyncYggdrasilMemoryTool(house.memory("directory"))))
    asyncio.run(go(AsyncYggdrasilMemoryTool(AsyncMemory(house.memory("service")))))


def test_every_edit_stays_in_the_history(tool: YggdrasilMemoryTool) -> None:
    run(tool, *(command for command, _, _ in SESSION))
    memory = tool.files.documents.memory
    told = memory.history(key=tool.files.key("/memories/ana.md")).memories
    assert [(each.status, each.text) for each in told] == [
        ("superseded", "Ana\neats meat\n"),
        ("superseded", "Ana\neats beans\n"),
        ("superseded", "# Notes\nAna\neats beans\n"),
    ]
    moved = memory.history(key=tool.files.key("/memories/people/ana.md")).memories
    assert [(each.status, each.supersedes) for each in moved] == [("rejected", told[-1].ref)]
    assert moved[0].ruling is not None and moved[0].ruling.reason == "deleted /memories/people"


def test_what_is_in_a_file_is_in_the_memory_s_answers(tool: YggdrasilMemoryTool) -> None:
    call(tool, "create", path="/memories/desk.md", file_text="The stapler is in the third drawer\n")
    memory = tool.files.documents.memory
    shown = memory.get_context("Where is the stapler?").text()
    assert "third drawer" in shown and ", in:" not in shown, "the number of a namespace says nothing to a reader"
    call(tool, "delete", path="/memories/desk.md")
    assert memory.get_context("Where is the stapler?").refs == []


def test_no_path_leads_out_and_nothing_unbounded_comes_in(tool: YggdrasilMemoryTool) -> None:
    outside = [
        "/memories/../etc/passwd", "/memories/a/../../b", "/memories/%2e%2e/a", "/memories/..%2Fa", "/memories/..\\a",
        "/memories/%2E%2E%2Fa", "/etc/passwd", "memories/a", "/memoriesx", "", "..", "/memories/a/..",
    ]  # fmt: skip
    bounded = ["/memories/" + "a/" * 20, "/memories/" + "a" * 300, "/memories/a\nb", "/memories/a\x00b"]
    for path in [*outside, *bounded]:
        commands: list[Command] = [
            {"command": "view", "path": path},
            {"command": "create", "path": path, "file_text": "x"},
            {"command": "str_replace", "path": path, "old_str": "x", "new_str": "y"},
            {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
            {"command": "delete", "path": path},
            {"command": "rename", "old_path": path, "new_path": "/memories/new"},
            {"command": "rename", "old_path": "/memories/old", "new_path": path},
        ]
        for command in commands:
            said = call(tool, **command)
            assert said.startswith("Error: Path " if path in outside else "Error: A path has at most"), (command, said)
    assert "split it" in call(tool, "create", path="/memories/big", file_text="\u00e9" * (FILE_BYTES_MAX // 2 + 1))
    assert call(tool, "create", path="/memories/big", file_text="\u00e9" * (FILE_BYTES_MAX // 2)).startswith(
        "File crea"
    )
    insert = {"path": "/memories/big", "insert_line": 0, "insert_text": "x"}
    assert "split it" in call(tool, "insert", **insert)
    assert "half of a character" in call(tool, "create", path="/memories/half", file_text="\ud800")
    assert "is not a directory" in call(tool, "create", path="/memories/big/more", file_text="")
    assert "into itself" in call(tool, "rename", old_path="/memories/big", new_path="/memories/big/more")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"command": "forget", "path": "/memories/a"}, "one of view, create, str_replace, insert, delete, rename"),
        ({}, "one of view"),
        ("view", "one of view"),
        ({"command": ["view"]}, "one of view"),
        ({"command": "create", "path": "/memories/a"}, "`file_text`: missing"),
        ({"command": "create", "path": 3, "file_text": None}, "`path`: must be a text"),
        ({"command": "view", "path": "/memories/a", "view_range": ["x", 2]}, "`view_range.0`"),
        ({"command": "insert", "path": "/memories/a", "insert_line": "first", "insert_text": "x"}, "`insert_line`"),
    ],
)
def test_what_is_no_command_is_an_error_that_says_what_to_do(house: House, given: Any, told: str) -> None:
    tool = YggdrasilMemoryTool(house.memory("directory"))
    with pytest.raises(ToolError, match=re.escape(told)):
        tool.call(given)
    with pytest.raises(ToolError, match=re.escape(told)):
        asyncio.run(AsyncYggdrasilMemoryTool(house.memory("directory")).call(given))
    if isinstance(given, dict) and given:
        ((said, wrong),) = run(tool, given)
        assert wrong and told in said, "the runner tells the model"


def test_a_directory_of_any_size_can_be_deleted(tool: YggdrasilMemoryTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ENTRIES_MAX", 3)
    for number in range(8):
        call(tool, "create", path=f"/memories/notes/{number}", file_text="x")
    assert "smaller parts" in call(tool, "rename", old_path="/memories/notes", new_path="/memories/old")
    assert "more than 3 files" in call(tool, "view", path="/memories")
    assert call(tool, "delete", path="/memories/notes") == "Successfully deleted /memories/notes"
    assert "does not exist" in call(tool, "delete", path="/memories/notes")


def test_what_is_known_of_things_is_shown_and_not_written(tool: YggdrasilMemoryTool) -> None:
    memory = tool.files.documents.memory
    memory.observe("Moved in May", [("depot:main", "located_in", "city:oslo"), ("depot:main", "rooms", "12")])
    memory.observe("Odd", [("a/b %2F", "is", "odd\n- rooms: 99")])
    memory.assert_claim("depot:main", "owner", "Ida", valid_from=-(2**53) + 1, valid_to=2**53 - 1)
    memory.assert_claim("depot:main", "founded", "1900", valid_from=-2_208_988_800_000)
    listing = call(tool, "view", path="/memories")
    assert [line.split("\t")[1] for line in listing.split("\n")[1:]] == [
        "/memories", "/memories/facts/", "/memories/facts/a%2Fb %252F.md", "/memories/facts/depot:main.md",
    ]  # fmt: skip
    shown = call(tool, "view", path="/memories/facts/depot:main.md")
    assert "# depot:main" in shown and "- located_in: city:oslo (confidence" in shown and "- rooms: 12" in shown
    assert "- founded: 1900 (since 1900-01-01, confidence" in shown and "- owner: Ida (since -" in shown
    assert "- is: odd - rooms: 99 (" in call(tool, "view", path="/memories/facts/a%2Fb %252F.md")
    assert "does not exist" in call(tool, "view", path="/memories/facts/nobody.md")
    path = "/memories/facts/depot:main.md"
    for command in (
        {"command": "create", "path": "/memories/facts/new.md", "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "oslo", "new_str": "rome"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": path},
        {"command": "delete", "path": "/memories/facts"},
        {"command": "rename", "old_path": path, "new_path": "/memories/mine.md"},
        {"command": "rename", "old_path": "/memories/mine.md", "new_path": path},
    ):
        assert "is read-only. Write what you have learnt to another file" in call(tool, **command), command
    assert call(tool, "view", path=path) == shown


def test_the_model_is_told_that_the_service_is_away(house: House) -> None:
    tool = YggdrasilMemoryTool(house.memory("service"))
    view = {"command": "view", "path": "/memories/a.md"}
    run(tool, {"command": "create", "path": "/memories/a.md", "file_text": "kept"})
    house.go()
    try:
        ((said, wrong),) = run(tool, view)
    finally:
        house.come()
    assert wrong and "no service answers" in said
    assert run(tool, view) == [("Here's the content of /memories/a.md with line numbers:\n     1\tkept", False)]


def test_two_models_at_once_lose_no_file(house: House) -> None:
    tools = [YggdrasilMemoryTool(house.memory("service", "me/two")) for _ in "12"]

    def use(which: int) -> None:
        for number in range(10):
            call(tools[which], "create", path=f"/memories/{which}/{number}", file_text="x\n")
            call(tools[which], "insert", path=f"/memories/{which}/{number}", insert_line=1, insert_text=str(number))

    threads = [Thread(target=use, args=(which,)) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for which in (0, 1):
        assert call(tools[1 - which], "view", path=f"/memories/{which}").count("\n") == 11
        assert call(tools[1 - which], "view", path=f"/memories/{which}/7").endswith("     1\tx\n     2\t7\n     3\t")


def test_edits_by_one_tool_at_once_follow_each_other(house: House) -> None:
    tool = YggdrasilMemoryTool(house.memory("directory"))
    call(tool, "create", path="/memories/log", file_text="")

    def insert(number: int) -> None:
        call(tool, "insert", path="/memories/log", insert_line=0, insert_text=f"line {number}")

    threads = [Thread(target=insert, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert call(tool, "view", path="/memories/log").count("line ") == 21, "twenty, and the heading has one"


def test_memories_are_apart(tmp_path: Path) -> None:
    with Store.open(tmp_path, embedder="none") as store:
        one, two = (YggdrasilMemoryTool(store.memory(name)) for name in ("acme/ana", "other/ana"))
        call(one, "create", path="/memories/secret", file_text="x")
        assert call(two, "view", path="/memories/secret").startswith("Error: The path")
        assert call(two, "delete", path="/memories/secret").startswith("Error: The path")
        call(two, "create", path="/memories/own", file_text="x")
        assert two.clear_all_memory() == "All memory cleared"
        assert "/memories/secret" in call(one, "view", path="/memories")


NAMES = st.sampled_from(["a", "b", "a.md", ".hidden"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(lambda names: "/memories/" + "/".join(names))
# Line ends have tests of their own: an edit keeps those of a file, which the client's own tool rewrites.
LINES = st.lists(st.sampled_from(["x", "yx", "", "x y", "\u00e9"]), max_size=4).map("\n".join)
RANGES = st.none() | st.tuples(st.integers(0, 4), st.integers(1, 6) | st.just(-1)).map(list)
SOME = st.sampled_from(["x", "yx", "\n", "\u00e9", "z"])
COMMANDS = st.one_of(
    st.fixed_dictionaries({"command": st.just("view"), "path": PATHS, "view_range": RANGES}),
    st.fixed_dictionaries({"command": st.just("create"), "path": PATHS, "file_text": LINES}),
    st.fixed_dictionaries({"command": st.just("create"), "path": PATHS, "file_text": LINES}),
    st.fixed_dictionaries({"command": st.just("str_replace"), "path": PATHS, "old_str": SOME, "new_str": LINES}),
    st.fixed_dictionaries(
        {"command": st.just("insert"), "path": PATHS, "insert_line": st.integers(-1, 4), "insert_text": LINES}
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": PATHS}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": PATHS, "new_path": PATHS}),
)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=st.lists(COMMANDS, min_size=1, max_size=12))
@example(
    commands=[
        {"command": "create", "path": "/memories/empty", "file_text": ""},
        {"command": "view", "path": "/memories/empty", "view_range": [2, -1]},
    ]
)
def test_it_says_what_the_client_s_own_tool_says(
    house: House, tmp_path_factory: pytest.TempPathFactory, commands: list[Command]
) -> None:
    ours = YggdrasilMemoryTool(house.memory("directory"))
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path_factory.mktemp("theirs")))
    for command in commands:
        try:
            expected = call(theirs, **command)
        except OSError:  # a file where it looks for a directory, or one into itself: ours tells the model so
            expected = None
        prune(theirs.memory_root)
        said = call(ours, **command)
        if expected is None:
            assert said.startswith("Error: "), command
        else:
            assert unsized(said) == unsized(expected), command
    assert unsized(call(ours, "view", path="/memories")) == unsized(call(theirs, "view", path="/memories"))


def prune(folder: Path) -> None:
    """Take out empty directories, which a memory does not have."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def unsized(said: str | None) -> str | None:
    """What is said, but for the sizes of directories, which are a disk's own affair."""
    if said is None or not said.startswith("Here're"):
        return said
    first, root, *rest = said.split("\n")
    rest = [line.partition("\t")[2] if line.endswith("/") else line for line in rest]
    return "\n".join([first, root.partition("\t")[2], *rest])


def test_a_text_that_nothing_takes_the_place_of_is_deleted(tool: YggdrasilMemoryTool) -> None:
    """As a model has it that leaves the new text out, or sends null for it."""
    call(tool, "create", path="/memories/gone.md", file_text="one\ntwo\nthree\n")
    assert "edited" in call(tool, "str_replace", path="/memories/gone.md", old_str="two\n")
    assert "edited" in call(tool, "str_replace", path="/memories/gone.md", old_str="three\n", new_str=None)
    assert call(tool, "view", path="/memories/gone.md").endswith("     1\tone\n     2\t")


def kept(tool: YggdrasilMemoryTool, path: str) -> Any:
    found = tool.files.documents.get(tuple(path.removeprefix("/memories/").split("/")))
    return None if found is None else found.value["text"]


@pytest.mark.parametrize("old", ["two\nthree", "two\r\nthree"])
@pytest.mark.parametrize("new", ["2\n3", "2\r\n3"])
def test_a_file_with_other_ends_of_lines_is_matched_and_keeps_them(
    tool: YggdrasilMemoryTool, old: str, new: str
) -> None:
    path = f"/memories/dos{len(old)}{len(new)}.txt"
    call(tool, "create", path=path, file_text="one\r\ntwo\r\nthree\r\nfour\r\n")
    assert "edited" in call(tool, "str_replace", path=path, old_str=old, new_str=new)
    assert kept(tool, path) == "one\r\n2\r\n3\r\nfour\r\n"
    assert "edited" in call(tool, "insert", path=path, insert_line=1, insert_text="and\na half\n")
    assert kept(tool, path) == "one\r\nand\r\na half\r\n2\r\n3\r\nfour\r\n"
    assert "edited" in call(tool, "str_replace", path=path, old_str="\nfour\n", new_str="\n")
    assert kept(tool, path) == "one\r\nand\r\na half\r\n2\r\n3\r\n"
    assert "Multiple occurrences" in call(tool, "str_replace", path=path, old_str="\n", new_str="")


def test_ends_of_lines_of_both_sorts_stay_where_they_are(tool: YggdrasilMemoryTool) -> None:
    path = "/memories/both.txt"
    call(tool, "create", path=path, file_text="a\nb\r\nc\nd\r\n")
    assert "edited" in call(tool, "str_replace", path=path, old_str="b\nc", new_str="B\nC")
    assert kept(tool, path) == "a\nB\r\nC\nd\r\n"
    assert "edited" in call(tool, "insert", path=path, insert_line=2, insert_text="b2\nb3")
    assert "edited" in call(tool, "insert", path=path, insert_line=1, insert_text="a2")
    assert kept(tool, path) == "a\na2\nB\r\nb2\r\nb3\r\nC\nd\r\n"


UNSEEN = ("a\u034f", "a\ufe0f", "a\u3164", "a\u2800", "a\U000e0041", "a\u200db", "a\u200c", "\u2065a")


def test_names_that_look_alike_are_one_file_or_refused(tool: YggdrasilMemoryTool) -> None:
    composed, apart = "/memories/caf\u00e9.md", "/memories/cafe\u0301.md"
    call(tool, "create", path=apart, file_text="one\n")
    assert "already exists" in call(tool, "create", path=composed, file_text="two\n")
    assert call(tool, "view", path=composed).endswith("1\tone\n     2\t") == call(tool, "view", path=apart).endswith(
        "1\tone\n     2\t"
    )
    assert tool.files.key(composed) == tool.files.key(apart)
    for name in ("a ", " a", "a.", "a\u200b", "a\u00a0", "\u202ea", "a\ufeff", *UNSEEN):
        assert "looks like another name" in call(tool, "create", path=f"/memories/{name}", file_text="x")
        call(tool, "create", path="/memories/from", file_text="x")
        assert "looks like another name" in call(
            tool, "rename", old_path="/memories/from", new_path=f"/memories/{name}"
        )
    for name in ("note", "Note", "NOTE", "\U0001f469\u200d\U0001f469", "a b", "\u2764\ufe0f", "\u0646\u200c\u0647"):
        assert "created" in call(tool, "create", path=f"/memories/{name}", file_text=name)
        assert kept(tool, f"/memories/{name}") == name


def test_a_file_that_was_written_decomposed_before_is_still_there(tool: YggdrasilMemoryTool) -> None:
    tool.files.documents.put(("u\u0308ber.md",), {"text": "old\n"}, "old\n")
    for path in ("/memories/u\u0308ber.md", "/memories/\u00fcber.md"):
        assert "old" in call(tool, "view", path=path)
    assert "edited" in call(tool, "str_replace", path="/memories/\u00fcber.md", old_str="old", new_str="new")
    assert "new" in call(tool, "view", path="/memories/u\u0308ber.md")
    assert "deleted" in call(tool, "delete", path="/memories/\u00fcber.md")
    assert "does not exist" in call(tool, "view", path="/memories/u\u0308ber.md")


def test_an_edit_that_is_under_way_in_the_parent_holds_up_no_child(house: House) -> None:
    of_parent = files.Files(house.memory(WAYS[0]))
    with of_parent._editing:
        child = os.fork()
        if child == 0:
            os._exit(0 if of_parent._editing.acquire(timeout=5) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
