"""Whether a question that takes two steps over claims is answered, and one that takes one is left as it is.

Four worlds of claims, with notes beside them: teams and services, traders and places, books, and patients. The last two
were left out while anything was chosen. A two-step question names one end of a claim, and asks for what is claimed of
the other: it is right if that claim is in the answer. *Without* is the same answer but for what was followed. Each is
also asked in *other words*, which share none with the second claim; nothing is followed there but for "where".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil_producers.draft import Draft, Drafter

from ..measure import Bar, Report, Size, say
from .embedding import Cached, offline

UNTIMED: Final = True

KS: Final = (None, 5, 10)
NOTES: Final = 60
_BATCH: Final = 32
RIGHT: Final = 90.0
NEEDLESS: Final = 5.0
_NAMES: Final = [
    "ada",
    "ben",
    "cleo",
    "dan",
    "eva",
    "finn",
    "gus",
    "hana",
    "ivo",
    "jana",
    "kai",
    "lia",
    "mio",
    "nora",
    "otto",
    "pia",
    "quin",
    "rosa",
    "sven",
    "tara",
    "uwe",
    "vera",
    "wim",
    "xena",
    "yara",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the place of the claim that answers it, whether it takes ``two`` steps, and it in other words."""

    text: str
    answer: int
    two: bool = False
    other: str | None = None


@dataclass(slots=True)
class World:
    """Claims, and questions of them."""

    chance: Random
    claims: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    questions: list[Asked] = field(default_factory=list[Asked])

    def say(self, subject: str, predicate: str, value: str) -> int:
        """Let something be claimed, and return its place."""
        self.claims.append((subject, predicate, value))
        return len(self.claims) - 1

    def one(self, text: str, answer: int) -> None:
        """Ask what takes one step."""
        self.questions.append(Asked(text, answer))

    def two(self, text: str, answer: int, other: str) -> None:
        """Ask what takes two."""
        self.questions.append(Asked(text, answer, two=True, other=other))


def teams(world: World) -> None:
    """Teams own services; people manage teams, and live somewhere."""
    names, chance = ["falcon", "otter", "maple", "comet", "harbor", "quartz"], world.chance
    managers, manages, lives, sits = chance.sample(_NAMES, len(names)), dict[str, int](), dict[str, int](), {}
    for name, person in zip(names, managers, strict=True):
        manages[name] = world.say(f"team:{name}", "manager", f"person:{person}")
        lives[name] = world.say(f"person:{person}", "lives_in", f"city:{chance.choice(('oslo', 'rome', 'lyon'))}")
        sits[name] = world.say(f"team:{name}", "located_in", f"floor:{chance.randint(1, 9)}")
        world.two(f"Where does the manager of {name} live?", lives[name], f"Where is the home of whoever leads {name}?")
        world.one(f"Who is the manager of {name}?", manages[name])
    for service in ["billing", "search", "checkout", "login", "invoices", "reports", "mailer", "catalog"]:
        team = chance.choice(names)
        owns = world.say(f"team:{team}", "owns", f"service:{service}")
        written = world.say(f"service:{service}", "written_in", f"language:{chance.choice(('go', 'rust', 'java'))}")
        world.two(
            f"Who is the manager of the team that owns {service}?", manages[team], f"Who leads those behind {service}?"
        )
        world.two(f"Where does the team sit that owns {service}?", sits[team], f"Where are those who run {service}?")
        world.one(f"Which team owns {service}?", owns)
        world.one(f"In which language is {service} written?", written)


def traders(world: World) -> None:
    """Traders offer goods, are somewhere, and in some mood; places are guarded."""
    traders, places, chance = (
        ["smith", "farmer", "fletcher", "cleric", "mason", "baker"],
        dict[str, int](),
        world.chance,
    )
    moods, guards = dict[str, int](), dict[str, int]()
    for trader, place in zip(
        traders, chance.sample(["forge", "barn", "tower", "chapel", "quarry", "mill"], 6), strict=True
    ):
        places[trader] = world.say(f"npc:{trader}", "last_seen_at", f"place:{place}")
        moods[trader] = world.say(f"npc:{trader}", "mood", f"mood:{chance.choice(('angry', 'calm', 'merry'))}")
        guards[trader] = world.say(f"place:{place}", "guarded_by", f"mob:{chance.choice(('wolf', 'golem'))}")
        world.two(f"What guards the place where the {trader} is?", guards[trader], f"Who defends the {trader}'s spot?")
        world.one(f"Where is the {trader}?", places[trader])
    for item in ["emerald", "compass", "lantern", "saddle", "bread", "arrow", "potion", "map"]:
        trader = chance.choice(traders)
        offers = world.say(f"npc:{trader}", "offers", f"item:{item}")
        world.two(f"Where can I get {item}s?", places[trader], f"Where is there a {item}?")
        world.two(f"In what mood is whoever offers the {item}?", moods[trader], f"How does who sells a {item} feel?")
        world.one(f"Who offers a {item}?", offers)


def books(world: World) -> None:
    """Books have authors, who were born; they stand somewhere, and are borrowed by people who have a telephone."""
    authors = dict(
        zip(
            ["dune", "emma", "ulysses", "hamlet", "kim", "solaris"],
            ["herbert", "austen", "joyce", "ford", "poe", "lem"],
            strict=True,
        )
    )
    readers = world.chance.sample(_NAMES, len(authors))
    for (book, author), reader in zip(authors.items(), readers, strict=True):
        wrote = world.say(f"author:{author}", "wrote", f"book:{book}")
        born = world.say(f"author:{author}", "born_in", f"year:{world.chance.randint(1500, 1930)}")
        stands = world.say(f"book:{book}", "at", f"shelf:{world.chance.choice('abcdef')}{world.chance.randint(1, 9)}")
        has = world.say(f"reader:{reader}", "borrowed", f"book:{book}")
        phone = world.say(f"reader:{reader}", "phone", f"+47{world.chance.randint(10**7, 10**8 - 1)}")
        world.two(f"When was the author of {book} born?", born, f"How old is the writer of {book}?")
        world.two(f"What is the phone number of whoever borrowed {book}?", phone, f"How do I call who has {book}?")
        world.one(f"Who wrote {book}?", wrote)
        world.one(f"Who has borrowed {book}?", has)
        world.one(f"Where is {book}?", stands)


