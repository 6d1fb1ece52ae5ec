"""Histories that chance does not find: more than one command may change, heirs of heirs, and full slots."""

from typing import Final

from tests.graph.commands import (
    Said,
    alias,
    claim,
    concept,
    define,
    dissolve,
    event,
    judge,
    outcome,
    pin,
    policy,
    recall,
    relate,
    role,
    sleep,
    use,
)


def _crowd() -> list[Said]:
    """1,184 nodes and 1,183 edges."""
    wide = policy(
        "wide",
        removals_per_command_max=1_024,
        features_paired_max=0,
    )
    return [wide, *(event(f"e{n}", *(f"f{n}-{each}" for each in range(31))) for n in range(37))]


FEWER_NODES: Final = [
    *_crowd(),
    policy("fewer", nodes_max=40, sessions_open_max=2, edges_max=40),
    event("next"),
    event("after"),
]
"""1,024 nodes go with the policy, and 123 with the next event: 160 are left, one comes, 38 of 40 are kept."""

FEWER_EDGES: Final = [
    *_crowd(),
    policy("fewer", nodes_max=1_300, sessions_open_max=2, edges_max=1_300, edges_kept_share=0.1),
    *(event(f"again{n}", *(f"f{n}-{each}" for each in range(31))) for n in range(4)),
]
"""Of 1,311 edges 1,024 go, though only 130 are to be kept."""

_FOUR_TIMES_MORE: Final = [
    event(f"e{n} again {time}", *(f"f{n}-{each}" for each in range(31))) for n in range(37) for time in range(4)
]
MUCH_SLEEP: Final = [*_crowd(), *_FOUR_TIMES_MORE, sleep("first"), sleep("second")]
"""1,147 features have been used five times, which is enough for a level; 1,024 get it in the first sleep."""

MANY_CONCEPTS: Final = [
    policy("faint", removals_per_command_max=1_024, archive_salience=20.0, archive_rest_ticks=0),
    event("whole", "a", "b"),
    *(concept(f"c{n}", "feature:a", "feature:b") for n in range(40)),
    sleep("first"),
    sleep("second"),
]
"""40 concepts could dissolve; 32, of 1,024 nodes that a night may change, do in the first one."""

HEIRS_OF_HEIRS: Final = [
    policy("few", nodes_max=20, sessions_open_max=1, edges_max=200, nodes_kept_share=0.5),
    event("old", "a"),
    concept("inner", "old", "feature:a"),
    concept("middle", "inner", "feature:a"),
    concept("outer", "middle", "feature:a"),
    pin("stays", "outer"),
    *(event(f"noise{n}") for n in range(20)),
    dissolve("first", "inner"),
    dissolve("second", "middle"),
    outcome("late", "old", 3.0),
    dissolve("not yet", "outer"),
    pin("free", "outer", pinned=False),
    dissolve("gone now", "outer"),
    outcome("later", "old", 3.0),
]
"""An outcome that comes late lands on the third container; when that is dissolved, nothing is left."""

BEYOND_CHANCE: Final = [
    policy("dense", concept_density=0.0, dissolve_density=0.0, concept_beyond_chance=4.0),
    *(event(f"other{n}") for n in range(44)),
    *(event(f"wet{n}", "rain", "wind") for n in range(16)),
    policy("looser", concept_beyond_chance=2.0),
    *(event(f"wet{n}", "rain", "wind") for n in range(16, 32)),
    *(event(f"dark{n}", "omen") for n in range(15)),
    *(outcome(f"bad{n}", f"dark{n}", -1.0) for n in range(9)),
    event("dark15", "omen"),
    *(outcome(f"good{n}", "other0", 1.0) for n in range(18)),
    *(event(f"dark{n}", "omen") for n in range(16, 32)),
]
"""Rain and wind have met too seldom at their 16th time, and are looked at no more before the 32nd; the omen is none
while all ends badly, and is one when most ends well."""

