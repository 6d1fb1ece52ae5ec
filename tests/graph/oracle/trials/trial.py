"""One life, told to the fold and to the oracle; where they part, and whether rounding alone can have parted them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from tests.graph.commands import MEMORY, Said
from tests.graph.oracle.memory import Memory
from tests.graph.oracle.model import Model
from tests.graph.oracle.trials.compare import differences, excused
from tests.graph.oracle.trials.lives import Life
from tests.graph.world import World

# The rules that a sample of lives must have applied often, besides all commands and refusals (see ``Memory.happened``).
COUNTED: Final = (
    "a claim released",
    "a claim stands again",
    "a name from below joins nothing",
    "a new one of an old name",
    "a perspective renamed",
    "a regard gave way",
    "a role again",
    "a role defined",
    "a role ended",
    "a session begun",
    "a session ended",
    "a stranger's recall first",
    "a stranger's session first",
    "absorbed",
    "adjusted again",
    "adjusted anew",
    "adjusted",
    "adjustments forgotten",
    "all parts are in",
    "agents' edges beyond their share",
    "an agent's recall first",
    "an edge was another",
    "an edge was given it again",
    "an ended one first",
    "an episode of episodes",
    "archived by a verdict",
    "archived for room",
    "archived",
    "archived, and ruled before",
    "as regarded as can be",
    "began earlier",
    "beyond their share",
    "brought back from the archive",
    "candidate became active",
    "candidate became contested",
    "candidate became quarantined",
    "candidate",
    "carried downward",
    "carried upward",
    "carried without an edge",
    "caused",
    "claim forgotten",
    "claim left stale",
    "claim stale no longer",
    "claimed a catastrophe",
    "closed",
    "competed",
    "concept dissolved",
    "concept left stale",
    "condensed",
    "condenses late",
    "condenses when it stands",
    "confirmed",
    "consolidated",
    "contested became active",
    "contradicted",
    "counted anew",
    "credited along causal",
    "credited along temporal",
    "credited along trajectory",
    "degree pruned",
    "demoted",
    "edge adjusted",
    "edges pruned",
    "ended by age",
    "ended without a beginning",
    "episode left stale",
    "episode stale no longer",
    "episodes in a row",
    "event left stale",
    "event stale no longer",
    "faded by nothing",
    "foretells no longer",
    "foretold",
    "forgotten asleep",
    "gave way for want of room",
    "gave way to what was released",
    "given again",
    "guardrail",
    "had its turn",
    "held back by a pin",
    "held back: contested",
    "held back: quarantined",
    "held by a session",
    "history",
    "in place of one forgotten",
    "in place of one in another slot",
    "in place of one that has fallen",
    "in place of one",
    "informed badly",
    "informed well",
    "inherited",
    "its note says the same",
    "its own thing by more trust",
    "joined by an alias",
    "joined to a digest",
    "joined",
    "judged when gone",
    "less than its writer",
    "lifted with its event",
    "lifted with its outcome",
    "made stale",
    "misled",
    "named as by the most trusted",
    "names moved",
    "no role to end",
    "nobody's perspective",
    "node pruned",
    "not at rest for long enough",
    "noted again",
    "noted beside what stays",
    "noted otherwise",
    "noted",
    "noted",
    "noticed by nobody",
    "noticed together",
    "of another role too",
    "one word against another",
    "opened",
    "out already",
    "outlives its session",
    "principle again",
    "principle forgotten",
    "principle named",
    "principle taken out",
    "promoted by a verdict",
    "promoted",
    "protection lost",
    "put back: alias_entity",
    "put back: assert_claim",
    "put back: attach_vector",
    "put back: relate",
    "put back: report_use",
    "ranked below",
    "recall dropped",
    "regarded anew",
    "regarded from the start",
    "regarded less",
    "regarded more",
    "regards forgotten",
    "regards given again",
    "regards settled",
    "regards taken back",
    "related again",
    "related with less trust",
    "released: quarantined",
    "released: rejected",
    "released: superseded",
    "renamed",
    "reported in vain",
    "rests on what gave way to it",
    "retired with parts missing",
    "revived",
    "ruling forgotten",
    "said again in vain",
    "said by the same again",
    "said of a pair",
    "seen again",
    "seen by who is trusted more",
    "seen too soon",
    "seen",
    "settled before",
    "settled by nobody from below",
    "settled for want of room",
    "settled with its session",
    "stale all the same",
    "shouted in vain",
    "stands back",
    "stands for itself",
    "stands out",
    "stands without its digest",
    "stayed",
    "stepped again",
    "stepped twice",
    "stood above",
    "strangers' edges first",
    "superseded: active",
    "superseded: candidate",
    "superseded: contested",
    "said again in vain",
    "superseded: quarantined",
    "tainted",
    "taken back",
    "taken from an edge",
    "taken out: alias_entity",
    "taken out: assert_claim",
    "taken out: attach_vector",
    "taken out: judge",
    "taken out: relate",
    "taken out: report_use",
    "trajectory credited",
    "used together",
    "used",
    "vector dropped",
    "vector replaced",
    "vectors forgotten",
    "verified: active",
    "verified: candidate",
    "waits for want of a word",
)
LARGE = 300  # nodes
AT_THE_END = 5  # commands of what was written down, which are what it is about
CHECKED_EVERY = 25  # commands; where something differs, the life is told again and checked after each
LARGE_CHECKED_EVERY = 100


@dataclass
class Trial:
    """What came of it: nothing, a near-tie that the two decided differently, or a failure."""

    counts: Counter[str] = field(default_factory=Counter[str])  # commands, refusals and rules
    near_tie: bool = False
    failure: str = ""
    caught: str = ""  # the failure in a few words: after which command, and what differed first
    told: int = 0  # commands


def tried(start: int, seeds: Sequence[int]) -> Trial:
    """Tell a life that begins with ``start`` and goes on with a command for each of ``seeds``."""

    def lived(model: Model) -> Iterator[Said]:
        rng = Random(start)
        life = Life(rng)
        yield life.first(rng)
        for seed in seeds:
            role = life.role(seed)
            for said in (*((role,) if role else ()), life.next(seed)):
                yield said
                life.heard(said, model.answered[said.fields()["id"]][1].seq)

    trial = _told(lived(model := Model()), model, CHECKED_EVERY)
    return _told(lived(model := Model()), model, 1) if trial.failure else trial


def sampled(start: int) -> Trial:
    """Tell one life of the fixed sample."""
    rng = Random(f"sample {start}")
    return tried(start, [rng.getrandbits(32) for _ in range(rng.choice((90, 160, 320)))])


def told(commands: Sequence[Said]) -> Trial:
    """Tell what was written down: check after every command, but while a large memory comes to be."""
    return _told(commands, Model(), 1, len(commands) - AT_THE_END)


def _told(commands: Iterable[Said], model: Model, every: int, seldom_until: int = 0) -> Trial:
    world, trial, told = World(), Trial(), list[Said]()
    for said in commands:
        told.append(said)
        trial.told += 1
        expected, answer = model.say(said), world.say(said)
        found = (answer.seq, answer.refused and answer.refused.reason, answer.duplicate)
        if found != (expected.seq, expected.refusal, expected.duplicate):
            trial.failure = _failure(told, [f"the fold answers {found}, the oracle {expected}"])
            trial.caught = f"{said.type}: the answer"
            return trial
        if expected.refusal is not None:
            trial.counts[expected.refusal.code] += 1
        elif expected.duplicate:
            trial.counts["duplicate"] += 1
        else:
            trial.counts.update([said.type, *model.memory.happened])
        large = len(told) < seldom_until and len(model.memory.nodes) > LARGE
        if len(told) % (LARGE_CHECKED_EVERY if large else every) == 0 and _parted(world, model.memory, trial, told):
            return trial
    _parted(world, model.memory, trial, told)
    return trial


def _parted(world: World, m: Memory, trial: Trial, told: list[Said]) -> bool:
    different = differences(world.graph(MEMORY), m)
    if different and excused(different, world.graph(MEMORY), m):
        trial.near_tie = True
    elif different:
        trial.failure = _failure(told, map(str, different[:8]))
        trial.caught = f"{told[-1].type}: {different[0].about}"
    return bool(different)


def _failure(told: list[Said], different: Iterable[str]) -> str:
    tail = [f"  {said.name} ({said.type}, {said.session}): {said.body}" for said in told[-3:]]
    return "\n".join((f"after {len(told)} commands, the last of which are", *tail, *different))
