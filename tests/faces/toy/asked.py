"""Run in the copy: toast somebody, and ask who was toasted, over every face. Prints what each of them answers."""

import asyncio
import io
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import httpx2
import orjson

import yggdrasil
from yggdrasil import AsyncMemory, Memory
from yggdrasil.cli.app import main
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_producers.draft import Drafter


def raised(call: Callable[..., Any], *arguments: Any, **named: Any) -> str:
    try:
        call(*arguments, **named)
    except Exception as error:  # whichever it is, its name is told
        return type(error).__name__
    return ""


def on_the_command_line(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = main(list(words))
    return code, out.getvalue()


def run(folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = {"exported": {"NoToastsError", "Toasts"} <= set(yggdrasil.__all__)}
    with Embedded(folder, partitions=1, sliced=True) as engine, Serving(engine, Service(("127.0.0.1", 0))) as serving:
        here = Memory(engine, Drafter("me/agent", "agent", "toy"))
        there = Memory.connect(serving.url, memory="me/agent")
        at = f"{serving.url}/v1/memories/me/agent"

        async def awaited() -> Any:
            async with AsyncMemory(Memory(engine, Drafter("me/agent", "agent", "toy"))) as memory:
                await memory.toast(ana, "tea")  # type: ignore[attr-defined]  # of the copy
                return await memory.toasts(count=1)  # type: ignore[attr-defined]

        ana = here.record_event("Ana came")
        ways: tuple[Any, ...] = (here, there)
        told["nobody"] = [raised(memory.toasts) for memory in ways]
        words = ("read", "toasts", "--service", serving.url)
        told["nobody"] += [httpx2.get(f"{at}/toasts").json()["type"], on_the_command_line(*words)[0]]
        told["refused"] = [raised(memory.toast, "0" * 8 + "-0000-7000-8000-" + "0" * 12, "tea") for memory in ways]
        bodies = ({"node": ana}, {"node": ana, "drink": "tea"})
        said = [httpx2.post(f"{at}/commands", json={"type": "toast", "body": body}) for body in bodies]
        told["malformed"], told["accepted"] = said[0].status_code, said[1].json()["accepted"]
        for memory in ways:
            memory.toast(ana, "tea")
        answers = [asyncio.run(awaited()), *(memory.toasts("2020-01-01") for memory in ways)]
        told["answers"] = [[one.ref for one in answer.toasted] == [ana] for answer in answers]
        told["later"] = [raised(memory.toasts, since="2999-01-01") for memory in ways]
        told["unbounded"] = httpx2.get(f"{at}/toasts?count=21").status_code
        shown = httpx2.get(f"{at}/toasts?since=2020-01-01&count=2").json()
        code, out = on_the_command_line(*words, "since=2020-01-01", "--json")
        told["said"] = [memory.say("toast", {"node": ana, "drink": "tea"}) != "" for memory in ways]
        toast = ("say", "toast", "--service", serving.url, f"node={ana}")
        told["said"] += [on_the_command_line(*toast, "drink=tea")[0], on_the_command_line(*toast)[0]]
        told["shown"] = [shown["toasted"][0]["ref"] == ana, code, orjson.loads(out)["toasted"][0]["ref"] == ana]
        document = httpx2.get(f"{serving.url}/openapi.json", timeout=60).json()
        told["documented"] = document["paths"]["/v1/memories/{tenant}/{agent}/toasts"]["get"]["operationId"]
        there.close()
    return told


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.buffer.write(orjson.dumps(run(Path(place) / "data")))
