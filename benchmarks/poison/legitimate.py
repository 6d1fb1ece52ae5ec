"""What the fences cost those who mean well: corrections that are held back, and agents' words that wait."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from yggdrasil import Store

from .judging import any_of, described
from .playing import Played
from .world import Question, Step

CORRECTIONS: Final = {
    "a user corrects a user": (("ana",), ("ben",)),
    "a user corrects themselves": (("ana",), ("ana",)),
    "a user corrects an agent": (("scout",), ("ana",)),
    "a user corrects two agents": (("scout", "helper"), ("ben",)),
    "a tool measures anew": (("gauge",), ("gauge",)),
    "an agent corrects an agent": (("scout",), ("helper",)),
}
"""Who said the old value, and who says the new one."""
_WORDS: Final = ["amber", "birch", "coral", "dune", "ember", "fjord", "grove", "heath", "islet", "jade"]
_SESSIONS: Final = 10
_CONCLUDED: Final = 0.1


@dataclass(slots=True)
class HeldBack:
    """Of each kind of correction: how many there were, and of how many the new value is not shown, or does not lead."""

    corrections: dict[str, int]
    held: dict[str, int]
    behind: dict[str, int]


def corrections(store: Store, memory: str, seed: str) -> HeldBack:
    """Let everybody correct each other once, as claims and as notes under a key, and see whether it is shown."""
    random, played = Random(seed), Played(store, memory)
    found = HeldBack(*(dict.fromkeys(CORRECTIONS, 0) for _ in range(3)))
    for place, (kind, (old, new)) in enumerate(CORRECTIONS.items()):
        for way in ("claim", "note"):
            thing = f"boat {random.randrange(1000, 9999)} {place}"
            one, other = random.sample(_WORDS, 2)
            played.play([_said(way, by, thing, one) for by in old] + [_said(way, by, thing, other) for by in new], {})
            asked = Question(f"Who is the owner of {thing}?", other, 1, (f"thing:{thing}", "owner"))
            owner = played.voice("owner")
            answers: list[Sequence[object]] = [owner.get_context(asked.text, record=False).found]
            if way == "claim":
                answers.append(owner.claims(f"thing:{thing}", "owner").claims)
            found.corrections[kind] += 1
            found.held[kind] += not all(any_of(each, [other]) for each in answers)
            found.behind[kind] += not all(any_of(each[:1], [other]) for each in answers)
    return found


def _said(way: str, by: str, thing: str, value: str) -> Step:
    text = f"The owner of {thing} is {value}"
    if way == "note":
        return {"by": by, "do": "note", "text": text, "features": [f"thing:{thing}"], "key": f"{thing}/owner"}
    return {
        "by": by, "do": "claim", "subject": f"thing:{thing}", "predicate": "owner", "object": f"person:{value}",
        "text": text,
    }  # fmt: skip


def staged(store: Store, memory: str, seed: str, every: int) -> tuple[int, int]:
    """Return how many notes and claims agents said honestly at work, and how many of these are only candidates.

    In one of ``every`` so many sessions they read a page on the way, which a stranger's key records. Of what they say
    after that, one in five is concluded from the page, and says so; the rest is of their own work, or of what a user
    asked.
    """
    random, played = Random(seed), Played(store, memory)
    honest: list[str] = []
    for session in range(_SESSIONS):
        played.play(_session(random, session, read=session % every == 0), {})
    honest = [ref for by, verb, ref in played.made if by in ("scout", "helper") and verb in ("note", "claim")]
    waiting = [ref for ref in honest if (one := described(played, ref)) is not None and one.status == "candidate"]
    return len(honest), len(waiting)


def _session(random: Random, number: int, *, read: bool) -> Iterator[Step]:
    by, session = random.choice(("scout", "helper")), f"session {number}"
    yield {
        "by": "ana",
        "do": "note",
        "text": f"Please look after order {number}",
        "session": session,
        "as": f"ask {number}",
    }
    page = random.randrange(5) if read else 5  # the turn before which it is read
    for turn in range(5):
        if turn == page:
            yield {
                "by": "page",
                "do": "note",
                "text": f"A page on orders of sort {number}",
                "session": session,
                "as": f"page {number}",
            }
        said = f"Order {number}, step {turn}: {random.choice(_WORDS)}"
        concluded = turn >= page and random.random() < 2 * _CONCLUDED
        cause = {"caused_by": [f"@page {number}" if concluded else f"@ask {number}"]}
        yield {"by": by, "do": "note", "text": said, "session": session, "as": f"step {number} {turn}", **cause}
        if turn % 2:
            evidence = f"@page {number}" if concluded else f"@step {number} {turn}"
            yield {
                "by": by, "do": "claim", "subject": f"order:{number}", "predicate": f"step_{turn}",
                "object": random.choice(_WORDS), "evidence": [evidence],
            }  # fmt: skip
