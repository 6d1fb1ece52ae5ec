"""What the small golden logs say, by the type of command that each of them is about; all of it is accepted."""

from collections.abc import Iterator
from typing import Final

from tests.graph.commands import (
    Said,
    adjust,
    adopt,
    attest,
    claim,
    concept,
    dissolve,
    episode,
    event,
    judge,
    lift,
    outcome,
    pin,
    policy,
    propose,
    read,
    recall,
    retire,
    role,
    sleep,
    snapshot,
    thinker,
    use,
    vector,
)
from tests.graph.golden import said_of_claims


def _chain(names: str, *features: str, session: str = "default") -> list[Said]:
    """Events of these names, a letter each, all with the same features."""
    return [event(name, *features, session=session) for name in names]


def _events() -> Iterator[Said]:
    """Novelty, steps that are repeated, bonds, sessions, absorption, competitors, causes, what takes whose place."""
    for n in range(9):
        yield event(f"e{n}", ("rain", "mud")[n % 2], "coat", f"f{n % 3}", session="a")
    yield event("wide", *(f"w{n}" for n in range(10)), session="b", caused_by=("e1", "e8"))
    yield from (event(f"c{n}", f"w{n}", session="d") for n in range(4, 10))
    yield event("rival", *(f"w{n}" for n in range(10)), session="a")
    yield concept("wet", "feature:rain", "feature:mud", "feature:coat")
    yield event("again", "mud", "coat", "rain", session="c")
    yield event("nearly", "coat", "rain", "mud", "w0", session="b", caused_by=("wide",))
    yield event("too far", "coat", "rain", "w1", "w2", session="b")
    yield event("plain", session="a")
    for name, origin, trust in (("said", "user", None), ("claimed", "agent", None), ("rumour", "user", 0)):
        yield event(name, "rain", key="one", origin=origin, trust=trust)
    yield event("measured", "coat", key="one", origin="tool")
    yield event("corrected", "coat", supersedes="e4", session="d")
    yield event("and again", supersedes="corrected", session="d")
    yield event("elsewhere", key="two", supersedes="and again", origin="import")
    yield pin("core", "elsewhere")
    yield event("against it", key="two", origin="tool")
    yield event("page", "web", trust=0, session="web")
    yield from _chain("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", session="d")
    yield event("has it from there", "web", session="web")
    yield from _chain("abdfghijklmnopqrstuvwxyz!?+-*/", session="d")
    yield event("on its own", "web", session="web")
    yield event("begun", "rain", session="work", boundary="open", origin="user")
    yield event("in short", "coat", session="work", condenses=("A", "B", "said", "page"))
    yield event("in a user's words", "coat", session="work", condenses=("C", "claimed"), origin="user")
    yield event("done", session="work", boundary="close", origin="user")
    yield from (event(f"elsewhere {n}", session=f"room {n}") for n in range(70))


def _outcomes() -> Iterator[Said]:
    """Good, bad and neutral; what is foretold, contradicted, catastrophic, violated; credit of every kind."""
    yield from _chain("abcd", "x", "y")
    yield outcome("good", "d", 2.0, kind="tests")
    yield from _chain("efgh", "x", session="two")
    yield event("i", "x", "z", session="two", caused_by=("a", "f"))
    yield outcome("bad", "i", -4.0, kind="tests")
    yield outcome("worse", "i", -0.5, kind="tests")
    yield outcome("none", "h", 0.0)
    yield episode("day", "e", "f", "i", session="two")
    yield outcome("doom", "i", -10.0, kind="tests", catastrophic=True)
    yield outcome("of the day", "day", 3.0, kind="tests")
    yield outcome("lied", "b", -1.0, kind="guardrail_violation", origin="user")
    yield outcome("by steps", "h", 1.5, trajectory=("c", "day", "a"))
    yield outcome("by a stranger", "h", -5.0, trust=0)
    yield event("of a stranger", "x", trust=0, session="two")
    yield episode("with a stranger", "i", "of a stranger", session="two")
    yield event("pit", "deep", session="three")
    for n in range(6):  # up to the caps of impact, stability and weight
        yield outcome(f"fall {n}", "pit", -10.0, kind="fall", catastrophic=True)
    yield event("worn", session="four")
    for n in range(7):  # down to the least stability
        yield outcome(f"wear {n}", "worn", 0.0)
    yield event("j", "x")


