"""Which sentences teach something: what to do, what to leave, what put a thing right, and why it went wrong."""

import re
from typing import Final

from .grammar.names import words
from .grammar.tokens import tokens_of
from .sentences import SENTENCE_CHARS_MAX

LESSON, WARNING, RECOVERY = "lesson", "warning", "recovery"
WORDS_MIN: Final = 5
"""A shorter sentence teaches nothing that could be told apart from talk."""
_LEAD: Final = (
    r"(?:(?:and|so|but|also|ok|okay|well|anyway|again|please|remember|note|btw|pro tip|tip|psa|fyi|moral of the story|"
    r"takeaway|reminder|rule of thumb|in future|in the future|from now on|going forward)[,:]? (?:- )?){0,2}"
)
_LABELS: Final = (
    (
        LESSON,
        r"(?:lessons? learn(?:ed|t)|lesson|takeaway|learning|best practice|tip|pro tip|"
        r"moral of the story|root cause)\s?[:-]\s",
    ),
    (WARNING, r"(?:warning|caution|careful|beware|gotcha|heads up|pitfall)\s?[:!-]\s"),
    (RECOVERY, r"(?:fix|workaround|solution|resolution|mitigation|remedy)\s?[:-]\s"),
)
_WORDINGS: Final = (
    (
        WARNING,
        r"(?:never|do not|don't) (?!mind\b|again\b|worry\b|know\b|think\b|get me\b|heard\b|been\b|seen\b|be\b|"
        r"have\b|had\b|"
        r"forget\b|want\b|need\b|say\b|you\b|we\b|they\b|i\b|even\b|really\b|like\b|tell me\b|care\b|ask me\b|"
        r"look at\b|feel\b|see\b|remember\b|believe\b|give up\b|hesitate\b|let me\b|understand\b|thought\b|"
        r"met\b|did\b|tried\b|a\b|the\b|in my\b|would\b|could\b|\w+ed\b|so\b|too\b|mean\b)[a-z]",
    ),
    (
        WARNING,
        r"(?:avoid \w|beware (?:of|that)\b|watch out (?:for|that|when)\b|"
        r"be (?:very )?careful (?:with|not to|when|about|of|to)\b)",
    ),
    (WARNING, r"(?:you|we|one|people) (?:should|must) (?:never|not)\b"),
    (
        LESSON,
        r"always (?!a\b|an\b|the\b|been\b|had\b|so\b|good\b|great\b|nice\b|fun\b|happy\b|love\b|loved\b|wanted\b|"
        r"thought\b|something\b|remember\b|in\b|my\b|will\b|felt\b|too\b|there\b|that\b|was\b|is\b|have\b|"
        r"\w+ing\b)[a-z]",
    ),
    (
        LESSON,
        r"(?:make sure (?:to|that|you|the|it|all|every)\b|be sure to\b|remember to\b|"
        r"don't forget to\b|do not forget to\b)",
    ),
    (
        LESSON,
        r"next time,? (?:we|i|you|the|let's|start|check|do|use|run|ask|make|don't|never|always|first|try|keep|take)\b",
    ),
    (LESSON, r"next time, (?!it\b|i'll\b|maybe\b|perhaps\b|in\b|for\b|a\b|an\b|my\b|\w+ing\b)[a-z]"),
    (
        LESSON,
        r"(?:the|a|one|my|our|another) (?:main |big |key |important )?(?:lesson|takeaway|moral|trick|learning)"
        r"(?: here| learned| learnt| from this| for me| for us)? (?:is|was)\b",
    ),
    (
        LESSON,
        r"(?:we|i|we've|i've) (?:have )?(?:should have|should've|shoulda) "
        r"(?:not |never )?(?:\w{2,}ed|been|done|gone|used|known|made|taken|put|run|set|kept|read|seen|told|"
        r"written|given|had|gotten|bought|thought)\b",
    ),
    (LESSON, r"(?:we|i|we've|i've) (?:have )?learn(?:ed|t) (?:that|to|not to|the hard way)\b"),
    (LESSON, r"(?:it pays to|it helps to|it's best to|it is best to|best to|better to|it's better to)\b"),
    (LESSON, r"what (?:works|helps) (?:best )?(?:here |for us |for me )?is\b"),
    (
        RECOVERY,
        r"(?:the|my|our) (?:quick |real |only |actual |final )?(?:fix|workaround|solution|remedy|cure)"
        r"(?: here| for (?:this|that|it)| for the [\w-]+(?: [\w-]+){0,2})? (?:is|was|turned out to be)\b",
    ),
    (
        RECOVERY,
        r"(?:(?:we|i|they) )?(?:have |'ve )?(?:finally )?(?:fixed|solved|resolved|worked around|mitigated|cured) "
        r"(?:it|this|that|the \w[\w-]*(?: [\w-]+){0,4}?) (?:by|with)\b",
    ),
    (
        RECOVERY,
        r"what (?:finally |actually |really |eventually )?(?:worked|helped|fixed it|solved it|did the trick) "
        r"(?:was|is)\b",
    ),
    (RECOVERY, r"it (?:was|got|is) (?:fixed|solved|resolved) by\b"),
    (
        LESSON,
        r"(?:the|our) (?:actual |real |underlying )?(?:root cause|cause|culprit|reason for the [\w-]+)"
        r"(?: here| of (?:this|that|it)| of the [\w-]+(?: [\w-]+){0,2}| for (?:this|that|the [\w-]+))? "
        r"(?:is|was|turned out to be)\b(?! (?:unknown|unclear|not|still))",
    ),
)
_CAUSED: Final = re.compile(
    r"(?:it|this|that|the [\w-]+(?: [\w-]+){0,4}?|(?!i |we |you )[\w-]+(?: [\w-]+){0,2}?) "
    r"(?:failed|broke|crashed|hung|timed out|"
    r"went down|was down|stalled|blew up|died|ran out of [\w-]+) (?:again )?(?:because|since|due to|because of)\b",
    re.IGNORECASE,
)
_DID_IT: Final = re.compile(
    r"[\w'-]+(?: [\w./'-]+){0,9}? (?:fixed it|solved it|did the trick|fixed the [\w-]+|solved the [\w-]+|resolved it|"
    r"resolved the [\w-]+|made it work|brought it back|got it working)(?=[.!,]|$| again| for)",
    re.IGNORECASE,
)
_TAUGHT: Final = tuple((sort, re.compile(_LEAD + wording, re.IGNORECASE)) for sort, wording in (*_LABELS, *_WORDINGS))
_BEGINS: Final = re.compile(r"[,:;-] +|\b(?:in the end|in the future|this time|from experience),? ", re.IGNORECASE)
_FRONTED: Final = re.compile(
    r"(?:(?:and|but|so|oh|well) )?(?:please|when|whenever|if|before|after|in|for|on|at|from|as|whatever|to|with|by|"
    r"during|since|because|next)\b",
    re.IGNORECASE,
)
_POINTING: Final = words("that it this one so")
_BEGINS_MAX: Final = 8
_ASKS: Final = re.compile(r"[?\u201c\u201d\u201e\u00ab\u00bb|<>{}\[\]\"]|^\s*[#>]|\u2026")
_SUPPOSED: Final = words(
    "wonder maybe perhaps might thinks says said suppose imagine guess haha lol kidding would whether wish hope rumour"
)
_SOCIAL: Final = words(
    "me you him her yourself myself love dear congrats proud sorry thank thanks these those here there um uh"
)


