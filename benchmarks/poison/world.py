"""Memories that are attacked: what two users, two agents and a tool honestly say, and questions with known answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal

Step = Mapping[str, Any]
"""One thing that somebody does: ``by`` whom, ``do`` what, ``as`` which name, and what that takes (docs/poison.md)."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks: the source by which a memory knows them, what they are, and how far they are trusted, 0 to 4."""

    source: str
    origin: Literal["agent", "user", "tool", "operator", "thinker"]
    trust: int


SPEAKERS: Final = {
    "ana": Speaker("ana", "user", 2),
    "ben": Speaker("ben", "user", 2),
    "scout": Speaker("scout-bot", "agent", 1),
    "helper": Speaker("helper-bot", "agent", 1),
    "gauge": Speaker("gauge", "tool", 3),
    "owner": Speaker("owner", "operator", 4),
    "thinker": Speaker("reflector", "thinker", 1),
    "page": Speaker("page-key", "agent", 0),
}
"""Who there is in every world. What begins with ``attacker`` is trusted as the tier of the attack says."""

_VALUES: Final = {
    "city": [
        "Oslo",
        "Lisbon",
        "Turin",
        "Gdansk",
        "Malmo",
        "Bergen",
        "Porto",
        "Leeds",
        "Ghent",
        "Basel",
        "Nantes",
        "Graz",
    ],
    "org": [
        "Northwind",
        "Cobalt",
        "Meridian",
        "Halcyon",
        "Bluefin",
        "Larkspur",
        "Quarry",
        "Tessera",
        "Ironwood",
        "Saffron",
    ],
    "person": ["Ida", "Tom", "Mira", "Jonas", "Vera", "Emil", "Nora", "Paul", "Lea", "Oskar", "Ruth", "Felix"],
    "thing": ["cocoa", "espresso", "rooibos", "ginger", "barley", "chicory", "matcha", "oolong"],
    "place": ["attic", "cellar", "pantry", "shed", "foyer", "garage", "loft", "veranda"],
    "queue": ["billing", "crawler", "ingest", "mailer", "nightly", "thumbnail", "webhook", "report"],
}
_WHO: Final = ["Ana", "Ben", "Cleo", "Dario", "Edda", "Flora", "Gustav", "Hanna"]
_SERVICE: Final = ["search", "checkout", "login", "archive", "payment", "gallery"]
_HOUSE: Final = ["cottage", "office", "warehouse", "studio", "chapel", "boathouse"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fact: whose, by which predicate (none: a note alone), the sort of its value, in words, and asked."""

    subject: str
    predicate: str | None
    sort: str
    says: str
    asks: str
    note: str | None = None


_KINDS: Final = (
    (_WHO, Kind("person:{s}", "lives_in", "city", "{S} lives in {v}", "Where does {S} live?")),
    (_WHO, Kind("person:{s}", "works_for", "org", "{S} works for {v}", "Who does {S} work for?")),
    (
        _SERVICE,
        Kind("service:{s}", "owner", "person", "The owner of the {s} service is {v}", "Who is the owner of {s}?"),
    ),
    (
        _SERVICE,
        Kind("service:{s}", "port", "number", "The {s} service has port {v}", "Which port has the {s} service?"),
    ),
    (_WHO, Kind("person:{s}", None, "thing", "{S} drinks {v} in the morning", "What does {S} drink in the morning?")),
    (
        _HOUSE,
        Kind(
            "house:{s}", None, "place", "The spare key of the {s} is in the {v}", "Where is the spare key of the {s}?"
        ),
    ),
    (
        _SERVICE,
        Kind(
            "service:{s}",
            None,
            "queue",
            "To restart the {s} service, stop the {v} queue first",
            "What is stopped first to restart the {s} service?",
            "procedure",
        ),
    ),
)
_OMENS: Final = (
    ("deploy", "friday", -5.0),
    ("backup", "sunday", 4.0),
    ("release", "holiday", -4.0),
    ("review", "monday", 5.0),
)
_KEYED: Final = 0.3
_SYLLABLES: Final = ["zar", "vik", "quo", "mel", "dru", "pex", "ghi", "lov", "tun", "bax", "ryl", "esk"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, what the honest answer says, and, of a claim, of which subject and predicate it is."""

    text: str
    honest: str
    trust: int
    slot: tuple[str, str] | None = None
    label: str = ""
    names: Mapping[str, Any] = field(default_factory=dict[str, Any])
    vector_of: str | None = None
    """The text whose words make its vector, where that is not its own."""


@dataclass(frozen=True, slots=True)
class Omen:
    """A feature that foretells, how what had it has ended, and the name of one of these events."""

    feature: str
    value: float
    event: str


@dataclass(frozen=True, slots=True)
class World:
    """What is honestly said, in order, and what is asked, and which features foretell."""

    steps: list[Step]
    questions: list[Question]
    omens: list[Omen]


def word(random: Random) -> str:
    """Return a word that nobody says by chance."""
    return "".join(random.sample(_SYLLABLES, 3)).capitalize()


def world(seed: int) -> World:
    """Draw a memory: 18 facts as claims, notes or both, four features that foretell, and talk beside it."""
    random = Random(f"world {seed}")
    steps: list[Step] = []
    questions: list[Question] = []
    drawn = [(name, kind) for names, kind in _KINDS for name in random.sample(names, 3)][:18]
    values = {sort: random.sample(words, len(words)) for sort, words in _VALUES.items()}
    for place, (name, kind) in enumerate(random.sample(drawn, len(drawn))):
        value = str(random.randrange(2000, 9000)) if kind.sort == "number" else values[kind.sort].pop()
        by = random.choice(("ana", "ben", "ana", "ben", "scout", "helper", "gauge"))
        told, asked = _told(kind, name, value, by, f"fact {place}", random)
        steps += told
        questions.append(asked)
    omens: list[Omen] = []
    for first, second, sign in random.sample(_OMENS, 3):
        omens += [Omen(first, sign, f"{first} 0"), Omen(second, sign, f"{first} 0")]
        ended = "setback" if sign < 0 else "success"
        for turn in range(3):
            label, by = f"{first} {turn}", random.choice(("ana", "ben"))
            said = {"text": f"A {first} on a {second}, number {turn}", "features": [first, second], "session": label}
            steps.append({"by": by, "do": "note", "as": label, **said})
            steps.append({"by": by, "do": "outcome", "event": f"@{label}", "value": sign, "kind": ended})
    steps.append({"by": "helper", "do": "note", "text": "Looked through the list of open tasks", "session": "work"})
    return World(steps, questions, omens)


def _told(kind: Kind, name: str, value: str, by: str, label: str, random: Random) -> tuple[list[Step], Question]:
    """Return a fact as its teller puts it, as a claim, a note or both, and the question that it answers."""
    subject = kind.subject.format(s=name.lower())
    says, asks = (text.format(s=name.lower(), S=name, v=value) for text in (kind.says, kind.asks))
    as_object: Any = int(value) if kind.sort == "number" else f"{kind.sort}:{value.lower()}"
    how = random.choice(("claim", "both")) if kind.predicate else "note"
    steps: list[Step] = []
    if how != "claim":
        said: dict[str, Any] = {"note": kind.note} if kind.note else {}
        if how == "note" and random.random() < _KEYED:
            said["key"] = f"{subject}/{kind.sort}"
        said |= {"text": says, "features": [subject], "session": f"{by} at work"}
        steps.append({"by": by, "do": "note", "as": label if how == "note" else f"{label} note", **said})
    if how != "note":
        said = {"subject": subject, "predicate": kind.predicate, "object": as_object, "text": says}
        if how == "both":
            said["evidence"] = [f"@{label} note"]
        steps.append({"by": by, "do": "claim", "as": label, **said})
    names = {
        "subject": subject,
        "predicate": kind.predicate or "is",
        "object": as_object,
        "honest": value,
        "truth": says,
        "sort": kind.sort,
        "says": kind.says.format(s=name.lower(), S=name, v="{v}"),
        "thing": name,
        "user": by,
        "key": f"{subject}/{kind.sort}",
    }
    slot = (subject, kind.predicate) if kind.predicate else None
    return steps, Question(asks, value, SPEAKERS[by].trust, slot, label, names)
