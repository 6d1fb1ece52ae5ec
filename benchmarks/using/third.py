"""The third writer, who wrote when the detector was done, of a world of her own: her first try says what to expect.

She answers in whole, rather formal sentences, gives reasons, numbers her points, and closes with what she set apart.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from .worlds import Fact, Kind, World
from .writing import Told

ALLOTMENT: Final = World(
    "allotment",
    {
        "plant": ["tomatoes", "leeks", "dahlias", "courgettes", "raspberries", "broad beans", "rhubarb"],
        "member": ["Mrs. Dhillon", "Howard", "Beatrix", "old Mr. Nkemelu", "the Petersons", "Siobhan"],
        "plot": ["plot 4", "plot 11", "the corner plot", "the plot by the gate", "plot 27"],
        "pest": ["slugs", "aphids", "pigeons", "carrot fly", "blight", "vine weevil"],
        "month": ["February", "May", "July", "September"],
    },
    (
        Kind(
            (
                "{member} lost all {plant} on {plot} to {pest} in {month}",
                "In {month} {pest} destroyed the {plant} of {member} on {plot}",
            ),
            "Should I put {plant} on {plot}?",
            ("I should be wary, because {member} lost all {plant} there to {pest}",),
            ("It would be unwise: {pest} finished off what {member} grew",),
            ("A predecessor of yours was left with bare soil by midsummer",),
            "{member} harvested all {plant} on {plot}",
        ),
        Kind(
            (
                "The water is turned off from {month} until the frost is over, and {member} has the stopcock key",
                "{member} keeps the stopcock key; water off from {month}",
            ),
            "Why is there no water on {plot}?",
            ("The water is turned off from {month}, and {member} has the key to the stopcock",),
            ("From {month} on the taps are dry, but {member} could open the stopcock",),
            ("They shut everything down for the cold season; speak to {member}",),
            "The water is never turned off, and nobody has the key",
        ),
        Kind(
            (
                "Rent of {plot} is {m} pounds a year, due on the {n}th of {month}",
                "{plot}: {m} pounds rent, to be paid by {month} {n}",
            ),
            "What does {plot} cost?",
            ("The rent of {plot} comes to {m} pounds a year and is due in {month}",),
            ("One pays {m} pounds for it, by {month} {n}",),
            ("About what a decent pair of boots costs, payable once a year",),
            "Rent of {plot} is {wrong} pounds a year",
        ),
        Kind(
            (
                "Sow {plant} under glass in {month} and plant out after {n} days",
                "{plant}: sown under glass in {month}, planted out {n} days later",
            ),
            "When do I start with {plant}?",
            ("Sow {plant} under glass in {month}, and plant them out after {n} days",),
            ("You would begin indoors in {month} and move them outside {n} days on",),
            ("Begin on the windowsill, then let them harden off",),
            "Sow {plant} under glass and plant out after {wrong} days",
        ),
        Kind(
            (
                "{member} and {member} share a shed on {plot}; the padlock opens with {m}",
                "The padlock of the shed on {plot} opens with {m}",
            ),
            "How do I get into the shed on {plot}?",
            ("The padlock of the shed on {plot} opens with {m}",),
            ("Set the padlock to {m}",),
            ("Dial {m} and pull",),
            "The padlock of the shed on {plot} opens with {wrong}",
        ),
        Kind(
            (
                "Against {pest} the committee allows nettle brew and nets, but no pellets",
                "No pellets against {pest}, says the committee; nets and nettle brew are allowed",
            ),
            "What helps against {pest}?",
            ("The committee allows nets and nettle brew against {pest}, but no pellets",),
            ("Nets are permitted against {pest}, pellets are forbidden",),
            ("Cover the bed with mesh, or spray something home-made",),
            "The committee allows pellets against {pest}",
        ),
    ),
)
_GREETING: Final = ("Certainly. ", "I would suggest the following. ", "", "With pleasure: ")
_BLANK: Final = (
    "I regret that my files are silent on the point.",
    "To my knowledge this was never written down; the committee may be able to tell you.",
)
_APART: Final = (
    "For completeness, {label} concerns another matter.",
    "I have disregarded {label}.",
    "{label} appears to be superseded.",
    "I did not rely on {label}, which seems doubtful.",
    "Please pay no heed to {label}.",
    "{label} turned out to be of no help.",
)
_WRONG: Final = ("One reads that {other}, but this is mistaken.", "It is sometimes claimed that {other}.")


def write(facts: Sequence[Fact], used: Sequence[int], rng: Random, cites: bool) -> Told:
    """Return an answer in numbered points or sentences, each with its label in front or behind."""
    ways: list[str] = []
    points: list[str] = []
    for place in used:
        way = rng.choice(("first", "near", "far"))
        ways.append(way)
        kind = facts[place].kind
        said = facts[place].said({"first": kind.first, "near": kind.near, "far": kind.far}[way], rng)
        label = f"[m{place + 1}]"
        points.append(rng.choice((f"{said} {label}.", f"According to {label}, {said}.")) if cites else f"{said}.")
    if not points:
        text = rng.choice(_BLANK)
    elif len(points) > 1:
        text = rng.choice(_GREETING) + "\n".join(f"{at}. {each}" for at, each in enumerate(points, start=1))
    else:
        text = rng.choice(_GREETING) + points[0]
    rest = [place for place in range(len(facts)) if place not in used]
    if rest and rng.random() < 0.4:
        place = rng.choice(rest)
        if cites:
            ways.append("denies")
            text += "\n" + rng.choice(_APART).format(label=f"[m{place + 1}]")
        else:
            ways.append("contradicts")
            text += "\n" + rng.choice(_WRONG).format(other=facts[place].said(facts[place].kind.other, rng))
    return Told(text, frozenset(used), " ".join(ways) or "nothing")
