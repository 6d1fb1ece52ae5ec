"""How a day is written: the months of four languages, and patterns that say what stands where."""

import re
from datetime import date
from typing import Final

_MONTHS: Final = {
    "en": "January,February,March,April,May,June,July,August,September,October,November,December",
    "de": "Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember",
    "fr": "janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre",
    "es": "enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre",
}
_SHORT: Final = {
    "en": "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec",
    "de": "Jan.,Feb.,März,Apr.,Mai,Juni,Juli,Aug.,Sept.,Okt.,Nov.,Dez.",
    "fr": "janv.,févr.,mars,avr.,mai,juin,juil.,août,sept.,oct.,nov.,déc.",
    "es": "ene,feb,mar,abr,may,jun,jul,ago,sept,oct,nov,dic",
}
_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def spelled(pattern: str, day: date, language: str) -> str:
    """Write a day by a pattern: ``%d`` is 02, ``%e`` 2, ``%o`` 2nd, ``%m`` 01, ``%n`` 1, and ``%B``, ``%b``, ``%Y``."""
    short = _SHORT[language].split(",")[day.month - 1]
    text = pattern.replace("%b.", "%b") if short.endswith(".") else pattern
    if language == "fr" and day.day == 1:  # le 1er mars, but 1/3
        text = re.sub(r"%[de](?= %[Bb])", "1er", text)
    parts = {
        "%d": f"{day.day:02}",
        "%e": str(day.day),
        "%o": f"{day.day}{_ENDINGS.get(day.day, 'th')}",
        "%m": f"{day.month:02}",
        "%n": str(day.month),
        "%B": _MONTHS[language].split(",")[day.month - 1],
        "%b": short,
        "%Y": str(day.year),
    }
    return re.sub("|".join(parts), lambda found: parts[found[0]], text)
