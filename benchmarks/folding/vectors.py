"""What vectors cost: an import by what its embedder takes alone, and the processor of a text by its length."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import Final

import orjson

from yggdrasil import Event, Memory
from yggdrasil.cli.agent.importing.folding import run_import
from yggdrasil.cli.completing import give_vectors
from yggdrasil.cli.screen import Screen
from yggdrasil.engines.beside import BATCH
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil_infra.embedders import Embedder, pair
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.importers import import_chat

from ..measure import Bar, Report, Size, gc_of_hosts, median_ratio, seconds

_MEMORY: Final = "bench/agent"
_TIMES_MAX: Final = 2.0
_CHARS: Final = 60, 150, 500, 1_000, 2_000, 8_000  # longer ones than 520 are embedded in pieces too
_WORDS: Final = """
the deploy backup kitchen meeting invoice train garden after before failed moved paid was were is not and with
from Ana Ben Friday Monday server database recipe ticket violin doctor holiday budget release weather key
"""


def run(size: Size, scratch: Path) -> Report:
    """Import a chat, and record the same with ``record_many``, each between two runs of the embedder alone.

    The embedder alone is measured on a part of the texts, since what it takes grows with their number.
    """
    many = size.pick(12, 300, 20_000)
    part = size.pick(12, 300, 2_000)
    random, words = Random(14), _WORDS.split()
    texts = [" ".join(random.choices(words, k=random.randint(4, 30))) for _ in range(many)]
    model = pair()
    model.embed_query("warm")
    with gc_of_hosts():
        alone = [_alone(model, texts[:part])]
        imported = _imported(scratch, model, texts)
        alone.append(_alone(model, texts[:part]))
        recorded = _recorded(scratch, model, texts)
        alone.append(_alone(model, texts[:part]))
    own = [took * many / part for took in alone]
    times_import = median_ratio([imported] * len(own), own)
    times_record_many = median_ratio([recorded] * len(own), own)
    report = Report("vectors")
    report.figures = {
        "texts": many,
        "texts_in_a_call": BATCH,
        "embedder_alone_texts_per_s": many / min(own),
        "import_texts_per_s": many / imported,
        "import_times_embedder": times_import,
        "record_many_texts_per_s": many / recorded,
        "record_many_times_embedder": times_record_many,
        **{f"cpu_ms_of_{chars}_chars": _cpu_ms(model, random, chars, size.pick(1, 6, 40)) for chars in _CHARS},
    }
    report.bars = [
        Bar("time of an import over that of its embedder alone", times_import, _TIMES_MAX, at_most=True),
        Bar("time of record_many over that of its embedder alone", times_record_many, _TIMES_MAX, at_most=True),
    ]
    return report


def _alone(model: Embedder, texts: Sequence[str]) -> float:
    return seconds(partial(model.embed_documents, texts))


def _cpu_ms(model: Embedder, random: Random, chars: int, count: int) -> float:
    """Return the milliseconds of the processor that a text of so many characters takes, with its pieces."""
    words = _WORDS.split()
    texts = [" ".join(random.choices(words, k=chars // 4))[:chars] for _ in range(count)]
    said = [{"type": "record_event", "body": {}, "content": {"text": text}} for text in texts]
    begun = process_time()
    Embedding(model).of_records(said)
    return 1_000 * (process_time() - begun) / count


def _imported(scratch: Path, model: Embedder, texts: Sequence[str]) -> float:
    """Import the texts as the command line does: recorded first, and then given vectors."""
    file = scratch / "chat.jsonl"
    file.write_bytes(b"\n".join(orjson.dumps({"role": "user", "content": text}) for text in texts))
    source = import_chat(file, Drafter(_MEMORY, "cli", "benchmark", "import"))
    with Embedded(scratch / "imported", partitions=1) as engine:
        screen = Screen(json=True)
        recorded = seconds(partial(run_import, screen, engine, source, "turn"))
        return recorded + seconds(partial(give_vectors, screen, engine, _MEMORY, Embedding(model)))


def _recorded(scratch: Path, model: Embedder, texts: Sequence[str]) -> float:
    with Memory.open(scratch / "recorded", _MEMORY, partitions=1, embedder=model) as memory:
        return seconds(partial(memory.record_many, (Event(text) for text in texts)))
