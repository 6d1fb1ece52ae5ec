"""What the command line shows: text and tables for people, one JSON document for machines, progress on stderr.

Whatever a sender chose (texts, feature names, paths) passes through ``clean`` on its way out, and no console reads
markup, so a memory cannot colour, move or rewrite the terminal of whoever looks at it.
"""

import re
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast

import orjson
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

_SHORT_WORK_S: Final = 0.7  # a bar that flashes up for less than that says nothing
_TOLD_EVERY_S: Final = 10.0  # where there is no terminal to draw a bar on
_YEARS_MS: Final = range(-62_135_596_800_000, 253_402_300_800_000)  # that a calendar has, 1 to 9999
_CELL_CHARS_MAX: Final = 100  # a table is for looking over; --json has everything
# Controls of both sets, and what changes the direction of writing: with it a text can show another than it holds.
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")
# In JSON the first set is escaped already, and nothing of the rest stands outside strings.
_CONTROLS_IN_JSON: Final = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")


class Moving:
    """Moves a bar on, which appears once the work has taken a while; without a terminal ``tell`` gets a line at times.

    Such a line says how much is done, of how much, at which rate, and what time is left at that.
    """

    def __init__(self, bar: Progress, task: TaskID, total: int, tell: Callable[[str], object] | None) -> None:
        """``tell`` is None where the bar may be shown."""
        self._bar = bar
        self._task = task
        self._total = total
        self._done = 0
        self._tell = tell
        self._begun = self._told = time.monotonic()
        self.shown = False

    def __call__(self, units: int, /) -> None:
        """Take notice of so many more units that are done."""
        self._bar.advance(self._task, units)
        self._done += units
        now = time.monotonic()
        if self._tell is not None:
            if now - self._told > _TOLD_EVERY_S and not 0 < self._total <= self._done:  # what is done says its result
                self._told = now
                self._tell(self._line(now - self._begun))
        elif not self.shown and now - self._begun > _SHORT_WORK_S:
            self._bar.start()
            self.shown = True

    def less(self, units: int, /) -> None:
        """Take notice that so many fewer units are to be done; they count in no rate."""
        self._total -= units
        self._bar.update(self._task, total=self._total)

    def _line(self, seconds: float) -> str:
        what, rate = self._bar.tasks[self._task].description, self._done / seconds
        if self._total <= 0 or rate <= 0:
            return f"{what}: {self._done:,}, {rate:,.0f}/s"
        left = max(0, self._total - self._done) / rate
        return f"{what}: {self._done:,} of {self._total:,}, {rate:,.0f}/s, {left:,.0f} s left"


