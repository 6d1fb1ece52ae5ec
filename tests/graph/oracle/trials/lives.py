"""Lives: histories in which every command is about what has happened, so that references hit and rules apply.

Each seed is one command. A life is told what became of it, as an agent and a thinker are. Caps are tiny and half-lives
short, so that pruning, closing, archiving and dissolving happen within a hundred commands.
"""

from collections import defaultdict
from copy import copy
from dataclasses import replace
from random import Random
from typing import Any, Final

from tests.graph.assertions import Claims
from tests.graph.commands import (
    Said,
    adjust,
    adopt,
    attest,
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
    sleep,
    snapshot,
    stamped,
    use,
    vector,
)
from tests.graph.oracle.trials.caps import COUNTS, SMALL, caps, changes
from tests.graph.oracle.trials.styles import STYLE_CONSTANTS, STYLES
from tests.graph.oracle.trials.thinkers import Thinkers
from tests.graph.views import OFTEN, Views
from yggdrasil_schemas.policy import DEFAULT, Policy, changed

FEATURES: Final = (3, 6, 14)  # how many there are in a life
VALUES: Final = (-10.0, -4.0, -1.5, -0.3, 0.0, 0.5, 2.0, 3.0, 10.0)
KINDS: Final = ("kind0", "kind1", "kind2", "guardrail_violation")
VERDICTS: Final = ("reject", "resolve", "quarantine", "release", "release", "archive")
OF_ACTS: Final = ("reject", "quarantine", "quarantine", "release")
OF_CLAIMS: Final = (*VERDICTS, "verify", "verify", "promote", "promote")
ORIGINS: Final = ("agent", "agent", "thinker", "import", "user", "user", "tool", "operator", "operator")
MADE: Final = {
    "record_event": "event",
    "log_outcome": "outcome",
    "record_recall": "recall",
    "commit_episode": "episode",
    "form_concept": "concept",
    "assert_claim": "claim",
    "alias_entity": "act",
    "relate": "act",
    "report_use": "act",
    "attach_vector": "act",
    "judge": "act",
    "adopt_scorer": "scorer",
}
# How often what is said, of about a hundred commands.
USUAL: Final[dict[str, int]] = {
    "event": 42,
    "outcome": 17,
    "recall": 7,
    "use": 8,
    "episode": 7,
    "concept": 5,
    "dissolve": 5,
    "adjust": 5,
    "sleep": 4,
    "pin": 6,
    "lift": 5,
    "judge": 7,
    "retire": 1,
    "vector": 8,
    "policy": 2,
    "attest": 3,
    "again": 3,
    "claim": 10,
    "note": 5,
    "define": 2,
    "alias": 2,
    "relate": 2,
    "read": 3,
    "scorer": 1,
}


