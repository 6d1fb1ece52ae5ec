"""What stands behind a verb: the value of a claim, read by its sort; None where it is no plain value."""

import re
from collections.abc import Sequence
from typing import Final

from .names import CAPITALISED, NO_CHOICE, NO_ORGANISATION, NO_PLACE, words
from .tokens import Token, slice_of

PHRASE_WORDS_MAX: Final = 7
DETERMINERS: Final = words("a an the some any its my our their his her your this that these those each every")
_DEICTIC: Final = words(
    "this that these those it them him her you me us they he she we who what which something anything everything "
    "someone anyone everyone somebody here there his their your one ones myself itself himself herself themselves "
    "how why when where whatever whoever each"
)
PREPOSITIONS: Final = words(
    "in on at by for with from to into onto about as after before until during between through without within "
    "against among around over under behind near per via of off up out down across along since towards toward "
    "than like including such"
)
ENDS: Final = words(
    "because since so but while when where which who that if unless though although whereas as and or now today "
    "instead too already then these currently anyway though lately right again just only also is are am was were "
    "be has have had do does did 's 're 'm 've 'll 'd n't not i we he she they it you yesterday last this until "
    "till tonight tomorrow recently there here ever still either usually often especially cause cuz cos bc um uh "
    "these well even both rather whenever once"
)
_OF: Final = frozenset({"of"})
_VAGUE: Final = words(
    "thing things stuff lot lots bit one ones same way ways kind kinds sort sorts idea ideas question questions "
    "point points time times fun problem problems issue issues chance reason part case fact feeling look couple "
    "few some good great nice fine ok okay amazing awesome cool interesting important different hard easy bad "
    "better best much many more most all place people person guy guys someone deal sense mess joke shame pity "
    "pleasure blast while example challenge matter difference hand go try break rest moment day week month year "
    "life experience favorite opportunity option options plan plans result results decision goal feature "
    "reference mistake trouble impact end start beginning following surprise relief wonder delight joy must gem "
    "treat dream lifesaver big huge really very so too little less such true sure yes no number kinda sorta "
    "pretty thoughts thought word words answer side"
)
_NUMBER_WORDS: Final = words(
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion "
    "dozen half"
)
_ABOUT: Final = words("about around roughly approximately exactly only over up to at least most nearly some just")
NUMBER: Final = re.compile(r"[$€£¥]?\d[\d,.:/x-]*(?:[$€£¥%]|[a-zA-Z]{1,4})?")
_WEEKDAYS: Final = words(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays "
    "saturdays sundays weekdays weekends"
)
_MONTHS: Final = words(
    "january february march april may june july august september october november december jan feb mar apr jun "
    "jul aug sep sept oct nov dec"
)
_DATE: Final = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}[:.]\d\d|\d{1,2}(?:st|nd|rd|th)|q[1-4]|\d{1,2}(?:am|pm)|"
    r"\d{1,2}/\d{1,2}(?:/\d{2,4})?|20\d\d"
)
_CLOCK: Final = words("noon midnight am pm a.m p.m o'clock sharp utc cet cest est pst gmt")
_TIMELY: Final = words(
    "at on by in the of end beginning start first last second third fourth day week month year morning afternoon "
    "evening night and every to"
)
_DIGITS: Final = re.compile(r"\d{1,4}")
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+){0,3}(?:-[\w.]{1,20})?")
_NO_PRODUCT: Final = words(
    "room phase plan step stage chapter part page floor level gate team group day week port line"
)
_STATES: Final = words(
    "down up offline online healthy unhealthy degraded deprecated retired decommissioned read-only live archived "
    "frozen broken blocked closed open done finished disabled enabled cancelled canceled merged deployed paused "
    "resolved pending approved rejected unavailable"
)
_UNITS_MAX: Final = 4
_UNIT_STOPS: Final = ENDS | (PREPOSITIONS - {"per"})


def is_time(tokens: Sequence[Token]) -> bool:
    """Return whether words name a time: a day of the week, a date, an hour."""
    return timed(tokens) == len(tokens) > 0


def phrase_end(tokens: Sequence[Token], begin: int, stops: frozenset[str] = ENDS) -> int:
    """Return where what begins at a place ends: at a mark, or at a word that goes on with something else."""
    end = begin
    while (
        end < len(tokens)
        and not tokens[end].is_mark
        and (tokens[end].low not in stops or _possessive(tokens, begin, end))
    ):
        end += 1
    return end


def _possessive(tokens: Sequence[Token], begin: int, place: int) -> bool:
    """Return whether an "'s" says whose something is: "Lena's drawer"."""
    if tokens[place].low != "'s" or place == begin or place + 1 >= len(tokens) or not tokens[place - 1].is_capital:
        return False
    following = tokens[place + 1]
    return not following.is_mark and following.low not in ENDS | DETERMINERS | PREPOSITIONS


