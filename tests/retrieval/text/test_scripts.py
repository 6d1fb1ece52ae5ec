"""What is said in any script is found by words alone, by what it names, and in spite of a slip of the pen."""

# ruff: noqa: RUF001 - letters that look like others are what this is about

from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest

from tests.retrieval.lives import anew
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.index.names import FeatureNames, Names
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, RANKERS
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.reads.learning.searching import UnknownRankerError
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER, TOKENIZERS

NOTES = {  # each with a question
    "The boiler is serviced every other November": "boiler services",
    "Der Schlüssel zum Gartenhaus hängt hinter der Kellertür": "Wo sind die Schlüssel vom Keller?",
    "La llave del trastero está en el cajón de los cubiertos": "¿dónde están las llaves de los trasteros?",
    "Запасные ключи от дачи лежат у соседки": "У кого запасной ключ и дача?",
    "Yedek anahtar karşı komşu Nermin Hanım'da": "anahtarı hangi komşuda",
    "実家の合鍵は物置の工具箱に移した": "合鍵はどこ？",
    "物业费每季度交一次，直接在小程序里付": "物业费怎么交",
    "예비 열쇠는 책상 서랍에 있다": "열쇠가 어디에",
    "กุญแจสำรองอยู่ในลิ้นชัก": "กุญแจอยู่ที่ไหน",
    "दूसरी चाबी पड़ोसी के पास है": "चाबी किसके पास",
    "المفتاح الاحتياطي عند الجار": "أين المِفْتَاح",
    "המפתח אצל השכנה": "איפה המפתח",
    "Το κλειδί είναι στο συρτάρι": "ΠΟΥ ΕΙΝΑΙ ΤΟ ΚΛΕΙΔΊ",
    "We all went 🏄🏽 in Biarritz": "🏄",
}
NAMED = {  # a feature, and a question that names it
    "kind:値": "その値はいくらですか",
    "店:東京書店": "東京書店の営業時間は",
    "사람:김": "김은 누구",
    "person:김민수": "김민수는 어디에",
    "ร้าน:บ้านสวน": "ร้านบ้านสวนเปิดกี่โมง",
    "place:Cafe\u0301": "who runs the CAFÉ",
    "city:İstanbul": "istanbul nasıl",
    "kişi:Nermin Hanım": "Nermin Hanım'ın telefonu",
    "mood:🎉": "what was so 🎉\ufe0f about it",
    "город:Москва": "МОСКВА",
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent", partitions=1) as opened:
        yield opened


def test_a_question_meets_what_was_said_in_its_script(memory: Memory[Embedded]) -> None:
    said = {text: memory.record_event(text, session=str(number)) for number, text in enumerate(NOTES)}
    for text, question in NOTES.items():
        for form in ("NFC", "NFD"):
            found = memory.get_context(normalize(form, question), record=False)
            assert found.refs[:1] == [said[text]], (question, form)


def test_what_a_question_names_is_found_in_any_script(memory: Memory[Embedded]) -> None:
    said = {
        feature: memory.record_event(f"number {at}", features=[feature], session=str(at))
        for at, feature in enumerate(NAMED)
    }
    for feature, question in NAMED.items():
        found = memory.get_context(question, record=False).found
        assert found[0].memory.ref == said[feature], question
        assert found[0].scores.named == [normalize("NFC", feature)], question
    assert memory.get_context("価格はいくらですか", record=False).refs == []


@pytest.mark.parametrize("slip", ["Kuberentes", "Kubenetes", "Kubbernetes", "Kubarnetes", "kubernets", "KUBERNETESS"])
def test_a_name_with_a_slip_of_the_pen_is_found(memory: Memory[Embedded], slip: str) -> None:
    asked = memory.record_event("We moved to Kubernetes", session="a")
    memory.record_event("We moved to Berlin", session="b")
    assert memory.get_context(f"what about {slip}", record=False).refs == [asked]


def test_what_begins_alike_is_no_slip() -> None:
    names = Names(TOKENIZER)
    names.catch_up(["contac", "kubern", "schlüs", "berlin", "berli", "ab1234", "konsta"])
    slips = {
        "container": [],  # but for the sixth letter it begins like "contact", as much does
        "contcat": ["contac"],
        "kuberentes": ["kubern"],
        "kubenretes": ["kubern"],
        "kberne": [],  # one of the first three letters
        "Schlüsel": [],
        "shclüssel": [],
        "schlüüssel": ["schlüs"],
        "berlim": ["berli"],
        "konstnaz": ["konsta"],
        "ab1243": [],
        "kube": [],
    }
    assert {word: names.spelt_like(word) for word in slips} == slips


def test_a_name_without_spaces_is_there_as_a_whole() -> None:
    names = Names(TOKENIZER)
    names.catch_up(["\x1fperson:김민수", "\x1fperson:王小明", "\x1fshop:東京 書店"])
    assert names.named_by(TOKENIZER.words("김민지와 박민수")) == {}, "two others, whose pairs are those of his name"
    assert names.named_by(TOKENIZER.words("王小红，李小明")) == {}
    assert list(names.named_by(TOKENIZER.words("어제 김민수는 王小明"))) == ["王 小 明 王小 小明", "김 민 수 김민 민수"]
    assert len(names.named_by(TOKENIZER.words("書店は東京にある"))) == 1
    features = FeatureNames(TOKENIZER, {"person:김민수": 1})
    assert features.named_by(TOKENIZER.words("김민지와 박민수")) == []
    assert features.named_by(TOKENIZER.words("김민수는")) == ["person:김민수"]


def test_a_situation_names_a_feature_by_whole_stems() -> None:
    names = FeatureNames(TOKENIZER, {"internet": 1, "international": 2, "kind:合鍵": 3, "deploys": 4})
    assert names.named_by(TOKENIZER.words("the Internet was deployed")) == ["deploys", "internet"]
    assert names.named_by(TOKENIZER.words("国際の合鍵")) == ["kind:合鍵"]


def test_a_ranker_asks_the_words_of_its_own_tokenizer(memory: Memory[Embedded]) -> None:
    ref = memory.record_event("A note about Straße")
    assert RANKERS[RANKER].tokenizer == TOKENIZER.name
    with memory.engine.reading_of(memory.id) as (graph, partition):
        ask = Ask(memory.id, "straße")
        for ranker, recipe in RANKERS.items():
            for tokenizer in TOKENIZERS:
                index = anew(graph, tokenizer)
                if tokenizer == recipe.tokenizer:
                    found = search_context(graph, index, ask, partition, ranker)
                    assert (found.refs, found.versions["tokenizer"]) == ([ref], tokenizer)
                else:
                    with pytest.raises(UnknownRankerError, match=f"words of {recipe.tokenizer}"):
                        search_context(graph, index, ask, partition, ranker)
