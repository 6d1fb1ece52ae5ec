"""What misleads: a memory is used, the task fails, and that is reported. Its equal was returned too, and not used.

Two memories of one topic say the same but for a word that no question holds. Again and again both are returned, the one
is used and reported with a failure, and other things happen in between. Five forms, by what the two had been through
alike before: *fresh* (nothing), *praised* (each used three times with success), *blamed* (an outcome of -2 of each),
*rewarded* (an outcome of +2 of each), and *slept on*, as fresh, where the memory sleeps between two uses: what was used
often is consolidated then, and whoever misleads must not be.

Which of the two misleads is tried both ways: the one that stands *below* at first must not rise, and the one that
stands *above* must sink. The order is that of ``get_context``: the search itself, over a real store.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..life import Life, Said, Stored

FORMS: Final = ("fresh", "praised", "blamed", "rewarded", "slept on")
_TOPIC: Final = "invoices"
_PRAISES: Final = 3
_BETWEEN: Final = 5
_WORDS: Final = ("amber", "birch", "coral", "delta", "ember", "fjord")


@dataclass(slots=True)
class Found:
    """Whether the misleading one stands below its equal: at first, and after each failure."""

    below_at_first: bool
    below: list[bool] = field(default_factory=list[bool])

    @property
    def rose(self) -> bool:
        """Whether a failure has ever lifted it above its equal."""
        return any(was and not now for was, now in zip([self.below_at_first, *self.below], self.below, strict=False))

    @property
    def sunk_after(self) -> int:
        """After how many failures it is below its equal and stays there; all of them and one more if it never is."""
        above = [turn for turn, below in enumerate(self.below, 1) if not below]
        return above[-1] + 1 if above else 1


def live(
    seed: int, form: str, failures: int, path: Path, *, below: bool, policy: Mapping[str, int | float] | None = None
) -> Found:
    """Return what one life with a store at ``path`` has shown; ``below``: the misleading one stands below at first."""
    with Stored(path) as host:
        life = Life(seed, host, policy)
        pair = _pair(life, form)
        order = _order(host, pair)
        wrong = order[1 if below else 0]
        found = Found(below)
        for turn in range(failures):
            _other_things(life, turn)
            if form == "slept on":
                life.tell("sleep", {})
            life.use(life.recall(_order(host, pair)), [wrong], success=False)
            found.below.append(_order(host, pair)[1] == wrong)
        return found


def _pair(life: Life, form: str) -> list[Said]:
    """Tell the two memories, and let the same happen to both."""
    pair: list[Said] = []
    for word in life.random.sample(_WORDS, 2):
        _other_things(life, 0)
        pair.append(life.event([_TOPIC], "before", f"{_TOPIC} {word}"))
    if form in ("blamed", "rewarded"):
        for said in pair:
            life.outcome(said, -2.0 if form == "blamed" else 2.0)
    if form == "praised":
        for _ in range(_PRAISES):
            recall = life.recall([said.id for said in pair])
            life.use(recall, [said.id for said in pair], success=True)
    return pair


def _other_things(life: Life, turn: int) -> None:
    for step in range(_BETWEEN):
        life.event([f"other-{life.random.randrange(7)}"], f"other-{turn}-{step % 2}", "something else")


def _order(host: Stored, pair: list[Said]) -> list[str]:
    """Return the two in the order of the search."""
    mine = {said.id for said in pair}
    return [ref for ref in host.search(_TOPIC, 10) if ref in mine]
