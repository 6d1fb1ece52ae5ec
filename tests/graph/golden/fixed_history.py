"""A fixed history of 14,000 commands of all kinds: ``python -m tests.graph.golden.fixed_history`` folds it.

Prints the digest of every memory and the chain of the log as JSON. With ``--write`` it also renews everything in
tests/golden (golden_logs.py beside this has the rest), which is allowed while the release is before 1.0 and says in the
commit why the digests changed.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

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
    thinker,
    use,
    vector,
)
from tests.graph.histories import MEMORIES, TINY, record
from tests.graph.hosts import digests, projecting
from tests.graph.list_log import ListLog
from tests.graph.views import Views
from yggdrasil_infra.log import LogRecord

COMMANDS: Final = 14_000
SEED: Final = 20_261_121
QUIET: Final = 600
"""Nothing is attested before this record: an attest ends a batch, and many tests fold the beginning in batches."""
FOLDER: Final = Path(__file__).parents[2] / "golden"
GOLDEN: Final = FOLDER / "fold-rules-1.json"
_SOON: Final = {"concept_density": 0.4, "dissolve_density": 0.4, "concept_beyond_chance": 0.0, "absorb_jaccard": 0.5}
_SHORT: Final = {
    "node_half_life_ticks": 8,
    "archive_salience": 0.3,
    "archive_rest_ticks": 0,
    "sleep_slice": 9,
    "archived_max": 12,
    "attest_interval_commands": 5,
}
BEGUN: Final = (
    TINY,
    policy("small", nodes_max=100, sessions_open_max=5, edges_max=400, degree_max=24, recalls_kept_max=8, **_SHORT),
    policy("roomy", nodes_max=300, sessions_open_max=5, edges_max=1_200, degree_max=48, **_SOON, **_SHORT),
)
"""What the memories begin with, one each."""
_OFTEN: Final = {
    "event": 46,
    "outcome": 16,
    "recall": 15,
    "read": 2,
    "use": 19,
    "episode": 37,
    "concept": 10,
    "dissolve": 9,
    "adjust": 5,
    "sleep": 5,
    "pin": 15,
    "lift": 30,
    "judge": 29,
    "claim": 30,
    "note": 14,
    "lease": 4,
    "define": 4,
    "role": 3,
    "alias": 9,
    "relate": 5,
    "retire": 3,
    "scorer": 5,
    "vector": 4,
    "policy": 1,
    "attest": 2,
}

_NAMED_SHARE: Final = 0.01  # of what is said: moments get names, or names are taken back


@dataclass
class Life:
    """What a memory's commands may speak of, and how far its sleeper has read: the log is made before it is folded."""

    rng: Random
    lived: list[str] = field(default_factory=lambda: ["nothing yet"])
    asked: list[str] = field(default_factory=lambda: ["nothing yet"])
    formed: list[str] = field(default_factory=lambda: ["nothing yet"])
    rules: list[str] = field(default_factory=list[str])
    slotted: list[str] = field(default_factory=lambda: ["nothing yet"])
    judged: list[str] = field(default_factory=lambda: ["nothing yet"])
    doomed: list[str] = field(default_factory=lambda: ["nothing yet"])
    claimed: list[str] = field(default_factory=lambda: ["nothing yet"])
    scorers: list[str] = field(default_factory=lambda: ["nothing yet"])
    claims: Claims = field(init=False)
    views: Views = field(init=False)
    session: str = "s0"
    passing: bool = False
    slept: int = 0

    def __post_init__(self) -> None:
        self.claims = Claims(self.rng)
        self.views = Views(self.rng, seen=True)

    def said(self, name: str) -> Said:
        """One more command, about something recent."""
        kind = self.rng.choices(list(_OFTEN), list(_OFTEN.values()))[0]
        said: Said = self.views.seen(self.rng, getattr(self, f"_{kind}")(name))
        for names, types in (
            (self.lived, ("record_event", "commit_episode")),
            (self.asked, ("record_recall",)),
            (self.formed, ("form_concept",)),
            (self.claimed, ("assert_claim",)),
        ):
            if said.type in types:
                names.append(said.name)
        return said

    def _recent(self, names: list[str], most: int = 12) -> str:
        return self.rng.choice(names[-most:])

    def _features(self, count: int) -> list[str]:
        """Often of one of four scenes of five, so that some occur together; else any of 40."""
        scene = self.rng.randrange(4) * 5
        pool = range(scene, scene + 5) if count <= 5 and self.rng.random() < 0.6 else range(40)
        return [f"f{n}" for n in self.rng.sample(pool, count)]

    def _session(self) -> str:
        return f"s{max(0, self.rng.randrange(-3, 6))}"

    def _event(self, name: str) -> Said:
        causes = (self._recent(self.lived, 30),) if self.rng.random() < 0.1 else ()
        chosen = self._features(self.rng.choice((0, 1, 2, 4, 5, 10)))
        if self.rng.random() < 0.5:  # what leads is then one of three, so that steps are repeated
            chosen = list(dict.fromkeys((self.rng.choice(("f0", "f5", "f10")), *chosen)))
        key = self.rng.choice(("key0", "key1", "key2")) if self.rng.random() < 0.25 else None
        old = self._recent(self.lived, 20) if self.rng.random() < 0.08 else None
        if key or old:
            self.slotted.append(name)
        origin = self.rng.choice(("agent", "agent", "user", "user", "tool", "operator")) if key or old else None
        self.session = self._session()
        boundary = self.rng.choice(("open", "open", "close")) if self.rng.random() < 0.1 else None
        return event(
            name,
            *chosen,
            session=self.session,
            caused_by=causes,
            key=key,
            supersedes=old,
            boundary=boundary,
            condenses=self._condensed(),
            origin=origin,
        )

    def _condensed(self) -> tuple[str, ...]:
        """What something says in fewer words; for the most part nothing."""
        if self.rng.random() >= 0.06:
            return ()
        return tuple(dict.fromkeys(self._recent(self.rng.choice((self.lived, self.claimed)), 6) for _ in range(2)))

    def _outcome(self, name: str) -> Said:
        rng = self.rng
        value = rng.choice((-10.0, -1.5, -0.25, 0.0, 0.5, 3.0, 10.0))
        violated = value < 0 and rng.random() < 0.1
        kind = "guardrail_violation" if violated else f"kind{rng.randrange(4)}"
        steps = tuple(dict.fromkeys(self._recent(self.lived, 30) for _ in range(3))) if rng.random() < 0.15 else ()
        disaster = value < 0 and rng.random() < 0.5
        of = self._recent(self.lived, rng.choice((5, 20, 60)))
        if disaster:
            self.doomed += rng.choice(([of], [name]))
        origin = rng.choice(("agent", "tool", "tool", "tool", "user")) if disaster else "agent"
        return outcome(name, of, value, kind=kind, catastrophic=disaster, trajectory=steps, origin=origin)

    def _recall(self, name: str) -> Said:
        features = (f"feature:{feature}" for feature in self._features(5))
        formed = self.formed[-1:] if self.rng.random() < 0.5 and len(self.formed) > 1 else []
        return recall(name, "feature:f0", *features, *formed, *self.lived[1:][-2:], *self.lived[1:][-40:-38])

    def _read(self, name: str) -> Said:
        return read(name, self.rng.choice((0, 1, 1_000_000)), self.rng.choice((None, 1)))

    def _use(self, name: str) -> Said:
        result = self.rng.choice(("success", "failure", "unknown"))
        helpful, prevented = self.rng.random() < 0.5, self.rng.random() < 0.2
        used = ("feature:f0",) if self.rng.random() < 0.8 else ()
        recalled = self._recent(self.asked, self.rng.choice((3, 20, 40)))
        return use(name, recalled, *used, result=result, helpful=helpful, prevented_error=prevented)

    def _episode(self, name: str) -> Said:
        events = dict.fromkeys(self._recent(self.lived, 8) for _ in range(4))
        clear = self.rng.choice(("all", "window", "key"))
        session = self.session if self.rng.random() < 0.7 else self._session()
        return episode(name, *events, session=session, clear=clear, keep=self.rng.randrange(3))

    def _concept(self, name: str) -> Said:
        scene = self.rng.randrange(4) * 5
        members = [f"feature:f{n}" for n in range(scene, scene + self.rng.randint(2, 5))]
        more = dict.fromkeys((self._recent(self.lived, 6), *self.formed[1:][-1:]))
        return concept(name, *members, *(more if self.rng.random() < 0.3 else ()))

    def _dissolve(self, name: str) -> Said:
        feature = f"feature:f{self.rng.randrange(20)}"
        return dissolve(name, feature if self.rng.random() < 0.6 else self._recent(self.formed, 4))

    def _adjust(self, name: str) -> Said:
        rng = self.rng
        along = dict.fromkeys((*(f"feature:{each}" for each in self._features(4)), *self.lived[1:][-1:]))
        evidence, factor = (self._recent(self.lived, 4),), rng.choice((0.5, 0.95, 1.05, 2.0))
        change = rng.choice((-1.0, -0.1, 0.1, 1.0))
        return adjust(name, *along, evidence=evidence, salience=change, permanence=change / 2, half_life=factor)

    def _sleep(self, name: str) -> Said:
        """Mostly by one thinker, which is never refused as long as it says truly where it left off."""
        if self.rng.random() < 0.5:
            return sleep(name, by=thinker("sleeper", self.slept + self.rng.randrange(2), 11_000))
        self.slept += 1
        scope = "task" if self.slept % 2 else None
        return sleep(name, by=thinker("sleeper", self.slept - 1, self.slept), scope=scope)

    def _pin(self, name: str) -> Said:
        pinned, permanence = self.rng.random() < 0.55, self.rng.choice((0.0, 2.0, 7.0))
        principle = pinned and self.rng.random() < 0.8
        of = self.rng.choice((*(self._recent(self.lived, 4) for _ in range(3)), "feature:f0", "feature:f5"))
        if self.rules and self.rng.random() < 0.4:  # a principle no longer, or again
            return pin(name, self.rules.pop(), pinned, permanence, pinned and self.rng.random() < 0.3)
        if principle:
            self.rules.append(of)
        return pin(name, of, pinned, permanence, principle)

    def _lift(self, name: str) -> Said:
        of = self.doomed.pop() if len(self.doomed) > 1 else self.doomed[0]
        return lift(name, of, origin=self.rng.choice(("operator",) * 4 + ("agent",)))

    def _judge(self, name: str) -> Said:
        """What has a slot, what has just happened, or what is protected; what was judged is soon released."""
        rng = self.rng
        guarded = self.rules or self.doomed
        pools = (self.slotted, self.slotted, self.lived, self.lived, self.formed, self.judged, self.judged, guarded)
        pool = rng.choice((*pools, *(self.claimed,) * 5)) if rng.random() < 0.6 else self.asked
        named = list(dict.fromkeys(self._recent(pool, 4) for _ in range(rng.choice((1, 1, 2)))))
        verdicts = ("reject", "reject", "reject", "resolve", "quarantine", "archive")
        verdict = "release" if pool is self.judged else rng.choice(verdicts)
        if pool is self.claimed:
            verdict = rng.choice(("verify", "promote", "promote", "promote", "promote", verdict))
        if pool is not self.judged:
            self.judged += named
        origin, trust = rng.choice(
            (("agent", None), ("user", 1), ("tool", None), ("operator", None), ("operator", None))
        )
        origin, trust = ("operator", None) if pool is self.claimed else (origin, trust)
        evidence = (self._recent(self.lived, 6),) if rng.random() < 0.3 else ()
        return judge(name, *((each, verdict) for each in named), evidence=evidence, origin=origin, trust=trust)

    def _claim(self, name: str) -> Said:
        evidence = (self._recent(self.lived, 6),) if self.rng.random() < 0.4 else ()
        old = self._recent(self.claimed, 6) if self.rng.random() < 0.08 else None
        return self.claims.claim(self.rng, name, evidence, old, None, self._condensed())

    def _note(self, name: str) -> Said:
        evidence = (self._recent(self.lived, 6),) if self.rng.random() < 0.2 else ()
        session = self.session if self.rng.random() < 0.8 else self._session()
        return self.claims.note(self.rng, name, session, evidence, None)

    def _lease(self, name: str) -> Said:
        return self.claims.lease(self.rng, name, self.session)

    def _define(self, name: str) -> Said:
        return self.claims.define(self.rng, name)

    def _role(self, name: str) -> Said:
        return self.views.define(self.rng, name)

    def _alias(self, name: str) -> Said:
        return self.claims.alias(self.rng, name, (), None)

    def _relate(self, name: str) -> Said:
        ends = self._recent(self.claimed), self._recent(self.lived)
        return self.claims.relate(name, ends, self.rng, None)

    def _scorer(self, name: str) -> Said:
        """A scorer is proposed, or adopted, or let go of again."""
        rng = self.rng
        if len(self.scorers) < 2 or rng.random() < 0.5:
            self.scorers.append(name)
            active, samples = rng.random() < 0.3, rng.choice((50, 100, 100, 150))
            return propose(name, active=active, samples=samples, origin=rng.choice(("operator", "operator", "agent")))
        active = rng.random() < 0.6
        return adopt(name, self._recent(self.scorers, 4), active, origin=rng.choice(("operator",) * 4 + ("agent",)))

    def _retire(self, name: str) -> Said:
        """A thinker that decides one part of two, and retires."""
        self.passing = not self.passing
        if self.passing:
            return sleep(name, by=thinker("passing", 0, 1, part=self.rng.randrange(2), parts=2))
        return retire(name, "passing")

    def _vector(self, name: str) -> Said:
        of = self.rng.choice((*self.lived[1:][-2:], "feature:f0"))
        return vector(name, of, self.rng.choice(("small", "large", "other")), bytes([self.rng.randrange(128)]))

    def _policy(self, name: str) -> Said:
        return policy(name, competitor_loss=self.rng.choice((0.0, 0.05, 0.5)), transition_share=self.rng.random())

    def _attest(self, name: str) -> Said:
        return attest(name)