def _recalls() -> Iterator[Said]:
    yield from _chain("abc", "x")
    yield recall("r1", "a", "feature:x", "a", "feature:nothing", as_of=3)
    yield recall("r2", "b", "feature:x")
    yield event("d", informed_by=("r1", "r2"))
    yield recall("r3", "a", "b", as_of=4)
    yield recall("r4")


def _reads() -> Iterator[Said]:
    """Of now and of before; what is around them fades no faster."""
    yield from _chain("abc", "x")
    yield read("d1", as_of=3, trust_least=1)
    yield read("d2", as_of=1)
    yield event("d", "x", session="s0")


def _uses() -> Iterator[Said]:
    """Helpful, useless, misleading, and what a feature takes of it; and under perspectives."""
    yield from _chain("abc", "x", "y")
    yield outcome("good", "a", 1.0)
    for n, (result, helpful, prevented) in enumerate(
        (("success", True, False), ("unknown", False, False), ("failure", False, False), ("success", False, True))
    ):
        yield recall(f"r{n}", "a", "b", "feature:x")
        yield use(f"u{n}", f"r{n}", "a", "feature:x", result=result, helpful=helpful, prevented_error=prevented)
        yield event(f"e{n}")
    yield role("buyers", "buyer", "Cost", "Risk", "Proof")
    yield event("seen", "x", perspectives=("Cost",))
    yield outcome("dear", "seen", -4.0, kind="cost")
    for n, (result, perspectives) in enumerate(
        (("success", ()), ("failure", ("Risk",)), ("success", ("Proof", "Risk")))
    ):
        yield recall(f"seen {n}", "seen", "feature:x", perspectives=("Cost",))
        yield use(f"so {n}", f"seen {n}", "seen", "feature:x", result=result, perspectives=perspectives)
        yield event(f"f{n}")
    yield judge("not so", ("so 1", "reject"), origin="user")


def _episodes() -> Iterator[Said]:
    """All three ways to clear the buffer, trajectories, and what comes of an event that is in two of them."""
    yield from _chain("abcdef", "x", "y")
    yield outcome("good", "b", 6.0)
    yield episode("one", "a", "b", clear="key")
    yield episode("two", "c", "d", "b", clear="window", keep=1, by=thinker("chunker", 0, 6))
    yield from _chain("gh", "x", session="other")
    yield episode("three", "e", "g", session="other")
    yield episode("four", "f", "d", "c")
    yield outcome("bad", "b", -2.0)


def _concepts() -> Iterator[Said]:
    """Formed ones, and features that occur so often with others that they count as concepts."""
    yield from _chain("ab", "x", "y", "z")
    yield concept("pair", "feature:x", "feature:y", by=thinker("former", 0, 2))
    yield concept("all", "pair", "a", "feature:z")
    yield event("c", "x", "y")
    # Where 40 of 48 outcomes are good, eight bad ones of eight are six standard deviations beyond chance.
    yield policy("dense", concept_density=0.3, dissolve_density=0.2)
    for n in range(40):
        yield outcome(f"well {n}", "c", 0.1)
    for n in range(16):
        yield event(f"foul {n}", "foul", f"r{n}", f"s{n}", session=f"s{n % 3}")
        if n < 8:
            yield outcome(f"badly {n}", f"foul {n}", -0.1)
    yield policy("low", concept_beyond_chance=0)
    for n in range(16):
        yield event(f"e{n}", "hub", f"p{n}", f"q{n}", session=f"s{n % 3}")
    yield outcome("good", "e15", 5.0)
    yield outcome("better", "c", 2.0)


