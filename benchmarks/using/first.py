"""The first writer: quotes and cites, near to the words of the memory, and says at the end what was of no use."""

from collections.abc import Sequence
from random import Random

from .worlds import Fact
from .writing import Told

_OPEN = ("", "", "Here is what I found. ", "Thanks for asking. ", "In short: ")
_NOTHING = (
    "I have nothing on record that would answer this. You may want to ask somebody who knows.",
    "There is no information about that, so I would rather not guess.",
    "I do not know. None of what I have at hand covers it.",
)
_DROPPED = (
    "{label} is not relevant here.",
    "I did not use {label}.",
    "{label} has nothing to do with the question.",
    "I left out {label}, as it is about something else.",
    "{label} was not needed.",
)
_DROPPED_UNCITED = (
    'The record that says "{text}" is not relevant here.',
    'I did not use the note "{text}".',
    '"{text}" has nothing to do with the question.',
)
_CLOSE = ("", "", " Let me know if you need more.", " That is all there is.")


def write(facts: Sequence[Fact], used: Sequence[int], rng: Random, cites: bool) -> Told:
    """Return an answer: a sentence for each fact that is used, some in quotes, then what was passed over."""
    if not used:
        text = rng.choice(_NOTHING)
    else:
        text = rng.choice(_OPEN) + " ".join(_said(facts[place], place, rng, cites) for place in used)
    way = "plain"
    rest = [place for place in range(len(facts)) if place not in used]
    if rest and rng.random() < 0.4:
        way = "denies"
        for place in rng.sample(rest, min(len(rest), rng.choice((1, 2)))):
            if cites:
                text += " " + rng.choice(_DROPPED).format(label=f"[m{place + 1}]")
            else:
                text += " " + rng.choice(_DROPPED_UNCITED).format(text=facts[place].text)
    return Told(text + rng.choice(_CLOSE), frozenset(used), way)


def _said(fact: Fact, place: int, rng: Random, cites: bool) -> str:
    label = f" [m{place + 1}]" if cites else ""
    if rng.random() < 0.3:
        return f'It is recorded that "{fact.text}"{label}.'
    return f"{fact.said(fact.kind.first, rng)}{label}."
