"""Two texts say the same if their words are the same ones in the same order: what is left out, and what never is."""

import re
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yggdrasil_projections.retrieval.text.unicode import folded
from yggdrasil_projections.retrieval.text.wording import FILLERS, SET_OFF, follows, saying, wording

SAME = [
    ("Deployments on Friday are allowed.", "deployments on friday are allowed!"),
    ("Order 17 was shipped to Oslo", "ORDER 17 WAS SHIPPED TO OSLO"),
    ("Please deploy the fix", "Deploy fix"),
    ("PLEASE DEPLOY THE FIX", "deploy fix"),
    ("I uh deployed it", "I deployed it"),
    ("Um, deploy it", "deploy it"),
    ("Well, it works", "it works"),
    ("It works. So, go on", "It works. Go on"),
    ("You know, it works", "It works"),
    ("Köln ruft", "Ko\u0308ln ruft"),
    ("- buy milk", "* buy milk"),
    ("**Deploy** _it_", "deploy it"),
    ("# Title\ntext", "Title. Text"),
    ('He said "deploy now"', "He said: deploy now"),
    ('The "17" bus', "the 17 bus"),
    ("She\u2019s here", "She's here"),
    ("17 Days", "17 days"),
    ("5 Km", "5 km"),
    ("up-to-date", "up to date"),
    ("Wait... what?!", "wait, what?"),
    ("¿Cuándo?", "cuándo?"),
    ("Bitte deploye es", "deploye es"),
    ("Also, wir fahren", "wir fahren"),
    ("Déploie-le, s'il te plaît", "déploie-le"),
    ("Envía el informe, por favor", "Envía el informe"),
    ("Dosya lütfen gelsin", "dosya gelsin"),
    ("Пожалуйста, отправь отчёт", "отправь отчёт"),
    ("\uff08注\uff09東京に行く。", "(注)東京に行く"),
    ("5\N{EN DASH}6 Uhr", "5-6 uhr"),
    ("\N{MINUS SIGN}5 degrees", "-5 degrees"),
    ("The road \N{EN DASH} a long one", "The road, a long one"),
    ("Ask first, um, and deploy", "Ask first, and deploy"),
    ("500 GIB", "500 GIB"),
    ("10 AM", "10 am"),
    ("5 apples/day", "5 Apples/day"),
]
OTHER = [
    ("are allowed", "are not allowed"),
    ("it works", "it never works"),
    ("may deploy", "must deploy"),
    ("300 ms under load", "250 ms under load"),
    ("300 ms", "300 s"),
    ("5 Mb", "5 MB"),
    ("5 mW", "5 MW"),
    ("5 kb", "5 kB"),
    ("-5 degrees", "5 degrees"),
    ("it is - 5", "it is 5 now"),
    ("1.5 litres", "15 litres"),
    ("1,5", "1 5"),
    ("5%", "5"),
    ("$5", "€5"),
    ("v1.2.3", "v12.3"),
    ("C++", "C"),
    ("C#", "C"),
    ("node.js", "node js"),
    (".env", "env"),
    ("Deploy on Friday?", "Deploy on Friday."),
    ("Ana owes Bo", "Bo owes Ana"),
    ("plan a", "plan b"),
    ("plan a", "plan"),
    ("on Friday", "on Monday"),
    ("in May", "in June"),
    ("We saw The Who", "We saw who"),
    ("It works well", "It works"),
    ("the well is deep", "the is deep"),
    ("a != b", "a = b"),
    ("a < b", "a > b"),
    ("!ready", "ready"),
    ("rm -f x", "rm f x"),
    ("run --dry", "run dry"),
    ("5-6", "56"),
    ("5 - 3", "5 3"),
    ("10:30", "1030"),
    ("2026-11-26", "2026-11-27"),
    ("it went :)", "it went :("),
    ("done \N{THUMBS UP SIGN}", "done \N{THUMBS DOWN SIGN}"),
    ("[x] deploy", "[ ] deploy"),
    ("5' tall", "5 tall"),
    ("café", "cafe"),
    ("~~deploy~~", "deploy"),
    ("3 * 4", "3 4"),
    ("2**3", "2 3"),
    ("m²", "m2"),
    ("er ist da", "ist da"),
    ("könnte gehen", "kann gehen"),
    ("kein Zugang", "ein Zugang"),
    ("Έρχεται;", "Έρχεται."),
    ("#42", "42"),
    ("a/b", "a b"),
    ("no, deploy", "deploy"),
    ("東京に行く", "東京に行かない"),
    *(
        (f"Set it to {sign}", f"Set it to {sign.replace('-', '')}")
        for sign in (
            '"-5" degrees',
            "`-5`",
            "'-5'",
            "*-5*",
            "**-5**",
            "{-5}",
            "a|-5",
            "x;-5",
            "10^-6",
            "y-1",
            "1e-6",
            "-\u20b95",
            "- 5 EUR",
            "5- EUR",
            "A-",
            "HIV- patient",
            "A -> B",
            "(-5)",
            "=-5",
            "-.5",
            "- (5)",
        )
    ),
    *((f"Set it to {dash}5 degrees", "Set it to 5 degrees") for dash in "\u2010\u2011\u2012\u2013\u2014\u2212"),
    ("(5) EUR", "5 EUR"),
    ("Open Mon-Fri", "Open Mon, Fri"),
    ("Ben, Ann and Tom have access", "Ann and Tom have access"),
    ("Mira, Ann and Tom have access", "Ann and Tom have access"),
    ("Access: Ben, Ann", "Access: Ann"),
    ("Access: ok, Ann", "Access: Ann"),
    ("Geschlossen: So, Mo", "Geschlossen: Mo"),
    ("So\N{EN DASH}Di geschlossen", "Di geschlossen"),
    ("So, Mo geschlossen", "Mo geschlossen"),
    ("Er, Anna und Bo zahlen", "Anna und Bo zahlen"),
    ("PLZ 10115 Berlin", "10115 Berlin"),
    ("5 um", "5"),
    ("800 hm", "800"),
    ("Peter läuft um den See", "Peter läuft den See"),
    ("Tenho um filho", "Tenho filho"),
    ("100 MB/s", "100 Mb/s"),
    ("100MB", "100Mb"),
    ("100 KB", "100 Kb"),
    ("100 MBps", "100 Mbps"),
    ("50 Nm", "50 nm"),
    ("5mW", "5MW"),
    ("5mg", "5Mg"),
    ("5 m", "5 M"),
    ("5' by 10'", '5" by 10"'),
    ("5' by 10'", "5 by 10"),
    ("in Maßen", "in Massen"),
    ("s\u0131n\u0131r", "sinir"),
    ("\u0639\u0650\u0644\u0652\u0645", "\u0639\u064e\u0644\u064e\u0645"),
]
# What makes another saying wherever it is put in, or taken away, by kind and language.
TELLING = {
    "negations": "not no never nor none cannot without nicht kein keine nie ne pas jamais non nunca jamás sin não nem "
    "niet geen inte ikke nie nigdy ani ne nikdy не нет ни değil yok 不 没",
    "modals": "may must can could should would shall might will muss darf soll kann könnte doit peut devrait debe "
    "puede deve può moet mag kan måste får skal musi może musí může должен может laz\u0131m",
    "numbers": "0 1 2 17 300 1.5 -5 three zwölf cent",
    "units": "ms s km kg MB GB % € $ °C hours Stunden",
    "days and months": "monday friday freitag lundi viernes january may juni décembre mañana",
    "letters": "a b x y",
    "whole or part": "only just all some most few more less too almost hardly",
}


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_says_the_same(one: str, other: str) -> None:
    assert wording(one) == wording(other)
    assert saying(one) == saying(other) != 0


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_says_something_else(one: str, other: str) -> None:
    assert wording(one) != wording(other)
    assert saying(one) != saying(other)


