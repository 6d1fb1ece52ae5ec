from tests.cli.conftest import cli
from tests.doors.daemon.test_auto import typing

__all__ = ["cli", "typing"]