_PINNED: Final = [said for n in range(8) for said in (event(f"e{n}", f"f{n}", key="one"), pin(f"p{n}", f"e{n}"))]
FULL_SLOT: Final = [
    event("stranger", key="one", trust=0),
    *_PINNED,
    event("ninth", key="one", origin="tool"),
    event("another", key="two", origin="tool"),
    pin("free", "e7", pinned=False),
    event("in its place", supersedes="e7", origin="user"),
    pin("held", "in its place"),
    event("tenth", key="one", origin="tool"),
    judge("settled", ("e3", "resolve"), origin="operator"),
    event("eleventh", key="one", origin="tool"),
    event("twelfth", key="one"),
    judge("again", ("e5", "release"), origin="operator"),
    event("last", key="one", origin="operator"),
    *(event(f"x{n}", key="three", origin="user") for n in range(10)),
    *(
        judge(f"{verdict} x{n}", (f"x{n}", verdict), origin="user")
        for n in range(8)
        for verdict in ("release", "quarantine")
    ),
    judge("kept out", ("x9", "release"), origin="user"),
    judge("it waits itself", ("x3", "release"), origin="user"),
    judge("there is room", ("x9", "release"), origin="user"),
]
"""Eight of one key are pinned, of which one stands; what comes then is refused while none of them gives way. Of another
key eight wait, each of which was released before; nothing else comes back then."""

_TOLD: Final = [
    claim(f"city {n}", "ana", "lives_in", f"city{n}", source=f"s{n}", valid_from=n * 10, valid_to=n * 10 + 10)
    for n in range(12)
]
FULL_OF_CLAIMS: Final = [
    policy("at once", claims_staged=0),
    *_TOLD,
    *(claim(f"word {n}", "ben", "lives_in", f"city{n}", candidate=True) for n in range(12)),
    *(judge(f"no {n}", (f"word {n}", "reject")) for n in range(4, 12)),
    *(claim(f"more {n}", "ben", "lives_in", f"city{n}", origin="user", candidate=True) for n in range(20, 28)),
    *(judge(f"nor {n}", (f"more {n}", "reject"), origin="user") for n in range(21, 26)),
    *(claim(f"again {n}", "ben", "lives_in", f"city{n}") for n in (4, 8, 11, 25, 26)),
    *(claim(f"bob {n}", "bob", "lives_in", f"town{n}", candidate=True) for n in range(8)),
    *(judge(f"not {n}", (f"bob {n}", "reject")) for n in range(4)),
    alias("one", "bob", "ben", origin="operator"),
    claim("joined", "bob", "lives_in", "rome", origin="user"),
    *(claim(f"line {n}", "ben", "lives_in", "rome", source=f"s{n}", origin="user") for n in range(12)),
    alias("apart", "bob", origin="operator"),
    *(claim(f"anew {n}", "bob", "lives_in", f"town{n}", origin="tool") for n in range(6)),
    alias("one again", "bob", "ben", origin="operator"),
    claim("nothing moves", "bob", "lives_in", "rome", origin="user"),
    claim("all of it", "bob", "lives_in", "oslo", origin="operator"),
    judge("out", ("city 3", "reject")),
    claim("room for one", "ana", "lives_in", "city11", valid_from=110, valid_to=120),
    judge("no room", ("city 3", "release")),
]
"""A thing with eight cities that hold at other times, which refuses a ninth; one that was told much that was rejected,
and remembers eight of it; names that join what is full; a claim with twelve sources."""

MANY_NAMES: Final = [
    *(alias(f"a{n}", f"name{n}", "name") for n in range(9)),
    *(alias(f"b{n}", f"other{n}", "other") for n in range(3)),
    alias("too many", "other", "name4"),
    alias("apart", "name0"),
    alias("one more", "other0", "name4"),
    *(define(f"d{n}", f"predicate{n}") for n in range(257)),
    define("anew", "predicate7", cardinality="many"),
]
"""More names than one thing may have, and more predicates than a memory may define."""