def _dissolutions() -> Iterator[Said]:
    yield from _chain("abc", "x", "y")
    yield concept("pair", "feature:x", "feature:y", "a")
    yield concept("more", "pair", "b")
    yield dissolve("parted", "pair", by=thinker("former", 0, 5))
    yield event("d", "x", "y")
    yield policy("low", concept_density=0.05, dissolve_density=0.04, concept_beyond_chance=0)
    for n in range(8):
        yield event(f"e{n}", "hub")
    yield dissolve("plain", "feature:hub")


def _reflections() -> Iterator[Said]:
    yield from _chain("abc", "x")
    yield outcome("doom", "c", -3.0, catastrophic=True)
    yield event("d")
    yield adjust("much", "a", "b", "feature:x", evidence=("doom", "c"), salience=1.0, permanence=1.0, half_life=2.0)
    less = {"salience": -1.0, "permanence": -1.0, "half_life": 0.5}
    yield adjust("less", "c", "b", "d", evidence=("doom",), by=thinker("muse", 0, 6), **less)
    yield adjust("little", "d", "c", evidence=("a", "c"), salience=0.01, permanence=-0.02, half_life=1.01)
    yield policy("brief", adjust_window_ticks=1, adjust_half_life_max=1.2)
    yield event("e")
    for number, part in enumerate((2, 0, 1)):
        by = thinker("muse", 6, 9, part=part, parts=3)
        yield adjust(f"part {number}", "a", "e", "d", evidence=("e",), salience=0.15, half_life=1.05, by=by)
    yield sleep("one of two", by=thinker("muse", 9, 10, part=1, parts=2))


def _liftings() -> Iterator[Said]:
    """An event with all that came of it, an outcome of two, an episode; who declares one that is none."""
    yield from _chain("abc", "x")
    yield outcome("doom", "a", -3.0, catastrophic=True)
    yield outcome("fire", "b", -10.0, kind="fire", catastrophic=True, trajectory=("a",))
    yield outcome("flood", "b", -4.0, catastrophic=True, origin="user")
    yield outcome("claimed", "c", -4.0, catastrophic=True, origin="agent")
    yield episode("day", "b", "c")
    yield outcome("sad", "day", -2.0, catastrophic=True, origin="operator")
    yield event("d", "x")
    yield lift("a drill", "a")
    yield lift("one of two", "fire")
    yield lift("the episode", "sad")


def _judgements() -> Iterator[Said]:
    """Every verdict on what stands and on what does not, what that leaves stale, and whose word counts."""
    yield from _chain("abcd", "x")
    yield episode("day", "a", "b")
    yield concept("pair", "day", "c")
    yield judge("wrong", ("a", "reject"), ("b", "reject"), evidence=("c",))
    yield judge("settled", ("c", "resolve"), origin="user", trust=1)
    yield judge("doubted", ("day", "quarantine"), by=thinker("judging", 0, 6), origin="thinker")
    yield judge("right again", ("a", "release"))
    yield event("measured", key="one", origin="tool")
    yield event("claimed", key="one")
    yield event("said", key="one", origin="user")
    yield episode("late", "measured", "claimed")
    yield judge("it is so", ("claimed", "release"), origin="operator")
    yield judge("the other", ("said", "release"), ("b", "release"), ("d", "resolve"), origin="operator")
    yield event("corrected", supersedes="a")
    yield judge("no, it was right", ("a", "release"))
    yield event("in short", condenses=("d", "said", "claimed"), origin="user")
    yield judge("not at all", ("in short", "quarantine"), origin="user")
    yield judge("it is", ("in short", "release"), origin="user")
    yield judge("done with", ("a", "archive"), ("claimed", "archive"), ("in short", "archive"), origin="operator")
    yield judge("not yet", ("a", "release"), ("in short", "release"), origin="operator")


def _retirements() -> Iterator[Said]:
    yield from _chain("ab", "x")
    yield sleep("s1", by=thinker("muse", 0, 2))
    yield sleep("s2", by=thinker("sage", 0, 3, part=1, parts=2))
    yield sleep("s3", by=thinker("poet", 0, 3, part=0, parts=2))
    yield retire("r1", "muse")
    yield retire("r2", "sage")