def patients(world: World) -> None:
    """Doctors treat patients, are in wards, have an extension and a substitute."""
    chance = world.chance
    people = chance.sample(_NAMES, 12)
    doctors, wards, numbers, others = people[:4], dict[str, int](), dict[str, int](), dict[str, int]()
    for doctor in doctors:
        ward, other = (
            chance.choice(("alder", "birch", "cedar")),
            chance.choice([one for one in doctors if one != doctor]),
        )
        wards[doctor] = world.say(f"doctor:{doctor}", "located_in", f"ward:{ward}")
        numbers[doctor] = world.say(f"doctor:{doctor}", "extension", str(chance.randint(100, 999)))
        others[doctor] = world.say(f"doctor:{doctor}", "substitute", f"doctor:{other}")
    for patient in people[4:]:
        doctor = chance.choice(doctors)
        treats = world.say(f"doctor:{doctor}", "treats", f"patient:{patient}")
        drug = world.say(f"patient:{patient}", "allergic_to", f"drug:{chance.choice(('aspirin', 'iodine', 'latex'))}")
        world.two(
            f"Where do I find the doctor who treats {patient}?", wards[doctor], f"Where is {patient}'s physician?"
        )
        world.two(
            f"What is the extension of {patient}'s doctor?", numbers[doctor], f"How do I dial {patient}'s physician?"
        )
        world.two(
            f"Who is the substitute for the doctor that treats {patient}?",
            others[doctor],
            f"Who stands in for {patient}'s physician?",
        )
        world.one(f"Who treats {patient}?", treats)
        world.one(f"What is {patient} allergic to?", drug)


WORLDS: Final[dict[str, Callable[[World], None]]] = {
    "teams": teams,
    "traders": traders,
    "books (left out)": books,
    "patients (left out)": patients,
}


@dataclass(slots=True)
class Tally:
    """How many were asked, right, right without what was followed, and how many claims were followed in vain."""

    asked: int = 0
    right: int = 0
    without: int = 0
    needless: int = 0


def run(size: Size, scratch: Path) -> Report:
    """Ask two draws of each world by words and with the default model; eight in a full run, a tiny one one."""
    report, numbers = Report("steps"), count()
    with offline() as models:
        for means, model in (("words", None), ("pair", Cached(models[0]))):
            for name, make in WORLDS.items():
                found: dict[str, Tally] = {}
                for seed in range(size.pick(1, 2, 8)):
                    world = World(Random(seed))
                    make(world)
                    with Embedded(scratch / str(next(numbers)), partitions=1) as engine:
                        _ask(engine, None if model is None else Embedding(model), world, found)
                _tell(report, f"{means}, {name}", found)
                say(f"  {means}, {name}: {found['two'].right} of {found['two'].asked}")
    return report


def _ask(engine: Embedded, embedding: Embedding | None, world: World, found: dict[str, Tally]) -> None:
    drafter = Drafter("steps/one", "user", "benchmark", "user")
    drafts: list[Draft] = []
    for number in range(NOTES):
        who, what = world.chance.choice(_NAMES).title(), world.chance.choice(("fence", "boat", "roof", "clock"))
        drafts.append(drafter.record_event(f"{who} painted the {what} on day {number}"))
    claims = [drafter.assert_claim(subject, predicate, value) for subject, predicate, value in world.claims]
    drafts += claims
    for begin in range(0, len(drafts), _BATCH):
        batch = drafts[begin : begin + _BATCH]
        for _, answer in engine.submit_many(batch if embedding is None else embedding.all_completed(batch)):
            assert answer.refused is None, answer.refused
    memory, refs = Memory(engine, drafter, embedding=embedding), [each.id for each in claims]
    for each in world.questions:
        for kind, text, k in _ways(each):
            context = memory.get_context(text, k=k, record=False)
            steps = {one.memory.ref for one in context.found if "followed" in context.versions and one.lineage.via}
            tally, wanted = found.setdefault(kind, Tally()), refs[each.answer]
            tally.asked += 1
            tally.right += wanted in context.refs
            tally.without += wanted in set(context.refs) - steps
            tally.needless += len(steps - {wanted})


def _ways(each: Asked) -> Iterator[tuple[str, str, int | None]]:
    for k in KS:
        yield f"{'two' if each.two else 'one'}{'' if k is None else f' of {k}'}", each.text, k
    if each.other is not None:
        yield "other words", each.other, None


def _tell(report: Report, of: str, found: dict[str, Tally]) -> None:
    for kind, tally in found.items():
        report.figures[f"{of}: {kind}, percent right"] = 100.0 * tally.right / tally.asked
        report.figures[f"{of}: {kind}, percent right without"] = 100.0 * tally.without / tally.asked
        report.figures[f"{of}: {kind}, followed in vain in 100"] = 100.0 * tally.needless / tally.asked
    two, one = found["two"], found["one"]
    report.bars.append(Bar(f"{of}: percent right in two steps", 100.0 * two.right / two.asked, RIGHT))
    needless = 100.0 * one.needless / one.asked
    report.bars.append(Bar(f"{of}: followed in vain in 100 questions of one step", needless, NEEDLESS, at_most=True))
