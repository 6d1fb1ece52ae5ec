"""What the small golden logs of claims say, and those of predicates, names and relations."""

from collections.abc import Iterator

from tests.graph.commands import (
    Said,
    alias,
    claim,
    concept,
    define,
    episode,
    event,
    judge,
    pin,
    recall,
    relate,
    role,
    thinker,
    use,
)


def assertions() -> Iterator[Said]:
    yield from (*_said(), *_noted(), *_condensed())


def _said() -> Iterator[Said]:
    """Every resolution and cardinality, lines, candidates, what is over, history, and what is concluded from what."""
    yield event("seen", "ana", "rome", session="a")
    yield event("heard", "ana", session="b")
    yield episode("day", "seen", "heard")
    # One word against another, two against one, and the newer word of the same.
    yield claim("rome", "ana", "lives_in", "rome", evidence=("seen",), source="one")
    yield claim("oslo", "ana", "lives_in", "oslo", source="two", confidence=90)
    yield claim("oslo too", "ana", "lives_in", "oslo", source="three", confidence=90)
    yield claim("rome again", "ana", "lives_in", "rome", source="two", key="laptop")
    yield claim("by a user", "ana", "lives_in", "lima", origin="user", source="ana")
    yield claim("by a stranger", "ana", "lives_in", "rome", trust=0, source="stranger")
    yield claim("by a tool", "ana", "lives_in", "rome", origin="tool")
    yield claim("against it", "ana", "lives_in", "oslo", source="two", evidence=("day",))
    yield claim("by an operator", "ana", "email", {"digest": "0" * 32}, origin="operator", confidence=100)
    # What held when: history, a late report in between, and one that is over.
    yield claim("acme", "ben", "works_for", "acme", valid_from=100, origin="user", source="ben")
    yield claim("zeta", "ben", "works_for", "zeta", valid_from=300, origin="user", source="ben")
    yield claim("late", "ben", "works_for", "beta", valid_from=200, origin="user", source="ben")
    yield claim("longer", "ben", "works_for", "beta", valid_from=150, valid_to=250, origin="user", source="eve")
    yield claim("once", "ben", "works_for", "nobody", valid_from=-100, valid_to=50)
    yield claim("before", "ben", "works_for", "acme", valid_from=90, origin="user", source="ben")
    # Candidates: concluded, imported, a rule, one that asks for more; and what makes them stand.
    by = thinker("reader", 0, 3)
    yield claim("concluded", "ana", "diet", "vegan", evidence=("seen", "heard"), origin="thinker", by=by)
    yield claim("imported", "ana", "diet", "vegan", evidence=("heard",), origin="import", confidence=50)
    yield claim("guessed", "ana", "fears", "bees", evidence=("seen",), origin="thinker")
    yield claim("taken over", "ana", "fears", "wasps", evidence=("seen",), origin="import")
    yield claim("chosen", "ana", "diet", "fish", origin="user", confidence=100)
    yield claim("tentative", "ana", "likes", "tea", candidate=True, claim_class="lesson")
    yield claim("tea", "ana", "likes", "tea", source="two")
    yield claim("rule", "ana", "must", "knock", claim_class="rule", origin="user")
    yield judge("so it is", ("rule", "verify"), origin="operator")
    yield judge("established", ("by a tool", "promote"), origin="operator")
    yield claim("no more", "ana", "lives_in", "lima", origin="tool")
    yield judge("no", ("tentative", "reject"), origin="user")
    yield claim("in vain", "ana", "likes", "tea")
    # One for each object, any number, none: and one that takes the place of an event.
    yield claim("ten", "shop", "offers", "apple", qualifiers={"price": "10"})
    yield claim("twelve", "shop", "offers", "apple", qualifiers={"price": "12"}, source="two", confidence=100)
    yield claim("one kilo", "shop", "weighs", {"decimal": "1", "unit": "kg"})
    yield claim("two kilo", "shop", "weighs", {"decimal": "2", "unit": "kg"}, origin="tool")
    yield claim("open", "shop", "open", True)
    yield claim("itself", "shop", "knows", "shop")
    yield claim("in place", "ana", "was", "here", supersedes="heard", evidence=("seen", "concluded"))
    yield judge("not seen", ("seen", "reject"))
    yield concept("both", "rome", "oslo")
    for number in range(9):
        yield claim(f"word {number}", "sky", "colour", "blue", source=f"source {number}", confidence=50 + number)
    for number in range(9):
        yield claim(f"guess {number}", "sky", "height", number, source=f"source {number}", confidence=number)
    # Strangers, of whom the first gives way for want of room however sure they are; what speaks from below counts for
    # nothing; and a person may approve what an agent proposed.
    for number in range(10):
        yield claim(f"strange {number}", "sea", "depth", number, source=f"s{number}", confidence=90 - number, trust=0)
    yield claim("by eve", "eve", "lives_in", "rome", origin="user", source="eve", confidence=10)
    yield claim("by agents", "eve", "lives_in", "oslo", confidence=100)
    yield claim("by more of them", "eve", "lives_in", "oslo", source="two", confidence=100)
    yield claim("proposed", "eve", "must", "knock", claim_class="rule")
    yield judge("approved", ("proposed", "release"), origin="user")


