"""How soon a command can be read at a service over a topic: said with pauses, for which it waits, and without."""

import random
from pathlib import Path
from threading import Event as Flag
from time import perf_counter
from typing import Any, Final

from tests.service.processes import serving
from yggdrasil import Memory

from .topic import Filled

_PAUSE_S_MAX: Final = 1.2  # more than twice what a poll of an idle service waits
_NEVER: Final = Flag()


def figures(filled: Filled, scratch: Path, commands: int) -> dict[str, float]:
    """Append ``commands`` events to one memory in each way, and read it after each."""
    found: dict[str, float] = {}
    there = ("--kafka", filled.settings.bootstrap_servers, "--topic", filled.name, "--development")
    scratch.mkdir()
    with (
        serving(scratch, *there, "--data", str(scratch / "host"), "--embedder", "off", "--rate", "0") as service,
        Memory.connect(service.url, memory="bench/served") as memory,
    ):
        _read_after(memory, 0.0)
        choose = random.Random(7)
        for name, pauses_s in (("idle", _PAUSE_S_MAX), ("busy", 0.0)):
            taken = sorted(_read_after(memory, choose.random() * pauses_s) for _ in range(commands))
            for at in (50, 95):
                found[f"{name}_append_until_read_p{at}_ms"] = taken[len(taken) * at // 100] * 1e3
    return found


def _read_after(memory: Memory[Any], pause_s: float) -> float:
    """Return the seconds from before a command is sent until an answer has it."""
    _NEVER.wait(pause_s)
    start = perf_counter()
    memory.record_event("It was said", features=["said"])
    memory.happened(count=1)
    return perf_counter() - start
