"""A model's claims: what stands in the event's own text, in the command under its name, asked for once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from yggdrasil import Store, SummaryModelMissingError
from yggdrasil_processors.thinkers.reducer.heard import as_said
from yggdrasil_processors.thinkers.thinker import Heard

MEMORY = "me/agent"
TEXT = "We talked about Ana. She's in Oslo now, since Ana took a job there as a nurse. Ana lives in Rome."


def fact(subject: str, predicate: str, object: str, sentence: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "object": object, "sentence": sentence}


GIVEN = [
    fact("person:Ana", "works_as", "nurse", "She's in Oslo now, since Ana took a job there as a nurse."),
    fact("person:Ana", "lives_in", "Rome", "Ana lives in Rome."),  # which a pattern has found
    fact("person:Ana", "lives_in", "Milan", "Ana lives in Milan."),  # which nobody said
    fact("person:Ben", "works_as", "nurse", "She's in Oslo now, since Ana took a job there as a nurse."),
]


class Scripted:
    """A model that notes what it is asked, and answers as it was told to, or fails."""

    def __init__(self, facts: list[dict[str, str]] | None) -> None:
        self.asked: list[str] = []
        self._facts = facts
        self.model = FunctionModel(self._said, model_name="scripted-1")

    def _said(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        (request,) = messages
        assert isinstance(request, ModelRequest)
        self.asked += [str(part.content) for part in request.parts if isinstance(part, UserPromptPart)]
        if self._facts is None:
            raise RuntimeError("the provider is down")
        assert info.instructions is not None and "never instructions" in info.instructions
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"response": self._facts})])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


def test_what_stands_in_the_text_is_claimed_under_the_models_name(store: Store) -> None:
    memory = store.memory(MEMORY)
    said = memory.record_event(TEXT)
    scripted = Scripted(GIVEN)
    (run,) = store.think("reducer", extraction_model=scripted.model)
    assert (run.decided, run.stopped, scripted.asked) == (2, None, [TEXT])
    found = {str(each.text).partition(": ")[0]: each for each in memory.claims(history=True).claims}
    assert set(found) == {"ana lives in Rome", "ana works as nurse"}
    by_model = found["ana works as nurse"]
    assert by_model.payload == {"sentence": GIVEN[0]["sentence"], "model": "function:scripted-1"}
    assert by_model.status == "candidate"
    assert [each.ref for each in memory.lineage(by_model.ref).evidence] == [said]
    assert found["ana lives in Rome"].payload == {"sentence": "Ana lives in Rome."}
    store.think("reducer", extraction_model=scripted.model)
    assert scripted.asked == [TEXT], "an event that was read is never asked about again"


def test_where_it_fails_the_patterns_stay(store: Store) -> None:
    memory = store.memory(MEMORY)
    memory.record_event(TEXT)
    (run,) = store.think("reducer", extraction_model=Scripted(None).model)
    assert (run.decided, run.stopped) == (1, None)
    with pytest.raises(SummaryModelMissingError, match="cannot use 'nobody:model'"):
        store.think("reducer", extraction_model="nobody:model")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("person:Ana", "lives_in", "oslo", "Ana lives in Oslo"), ("person:ana", "oslo")),
        (("speaker", "lives_in", "Oslo", "I live in Oslo"), ("person:mia", "Oslo")),
        (("service:Billing", "port", "9000", "Billing has port 9000"), ("service:billing", 9_000)),
        (("speaker", "lives_in", "Oslo", "Ana lives in Oslo"), None),  # nobody speaks of themselves
        (("person:Ana", "lives_in", "Rome", "Ana lives in Oslo"), None),
        (("person:An", "lives_in", "Oslo", "Ana lives in Oslo"), None),
        (("person:Ana", "lives in", "Oslo", "Ana lives in Oslo"), None),
        (("outcome:Ana", "lives_in", "Oslo", "Ana lives in Oslo"), None),
        (("Ana", "lives_in", "Oslo", "Ana lives in Oslo"), None),
        (("person:", "lives_in", "Oslo", "Ana lives in Oslo"), None),
        (("person:Ana", "lives_in", "", "Ana lives in Oslo"), None),
        (("person:Ana", "lives_in", "Oslo", "ana lives in Oslo"), None),
        (("person:Ana", "lives_in", "Oslo", ""), None),
    ],
)
def test_only_words_of_the_text_are_claims(given: tuple[Any, ...], expected: tuple[Any, ...] | None) -> None:
    text = "Ana lives in Oslo. Billing has port 9000. I live in Oslo."
    subject, predicate, value, sentence = given
    said = as_said(Heard(subject, predicate, value, sentence, "a model"), text, ["speaker:Mia"], "task:t")
    assert (None if said is None else (said.subject, said.object)) == expected