def test_no_filler_says_anything() -> None:
    """None of the lists has what turns a sentence into another, or a word of one letter."""
    telling = {folded(word) for words in TELLING.values() for word in words.split()}
    fillers = [phrase for lists in (FILLERS, SET_OFF) for listed in lists.values() for phrase in listed.split(", ")]
    assert telling.isdisjoint(fillers)
    assert all(len(phrase) > 1 for phrase in fillers)
    assert all(phrase == phrase.lower() for phrase in fillers)


WORDS = st.sampled_from(["Ana", "Bo", "deploys", "the", "fix", "to", "Oslo", "on", "service", "it", "we", "für", "que"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=12)


@given(SENTENCES, st.sampled_from([word for words in TELLING.values() for word in words.split()]), st.data())
def test_one_word_of_a_kind_makes_another_saying(words: list[str], word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(words)))
    assert wording(" ".join([*words[:at], word, *words[at:]])) != wording(" ".join(words))


@given(SENTENCES)
def test_order_counts(words: list[str]) -> None:
    kept = wording(" ".join(words).lower())
    for one, other in combinations(range(len(words)), 2):
        swapped = list(words)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        said = wording(" ".join(swapped).lower())
        assert sorted(said) == sorted(kept)
        assert (said == kept) == ([w for w in swapped if w != "the"] == [w for w in words if w != "the"])


@given(SENTENCES, st.sampled_from([phrase for listed in FILLERS.values() for phrase in listed.split(", ")]), st.data())
def test_a_filler_in_small_letters_adds_nothing_anywhere(words: list[str], filler: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(words)))
    assert wording(" ".join([*words[:at], filler, *words[at:]])) == wording(" ".join(words)) or set(words) == {"the"}


@given(SENTENCES, st.sampled_from([phrase for listed in SET_OFF.values() for phrase in listed.split(", ")]))
def test_what_is_set_off_adds_nothing_there_alone(words: list[str], filler: str) -> None:
    said = wording(" ".join(words).lower())
    assert wording(f"{filler.title()}, {' '.join(words).lower()}") == said or set(words) == {"the"}
    assert len(wording(f"{' '.join(words).lower()} {filler}")) == len(filler.split()) + (
        0 if set(words) == {"the"} else len(said)
    )


@settings(max_examples=500)
@given(st.text(max_size=200))
@example("\u0130\u0131 \u017f")
@example("' \" '5\" !? ** _a_ __a__")
def test_any_text_has_a_wording_and_says_the_same_in_either_normal_form(text: str) -> None:
    import unicodedata

    said = wording(text)
    assert all(word and not re.search(r"\s", word) for word in said)
    assert wording(unicodedata.normalize("NFC", text)) == wording(unicodedata.normalize("NFD", text))
    assert (saying(text) == 0) == (not text.strip())


def test_a_text_without_a_word_says_what_it_is() -> None:
    assert saying("...") != saying("!!!")
    assert saying("please") != saying("um") != 0
    assert saying("") == saying("  \n") == 0


def test_what_is_beside_a_text_belongs_to_it() -> None:
    assert saying("the plan", "A") != saying("the plan", "B") != saying("the plan")
    assert saying("the plan", "A") == saying("The plan.", "A")


def test_words_follow_among_others() -> None:
    assert follows(wording("Ana lives in Oslo"), wording("Ana, it is said, lives in Oslo."))
    assert not follows(wording("Ana owes Bo"), wording("Bo owes Ana"))
    assert follows((), ("any",)) and not follows(("any",), ())
