"""Pydantic AI behind our port: the real library, with models of its own kind that need no network."""

import asyncio
import sys
import threading
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult, EmbeddingSettings, TestEmbeddingModel
from pydantic_ai.embeddings.result import EmbedInputType
from pydantic_ai.exceptions import ModelHTTPError

from tests.harness.threads import leaves_threads
from yggdrasil_infra.embedders import (
    EmbedderMissingError,
    EmbeddingUnavailableError,
    HostedEmbedder,
    WrongVectorError,
    open_embedder,
    quantise,
)
from yggdrasil_infra.embedders.hosted import BATCH_CHARS_MAX, BATCH_TEXTS_MAX, TEXT_CHARS_MAX, batches


class Letters(EmbeddingModel):
    """A model that counts letters; a question is told apart by a last number. It notes what it was asked."""

    def __init__(self, *, answers: str = "letters-1", lost: int = 0, dimension: int | None = None) -> None:
        super().__init__()
        self.asked: list[tuple[EmbedInputType, Sequence[str], EmbeddingSettings]] = []
        self._answers, self._lost, self._dimension = answers, lost, dimension

    @property
    def model_name(self) -> str:
        return "letters-1"

    @property
    def system(self) -> str:
        return "school"

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        texts, asked = self.prepare_embed(inputs, settings)
        self.asked.append((input_type, texts, asked))
        await asyncio.sleep(0)
        dimension = self._dimension or asked.get("dimensions", 0)
        return EmbeddingResult(
            embeddings=[letters(text, dimension, input_type) for text in texts[self._lost :]],
            inputs=texts,
            input_type=input_type,
            model_name=self._answers,
            provider_name=self.system,
        )


class Silent(TestEmbeddingModel):
    """Begins to answer, and never ends; or fails, with what a provider might say."""

    def __init__(self, failure: Exception | None = None) -> None:
        super().__init__()
        self.begun = threading.Event()
        self._failure = failure

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        if self._failure is not None:
            raise self._failure
        self.begun.set()
        await asyncio.Event().wait()
        raise RuntimeError("not reached")


def letters(text: str, dimension: int, input_type: EmbedInputType) -> list[float]:
    counts = [float(text.count(chr(ord("a") + place))) for place in range(dimension - 1)]
    return [*counts, 1.0 if input_type == "query" else 0.5]


@pytest.fixture
def model() -> Letters:
    return Letters()


@pytest.fixture
def embedder(model: Letters) -> Iterator[HostedEmbedder]:
    embedder = HostedEmbedder(model, 27)
    yield embedder
    embedder.close()


def test_the_library_s_own_test_model() -> None:
    embedder = HostedEmbedder(TestEmbeddingModel(), 8)
    assert (embedder.provider, embedder.model, embedder.dimension) == ("test", "test:test@8", 8)
    assert embedder.embed_query("text") == quantise([1.0] * 8, "test:test@8", 8)
    embedder.close()


def test_questions_and_documents_are_asked_as_such(embedder: HostedEmbedder, model: Letters) -> None:
    assert embedder.model == "school:letters-1@27"
    assert embedder.embed_query("abba") == quantise(letters("abba", 27, "query"), embedder.model, 27)
    assert embedder.embed_documents(["abba", "sea"]) == [
        quantise(letters(text, 27, "document"), embedder.model, 27) for text in ("abba", "sea")
    ]
    assert model.asked == [("query", ["abba"], {"dimensions": 27}), ("document", ["abba", "sea"], {"dimensions": 27})]


def test_many_texts_are_asked_for_in_bounded_batches_and_come_in_order(
    embedder: HostedEmbedder, model: Letters
) -> None:
    texts = ["a" * (number % 7) + "b" * (number % 5) for number in range(150)]
    expected = [quantise(letters(text, 27, "document"), embedder.model, 27) for text in texts]
    assert embedder.embed_documents(texts) == expected
    assert [len(asked) for _, asked, _ in model.asked] == [64, 64, 22]
    assert embedder.embed_documents([]) == []
    assert len(model.asked) == 3


def test_a_long_text_is_cut_off_at_its_end(embedder: HostedEmbedder, model: Letters) -> None:
    embedder.embed_query("a" * 9_000)
    embedder.embed_documents(["b" * 9_000])
    assert [[len(text) for text in asked] for _, asked, _ in model.asked] == [[8_000], [8_000]]


@given(st.lists(st.integers(0, 12_000), max_size=200))
def test_batches_hold_all_and_no_more_than_a_request_may(sizes: list[int]) -> None:
    texts = ["x" * size for size in sizes]
    made = list(batches(texts))
    assert [text for batch in made for text in batch] == [text[:TEXT_CHARS_MAX] for text in texts]
    for number, batch in enumerate(made):
        size = sum(map(len, batch))
        assert 0 < len(batch) <= BATCH_TEXTS_MAX
        assert size <= BATCH_CHARS_MAX
        if number + 1 < len(made):  # and the next text would not have gone in
            full = size + len(made[number + 1][0]) > BATCH_CHARS_MAX
            assert full or len(batch) == BATCH_TEXTS_MAX


