"""The facts that transcripts are written from: of people, systems and things, each drawn once; and what teaches."""

import random
from dataclasses import dataclass
from typing import Final

PEOPLE: Final = (
    "Ana", "Ben", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Keiko", "Liam", "Mia", "Noor",
    "Oskar", "Petra", "Quentin", "Rosa", "Sven", "Tara", "Umar", "Vera", "Wanda", "Yusuf",
)  # fmt: skip
SYSTEMS: Final = (
    "checkout service", "billing service", "search cluster", "staging database", "orders queue", "auth service",
    "reporting database", "invoices API", "metrics server", "mail gateway", "ingest worker", "catalog API",
    "session cache", "audit database", "pricing service", "export worker",
)  # fmt: skip
THINGS: Final = (
    "quarterly report", "team offsite", "security audit", "spare key", "projector", "onboarding guide", "design review",
    "vendor contract", "release notes page", "demo laptop", "budget draft", "travel policy", "annual picnic",
    "standing desk", "meeting room badge", "training course", "rooftop terrace", "coffee machine", "parking permit",
    "first-aid kit",
)  # fmt: skip
CITIES: Final = (
    "Rome",
    "Oslo",
    "Lisbon",
    "Porto",
    "Vienna",
    "Kyoto",
    "Lima",
    "Nairobi",
    "Tallinn",
    "Ghent",
    "Split",
    "Cork",
)
ORGS: Final = (
    "Initech",
    "Northwind Traders",
    "Acme Corp",
    "Globex",
    "Umbra Labs",
    "Contoso",
    "Vandelay Industries",
    "Hooli",
)
ROLES: Final = ("nurse", "data engineer", "product designer", "tax accountant", "site manager", "physics teacher")
FOODS: Final = ("peanuts", "shellfish", "gluten", "penicillin", "pollen", "latex")
HOBBIES: Final = ("sailing", "bouldering", "jazz records", "board games", "night hikes", "black coffee", "crime novels")
PETS: Final = ("two cats", "three dogs", "a parrot", "a tortoise", "two rabbits", "an old greyhound")
LANGUAGES: Final = ("Portuguese", "Finnish", "Turkish", "Dutch", "Korean", "Swahili")
TOOLS: Final = ("Redis", "Kafka", "Postgres", "Terraform", "Nginx", "RabbitMQ", "Elasticsearch", "SQLite", "Vault")
VERSIONS: Final = ("Postgres 15", "Debian 12", "Kafka 3.7", "version 2.4", "Redis 7.2", "version 9.1", "Python 3.11")
STATES: Final = ("down", "degraded", "read-only", "deprecated", "offline", "frozen")
HOSTS: Final = ("Frankfurt", "Dublin", "Singapore", "Ohio", "Stockholm", "Montreal")
SPOTS: Final = (
    "the third floor",
    "the blue cabinet",
    "room 204",
    "the basement",
    "Lena's drawer",
    "the lobby",
    "Confluence",
)
DAYS: Final = (
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "March 3",
    "May 14",
    "June 30",
    "12 October",
    "1 August",
)
CLOCKS: Final = ("09:30", "14:00", "16:15", "8:45", "11:00", "17:30")
AMOUNTS: Final = ("40 euros", "250 dollars", "1,200 euros", "75 pounds", "18 dollars", "3,500 euros")
LIMITS: Final = ("200 requests per minute", "64 connections", "5 GB", "30 seconds", "12 retries", "500 rows")


