"""Notes: found under any of their names, misspelt too, by their sort, and never by their rationale.

A hidden name leaves no trace, and an open question none in any answer that did not ask for it.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from tests.graph.commands import Said
from tests.retrieval.lives import anew, asks
from tests.retrieval.test_filters import folded, spoken_life
from yggdrasil import Context, Memory, Scores, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.errors import InvalidAskError
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, RANKERS
from yggdrasil_projections.retrieval.ranking.scoring.features import NAMES
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.reads.learning.searching import searched_for
from yggdrasil_projections.retrieval.text.said import said_in
from yggdrasil_schemas.commands.experience import NoteKind
from yggdrasil_schemas.errors import InvalidCommandError

LONG = "and what is to be said of the trains and the weather of today, as far as anybody has told something of that, "
NOTE: dict[str, Any] = {
    "name": "Rail only",
    "aliases": ["Obermoser's rule", "Gleisregel"],
    "rationale": "Elephants are afraid of propellers",
}


def scored(context: Context) -> list[Scores]:
    """The scores of an answer without what moves with every command: what was strong decays, and all grows older."""
    moving = {"strength", "perspective_strength", "recency"}
    return [
        replace(
            each.scores,
            priority=0.0,
            features=[of for name, of in zip(NAMES, each.scores.features, strict=True) if name not in moving],
        )
        for each in context.found
    ]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent", embedder="none") as opened:
        for number in range(30):
            opened.record_event(f"Nothing of note about the weather, trains and other things, for day {number}")
        yield opened


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Rail only", "Rail only"),
        ("Only by rail, is that so?", "Rail only"),
        ("What did Obermoser's rule say?", "Obermoser's rule"),
        ("gleisregel", "Gleisregel"),
        ("Is there a Gleisrgel?", "Gleisregel"),
        ("the rule of Obermosser", "Obermoser's rule"),
        (3 * LONG + "and the gleisregel, please", "Gleisregel"),
        (3 * LONG + "and the Gleisregek, please", "Gleisregel"),
        (" ".join(f"unheard{at}" for at in "abcdefghijklmnopq") + " Gleissregel", "Gleisregel"),
    ],
)
def test_a_note_is_found_under_any_of_its_names_however_the_question_is_phrased(
    memory: Memory[Embedded], question: str, name: str
) -> None:
    note = memory.record_event("All parcels go over land", features=["parcels"], **NOTE)
    found = memory.get_context(question).found
    assert (found[0].memory.ref, found[0].scores.named) == (note, [name])


def test_its_name_is_searched_as_its_text_is(memory: Memory[Embedded]) -> None:
    note = memory.record_event("All parcels go over land", **NOTE)
    found = memory.get_context("What holds for rail?").found
    assert (found[0].memory.ref, found[0].scores.named) == (note, [])
    assert found[0].scores.lexical > 0


def test_a_rationale_is_shown_and_never_searched(memory: Memory[Embedded]) -> None:
    note = memory.record_event("All parcels go over land", **NOTE)
    assert memory.get_context("Are elephants afraid of propellers?").refs == []
    context = memory.get_context("gleisregel")
    shown = context.found[0].memory
    assert (shown.name, shown.aliases, shown.rationale) == (NOTE["name"], NOTE["aliases"], NOTE["rationale"])
    assert "Rail only: All parcels go over land" in context.text()
    assert "lephant" not in context.text() and "Gleisregel" not in context.text()
    explained = memory.explain_action(note).memory
    assert explained is not None and explained.rationale == NOTE["rationale"]


def test_what_is_embedded_has_the_name_and_no_rationale() -> None:
    body = {"features": ["speaker:Ann"]}
    fields = {"type": "record_event", "body": body, "content": {"text": "All go over land", **NOTE}}
    assert said_in(fields) == "Rail only, Ann: All go over land"
    assert said_in(fields | {"content": NOTE}) is None, "what has no text is found by its words"


def test_a_note_without_a_text_is_its_name(memory: Memory[Embedded]) -> None:
    note = memory.record_event(name="Gleisregel")
    context = memory.get_context("gleisregel")
    assert context.refs == [note] and context.text().endswith(": Gleisregel")


def test_a_name_that_no_longer_stands_names_nothing(memory: Memory[Embedded]) -> None:
    """It does not even keep a word that is one letter apart from being taken for another name."""
    hidden = memory.record_event("All parcels go over land", name="Martha")
    memory.withdraw(hidden, "it never did")
    assert memory.get_context("Martha").refs == []
    shown = memory.record_event("Letters go by pigeon", name="Marta Huber", aliases=["Marta"])
    found = memory.get_context("Martha").found
    assert [(each.memory.ref, each.scores.named) for each in found] == [(shown, ["Marta"])]
    memory.reinstate(hidden, "it does")
    assert memory.get_context("Martha").found[0].memory.ref == hidden


def test_more_than_sixteen_aliases_or_one_twice_are_refused(memory: Memory[Embedded]) -> None:
    for aliases in ([f"a{number}" for number in range(17)], ["same", "same"], ["two\nlines"], "one"):
        with pytest.raises(InvalidCommandError, match=r"invalid_content: content\.aliases"):
            memory.record_event("x", aliases=aliases)


def test_an_open_question_is_no_answer_unless_one_asks_for_it(memory: Memory[Embedded]) -> None:
    asked = "Who pays the printer?"
    question = memory.record_event("Who pays for the printer?", note="open_question", name="printer")
    assert memory.get_context(asked).refs == []
    fact = memory.record_event("The printer is paid by the depot", note="fact")
    of_all = memory.get_context(asked)
    assert of_all.refs == [fact]
    lenses: list[dict[str, Any]] = [
        {"where": Where(notes=["open_question"])},
        {"where": Where(statuses=["active"])},
        {"history": True},
    ]
    for lens in lenses:
        found = memory.get_context(asked, **lens).found
        assert ("open_question", ["printer"]) in [(each.memory.note, each.scores.named) for each in found], lens
    assert "open question" in memory.get_context(asked, where=Where(notes=["open_question"])).text()
    memory.resolve(question, "the depot does")
    assert memory.get_context(asked, where=Where(notes=["open_question"])).refs == []
    assert question in memory.get_context(asked, history=True).refs
    assert scored(memory.get_context(asked)) == scored(of_all)


def test_an_outcome_goes_with_the_open_question_that_it_is_of(memory: Memory[Embedded]) -> None:
    question = memory.record_event("Who mends the coffee machine?", note="open_question")
    memory.log_outcome(question, -2, kind="quarrel", text="All were angry about the coffee")
    assert memory.get_context("angry about the coffee", min_confidence=0.0).refs == []
    assert memory.get_context("angry about the coffee", where=Where(notes=["open_question"])).refs == [question]


def test_an_utterance_is_searched_only_where_its_sort_is_asked_for(memory: Memory[Embedded]) -> None:
    asked = "What is Ana allergic to?"
    echo = memory.record_event("What is Ana allergic to?", note="utterance", session="a", features=["role:assistant"])
    lenses: list[dict[str, Any]] = [
        {},
        {"history": True},
        {"deep": True},
        {"min_confidence": 0.0},
        {"where": Where(statuses=["active"])},
        {"where": Where(notes=["fact", "open_question"])},
        {"where": Where(sessions=["a"])},
        {"where": Where(features_any=["role:assistant"])},
    ]
    for lens in lenses:
        assert echo not in memory.get_context(asked, **lens).refs, lens
        assert memory.get_similar_cases(asked, **lens).refs == [], lens
    for notes in (["utterance"], ["fact", "utterance"]):
        assert memory.get_context(asked, where=Where(notes=notes)).refs == [echo]
    fact = memory.record_event("Ana is allergic to penicillin", note="fact")
    assert memory.get_context(asked).refs == [fact]
    both = memory.get_context(asked, where=Where(notes=["fact", "utterance"]), min_confidence=0.0, k=5)
    assert set(both.refs) == {echo, fact}


def test_an_utterance_happened_and_is_told_where_one_asks_what_did(memory: Memory[Embedded]) -> None:
    echo = memory.record_event("I do not know", note="utterance", session="a", features=["role:assistant"])
    for where in (None, Where(sessions=["a"]), Where(features_all=["role:assistant"])):
        assert echo in [each.ref for each in memory.timeline(count=50, where=where).memories], where
    assert memory.timeline(where=Where(sessions=["a"], notes=["fact"])).memories == []
    assert memory.describe(echo).memory.note == "utterance" and memory.explain_action(echo).text == "I do not know"
    assert [each.note for each in memory.happened(since=0).happened][-1] == "utterance"


def test_an_outcome_of_an_utterance_is_found_with_it_alone(memory: Memory[Embedded]) -> None:
    echo = memory.record_event("Who mends the coffee machine?", note="utterance")
    memory.log_outcome(echo, -2, kind="quarrel", text="All were angry about the coffee")
    asked = "angry about the coffee"
    assert memory.get_context(asked, min_confidence=0.0, history=True).refs == []
    assert memory.get_context(asked, where=Where(notes=["utterance"])).refs == [echo]


@pytest.mark.parametrize("note", ["open_question", "utterance"])
def test_what_is_no_answer_sways_nothing(memory: Memory[Embedded], note: NoteKind) -> None:
    for fact in ("The printer is grey", "The printer hums", "The ladder is long"):
        memory.record_event(fact, note="fact")
    before = memory.get_context("Is the printer grey?", record=False)
    for number in range(20):
        memory.record_event(f"Is printer {number} as grey as that printer?", note=note, name=f"grey {number}")
    after = memory.get_context("Is the printer grey?", record=False)
    assert after.refs and scored(after) == scored(before)
    assert (after.confidence, after.gap) == (before.confidence, before.gap)


def test_notes_are_found_by_their_sort(memory: Memory[Embedded]) -> None:
    made = {note: memory.record_event(f"The printer, as {note} has it", note=note) for note in get_args(NoteKind)}
    memory.log_outcome(made["warning"], -3, text="The printer caught fire")
    for note, event in made.items():
        assert memory.get_context("the printer", where=Where(notes=[note]), min_confidence=0.0).refs == [event], note
    few = Where(notes=["fact", "decision"], kinds=["event"])
    assert set(memory.get_context("the printer", where=few).refs) == {made["fact"], made["decision"]}
    with pytest.raises(InvalidAskError, match="'rumour' is none of fact, preference, decision, open_question"):
        Where(notes=["rumour"])
    with pytest.raises(InvalidCommandError, match=r"invalid_body: body\.note"):
        memory.record_event("x", note="rumour")  # type: ignore[arg-type]


def test_who_asks_is_not_told_the_question(memory: Memory[Embedded]) -> None:
    """What people asked is searched like all that they say; but to the same question it is no answer."""
    asked = "What is Ana allergic to?"
    for _ in range(7):
        memory.record_event(asked, features=["role:user"])
    assert memory.get_context(asked, min_confidence=0.0).refs == [], "nothing is known of that"
    fact = memory.record_event("Ana is allergic to penicillin")
    for question in (asked, "what is ana allergic to", "Is Ana allergic?", "And what was Ana allergic to?"):
        assert memory.get_context(question).refs[0] == fact, question
    assert memory.get_context(asked).refs == [fact]
    both = memory.get_context("Who wanted to know what Ana is allergic to?", min_confidence=0.0).found
    assert asked in {each.memory.text for each in both}, "whoever asks more than that is told who asked"


@pytest.mark.parametrize(
    "more", [{"key": "faq/hours"}, {"note": "reference"}, {"name": "Hours"}, {"aliases": ["H"]}, {}]
)
def test_a_question_that_is_more_than_asked_is_found_by_itself(memory: Memory[Embedded], more: dict[str, Any]) -> None:
    asked = "When do you open?"
    kept = memory.record_event(asked, **more)
    if not more:  # then it was judged
        memory.log_outcome(kept, -3, kind="complaint", text="Nobody knew")
    assert memory.get_context(asked, min_confidence=0.0).refs == [kept]


def rationalised(life: list[Said], reason: str) -> list[Said]:
    return [
        said if said.type != "record_event" else replace(said, content=(said.content or {}) | {"rationale": reason})
        for said in life
    ]


@pytest.mark.parametrize("seed", range(2))
def test_a_rationale_sways_no_score(tmp_path: Path, seed: int) -> None:
    rng = Random(f"rationale{seed}")
    asked = [asks(rng) for _ in range(8)]
    life = spoken_life(seed, 200)

    def look(graph: Graph) -> list[Any]:
        index = anew(graph)
        shown = index.shown()
        searched = [searched_for(graph, shown, ask.query, ask.vector, RANKERS[RANKER]) for ask in asked]
        found = [search_context(graph, index, ask, 0).found for ask in asked]
        return [
            [(each.hits, each.nearest, each.confidence, each.gap, each.named) for each in searched],
            [[(each.memory.ref, each.scores, each.tokens) for each in one] for one in found],
        ]

    told = "deploy friday outage router disk payment ann bob lunch 2023?"
    plain, reasoned = (folded(tmp_path / name, rationalised(life, name), look) for name in ("x", told))
    assert plain == reasoned
    assert any(plain[1])
