"""What a loop says that tells nothing new, by one rule for all doors: kept as an ``utterance``, and not searched.

A door or an importer gives what the loop itself said: the words of a model, by their role. What a person said is never
given here, so that nothing of theirs is ever left out, whatever it looks like. Where the rule is in doubt the text is
searched. The TypeScript client has the rule too, with these very lists (``make clients``), held to the same cases.

A text is an utterance when it is the call of a tool, or when each of its sentences is one of these:

* a question;
* a refusal to know, in the words of a closed list for each language: alone, or with what is not known behind a word
  such as *what*, *whether* or *about*. Each of its clauses must be a part of that, or a courtesy;
* a courtesy, of such a list too;
* a repetition of what was recalled: one of its sentences, or three words and more in a row of a sentence that asks
  nothing, where what is left out of it changes nothing: no *not*, *if*, *or* or *said*, of a list for each language.
  Signs and decimals of numbers count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, cast
from unicodedata import normalize

_LABEL: Final = re.compile(r"\[m\d{1,4}(?:[,;&\s]{1,3}m\d{1,4}){0,16}\]")
_ENDS: Final = re.compile(r"(?<=[.!?…])[\"'”’»)*_]{0,4}\s+|(?<=[。！？؟])|\n+")
_WORD: Final = re.compile(r"(?<!\w)[-+\u2212]?\d+(?:[.,:]\d+)*%?|\w+")
_CLAUSE: Final = re.compile(r"[,;:](?!\S)|\s[-\u2013\u2014]\s|\u2014|[\uff0c\u3001\uff1b\uff1a]")
_ASKS: Final = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}", "\N{GREEK QUESTION MARK}")
_AROUND: Final = " \t\r\n\"'”’»«“„)(*_`>-"  # what may stand around a sentence
_FENCE: Final = re.compile(r"^```\w{0,16}\s|\s?```$")
_CALLS: Final = ("<tool_call", "<function_call", "<tool_use")
_WORDS_MIN: Final = 3
"""So many words of what was recalled, in the same order, are a repetition of it; fewer may be a decision."""
_CHARS_MAX: Final = 16_000  # of a text; what is longer than that is no phrase
_SENTENCES_MAX: Final = 64  # of a text that tells nothing new; and the work for each is that of what was recalled


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
"""How a loop says that it does not know, in small letters, without marks; ``OF`` says what may follow."""
OF: Final = frozenset(map(_plain, (
    "what", "who", "whom", "whose", "which", "where", "when", "why", "how", "whether", "if", "about", "of", "regarding",
    "anything", "any", "that", "this", "yet", "sure", "was", "wer", "wen", "wem", "wessen", "welche", "welcher",
    "welches", "wo", "wohin", "woher", "wann", "warum", "wieso", "weshalb", "wie", "ob", "davon", "darüber", "dazu",
    "über", "ce", "que", "qui", "quoi", "quel", "quelle", "quels", "quelles", "où", "quand", "pourquoi", "comment",
    "si", "combien", "sur", "qué", "quién", "cuál", "dónde", "cuándo", "por", "cómo", "sobre", "nada", "eso", "che",
    "cosa", "chi", "quale", "dove", "quando", "perché", "come", "se", "su", "niente", "o", "quem", "qual", "onde",
    "porque", "como", "disso", "wat", "wie", "welke", "waar", "wanneer", "waarom", "hoe", "of", "dat", "over", "de",
)))  # fmt: skip
"""What a refusal goes on with, to say what is not known."""
AGAINST: Final = frozenset(map(_plain, (
    "but", "however", "although", "though", "except", "only", "because", "since", "and", "yet", "unless", "so", "then",
    "instead", "therefore", "thus", "aber", "jedoch", "sondern", "außer", "nur", "weil", "denn", "und", "doch",
    "deshalb", "daher", "mais", "sauf", "car", "et", "seulement", "cependant", "donc", "alors", "pero", "sino", "salvo",
    "y", "aunque", "así", "entonces", "ma", "però", "tranne", "e", "quindi", "mas", "porém", "exceto", "então", "maar",
    "behalve", "omdat", "en", "dus",
))) - {"yet"}  # fmt: skip
"""Where one of these follows a refusal, something else may be said behind it."""
CHANGES: Final = frozenset(map(_plain, (
    # English
    "not", "no", "never", "nobody", "none", "nothing", "neither", "nor", "cannot", "cant", "dont", "doesnt", "didnt",
    "isnt", "arent", "wasnt", "werent", "wont", "wouldnt", "shouldnt", "couldnt", "hasnt", "havent", "mustnt",
    "without", "if", "unless", "until", "when", "while", "before", "after", "or", "either", "except", "only", "but",
    "however", "although", "maybe", "perhaps", "probably", "possibly", "might", "may", "could", "would", "should",
    "whether", "false", "true", "wrong", "untrue", "said", "says", "say", "told", "claims", "claimed", "thinks",
    "thought", "believes", "believed", "heard", "supposed", "allegedly", "reportedly", "wishes", "hopes", "wants",
    "asked",
    # German
    "nicht", "kein", "keine", "keinen", "keiner", "keinem", "nie", "niemals", "niemand", "nichts", "weder", "ohne",
    "wenn", "falls", "sofern", "außer", "nur", "aber", "jedoch", "oder", "entweder", "vielleicht", "möglicherweise",
    "angeblich", "könnte", "würde", "sollte", "soll", "falsch", "wahr", "sagt", "sagte", "meint", "meinte", "glaubt",
    "denkt", "bevor", "nachdem", "bis", "ob",
    # French, Spanish, Italian, Portuguese
    "ne", "n", "pas", "jamais", "personne", "rien", "aucun", "aucune", "sans", "si", "sauf", "seulement", "mais", "ou",
    "faux", "vrai", "dit", "pense", "croit", "avant", "après", "jamás", "nunca", "nadie", "nada", "ningún", "ninguna",
    "sin", "salvo", "excepto", "solo", "sólo", "pero", "quizá", "quizás", "falso", "verdad", "dijo", "dice", "cree",
    "piensa", "antes", "después", "hasta", "non", "mai", "nessuno", "nessuna", "niente", "nulla", "senza", "se",
    "tranne", "ma", "forse", "vero", "detto", "crede", "pensa", "prima", "dopo", "fino", "não", "ninguém", "nenhum",
    "nenhuma", "sem", "exceto", "só", "somente", "mas", "talvez", "verdade", "disse", "diz", "acha", "depois", "até",
    # Dutch, the languages of the North, Polish, Russian, Turkish
    "niet", "geen", "nooit", "niemands", "niets", "zonder", "als", "tenzij", "behalve", "alleen", "maar",
    "misschien", "zegt", "zei", "denkt", "gelooft", "voordat", "nadat", "tot", "inte", "icke", "ej", "ikke", "aldrig",
    "aldri", "ingen", "inget", "intet", "utan", "uten", "om", "hvis", "bara", "bare", "kun", "men", "eller", "kanske",
    "måske", "kanskje", "säger", "sier", "siger", "tror", "nie", "nigdy", "nikt", "nic", "bez", "jeśli", "jeżeli",
    "oprócz", "tylko", "ale", "lub", "albo", "może", "mówi", "не", "ни", "никогда", "никто", "ничего", "нет", "без",
    "если", "кроме", "только", "но", "или", "может", "возможно", "сказал", "говорит", "думает", "değil", "yok", "asla",
    "hiç", "kimse", "eğer", "ama", "veya", "belki", "sadece", "dedi",
)))  # fmt: skip
"""Where one of these is left out of what is repeated, something else may be said than was recalled."""
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
    """What a sentence is that tells nothing new, or the whole text where it is the call of a tool.

    A refusal is one of nothing but its phrase; what is ``unanswered`` is said with it otherwise.
    """

    CALL = "call"
    QUESTION = "question"
    REFUSAL = "refusal"
    UNANSWERED = "unanswered"
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
    sentences = _sentences(said)
    if len(sentences) > _SENTENCES_MAX:
        return None
    before = _Before.of(recalled)
    kinds: set[Kind] = set()
    for each in sentences:
        found = _kinds(each, before)
        if found is None:
            return None
        kinds |= found
    return frozenset(kinds)


@dataclass(frozen=True, slots=True)
class _Before:
    """What was recalled and asks nothing, in words: whole texts and sentences, and these with a blank at both ends."""

    whole: frozenset[str]
    lines: Sequence[str]

    @classmethod
    def of(cls, recalled: Iterable[str]) -> _Before:
        texts = [text[:_CHARS_MAX] for text in recalled]
        sentences = {_plain(each) for text in texts for each in _sentences(text) if not _asks(each)}
        whole = {_plain(text) for text in texts if not _asks(text)}
        return cls(frozenset(filter(None, sentences | whole)), [f" {each} " for each in sorted(sentences)])

    def has(self, said: str) -> bool:
        """Whether something repeats some of it, and what it leaves out changes nothing."""
        if said in self.whole:
            return True
        if said.count(" ") < _WORDS_MIN - 1:
            return False
        run = f" {said} "
        return any(CHANGES.isdisjoint(line.replace(run, " ", 1).split()) for line in self.lines if run in line)


def _kinds(sentence: str, before: _Before) -> set[Kind] | None:
    """Return what the clauses of a sentence are, or the sentence as a whole; None where one may tell something."""
    said = _plain(sentence)
    if not said:  # nothing but marks
        return {Kind.COURTESY}
    if _asks(sentence):
        return {Kind.QUESTION}
    if before.has(said) or ((rest := _without_opening(said)) and before.has(rest)):
        return {Kind.REPETITION}
    kinds: set[Kind] = set()
    refused = False  # by the clause before
    for clause in filter(None, map(_plain, _CLAUSE.split(sentence))):
        kind = Kind.UNANSWERED if refused and _is_of(clause) else _kind(clause)
        if kind is None:
            return None
        refused = kind in (Kind.REFUSAL, Kind.UNANSWERED)
        kinds.add(kind)
    return kinds - {Kind.REFUSAL} if Kind.UNANSWERED in kinds else kinds


def _kind(clause: str) -> Kind | None:
    rest = clause if clause in COURTESIES else _without_opening(clause)
    if not rest or rest in COURTESIES:
        return Kind.COURTESY
    if rest in REFUSALS:
        return Kind.REFUSAL
    goes_on = any(rest.startswith(f"{phrase} ") and _is_of(rest[len(phrase) + 1 :]) for phrase in REFUSALS)
    return Kind.UNANSWERED if goes_on else None


def _is_of(rest: str) -> bool:
    """Whether words say what is not known, and nothing besides."""
    words = rest.split()
    return words[0] in OF and AGAINST.isdisjoint(words)


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_AROUND).endswith(_ASKS)


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
