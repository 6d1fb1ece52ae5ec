"""Which sentences say something plainly: no question, no negation, nothing supposed, reported, made up, past or due."""

import re
from collections.abc import Iterator
from typing import Final

TEXT_CHARS_MAX: Final = 20_000
"""How much of a text is read."""
SENTENCE_CHARS_MAX: Final = 300
_END: Final = re.compile(r"(?<=[.!?…])[\"'\u201d\u2019)]*\s+|\n+")
_NO_END: Final = re.compile(r"(?:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Prof|Inc|Ltd|Co|No|vs|etc|approx)|e\.g|i\.e)\.$")
_NO_END_CHARS: Final = 16  # of a piece: what ends no sentence is shorter, and what was said before is not looked at
_SPELT: Final = {0x2019: "'", 0x2013: "-", 0x2014: "-"}
_WORDS: Final = (
    # denied
    r"not|never|no|nobody|none|nor|neither|without|hardly|barely|cannot|nothing|rarely|seldom|except|instead|wrong|"
    r"false|untrue|myth|stopped|quit|left|"
    # supposed
    r"if|unless|whether|would|could|might|maybe|perhaps|possibly|probably|likely|suppos\w*|imagin\w*|assum\w*|"
    r"wish\w*|hop(?:e|es|ed|ing|efully)|should|must|seem\w*|apparently|alleged\w*|presum\w*|rumou?r\w*|guess\w*|"
    r"suspect\w*|doubt\w*|unsure|almost|nearly|think\w*|thought|believ\w*|consider\w*|pretend\w*|hypothe\w*|"
    r"somehow|practically|basically|virtually|like to|love to|or|either|"
    # reported
    r"said|says?|saying|told|tells?|telling|claim\w*|heard|hears?|according|ask(?:s|ed|ing)?|report(?:s|ed|edly)?|"
    r"mention\w*|wrote|writes?|insist\w*|announc\w*|quot\w*|swears?|swore|jok\w*|kidding|lie[sd]?|lying|jk|lol|haha\w*|"
    # made up
    r"novels?|stor(?:y|ies)|movies?|films?|books?|characters?|games?|dream\w*|fiction\w*|series|songs?|lyrics|quiz|"
    r"examples?|protagonist|template|placeholder|dummy|fake|sarcas\w*|"
    # due
    r"will|shall|going to|gonna|tomorrow|soon|next|plan(?:s|ned|ning)?|want(?:s|ed|ing)?|about to|later|intend\w*|"
    r"eventually|someday|"
    # past, or for a while
    r"used to|formerly|previously|once|then|was|were|had|before|past|until|till|former|originally|initially|"
    r"temporar\w*|for now|so far|briefly|during|while|every|sometimes|often|usually|when|where"
)
_VAGUE: Final = re.compile(rf"(?<![\w@.-])(?:{_WORDS})(?![\w@-]|\.\w)|n't\b|'ll\b|'d\b", re.IGNORECASE)
_NOT_SAID: Final = re.compile(r"[?\"\u201c\u201d\u201e\u00ab\u00bb`|<>{}\[\]*]|^\s*[#>]|(?:^|\s)['\u2018]|/s\b|…|\.\.")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text that are not too long, each without what surrounds it."""
    begun: list[str] = []
    for piece in _END.split(text[:TEXT_CHARS_MAX]):
        begun.append(piece)
        if not _NO_END.search(piece[-_NO_END_CHARS:]):
            yield from _whole(begun)
            begun = []
    yield from _whole(begun)


def _whole(pieces: list[str]) -> Iterator[str]:
    sentence = " ".join(pieces).strip()
    if 0 < len(sentence) <= SENTENCE_CHARS_MAX:
        yield sentence


def spelt(sentence: str) -> str:
    """Return a sentence with the one apostrophe and dash that patterns know; each character stays where it is."""
    return sentence.translate(_SPELT)


def is_plain(sentence: str) -> bool:
    """Return whether a sentence, as ``spelt``, states something that its writer holds to be so now, by its words."""
    return _VAGUE.search(sentence) is None and _NOT_SAID.search(sentence) is None
