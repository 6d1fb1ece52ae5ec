"""Words with which people greet: a conversation begins with them, whatever it is about (Schegloff, 1968)."""

from itertools import pairwise
from typing import Final

from yggdrasil_projections.retrieval.text.unicode import folded, words

WITHIN: Final = 2
"""A greeting is among the first words of what is said."""
_READ_CHARS: Final = 64
_GREETINGS: Final = """
hello hi hey hiya howdy greetings good-morning good-afternoon good-evening hallo servus moin guten-tag guten-morgen
guten-abend bonjour bonsoir salut coucou hola buenas buenos-días buenas-tardes buenas-noches ciao salve buongiorno
buonasera olá oi bom-dia boa-tarde boa-noite hoi hej hei moi goedemorgen goedemiddag god-dag god-morgon tere ahoj
dobrý-den cześć dzień-dobry szia bună-ziua merhaba selam günaydin iyi-günler selamat-pagi selamat-siang namaste halo
jambo sawubona xin-chào привет здравствуйте здравствуй добрый-день доброе-утро добрый-вечер вітаю добрий-день γεια
χαίρετε καλημέρα مرحبا السلام שלום नमस्ते สวัสดี
"""
_BEGINNINGS: Final = ("你好", "您好", "大家好", "早上好", "こんにちは", "こんばんは", "おはよう", "もしもし", "안녕")
# As they are compared: in one case, and without the marks of a script that may be left out.
_ALL: Final = frozenset(map(folded, _GREETINGS.split()))


def greets(text: str | None) -> bool:
    """Return whether a text begins with a greeting, in one of some thirty languages."""
    if not text:
        return False
    head = folded(text[:_READ_CHARS]).lstrip()
    if head.startswith(_BEGINNINGS):
        return True
    first = _first_words(head)
    pairs = map("-".join, pairwise(first))
    return not _ALL.isdisjoint(first[:WITHIN]) or not _ALL.isdisjoint(pairs)


def _first_words(head: str) -> list[str]:
    """Return the first words: of what is plain ASCII mostly without looking at the rest, as no word has a blank."""
    few = words(" ".join(head.split(maxsplit=WITHIN + 1)[: WITHIN + 1])) if head.isascii() else []
    return few[: WITHIN + 1] if len(few) > WITHIN else words(head)[: WITHIN + 1]
