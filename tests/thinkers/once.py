"""Whether what a thinker decided took effect once, by the commands that a memory has taken."""

from collections import Counter
from itertools import pairwise
from typing import Any


def once(bodies: list[dict[str, Any]]) -> bool:
    """Whether each part of each decision is there once, and each decision begins where the one before ended."""
    stamps = [body["thinker"] for body in bodies]
    decided = sorted({(stamp["cursor_from"], stamp["cursor_to"], stamp["parts"]) for stamp in stamps})
    parts = [(begin, part) for begin, _, count in decided for part in range(count)]
    chained = all(one[1] == other[0] for one, other in pairwise(decided))
    return chained and parts == [(stamp["cursor_from"], stamp["part"]) for stamp in stamps]


def in_order(bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bodies of a thinker's commands, by cursor and part."""
    return sorted(bodies, key=lambda body: (body["thinker"]["cursor_from"], body["thinker"]["part"]))


def twice(bodies: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """What digestion has decided more than once: the verdict on something, or a relation."""
    counts = Counter[tuple[str, ...]]()
    for body in bodies:
        counts.update((item["node"], item["verdict"]) for item in body.get("items", ()))
        if "relation" in body:
            counts[body["source"], body["relation"], body["target"]] += 1
    return sorted(each for each, times in counts.items() if times > 1)
