"""A model that is scripted: it finds the facts of a turn, each in its sentence, and now and then what is not there."""

import random
import re
from collections.abc import Sequence
from typing import Final

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from yggdrasil_processors.thinkers.reducer.sentences import sentences

from .facts import PEOPLE, Fact, Lesson
from .writing import Transcript, Turn

_INVENTS_EVERY: Final = 5
"""Of so many answers one has something that the turn does not say."""


class Scripted:
    """Answers as a good model would: with what each turn says, by its words; and invents something now and then."""

    def __init__(self, told: Sequence[Transcript], seed: int) -> None:
        """Know what each turn of some transcripts says."""
        self._said = {turn.text: turn for one in told for turn in one.turns}
        self._chance = random.Random(seed)
        self.model = FunctionModel(self._answer, model_name="scripted")

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        request = messages[0]
        assert isinstance(request, ModelRequest)
        asked = next(str(part.content) for part in request.parts if isinstance(part, UserPromptPart))
        turn = self._said[asked]
        found = [self._found(turn, fact) for fact in turn.facts]
        if self._chance.randrange(_INVENTS_EVERY) == 0:
            found.append({"subject": "person:Nobody", "predicate": "lives_in", "object": "Atlantis", "sentence": asked})
            found.append(
                {"subject": "person:Ana", "predicate": "email", "object": "ana@home.example", "sentence": "It is so."}
            )
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"response": found})])

    def _found(self, turn: Turn, fact: Fact | Lesson) -> dict[str, str]:
        value = fact.words if isinstance(fact, Lesson) else fact.value
        sentence = max(sentences(turn.text), key=lambda one: _shared(value, one))
        if isinstance(fact, Lesson):
            return {"subject": "speaker", "predicate": fact.sort, "object": value, "sentence": sentence}
        kind = "person" if fact.subject in PEOPLE else "thing"
        by_itself = kind == "person" and turn.speaker == fact.subject and fact.subject not in sentence
        subject = "speaker" if by_itself else f"{kind}:{fact.subject}"
        predicate = min(fact.relation.predicates)
        return {"subject": subject, "predicate": predicate, "object": value, "sentence": sentence}


def _shared(value: str, sentence: str) -> int:
    wanted, there = (set(re.findall(r"\w+", text.casefold())) for text in (value, sentence))
    return len(wanted & there)
