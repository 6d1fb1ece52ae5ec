"""Small exports in the forms that their makers document, and what comes of one."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.producers.drafts import DRAFTER
from yggdrasil_producers.importers import Import
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import ClearContent

Importer = Callable[..., Import]

CLAUDE: list[dict[str, Any]] = [
    {
        "uuid": "0c7d",
        "name": "Deploying on Fridays",
        "summary": "",
        "created_at": "2024-03-01T10:00:00.000000Z",
        "updated_at": "2024-03-01T10:05:00.000000Z",
        "account": {"uuid": "a1"},
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "Should we deploy on a Friday?",
                "content": [{"type": "text", "text": "Should we deploy on a Friday?", "citations": []}],
                "created_at": "2024-03-01T10:00:01.500000Z",
                "attachments": [
                    {"file_name": "plan.txt", "file_size": 9, "file_type": "txt", "extracted_content": "Friday: go"}
                ],
                "files": [{"file_name": "chart.png"}],
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "Better not.\n\nThis block is not supported.",
                "content": [
                    {"type": "thinking", "thinking": "Fridays are risky"},
                    {"type": "text", "text": "Better not."},
                    {"type": "tool_use", "name": "calendar", "input": {"day": "Friday"}},
                    {"type": "tool_result", "content": []},
                    {"type": "text", "text": "Wait until Monday."},
                ],
                "created_at": "2024-03-01T10:00:09Z",
                "attachments": [],
                "files": [],
            },
            {"uuid": "m3", "sender": "human", "text": "", "content": [], "attachments": [], "files": []},
        ],
    }
]


def said(role: str, *parts: Any, sort: str = "text", at: float | None = None, **more: Any) -> dict[str, Any]:
    """A message of ChatGPT's."""
    content = {"content_type": sort, "parts": list(parts)}
    return {"id": None, "author": {"role": role, "name": None, "metadata": {}}, "create_time": at, "content": content,
            "status": "finished_successfully", "recipient": "all", "metadata": {}, **more}  # fmt: skip


def chatgpt(*messages: dict[str, Any] | None, title: str = "Parcels", **more: Any) -> dict[str, Any]:
    """A conversation of ChatGPT's without branches: each message has the one before as its parent."""
    mapping: dict[str, Any] = {}
    for n, message in enumerate(messages):
        node = {"id": f"n{n}", "message": message and {**message, "id": f"n{n}"}}
        mapping[f"n{n}"] = {**node, "parent": f"n{n - 1}" if n else None, "children": [f"n{n + 1}"]}
    return {"title": title, "create_time": 1_700_000_000.25, "update_time": 1_700_000_900.0, "mapping": mapping,
            "conversation_id": "6995-e8", "current_node": f"n{len(messages) - 1}", **more}  # fmt: skip


def written(folder: Path, data: Any, name: str = "conversations.json") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return file


def packed(folder: Path, files: dict[str, Any], how: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w", how) as archive:
        for name, data in files.items():
            archive.writestr(name, data if isinstance(data, bytes) else json.dumps(data))
    return path


def commands_of(importing: Import) -> list[Any]:
    """The commands of an import, each of which must decode; as many units as were announced are done after it."""
    found: list[Any] = []
    for draft in importing.drafts:
        decoded = decode(draft.value)
        assert isinstance(decoded, Decoded), decoded
        assert decoded.command.id == draft.id
        found.append(decoded.command)
    assert importing.done == importing.total
    return found


def imported(importer: Importer, path: Path) -> list[Any]:
    return commands_of(importer(path, DRAFTER))


def content(command: Any) -> ClearContent:
    assert isinstance(command.content, ClearContent)
    return command.content


def texts(commands: list[Any]) -> list[str | None]:
    return [content(each).text for each in commands]