def test_a_request_is_filled_to_the_last_character_and_not_beyond() -> None:
    assert [len(batch) for batch in batches(["x" * 8_000] * 51)] == [25, 25, 1]
    assert [len(batch) for batch in batches(["x" * 7_999] * 25 + ["x" * 26])] == [25, 1]
    assert [len(batch) for batch in batches(["x" * 7_999] * 25 + ["x" * 25])] == [26]


def test_settings_go_to_the_model(model: Letters) -> None:
    embedder = HostedEmbedder(model, 5, settings={"truncate": True, "dimensions": 5})
    embedder.embed_query("sea")
    assert model.asked[0][2] == {"truncate": True, "dimensions": 5}
    embedder.close()


def test_another_dimension_than_was_agreed_is_an_error_at_once() -> None:
    embedder = HostedEmbedder(Letters(dimension=30), 27)
    with pytest.raises(WrongVectorError, match=r"to make vectors of 27 numbers and made one of shape \(30,\)"):
        embedder.embed_documents(["sea"])
    embedder.close()


def test_another_model_than_was_asked_is_an_error_at_once() -> None:
    embedder = HostedEmbedder(Letters(answers="letters-2"), 27)
    with pytest.raises(WrongVectorError, match="asked for vectors of letters-1, and letters-2 answered"):
        embedder.embed_query("sea")
    embedder.close()
    agreed = HostedEmbedder(Letters(answers="letters-2"), 27, answers_as="letters-2")
    assert agreed.embed_query("sea").model == "school:letters-2@27"
    agreed.close()


def test_fewer_vectors_than_texts_are_an_error() -> None:
    embedder = HostedEmbedder(Letters(lost=1), 27)
    with pytest.raises(WrongVectorError, match="made 1 vectors of 2 texts"):
        embedder.embed_documents(["sea", "sun"])
    embedder.close()


def test_it_can_be_called_within_a_running_event_loop(embedder: HostedEmbedder) -> None:
    async def ask() -> str:
        return embedder.embed_query("sea").model

    assert asyncio.run(ask()) == embedder.model


def test_a_model_that_does_not_answer_is_not_waited_for_for_ever() -> None:
    embedder = HostedEmbedder(Silent(), 8, timeout_s=0.05)
    with pytest.raises(EmbeddingUnavailableError, match=r"test:test@8 gave no answer within 0\.05 s: try again"):
        embedder.embed_query("text")
    embedder.close()


def test_a_failure_says_what_kind_and_repeats_no_word_of_the_provider() -> None:
    embedder = HostedEmbedder(Silent(ModelHTTPError(429, "test", {"error": "key sk-secret: text too dear"})), 8)
    with pytest.raises(EmbeddingUnavailableError, match=r"\(ModelHTTPError, status 429\); see the cause$") as raised:
        embedder.embed_documents(["text"])
    assert isinstance(raised.value.__cause__, ModelHTTPError)
    embedder.close()
    other = HostedEmbedder(Silent(ConnectionResetError("secret")), 8)
    with pytest.raises(EmbeddingUnavailableError, match=r"\(ConnectionResetError\); see the cause$"):
        other.embed_query("text")
    other.close()


def test_closing_ends_what_is_under_way_and_the_thread(model: Letters) -> None:
    with leaves_threads():
        silent = Silent()
        embedder = HostedEmbedder(silent, 8)
        failures: list[Exception] = []

        def ask() -> None:
            try:
                embedder.embed_query("text")
            except EmbeddingUnavailableError as error:
                failures.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        assert silent.begun.wait(30)
        embedder.close()
        embedder.close()
        asking.join(30)
        assert len(failures) == 1
    with pytest.raises(EmbeddingUnavailableError, match="is closed: open another one"):
        embedder.embed_query("text")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("nobody:model@8", "cannot use 'nobody:model'"),
        ("openai:text-embedding-3-small@512", "cannot use 'openai:text-embedding-3-small'"),  # its package, or its key
    ],
)
def test_what_the_library_cannot_use_is_said_at_once(setting: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbedderMissingError, match=said):
        open_embedder(setting)


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai.embeddings", None)
    with pytest.raises(EmbedderMissingError, match=r"install the extra \[pydantic-ai\], pip install"):
        open_embedder("openai:text-embedding-3-small@512")


@pytest.mark.parametrize("dimension", [-1, 0, 1_025])
def test_a_dimension_that_no_vector_has_is_said_before_anything_is_asked(dimension: int) -> None:
    with leaves_threads(), pytest.raises(WrongVectorError):
        HostedEmbedder(TestEmbeddingModel(), dimension)
