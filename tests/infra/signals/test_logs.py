"""A log that a collector can read line by line, whatever a sender has put into it."""

import json
import logging
import os
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_infra.signals.logs import JsonLines, TextLines, configure

LOGGER = logging.getLogger("yggdrasil.tests")
NASTY = 'a\nb\r\n{"level":"CRITICAL"}\x1b[2J\u2028\x85\x00\u202e\udfff'


def entries(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def record(message: str, **extra: object) -> logging.LogRecord:
    return LOGGER.makeRecord(LOGGER.name, logging.WARNING, "", 0, "%s", (message,), None, extra=extra)


def test_an_entry_has_time_level_logger_event_and_its_extras(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json", "INFO")
    before = datetime.now(UTC) - timedelta(milliseconds=1)  # what is written is cut to milliseconds
    LOGGER.info("partition %d is halted", 3, extra={"partition": 3, "position": 17, "why": None})
    (entry,) = entries(capsys)
    written = entry.pop("time")
    assert written.endswith("Z")
    assert len(written) == len("2026-01-01T00:00:00.000Z")
    assert before <= datetime.fromisoformat(written) <= datetime.now(UTC)
    assert entry == {
        "level": "INFO",
        "logger": "yggdrasil.tests",
        "event": "partition 3 is halted",
        "partition": 3,
        "position": 17,
        "why": None,
    }


def test_an_exception_is_one_field_with_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json", "INFO")
    try:
        raise ValueError("first\nsecond")
    except ValueError:
        LOGGER.exception("it failed")
    (entry,) = entries(capsys)
    assert entry["event"] == "it failed"
    assert entry["exception"].startswith("Traceback")
    assert entry["exception"].endswith("ValueError: first\nsecond")


@given(st.text(), st.dictionaries(st.sampled_from(["event", "time", "exception", "key"]), st.text()))
def test_nothing_breaks_a_line_of_json(message: str, extra: dict[str, str]) -> None:
    line = JsonLines().format(record(message, **extra))
    assert line.isascii()
    assert line.isprintable()
    read = json.loads(line)
    assert read["event"] == message
    for name, value in extra.items():
        assert value in {read.get(name), read.get(name + "_")}


def test_an_extra_of_any_type_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json", "INFO")
    LOGGER.info(
        "odd", extra={"ratio": float("nan"), "path": os.sep, "raw": b"\xff", "big": 2**80, "all": [1, (2,)], "one": {1}}
    )
    (entry,) = entries(capsys)
    assert entry["ratio"] == "nan"
    assert entry["raw"] == "b'\\xff'"
    assert entry["big"] == 2**80
    assert entry["all"] == [1, "(2,)"]
    assert entry["one"] == "{1}"


def test_text_is_one_printable_line_and_a_trace_cannot_forge_another() -> None:
    written = record(NASTY, memory=NASTY)
    assert TextLines().format(written).isprintable()
    try:
        raise ValueError(NASTY)
    except ValueError:
        written.exc_info = sys.exc_info()
    first, *rest = TextLines().format(written).split("\n")
    assert first.split()[1:3] == ["WARNING", "yggdrasil.tests:"]
    assert rest
    assert all(line.startswith("    ") and line.isprintable() for line in rest)


def test_the_level_holds_and_the_last_call_counts(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json", "DEBUG")
    configure("text", "WARNING")
    LOGGER.info("not written")
    LOGGER.warning("written once")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("yggdrasil.tests: written once")


def test_kafka_python_speaks_through_the_same_handler_from_warnings_on(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json", "DEBUG")
    logging.getLogger("kafka.conn").info("connecting")
    logging.getLogger("kafka.conn").warning("broker %s is gone", "b1")
    assert [(entry["logger"], entry["event"]) for entry in entries(capsys)] == [("kafka.conn", "broker b1 is gone")]


def test_what_a_library_repeats_is_written_once_in_a_while(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json", "INFO")
    for attempt in range(50):
        logging.getLogger("asyncio").warning("no broker, attempt %d", attempt)
        LOGGER.warning("ours")
    written = Counter(entry["event"].split(",")[0] for entry in entries(capsys))
    assert written == {"no broker": 1, "ours": 50}


def test_a_plain_locale_is_no_obstacle() -> None:
    program = (
        "import logging; from yggdrasil_infra.signals.logs import configure\n"
        f"for form in ('json', 'text'): configure(form); logging.getLogger('yggdrasil').warning({'Ü€ ' + NASTY!a})"
    )
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONWARNINGS": ""}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=environment)
    assert len(ran.stderr.splitlines()) == 2
    assert b"Logging error" not in ran.stderr


def test_a_library_says_its_errors_without_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    configure("text")
    try:
        raise AttributeError("'NoneType' object has no attribute 'recv'")
    except AttributeError:
        logging.getLogger("kafka.net.transport").exception("%s: closing socket", "a connection")
        LOGGER.exception("ours")
    library, *ours = capsys.readouterr().err.splitlines()
    assert library.endswith(
        "a connection: closing socket: AttributeError(\"'NoneType' object has no attribute 'recv'\")"
    )
    assert "Traceback" in ours[1]