@dataclass(frozen=True, slots=True)
class Relation:
    """A sort of fact: ``of`` what, its ``values``, the ``predicates`` under which a claim may say it."""

    name: str
    of: tuple[str, ...]
    values: tuple[str, ...]
    predicates: frozenset[str]


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is so: of ``subject``, by ``relation``, ``value``; ``former`` is what it is not, or no longer."""

    subject: str
    relation: Relation
    value: str
    former: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """What experience teaches: its words, and whether it is a lesson, a warning or a recovery."""

    sort: str
    words: str


def _said(*names: str) -> frozenset[str]:
    return frozenset(names)


RELATIONS: Final = (
    Relation("home", PEOPLE, CITIES, _said("lives_in")),
    Relation("employer", PEOPLE, ORGS, _said("works_for")),
    Relation("role", PEOPLE, ROLES, _said("works_as", "is_a", "role", "job")),
    Relation("email", PEOPLE, (), _said("email")),
    Relation("phone", PEOPLE, (), _said("phone")),
    Relation("birthday", PEOPLE, (), _said("birthday")),
    Relation("allergy", PEOPLE, FOODS, _said("allergic_to", "allergy")),
    Relation("hobby", PEOPLE, HOBBIES, _said("likes", "prefers", "hobby", "favorite")),
    Relation("pet", PEOPLE, PETS, _said("has", "adopted")),
    Relation("language", PEOPLE, LANGUAGES, _said("speaks", "language")),
    Relation("owner", SYSTEMS, PEOPLE, _said("owner", "maintainer")),
    Relation("port", SYSTEMS, (), _said("port", "located_in")),
    Relation("version", SYSTEMS, VERSIONS, _said("version", "uses")),
    Relation("depends", SYSTEMS, TOOLS, _said("depends_on")),
    Relation("uses", SYSTEMS, TOOLS, _said("uses")),
    Relation("host", SYSTEMS, HOSTS, _said("located_in")),
    Relation("status", SYSTEMS, STATES, _said("status")),
    Relation("limit", SYSTEMS, LIMITS, _said("limit", "value", "rate_limit", "capacity")),
    Relation("price", THINGS, AMOUNTS, _said("price", "value", "cost")),
    Relation("due", THINGS, DAYS, _said("due", "when", "deadline")),
    Relation("start", THINGS, CLOCKS, _said("starts", "when", "opens")),
    Relation("spot", THINGS, SPOTS, _said("located_in")),
    Relation("keeper", THINGS, PEOPLE, _said("owner", "keeper")),
)
LESSONS: Final = (
    Lesson("lesson", "run the migrations before the deploy"),
    Lesson("lesson", "check the free disk space first"),
    Lesson("lesson", "pin the base image to a digest"),
    Lesson("lesson", "ask the vendor for the invoice early"),
    Lesson("lesson", "freeze the schema before the import"),
    Lesson("lesson", "keep a second copy of the signing key"),
    Lesson("warning", "push to the release branch on a Friday"),
    Lesson("warning", "restart both brokers at the same time"),
    Lesson("warning", "share the admin password by mail"),
    Lesson("warning", "edit the generated config by hand"),
    Lesson("warning", "delete the old bucket before the export ends"),
    Lesson("recovery", "raise the heap size to four gigabytes"),
    Lesson("recovery", "clear the package cache"),
    Lesson("recovery", "rotate the expired certificate"),
    Lesson("recovery", "switch the resolver to the backup server"),
    Lesson("recovery", "rebuild the index from scratch"),
)


def facts(chance: random.Random, count: int) -> list[Fact]:
    """Return so many facts, no two of one subject and relation; what a value was before is another of its sort."""
    found: dict[tuple[str, str], Fact] = {}
    while len(found) < count:
        relation = chance.choice(RELATIONS)
        subject = chance.choice(relation.of)
        value, former = _values(chance, relation, subject)
        found.setdefault((subject, relation.name), Fact(subject, relation, value, former))
    return list(found.values())


def _values(chance: random.Random, relation: Relation, subject: str) -> tuple[str, str]:
    match relation.name:
        case "email":
            value, former = (f"{subject.lower()}@{host}.example" for host in chance.sample(("mail", "post", "work"), 2))
        case "phone":
            value, former = (f"555 {number:04}" for number in chance.sample(range(1_000, 9_999), 2))
        case "birthday":
            value, former = (
                f"{day} {month}"
                for day, month in ((chance.randint(1, 28), m) for m in chance.sample(("March", "July", "August"), 2))
            )
        case "port":
            value, former = (str(number) for number in chance.sample(range(3_000, 9_999), 2))
        case _:
            value, former = chance.sample([one for one in relation.values if one != subject], 2)
    return value, former
