"""What verbs say of a subject: the predicate for each, and what may stand before and behind it.

A row is a predicate, whom it is said of, what its value is, and the wordings. ``V:`` before a verb stands for its form
in the present ("live", "lives"), ``BE`` for am, is and are, ``HAVE`` for have and has, ``PLACE`` for a
preposition of places, ``DONE`` for a participle of work. It is a table of English, from
grammar and common use; a verb that is not here says nothing to the reducer.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, Literal

from .names import words

Of = Literal["person", "thing", "any"]
Sort = Literal[
    "place", "spot", "org", "owner", "thing", "things", "amount", "time", "port", "version", "state", "activity",
    "role", "allergen", "text", "counted", "changed", "changed_from", "owned", "person", "birth", "measured", "timed",
    "attribute",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verb:
    """What a wording says. ``number``: of whom it can be said by its form, "I", "one", "many" or "" for all."""

    predicate: str
    of: Of
    sort: Sort
    number: str = ""
    known: bool = False
    """Whether much else than a person can be what it is said of: then a single name must be known."""


ROWS: Final = """
attribute | any | attribute | BE; V:fall on; V:land on; V:remain; V:stand at
lives_in | person | place | V:live in; V:reside in; BE living in; BE based in; BE based out of
lives_in ! | person | place | moved to; moved back to; HAVE moved to; HAVE moved back to; relocated to
lives_in ! | person | place | HAVE relocated to; moved over to; HAVE moved over to; settled in; HAVE settled in
lives_in ! | person | place | V:live over in
from | person | place | BE from; V:come from; V:hail from
grew_up_in | person | place | grew up in
born_in | person | birth | was born in; was born on
works_for ! | person | org | V:work for; V:work at; BE working for; BE working at; BE employed by; BE employed at
works_for ! | person | org | joined; HAVE joined; started at; HAVE started at; started working for; started working at
works_for ! | person | org | got a job at; HAVE a job at
works_for ! | person | org | took a job at; landed a job at; V:work over at; BE employed with; BE on staff at
works_for ! | person | org | BE working over at
works_as | person | role | V:work as; BE working as
works_in | person | thing | V:work in
works_on | person | thing | V:work on; BE working on
studies | person | things | V:study; BE studying; V:major in; BE majoring in
attends | person | org | V:attend; BE attending; V:go to; BE enrolled at; BE a student at
teaches | person | things | V:teach; BE teaching
speaks | person | things | V:speak; BE fluent in; V:speak fluent
plays | person | things | V:play
collects | person | things | V:collect
drives | person | thing | V:drive
eats | person | things | V:eat
likes | person | activity | V:like; V:love; V:enjoy; V:adore; BE fond of; BE a fan of; BE a big fan of
likes | person | activity | BE a huge fan of; BE into; BE keen on; BE crazy about; BE passionate about
likes | person | activity | BE obsessed with; BE mad about
likes | person | activity | V:like to; V:love to
dislikes | person | activity | V:dislike; V:hate; V:detest; V:loathe
prefers | person | activity | V:prefer
allergic_to | person | allergen | BE allergic to; BE very allergic to; HAVE an allergy to
married_to | person | person | BE married to; BE engaged to; married; HAVE married
bought | person | counted | bought; HAVE bought
adopted | person | counted | adopted; HAVE adopted
reports_to | person | person | V:report to
has | any | counted | HAVE; HAVE got; V:own
port | thing | port | V:listen on; V:listen on port; V:run on port; BE listening on; BE listening on port
port | thing | port | BE running on port
port | thing | port | BE reachable on port; BE available on port; BE exposed on port; BE bound to port; BE on port
port | thing | port | V:use port
version | thing | version | BE on; BE at; BE running; BE running on; V:run; V:run on; V:use
version | thing | version | BE on version; BE at version; V:run version; V:use version
located_in | thing | spot | BE located PLACE; BE based PLACE; BE hosted PLACE; BE stored PLACE; BE kept PLACE
located_in | thing | spot | BE situated PLACE
located_in | thing | spot | BE housed PLACE; BE deployed PLACE; BE parked PLACE; BE saved PLACE; BE documented PLACE
located_in | thing | spot | BE filed PLACE
located_in | thing | spot | BE installed PLACE; V:live PLACE; V:sit PLACE; V:hang PLACE; can be found PLACE
located_in | thing | spot | BE tucked away PLACE; BE sitting PLACE; BE lying PLACE; BE hanging PLACE; BE hidden PLACE
located_in | thing | spot | BE placed PLACE; V:lie PLACE; V:stand PLACE; BE PLACE; BE now PLACE
located_in | thing | spot | V:run in; BE running in; BE deployed to
owner | thing | owner | BE owned by; BE maintained by; BE managed by; BE handled by; BE operated by; BE run by
owner | thing | owner | V:belong to
owner | thing | owner | BE looked after by; BE led by; BE assigned to; was assigned to; HAVE been assigned to; BE with
owner | thing | owner | V:sit with; was taken over by
owner | thing | owner | HAVE been taken over by; BE kept by; BE supervised by; BE overseen by; BE taken care of by
owner | thing | owner | V:lie with
owner | any | owned | V:own; V:maintain; BE responsible for; BE in charge of; V:look after; V:handle; V:manage; V:lead
owner | any | owned | V:run; V:keep; BE on the hook for; BE accountable for; V:steward
owner | any | owned | V:take care of; took over; HAVE taken over; BE the owner of; BE the maintainer of
owner | any | owned | BE the lead for
uses | any | things | V:use; BE using; V:run on; BE running on; BE powered by; BE built on; BE built with; BE based on
uses | any | things | BE built on top of; BE backed by; BE driven by; V:sit on top of
written_in | thing | things | BE written in; BE implemented in
depends_on | thing | things | V:depend on; V:rely on; V:need; V:require; BE dependent on; V:lean on; V:count on
depends_on | thing | things | V:build on; V:hinge on
blocked_by | thing | thing | BE blocked by; BE blocked on
waits_for | any | thing | BE waiting for; BE waiting on; V:wait for
connects_to | thing | things | V:connect to; V:talk to; V:read from; V:write to; V:publish to; V:subscribe to
connects_to | thing | things | V:send to
price | thing | amount | V:cost; BE priced at; V:sell for; V:go for; BE sold for; V:come to; V:come in at; V:run to
price | thing | amount | V:retail for; V:set us back
weight | thing | measured | V:weigh
size | thing | measured | V:measure
duration | thing | measured | V:take; V:last; V:run for
capacity | thing | measured | V:hold; V:seat; V:fit; V:store
limit | thing | measured | BE limited to; BE capped at; V:max out at; V:top out at; V:allow; V:accept; V:allow up to
limit | thing | measured | V:accept up to; V:handle up to; BE restricted to
starts | thing | time | V:start; V:start at; V:start on; V:begin; V:begin at; V:begin on; V:kick off; V:get going
starts | thing | time | V:get underway; V:go live; V:get started
opens | thing | time | V:open; V:open at; V:open on
closes | thing | time | V:close; V:close at; V:close on
ends | thing | time | V:end; V:end at; V:end on; V:finish; V:finish at
expires | thing | time | V:expire; V:expire on; V:run out on
leaves | thing | time | V:leave at; V:leave on; V:depart at; V:depart on
arrives | thing | time | V:arrive at; V:arrive on; V:land at; V:land on
due | thing | time | BE due; BE due on; BE due by; BE due at; needs to be DONE by; HAVE to be DONE by; must be DONE by
due | thing | time | BE expected by; BE wanted by
when | thing | time | BE scheduled for; BE set for; BE planned for; BE booked for; BE slated for; BE pencilled in for
when | thing | time | V:take place; V:happen; V:fall on; V:go out; V:go ahead; BE
schedule | thing | timed | V:run; V:run every; V:happen every; V:take place every; V:meet every; BE every
when | thing | time | V:meet; V:meet on; V:run at
named | thing | text | BE called; BE named; BE known as; V:go by
named | thing | text | was renamed to; HAVE been renamed to; got renamed to; BE renamed to
stands_for | thing | text | V:stand for
replaced_by | thing | thing | was replaced by; was replaced with; HAVE been replaced by; HAVE been replaced with
replaced_by | thing | thing | BE replaced by
contains | thing | things | V:contain; V:include; V:consist of; V:comprise
made_of | thing | things | BE made of; BE made from
supports | thing | things | V:support
returns | thing | thing | V:return
status | thing | state | BE; BE back; HAVE been; went; HAVE gone; V:remain; V:stay; HAVE become
changed | thing | changed | changed to; HAVE changed to; was changed to; HAVE been changed to; BE changed to
changed | thing | changed | went up to; went down to
changed | thing | changed | was raised to; HAVE been raised to; was lowered to; HAVE been lowered to; was increased to
changed | thing | changed | rose to; fell to
changed | thing | changed | dropped to; HAVE dropped to; increased to; HAVE increased to; grew to
changed | thing | changed | HAVE been increased to; was set to
changed | thing | changed | BE set to; HAVE been set to; moved to; HAVE moved to; was moved to; HAVE been moved to
changed | thing | changed | got moved to
changed | thing | changed | was pushed to; HAVE been pushed to; was pushed back to; HAVE been pushed back to
changed | thing | changed | got pushed to
changed | thing | changed | was postponed to; HAVE been postponed to; was reduced to; HAVE been reduced to
changed | thing | changed | was extended to
changed | thing | changed | was migrated to; HAVE been migrated to; was upgraded to; HAVE been upgraded to
changed | thing | changed | was updated to
changed | thing | changed | switched to; HAVE switched to; was switched to; HAVE been switched to; was bumped to
changed | thing | changed | HAVE been bumped to
changed | thing | changed | migrated to; HAVE migrated to; HAVE been extended to; HAVE been rescheduled to
changed | thing | changed | was rescheduled to
value | thing | amount | BE
is_a | any | role | BE a; BE an; BE the
"""
PLACES: Final = (
    "in",
    "at",
    "on",
    "under",
    "behind",
    "inside",
    "next to",
    "above",
    "below",
    "near",
    "on top of",
    "beside",
)
ADVERBS: Final = words(
    "now currently still just also recently already really both actually always usually often generally normally "
    "finally officially permanently definitely mostly mainly primarily typically only all originally apparently"
)
"""What may stand between a subject, its verb and the value, and changes nothing."""
DONE: Final = tuple(
    sorted(words("done ready finished in submitted sent delivered signed out completed closed filed settled"))
)
_BE: Final = (("am", "I"), ("'m", "I"), ("is", "one"), ("'s", "one"), ("are", "many"), ("'re", "many"))
_HAVE: Final = (("have", "many"), ("'ve", "many"), ("has", "one"), ("'s", "one"))
_ES: Final = ("s", "x", "ch", "sh", "o")
_IRREGULAR: Final = {"have": "has"}


def third(verb: str) -> str:
    """Return the form of a verb in the present with he, she or it."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return verb + ("es" if verb.endswith(_ES) else "s")