def fixed_history(commands: int = COMMANDS) -> list[LogRecord]:
    """Its first commands. Three memories live as agents do; between what the first two say stands any kind of noise."""
    rng = Random(SEED)
    lives = {memory: Life(rng) for memory in MEMORIES}
    records = [said.record(offset, memory) for offset, (said, memory) in enumerate(zip(BEGUN, MEMORIES, strict=True))]
    names = Random(f"snapshots {SEED}")  # of their own, so that the rest is drawn as it was without them
    while len(records) < commands:
        offset = len(records)
        if names.random() < _NAMED_SHARE:
            origin = names.choice(("operator",) * 9 + ("agent",))
            named = snapshot(f"moment {offset}", f"at{names.randrange(5)}", drop=names.random() < 0.4, origin=origin)
            records.append(named.record(offset, names.choice(MEMORIES)))
            continue
        if rng.random() < 0.2:
            said = record(rng.getrandbits(32), offset, memories=2)
        else:
            memory = rng.choice(MEMORIES)
            said = lives[memory].said(f"command {offset}").record(offset, memory)
        if offset >= QUIET or b'"type":"attest"' not in (said.value or b""):
            records.append(said)
    return records


def results(change: Callable[[list[LogRecord]], None] = lambda _: None) -> dict[str, str]:
    """Fold the history, after ``change``, and return what it must be compared by."""
    records = fixed_history()
    change(records)
    with TemporaryDirectory() as folder, projecting(ListLog(records), Path(folder) / "store", 500) as projector:
        projector.catch_up()
        return digests(projector.store) | {"chain": projector.store.state.chain.hex()}


def written(found: dict[str, str]) -> str:
    """What is stored of digests."""
    return json.dumps(found, indent=2, sort_keys=True) + "\n"


def main(arguments: list[str]) -> None:
    text = written(results())
    sys.stdout.write(text)
    if "--write" in arguments:
        from tests.graph.golden.golden_logs import write

        GOLDEN.write_text(text, encoding="utf-8")
        write()


if __name__ == "__main__":
    main(sys.argv[1:])
