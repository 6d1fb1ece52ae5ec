"""What an episode says of itself: whole texts of its events, in their order, few and short, in any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thinkers.chunker.told import GARDEN, SERVER, Told
from yggdrasil_processors.thinkers.chunker.state import Held
from yggdrasil_processors.thinkers.chunker.summary import (
    EXTRACTIVE,
    SHOWN_BYTES_MAX,
    SUMMARY_CHARS_MAX,
    shown,
    summary,
)

TEXTS = st.lists(st.text(max_size=600), max_size=20)


def test_it_is_made_of_the_events_in_their_order() -> None:
    told = Told()
    told.events(GARDEN, after=0)
    (made,) = told.rest()
    assert made.text is not None and made.payload["summary"] == EXTRACTIVE
    places = [made.text.find(text) for text in GARDEN if text in made.text]
    assert len(places) == 3 and places == sorted(places)


def test_what_a_loop_says_stands_in_an_episode_and_not_in_its_summary() -> None:
    told = Told()
    told.events(GARDEN, after=0)
    echo = told._told("event", "s", text=f"{GARDEN[0]}?", note="utterance")  # pyright: ignore[reportPrivateUsage]
    (made,) = told.rest()
    assert echo in made.body["events"]
    assert made.text is not None and "?" not in made.text


def test_what_turned_out_badly_is_told() -> None:
    plain, judged = Told(), Told()
    for told in (plain, judged):
        told.events(SERVER, after=0)
    told.outcome(f"e{len(SERVER) - 8}", -10)
    texts = [each.rest()[0].text or "" for each in (plain, judged)]
    told_of = [SERVER[len(SERVER) - 9] in text for text in texts]
    assert told_of == [False, True]


def test_who_repeats_themselves_is_told_once() -> None:
    told = Told()
    told.events(["The database is down again"] * 10 + ["Somebody pulled the plug of the rack"], after=0)
    (made,) = told.rest()
    assert made.text == "The database is down again … Somebody pulled the plug of the rack"


@pytest.mark.parametrize("text", [None, "", "   "])
def test_without_texts_there_is_none(text: str | None) -> None:
    told = Told()
    told.events([text, text], after=0)  # type: ignore[list-item]
    assert told.rest()[0].text is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("One.  Two.\nThree.", "One. Two. Three."),
        ("A sentence. " + "x" * 300, "A sentence. " + "x" * 188 + "…"),
        ("The first sentence is long enough to stand by itself here, I think. " + "word " * 60,
         "The first sentence is long enough to stand by itself here, I think."),
        ("会議は木曜日に変わりました。" * 20, "会議は木曜日に変わりました。" * 4),
    ],
)  # fmt: skip
def test_of_a_long_text_its_first_sentences_are_kept(text: str, kept: str) -> None:
    assert shown(text).rstrip("…") in text.replace("  ", " ").replace("\n", " ")
    assert len(shown(text).encode()) <= SHOWN_BYTES_MAX + len("…".encode())
    if not text.endswith("x"):
        assert shown(text) == kept


@given(TEXTS)
def test_it_is_bounded_and_printable_whatever_is_said(texts: list[str]) -> None:
    events = [Held(f"e{at}", at, [at, 7], [100, 50], shown(text), value=float(at % 5)) for at, text in enumerate(texts)]
    found = summary(events)
    assert len(found) <= SUMMARY_CHARS_MAX
    assert found.isprintable() and found == summary(events)
    found.encode()
