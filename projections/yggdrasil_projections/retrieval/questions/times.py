"""The times that a question speaks of: dates and spans in English, German, French, Spanish, Chinese and Japanese.

A date with its year, and a day or span that is told from the moment of the question ("yesterday", "last week"), is
*certain*. What may be meant otherwise is not: a month or a weekday without a year, a year that names something ("the
2024 budget"), numbers of which nobody knows which is the month. Days are those of UTC. A time that is no date
("before the move") has neither begin nor end.

``dateparser`` reads more spellings, and was left: it takes tens of milliseconds for a sentence, and "may" for a month.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from .understood import DAY_MS, Time

TIMES_MAX: Final = 8
_CHARS_MAX: Final = 8_192
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_YEARS: Final = range(1900, 2100)
_PLAIN: Final = str.maketrans({"\u0131": "i", "\u0130": "I", "\u017f": "s", "\u212a": "K"})


def _numbered(*lists: str) -> dict[str, int]:
    """Return words by the place, from 1, that they have in each of some lists; a slash is between several for one."""
    return {word: at for each in lists for at, words in enumerate(each.split(), 1) for word in words.split("/")}


_MONTHS: Final = _numbered(
    "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct"
    " november/nov december/dec",
    "januar/jänner februar/feber märz/maerz/mär april mai juni juli august september oktober/okt november dezember/dez",
    "janvier/janv février/fevrier/févr/fév mars avril/avr mai juin juillet/juil août/aout septembre octobre novembre"
    " décembre/decembre/déc",
    "enero/ene febrero marzo abril/abr mayo junio julio agosto/ago septiembre/setiembre octubre noviembre"
    " diciembre/dic",
)
_WEEKDAYS: Final = _numbered(
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles/miercoles jueves viernes sábado/sabado domingo",
)
_NUMBERS: Final = _numbered(
    "a/an/one two three four five six seven eight nine ten eleven twelve",
    "einem/einer/ein/eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
    "uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce",
)
_UNITS: Final = {
    "day": "day days tag tage tagen jour jours día días dia dias",
    "week": "week weeks woche wochen semaine semaines semana semanas",
    "month": "month months monat monate monaten mois mes meses",
    "year": "year years jahr jahre jahren an ans année années año años",
}
_UNIT: Final = {word: unit for unit, words in _UNITS.items() for word in words.split()}
SAID: Final = (
    ("day", 0, "today, tonight, heute, aujourd'hui, hoy, 今天, 今日"),
    ("day", -1, "yesterday, gestern, ayer, 昨天, 昨日"),
    ("day", -2, "the day before yesterday, vorgestern, avant-hier, anteayer, 前天, 一昨日"),
    ("day", 1, "tomorrow, demain, 明天, 明日"),
    ("week", 0, "this week, diese woche, dieser woche, cette semaine, esta semana, 这周, 本周, 今週"),
    ("week", -1, "last week, letzte woche, letzter woche, vorige woche, la semaine dernière, semaine dernière"),
    ("week", -1, "la semana pasada, semana pasada, 上周, 上週, 上个星期, 先週"),
    ("week", 1, "next week, nächste woche, la semaine prochaine, la próxima semana, 下周, 来週"),
    ("month", 0, "this month, diesen monat, ce mois, este mes, 这个月, 本月, 今月"),
    ("month", -1, "last month, letzten monat, vorigen monat, le mois dernier, mois dernier, el mes pasado, mes pasado"),
    ("month", -1, "上个月, 先月"),
    ("month", 1, "next month, nächsten monat, le mois prochain, el próximo mes, 下个月, 来月"),
    ("year", 0, "this year, dieses jahr, cette année, este año, 今年"),
    ("year", -1, "last year, letztes jahr, letzten jahr, voriges jahr, vorigen jahr, l'année dernière, l'an dernier"),
    ("year", -1, "año pasado, el año pasado, 去年"),
    ("year", 1, "next year, nächstes jahr, l'année prochaine, el próximo año, 明年"),
)
_RELATIVE: Final = {phrase: (unit, steps) for unit, steps, said in SAID for phrase in said.split(", ")}
_HAN: Final = "\u2e80"
"""From here on characters are of scripts that are written without spaces."""


def _any(words: Collection[str]) -> str:
    longest = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", " ") for word in longest)


_MONTH: Final = rf"(?:{_any(_MONTHS)})\b\.?"
_D: Final = r"(\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_Y: Final = r"(\d{4})(?!\d)"
_OF: Final = r"(?: (?:of|de|del|d[eu])\b)? "
_COUNTED: Final = rf"(\d{{1,3}}|{_any(_NUMBERS)}) ({_any(_UNIT)})"
_NO_DIGIT: Final = r"(?<![\d.,/-])"
_NO_MORE: Final = r"(?![\d/-]|[.,]\d)"
_IN: Final = (
    r"(?:in|during|throughout|im|in the year|im jahre?|en|el año|en el año|durante|pendant|l'année|en l'an|since|seit"
    r"|depuis|desde|until|till|bis|jusqu'en|hasta|before|vor|avant|antes de|after|nach|après|después de|back in|early"
    r"|late|mid)"
)
_FORMS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("ymd", r"(?<![\w./-])(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?(?![-/\w])"),
        ("dmy", rf"{_NO_DIGIT}(\d{{1,2}})([./-])\s?(\d{{1,2}})\2\s?(\d{{4}}|\d{{2}}){_NO_MORE}"),
        ("cjk", r"(?:(\d{4}) ?年) ?(?:(\d{1,2}) ?月)? ?(?:(\d{1,2}) ?[日号號])?"),
        ("cjk_md", r"(?<!年)(?<!\d)(\d{1,2}) ?月 ?(\d{1,2}) ?[日号號]"),
        ("mdy", rf"\b({_MONTH}) {_D},? (?:of )?{_Y}"),
        ("dmoy", rf"{_NO_DIGIT}{_D}{_OF}({_MONTH}),?{_OF}{_Y}"),
        ("mmy", rf"\b({_MONTH}) (?:and|to|until|through|und|bis|et|à|y|a) ({_MONTH}),?{_OF}{_Y}"),
        ("my", rf"\b({_MONTH}),?{_OF}{_Y}"),
        ("md", rf"\b({_MONTH}) (?:the )?{_D}{_NO_MORE}"),
        ("dmo", rf"{_NO_DIGIT}{_D}{_OF}({_MONTH})(?!\w)"),
        ("ym", r"(?<![\d-])(\d{4})-(\d{2})(?![\d-])"),
        ("ago", rf"\b{_COUNTED} (?:ago|zuvor|before today|earlier)\b"),
        ("vor", rf"\b(?:vor|hace|il y a) {_COUNTED}\b"),
        (
            "within",
            rf"\b(?:the )?(?:last|past|letzten|derni(?:er|ère)s|últim[oa]s) {_COUNTED}\b",
        ),
        ("relative", rf"\b(?:{_any([said for said in _RELATIVE if said[0] < _HAN])})\b"),
        ("relative", _any([said for said in _RELATIVE if said[0] >= _HAN])),
        ("hier", r"\bhier\b"),
        ("morgen", r"(?<!am )(?<!guten )(?<!jeden )(?<!heute )(?<!gestern )(?<!diesen )\bmorgen\b"),
        ("weekday", rf"\b(last|next|this|on|letzten|am|le|el) ({_any(_WEEKDAYS)})\b"),
        (
            "in_month",
            r"\b(?:in|during|im|en|since|seit|depuis|desde|last|this|early|late|mid|au mois de|en el mes de)"
            rf" ({_MONTH})(?!\w)",
        ),
        ("in_year", rf"\b{_IN} ((?:19|20)\d{{2}})(?![\d\w]|[.,:/-]\d| (?!was|is|has|does)[a-z]+s\b)"),
        ("year", r"(?<![\w.,:/-])((?:19|20)\d{2})(?![\w]|[.,:/-]\d)"),
    )
)
_BEFORE: Final = r"before|until|till|prior to|by|up to|vor|bis|avant|jusqu'(?:au|en)|antes de|antes del|hasta"
_AFTER: Final = r"after|since|nach|seit|ab|après|depuis|después de|después del|desde"
_BOUND: Final = re.compile(
    rf"\b(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER})) (?:the |den |dem |el |le )?$", re.IGNORECASE
)
_BEFORE_RUN: Final = re.compile(r" ?(?:之前|以前|前)")
_AFTER_RUN: Final = re.compile(r" ?(?:之后|之後|以后|以後|后)")
_BETWEEN: Final = re.compile(
    r" ?(?:and|to|until|through|till|-|\u2013|und|bis|et|au|y|al?|到|至|から) ?(?:the )?$", re.IGNORECASE
)
_LEADS: Final = re.compile("between|from|zwischen|von|vom|entre|de|desde|du|\u4ece|\u5f9e", re.IGNORECASE)
_DAY_FIRST: Final = re.compile(
    r"\b(?:le|les|est|était|quand|où|el|del|qué|cuándo|dónde|cuánto|cuánta|der|das|im|wann|wo|wer"
    r"|was (?:war|habe|hat|gab|ist|haben)|il|gli|quando|dove)\b|\bqu'|¿",
    re.IGNORECASE,
)
_FRENCH: Final = re.compile(
    r"\b(?:que|quoi|qui|où|quand|comment|combien|quelle?s?|pourquoi|ai|as|avons|avez|ont|était|étaient|est-ce)\b|\bqu'",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_VERSION: Final = re.compile(r"(?:version|release|ver|v)[ .]?\Z", re.IGNORECASE)
_VERSION_CHARS: Final = 10
_WITHIN: Final = frozenset(
    ["until", "till", "by", "up", "bis", "hasta", "since", "from", "seit", "ab", "depuis", "desde"]
)
_BOUND_CHARS: Final = 24
_LEAD_CHARS: Final = 12
_LOOKED_AT: Final = 16
_OTHER: Final = re.compile(
    r"\b(?:before|after|since|until|during|vor|nach|seit|während|avant|après|pendant|antes de|después de|durante)"
    r" (?:the|my|our|her|his|their|der|die|das|dem|den|meine[rmn]?|le|la|l'|mon|ma|el|mi|su) ?\w+(?: \w+)?",
    re.IGNORECASE,
)


def times(text: str, at_ms: int) -> tuple[Time, ...]:
    """Return the times that a question speaks of at a moment, in Unix ms, in their order, at most eight."""
    # The patterns know one kind of blank, so that each is linear; and no letter that only in capitals is another one.
    text = " ".join(text[:_CHARS_MAX].translate(_PLAIN).split())
    try:
        now = _at(at_ms)
    except OverflowError:
        return ()
    found: list[_Found] = []
    for each in _spans(text, now):
        one = _bounded(text, each, found)
        if found and one.time.until is not None and _joins(text, found[-1], one.begin):
            first = found.pop()
            said = text[first.begin : one.end]
            certain = first.time.certain or one.time.certain or len(_YEAR.findall(said)) > 1
            since = _before(first.time.since, one.time.until)
            one = _Found(first.begin, one.end, Time(said, since, one.time.until, certain))
        found.append(one)
    if not found:
        found = [_Found(match.start(), match.end(), Time(match[0])) for match in _OTHER.finditer(text)]
    return tuple(one.time for one in found[:TIMES_MAX])


def _before(since: int | None, until: int) -> int | None:
    """Return a begin in the year of the end that it belongs to: "between August 11 and August 15 2023"."""
    if since is None or since <= until:
        return since
    begin, end = _at(since), _at(until)
    year = end.year if (begin.month, begin.day) <= (end.month, end.day) else end.year - 1
    return _ms(begin.replace(year=year, day=min(begin.day, monthrange(year, begin.month)[1])))


def _bounded(text: str, span: "_Span", found: "list[_Found]") -> "_Found":
    """Return a span as a time: what is before it, or after it, where that is what is said."""
    begin, end, since, until = span.begin, span.end, span.since, span.until
    whole = _Found(begin, end, Time(text[begin:end].strip(), since, until, span.certain))
    before, after = Time("", None, since - 1, span.certain), Time("", until + 1, None, span.certain)
    bound = _BOUND.search(text, max(0, begin - _BOUND_CHARS), begin)
    if bound is None:
        if run := _BEFORE_RUN.match(text, end):
            return _Found(begin, run.end(), replace(before, text=text[begin : run.end()]))
        run = _AFTER_RUN.match(text, end)
        return whole if run is None else _Found(begin, run.end(), replace(after, text=text[begin : run.end()]))
    if found and _BETWEEN.match(text, found[-1].end, begin):
        return whole
    said, word = text[bound.start() : end], (bound["before"] or bound["after"]).lower().split()[0]
    within = word in _WITHIN or word.startswith("jusqu")
    if bound["before"]:
        return _Found(bound.start(), end, Time(said, None, until if within else since - 1, span.certain))
    return _Found(bound.start(), end, Time(said, since if within else until + 1, None, span.certain))


def _joins(text: str, before: "_Found", begin: int) -> bool:
    """Whether a time is the end of a span that another one begins: "between March and May", "from 2021 to 2023"."""
    if before.time.since is None or not _BETWEEN.fullmatch(text, before.end, begin):
        return False
    return bool(_LEADS.search(text, max(0, before.begin - _LEAD_CHARS), before.end))


def _spans(text: str, now: datetime) -> "list[_Span]":
    """Return what is a date or a span, in order. What a form takes no later one takes: a day of a month is no month."""
    found: list[_Span] = []
    for form, pattern in _FORMS:
        for match in pattern.finditer(text):
            if any(match.start() < each.end and each.begin < match.end() for each in found):
                continue
            begins = match.start()
            numbered = form in ("ymd", "dmy") and _VERSION.search(text, max(0, begins - _VERSION_CHARS), begins)
            ms = None if numbered else _READ[form](match, now)
            if ms is None:
                continue
            begin = match.start(1) if form in ("in_month", "in_year") else match.start()
            found.append(_Span(begin, match.end(), *ms))
            if len(found) >= _LOOKED_AT:
                return sorted(found)
    return sorted(found)


class _Span(NamedTuple):
    """A date or a span: where it begins and ends in the text, its first and last ms, and whether it is certain."""

    begin: int
    end: int
    since: int
    until: int
    certain: bool


class _Found(NamedTuple):
    """A time, with where it begins and ends in the text."""

    begin: int
    end: int
    time: Time


_Ms = tuple[int, int, bool]


def _at(ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=ms)


def _ms(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(milliseconds=1)


def _days(first: datetime, count: int, *, certain: bool) -> _Ms:
    since = _ms(first)
    return since, since + count * DAY_MS - 1, certain


def _date(year: int, month: int, day: int, *, certain: bool = True) -> _Ms | None:
    if year not in _YEARS or not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        return None
    return _days(datetime(year, month, day, tzinfo=UTC), 1, certain=certain)


def _month(year: int, month: int, *, certain: bool = True) -> _Ms | None:
    if year not in _YEARS or not 1 <= month <= 12:
        return None
    return _days(datetime(year, month, 1, tzinfo=UTC), monthrange(year, month)[1], certain=certain)


def _year(year: int, *, certain: bool = True) -> _Ms | None:
    if year not in _YEARS:
        return None
    first = datetime(year, 1, 1, tzinfo=UTC)
    return _days(first, (datetime(year + 1, 1, 1, tzinfo=UTC) - first).days, certain=certain)


def _from_to(year: int, first: int, last: int) -> _Ms | None:
    begin, end = _month(year if first <= last else year - 1, first), _month(year, last)
    return None if begin is None or end is None else (begin[0], end[1], True)


_VERBS: Final = ("may", "march")
"""In small letters these are no months."""


def _of_month(name: str) -> int:
    return _MONTHS[name.lower().rstrip(".")]


def _latest(month: int, day: int | None, now: datetime) -> _Ms | None:
    """Return the last such day or month that has begun: which year is meant nobody says."""
    year = now.year if (month, day or 1) <= (now.month, now.day) else now.year - 1
    if day is None:
        return _month(year, month, certain=False)
    return _date(year, month, day, certain=False) or _date(year - 1, month, day, certain=False)


def _dmy(match: re.Match[str], now: datetime) -> _Ms | None:
    """Read numbers: the day comes first but between slashes in English, where either may.

    There it is certain if one of them can be no month.
    """
    first, sign, second, said = int(match[1]), match[2], int(match[3]), match[4]
    year = int(said) if len(said) == 4 else 2000 + int(said)
    if len(said) == 2 and sign != ".":
        return None
    if sign != "/" or first > 12 or _DAY_FIRST.search(match.string):
        return _date(year, second, first)
    if second > 12 or first == second:
        return _date(year, first, second)
    return _date(year, first, second, certain=False)


def _cjk(match: re.Match[str], now: datetime) -> _Ms | None:
    year = int(match[1])
    if match[2] is None:
        return _year(year)
    return _month(year, int(match[2])) if match[3] is None else _date(year, int(match[2]), int(match[3]))


def _step(unit: str, steps: int, now: datetime) -> _Ms | None:
    """Return the day, week, month or year that is so many of them from the moment."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if unit == "day":
            return _days(today + timedelta(days=steps), 1, certain=True)
        if unit == "week":
            return _days(today - timedelta(days=today.weekday()) + timedelta(weeks=steps), 7, certain=True)
        if unit == "month":
            months = today.year * 12 + today.month - 1 + steps
            return _month(months // 12, months % 12 + 1)
        return _year(today.year + steps)
    except OverflowError:
        return None


def _count(said: str) -> int:
    return int(said) if said.isdecimal() else _NUMBERS[said.lower()]


def _ago(match: re.Match[str], now: datetime) -> _Ms | None:
    unit, count = _UNIT[match[2].lower()], _count(match[1])
    found = _step(unit, -count, now)
    return None if found is None else (*found[:2], unit in ("day", "year") or count > 0)


def _hier(match: re.Match[str], now: datetime) -> _Ms | None:
    """Return yesterday in French: in German it is a place."""
    return _step("day", -1, now) if _FRENCH.search(match.string) else None


def _within(match: re.Match[str], now: datetime) -> _Ms | None:
    days = {"day": 1, "week": 7, "month": 31, "year": 366}[_UNIT[match[2].lower()]] * _count(match[1])
    until = _ms(now)
    return until - days * DAY_MS, until, True


def _weekday(match: re.Match[str], now: datetime) -> _Ms | None:
    """Return the last such day before the moment, or the next one after it where that is said."""
    wanted = _WEEKDAYS[match[2].lower()] - 1
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    back = (today.weekday() - wanted) % 7 or 7
    steps = 7 - back or 7 if match[1].lower() == "next" else -back
    return _days(today + timedelta(days=steps), 1, certain=match[1].lower() in ("last", "letzten"))


_READ: Final[dict[str, Callable[[re.Match[str], datetime], _Ms | None]]] = {
    "ymd": lambda match, now: _date(int(match[1]), int(match[3]), int(match[4])),
    "dmy": _dmy,
    "cjk": _cjk,
    "cjk_md": lambda match, now: _latest(int(match[1]), int(match[2]), now) if int(match[1]) in range(1, 13) else None,
    "mdy": lambda match, now: _date(int(match[3]), _of_month(match[1]), int(match[2])),
    "dmoy": lambda match, now: _date(int(match[3]), _of_month(match[2]), int(match[1])),
    "mmy": lambda match, now: _from_to(int(match[3]), _of_month(match[1]), _of_month(match[2])),
    "my": lambda match, now: None if match[1] in _VERBS else _month(int(match[2]), _of_month(match[1])),
    "md": lambda match, now: _latest(_of_month(match[1]), int(match[2]), now),
    "dmo": lambda match, now: _latest(_of_month(match[2]), int(match[1]), now),
    "ym": lambda match, now: _month(int(match[1]), int(match[2])),
    "ago": _ago,
    "vor": _ago,
    "within": _within,
    "relative": lambda match, now: _step(*_RELATIVE[match[0].lower()], now),
    "hier": _hier,
    "morgen": lambda match, now: _step("day", 1, now),
    "weekday": _weekday,
    "in_month": lambda match, now: _latest(_of_month(match[1]), None, now),
    "in_year": lambda match, now: _year(int(match[1])),
    "year": lambda match, now: _year(int(match[1]), certain=False),
}
