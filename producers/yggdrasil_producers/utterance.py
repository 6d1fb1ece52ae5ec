"""What a loop says that tells nothing new, by one rule for all doors: kept as an ``utterance``, and not searched.

A door or an importer gives what the loop itself said: the words of a model, by their role. What a person said is never
given here, so that nothing of theirs is ever left out, whatever it looks like. Where the rule is in doubt the text is
searched. The TypeScript client has the rule too, with these very lists (``make clients``), held to the same cases.

A text is an utterance when it is the call of a tool, or when each of its sentences is one of these: a question; a
refusal to know, in the words of a closed list for each language; a courtesy, of such a list too; a repetition of what
was recalled, which is one of its sentences, or three words and more of it in the same order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal, cast
from unicodedata import normalize

UTTERANCE: Final[Literal["utterance"]] = "utterance"
"""The sort of note that such a text is kept as."""
_LABEL: Final = re.compile(r"\[m\d{1,4}(?:[,;&\s]{1,3}m\d{1,4}){0,16}\]")
_ENDS: Final = re.compile(r"(?<=[.!?…])[\"'”’»)*_]{0,4}\s+|(?<=[。！？؟])|\n+")  # noqa: RUF001 - they are those marks
_WORD: Final = re.compile(r"\w+")
_ASKS: Final = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}", "\N{GREEK QUESTION MARK}")
_AROUND: Final = " \t\r\n\"'”’»«“„)(*_`>-"  # noqa: RUF001 - what may stand around a sentence
_FENCE: Final = re.compile(r"^```\w{0,16}\s|\s?```$")
_CALLS: Final = ("<tool_call", "<function_call", "<tool_use")
_WORDS_MIN: Final = 3
"""So many words of what was recalled, in the same order, are a repetition of it; fewer may be a decision."""
_CHARS_MAX: Final = 16_000  # of a text; what is longer than that is no phrase


def _plain(text: str) -> str:
    """Return the words of a text in small letters, without labels of records, apostrophes and marks."""
    bare = _LABEL.sub(
        " ", normalize("NFC", text).casefold().replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "")
    )
    return " ".join(_WORD.findall(bare))


REFUSALS: Final = tuple(map(_plain, (
    # English
    "i do not know", "i dont know", "i am not sure", "im not sure", "i am unsure", "i have no idea", "no idea",
    "i do not remember", "i dont remember", "i cannot remember", "i cant remember", "i do not recall", "i dont recall",
    "i cannot recall", "i cant recall", "i have no record", "i have no records", "i have no information",
    "i have no memory", "i have no memories", "i do not have information", "i dont have information",
    "i do not have any information", "i dont have any information", "i do not have any record",
    "i dont have any record", "i do not have any records", "i dont have any records", "i do not have that information",
    "i dont have that information", "i do not have enough information", "i dont have enough information",
    "i could not find", "i couldnt find", "i cannot find", "i cant find", "i did not find", "i didnt find",
    "i found nothing", "i cannot say", "i cant say", "i cannot tell", "i cant tell", "i cannot answer",
    "i cant answer", "i am unable to answer", "im unable to answer", "there is no information", "there is no record",
    "there are no records", "there is nothing in my memory", "nothing is known", "nothing is remembered",
    "nothing was found", "no information", "no record", "no records", "it is not known", "unknown", "not known",
    "my memory does not say", "my memory doesnt say", "the memory does not say", "the memory gives no answer",
    # German
    "das weiß ich nicht", "ich weiß es nicht", "ich weiß nicht", "weiß ich nicht", "ich weiss es nicht",
    "ich weiss nicht", "ich habe keine ahnung", "keine ahnung", "ich bin mir nicht sicher", "ich bin nicht sicher",
    "ich erinnere mich nicht", "daran erinnere ich mich nicht", "ich habe keine information",
    "ich habe keine informationen", "dazu habe ich keine informationen", "dazu weiß ich nichts",
    "darüber weiß ich nichts", "ich habe nichts gefunden", "das kann ich nicht sagen", "dazu ist nichts bekannt",
    "das ist nicht bekannt",
    # French
    "je ne sais pas", "je nen sais rien", "je ne suis pas sûr", "je ne suis pas sûre", "je ne me souviens pas",
    "je nai aucune information", "je nai pas dinformation", "je nai pas dinformations", "je nai rien trouvé",
    "aucune idée", "aucune information",
    # Spanish
    "no lo sé", "no sé", "no lo se", "no estoy seguro", "no estoy segura", "no recuerdo", "no me acuerdo",
    "no tengo información", "no tengo ninguna información", "no tengo idea", "no encontré nada", "ni idea",
    # Italian
    "non lo so", "non so", "non ne ho idea", "non sono sicuro", "non sono sicura", "non ricordo",
    "non ho informazioni", "non ho trovato nulla",
    # Portuguese
    "não sei", "eu não sei", "não tenho certeza", "não me lembro", "não tenho informação", "não tenho informações",
    "não encontrei nada",
    # Dutch
    "ik weet het niet", "dat weet ik niet", "ik weet niet", "geen idee", "ik heb geen informatie",
    # Japanese, Korean, Chinese
    "わかりません", "分かりません", "知りません", "存じません", "覚えていません", "情報がありません",
    "모르겠습니다", "잘 모르겠습니다", "모릅니다", "我不知道", "不知道", "我不清楚", "我不确定",
)))  # fmt: skip
"""How a loop says that it does not know, in small letters, without marks; more may follow, but nothing against it."""
AGAINST: Final = frozenset(map(_plain, (
    "but", "however", "although", "though", "except", "only", "because", "since", "and", "yet", "unless", "aber",
    "jedoch", "sondern", "außer", "nur", "weil", "denn", "und", "doch", "mais", "sauf", "car", "et", "seulement",
    "cependant", "pero", "sino", "salvo", "porque", "y", "aunque", "ma", "però", "tranne", "perché", "e", "mas",
    "porém", "exceto", "maar", "behalve", "omdat", "en",
)))  # fmt: skip
"""Where one of these follows a refusal, something else may be said behind it."""
COURTESIES: Final = frozenset(map(_plain, (
    "i see", "got it", "noted", "understood", "thanks", "thank you", "you are welcome", "youre welcome",
    "thanks for letting me know", "thank you for letting me know", "thanks for telling me", "i am sorry", "im sorry",
    "sorry", "i apologize", "let me know", "how can i help", "ich verstehe", "verstanden", "danke", "notiert",
    "tut mir leid", "entschuldigung", "merci", "compris", "désolé", "désolée", "gracias", "entendido", "lo siento",
    "grazie", "capito", "mi dispiace", "obrigado", "obrigada", "entendi", "desculpe", "dank je", "begrepen",
    "ありがとうございます", "すみません", "申し訳ありません", "감사합니다", "죄송합니다", "谢谢", "抱歉", "对不起",
    "success no tool calls",  # what Pydantic AI's own model for tests says
)))  # fmt: skip
"""What is said for politeness alone. "Yes", "ok" and "sure" are not: they may be the answer."""
OPENINGS: Final = tuple(map(_plain, (
    "i am sorry", "im sorry", "i am afraid", "im afraid", "sorry", "unfortunately", "hmm", "well", "as far as i know",
    "as far as i remember", "as far as i recall", "according to my memory", "according to what i remember",
    "according to my records", "based on my memory", "from what i remember", "from memory", "i remember that",
    "i remember", "i recall that", "i recall", "my memory says that", "my memory says", "you told me that",
    "you said that", "you mentioned that", "leider", "tut mir leid", "soweit ich weiß", "ich erinnere mich dass",
    "laut meiner erinnerung", "désolé", "désolée", "malheureusement", "daprès ma mémoire", "lo siento",
    "lamentablemente", "según mi memoria", "mi dispiace", "purtroppo", "desculpe", "infelizmente", "helaas",
)))  # fmt: skip
"""What a sentence may begin with before it says anything."""


class Kind(Enum):
    """What a sentence is that tells nothing new, or the whole text where it is the call of a tool."""

    CALL = "call"
    QUESTION = "question"
    REFUSAL = "refusal"
    COURTESY = "courtesy"
    REPETITION = "repetition"


def tells_nothing(said: str, recalled: Iterable[str] = (), tools: Collection[str] = ()) -> bool:
    """Whether what a loop said tells nothing new: see ``kinds_of``."""
    return kinds_of(said, recalled, tools) is not None


def kinds_of(said: str, recalled: Iterable[str] = (), tools: Collection[str] = ()) -> frozenset[Kind] | None:
    """Return what a loop's text consists of, where it tells nothing new; None where it may.

    ``recalled`` are the texts that the memory gave before, ``tools`` the names of the tools that were called in the
    run. Takes time in proportion to the texts.
    """
    if len(said) > _CHARS_MAX:
        return None
    if _is_call(said, tools):
        return frozenset({Kind.CALL})
    before = _Before.of(recalled)
    kinds = {_kind(each, before) for each in _sentences(said)}
    return None if None in kinds else frozenset(kind for kind in kinds if kind is not None)


@dataclass(frozen=True, slots=True)
class _Before:
    """What was recalled, in words: its sentences, and each text as one line with a blank at both ends."""

    sentences: frozenset[str]
    lines: Sequence[str]

    @classmethod
    def of(cls, recalled: Iterable[str]) -> _Before:
        texts = [text[:_CHARS_MAX] for text in recalled]
        sentences = frozenset(filter(None, (_plain(each) for text in texts for each in _sentences(text))))
        return cls(
            sentences | {_plain(text) for text in texts if _plain(text)}, [f" {_plain(text)} " for text in texts]
        )

    def has(self, sentence: str) -> bool:
        """Whether a sentence repeats some of it."""
        if sentence in self.sentences:
            return True
        return sentence.count(" ") >= _WORDS_MIN - 1 and any(f" {sentence} " in line for line in self.lines)


def _kind(sentence: str, before: _Before) -> Kind | None:
    said = _plain(sentence)
    if not said:  # nothing but marks
        return Kind.COURTESY
    if sentence.rstrip(_AROUND).endswith(_ASKS):
        return Kind.QUESTION
    if said in COURTESIES:
        return Kind.COURTESY
    if before.has(said):
        return Kind.REPETITION
    rest = _without_opening(said)
    if not rest:
        return Kind.COURTESY
    if _refuses(rest):
        return Kind.REFUSAL
    return Kind.REPETITION if rest != said and before.has(rest) else None


def _refuses(said: str) -> bool:
    for phrase in REFUSALS:
        if said == phrase:
            return True
        if said.startswith(phrase + " "):
            return not AGAINST.intersection(said[len(phrase) :].split())
    return False


def _without_opening(said: str) -> str:
    for _ in range(2):  # "I am sorry, as far as I know ..."
        opening = next((each for each in OPENINGS if said == each or said.startswith(each + " ")), None)
        if opening is None:
            break
        said = said[len(opening) :].lstrip()
    return said


def _sentences(text: str) -> list[str]:
    return [each for each in _ENDS.split(text) if each.strip()]


def _is_call(said: str, tools: Collection[str]) -> bool:
    """Whether a text is the call of a tool and nothing else, or what its tools returned by their names, as JSON."""
    text = _FENCE.sub("", said.strip()).strip()
    if text.startswith(_CALLS):
        return text.endswith(">")
    if not text.startswith(("{", "[")):
        return False
    try:
        return _calls(json.loads(text), tools)
    except (ValueError, RecursionError):
        return False


def _calls(value: object, tools: Collection[str]) -> bool:
    if isinstance(value, list):
        listed = cast(list[object], value)
        return bool(listed) and all(isinstance(each, Mapping) and _calls(cast(object, each), tools) for each in listed)
    if not isinstance(value, Mapping):
        return False
    has = cast(Mapping[str, Any], value)
    if has and all(name in tools for name in has):
        return True
    named = isinstance(has.get("name"), str) or isinstance(has.get("tool"), str)
    given = any(name in has for name in ("arguments", "parameters", "input", "args", "call_id"))
    return (named and given) or "tool_calls" in has or "function_call" in has