class _Rate(ProgressColumn):
    """How many units are done in a second, lately."""

    def render(self, task: Task) -> Text:
        """Return it, once it is known."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s")


def clean(text: object, chars_max: int | None = None) -> str:
    """Return ``text`` on one line, safe for a terminal; what is longer than ``chars_max`` ends in an ellipsis."""
    line = " ".join(str(text).split())
    line = _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", line)
    return line if chars_max is None or len(line) <= chars_max else line[: chars_max - 1] + "…"


def number(value: float) -> str:
    """Return a value as people read it: three figures, or fewer; what has nearly faded is only small."""
    return "<0.001" if 0 < value < 0.001 else f"{value:.3g}"


def moment(at: int | None) -> str:
    """Return a time in Unix ms as people read it; nothing for none, and for one that no calendar has."""
    if at is None or at not in _YEARS_MS:  # a sender may name any
        return ""
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M} UTC"


def counted(count: int, thing: str) -> str:
    """Return a count with its noun, in the plural unless it is one."""
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


class Screen:
    """Where one command writes. ``json`` says that stdout belongs to one JSON document; people then read stderr."""

    def __init__(self, json: bool = False) -> None:
        self.json = json
        self.errors = _console(stderr=True)
        self.people = self.errors if json else _console()

    def tell(self, line: str = "", style: str = "") -> None:
        """Print a line for people; the caller has cleaned what a sender chose."""
        if self.people.is_terminal:
            self.people.print(Text(line, style), soft_wrap=True)  # or a long command could not be copied
        else:
            self.people.file.write(line + "\n")

    def fail(self, line: str) -> None:
        """Print what went wrong on stderr, so that stdout holds nothing but the result."""
        if self.errors.is_terminal:
            self.errors.print(Text(line, "red"), soft_wrap=True)
        else:
            self.errors.file.write(line + "\n")

    def warn(self, line: str) -> None:
        """Print on stderr what somebody should know who may go on all the same."""
        if self.errors.is_terminal:
            self.errors.print(Text(f"yggdrasil: {line}", "yellow"), soft_wrap=True)
        else:
            self.errors.file.write(f"yggdrasil: {line}\n")

    def result(self, document: Any, show: Callable[[], object]) -> None:
        """Print the result: ``document`` as JSON for machines, or what ``show`` prints for people."""
        if self.json:
            write_json(document)
        else:
            show()

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print rows under headings; a heading that begins with ``>`` is of a column of numbers."""
        cells = [[clean(cell, _CELL_CHARS_MAX) for cell in row] for row in rows]
        if not self.people.is_terminal:
            self._plain_table(columns, cells)
            return
        table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(
                column.removeprefix(">"), justify="right" if column.startswith(">") else "left", overflow="fold"
            )
        for row in cells:
            table.add_row(*(Text(cell) for cell in row))
        self.people.print(table)

    def _plain_table(self, columns: Sequence[str], cells: list[list[str]]) -> None:
        lines = [[column.removeprefix(">") for column in columns], *cells]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        right = [column.startswith(">") for column in columns]
        for line in lines:
            padded = [
                cell.rjust(width) if to_right else cell.ljust(width)
                for cell, width, to_right in zip(line, widths, right, strict=True)
            ]
            self.people.file.write("  ".join(padded).rstrip() + "\n")

    @contextmanager
    def progress(self, what: str, total: int) -> Generator[Moving, None, None]:
        """Show a bar on stderr, with rate and time left, for work of ``total`` units; yield what moves it on.

        Where stderr is no terminal it is a line every ten seconds.
        """
        bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            console=self.errors,
            transient=True,
        )
        tell = None if self.errors.is_terminal else self.warn
        moving = Moving(bar, bar.add_task(what, total=total), total, tell)
        try:
            yield moving
        finally:
            if moving.shown:
                bar.stop()


def write_json(document: Any) -> None:
    """Write the one JSON document of a command to stdout."""
    try:
        text = _json(document)
    except orjson.JSONEncodeError:
        text = _json(_in_unicode(document))
    sys.stdout.write(_CONTROLS_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def _json(document: Any) -> str:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()


def _in_unicode(value: Any) -> Any:
    """Return the same with each name of a file that is no UTF-8, and so none in JSON, in signs that are."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if is_dataclass(value):
        return {each.name: _in_unicode(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        said = cast("Mapping[Any, Any]", value)
        return {_in_unicode(key): _in_unicode(each) for key, each in said.items()}
    if isinstance(value, list | tuple):
        return [_in_unicode(each) for each in cast("Sequence[Any]", value)]
    return value


def _console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False)


@contextmanager
def bars(screen: Screen) -> Generator[Callable[[str, int, int], None], None, None]:
    """Show each kind of work as a bar of its own."""
    with ExitStack() as stack:
        shown = ("", 0)
        advance = None

        def progress(what: str, done: int, total: int) -> None:
            nonlocal shown, advance
            if advance is None or what != shown[0] or done < shown[1]:
                stack.close()
                advance, shown = stack.enter_context(screen.progress(what, total)), (what, 0)
            advance(done - shown[1])
            shown = what, done

        yield progress
