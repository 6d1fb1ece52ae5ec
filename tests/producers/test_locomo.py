"""Conversations in the format of LoCoMo. Their words are made up: the benchmark's own are not part of the project."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.producers.drafts import DRAFTER, payload_of, told
from yggdrasil_producers.errors import ImporterError
from yggdrasil_producers.importers.locomo import import_locomo


def said(number: int, place: int, speaker: str, text: str, **more: object) -> dict[str, object]:
    return {"speaker": speaker, "dia_id": f"D{number}:{place}", "text": text, **more}


def sample(name: str) -> dict[str, Any]:
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ina",
            "speaker_b": "Bo",
            "session_10_date_time": "12:05 am on 1 January, 2024",
            "session_10": [said(10, 1, "Bo", "A new year.")],
            "session_2_date_time": "12:30 pm on 8 May, 2023",
            "session_2": [
                said(2, 1, "Ina", "I planted a tree.", blip_caption="a tree", img_url=["x"]),
                said(2, 2, "Bo", "Which one?"),
            ],
            "session_3": [],
            "session_11_date_time": "1:00 pm on 2 January, 2024",
        },
        "qa": [],
    }


def written(folder: Path, content: object) -> Path:
    file = folder / "locomo.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def test_turns_become_events_in_the_order_of_the_sessions(tmp_path: Path) -> None:
    importing = import_locomo(written(tmp_path, [sample("conv-1"), sample("conv-2")]), DRAFTER)
    assert importing.total == 6
    found = told(importing.drafts)
    assert found.texts()[:3] == ["I planted a tree.", "Which one?", "A new year."]
    assert len({event.id for event in found.events}) == 6
    first = found.events[0]
    assert first.body.features == ["speaker:Ina"]
    assert first.session == "conv-1/session_2"
    assert first.at == 1_683_549_000_000
    assert payload_of(first) == {
        "dia_id": "D2:1", "sample_id": "conv-1", "speaker": "Ina", "date": "12:30 pm on 8 May, 2023",
        "blip_caption": "a tree",
    }  # fmt: skip
    assert found.events[2].at == 1_704_067_500_000


def test_one_conversation_and_the_same_ids(tmp_path: Path) -> None:
    file = written(tmp_path, [sample("conv-1"), sample("conv-2")])
    every = [draft.value for draft in import_locomo(file, DRAFTER).drafts]
    assert [draft.value for draft in import_locomo(file, DRAFTER, sample="conv-2").drafts] == every[3:]
    alone = written(tmp_path, sample("conv-2"))
    assert [draft.value for draft in import_locomo(alone, DRAFTER).drafts] == every[3:]
    with pytest.raises(ImporterError, match="expected the sample 'conv-9', and it holds conv-2"):
        import_locomo(alone, DRAFTER, sample="conv-9")


@pytest.mark.parametrize(
    "date", ["13:00 pm on 8 May, 2023", "1:00 pm on 31 June, 2023", "8 May 2023", "1:00 pm on 8 Mai, 2023"]
)
def test_a_date_must_be_one(tmp_path: Path, date: str) -> None:
    broken = sample("conv-1")
    broken["conversation"]["session_2_date_time"] = date
    with pytest.raises(ImporterError, match="session_2_date_time: expected a date like") as caught:
        import_locomo(written(tmp_path, [broken]), DRAFTER)
    assert date in str(caught.value)


def test_another_format_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImporterError, match="sample 0: expected an object"):
        import_locomo(written(tmp_path, [[]]), DRAFTER)
    wrong: list[object] = [{}, [{"speaker": "Ina"}]]
    for turns in wrong:
        broken = sample("conv-1")
        broken["conversation"]["session_2"] = turns
        with pytest.raises(ImporterError, match=r"conv-1, session_2.*: expected"):
            import_locomo(written(tmp_path, broken), DRAFTER)
    (tmp_path / "text").write_text("hello", encoding="utf-8")
    with pytest.raises(ImporterError, match="this is none"):
        import_locomo(tmp_path / "text", DRAFTER)
    with pytest.raises(ImporterError, match="expected a LoCoMo file"):
        import_locomo(tmp_path / "missing", DRAFTER)