def noun(
    sentence: str, tokens: Sequence[Token], begin: int, *, whole: bool = False, joined: frozenset[str] = _OF
) -> tuple[str, int] | None:
    """Return a noun phrase without its article, and where it ends.

    What belongs to it is behind a preposition that is ``joined``, or behind any of them where ``whole``.
    """
    stops = ENDS if whole else ENDS | (PREPOSITIONS - joined)
    end = min(phrase_end(tokens, begin, stops), len(tokens))
    first = begin
    while first < end and tokens[first].low in {"a", "an", "the", "some", "our", "my"}:
        first += 1
    if end - first > 1 and tokens[end - 1].low.endswith("ly") and not tokens[end - 1].is_capital:
        end -= 1  # how, not what: "speaks Dutch fluently"
    said = tokens[first:end]
    if not 0 < len(said) <= PHRASE_WORDS_MAX or said[0].low in _DEICTIC or said[0].low in PREPOSITIONS:
        return None
    if any(token.low in _DEICTIC for token in said) or all(token.low in _VAGUE for token in said):
        return None
    head = next((place for place, token in enumerate(said) if token.low in PREPOSITIONS), len(said)) - 1
    if said[head].low in _VAGUE or said[-1].low in PREPOSITIONS | DETERMINERS:
        return None
    return slice_of(sentence, said), end


def listed(sentence: str, tokens: Sequence[Token], begin: int) -> tuple[list[str], int] | None:
    """Return the parts of "Redis, Kafka and Postgres", and where they end; one phrase is one part."""
    found: list[str] = []
    place = begin
    while (part := noun(sentence, tokens, place)) is not None:
        said, end = part
        found.append(said)
        after = end
        while after < len(tokens) and tokens[after].low in {",", "and"}:
            after += 1
        if after == end or not _one_of_a_list(tokens, end, after):
            return found, end
        place = after
    return (found, place) if found else None


def _one_of_a_list(tokens: Sequence[Token], end: int, after: int) -> bool:
    """Return whether what follows a comma or an "and" goes on with the list: it ends where another part or all does."""
    following = phrase_end(tokens, after, ENDS | PREPOSITIONS)
    if after >= len(tokens) or not 0 < following - after <= 2:
        return False
    closed = (
        following == len(tokens) or tokens[following].low in {".", "!", ")", "and", ";"} or tokens[end].low == "and"
    )
    if following < len(tokens) and tokens[following].low == "," and tokens[end].low == ",":
        closed = True
    return closed and (following == len(tokens) or tokens[following].is_mark or tokens[following].low == "and")


def amount(sentence: str, tokens: Sequence[Token], begin: int) -> tuple[str, int] | None:
    """Return a number with its unit: "40 euros a month"."""
    first = begin
    while first < len(tokens) and tokens[first].low in _ABOUT:
        first += 1
    end = first
    while end < len(tokens) and (NUMBER.fullmatch(tokens[end].low) or tokens[end].low in _NUMBER_WORDS):
        end += 1
    if end == first or (tokens[first].low in {"half"} and end == first + 1):
        return None
    units = 0
    while end < len(tokens) and units < _UNITS_MAX and not tokens[end].is_mark and tokens[end].low not in _UNIT_STOPS:
        end, units = end + 1, units + 1
    if end < len(tokens) and tokens[end].low == "-":
        return None
    return slice_of(sentence, tokens[first:end]), end


def time(sentence: str, tokens: Sequence[Token], begin: int) -> tuple[str, int] | None:
    """Return a day, a date or an hour: "Friday", "March 3rd at 9:30", "the end of May"."""
    end = begin + timed(tokens[begin:])
    first = begin
    while first < end and tokens[first].low in {"on", "at", "by", "in", "the", "every"}:
        first += 1
    if first == end:
        return None
    return slice_of(sentence, tokens[first:end]), end


def timed(tokens: Sequence[Token]) -> int:
    """Return how many of the first words name a time, 0 where none of them is a day, a month, a date or an hour."""
    last, place = 0, 0
    for place, token in enumerate(tokens, 1):
        plain = token.low
        anchors = (
            plain in _WEEKDAYS or plain in _CLOCK or _DATE.fullmatch(plain) or (plain in _MONTHS and token.is_capital)
        )
        if anchors:
            last = place
        elif plain == "," and last == place - 1 and place > 1:
            continue
        elif _DIGITS.fullmatch(plain):
            near = tokens[place].low if place < len(tokens) else ""
            if last and place - last <= 2 and (tokens[last - 1].low in _MONTHS or len(plain) == 4):
                last = place
            elif near not in _MONTHS and near not in _CLOCK and near != "of" and tokens[place - 2].low != "at":
                break
            elif tokens[place - 2].low == "at" and (not near or near in _TIMELY or near in ",.!;)"):
                last = place
        elif plain in {"morning", "afternoon", "evening", "night"} and last:
            last = place
        elif plain not in _TIMELY:
            break
    return last


