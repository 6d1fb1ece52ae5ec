"""Little distributions: a module, and beside it what an installer writes of it."""

import sys
from pathlib import Path

RANKERS = '''
from yggdrasil_projections.retrieval.ranking.own.ranker import CandidateFeatures


class Newest:
    name = "acme-fresh/1"

    def scores(self, candidates):
        return [4096 * 50 // (50 + each.age) for each in candidates]


class Steady(Newest):
    name = "acme-fresh/2"

    def scores(self, candidates):
        return [each.relevance for each in candidates]


class Against:
    """Puts what is trusted least first, and what is least relevant."""

    name = "acme-against/1"

    def scores(self, candidates):
        return [4096 - each.relevance // 2 - 500 * each.trust for each in candidates]


class Raising:
    name = "acme-raising/1"

    def scores(self, candidates):
        raise KeyError("no such weight")


class Short:
    name = "acme-short/1"

    def scores(self, candidates):
        return [1]


class Floats:
    name = "acme-floats/1"

    def scores(self, candidates):
        return [0.5 for _ in candidates]


class Beyond:
    name = "acme-beyond/1"

    def scores(self, candidates):
        return [4097 for _ in candidates]


class Liar(Newest):
    name = "acme-other/1"


NOTHING = object()
'''
THINKERS = '''
from dataclasses import dataclass, field

from yggdrasil_processors.thinkers.thinker import Decision, Thinker


@dataclass
class Seen:
    events: list[str] = field(default_factory=list)


class Watch(Thinker[Seen]):
    """Every two events are an episode."""

    name = "acme-watch"
    version = "1"
    wakes = frozenset({"record_event"})
    state = Seen

    def observe(self, state, happening):
        if happening.kind != "event":
            return ()
        state.events.append(happening.id)
        if len(state.events) < 2:
            return ()
        events, state.events = state.events, []
        return [Decision("commit_episode", {"events": events}, "two events", {"why": "they are two"})]


class Later(Watch):
    version = "2"


class Unfit:
    name, version = "acme-unfit", "1"
'''


def install(folder: Path, distribution: str, module: str, source: str, entries: dict[str, dict[str, str]]) -> None:
    """Write a distribution into ``folder``, which is on ``sys.path``: ``entries`` by group, then by name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(source)
    sys.modules.pop(module, None)
    described = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    described.mkdir(exist_ok=True)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    written = (f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in of.items()) for group, of in entries.items())
    (described / "entry_points.txt").write_text("\n".join(written))


def install_rankers(folder: Path, *names: str) -> None:
    """Install the distribution ``acme-rankers`` with some rankers, by name and version; all of them unless named."""
    of = {
        "acme-fresh/1": "Newest",
        "acme-fresh/2": "Steady",
        "acme-against/1": "Against",
        "acme-raising/1": "Raising",
        "acme-short/1": "Short",
        "acme-floats/1": "Floats",
        "acme-beyond/1": "Beyond",
        "acme-liar/1": "Liar",
        "acme-nothing/1": "NOTHING",
        "acme-gone/1": "Gone",
        "hybrid/7": "Newest",
    }
    chosen = {name: f"acme_rankers:{at}" for name, at in of.items() if not names or name in names}
    install(folder, "acme-rankers", "acme_rankers", RANKERS, {"yggdrasil.rankers": chosen})


def install_thinkers(folder: Path) -> None:
    """Install the distribution ``acme-thinkers``."""
    of = {"acme-watch/1": "Watch", "acme-watch/2": "Later", "acme-unfit/1": "Unfit", "acme-wrong/1": "Watch"}
    of["chunker"] = "Watch"
    named = {name: f"acme_thinkers:{at}" for name, at in of.items()}
    install(folder, "acme-thinkers", "acme_thinkers", THINKERS, {"yggdrasil.thinkers": named})