class Life:
    """One memory's commands, one for each seed."""

    def __init__(self, rng: Random) -> None:
        self.count = self.seq = 0
        self.policy = DEFAULT
        self.names: dict[str, list[str]] = {kind: [] for kind in set(MADE.values())}
        self.sets: list[tuple[str, ...]] = []  # of features that occurred together
        self.said: list[Said] = []
        self.returned: dict[str, list[str]] = {}
        self.session_of: dict[str, str] = {}
        self.thinkers = Thinkers()
        self.claims = Claims(rng)
        self.named: dict[str, list[str]] = defaultdict(list)  # which nodes, to speak of them again
        self.session = "s0"
        self.features = rng.choice(FEATURES)
        self.style = rng.choices(list(STYLES), (20, 22, 10, 15, 8, 22, 26, 80, 60, 45))[0]
        self.often = USUAL | STYLES[self.style]
        self.views = Views(copy(rng))
        if self.views.any:
            self.often |= {each: max(self.often[each], often) for each, often in OFTEN.items()}

    def first(self, rng: Random) -> Said:
        """The policy with which the life begins."""
        paired = {name: rng.choice(COUNTS[name]) for name in rng.sample(sorted(COUNTS), rng.choice((0, 1, 2)))}
        drawn = changes(rng, rng.choice((0, 2, 6, 20))) | STYLE_CONSTANTS.get(self.style, {})
        seen = self.views.constants if self.views.any else {}
        return self._fitting("policy0", SMALL | caps(rng) | paired | seen | drawn)

    def role(self, seed: int) -> Said | None:
        """What a role is from now on, if anything is said of one before the command of a seed."""
        return self.views.role(Random(f"role {seed}"), f"role{self.count}")

    def next(self, seed: int) -> Said:
        rng = Random(seed)
        self.count += 1
        kind = rng.choices(list(self.often), list(self.often.values()))[0]
        made: Said = getattr(self, f"_{kind}")(rng, f"{self.count}")
        if not made.changed and rng.random() < (0.8 if self.style == "contested" else 0.3):
            made = replace(made, changed=stamped(rng.choice(ORIGINS), rng.choice((None, None, None, 0, 1, 2, 3, 4))))
        made = made if kind == "again" else self.views.seen(Random(f"view {seed}"), made)
        self.said.append(made)
        return made

    def heard(self, said: Said, seq: int) -> None:
        """What became of it: ``seq`` is 0 when it was refused."""
        if not seq:
            return
        self.seq = max(self.seq, seq)
        kind = MADE.get(said.type)
        if kind and said.name not in self.names[kind]:
            self.names[kind].append(said.name)
        self._placed(said)
        self.thinkers.taken(said.body.get("thinker"))
        if said.type == "retire_thinker":
            self.thinkers.retired(said.body["name"])
        if said.type == "set_policy":
            self.policy = changed(self.policy, said.body["changes"])

    def _placed(self, said: Said) -> None:
        """An event may have come into a slot."""
        key = said.body.get("key")
        slotted = said.type == "record_event" and (key or "supersedes" in said.body)
        slotted = slotted or said.type == "assert_claim"
        if said.body.get("condenses"):
            self.named["a digest"].append(said.name)
        if slotted and said.name not in self.named["in a slot"]:
            self.named["in a slot"].append(said.name)
            self.named[key or "no key"].append(said.name)

    # What there is to refer to

    def _recent(self, rng: Random, kind: str, reach: int = 8) -> str:
        names = self.names[kind]
        late = rng.random() < 0.12
        return rng.choice((names if late else names[-reach:]) or ["nobody"])

    def _feature(self, rng: Random) -> str:
        return f"feature:f{rng.randrange(self.features)}"

    def _node(self, rng: Random) -> str:
        kinds = ("event", "feature", "outcome", "episode", "concept", "kind", "claim")
        kind = rng.choices(kinds, (30, 40, 8, 8, 12, 4, 15))[0]
        if rng.random() < 0.01:
            return rng.choice(("nobody", "feature:never", "policy0"))
        if kind == "kind":
            return f"feature:outcome:{rng.choice(KINDS)}"
        return self._feature(rng) if kind == "feature" else self._recent(rng, kind)

    def _nodes(self, rng: Random, least: int, most: int) -> list[str]:
        return list(dict.fromkeys(self._node(rng) for _ in range(rng.randint(least, most))))

    def _by(self, rng: Random) -> dict[str, Any] | None:
        if self.style != "crowd" and rng.random() < 0.5:
            return None
        return self.thinkers.next(rng, self.seq, crowd=self.style == "crowd")

    # Commands

    def _event(self, rng: Random, number: str) -> Said:
        size = min(rng.choice((0, 1, 1, 2, 3, 4, 9)), self.features)
        features = tuple(f"f{n}" for n in rng.sample(range(self.features), size))
        if self.sets and rng.random() < 0.45:  # what occurred together before, or nearly so
            features = rng.choice(self.sets[-6:])
            features = features[rng.randrange(2) :] if rng.random() < 0.3 else features
        if rng.random() < 0.02:  # more than the least cap of a degree
            features = tuple(f"wide{n}" for n in rng.sample(range(40), 18))
        self.sets.append(features)
        if rng.random() < (0.5 if self.style == "episodic" else 0.25):
            self.session = f"s{rng.randrange(5)}"
        recalls = rng.randint(1, 3) if self.names["recall"] and rng.random() < 0.35 else 0
        informed = [self._recent(rng, "recall", reach=4) for _ in range(recalls)] + ["nobody"] * (rng.random() < 0.01)
        some = rng.random() < 0.15 and self.names["event"]
        causes = tuple(self._recent(rng, "event") for _ in range(rng.randint(1, 3))) if some else ()
        if rng.random() < 0.02:
            causes = (*causes, rng.choice(("nobody", self._recent(rng, "outcome"))))
        name = f"event{number}"
        self.session_of[name] = self.session
        key, old = self._succession(rng)
        often = 0.4 if self.style == "noting" else 0.08
        return event(
            name,
            *features,
            session=self.session,
            informed_by=tuple(informed),
            caused_by=causes,
            key=key,
            supersedes=old,
            boundary=rng.choice(("open", "open", "close")) if rng.random() < often else None,
            condenses=self._condensed(rng),
            prominence=rng.choice((0, 20, 50, 80, 100)) if rng.random() < 0.15 else None,
            origin="user" if rng.random() < 0.03 else None,
        )

    def _condensed(self, rng: Random) -> tuple[str, ...]:
        """What something says in fewer words; for the most part nothing."""
        if rng.random() >= (0.3 if self.style == "noting" else 0.06):
            return ()
        named = tuple(dict.fromkeys(self._corrigible(rng) for _ in range(rng.randint(1, 3))))
        return named

    def _succession(self, rng: Random) -> tuple[str | None, str | None]:
        """The key of an event, of which there are few, and in whose place it is; for the most part neither."""
        if rng.random() >= (0.7 if self.style == "contested" else 0.2):
            return None, None
        key = rng.choice((None, "key0", "key0", "key1"))
        return key, self._corrigible(rng) if key is None or rng.random() < 0.25 else None

    def _corrigible(self, rng: Random) -> str:
        """Something that can be judged, for the most part, and rather what has a slot."""
        if rng.random() < 0.03:
            return rng.choice(("nobody", self._recent(rng, "outcome"), "policy0"))
        if self.named["a digest"] and rng.random() < 0.25:
            return rng.choice(self.named["a digest"][-4:])
        if self.named["in a slot"] and rng.random() < 0.6:
            return rng.choice(self.named["in a slot"][-6:])
        return self._recent(rng, rng.choices(("event", "episode", "concept", "claim"), (50, 30, 20, 30))[0])

    def _judge(self, rng: Random, number: str) -> Said:
        named = list(dict.fromkeys(self._corrigible(rng) for _ in range(rng.choice((1, 1, 2, 3)))))
        verdict = rng.choice(VERDICTS)
        items = [(each, verdict if rng.random() < 0.8 else rng.choice(VERDICTS)) for each in named]
        items = [(each, rng.choice(OF_CLAIMS) if each.startswith("claim") else verdict) for each, verdict in items]
        if rng.random() < 0.3 and self.named["judged"]:
            fallen = [*self.named["judged"][-3:], *self.named["in a slot"][-2:]]
            items = [(each, "release") for each in dict.fromkeys(rng.choices(fallen, k=2))]
        if rng.random() < (0.8 if self.style == "withdrawn" else 0.35):  # what commands did beside nodes, and words
            acts = rng.choices(("act", "outcome", "claim"), (60, 25, 25), k=rng.choice((1, 1, 2)))
            chosen = dict.fromkeys(self._recent(rng, each, reach=6) for each in acts if self.names[each])
            items = [(each, rng.choice(OF_ACTS)) for each in chosen] or items
            if self.named["acts"] and rng.random() < 0.4:
                items = [
                    (each, "release")
                    for each in dict.fromkeys(rng.choices(self.named["acts"][-4:], k=rng.choice((1, 1, 2))))
                ]
            self.named["acts"] += [each for each, verdict in items if verdict != "release"]
        self.named["judged"] += [each for each, verdict in items if verdict != "release"]
        witness = rng.choice(("nobody", *("policy0",) * 9))
        evidence = (witness, self._recent(rng, "event")) if self.names["event"] and rng.random() < 0.5 else ()
        origin = rng.choice((*ORIGINS, *("operator",) * 5, "tool"))
        words = [(each, verdict, each.startswith("claim") and rng.random() < 0.3) for each, verdict in items]
        said = judge(f"judge{number}", *words, reason=rng.choice(("wrong", "old")), evidence=evidence, by=self._by(rng))
        return replace(said, changed=stamped(origin, rng.choice((None,) * 6 + (1, 3))))

    def _outcome(self, rng: Random, number: str) -> Said:
        weights = (50, 46, 2, 2) if self.style == "episodic" else (80, 16, 2, 2)
        of = rng.choices(("event", "episode", "concept", "outcome"), weights)[0]
        about = self._recent(rng, of) if self.names[of] else self._recent(rng, "event")
        value, kind = rng.choice(VALUES), rng.choices(KINDS, (40, 30, 20, 5))[0]
        if kind == "guardrail_violation" and value >= 0:
            value = -2.5
        few = rng.randint(1, 4) if rng.random() < 0.2 else 0
        kinds = rng.choices(("event", "episode", "outcome"), (70, 28, 2), k=few)
        steps = tuple(dict.fromkeys(self._recent(rng, each) for each in kinds))
        disaster = value < 0 and rng.random() < 0.15
        origin = rng.choice(("agent", "import", "tool", "tool", "user", "operator")) if disaster else "agent"
        said = outcome(
            f"outcome{number}", about, value, kind=kind, catastrophic=disaster, trajectory=steps, origin=origin
        )
        if disaster:
            self.named["catastrophe"] += [about, said.name]
        return said

    def _read(self, rng: Random, number: str) -> Said:
        return read(f"read{number}", rng.choice((0, 0, 1, 10**6)), rng.choice((None, 0, 4)))

    def _recall(self, rng: Random, number: str) -> Said:
        name, returned = f"recall{number}", self._nodes(rng, 0, 6)
        if returned and rng.random() < 0.1:
            returned.append(returned[0])
        self.returned[name] = returned
        as_of = self.seq + 5 if rng.random() < 0.06 else rng.randint(0, self.seq)
        return recall(name, *returned, as_of=as_of)

    def _use(self, rng: Random, number: str) -> Said:
        of = self._recent(rng, "recall", reach=3)
        if not self.names["recall"]:
            return self._recall(rng, number)
        used = [each for each in dict.fromkeys(self.returned.get(of, [])) if rng.random() < 0.7]
        if rng.random() < 0.15:
            used = list(dict.fromkeys((*used, self._node(rng))))
        result = rng.choice(("success", "failure", "unknown"))
        helpful, prevented = rng.random() < 0.5, rng.random() < 0.2
        return use(f"use{number}", of, *used, result=result, helpful=helpful, prevented_error=prevented)

    def _episode(self, rng: Random, number: str) -> Said:
        named = list(dict.fromkeys(self._recent(rng, "event", reach=6) for _ in range(rng.randint(1, 5))))
        if rng.random() < 0.03:
            named.append(rng.choice(("nobody", self._recent(rng, "outcome"))))
        named = list(dict.fromkeys(named))
        own = self.session_of.get(named[-1], self.session)
        session, clear = rng.choice((own, own, own, "", f"s{rng.randrange(6)}")), rng.choice(("all", "window", "key"))
        by, keep = self._by(rng), rng.randrange(3)
        earlier = tuple(dict.fromkeys(self._recent(rng, "episode", 5) for _ in range(rng.choice((0, 0, 0, 1, 2)))))
        earlier += ("event0",) if rng.random() < 0.02 else ()
        named = [] if earlier and rng.random() < 0.2 else named
        name = f"episode{number}"
        return episode(name, *named, session=session, clear=clear, keep=keep, episodes=earlier, by=by)

    def _concept(self, rng: Random, number: str) -> Said:
        members = [f"feature:{each}" for each in rng.choice(self.sets[-4:] or [()])]
        if len(members) < 2 or rng.random() < 0.3:
            members = list(dict.fromkeys(members + self._nodes(rng, 2, 4)))
        if self.names["concept"] and rng.random() < 0.25:  # a concept of a concept
            inner = self._recent(rng, "concept", reach=2)
            members = list(dict.fromkeys((inner, *self._nodes(rng, 1, 2), *members[:1])))
        members = members if len(members) > 1 else ["feature:never", "feature:nor this"]
        return concept(f"concept{number}", *members, by=self._by(rng))

    def _dissolve(self, rng: Random, number: str) -> Said:
        of = self._recent(rng, "concept", reach=3) if rng.random() < 0.6 else self._node(rng)
        return dissolve(f"dissolve{number}", of, by=self._by(rng))

    def _adjust(self, rng: Random, number: str) -> Said:
        along = self._nodes(rng, 1, 4)
        if self.sets and self.names["event"] and rng.random() < 0.5:  # an event and its features are neighbours
            last = self.names["event"][-1]
            features = [f"feature:{each}" for each in next((s for s in reversed(self.sets) if s), ())]
            along = list(dict.fromkeys([*features[:1], last, *features[1:3]]))
        if self.named["adjusted"] and rng.random() < 0.4:
            along = self.named["adjusted"]
        self.named["adjusted"] = along
        evidence = tuple(self._recent(rng, rng.choice(("event", "outcome"))) for _ in range(rng.randint(1, 2)))
        near = tuple(each for each in along[:2] if ":" not in each) if rng.random() < 0.6 else ()
        return adjust(
            f"adjust{number}",
            *along,
            evidence=near or evidence,
            salience=rng.choice((-1.0, -0.1, 0.0, 0.2, 1.0)),
            permanence=rng.choice((-1.0, -0.1, 0.0, 0.2, 1.0)),
            half_life=rng.choice((0.5, 0.95, 1.0, 1.05, 2.0)),
            by=self._by(rng),
        )

    def _claim(self, rng: Random, number: str) -> Said:
        if self.style == "noting" and rng.random() < 0.3:
            return self.claims.lease(rng, f"claim{number}", self.session)
        if rng.random() < 0.12:
            return self.claims.glance(rng, f"claim{number}", self._recent(rng, "event", 3))
        some = rng.randint(1, 3) if rng.random() < 0.35 else 0
        named = [self._recent(rng, rng.choice(("event", "event", "claim", "outcome", "episode"))) for _ in range(some)]
        evidence = tuple(dict.fromkeys(each for each in named if each != "nobody" or rng.random() < 0.1))
        old = self._corrigible(rng) if rng.random() < 0.12 else None
        by = self._by(rng) if rng.random() < 0.2 else None
        return self.claims.claim(rng, f"claim{number}", evidence, old, by, self._condensed(rng))

    def _note(self, rng: Random, number: str) -> Said:
        evidence = (self._recent(rng, rng.choice(("event", "claim"))),) if rng.random() < 0.2 else ()
        by = self._by(rng) if rng.random() < 0.1 else None
        session = self.session if rng.random() < 0.9 else f"s{rng.randrange(6)}"
        return self.claims.note(rng, f"claim{number}", session, evidence, by)

    def _define(self, rng: Random, number: str) -> Said:
        return self.claims.define(rng, f"define{number}")

    def _alias(self, rng: Random, number: str) -> Said:
        evidence = (self._recent(rng, "event"),) if rng.random() < 0.2 else ()
        return self.claims.alias(rng, f"alias{number}", evidence, self._by(rng) if rng.random() < 0.2 else None)

    def _relate(self, rng: Random, number: str) -> Said:
        ends = self._node(rng), self._node(rng)
        if self.named["related"] and rng.random() < 0.3:
            ends = ends[0], rng.choice(self.named["related"][-3:])
        self.named["related"].append(ends[1])
        return self.claims.relate(f"relate{number}", ends, rng, self._by(rng) if rng.random() < 0.2 else None)

    def _sleep(self, rng: Random, number: str) -> Said:
        scope = "task" if sum(map(int, filter(str.isdigit, number))) % 3 == 0 else None  # no chance of its own
        return sleep(f"sleep{number}", by=self._by(rng), scope=scope)

    def _scorer(self, rng: Random, number: str) -> Said:
        origin, trust = rng.choice(("operator", "operator", "thinker", "agent")), rng.choice((None, None, None, 1))
        active = rng.random() < 0.4
        if rng.random() < 0.5:
            by = self._by(rng) if origin == "thinker" else None
            samples = rng.choice((99, 100, 100, 500))
            return propose(f"scorer{number}", active=active, samples=samples, origin=origin, trust=trust, by=by)
        of = self._recent(rng, rng.choice(("scorer",) * 9 + ("event",)), reach=3)
        return adopt(f"scorer{number}", of, active, rng.choice(("operator",) * 6 + ("thinker",)), trust)

    def _pin(self, rng: Random, number: str) -> Said:
        of = self._recent(rng, "concept", reach=2) if rng.random() < 0.25 else self._node(rng)
        pinned, permanence = rng.random() < 0.6, rng.choice((0.0, 0.5, 3.0, 10.0))
        principle = pinned and rng.random() < 0.7
        if self.named["key0"] and rng.random() < (0.85 if self.style == "contested" else 0.1):
            of, pinned = rng.choice(self.named["key0"][-8:]), pinned or rng.random() < 0.8  # so that a slot is full
        elif self.named["principle"] and rng.random() < 0.3:
            of = rng.choice(self.named["principle"][-4:])
        elif principle and rng.random() < 0.8:
            of = self._recent(rng, rng.choice(("event", "event", "outcome", "episode", "concept")), reach=4)
        if principle:
            self.named["principle"].append(of)
        return pin(f"pin{number}", of, pinned, permanence, principle)

    def _lift(self, rng: Random, number: str) -> Said:
        of = self._node(rng) if rng.random() < 0.3 else rng.choice(self.named["catastrophe"][-4:] or ["nobody"])
        return lift(f"lift{number}", of, origin=rng.choice(("operator",) * 6 + ("agent", "user")))

    def _retire(self, rng: Random, number: str) -> Said:
        return retire(f"retire{number}", self.thinkers.anyone(rng), rng.choice(("operator",) * 5 + ("thinker",)))

    def _vector(self, rng: Random, number: str) -> Said:
        of = self._node(rng) if rng.random() < 0.5 else rng.choice(self.named["vector"][-3:] or ["nobody"])
        self.named["vector"].append(of)
        origin = "operator" if ":" in of and rng.random() < 0.8 else rng.choice(ORIGINS)
        model = rng.choice(("small", "large", "other"))
        return vector(f"vector{number}", of, model, bytes([rng.randrange(128)]), origin)

    def _policy(self, rng: Random, number: str) -> Said:
        other = caps(rng) if rng.random() < 0.3 else {}
        wrong = {"nodes_max": 10, "sessions_open_max": 64} if rng.random() < 0.1 else {}
        chosen = other | changes(rng, rng.randint(1, 4)) | wrong
        return policy(f"policy{number}", **chosen) if wrong else self._fitting(f"policy{number}", chosen)

    def _fitting(self, name: str, chosen: dict[str, float]) -> Said:
        """A policy without those conflicts that chance would bring about too often."""
        after: Policy = changed(self.policy, chosen)
        if after.dissolve_density > after.concept_density:
            chosen = chosen | {"dissolve_density": after.concept_density}
        least = max(after.node_half_life_ticks, after.edge_half_life_ticks)  # what the rules fix is never below these
        chosen = chosen | ({"half_life_max_ticks": least} if least > after.half_life_max_ticks else {})
        return policy(name, **chosen)

    def _attest(self, _rng: Random, number: str) -> Said:
        of = sum(map(int, filter(str.isdigit, number)))  # no chance of its own
        if of % 2:
            return attest(f"attest{number}")
        origin = "agent" if of % 10 == 0 else "operator"
        return snapshot(f"snapshot{number}", f"at{of % 3}", drop=of % 4 == 0, origin=origin)

    def _again(self, rng: Random, number: str) -> Said:
        """Something that was said before, or something else under its id."""
        if not self.said:
            return attest(f"attest{number}")
        earlier = rng.choice(self.said)
        return earlier if rng.random() < 0.7 else replace(rng.choice(self.said), name=earlier.name)