def place_named(sentence: str, tokens: Sequence[Token], begin: int) -> tuple[str, int] | None:
    """Return a place by its name: "Rio de Janeiro, Brazil"."""
    end = begin + (1 if begin < len(tokens) and tokens[begin].low == "the" else 0)
    if (named := _capitals(tokens, end)) is None:
        return None
    end = named
    if end + 1 < len(tokens) and tokens[end].low == "," and tokens[end + 1].is_capital:
        further = _capitals(tokens, end + 1)
        if further is not None and (further == len(tokens) or tokens[further].is_mark):
            end = further
    if end < len(tokens) and not tokens[end].is_mark and tokens[end].low == "'s":
        return None
    said = tokens[begin:end]
    return None if any(token.text in NO_PLACE for token in said) else (slice_of(sentence, said), end)


def organisation(sentence: str, tokens: Sequence[Token], begin: int) -> tuple[str, int] | None:
    """Return an organisation by its name, without its article."""
    first = begin + (1 if begin < len(tokens) and tokens[begin].low == "the" else 0)
    end = _capitals(tokens, first)
    if end is None or tokens[first].text in NO_ORGANISATION or (end < len(tokens) and tokens[end].low == "'s"):
        return None
    return slice_of(sentence, tokens[first:end]), end


def _capitals(tokens: Sequence[Token], begin: int) -> int | None:
    """Return where the words with capital letters end that begin at a place; None where none does."""
    end = begin
    while end < len(tokens) and end - begin < PHRASE_WORDS_MAX:
        if CAPITALISED.fullmatch(tokens[end].text) is None:
            small = tokens[end].low in {"de", "da", "di", "do", "la", "le", "van", "von", "der", "del", "al", "of"}
            further = end + 1 < len(tokens) and CAPITALISED.fullmatch(tokens[end + 1].text)
            if not (small and end > begin and further):
                break
        end += 1
    return end if end > begin and tokens[begin].text != "I" else None


def port(tokens: Sequence[Token], begin: int) -> tuple[int, int] | None:
    """Return the number of a port."""
    if begin >= len(tokens) or re.fullmatch(r"\d{2,5}", tokens[begin].low) is None:
        return None
    number = int(tokens[begin].low)
    further = tokens[begin + 1].low if begin + 1 < len(tokens) else "."
    return (number, begin + 1) if number < 65_536 and further not in {"or", "in", "percent", "%"} else None


def version(sentence: str, tokens: Sequence[Token], begin: int) -> tuple[str, int] | None:
    """Return a version, with the name of what has it: "Postgres 15", "9.1"."""
    if begin < len(tokens) and tokens[begin].low == "version":
        begin += 1
        if begin < len(tokens) and _VERSION.fullmatch(tokens[begin].low):
            return tokens[begin].text, begin + 1
    end = begin
    while end < len(tokens) and end - begin < 2 and CAPITALISED.fullmatch(tokens[end].text):
        end += 1
    if (
        end >= len(tokens)
        or _VERSION.fullmatch(tokens[end].low) is None
        or (end == begin and "." not in tokens[end].low)
    ):
        return None
    if tokens[begin].low in _NO_PRODUCT | _MONTHS | _WEEKDAYS:
        return None
    following = tokens[end + 1] if end + 1 < len(tokens) else None
    if (
        following is not None
        and not following.is_mark
        and following.low not in ENDS | {"in", "on", "with", "for", "from"}
    ):
        return None
    return slice_of(sentence, tokens[begin : end + 1]), end + 1


def state(sentence: str, tokens: Sequence[Token], begin: int) -> tuple[str, int] | None:
    """Return a state that a thing is in: "down", "in maintenance"."""
    words_ = [token.low for token in tokens[begin : begin + 3]]
    for size, known in ((3, "in maintenance mode"), (2, "in maintenance"), (2, "under maintenance")):
        if " ".join(words_[:size]) == known:
            return known, begin + size
    if not words_ or words_[0] not in _STATES:
        return None
    following = tokens[begin + 1] if begin + 1 < len(tokens) else None
    if following is not None and not following.is_mark and following.low not in ENDS - {"when", "as", "that"}:
        return None
    return tokens[begin].low, begin + 1


def choice(sentence: str, tokens: Sequence[Token]) -> str | None:
    """Return one side of a choice, whole."""
    if not 0 < len(tokens) <= PHRASE_WORDS_MAX or tokens[0].low in NO_CHOICE | ENDS:
        return None
    return None if any(token.low in _DEICTIC or token.is_mark for token in tokens) else slice_of(sentence, tokens)
