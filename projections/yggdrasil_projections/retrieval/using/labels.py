"""The labels that an output cites: ``[m1]``, ``[m1][m2]`` and ``[m1, m2]``; no m1 elsewhere."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .denying import Labelled, sentences_of

_CITED: Final = re.compile(r"\[((?:m[0-9]{1,4}|[\s,;&])+)\]")
_LABEL: Final = re.compile("m[0-9]+")
_GROUP: Final = re.compile(rf"{_CITED.pattern}(?:[\s,;&]{{0,3}}(?:(?:and|or|nor)\s)?{_CITED.pattern}){{0,50}}")
_OF_ONE: Final = re.compile(r"\W{1,3}(?:is|was|does|did|has|isn['\u2019]t|wasn['\u2019]t|doesn['\u2019]t)\b")


def cited(refs: Sequence[str], text: str) -> list[str]:
    """Return the references whose labels a text names in brackets, each once, as they come; others are passed over."""
    known = {f"m{place}": ref for place, ref in enumerate(refs, start=1)}
    labels = (label for several in _CITED.findall(text) for label in _LABEL.findall(several))
    return list(dict.fromkeys(known[label] for label in labels if label in known))


def relied_on(refs: Sequence[str], output: str) -> list[str]:
    """Return the references that an output cites and does not deny to have used, each once, as they come.

    What is cited in one clause and denied in another was used.
    """
    known = {f"m{place}": ref for place, ref in enumerate(refs, start=1)}
    return list(dict.fromkeys(known[label] for label in _relied(output, set(known))))


def without(text: str) -> str:
    """Return a text without its labels."""
    return _CITED.sub(" ", text)


def _relied(output: str, left: set[str]) -> Iterator[str]:
    """Yield the labels of ``left`` that are relied on, and take them out: what is settled is not looked at again."""
    for sentence in sentences_of(output):
        labelled = Labelled(sentence)
        for group in _GROUP.finditer(sentence):
            begin, end = group.span()
            last = begin + group[0].rindex("[")
            before = sentence.rfind("]", begin, last) + 1
            # Of [m1] and [m2] what follows is said of both, unless it is said of one.
            parts = [(begin, end)] if not _OF_ONE.match(sentence, end) else [(begin, before), (last, end)]
            for start, stop in parts:
                found = [label for label in _LABEL.findall(sentence, start, stop) if label in left]
                if found and not labelled.denies(start, stop):
                    left.difference_update(found)
                    yield from found
