"""A lexical index over what a memory's events and outcomes say: SQLite's FTS5 with Porter stemming, in memory.

It is a view: built from the graph's contents when it is first asked, brought up to date by reading what is newer, and
thrown away with the process.
"""

import re
import sqlite3
from typing import Final, NamedTuple

from yggdrasil_schemas.graph import node_number

from ..graph.rows import node_table
from ..graph.working_set import Graph
from .records import command_in, words_of

INDEX: Final = "fts5-memory/1"
TOKENIZER: Final = "porter-unicode61/1"
_QUERY_WORDS_MAX: Final = 64  # a question has fewer; a pasted document would make the match slow
_PAGE_RECORDS: Final = 256  # of up to 256 KiB each
_WORD: Final = re.compile(r"[^\W_]+")  # as the tokenizer splits
# Words that say how a question is put and not what it is about.
_STOP: Final = frozenset(
    _WORD.findall(
        "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me "
        "my no not of on or our should so than that the their them then there these they this to was we were what "
        "when where which who why will with would you your"
    )
)


class Hit(NamedTuple):
    """A node and its BM25 score, larger is better."""

    number: int
    score: float


class LexicalIndex:
    """The index of one memory."""

    def __init__(self) -> None:
        self._next = 0
        self._held = 0
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        # With less detail, a word that the tokenizer splits further (it knows the letters of an older Unicode than
        # Python does) would be an error instead of a phrase.
        self._db.execute("CREATE VIRTUAL TABLE said USING fts5(words, tokenize = 'porter unicode61')")

    def refresh(self, graph: Graph) -> None:
        """Add what was folded since the last refresh, and keep at most twice as much as the graph does."""
        while rows := graph.source.contents_from(self._next, _PAGE_RECORDS):
            entries = [
                (number, words_of(command_in(content)))
                for number, content in rows
                if number == node_number(number >> 6)
            ]
            self._db.executemany("INSERT INTO said (rowid, words) VALUES (?, ?)", entries)
            self._held += len(entries)
            self._next = rows[-1][0] + 1
        if self._held > 2 * graph.header.nodes:
            self.forget(graph)

    def search(self, query: str, limit: int) -> list[Hit]:
        """Return up to ``limit`` nodes that share a word with ``query``, best first; ties break by number."""
        words = [word for word in _WORD.findall(query.lower()) if word not in _STOP][:_QUERY_WORDS_MAX]
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        rows = self._db.execute(
            "SELECT rowid, -bm25(said) AS score FROM said WHERE said MATCH ? ORDER BY score DESC, rowid LIMIT ?",
            (match, limit),
        )
        return [Hit(number, score) for number, score in rows]

    def forget(self, graph: Graph) -> None:
        """Drop all nodes that the graph no longer holds."""
        live = set(node_table(graph).keys.tolist())
        gone = [held for held in self._db.execute("SELECT rowid FROM said") if held[0] not in live]
        self._db.executemany("DELETE FROM said WHERE rowid = ?", gone)
        self._held -= len(gone)
