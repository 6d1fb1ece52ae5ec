"""What claims join is the same however an index came about, and what is seen of it is what each claim's node says."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from tests.graph.commands import Said, alias, claim, event, judge
from tests.retrieval.index.test_index import loaded
from tests.retrieval.lives import ROOMY, anew, living
from tests.size import turns
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.lensed import lensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_projections.retrieval.index.columns.links import UNKNOWN, link_in
from yggdrasil_projections.retrieval.index.image import write_image
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.lens import STANDING, holds
from yggdrasil_projections.retrieval.reads.places.atlas import Atlas, Gate, seen_of
from yggdrasil_schemas.commands.knowledge import ClaimClass
from yggdrasil_schemas.graph.records import NodeFlag, Status
from yggdrasil_schemas.names import text_digest

DESK_SORT = get_args(ClaimClass).index("desk") + 1
QUALIFIERS: tuple[dict[str, str], ...] = (
    {},
    {"ticks": "7", "lit": "no"},
    {"length": "12", "risk": "300"},
    {"ticks": "3", "oneway": "yes"},
    {"blocked": "yes", "ticks": "many"},
)


def settled(rng: Random, name: str, at: int) -> Said:
    """A command about places: mostly a claim, by whoever, of whenever; now and then a name, a verdict, an event."""
    earlier = f"c{rng.randrange(max(1, at))}"
    who = rng.choice(("agent", "agent", "user", "tool", "operator"))
    match rng.choices(("claim", "alias", "judge", "event"), (75, 6, 11, 8))[0]:
        case "alias":
            known = rng.choice((None, f"f{rng.randrange(12)}", f"f{rng.randrange(12)}"))
            return alias(name, f"f{rng.randrange(14)}", known, origin=who)
        case "judge":
            verdict = rng.choice(("reject", "resolve", "quarantine", "release", "verify"))
            return judge(name, (earlier, verdict), origin=who)
        case "event":
            return event(name, f"f{rng.randrange(12)}")
    predicate = rng.choice(("path", "path", "path", "at", "is_a", "seen_as", "located_in", "offers"))
    value: Any = f"f{rng.randrange(12)}"
    more: dict[str, Any] = {"qualifiers": rng.choice(QUALIFIERS)} if predicate == "path" else {}
    content: dict[str, Any] | None = None
    if predicate == "at":
        x = rng.randrange(-40, 40)
        value = {"anchor": rng.choice((f"overworld/{x}/64/{-x}", f"nether/{x}/2"))}
    elif predicate == "is_a" and rng.random() < 0.5:
        value, content = {"digest": text_digest("chest")}, {"text": "a chest", "object": "Chest"}
    more |= {"candidate": True} if rng.random() < 0.1 else {}
    begins, ends = rng.choice((None, None, 10, 20)), rng.choice((None, None, 30, 40))
    more |= {} if begins is None else {"valid_from": begins}
    more |= {} if ends is None else {"valid_to": ends}
    evidence = (earlier,) if rng.random() < 0.15 else ()
    said = claim(name, f"f{rng.randrange(12)}", predicate, value, evidence=evidence, origin=who, **more)
    said = replace(said, changed=said.changed | {"source": f"s{rng.randrange(3)}"})
    return said if content is None else replace(said, content=content)


def placed_life(seed: int, count: int) -> list[LogRecord]:
    rng = Random(f"placed{seed}")
    built: list[Said] = [ROOMY]
    built += [settled(rng, f"c{at}", at) for at in range(count)]
    return [each.record(offset, "tenant/a") for offset, each in enumerate(built)]


def gates(rng: Random) -> Iterator[Gate]:
    for _ in range(3):
        moment = rng.choice((None, 5, 25, 45))
        yield Gate(rng.randrange(4), moment, candidates=rng.random() < 0.4, stale=rng.random() < 0.4)


def told(graph: Graph, index: MemoryIndex, gate: Gate) -> tuple[list[Any], list[Any]]:
    """All that an atlas says, in names: its links and its edges."""
    graph = lensed(graph, gate.trust_min)
    atlas = Atlas(seen_of(index.held, gate), graph)
    words = [*atlas.words]
    links = [
        (
            int(number),
            atlas.name(int(subject)),
            words[predicate],
            None if other == UNKNOWN else atlas.name(int(other)),
            None if value == UNKNOWN else words[value],
            tuple(int(each) for each in rest),
            int(trust),
        )
        for number, subject, predicate, other, value, trust, *rest in zip(
            atlas.number, atlas.subject, atlas.links.predicate, atlas.object, atlas.links.value, atlas.trust,
            *atlas.links[5:], strict=True,
        )
    ]  # fmt: skip
    edges = atlas.edges
    pairs = [
        (atlas.name(node), atlas.name(int(edges.target[edge])), int(atlas.number[edges.link[edge]]),
         bool(edges.unsure[edge]))
        for node in range(len(atlas.nodes))
        for edge in range(int(edges.begin[node]), int(edges.begin[node + 1]))
    ]  # fmt: skip
    return links, sorted(pairs)


def seen_by_hand(graph: Graph, gate: Gate) -> list[int]:
    """The numbers of the claims that a gate admits, by each node."""
    graph = lensed(graph, gate.trust_min)
    found: list[int] = []
    for number in graph.node_table().keys.tolist():
        node = graph.node(number)
        claim = None if node is None else graph.claim(node)
        if node is None or claim is None or claim.sort == DESK_SORT:
            continue
        where = Where(valid_at=gate.moment, trust_min=gate.trust_min, history=True)
        held = gate.moment is None or holds(where, node, claim)
        gave_way = gate.moment is not None and node.status == Status.SUPERSEDED and held and claim.closed < 2**62
        stands = node.status in STANDING or (gate.candidates and node.status == Status.CANDIDATE)
        stale = bool(node.flags & NodeFlag.STALE) and not gate.stale
        if held and ((stands and not stale) or gave_way):
            found.append(number)
    return found


@pytest.mark.parametrize("seed", range(turns(3, 12)))
def test_links_are_alike_in_an_index_that_has_grown_is_built_anew_or_is_loaded(tmp_path: Path, seed: int) -> None:
    rng, view = Random(f"links{seed}"), RetrievalView(None)
    records = placed_life(seed, turns(400, 900))
    edges = admitted = unsure = 0
    with living(tmp_path / "store", view) as (log, projector):
        while records:
            chunk = rng.choice((1, 5, 40, 80))
            log.extend(records[:chunk])
            records = records[chunk:]
            while projector.advance(rng.choice((1, 16, 500))):
                pass
            graph = projector.store.peek("tenant/a")
            assert graph is not None
            if rng.random() < 0.4:
                continue
            grown = view.index(graph)
            write_image(tmp_path / "now", grown)
            for gate in gates(rng):
                links, pairs = told(graph, grown, gate)
                assert (links, pairs) == told(graph, anew(graph), gate), gate
                assert (links, pairs) == told(graph, loaded(tmp_path / "now", graph), gate), gate
                assert [each[0] for each in links] == seen_by_hand(graph, gate), gate
                edges += len(pairs)
                admitted += len(links)
                unsure += sum(each[3] for each in pairs)
    assert edges > 100 and admitted > 500 and unsure > 5, (edges, admitted, unsure)


def test_a_name_that_was_given_up_is_that_of_the_claim_however_an_index_came_about(tmp_path: Path) -> None:
    """Its claim was confirmed by that name; that it was the last alias of the memory is nothing to it."""
    said = [
        ROOMY,
        claim("seen", "npc:ogre", "offers", "item:nail", origin="agent"),
        alias("join", "npc:ogre", "npc:smith", origin="user"),
        claim("again", "npc:smith", "offers", "item:nail", origin="user"),
        alias("part", "npc:ogre", origin="operator"),
    ]
    view = RetrievalView(None)
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(each.record(offset, "tenant/a") for offset, each in enumerate(said))
        while projector.advance(1):
            graph = projector.store.peek("tenant/a")
            assert graph is not None
            write_image(tmp_path / "now", view.index(graph))
        graph = projector.store.peek("tenant/a")
        assert graph is not None and not graph.header.aliases
        grown = view.index(graph)
        links, _ = told(graph, grown, Gate())
        assert [each[1] for each in links] == ["npc:smith"]
        assert links == told(graph, anew(graph), Gate())[0] == told(graph, loaded(tmp_path / "now", graph), Gate())[0]


@pytest.mark.parametrize("seed", range(turns(2, 6)))
def test_links_follow_a_renewal_in_small_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = Random(f"renewed{seed}")
    for name, value in (("_STEP_ROWS", 1), ("_STEP_FACTOR", 2 + seed % 2), ("_RENEWED_FROM", 16)):
        monkeypatch.setattr(f"yggdrasil_projections.retrieval.index.index.{name}", value)
    view, renewing, renewed, before = RetrievalView(None), 0, 0, 0
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(placed_life(seed + 40, turns(700, 1_200)))
        while projector.advance(rng.choice((2, 9, 30))):
            graph = projector.store.peek("tenant/a")
            assert graph is not None
            if rng.random() < 0.5:
                index = view.index(graph)
                for gate in gates(rng):
                    assert told(graph, index, gate) == told(graph, anew(graph), gate), gate
                renewing += index.renewing
                renewed += len(index.documents) < before
                before = len(index.documents)
    assert renewing > 2 and renewed > 0


def test_what_is_made_of_links_is_kept_until_something_changes(tmp_path: Path) -> None:
    view = RetrievalView(None)
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(placed_life(3, 60))
        while projector.advance(500):
            pass
        graph = projector.store.peek("tenant/a")
        assert graph is not None
        made = view.index(graph).held.links.made
        empty = made.nbytes
        assert made.get((1, 2, 0), ("a",)) is None
        made.put((1, 2, 0), ("a",), "an atlas", 100)
        assert made.get((1, 2, 0), ("a",)) == "an atlas" and made.nbytes == empty + 100
        assert view.index(graph).held.links.nbytes > 100
        for other in "bcd":
            made.put((1, 2, 0), (other,), other, 100)
        assert made.get((1, 2, 0), ("a",)) is None and made.nbytes == empty + 300, "few are kept"
        made.put((1, 2, 1), ("a",), "of another state", 100)
        assert made.get((1, 2, 1), ("a",)) is None and made.nbytes == 0


def test_qualifiers_are_read_as_they_are_meant() -> None:
    def read(**qualifiers: str) -> tuple[int, int, int, int]:
        body = {"subject": "a", "predicate": "path", "object": {"entity": "b"}, "qualifiers": qualifiers}
        said = link_in(body, {})
        return said.ticks, said.length, said.risk, said.flags

    assert read() == (-1, -1, 0, 0)
    assert read(ticks="12", length="0", lit="no", risk="250") == (12, 0, 250, 1)
    assert read(ticks="-3", length="1.5", risk="much", lit="No") == (-1, -1, 0, 0)
    assert read(ticks="9" * 18, length="9" * 19, risk="2000") == (10**9, -1, 1_000, 0)
    assert read(ticks="\u0663", oneway="yes", blocked="yes", lit="yes") == (-1, -1, 0, 6)
