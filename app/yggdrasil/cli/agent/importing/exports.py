"""``yggdrasil import mem0`` and its like: what people have in other memories, in conversations and in notes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ...options import MEMORY_DEFAULT, TOPIC_DEFAULT, Development, EmbedderSetting, Json, KafkaInstead, MemoryId, Topic
from ...screen import Screen
from ...targets import HERE, OfImport, Where
from .running import import_into, place_of
from .standing import AS_HELP, STATE_HELP, SYNC_HELP, How

if TYPE_CHECKING:
    from yggdrasil_producers.draft import Drafter
    from yggdrasil_producers.importers import Import

_KIB: Final = 1_024


@dataclass(frozen=True, slots=True)
class _Sort:
    """A sort of export: its command, the function that imports it, what it counts, and the help."""

    name: str
    function: str
    unit: str
    short: str
    path: str
    help: str


_SORTS: Final = (
    _Sort(
        "mem0",
        "import_mem0",
        "item",
        "Import the memories of mem0.",
        "What `get_all` of mem0 returned, as JSON, or a memory a line.",
        """Import the memories of mem0: each is an event with its exact text, under the key mem0:ID.

        What a later export says of a memory takes the place of what an earlier one said, so import them in their order.
        Users, agents, categories and short metadata become features; relations of its graph become claims.

        \b
        Examples:
          echo '[{"id": "m1", "memory": "Ana is a vegan", "user_id": "ana"}]' > mem0.json
          yggdrasil import mem0 mem0.json --dry-run
          yggdrasil import mem0 mem0.json
        """,
    ),
    _Sort(
        "langgraph",
        "import_langgraph",
        "item",
        "Import the items of a LangGraph store.",
        "Items of a store, as `Item.dict()` writes them, in a list or one a line.",
        """Import the items of a LangGraph store: each is a document under its namespace and key.

        The LangGraph store of this project finds them, with their exact values and times.

        \b
        Examples:
          echo '{"namespace": ["ana"], "key": "diet", "value": {"eats": "plants"}}' > store.jsonl
          yggdrasil import langgraph store.jsonl
        """,
    ),
    _Sort(
        "mcp-memory",
        "import_mcp_memory",
        "part",
        "Import the graph of the official MCP memory server.",
        "Its memory.jsonl, or what read_graph returned.",
        """Import the graph of the official memory server of MCP: entities, observations and relations become claims.

        \b
        Examples:
          echo '{"type": "entity", "name": "Ana", "entityType": "person", "observations": ["plays"]}' > memory.jsonl
          yggdrasil import mcp-memory memory.jsonl
          yggdrasil fact show Ana
        """,
    ),
    _Sort(
        "claude",
        "import_claude",
        "message",
        "Import the conversations that Claude exports.",
        "The archive that was downloaded, its folder, or conversations.json.",
        """Import the conversations that Claude exports: each is a session, each message an event.

        Thinking and calls of tools are passed over; the text of an attached file is an event of its own.

        \b
        Examples:
          yggdrasil import claude data-export.zip --dry-run
        """,
    ),
    _Sort(
        "chatgpt",
        "import_chatgpt",
        "message",
        "Import the conversations that ChatGPT exports.",
        "The archive that was downloaded, its folder, or conversations.json.",
        """Import the conversations that ChatGPT exports: each is a session, each message an event.

        Of a conversation with branches the one is taken in which it ended. Pictures, and what systems and tools say,
        are passed over.

        \b
        Examples:
          yggdrasil import chatgpt export.zip --dry-run
        """,
    ),
    _Sort(
        "markdown",
        "import_markdown",
        "section",
        "Import a folder of markdown notes, such as a vault of Obsidian.",
        "A folder of notes, or one note.",
        """Import markdown notes: each section under a heading is a note by that name.

        Tags, links and the note are its features; tags, aliases, date and title are read at the top of a note. A
        section that was changed takes the place of what it was.

        \b
        Examples:
          mkdir notes
          echo "Parcels go by rail. #decision" > notes/depot.md
          yggdrasil import markdown notes
        """,
    ),
)


def register(app: typer.Typer) -> None:
    """Give ``yggdrasil import`` a command for each sort of export."""
    for sort in _SORTS:
        app.command(sort.name, cls=OfImport, short_help=sort.short, help=sort.help)(_command(sort))


def _command(sort: _Sort) -> Callable[..., None]:
    def run(
        context: typer.Context,
        path: Annotated[Path, typer.Argument(help=sort.path)],
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Show what would be imported; append nothing.")
        ] = False,
        sync: Annotated[bool, typer.Option("--sync", help=SYNC_HELP)] = False,
        called: Annotated[str | None, typer.Option("--as", metavar="NAME", help=AS_HELP)] = None,
        state: Annotated[Path | None, typer.Option("--state", metavar="FILE", help=STATE_HELP)] = None,
        embedder: EmbedderSetting = None,
        place: Where = HERE,
        memory: MemoryId = MEMORY_DEFAULT,
        kafka: KafkaInstead = None,
        topic: Topic = TOPIC_DEFAULT,
        development: Development = False,
        json: Json = False,
    ) -> None:
        there = place_of(context, kafka, topic, development, place, embedder)

        def prepare(drafter: "Drafter") -> "Import":
            return _read(sort, path, drafter, Screen(json))

        how = How(sort.name, sync, called, state)
        import_into(prepare, sort.unit, there, memory, json, how, dry_run=dry_run)

    return run


def _read(sort: _Sort, path: Path, drafter: "Drafter", screen: Screen) -> "Import":
    """Read an export a first time, with a bar that counts its kilobytes."""
    from yggdrasil_producers.importers import exports

    drafter.check()
    read = shown = 0
    with screen.progress("Reading (KiB)", exports.bytes_at(path) // _KIB) as advance:

        def seen(count: int) -> None:
            nonlocal read, shown
            read += count
            advance(read // _KIB - shown)
            shown = read // _KIB

        found: Import = getattr(exports, sort.function)(path, drafter, seen)
    return found