def _noted() -> Iterator[Said]:
    """Notes that replace others, say the same, are of other writers, from below, protected, and outlive the session."""
    yield claim("there", "shop", "at", {"anchor": "overworld/120/64/-33"})
    yield claim("that chunk", "shop", "at", {"anchor": "overworld/7/-3"}, source="two")
    yield claim("way", "shop", "path", "sea", qualifiers={"ticks": "9"})
    yield claim("way back", "sea", "path", "shop", qualifiers={"ticks": "7"}, source="two")
    yield claim("drop", "sea", "path", "shop", qualifiers={"oneway": "yes"})
    for number in range(9):
        yield event(f"glance {number}", "sea", session="b")
        yield claim(f"seen {number}", "sea", "seen_as", "lake", evidence=(f"glance {number}",))
    yield event("begun", "job", session="work", boundary="open")
    for name, predicate, value in (
        ("begun on", "state", "begun"),
        ("built", "state", "built"),
        ("built again", "state", "built"),
        ("first goal", "goal", "ship"),
        ("second goal", "goal", "rest"),
        ("owed", "promise", "a call"),
    ):
        yield claim(name, "job", predicate, value, claim_class="desk", session="work")
    yield claim("theirs", "job", "state", "late", claim_class="desk", session="work", source="other", valid_to=9)
    yield claim("by ana", "job", "state", "fine", claim_class="desk", session="work", origin="user", source="ana")
    yield claim("below", "job", "state", "lost", claim_class="desk", session="work", trust=0)
    yield pin("held", "second goal")
    yield judge("it is built", ("built", "verify"), origin="user")
    yield claim("not so", "job", "state", "lost", claim_class="desk", session="work", evidence=("begun",))
    yield event("done", session="work", boundary="close")


def _condensed() -> Iterator[Said]:
    """What gives way to a digest at once, late, not at all, and comes back."""
    for number in range(5):
        yield claim(f"drink {number}", "zoe", "likes", f"tea {number}", source=f"s{number}")
    yield claim("of zoe", "zoe", "likes", "cocoa", origin="user", source="zoe")
    yield claim("teas", "zoe", "likes", "tea", condenses=("drink 0", "drink 1", "of zoe"))
    yield claim("teas too", "zoe", "likes", "tea", condenses=("drink 2",), source="two")
    waits = thinker("weaver", 0, 3)
    waiting = ("drink 2", "drink 3", "of zoe")
    yield claim("waits", "zoe", "likes", "drinks", condenses=waiting, evidence=("drink 3",), origin="thinker", by=waits)
    yield claim("drinks", "zoe", "likes", "drinks", origin="user", source="zoe")
    yield judge("not that", ("teas", "reject", True), origin="user")
    yield judge("nor this", ("waits", "quarantine"), origin="user")
    yield judge("all the same", ("waits", "release"), origin="user")


def definitions() -> Iterator[Said]:
    """Each part of what a predicate means, before and after it is said."""
    yield claim("red", "door", "colour", "red")
    yield define("colour", "colour")
    yield claim("green", "door", "colour", "green")
    yield claim("blue", "door", "colour", "blue", source="two")
    yield define("newest", "colour", resolution="recency")
    yield claim("grey", "door", "colour", "grey")
    yield define("by hand", "colour", resolution="human", authority="agent")
    yield claim("white", "door", "colour", "white", origin="user")
    yield claim("black", "door", "colour", "black")
    yield define("reviewed", "state", review=True, perish_ticks=9)
    yield claim("open", "door", "state", "open", origin="user")
    yield define("by two", "size", cardinality="one_per_object", confirmations=2)
    yield claim("large", "door", "size", "large")
    yield claim("large too", "door", "size", "large", source="two")
    yield define("many", "state", cardinality="many")
    yield claim("shut", "door", "state", "shut")
    yield role("buyers", "buyer", {"name": "Cost", "keywords": ["price", "budget"]}, "Risk")
    yield event("quote", "offer", perspectives=("Cost", "Risk"))
    yield role("critics", "critic", "Risk", "Proof")
    yield role("renamed", "buyer", "Cost", {"name": "Price", "formerly": "Cost"}, "Risk")
    yield claim("dear", "door", "price", 9, perspectives=("Price", "Proof"), origin="user")
    yield role("no critics", "critic")
    yield recall("asked", "quote", "dear", "red", perspectives=("Price", "Cost", "nobody's"))
    yield use("so it was", "asked", "quote", "dear", result="success")


def aliases() -> Iterator[Said]:
    """Names that join slots, move with others, are taken back; and what is said under them."""
    yield claim("rome", "ana", "lives_in", "rome")
    yield claim("oslo", "anna", "lives_in", "oslo", origin="user")
    yield event("letter", "anna")
    yield alias("same", "anna", "ana", evidence=("letter",))
    yield claim("lima", "anna", "lives_in", "lima", origin="user", confidence=100)
    yield alias("short", "a.", "ana", origin="user")
    yield alias("annie", "annie", "annabel")
    yield alias("both", "annabel", "a.")
    yield claim("knows", "ben", "knows", "annie")
    yield claim("knows too", "ben", "knows", "ana", source="two")
    yield alias("apart", "anna")
    yield alias("moved", "annie", "ben", origin="user")
    yield claim("apart now", "anna", "lives_in", "bern")


def relations() -> Iterator[Said]:
    """All kinds of nodes and of relations, one of them said again."""
    for name in "ab":
        yield event(name, "x", session=name)
    yield claim("rome", "ana", "lives_in", "rome")
    yield concept("pair", "a", "feature:x")
    for relation in ("supports", "contradicts", "supersedes", "refines", "depends_on", "example_of"):
        yield relate(relation, "a", "rome", relation)
    for relation in ("part_of", "leads_to", "answers", "applies_to", "related"):
        yield relate(relation, "pair", "feature:rome", relation)
    yield relate("said again", "a", "rome", "supports", by=thinker("weaver", 0, 4))
    yield relate("back", "rome", "a")
    yield event("c", "x")
    yield pin("kept", "rome")
