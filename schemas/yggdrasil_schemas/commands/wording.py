"""What is wrong with a field, in words for whoever sent it: no regular expression, and no kind of pydantic's."""

from collections.abc import Mapping
from typing import Any, Final

from ..anchors import PATTERN
from . import knowledge, scoring, vectors, wire

_NAME: Final = (f"^{wire.PRINTABLE}{{1,", "}$")  # how the pattern of a name begins and ends; between them is its bound
_DIGITS: Final = ("^[0-9a-f]{", "}$")  # the same of that of an id
_EXPECTED_CHARS_MAX: Final = 150
_STEP_CHARS_MAX: Final = 80  # of a place: a key in it may be the sender's
_QUOTE: Final = "'"
_FORMS: Final[Mapping[str, str]] = {
    **wire.FORMS,
    knowledge.DECIMAL: "no number in its one form, without needless zeros, such as 12.5, -3 or 0",
    PATTERN: "no place, which looks like overworld/120/64/-33, or overworld/7/-2 for a chunk",
    vectors.BASE64: "no base64 with its padding, such as AQID or AQI=",
    scoring.WEIGHTS: "no base64 of the 177 numbers that a scorer has",
}
_KINDS: Final[Mapping[str, str]] = {
    "missing": "missing",
    "extra_forbidden": "unknown field",
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "must be a smaller number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "none_required": "must be null",
    "string_too_long": "more than {max_length} characters",
    "string_too_short": "fewer than {min_length} characters",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
}


def wording(entry: Mapping[str, Any], name: str = "", forms: Mapping[str, str] | None = None) -> str:
    """Say what is wrong with the field ``name`` by an ``entry`` of a ValidationError: never what was sent.

    It is the bound that was passed, our own validator's words, or what the field must be. ``forms`` has the words for
    patterns of the caller's own: what a text is not.
    """
    bounds: Mapping[str, Any] = entry.get("ctx", {})
    noun = name if name.endswith("s") else "entries"
    match entry["type"]:
        case "value_error":  # what a validator of ours says is ours as well
            return str(entry["msg"]).removeprefix("Value error, ")
        case "too_long" if bounds["field_type"] == "List":  # the keys of an object may have been cut before
            return f"{bounds['actual_length']} {noun}, at most {bounds['max_length']}"
        case "too_long":
            return f"more than {bounds['max_length']} {noun}"
        case "too_short":
            return f"{bounds['actual_length']} {noun}, at least {bounds['min_length']}"
        case "literal_error" | "enum":
            return f"must be {str(bounds['expected']).replace(_QUOTE, '')[:_EXPECTED_CHARS_MAX]}"
        case "string_pattern_mismatch":
            return _form(str(bounds["pattern"]), forms or {})
        case kind:
            said = _KINDS.get(kind)
            return said.format(**bounds) if said else str(entry["msg"]).replace("Input should be", "must be")


def placed(entry: Mapping[str, Any], forms: Mapping[str, str] | None = None) -> str:
    """Say where a field is, and what is wrong with it, as ``wording`` does."""
    place = ".".join(str(step)[:_STEP_CHARS_MAX] for step in entry["loc"])
    said = wording(entry, forms=forms)
    return f"{place}: {said}" if place else said


def _form(pattern: str, forms: Mapping[str, str]) -> str:
    """Say which form a text has not that does not match ``pattern``."""
    if pattern.startswith(_NAME[0]):
        return f"1 to {pattern.removeprefix(_NAME[0]).removesuffix(_NAME[1])} characters on one line"
    if pattern.startswith(_DIGITS[0]) and pattern.count("[") == 1:
        return f"no {pattern.removeprefix(_DIGITS[0]).removesuffix(_DIGITS[1])} hexadecimal digits, in lower case"
    return forms.get(pattern) or _FORMS.get(pattern) or "has not the form that it must have"
