"""A model that is asked what an output used: it is given numbered texts, and returns numbers."""

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from yggdrasil.thinking.using import ModelUse
from yggdrasil_projections.retrieval.using.finding import Returned, find


def test_it_is_given_numbered_texts_and_names_numbers() -> None:
    seen: list[str] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(str(messages[-1].parts[-1].content))  # type: ignore[union-attr]
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"response": [2]})])

    with ModelUse(FunctionModel(reply)) as model:
        returned = Returned(["a", "b"], [["Ana bakes"], ["Ana moved", "to Kyoto"]])
        found = find(returned, "She went far away.", "model", ask_model=model)
    assert found.used == ["b"]
    assert seen == ["Answer:\nShe went far away.\n\nInformation:\n1. Ana bakes\n2. Ana moved to Kyoto"]