def taught(sentence: str) -> str | None:
    """Return what a sentence, as ``spelt``, is: "lesson", "warning" or "recovery"; None where it teaches nothing.

    It is none where it asks, quotes, reports or supposes, and where it is only about those who talk.
    """
    if len(sentence) > SENTENCE_CHARS_MAX or _ASKS.search(sentence) is not None:
        return None
    tokens = [token.low for token in tokens_of(sentence) if not token.is_mark]
    if tokens[-1:] and tokens[-1] in _POINTING:
        tokens.pop()
    if len(tokens) < WORDS_MIN or not _SUPPOSED.isdisjoint(tokens):
        return None
    begins = _begins(sentence)
    for sort, wording in _TAUGHT:
        if any(wording.match(sentence, begin) is not None for begin in begins):
            return None if not _SOCIAL.isdisjoint(tokens[3:]) or (sort == WARNING and "i" in tokens) else sort
    if _CAUSED.match(sentence) is not None:
        return LESSON if _SOCIAL.isdisjoint(tokens) else None
    return RECOVERY if _DID_IT.match(sentence) is not None and _SOCIAL.isdisjoint(tokens) else None


def _begins(sentence: str) -> list[int]:
    """Return where what teaches may begin: behind a comma only where words stand before it that lead to a clause."""
    fronted = _FRONTED.match(sentence) is not None
    found = [each.end() for each in _BEGINS.finditer(sentence) if fronted or not each[0].startswith(",")]
    return [0, *found][:_BEGINS_MAX]
