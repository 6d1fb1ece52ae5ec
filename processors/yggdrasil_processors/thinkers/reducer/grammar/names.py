"""What a sentence is about: a name, a feature of the event, or whoever speaks."""

import re
from collections.abc import Sequence
from typing import Final


def words(listed: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(listed.split())


SPEAKERS: Final = ("speaker", "author", "from")
"""An event with one feature of these kinds was said by whom that names, and "I" is they."""
_PEOPLE: Final = (*SPEAKERS, "person", "user", "customer", "contact")
_CAP: Final = "".join(chr(each) for each in range(0x41, 0x180) if chr(each).isupper())
CAPITAL: Final = rf"[{_CAP}][\w-]*(?:'[{_CAP}][\w-]*)?\.?(?<!\w\w\.)"
"""A word with a capital letter, or an initial."""
NAME: Final = rf"{CAPITAL}(?: (?:(?:de|da|di|do|dos|la|le|van|von|der|del|al|bin) ){{0,2}}{CAPITAL}){{0,3}}"
SYSTEM_NOUNS: Final = (
    "database|db|server|service|cluster|api|queue|broker|gateway|cache|app|site|website|worker|node|host|proxy|bucket"
)
SYSTEM: Final = rf"[Tt]he [\w-]+ (?:{SYSTEM_NOUNS}|API|DB)"
"""A machine or program, by what tells it from others of its sort."""
_SYSTEM: Final = re.compile(rf"the ([\w-]+) ({SYSTEM_NOUNS})")
_CALENDAR: Final = "January February March April May June July August September October November December"
NO_PLACE: Final = words(
    f"{_CALENDAR} Monday Tuesday Wednesday Thursday Friday Saturday Sunday Spring Summer Autumn Fall Winter I "
    "Postgres PostgreSQL MySQL SQLite Mongo MongoDB Redis Kafka Linux Windows Mac Ubuntu Debian Docker Kubernetes Git "
    "GitHub GitLab Slack Teams Zoom Jira Python Java Rust Go TypeScript JavaScript React Vue Angular AWS Azure GCP "
    "Chrome Firefox Safari Vim Emacs Neovim VSCode Notion Gmail Outlook Android Plan Phase Step Stage Tier Part "
    "Excel Word PowerPoint Figma SAP Salesforce Team Group Room Noon Midnight Department Amazon Google Microsoft "
    "Chapter Page Level Version Release Day Week One Two Three Four Five "
    "Management Sales Marketing Engineering Finance Support Legal Spanish English French German Product Design"
)
NO_ORGANISATION: Final = frozenset((*_CALENDAR.split(), "Home", "Night", "Christmas", "Easter", "Noon", "I"))
NO_ALLERGY: Final = words(
    "it that this them those these him her you me us everything anything something nothing most some many such "
    "certain mornings mondays work meetings nonsense exercise stupidity drama bullshit commitment rules change "
    "failure math homework people effort small being getting having doing early hard bad losing paperwork fun "
    "boredom politics responsibility sleep silence bugs the all both"
)
NO_CHOICE: Final = frozenset(("to", "a", "an"))
CAPITALISED: Final = re.compile(rf"(?:[{_CAP}][\w&.+-]*(?:'[{_CAP}][\w-]*)?)")
"""One word with a capital letter."""
_NO_PERSON: Final = words(
    "the this that these those there here it he she they we you who what which someone somebody everyone "
    "everybody anyone anybody nobody one another each all both many most some few everything something nothing "
    "our your their his her its my mine customer user admin team company production staging headquarters traffic "
    "billing support sales marketing engineering data money home work life mom mum dad mother father grandma "
    "grandpa sister brother wife husband monday tuesday wednesday thursday friday saturday sunday january "
    "february march april june july august september october november december today yesterday now also and but "
    "so yes yeah well oh hi hey just only still already recently currently actually finally god everyone"
)
_NO_PERSON_END: Final = re.compile(r"(?:tion|tions|ment|ments|ness|ware|ship|ware|ings?|ance|ence|ics|ities|servers?)$")
_NO_TELLING: Final = words(
    "old new whole entire first second same other current actual wrong only next last previous another big small "
    "following relevant affected remote local latter former future usual average typical respective"
)


def speaker(features: Sequence[str]) -> str | None:
    """Return who said what has these features, as a subject: the one whom they name, if it is one."""
    names = {tail for kind, _, tail in (name.partition(":") for name in features) if kind in SPEAKERS and tail}
    return person(names.pop(), features) if len(names) == 1 else None


def person(name: str, features: Sequence[str]) -> str | None:
    """Return a person of a sentence or feature as a subject: a feature of that name, or else ``person:`` and it."""
    if found := _feature(name, features):
        return found
    plain = " ".join(name.split()).casefold()
    return None if is_no_name(plain) or (" " not in plain and _NO_PERSON_END.search(plain)) else f"person:{plain}"


def is_no_name(name: str) -> bool:
    """Return whether a word with a capital letter is no name, but for instance the beginning of a sentence."""
    return name.casefold().split()[0].rstrip(".") in _NO_PERSON or ":" in name


def people(features: Sequence[str]) -> list[str]:
    """Return the persons whom an event names by its features, as subjects."""
    found = (person(tail, features) for kind, _, tail in (name.partition(":") for name in features) if kind in _PEOPLE)
    return [each for each in found if each is not None]


def system(name: str, features: Sequence[str]) -> str | None:
    """Return a machine or program as a subject: a feature of that name, or "the staging database" by its sort."""
    plain = name.casefold()
    found = _SYSTEM.fullmatch(plain)
    if found is None:
        return _feature(name, features)
    which, sort = found.groups()
    for called in (which, f"{which} {sort}", f"{which}-{sort}"):
        if known := _feature(called, features):
            return known
    return None if which in _NO_TELLING else f"{'database' if sort == 'db' else sort}:{which}"


def thing(name: str, features: Sequence[str]) -> str:
    """Return a value that may be a thing: the feature of the event that has the name, or the name as it is."""
    return _feature(name, features) or name


def _feature(name: str, features: Sequence[str]) -> str | None:
    """Return the one feature of a kind, but for those of speaking, whose name this is."""
    plain = " ".join(name.split()).casefold()
    parted = [(feature, *feature.partition(":")[::2]) for feature in features]
    found = [feature for feature, kind, tail in parted if tail.casefold() == plain and kind not in (*SPEAKERS, "role")]
    return found[0] if len(found) == 1 else None