def _nights() -> Iterator[Said]:
    """Levels of use, a concept that dissolves, an archive that is revived from and overflows, and a want of room."""
    yield policy("brief", node_half_life_ticks=2.0, buffer_events_max=1, archive_rest_ticks=0)
    for n in range(30):
        yield event(f"e{n}", *(name for name, most in (("five", 5), ("fifteen", 15), ("thirty", 30)) if n < most))
    yield concept("passing", "feature:five", "feature:fifteen")
    yield sleep("early", by=thinker("sleeper", 0, 30))
    yield outcome("dim", "e6", -0.5, kind="dim")
    yield from _chain("abcdefghijklmnopqrstu", "thirty")
    yield sleep("night", by=thinker("sleeper", 30, 40))
    yield recall("asked", "e3", "e4")
    yield outcome("late", "e5", 0.5)
    yield policy("few", archived_max=20)
    yield event("more", "thirty")
    yield sleep("full")
    yield event("most", "thirty")
    yield sleep("deep")
    yield policy("little room", archive_salience=0.0, archived_max=50, capacity_weight_max=6)
    yield from _chain("vwxyzABC")
    for n in range(5):
        yield recall(f"r{n}", "v")
        yield use(f"u{n}", f"r{n}", "v")
    yield sleep("crowded")
    yield event("begun", session="quiet", boundary="open")
    yield claim("noted", "job", "state", "late", claim_class="desk", session="quiet")
    yield from _chain("DEFGH")
    yield policy("impatient", session_idle_ticks=3)
    yield sleep("over")
    yield from _naps()


def _naps() -> Iterator[Said]:
    """Sleeps after tasks: a few nodes have their turn, and what was used since then is consolidated at once."""
    yield from _chain("IJKLMNOPQRSTUVWXYZ", "more")
    for n in range(12):
        yield event(f"crowd {n}", *(f"crowd:{n}-{m}" for m in range(12)))
    yield sleep("nap of the usual size", scope="task")
    yield sleep("and the rest", scope="task")
    yield policy("few at a time", sleep_slice=3, archive_salience=0.3, archive_rest_ticks=2)
    for n in range(6):
        yield event(f"task {n}", "task", f"task:{n}")
        if n == 2:
            for use_of in range(5):
                yield recall(f"asked of it {use_of}", "task 0")
                yield use(f"used it {use_of}", f"asked of it {use_of}", "task 0")
        yield sleep(f"nap {n}", scope="task")
    yield sleep("after naps", by=thinker("sleeper", 40, 60), scope="task")


def _scorers() -> Iterator[Said]:
    """Proposed by thinkers and operators, adopted, gone back from, adopted again; a thinker's own; and one too many."""
    yield event("a")
    yield propose("first", origin="thinker", by=thinker("trainer", 0, 1))
    yield propose("second", samples=100)
    yield adopt("on", "first")
    yield adopt("over", "second")
    yield adopt("back", "second", active=False)
    yield adopt("again", "second")
    yield policy("trusting", scorer_adopt=1, scorer_samples_min=10)
    yield propose("own", active=True, samples=10, origin="thinker", by=thinker("trainer", 1, 3))
    yield adopt("off", "own", active=False)
    for n in range(14):
        yield propose(f"more {n}", samples=99 + n, active=n == 3)
    yield adopt("none", "more 3", active=False)


def _pins() -> Iterator[Said]:
    yield from _chain("ab", "x")
    yield pin("core", "a", permanence=3.0)
    yield pin("known", "feature:x")
    yield event("c", "x")
    yield outcome("bad", "a", -1.0)
    yield pin("no more", "a", pinned=False, permanence=9.0)
    yield pin("capped", "b", permanence=10.0)
    yield policy("twelve", nodes_max=12, sessions_open_max=1, edges_max=100, features_paired_max=0)
    yield event("dense", *(f"d{n}" for n in range(5)))
    yield event("last")
    yield policy("many", nodes_max=1_000, edges_max=1_000)
    for n in range(10):
        yield event(f"e{n}")
        yield pin(f"rule {n}", f"e{n}", principle=True)
    yield pin("again", "e3", principle=True)
    yield pin("taken out", "e4")
    yield pin("unpinned", "e5", pinned=False)


