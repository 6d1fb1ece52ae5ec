"""The second writer: says it in other words, mixes facts into one sentence, contradicts, and denies in passing."""

from collections.abc import Sequence
from random import Random

from .worlds import Fact
from .writing import Told

_LEAD = ("Well, ", "Right - ", "", "", "So: ", "From memory, ")
_EMPTY = (
    "No idea, sorry!",
    "Can't say. What I've got is about other stuff.",
    "Hmm, that one's beyond me; maybe look it up?",
    "Nothing in there helps, I'm afraid.",
)
_ASIDE = (
    "({label}, by the way, is old hat.)",
    "I'd forget about {label}.",
    "Don't go by {label} though.",
    "{label} doesn't apply.",
    "As for {label}, ignore it.",
)
_PATTER = (
    "Hope that does it!",
    "Shout if anything's unclear.",
    "Anyway, that's my two cents.",
    "Give it a go and see.",
    "",
    "",
)
_ROUGHLY = ("Contrary to what was noted, {other}.", "Actually, {other}.", "{other}, whatever the note says.")


def write(facts: Sequence[Fact], used: Sequence[int], rng: Random, cites: bool) -> Told:
    """Return an answer: facts half or wholly in other words, two of them in one breath, and asides on others."""
    lead = rng.choice(_LEAD)
    ways: list[str] = []
    clauses: list[str] = []
    for place in used:
        way = rng.choice(("near", "near", "far"))
        ways.append(way)
        clause = facts[place].said(facts[place].kind.far if way == "far" else facts[place].kind.near, rng)
        clauses.append(clause + (f" [m{place + 1}]" if cites else ""))
    if not clauses:
        text = rng.choice(_EMPTY)
    elif len(clauses) > 1 and rng.random() < 0.5:
        text = f"{lead}{'; and then, '.join(_lower(each) if at else each for at, each in enumerate(clauses))}."
        ways.append("mixed")
    else:
        text = lead + " ".join(f"{each}." for each in clauses)
    rest = [place for place in range(len(facts)) if place not in used]
    if rest and rng.random() < 0.35:
        place = rng.choice(rest)
        if cites:
            text += " " + rng.choice(_ASIDE).format(label=f"[m{place + 1}]")
            ways.append("denies")
        else:
            other = facts[place].said(facts[place].kind.other, rng)
            text += " " + rng.choice(_ROUGHLY).format(other=other)
            ways.append("contradicts")
    return Told(f"{text} {rng.choice(_PATTER)}".strip(), frozenset(used), " ".join(ways) or "nothing")


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
