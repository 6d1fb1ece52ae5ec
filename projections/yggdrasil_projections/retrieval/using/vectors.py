"""By vectors: which memory a sentence of an output means, by the store's own embedder (003, section 3.6, method 2).

No threshold is of one model. Similarities are measured from the model's own background, which is what sentences have in
common that have nothing to do with each other: 0 is that, 1 is the same text. A memory counts by the sentences that are
nearest to it, or as near as to the nearest but for the spread of the background.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .denying import sentences_of, told
from .labels import without

Embed = Callable[[Sequence[str]], NDArray[np.float64]]
"""Returns a unit vector for each text, a row each."""
SENTENCES_MAX: Final = 64
"""So many sentences of an output are embedded, the first."""
CHARS_MAX: Final = 520
"""So much of a memory is embedded."""
_WORDS_MIN: Final = 3  # a sentence of fewer says too little to mean anything
UNRELATED: Final = (
    "The kettle in the kitchen has begun to leak.",
    "Interest rates were raised by a quarter of a point.",
    "She plays the cello in a small orchestra.",
    "The parser fails on an empty configuration file.",
    "Glaciers carve deep valleys over thousands of years.",
    "He forgot his umbrella on the morning train.",
    "The contract ends on the last day of June.",
    "Bees find their way back by the position of the sun.",
    "The goalkeeper was sent off before half-time.",
    "Boil the beans for an hour without any salt.",
    "The museum is closed on Mondays.",
    "A second reviewer must approve every release.",
)


def scores(output: str, texts: Sequence[Sequence[str]], embed: Embed) -> list[float]:
    """Return how near each memory is to what an output says, from 0, the background, to 1, the same. Raises as
    ``embed``.
    """
    said = [without(each) for each in told(sentences_of(output))]
    said = [each for each in said if len(each.split()) >= _WORDS_MIN][:SENTENCES_MAX]
    joined = {place: " ".join(each)[:CHARS_MAX] for place, each in enumerate(texts)}
    says = {place: text for place, text in joined.items() if text.strip()}  # what was forgotten says nothing
    memories = list(says.values())
    if not said or not memories:
        return [0.0] * len(texts)
    vectors = embed([*said, *memories, *UNRELATED])
    ours, theirs, apart = np.split(vectors, [len(said), len(said) + len(memories)])
    pairs = (apart @ apart.T)[np.triu_indices(len(apart), 1)]
    mean, spread = float(pairs.mean()), float(pairs.std())
    room = max(1.0 - mean, 1e-6)
    near = np.clip((ours @ theirs.T - mean) / room, 0.0, 1.0)
    best = near.max(axis=1, keepdims=True)
    counted = np.where(near >= best - spread / room, near, 0.0)
    found = dict(zip(says, counted.max(axis=0), strict=True))
    return [float(found.get(place, 0.0)) for place in joined]
