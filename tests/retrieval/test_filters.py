"""Filters: what they admit, beside the same taken literally, and that what they hide sways nothing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import orjson
import pytest

from tests.graph.commands import Said, event, outcome, policy, sleep
from tests.retrieval.lives import WORDS, anew, asks, filters, living, noted, sentence, spoken, vector
from tests.size import turns
from yggdrasil import Event, Memory
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.answers import Found, Nothing
from yggdrasil_projections.retrieval.asks import Ask, Where
from yggdrasil_projections.retrieval.index.columns.documents import NOBODY, Marks
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, RANKERS
from yggdrasil_projections.retrieval.reads.learning.cases import similar_cases
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.reads.learning.searching import searched_for
from yggdrasil_projections.retrieval.text.said import names_in
from yggdrasil_schemas.graph.records import NodeFlag, Status, node_number
from yggdrasil_schemas.ids import id_bytes

ME = "tenant/a"
OPEN = policy("open", nodes_max=600, search_refusal=0.0, search_gap=-1.0, archived_max=60)
Fields = dict[str, Any]


def folded(path: Path, life: list[Said], look: Callable[[Graph], object]) -> Any:
    with living(path, RetrievalView(None)) as (log, projector):
        log.extend([each.record(offset, ME) for offset, each in enumerate(life)])
        projector.catch_up()
        graph = projector.store.peek(ME)
        assert graph is not None
        return look(graph)


def spoken_life(seed: int, count: int) -> list[Said]:
    """A life whose policy never changes, so that most of what it says is remembered."""
    rng = Random(f"filters{seed}")
    return [OPEN, *(said for _ in range(count) if (said := spoken(rng.randrange(10**9))).type != "set_policy")]


# What is admitted, taken literally


def shown_documents(graph: Graph, index: MemoryIndex) -> dict[int, Fields]:
    columns = index.documents.columns
    numbers: list[int] = columns.number[columns.alive & ~columns.archived].tolist()
    return {number: orjson.loads(graph.content(number) or b"") for number in numbers}


def literally(graph: Graph, index: MemoryIndex, where: Where) -> dict[int, int]:
    """For which node each node stands, of all that the filter admits."""
    documents = shown_documents(graph, index)

    def said(fields: Fields) -> bool:
        return (
            (where.since is None or fields["at"] >= where.since)
            and (where.until is None or fields["at"] <= where.until)
            and (where.sources is None or fields["source"] in where.sources)
            and (where.origins is None or fields["origin"] in where.origins)
        )

    def stands(number: int) -> bool:
        asked = bool(where.notes or where.statuses or where.history)
        sort = orjson.loads(graph.content(number) or b"{}")["body"].get("note")
        if (sort == "open_question" and not asked) or (sort == "utterance" and not where.notes):
            return False
        if documents[number]["body"].get("claim_class") == "desk" and not (where.notes or where.sessions):
            return False
        node = graph.expect(number)
        status, stale = Status(node.status), bool(node.flags & NodeFlag.STALE)
        if where.trust_min is not None and node.trust < where.trust_min:
            return False
        if where.statuses is not None:
            return status.name.lower() in where.statuses
        return bool(where.history) or (status in (Status.ACTIVE, Status.PRIOR, Status.CONTESTED) and not stale)

    def fell(fields: Fields) -> bool:
        """An outcome is out with what it judged, when that is live and does not stand."""
        if fields["type"] != "log_outcome":
            return False
        identity = graph.identity(id_bytes(fields["body"]["event"]))
        judged = node_number(identity.seq) if identity else 0
        return judged > 0 and graph.node(judged) is not None and not stands(judged)

    there = {
        number: fields for number, fields in documents.items() if said(fields) and stands(number) and not fell(fields)
    }
    judged: dict[int, int] = {}
    for number, fields in there.items():
        if fields["type"] == "log_outcome":
            identity = graph.identity(id_bytes(fields["body"]["event"]))
            about = node_number(identity.seq) if identity else 0
            judged |= {number: about} if about in there else {}
    features = {number: set(names_in(fields)) for number, fields in there.items()}
    for number, about in judged.items():
        features[about] |= features[number]
    kinds = {"record_event": "event", "log_outcome": "outcome", "commit_episode": "episode", "form_concept": "concept"}
    kinds["assert_claim"] = "claim"

    def belongs(number: int) -> bool:
        fields, has = there[number], features[number]
        return (
            (where.kinds is None or kinds[fields["type"]] in where.kinds)
            and (where.notes is None or fields["body"].get("note") in where.notes)
            and (where.sessions is None or fields.get("session", "default") in where.sessions)
            and (where.features_all is None or has >= set(where.features_all))
            and (where.features_any is None or not has.isdisjoint(where.features_any))
        )

    own = {number: number for number in there if belongs(number)}
    return own | {number: about for number, about in judged.items() if about in own}


@pytest.mark.parametrize("seed", range(turns(2, 12)))
def test_a_filter_admits_what_it_says(tmp_path: Path, seed: int) -> None:
    def look(graph: Graph) -> None:
        rng, index = Random(seed), anew(graph)
        numbers: list[int] = index.documents.columns.number.tolist()
        some = 0
        for _ in range(60):
            where = filters(rng)
            standing = index.shown(where=where).standing
            for_row: list[int] = standing.for_row.tolist()
            stands = {number: numbers[row] for number, row in zip(numbers, for_row, strict=True) if row != NOBODY}
            assert stands == literally(graph, index, where), where
            some += 0 < len(stands) < len(shown_documents(graph, index))
        assert some > 20

    folded(tmp_path, spoken_life(seed, 400), look)


# What is hidden sways nothing


def hiding(graph: Graph, rng: Random) -> tuple[Where, set[str]]:
    """A filter that hides a part of what there is, and the ids of that, but for principles: these are always told."""
    index = anew(graph)
    known = shown_documents(graph, index)
    while True:
        where = filters(rng)
        seen = {*literally(graph, index, where), *graph.header.principles}
        if 5 < len(seen) < len(known) - 5:
            return where, {fields["id"] for number, fields in known.items() if number not in seen}


def other_words(said: Said, rng: Random) -> Said:
    content: dict[str, Any] = {"text": sentence(rng) + " " + rng.choice(("unheard", "of", *WORDS))}
    content |= {"vector": vector(rng)} if rng.random() < 0.5 else {}
    return replace(said, content=content | noted(rng))


def otherwise(life: list[Said], hidden: set[str]) -> list[Said]:
    """The same life in which ``hidden`` say something else: equal commands the same, as they are taken once."""
    return [
        other_words(said, Random(repr((said.name, said.content)))) if said.fields()["id"] in hidden else said
        for said in life
    ]


def seen(found: list[Found]) -> list[Any]:
    """All that an answer says of what was found, but for how that is shown with its outcomes and members."""
    return [(each.memory.ref, each.scores, each.place, each.lineage, each.tokens) for each in found]


def refusal(nothing: Nothing | None) -> Any:
    return None if nothing is None else (seen(nothing.nearest), replace(nothing, nearest=[]))


def answers(graph: Graph, index: MemoryIndex, ask: Ask) -> tuple[Any, ...]:
    context, cases = search_context(graph, index, ask, 0), similar_cases(graph, index, ask, 0)
    return (
        seen(context.found),
        refusal(context.nothing),
        replace(context, found=[], nothing=None, withdrawn=0),  # what no longer stands is counted: see below
        [(seen([case.found]), case.value, [each.ref for each in case.followed_by]) for case in cases.good + cases.bad],
        refusal(cases.nothing),
        replace(cases, good=[], bad=[], nothing=None),
    )


@pytest.mark.parametrize("seed", range(turns(4, 40)))
def test_what_is_hidden_may_say_anything_and_the_answer_is_the_same_bit_for_bit(tmp_path: Path, seed: int) -> None:
    rng = Random(f"hidden{seed}")
    life = spoken_life(seed, 300)
    asked = [replace(asks(rng), min_confidence=least) for least in (None, 0.0, 1.0) * 4]
    where, hidden = folded(tmp_path / "before", life, lambda graph: hiding(graph, rng))

    def ask_all(graph: Graph) -> tuple[list[Any], list[Any]]:
        index = anew(graph)
        filtered, unfiltered = (
            [answers(graph, index, replace(ask, where=by)) for ask in asked] for by in (where, Where(history=True))
        )
        return filtered, unfiltered

    first = folded(tmp_path / "first", life, ask_all)
    second = folded(tmp_path / "second", otherwise(life, hidden), ask_all)
    assert first[0] == second[0], where
    assert first[1] != second[1], "with all there is that counts"
    assert sum(len(found) for found, *_ in first[0]) > 0
    assert any(refused and refused[0] for _, refused, *_ in first[0]), "some are handed what was nearest"


@pytest.mark.parametrize("seed", range(turns(4, 40)))
def test_what_a_filter_hides_sways_not_how_much_was_withdrawn(tmp_path: Path, seed: int) -> None:
    rng = Random(f"withdrawn{seed}")
    life = spoken_life(seed, 300)
    asked = [asks(rng) for _ in range(12)]

    def parted(graph: Graph) -> tuple[Where, set[str]]:
        index = anew(graph)
        known = shown_documents(graph, index)
        while True:
            where = filters(rng)
            if where.statuses is None and not where.history:
                once = literally(graph, index, where.having(history=True))
                if 5 < len(once) < len(known) - 5:
                    kept = {*once, *graph.header.principles}
                    return where, {fields["id"] for number, fields in known.items() if number not in kept}

    where, hidden = folded(tmp_path / "before", life, parted)

    def ask_all(graph: Graph) -> list[tuple[int, list[str]]]:
        index = anew(graph)
        found = [search_context(graph, index, replace(ask, where=where), 0) for ask in asked]
        return [(context.withdrawn, context.refs) for context in found]

    first = folded(tmp_path / "first", life, ask_all)
    assert first == folded(tmp_path / "second", otherwise(life, hidden), ask_all), where


def linked_life(seed: int, *, other: bool, sessions: int) -> list[Said]:
    """Events of which those in session s0 are always the same; with ``other`` all others have other words and features.

    The other features are those of s0 in other company, so that other associations are learnt.
    """
    rng, astray = Random(f"linked{seed}"), Random(f"astray{seed}")
    life = [policy("open", search_refusal=0.0, search_gap=-1.0)]
    for number in range(160):
        features = rng.sample([f"f{each}" for each in range(20)], 3)
        words, session = sentence(rng) + " said", f"s{rng.randrange(sessions)}"
        if other and session != "s0":
            features, words = astray.sample([f"f{each}" for each in range(20)], 3), sentence(astray)
        life.append(replace(event(f"e{number}", *features, session=session), content={"text": words}))
        if rng.random() < 0.3:
            life.append(outcome(f"o{number}", f"e{number}", rng.choice((-2.0, 3.0)), kind=rng.choice(("x", "y"))))
    return life


@pytest.mark.parametrize("seed", range(turns(2, 20)))
def test_what_is_hidden_may_be_about_anything_and_what_is_relevant_is_the_same(tmp_path: Path, seed: int) -> None:
    """Strength is learnt from all that happens, in what order ever; what is relevant is not."""
    rng, where = Random(seed), Where(sessions=["s0"])
    questions = [f"{sentence(rng)} {rng.choice(WORDS)}" for _ in range(20)]

    def look(graph: Graph) -> list[Any]:
        shown = anew(graph).shown(where=where)
        numbers = shown.documents.columns.number
        found = [searched_for(graph, shown, question, None, RANKERS[RANKER]) for question in questions]
        return [
            (
                [(numbers[hit.row], hit._replace(row=0, via=())) for hit in each.hits + each.nearest],
                each.confidence,
                each.gap,
            )
            for each in found
        ]

    first, second = (
        folded(tmp_path / str(other), linked_life(seed, other=other, sessions=3), look) for other in (False, True)
    )
    assert first == second
    assert sum(len(hits) for hits, _, _ in first) > 50
    assert any(hit.spread and not hit.lexical for hits, _, _ in first for _, hit in hits), "some came over the graph"


# What else there is to a filter


def test_a_filter_that_admits_nothing_says_so(tmp_path: Path) -> None:
    def look(graph: Graph) -> None:
        index = anew(graph)
        for where in (Where(sessions=["nobody's"]), Where(features_any=["never"]), Where(sources=["them"])):
            for read in (search_context, similar_cases):
                nothing = read(graph, index, Ask(ME, "deploy friday", where=where), 0).nothing
                assert nothing is not None
                assert nothing.reason == "the filter admits nothing that this memory holds"
                assert (nothing.acted, nothing.value, nothing.confidence) == ("relevance", 0.0, 0.0)
                assert nothing.filtered and nothing.nearest == []
        nothing = search_context(graph, index, Ask(ME, "zzyzx", where=Where(kinds=["event"])), 0).nothing
        assert nothing is not None
        assert nothing.reason == "nothing that the filter admits is relevant to the question"

    folded(tmp_path, spoken_life(1, 60), look)


@pytest.mark.parametrize("other", [{"at": "2023-05-05"}, {"features": ["speaker:Ann Lee"]}, {"name": "Ann Lee"}])
@pytest.mark.parametrize(
    "asked",
    [
        "May 2023: which glaciers, penguins and albatrosses did Ann Lee see near the router?",  # how sure it is
        "Which glaciers and penguins did Ann Lee see?",  # how much of it is said of others alone
    ],
)
def test_a_date_or_a_name_of_what_is_hidden_makes_no_answer_surer(
    tmp_path: Path, other: dict[str, Any], asked: str
) -> None:
    """Beside what the filter admits: a note of a day, of a person, of a name that the question speaks of."""
    where = Where(sessions=["a"])
    with Memory.open(tmp_path / "mine", "tenant/a", partitions=1) as memory:
        memory.record_many(
            [Event(f"The router was looked at, part {n}", session="a", at="2024-01-01") for n in range(400)]
        )
        if "router" not in asked:
            memory.record_event("Hello there", session="a", features=["speaker:Ann Lee"])
            memory.record_event("I did see glaciers and penguins", session="a", features=["speaker:Ben"])
        alone = memory.get_context(asked, where=where, min_confidence=0.0)
        memory.record_event("It rained", session="b", **other)
        beside = memory.get_context(asked, where=where, min_confidence=0.0)
    assert (beside.refs, beside.confidence, beside.gap) == (alone.refs, alone.confidence, alone.gap)


def test_an_index_with_nothing_in_it_can_be_asked_with_a_filter() -> None:
    standing = MemoryIndex(ME).shown(where=Where(sessions=["a"], features_all=["b"], kinds=["event"])).standing
    assert (standing.documents, len(standing.for_row)) == (0, 0)


def test_what_is_archived_is_admitted_to_a_deep_ask_alone(tmp_path: Path) -> None:
    def look(graph: Graph) -> int:
        index, where = anew(graph), Where(kinds=["event"])
        archived = int(np.count_nonzero(index.documents.columns.archived & index.documents.columns.alive))
        usual, deep = (index.shown(deep=deep, where=where).standing for deep in (False, True))
        for_row = usual.for_row
        assert not (index.documents.columns.archived & (for_row != NOBODY)).any()
        assert usual.documents <= deep.documents
        return min(archived, deep.documents - usual.documents)

    fading = policy("fading", archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0, sessions_open_max=1)
    life = [*spoken_life(2, 100), fading, event("last", session="last"), sleep("night")]
    assert folded(tmp_path, life, look) > 0


def test_few_standings_are_kept_and_that_without_a_filter_always(tmp_path: Path) -> None:
    def look(graph: Graph) -> None:
        index = anew(graph)
        usual, empty = index.shown().standing, index.nbytes
        wheres = [Where(sessions=[f"s{number}"]) for number in range(12)]
        sizes = []
        for where in wheres:
            index.shown(where=where)
            sizes.append(index.nbytes - empty)
        assert 0 < sizes[0] < min(sizes[1:]) and max(sizes) < 6.5 * sizes[0]
        assert index.shown().standing is usual
        last = index.shown(where=wheres[-1]).standing
        assert index.shown(where=Where(sessions=["s11", "s11"])).standing is last
        nothing, no = np.array([0]), np.array([False])
        index.documents.mark(nothing, Marks(no, no, nothing, no, nothing))
        assert index.shown(where=wheres[-1]).standing is not last

    folded(tmp_path, spoken_life(3, 200), look)


def test_an_outcome_is_admitted_with_what_it_judged_unless_somebody_else_said_it(tmp_path: Path) -> None:
    life = [
        policy("open", search_refusal=0.0, search_gap=-1.0),
        replace(event("e", "deploy", session="ops"), content={"text": "Released it"}, changed={"source": "ann"}),
        replace(
            outcome("o", "e", -3.0, kind="outage"), content={"text": "checkout was down"}, changed={"source": "ci"}
        ),
        replace(event("f", "deploy", session="more"), content={"text": "Released more"}, changed={"source": "ann"}),
    ]
    found: dict[str, Where] = {
        "its session, not the outcome's": Where(sessions=["ops"]),
        "its feature, and its outcome's": Where(features_all=["deploy", "outcome:outage"]),
        "its kind": Where(kinds=["event"]),
        "what its outcome is": Where(features_any=["outcome:outage"]),
    }
    others: dict[str, Where] = {
        "the outcome is another's": Where(sources=["ann"]),
        "so it has no such feature": Where(sources=["ann"], features_any=["outcome:outage"]),
        "it is of no such session": Where(sessions=["elsewhere"]),
    }

    def look(graph: Graph) -> None:
        index = anew(graph)

        def asked(where: Where) -> list[str | None]:
            return [
                each.memory.text for each in search_context(graph, index, Ask(ME, "checkout", where=where), 0).found
            ]

        assert {why: asked(where) for why, where in found.items()} == {why: ["Released it"] for why in found}
        assert {why: asked(where) for why, where in others.items()} == {why: [] for why in others}
        # Where its event is hidden, it stands for itself.
        assert asked(Where(kinds=["outcome"])) == asked(Where(sources=["ci"])) == ["checkout was down"]

    folded(tmp_path, life, look)