def _vectors() -> Iterator[Said]:
    """Of two models, of a third one, of one again; on a feature, and on what is forgotten."""
    yield from _chain("ab", "x")
    yield concept("both", "a", "b")
    for model in ("small", "large", "other"):
        yield vector(f"a by {model}", "a", model)
    yield vector("b by small", "b", values=b"\x7f" * 1_024)
    yield vector("b anew", "b", values=b"\x81" * 1_024)
    yield vector("b in pieces", "b", pieces=[b"\x01\x02\x03", b"\xff\xfe\xfd"])
    yield vector("b in all that it may have", "b", "large", b"\x7f" * 1_024, pieces=[b"\x01" * 1_024] * 128)
    yield vector("b whole again", "b")
    yield vector("of x", "feature:x")
    yield vector("of both", "both")
    yield dissolve("parted", "both")
    yield event("c", "x")


def _policies() -> Iterator[Said]:
    """Caps that fall: sessions close, buffers, recalls, nodes, edges and degrees shrink, and an outcome comes late."""
    for n in range(30):
        yield event(f"e{n}", "hub", *(f"f{(n + k) % 9}" for k in range(n % 4)), session=f"s{n % 5}")
        if n % 6 == 0:
            yield recall(f"r{n}", f"e{n}")
        if n % 2 == 0:  # all sizes, so that each part of the rank decides about some
            value = (n * 7 % 11 - 5.5) * 0.4
            yield outcome(f"o{n}", f"e{n}", value, catastrophic=n == 24)
    yield outcome("grave", "e5", -10.0, kind="grave")
    yield episode("day", "e2", "e7", session="s2")
    yield policy("p1", degree_max=16, recalls_kept_max=3, buffer_events_max=2)
    yield event("hubbed", "hub", session="s1")
    yield policy("p2", sessions_open_max=2, nodes_max=40, edges_max=120)
    for n in range(12):
        yield event(f"bound {n}", *(f"f{(n + k) % 9}" for k in range(n % 5)), session=f"s{n % 2}")
    yield event("crowded", *(f"n{n}" for n in range(8)), session="s0")
    yield event("too much", *(f"m{n}" for n in range(12)), session="s0")
    yield outcome("late", "e2", 1.0)
    yield policy("p3", edges_max=60)
    yield event("cut", *(f"o{n}" for n in range(12)), session="s0")
    yield event("once more", *(f"p{n}" for n in range(12)), session="s0")


def _attestations() -> Iterator[Said]:
    """As soon as it is allowed."""
    yield attest("first")
    for n in range(63):
        yield event(f"e{n}")
    yield attest("second")
    yield policy("often", attest_interval_commands=2)
    yield attest("third")


def _snapshots() -> Iterator[Said]:
    """Moments get names, as many as may; one is dropped, and its name stands for another moment."""
    yield event("a")
    yield snapshot("first", "before")
    yield event("b")
    yield snapshot("second", "after")
    yield snapshot("dropped", "before", drop=True)
    yield snapshot("again", "before")
    for n in range(62):
        yield snapshot(f"more {n}", f"more.{n}")
    yield snapshot("gone", "more.7", drop=True)


LOGS: Final = {
    "record_event": _events,
    "log_outcome": _outcomes,
    "record_recall": _recalls,
    "record_read": _reads,
    "report_use": _uses,
    "commit_episode": _episodes,
    "form_concept": _concepts,
    "dissolve_concept": _dissolutions,
    "adjust": _reflections,
    "sleep": _nights,
    "adopt_scorer": _scorers,
    "pin": _pins,
    "lift_catastrophe": _liftings,
    "judge": _judgements,
    "assert_claim": said_of_claims.assertions,
    "define": said_of_claims.definitions,
    "alias_entity": said_of_claims.aliases,
    "relate": said_of_claims.relations,
    "retire_thinker": _retirements,
    "attach_vector": _vectors,
    "set_policy": _policies,
    "attest": _attestations,
    "snapshot": _snapshots,
}
"""What is said, by the type of command that it is about."""
