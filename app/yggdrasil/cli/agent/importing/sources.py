"""``yggdrasil import git`` and its like: what becomes a memory by itself, as commands with derived ids."""

from pathlib import Path
from typing import Annotated, Final

import typer

from ...options import (
    MEMORY_DEFAULT,
    TOPIC_DEFAULT,
    Development,
    EmbedderSetting,
    Json,
    KafkaInstead,
    MemoryId,
    Topic,
    help_alone,
)
from ...targets import HERE, OfImport, Where
from . import exports, world
from .running import import_into, place_of
from .standing import How

_HELP: Final = """Import what others know: git, chats, notes.

Ids are derived from the content, so importing twice changes nothing, and
after an interruption the same command goes on where it stopped.

\b
Examples:
  yggdrasil import git .
  echo '{"role": "user", "content": "Do not deploy on Fridays"}' > chat.jsonl
  yggdrasil import chat chat.jsonl
  yggdrasil import locomo locomo10.json --memory locomo/all
  yggdrasil import chatgpt export.zip --dry-run

With --kafka the commands go to a topic instead, where workers fold them; see
`yggdrasil topics` and `yggdrasil worker`.
"""

app = typer.Typer(help=_HELP, rich_markup_mode=None)
app.callback(invoke_without_command=True)(help_alone)


@app.command("git", cls=OfImport, short_help="Import a git history, with its reverts, mends and releases.")
def git(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A git repository, or a folder inside one.")] = Path("."),
    commits_max: Annotated[
        int | None, typer.Option("--commits-max", min=1, help="Only the newest N commits; without it, all.")
    ] = None,
    rev: Annotated[str, typer.Option("--rev", help="The branch, tag or commit whose history it is.")] = "HEAD",
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Import a git history: each commit is an event; reverts, mends and releases are its outcomes.

    The subject is what the event says; changed files, folders, author and kind of change are its features. A commit
    that was reverted later gets the outcome -3, one that was mended soon after -1, one that was released +0.5.

    \b
    Examples:
      yggdrasil import git .
      # the same again changes nothing, and only new commits are added later
      yggdrasil import git . --json
      # a long history, only its newest part, into a memory of its own
      yggdrasil import git . --commits-max 2000 --memory me/project
    """
    from yggdrasil_producers.importers import import_git

    there = place_of(context, kafka, topic, development, place, embedder)
    import_into(
        lambda drafter: import_git(path, drafter, commits_max=commits_max, rev=rev), "commit", there, memory, json
    )


@app.command("chat", cls=OfImport, short_help="Import a conversation from JSON lines.")
def chat(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON lines, one turn a line.")],
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Import a conversation from JSON lines: each turn is an event of its session.

    A line is {"role": "user", "content": "..."}; "session", "at" (Unix ms or ISO 8601) and "id" may be added,
    and "facts", a list of ["subject", "predicate", "object"]: what the turn tells of, with it as evidence.

    \b
    Examples:
      echo '{"role": "user", "content": "Do not deploy on Fridays", "session": "monday"}' > chat.jsonl
      yggdrasil import chat chat.jsonl
      yggdrasil context "When should we deploy?"
    """
    from yggdrasil_producers.importers import import_chat

    there = place_of(context, kafka, topic, development, place, embedder)
    import_into(lambda drafter: import_chat(file, drafter), "turn", there, memory, json, How("chat"))


@app.command("claims", cls=OfImport, short_help="Import claims from JSON lines: who says what of which thing.")
def claims(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON lines, one claim a line.")],
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Import claims from JSON lines: who says what of which thing, how sure, and when.

    A line is {"entity": "person:ana", "claim": {"predicate": "lives_in", "object": "city:oslo"}}; "source", "author",
    "confidence" (0 to 1, or whole percent from 2 on) and "timestamp" (Unix ms or ISO 8601) may be added, and to the
    claim "valid_from", "valid_to", "qualifiers" and "text". A claim may also be a text. Each source counts as one; it
    holds from its timestamp on.
    Lines that are no claims are named by their numbers, and the rest is imported.

    \b
    Examples:
      echo '{"entity": "person:ana", "claim": {"predicate": "lives_in", "object": "city:oslo"}}' > claims.jsonl
      echo '{"entity": "person:ana", "claim": "likes hiking", "source": "crm", "author": "ben"}' >> claims.jsonl
      yggdrasil import claims claims.jsonl
      yggdrasil fact show person:ana
    """
    from yggdrasil_producers.importers import import_claims

    there = place_of(context, kafka, topic, development, place, embedder)
    import_into(lambda drafter: import_claims(file, drafter), "claim", there, memory, json)


@app.command("locomo", cls=OfImport, short_help="Import conversations of the LoCoMo benchmark.")
def locomo(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file in the format of the LoCoMo benchmark.")],
    sample: Annotated[str | None, typer.Option("--sample", help="Only the conversation with this sample_id.")] = None,
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Import conversations of the LoCoMo benchmark: turns as events with speaker, session and date.

    The data set is not part of Yggdrasil; give the path of your own copy.

    \b
    Examples:
      yggdrasil import locomo locomo10.json --sample conv-26 --memory locomo/conv-26
    """
    from yggdrasil_producers.importers import import_locomo

    there = place_of(context, kafka, topic, development, place, embedder)
    import_into(lambda drafter: import_locomo(file, drafter, sample=sample), "turn", there, memory, json)


@app.command("commands", short_help="Import commands that `yggdrasil export` has written.")
def commands(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON lines, one command a line.")],
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Import commands as they are, each into the memory that it names: what `yggdrasil export` has written.

    They keep their ids and their times, so the same file again changes nothing.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil export .yggdrasil memories.jsonl
      yggdrasil import commands memories.jsonl --dir another
    """
    from yggdrasil_producers.importers import import_commands

    there = place_of(context, kafka, topic, development, place, embedder)
    import_into(lambda _: import_commands(file), "command", there, str(file), json)


exports.register(app)
world.register(app)