_VIEWS: Final = tuple(f"view{n}" for n in range(8))
MANY_VIEWS: Final = [
    *(role(f"r{n}", f"role{n}", *_VIEWS) for n in range(16)),
    role("too many", "role16", "other"),
    role("known already", "role3", *_VIEWS[:4], "other", "one more", origin="operator"),
    role("ended", "role4"),
    role("for the fifth", "role16", "other"),
    event("full", "f", perspectives=_VIEWS, origin="user"),
    recall("first", "full", "feature:f", perspectives=("other",)),
    use("from below", "first", "full", "feature:f", result="success"),
    recall("second", "full", perspectives=("view2",)),
    use("known", "second", "full", result="success"),
    recall("third", "full"),
    use("a user's", "third", "full", result="success", perspectives=("other", "one more"), origin="user"),
    judge("not so", ("a user's", "reject"), origin="user"),
    judge("but so", ("a user's", "release"), origin="user"),
]
"""More roles than a memory may have, and more perspectives than one node is regarded under: an agent's use under the
ninth takes nothing from a user, a user's takes the place of the weakest."""

FEATURES_FADE: Final = [
    policy("all are concepts", concept_density=0.0, dissolve_density=0.0, concept_beyond_chance=0.0, concept_usage=8),
    *(event(f"e{n}", f"f{n % 3}", "with") for n in range(24)),
    policy("faint", archive_salience=20.0, concept_density=1.0, dissolve_density=1.0),
    sleep("night"),
]
"""Four features have occurred eight times, and count as concepts until the night."""

FROM_BELOW: Final = [
    policy("at once", claims_staged=0),
    alias("a user's", "bobby", "bob", origin="user"),
    alias("joined", "bob", "lt60"),
    alias("an agent's", "no93", "lt60"),
    claim("poison", "anna", "account", {"entity": "lt60"}, source="evil"),
    claim("truth", "anna", "account", {"entity": "no93"}, origin="user"),
    alias("told apart", "ann", "no93", origin="user"),
    claim("rule", "anna", "must", {"entity": "wait"}, claim_class="rule", origin="operator"),
    judge("allowed", ("rule", "release"), origin="operator"),
    claim("other rule", "anna", "must", {"entity": "wait"}, claim_class="rule", origin="operator", supersedes="rule"),
    judge("out again", ("other rule", "reject"), origin="operator"),
    claim("third", "anna", "state", 1, origin="operator"),
    claim("fourth", "anna", "state", 2, origin="operator", supersedes="third"),
    judge("not so", ("fourth", "quarantine"), origin="operator"),
    judge("so after all", ("fourth", "release"), origin="operator"),
    event("note", key="home", origin="user"),
    event("lie", key="home", origin="user"),
    judge("no lie", ("lie", "quarantine"), origin="user"),
]
"""Names that an agent gives join nothing of a user's; what waited waits again when what took its place is out."""

MANY_TAINTS: Final = [
    policy("long", taint_ticks=1_024),
    *(event(f"page {n}", session=f"s{n}", trust=0) for n in range(1_030)),
    event("says so", session="s3"),
    event("says so too", session="s1000"),
]
"""More sessions take in a stranger's word than are kept: the first are forgotten."""

MADE_ANEW: Final = [
    event("one", "rain"),
    event("two", "coat"),
    relate("first", "one", "two"),
    recall("asked", "one", "two"),
    use("used", "asked", "one", "two"),
    judge("out", ("first", "reject"), origin="user"),
    relate("second", "one", "two"),
    event("later"),
    judge("taken", ("used", "reject"), origin="user"),
    judge("again", ("used", "release"), origin="user"),
    judge("taken again", ("used", "reject"), origin="user"),
]
"""An edge that was strengthened goes, and another is made in its place: what is taken back is nothing to that."""

TO_AND_FRO: Final = [
    event("one", "rain"),
    recall("asked", "one", "feature:rain"),
    use("used", "asked", "one", "feature:rain", result="success"),
    *(said for n in range(3) for said in (judge(f"out {n}", ("used", "reject")), event(f"e{n}", "rain"))),
    *(
        said
        for n in range(3)
        for said in (
            judge(f"in {n}", ("used", "release")),
            event(f"f{n}", "rain"),
            judge(f"out again {n}", ("used", "quarantine")),
            event(f"g{n}"),
        )
    ),
]
"""What a report gave is taken back, and given again, three times, while time passes."""