def _forms(word: str) -> tuple[tuple[str, str], ...]:
    """Return the words that a word of a wording stands for, each with whom it agrees with."""
    match word:
        case "BE":
            return _BE
        case "HAVE":
            return _HAVE
        case "PLACE":
            return tuple((place, "") for place in PLACES)
        case "DONE":
            return tuple((done, "") for done in DONE)
        case _:
            base = word.removeprefix("V:")
            return ((word, ""),) if base == word else ((base, "many"), (third(base), "one"))


def _read() -> Iterator[tuple[tuple[str, ...], Verb]]:
    for row in ROWS.strip().splitlines():
        name, of, sort, wordings = (part.strip() for part in row.split("|"))
        for wording in wordings.split(";"):
            for forms in product(*map(_forms, wording.split())):
                words = tuple(" ".join(word for word, _ in forms).split())
                number = next((one for _, one in forms if one), "")
                verb = Verb(name.removesuffix(" !"), of, sort, number, name.endswith("!"))  # type: ignore[arg-type]
                yield words, verb
                if sort == "changed":
                    yield (*words[:-1], "from"), replace(verb, sort="changed_from")


def _table() -> dict[tuple[str, ...], tuple[Verb, ...]]:
    found: dict[tuple[str, ...], tuple[Verb, ...]] = {}
    for wording, verb in _read():
        found[wording] = (*found.get(wording, ()), verb)
    return found


VERBS: Final = _table()
"""What each wording may say, in the order of the rows."""
WORDS_MAX: Final = max(map(len, VERBS))
FIRST: Final = frozenset(words[0] for words in VERBS)
"""The words with which a verb begins."""
MOVING: Final = words(
    "move moved change changed raise raised lower lowered increase increased reduce reduced set switch switched "
    "bump bumped push pushed postpone postponed reschedule rescheduled upgrade upgraded update updated migrate "
    "migrated extend extended rename renamed shift shifted cut"
)
"""What somebody may do to a thing, so that it has another value: "we moved the retro from Tuesday to Thursday"."""
